"""A part of a file on its way elsewhere: the edits that a move is made of."""

from __future__ import annotations

from steadyhand.plan.edit import Act, Edit, Insert
from steadyhand.plan.place import Old, Place
from steadyhand.plan.request import MoveText
from steadyhand.schema import bad_request
from steadyhand.structure.address import parse_address
from steadyhand.structure.format import format_of
from steadyhand.structure.lines import Lines
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Addressed, Target
from steadyhand.text.lines import line_ending, split_lines
from steadyhand.text.source import Source


def move_inside(request: MoveText) -> Edit:
    """A move from one place of a file to another of the same."""
    if request.place is None:
        raise bad_request("to", "the file is the one it is in", "name another file, or a target in this one")
    return Act(request.target, "move", to=request.place, where=request.where)


def insertion(source: Source, request: MoveText, text: str) -> Edit:
    """What arrives in another file: at the place that is named, or beside what the file has of the same kind."""
    if request.place is not None:
        return Insert(request.place, text, where=request.where)
    is_first = request.where in ("before", "start")
    if isinstance(request.target, Addressed):
        whole = request.target.of_file()
        if whole is not None:
            return Insert(whole, text, where="start" if is_first else "end")
        alike = _alike(source, request.target.key)
        if alike:
            return Insert(alike[0 if is_first else -1], text, where="before" if is_first else "after")
        text = _apart(source.text, text, is_first=is_first)
    place: Place = Lines(1, 0) if is_first else Old("", at_end=True)
    return Insert(place, text, where=request.where)


def alone(text: str) -> str:
    """What arrives in a file that is made for it: one line ending behind it, and no blank lines that parted it.

    >>> alone("## A\\n\\ntext\\n\\n"), alone("x")
    ('## A\\n\\ntext\\n', 'x\\n')
    """
    rows = split_lines(text)
    while len(rows) > 1 and not rows[-1].strip():
        rows.pop()
    return "".join(rows) if rows and line_ending(rows[-1]) else "".join(rows) + "\n"


def _alike(source: Source, kind: str) -> list[Target]:
    """The targets of a kind that stand at the top of a file."""
    known = format_of(source.path)
    found = None if known is None else known.outline(source)
    if found is None or isinstance(found, Refusal):
        return []
    tops = [parse_address(entry.address) for entry in found if entry.depth == 0]
    return [target for target in tops if target.key == kind]


def _apart(there: str, text: str, *, is_first: bool) -> str:
    """A text with a blank line between it and what it comes beside."""
    if not there.strip():
        return text
    whole = text if line_ending(text) else text + "\n"
    return f"{whole}\n" if is_first else f"\n{whole}"
