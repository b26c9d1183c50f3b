"""From a place that a tolerant tier found to what is written there: spans of the file and their new text.

The place is widened to whole lines, its rows are paired with the old text's, and only pieces that the edit changes come
back. Nothing is decided here that `rebuild` does not decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from steadyhand.match.align import Alignment, align
from steadyhand.match.lexis import lexis_of
from steadyhand.match.measure import differences, similarity
from steadyhand.plan.rebuild import Window, rebuild
from steadyhand.plan.seams import Drift
from steadyhand.text.indent import unit_of
from steadyhand.text.lines import body, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["Drifted", "Made", "Place", "place_of"]

_BESIDE = 8_000  # code points on either side that are compared with what is to be added
_AROUND = 100_000  # code points on either side in which the unit of indentation is looked for


@dataclass(frozen=True, slots=True)
class Made:
    """Spans of the text with what comes in their place, and how the place differs from the old text."""

    writes: tuple[tuple[Span, str], ...]
    similarity: float
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drifted:
    """Lines that the edit changes and the file has otherwise: their span, what the edit quotes, what stands there."""

    span: Span
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its rows, ready to be built on."""

    span: Span
    window: Window
    old: str

    def make(self, new: str, *, on_drift: str = "refuse") -> Made | Drifted:
        """The edit that puts `new` here."""
        built = rebuild(self.window, self.old, new, on_drift=on_drift)
        starts = list(accumulate(map(len, self.window.rows), initial=self.span.start))
        if isinstance(built, Drift):
            return self._drifted(built, starts)
        writes = tuple((Span(starts[piece.start], starts[piece.end]), piece.text) for piece in built.pieces)
        old, rows = split_bodies(self.old), [body(row) for row in self.window.rows]
        alignment = self.window.alignment
        return Made(writes, similarity(old, rows, alignment), differences(old, rows, alignment))

    def _drifted(self, drift: Drift, starts: list[int]) -> Drifted:
        expected = "\n".join(split_bodies(self.old)[drift.old_start : drift.old_end])
        actual = "".join(self.window.rows[drift.start : drift.end])
        return Drifted(Span(starts[drift.start], starts[drift.end]), expected, actual)


def place_of(source: Source, span: Span, old: str, alignment: Alignment | None = None) -> Place:
    """The place at a span; an alignment that is given already is taken as it is."""
    lexis = lexis_of(source.path)
    wide, is_partial = _whole_lines(source.text, span)
    rows = split_lines(wide.of(source.text))
    if alignment is None:
        alignment = align(split_bodies(old), [body(row) for row in rows], lexis)
    above, below = _around(source.text, wide)
    newline, unit = source.newline_at(wide.start), _unit_near(source, wide)
    window = Window(tuple(rows), alignment, lexis, newline, unit, is_partial=is_partial, above=above, below=below)
    return Place(wide, window, old)


def _around(text: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rows before and behind a span, the nearest first; the first of a stretch may be cut."""
    above = split_bodies(text[max(0, span.start - _BESIDE) : span.start])[::-1]
    return tuple(above), tuple(split_bodies(text[span.end : span.end + _BESIDE]))


def _whole_lines(text: str, span: Span) -> tuple[Span, bool]:
    """The span with the blanks before it and the ending behind it, and whether it starts inside a line."""
    before = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    is_partial = bool(text[before : span.start].strip(" \t"))
    start = span.start if is_partial else before
    end = span.end
    while end < len(text) and text[end] in " \t":
        end += 1
    if end < len(text) and text[end] not in "\r\n":
        return Span(start, span.end), is_partial
    if end == span.end and end and text[end - 1] in "\r\n" and text[end - 1 : end + 1] != "\r\n":
        return Span(start, span.end), is_partial  # it has its ending already
    end += 2 if text[end : end + 2] == "\r\n" else 1 if end < len(text) else 0
    return Span(start, end), is_partial


def _unit_near(source: Source, span: Span) -> str | None:
    near = source.text[max(0, span.start - _AROUND) : span.end + _AROUND]
    return unit_of(split_bodies(near))
