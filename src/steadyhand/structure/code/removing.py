"""Taking a definition away: its lines, the blank lines that parted it from its neighbours, the comma behind it."""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.bodies import is_first
from steadyhand.structure.code.definition import Code, Definition
from steadyhand.structure.code.placing import line_end, parting_before, parting_behind
from steadyhand.text.lines import body
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_COMMA = lazy_pattern(r"[ \t]*,")
_BLANKS = lazy_pattern(r"[ \t]*")


def removed(source: Source, code: Code, item: Definition, span: Span) -> tuple[Span, ...]:
    """All that goes with a definition, of which `span` is what it is written as.

    Blank lines are a span of their own: two neighbours that both go agree about the ones between them.
    """
    comma = _COMMA.match(source.text, span.end) if item.is_listed else None
    end = comma.end() if comma else parting_behind(code, source.text, span.end).end
    last = line_end(source, code, end)
    if last is None or not is_first(source.text, span.start):
        blanks = _BLANKS.match(source.text, end)
        return (Span(span.start, blanks.end() if blanks and last is None else end),)
    rows, blank = _with_blank_rows(source, Span(span.start, last))
    is_last = end == span.end and not source.text[last:].strip()
    parting = parting_before(code, source.text, span.start) if is_last else None
    # behind the last statement there is nothing to be parted from
    return tuple(sorted(part for part in (rows, blank, parting) if part is not None and not part.is_empty))


def _with_blank_rows(source: Source, span: Span) -> tuple[Span, Span]:
    """Whole rows, and so many blank ones that the larger of the two gaps is left; none at the edge of a scope."""
    table = source.table
    first, last = table.rows_of(span)
    above, below = _blank_rows(source, first - 1, -1), _blank_rows(source, last + 1, 1)
    if last + below + 1 >= table.count:
        end = table.start(last + 1) if below else len(source.text)
        is_open = source.text[end - 1] not in "\r\n"  # the file ends without a line ending, and shall do so
        start = len(body(source.text[: table.start(first - above)])) if is_open else table.start(first - above)
        return Span(table.start(first), end), Span(start, table.start(first))
    width, start, end = _width(source, first), table.start(first), table.start(last + 1)
    if first == above or _width(source, first - above - 1) < width:  # behind the head of its scope
        return Span(start, end), Span(end, table.start(last + 1 + below))
    if _width(source, last + below + 1) < width:  # before the end of its scope
        return Span(start, end), Span(table.start(first - above), start)
    return Span(start, end), Span(end, table.start(last + 1 + min(above, below)))


def _blank_rows(source: Source, row: int, step: int) -> int:
    count = 0
    while 0 <= row < source.table.count and not source.table.text(row).strip():
        count, row = count + 1, row + step
    return count


def _width(source: Source, row: int) -> int:
    text = source.table.text(row)
    return len(text) - len(text.lstrip(" \t"))
