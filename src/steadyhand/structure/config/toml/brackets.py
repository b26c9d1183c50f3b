"""Arrays and inline tables: where something goes in, and what must go when something is taken out.

Each layout stays: on one line, an item a line, with or without a comma behind the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.config.lines import comments_above, line_above, line_end, merged, parted
from steadyhand.structure.config.toml.parts import Value
from steadyhand.structure.config.toml.scan import BETWEEN, LINE_END
from steadyhand.text.indent import indent_at, indent_of
from steadyhand.text.lines import line_start
from steadyhand.text.span import Span

Writes = list[tuple[Span, str]]


def put_in(text: str, value: Value, index: int, new: Sequence[str], padding: str = "") -> Writes:
    """Put texts in front of item number `index`, or behind the last."""
    inner = value.inner
    if not inner:
        return _put_in_empty(text, value, new, padding)
    if index < len(inner):
        return [_put_before(text, value, index, new)]
    return _put_behind(text, value, new)


def _put_in_empty(text: str, value: Value, new: Sequence[str], padding: str) -> Writes:
    inside = Span(value.span.start + 1, value.span.end - 1)
    has_comments = bool(inside.of(text).strip())
    if has_comments and begins_line(text, inside.end):
        at = line_start(text, inside.end)
        indent = indent_of(text[line_above(text, at) : at])
        return [(Span(at, at), "".join(f"{indent}{one},\n" for one in new))]
    pad = padding if value.form == "inline" else ""
    place = Span(inside.start, inside.start) if has_comments else inside
    return [(place, f"{pad}{', '.join(new)}{pad}")]


def _put_before(text: str, value: Value, index: int, new: Sequence[str]) -> tuple[Span, str]:
    item = value.inner[index]
    if not begins_line(text, item.start):
        at = item.start
        return Span(at, at), "".join(f"{one}{_comma(text, value)}" for one in new)
    low = line_end(text, value.inner[index - 1].end) if index else value.span.start
    at = comments_above(text, line_start(text, item.start), low)
    return Span(at, at), "".join(f"{indent_at(text, item.start)}{one},\n" for one in new)


def _put_behind(text: str, value: Value, new: Sequence[str]) -> Writes:
    last = value.inner[-1]
    comma = comma_behind(text, last.end) if value.has_comma else None
    if not begins_line(text, last.start):
        if comma is not None:
            return [(Span(comma + 1, comma + 1), "".join(f" {one}," for one in new))]
        return [(Span(last.end, last.end), "".join(f"{_comma(text, value)}{one}" for one in new))]
    indent = indent_at(text, last.start)
    if comma is not None:
        if LINE_END.match(text, comma + 1) is None:
            return [(Span(comma + 1, comma + 1), "".join(f"\n{indent}{one}," for one in new))]
        at = line_end(text, comma)
        return [(Span(at, at), "".join(f"{indent}{one},\n" for one in new))]
    lines = f",\n{indent}".join(new)
    if LINE_END.match(text, last.end) is None:
        return [(Span(last.end, last.end), f",\n{indent}{lines}")]
    at = line_end(text, last.end)
    return [(Span(last.end, last.end), ","), (Span(at, at), f"{indent}{lines}\n")]


def take_out(text: str, value: Value, start: int, end: int) -> list[Span]:
    """What goes when the items from `start` up to `end` go, cut where earlier edits of the same call may have been."""
    inner = value.inner
    seams = [edge for item in inner[start:end][:1] + inner[start:end][-1:] for edge in item]
    inside = Span(value.span.start + 1, value.span.end - 1)
    if seams and start == 0 and end == len(inner) and "#" not in _without(text, inside, inner):
        return parted([inside], [*seams, line_start(text, seams[0]), line_end(text, seams[-1])])
    spans = [span for at in range(start, end) for span in _spans_of(text, value, inner, at)]
    if end == len(inner) and start and not value.has_comma:
        comma = comma_behind(text, inner[start - 1].end)
        spans += [Span(comma, comma + 1)] if comma is not None else []
    return parted(merged(spans), seams)


def _spans_of(text: str, value: Value, inner: tuple[Span, ...], at: int) -> list[Span]:
    """An item with its comma; with its line, where it has one of its own."""
    item = inner[at]
    is_last = at == len(inner) - 1
    comma = comma_behind(text, item.end) if not is_last or value.has_comma else None
    end = item.end if comma is None else comma + 1
    if begins_line(text, item.start) and LINE_END.match(text, end) and "#" not in text[item.end : end]:
        low = line_end(text, inner[at - 1].end) if at else value.span.start
        start = comments_above(text, line_start(text, item.start), max(low, line_end(text, value.span.start)))
        return [Span(start, line_end(text, end))]
    if not is_last:
        gap = text[end : inner[at + 1].start]
        return [Span(item.start, inner[at + 1].start if "\n" not in gap and "#" not in text[item.end : end] else end)]
    gap = text[inner[at - 1].end : item.start] if at else "\n"
    return [Span(item.start, end) if "\n" in gap else Span(inner[at - 1].end, item.end)]


def comma_behind(text: str, end: int) -> int | None:
    """Where the comma behind an item stands, if there is one."""
    found = BETWEEN.match(text, end)
    at = found.end() if found else end
    return at if text.startswith(",", at) else None


def begins_line(text: str, at: int) -> bool:
    """Whether nothing but blanks stands before it on its line."""
    return not text[line_start(text, at) : at].strip(" \t")


def _comma(text: str, value: Value) -> str:
    """A comma as this container has them."""
    inner = value.inner
    return "," if len(inner) > 1 and text[inner[0].end : inner[1].start] == "," else ", "


def _without(text: str, inside: Span, inner: Sequence[Span]) -> str:
    """What stands between the items."""
    ends = [inside.start, *(item.end for item in inner)]
    starts = [*(item.start for item in inner), inside.end]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
