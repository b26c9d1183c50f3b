"""The inside of a definition: where its statements or members stand, and how far they are indented.

Knows the text of one source and one definition of it; proposes nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Literal

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.code.definition import Code, Definition
from steadyhand.structure.code.language import Language
from steadyhand.structure.code.rows import DIRECTIVE
from steadyhand.text.indent import unit_of
from steadyhand.text.lines import line_start
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_INDENT = lazy_pattern(r"[ \t]*")
_ENDING = lazy_pattern(r"[\r\n]")
_DIRECTIVE = lazy_pattern(rf"{DIRECTIVE}(?:[^\\\r\n]|\\\s*)*")
_EMPTY_END = lazy_pattern(r"\s*;?\s*\bend\Z")
_ROWS = 3_000
_ASKED = 100


@dataclass(frozen=True, slots=True)
class Body:
    """The inside of a definition.

    `style`    between braces, an indented suite, statements before `end`, or one expression
    `inside`   from the first to the last character inside; empty where there is nothing
    `room`     all there is between the brackets, blanks included; the same as `inside` where there are none
    `is_open`  whether the inside stands on lines of its own
    `indent`   what its lines are indented by, comments aside; `margin` what the definition around it is
    """

    style: Literal["braces", "suite", "end", "expression"]
    inside: Span
    room: Span
    is_open: bool
    indent: str
    margin: str


def unit_in(source: Source, code: Code) -> str:
    """One level of indentation in this file: by how much bodies are indented, else lines."""
    steps = Counter(step for item in code.definitions[:_ASKED] if (step := _step(source.text, item)))
    if steps:
        return steps.most_common(1)[0][0]
    rows = range(min(source.table.count, _ROWS))
    return unit_of([source.table.text(row) for row in rows]) or code.language.unit


def _step(text: str, item: Definition) -> str | None:
    """By how much the first line of a body is indented more than the line it starts in."""
    if item.body is None:
        return None
    start = item.body.start + (text[item.body.start] in "{(")
    inner = text[start : item.body.end]
    first = start + len(inner) - len(inner.lstrip())
    margin, deeper = margin_at(text, item.proper.start), margin_at(text, first)
    is_step = is_first(text, first) and deeper.startswith(margin) and len(deeper) > len(margin)
    return deeper[len(margin) :] if is_step else None


def margin_at(text: str, offset: int) -> str:
    """The indentation of the line an offset stands in."""
    found = _INDENT.match(text, line_start(text, offset))
    return found.group() if found else ""


def is_first(text: str, offset: int) -> bool:
    """Whether nothing but blanks stands before an offset on its line."""
    return not text[line_start(text, offset) : offset].strip(" \t\f")


def body_of(source: Source, code: Code, item: Definition) -> Body | None:
    """The body of a definition, or None where it has none."""
    text, margin = source.text, margin_at(source.text, item.proper.start)
    deeper = margin + unit_in(source, code)
    if item.body is None:
        return _empty_end(text, code.language, item, deeper, margin)
    written = item.body.of(text)
    if written[:1] + written[-1:] in ("{}", "()") and (written[0] == "{" or code.language.name == "bash"):
        return _between(text, code, item.body, deeper)
    if code.language.layout in ("suite", "end") and not _is_endless(text, code.language, item):
        is_open = is_first(text, item.body.start)
        indent = _indent_in(text, code, item.body, deeper) if is_open else deeper
        return Body(
            "suite" if code.language.layout == "suite" else "end", item.body, item.body, is_open, indent, margin
        )
    indent = margin_at(text, item.body.start) if is_first(text, item.body.start) else margin
    return Body("expression", item.body, item.body, False, indent, margin)


def _is_endless(text: str, language: Language, item: Definition) -> bool:
    return language.layout == "end" and not item.proper.of(text).endswith("end")


def _empty_end(text: str, language: Language, item: Definition, deeper: str, margin: str) -> Body | None:
    """The place inside a definition that has nothing but its head and the word `end`."""
    found = _EMPTY_END.search(item.proper.of(text)) if language.layout == "end" else None
    if found is None:
        return None
    start = item.proper.start + found.start()
    return Body("end", Span(start, start), Span(start, item.proper.end - len("end")), False, deeper, margin)


def _between(text: str, code: Code, body: Span, deeper: str) -> Body:
    """What stands between brackets; a comment behind the opening one belongs to it."""
    room = Span(_after_note(text, code, body.start + 1), body.end - 1)
    inner = room.of(text)
    start = room.start + len(inner) - len(inner.lstrip())
    end = max(start, room.start + len(inner.rstrip()))
    margin = margin_at(text, body.end - 1)
    if start >= room.end:
        return Body("braces", Span(room.start, room.start), room, False, deeper, margin_at(text, body.start))
    above, below = text[room.start : start], text[end : room.end]
    is_open = _ENDING.search(above) is not None and _ENDING.search(below) is not None
    indent = _indent_in(text, code, Span(start, end), deeper) if is_open else deeper
    return Body("braces", Span(start, end), room, is_open, indent, margin)


def _indent_in(text: str, code: Code, inside: Span, deeper: str) -> str:
    """What the lines inside a body are indented by: as the first that is neither a comment nor a directive."""
    at = inside.start
    note = bisect_left(code.comments, Span(at, 0))
    while at < inside.end:
        if note < len(code.comments) and code.comments[note].start == at:
            at, note = code.comments[note].end, note + 1
        elif (found := _DIRECTIVE.match(text, at, inside.end)) is not None and is_first(text, at):
            at = found.end()
        elif not text[at].isspace():
            return margin_at(text, at)
        else:
            at += 1
    return max(margin_at(text, inside.start), deeper, key=len)


def _after_note(text: str, code: Code, start: int) -> int:
    at = bisect_left(code.comments, Span(start, 0))
    if at < len(code.comments):
        note = code.comments[at]
        end = note.start + len(note.of(text).rstrip())
        alone = not text[start : note.start].strip(" \t")
        if alone and not _ENDING.search(text, start, end) and text[end : end + 1] in ("\r", "\n"):
            return end
    return start
