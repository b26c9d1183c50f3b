"""A unified diff for people: coloured by line, and by word where a line was rewritten.

Takes the text of a diff, so that what a person sees is what a program would get.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.terminal import LONGEST_LINE, Line, Piece, counted, more_characters
from steadyhand.text.span import Span

_RANGE = lazy_pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
Spans = tuple[Span, ...]
_LEAD = 40  # characters kept before the first change of a line that is cut


def diff_lines(diff: str, *, width: int | None = None, limit: int | None = None) -> list[Line]:
    """The diff as lines, very long ones cut around their first change, on a terminal sooner; `limit` caps the count."""
    rows = diff.split("\n")
    if rows and rows[-1] == "":
        rows.pop()
    lines = _Reader(_without_uniform_returns(rows), width).lines()
    shown = list(islice(lines, limit))
    rest = sum(1 for _ in lines)
    return [*shown, (Piece(f"… {counted(rest, 'more line')} of diff", "dim"),)] if rest else shown


class _Row(NamedTuple):
    """A row of a change; `is_note` for the remark that the file ends without a newline."""

    text: str
    is_note: bool = False


class _Reader:
    """Walks the rows once; removed and added rows are held back until both sides of a change are known."""

    def __init__(self, rows: list[str], width: int | None) -> None:
        self._rows = rows
        self._cut = LONGEST_LINE if width is None else min(max(width * 4, 200), LONGEST_LINE)
        self._removed: list[_Row] = []
        self._added: list[_Row] = []

    def lines(self) -> Iterator[Line]:
        before = after = 0
        for row in self._rows:
            if before <= 0 and after <= 0 and not row.startswith("\\"):
                yield from self._flush()
                before, after = _counts(row)
                yield (Piece(row, _header_style(row)),)
                continue
            mark = row[:1]
            before -= mark in ("-", " ", "")
            after -= mark in ("+", " ", "")
            yield from self._take(mark, row)
        yield from self._flush()

    def _take(self, mark: str, row: str) -> Iterator[Line]:
        held = self._added or self._removed
        if mark == "-":
            if self._added:
                yield from self._flush()
            self._removed.append(_Row(row[1:]))
        elif mark == "+":
            self._added.append(_Row(row[1:]))
        elif mark == "\\" and held:
            held.append(_Row(row, is_note=True))
        elif mark == "\\":
            yield (Piece(row, "dim"),)
        else:
            yield from self._flush()
            yield self._row(" ", row[1:], (), "plain")

    def _flush(self) -> Iterator[Line]:
        removed, added = self._removed, self._added
        self._removed, self._added = [], []
        before, after = _word_marks(_content(removed), _content(added))
        yield from self._side("-", removed, iter(before), "removed")
        yield from self._side("+", added, iter(after), "added")

    def _side(self, mark: str, rows: list[_Row], marks: Iterator[Spans], style: str) -> Iterator[Line]:
        for row in rows:
            yield (Piece(row.text, "dim"),) if row.is_note else self._row(mark, row.text, next(marks), style)

    def _row(self, mark: str, text: str, spans: Spans, style: str) -> Line:
        start, end = self._window(text, spans)
        pieces = [Piece(mark, style)]
        if start:
            pieces.append(Piece(f"{counted(start, 'character')} before … ", "dim"))
        position = start
        for span in spans:
            if span.end <= start or span.start >= end:
                continue
            pieces.append(Piece(text[position : span.start], style))
            pieces.append(Piece(text[max(span.start, start) : min(span.end, end)], f"{style}-word"))
            position = min(span.end, end)
        pieces.append(Piece(text[position:end], style))
        if end < len(text):
            pieces.append(Piece(more_characters(len(text) - end), "dim"))
        return tuple(piece for piece in pieces if piece.text)

    def _window(self, text: str, spans: Spans) -> tuple[int, int]:
        if len(text) <= self._cut:
            return 0, len(text)
        start = max(spans[0].start - _LEAD, 0) if spans else 0
        return start, min(start + self._cut, len(text))


def _content(rows: list[_Row]) -> list[str]:
    return [row.text for row in rows if not row.is_note]


def _word_marks(removed: list[str], added: list[str]) -> tuple[list[Spans], list[Spans]]:
    """What to stress on each side; only rows that are opposite each other are compared by words."""
    before: list[Spans] = [() for _ in removed]
    after: list[Spans] = [() for _ in added]
    if not removed or not added:
        return before, after
    from steadyhand.text.words import word_changes

    for index, (old, new) in enumerate(zip(removed, added, strict=False)):
        spans_before, spans_after = word_changes(old, new)
        if not (_is_whole(spans_before, old) and _is_whole(spans_after, new)):
            before[index], after[index] = tuple(spans_before), tuple(spans_after)
    return before, after


def _is_whole(spans: Iterable[Span], text: str) -> bool:
    """Stressing everything stresses nothing."""
    return sum(span.length for span in spans) == len(text)


def _counts(row: str) -> tuple[int, int]:
    """How many rows of each side follow a range line; nothing follows any other header."""
    found = _RANGE.match(row)
    return (int(found[1] or 1), int(found[2] or 1)) if found else (0, 0)


def _header_style(row: str) -> str:
    return "place" if row.startswith("@@") else "heading"


def _without_uniform_returns(rows: list[str]) -> list[str]:
    """A diff of a CRLF file, without the return at the end of every row: where all have it, it says nothing."""
    body = [row for row in rows if row[:1] in ("-", "+", " ") and not row.startswith(("--- ", "+++ "))]
    if not body or not all(row.endswith("\r") for row in body):
        return rows
    return [row.removesuffix("\r") for row in rows]
