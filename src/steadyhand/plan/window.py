"""The rows of a file that answer to an old text, as an edit is built on them: whole lines, and what is around them.

A window is only looked at. What is written into it is decided by `plan/rebuild.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice

from steadyhand.lazy import dataclass
from steadyhand.match.lexis import Lexis, lexis_of, token_key
from steadyhand.match.pairing import Alignment, Pairing
from steadyhand.text.indent import unit_in
from steadyhand.text.lines import body, line_start, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

__all__ = ["Window", "window_at"]

_BESIDE = 8_000  # code points on either side that are compared with what is to be added
_AROUND = 100_000  # code points on either side, at least, in which the unit of indentation is looked for


@sized("old", "rows", "above", "below")
@dataclass(frozen=True, slots=True)
class Window:
    """A span of the file that answers to an old text, its rows with their endings, and how they answer.

    `newline` ends a new row that has no neighbour to learn from.
    `is_partial`: the first row starts in the middle of its line, so that its indentation says nothing.
    `above` and `below` are rows of the file around the window, the nearest first.
    """

    source: Source
    span: Span
    old: str
    rows: tuple[str, ...]
    alignment: Alignment
    lexis: Lexis
    newline: str
    is_partial: bool = False
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def unit(self) -> str | None:
        """The level of indentation of the file around the window."""
        return self.source.derive(_Units).near(self.span)

    def starts(self) -> list[int]:
        """Where each row starts in the file, and where the last one ends."""
        return list(accumulate(map(len, self.rows), initial=self.span.start))

    def pairing_of(self, row: int) -> Pairing | None:
        """The pairing that has a row of the old text."""
        return next((one for one in self.alignment if one.old_start <= row < one.old_end), None)

    def has_beside(self, rows: Sequence[str], at: int) -> bool:
        """Whether rows, if they have words, stand right above or right below a position already, blank rows aside."""
        wanted = [key for row in rows if (key := token_key(self.lexis, row))]
        if not any(char.isalnum() for key in wanted for char in key):
            return False
        above, below = [*self.rows[:at][::-1], *self.above], [*self.rows[at:], *self.below]
        return wanted in (self._first_keys(below, len(wanted)), self._first_keys(above, len(wanted))[::-1])

    def _first_keys(self, rows: Sequence[str], count: int) -> list[str]:
        return list(islice((token_key(self.lexis, body(row)) for row in rows if row.strip()), count))


def window_at(source: Source, span: Span, old: str, alignment: Alignment | None = None) -> Window:
    """The window at a span, widened to whole lines; an alignment that is given already is taken as it is."""
    if alignment is not None:
        return _window(source, span, old, alignment)
    known = source.derive(_windows)
    if (span, old) not in known:
        known[span, old] = _window(source, span, old, None)
    return known[span, old]


def _windows(_source: Source) -> dict[tuple[Span, str], Window]:
    """The windows of a source so far: who doubts a place and who builds on it look at the same one."""
    return {}


def _window(source: Source, span: Span, old: str, alignment: Alignment | None) -> Window:
    from steadyhand.match.align import align

    lexis = lexis_of(source.path)
    wide, is_partial = _whole_lines(source.text, span)
    rows = split_lines(wide.of(source.text))
    if alignment is None:
        alignment = align(split_bodies(old), [body(row) for row in rows], lexis)
    above, below = _around(source.text, wide)
    newline = source.newline_at(wide.start)
    return Window(source, wide, old, tuple(rows), alignment, lexis, newline, is_partial, above, below)


def _around(text: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rows before and behind a span, the nearest first; the first of a stretch may be cut."""
    above = split_bodies(text[max(0, span.start - _BESIDE) : span.start])[::-1]
    return tuple(above), tuple(split_bodies(text[span.end : span.end + _BESIDE]))


def _whole_lines(text: str, span: Span) -> tuple[Span, bool]:
    """The span with the blanks before it and the ending behind it, and whether it starts inside a line."""
    before = line_start(text, span.start)
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


class _Units:
    """The units of indentation in a text, found once for all places of one stretch of it."""

    def __init__(self, source: Source) -> None:
        self._text = source.text
        self._known: dict[int, str | None] = {}

    def near(self, span: Span) -> str | None:
        stretch = span.start // _AROUND
        if stretch not in self._known:
            near = self._text[max(0, stretch - 1) * _AROUND : (stretch + 2) * _AROUND]
            self._known[stretch] = unit_in(near)
        return self._known[stretch]
