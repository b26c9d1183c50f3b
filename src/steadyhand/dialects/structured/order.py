"""In which order the edits of a reply are made, so that line numbers mean the file as it was read.

Edits are made one after the other. Ranges of one list are put from the bottom to the top; where numbers of separate
edits could mean the file before or after another edit of the reply, they are refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.structured.document import FORMAT, Document
from steadyhand.dialects.structured.edit import Found
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit, Old, Replace
from steadyhand.plan.request import EditFile
from steadyhand.structure.lines import Lines, bottom_up, find_overlap

__all__ = ["Order"]

_NOTHING = Lines(1, 0)


class Order:
    """The edits of one reply so far: for each file the topmost place from which on lines may have moved."""

    def __init__(self) -> None:
        self._moved: dict[str, Lines] = {}

    def take(self, group: Sequence[Found], document: Document) -> list[Found]:
        """The edits of one list, in the order to make them. Refuses numbers that may mean two lines."""
        runs: dict[str, list[Found]] = {}
        if any(found.numbered == "range" for found in group):
            for found in group:
                runs.setdefault(found.request.path, []).append(found)
            return [found for path, run in runs.items() for found in self._ranges(path, run, document)]
        for found in group:
            self._single(found, document)
        return list(group)

    def _ranges(self, path: str, run: list[Found], document: Document) -> list[Found]:
        for found in run:
            if found.numbered != "range":
                what = "an edit without a range among edits that have one"
                raise document.refuse(found.offset, what, "ranges for all edits of a list, or for none")
        ranges = [_lines_of(found) for found in run]
        overlap = find_overlap(ranges)
        if overlap is not None:
            raise _overlapping([ranges[index] for index in overlap], run[overlap[1]], document)
        order = bottom_up(ranges)
        for index in order:
            self._check(path, ranges[index], run[index], document)
        self._moved[path] = ranges[order[-1]]
        return [run[index] for index in order]

    def _single(self, found: Found, document: Document) -> None:
        path = found.request.path
        if found.numbered:
            lines = _lines_of(found)
            self._check(path, lines, found, document)
            self._moved[path] = lines
        elif not (isinstance(found.request, EditFile) and all(map(_keeps_lines, found.request.edits))):
            self._moved[path] = _NOTHING

    def _check(self, path: str, lines: Lines, found: Found, document: Document) -> None:
        moved = self._moved.get(path)
        if moved is None:
            return
        both_insert = lines.is_empty and moved.is_empty
        if lines.end >= moved.start or lines.start > moved.start or (both_insert and lines.start == moved.start):
            what = "a line number that an edit before it may have moved"
            raise document.refuse(found.offset, what, "edits by line number from the bottom to the top, before others")


def _lines_of(found: Found) -> Lines:
    request = found.request
    assert isinstance(request, EditFile)
    target = request.edits[0].target
    assert isinstance(target, Lines)
    return target


def _keeps_lines(edit: Edit) -> bool:
    """Whether an edit leaves every line where it is."""
    old = edit.target.text if isinstance(edit.target, Old) else None
    return old is not None and isinstance(edit, Replace) and old.count("\n") == edit.new.count("\n")


def _overlapping(ranges: Sequence[Lines], found: Found, document: Document) -> EditError:
    line, column = document.place(found.offset)
    pairs = [[one.start, one.end] for one in ranges]
    return EditError(
        Kind.OVERLAPPING_EDITS,
        f"line {line}, column {column} of the reply: the ranges {pairs[0]} and {pairs[1]} overlap",
        hint="send one edit for lines that belong together",
        details={"line": line, "column": column, "format": FORMAT, "ranges": pairs},
    )
