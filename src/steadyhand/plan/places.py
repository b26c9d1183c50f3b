"""Places of a text as a refusal tells them: 1-based lines and columns, and a line or a part of one to know them by.

Only words and facts are made here; nothing is searched and nothing is decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["WIDTH", "describe_places", "lines_phrase", "list_places", "occurrences_of", "shorten"]

WIDTH = 80
_LISTED = 8
_AHEAD = 24  # code points of a long line that are shown before the place


def list_places(source: Source, spans: Sequence[Span], total: int | None) -> list[str]:
    """One line for each of the first places; `total` is None where nobody knows how many there are."""
    rows = Counter(source.table.row_at(span.start) for span in spans)
    shown = [f"  {_shown(source, span, rows)}" for span in spans[:_LISTED]]
    if total is None:
        return [*shown, "  … and more"]
    more = total - len(shown)
    return [*shown, f"  … and {more} more"] if more > 0 else shown


def describe_places(source: Source, spans: Sequence[Span]) -> list[dict[str, object]]:
    """Lines, column and text of each place, for programs."""
    return [_facts(source, span) for span in spans]


def occurrences_of(spans: Sequence[Span]) -> Iterator[int | None]:
    """The number by which each place can be asked for: left to right without overlap, None for one in between."""
    count = end = 0
    for span in spans:
        if span.start >= end:
            count, end = count + 1, span.end
            yield count
        else:
            yield None


def lines_phrase(first: int, last: int) -> str:
    """One line or a range of lines, both 1-based and included."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _shown(source: Source, span: Span, rows: Counter[int]) -> str:
    """The line of a place; its column and neighbourhood where the line is long or holds several."""
    row, column = _position(source, span)
    text = source.table.text(row)
    if rows[row] == 1 and len(text.strip()) <= WIDTH:
        return f"line {row + 1}: {shorten(text)}"
    return f"line {row + 1}, column {column + 1}: {_around(text, column)}"


def _facts(source: Source, span: Span) -> dict[str, object]:
    first, last = source.table.rows_of(span)
    row, column = _position(source, span)
    text = source.table.text(row)
    shown = shorten(text) if len(text.strip()) <= WIDTH else _around(text, column)
    return {"lines": [first + 1, last + 1], "column": column + 1, "text": shown}


def _position(source: Source, span: Span) -> tuple[int, int]:
    row = source.table.row_at(span.start)
    return row, span.start - source.table.start(row)


def _around(text: str, column: int) -> str:
    """A window of a line that has the place in it."""
    start = max(0, min(column - _AHEAD, len(text) - WIDTH))
    window = text[start : start + WIDTH]
    return f"{'…' if start else ''}{window.strip()}{'…' if start + WIDTH < len(text) else ''}"


def shorten(text: str) -> str:
    """A line without the blanks around it, cut where it is long."""
    stripped = text.strip()
    return stripped if len(stripped) <= WIDTH else f"{stripped[: WIDTH - 1]}…"
