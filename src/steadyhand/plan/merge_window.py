"""The rows of a file that an old text was found at with differences, and what an edit writes there.

A `Window` is whole lines of the file with their alignment to the old text, and is only looked at. `make` turns what
`plan/rebuild.py` decides about its rows into spans with new text, or into the lines that have drifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice

from steadyhand.lazy import dataclass, replace
from steadyhand.match.align import Alignment, Likeness, Pairing, align, differences, likeness_of, similarity
from steadyhand.match.elision import elided, is_elision
from steadyhand.match.lexer import Lexer, lexer_of, token_key
from steadyhand.match.tier import Needle, Signs
from steadyhand.plan.sections import Drift, drift_of
from steadyhand.text.encoding import MARK
from steadyhand.text.indent import unit_in
from steadyhand.text.lines import body, line_start, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

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
    lexer: Lexer
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
        """Whether rows, if they have words, are right above or right below a position already, blank rows aside."""
        wanted = [key for row in rows if (key := token_key(self.lexer, row))]
        if not any(char.isalnum() for key in wanted for char in key):
            return False
        above, below = [*self.rows[:at][::-1], *self.above], [*self.rows[at:], *self.below]
        return wanted in (self._first_keys(below, len(wanted)), self._first_keys(above, len(wanted))[::-1])

    def _first_keys(self, rows: Sequence[str], count: int) -> list[str]:
        return list(islice((token_key(self.lexer, body(row)) for row in rows if row.strip()), count))


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

    lexer = lexer_of(source.path)
    wide, is_partial = _whole_lines(source.text, span)
    rows = split_lines(wide.of(source.text))
    if alignment is None:
        alignment = align(split_bodies(old), [body(row) for row in rows], lexer)
    above, below = _around(source.text, wide)
    newline = source.newline_at(wide.start)
    return Window(source, wide, old, tuple(rows), alignment, lexer, newline, is_partial, above, below)


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


@sized("writes")
@dataclass(frozen=True, slots=True)
class Made:
    """Spans of the text with what comes in their place, and how the place differs from the old text.

    `sure` says how surely this is what the edit means at its place.
    """

    writes: tuple[tuple[Span, str], ...]
    similarity: float
    differs: tuple[str, ...]
    sure: float = 1.0

    def within(self, text: str, span: Span) -> str:
        """What a span of the text, with all writes inside it, is after them."""
        parts: list[str] = []
        at = span.start
        for place, new in sorted(self.writes):
            parts += [text[at : place.start], new]
            at = place.end
        return "".join([*parts, text[at : span.end]])


@sized("expected", "actual")
@dataclass(frozen=True, slots=True)
class Drifted:
    """Lines that the edit changes and the file has otherwise: their span, what the edit quotes, what the file has.

    `is_clear` is false where both may be the same, and what is in doubt is how the new lines are to be indented.
    """

    span: Span
    expected: str
    actual: str
    is_clear: bool = True


def make(
    window: Window, new: str, *, on_drift: str = "refuse", signs: Signs | None = None, asks_parser: bool = True
) -> Made | Drifted:
    """The edit that puts `new` in the place of the window's old text; `signs` say which of its rows go.

    `asks_parser` is as in `read_in_full`.
    """
    asked = window.span, window.old, window.alignment, new, on_drift, signs, asks_parser
    known = window.source.derive(_Last)
    last = known.made  # read once: another thread may ask for another place
    if last is None or last[0] != asked:
        last = known.made = asked, _make(window, new, on_drift, signs, asks_parser=asks_parser)
    return last[1]


class _Last:
    """What was made last: who doubts a place makes the same edit as who writes it then."""

    def __init__(self, _source: Source) -> None:
        self.made: tuple[tuple[object, ...], Made | Drifted] | None = None


def _make(window: Window, new: str, on_drift: str, signs: Signs | None, *, asks_parser: bool) -> Made | Drifted:
    from steadyhand.plan.first_line import UNSURE, Reading, read_in_full
    from steadyhand.plan.rebuild import rebuild

    reading = read_in_full(window, new, asks_parser=asks_parser) or Reading(window.old, new)
    full = replace(window, old=reading.old)
    drift = None if reading.is_clear else _first_row(window)
    if drift is None and on_drift == "refuse":
        drift = _gone(full, Needle(full.old, reading.new, signs))
    built = rebuild(full, reading.new, on_drift=on_drift, signs=signs) if drift is None else drift
    starts = window.starts()
    if isinstance(built, Drift):
        return _drifted(window, built, starts, is_clear=reading.is_clear)
    writes = tuple((_behind_mark(window, Span(starts[piece.start], starts[piece.end])), piece.text) for piece in built)
    old, rows = split_bodies(window.old), [body(row) for row in window.rows]
    sure = 1.0 if reading.is_sure else UNSURE
    return Made(writes, similarity(old, rows, window.alignment), differences(old, rows, window.alignment), sure)


def _behind_mark(window: Window, span: Span) -> Span:
    """A span without the byte order mark before the first line of a text: it is no part of the line."""
    has_mark = span.start == 0 and bool(window.rows) and window.rows[0].startswith(MARK)
    return Span(1, max(span.end, 1)) if has_mark and not window.old.startswith(MARK) else span


def _gone(window: Window, needle: Needle) -> Drift | None:
    """A blank line that the edit changes or takes away, and that the file has not: the edit is for another text."""
    for row in sorted(needle.changed if needle.changes is not None else ()):
        if needle.rows[row].strip():
            continue
        pairing = window.pairing_of(row)
        if pairing is not None and pairing.start == pairing.end:
            start = max(pairing.start - 1, 0)
            return Drift(row, row + 1, start, min(start + 1, len(window.rows)))
    return None


def _first_row(window: Window) -> Drift:
    """The first row of the old text: what is meant depends on how deep it is."""
    row = next(row for row, text in enumerate(split_bodies(window.old)) if text.strip())
    pairing = window.pairing_of(row)
    assert pairing is not None
    return drift_of(pairing)


def _drifted(window: Window, drift: Drift, starts: Sequence[int], *, is_clear: bool) -> Drifted:
    expected = "\n".join(split_bodies(window.old)[drift.old_start : drift.old_end])
    actual = "".join(window.rows[drift.start : drift.end])
    return Drifted(Span(starts[drift.start], starts[drift.end]), expected, actual, is_clear)


def make_at(
    source: Source,
    span: Span,
    old: str,
    new: str,
    *,
    tier: str,
    on_drift: str,
    signs: Signs | None = None,
    asks_parser: bool = True,
) -> Made | Drifted:
    """The writes that make an edit at a place that a tolerant tier found."""
    window = window_at(source, span, old, _alignment(source, span, old, tier))
    return make(window, new, on_drift=on_drift, signs=signs, asks_parser=asks_parser)


def _alignment(source: Source, span: Span, old: str, tier: str) -> Alignment | None:
    """The pairing of rows that the elision tier has chosen; for other tiers none is known yet."""
    if tier != "elision":
        return None
    wanted, rows, lexer = split_bodies(old), split_bodies(span.of(source.text)), lexer_of(source.path)
    ranges = elided(wanted, rows, lexer)
    if ranges is None:
        return None
    pairings: list[Pairing] = []
    at = 0
    for row, (start, end) in enumerate(ranges):
        start, end = max(start, at), max(end, at)
        if start > at:  # rows that the old text knows nothing of are blank here
            pairings.append(Pairing(row, row, at, start, Likeness.SAME, is_blank=True))
        if is_elision(wanted[row]):
            pairings.append(Pairing(row, row + 1, start, end, Likeness.SAME, is_kept=True))
        elif not wanted[row].strip():
            pairings.append(Pairing(row, row + 1, start, end, Likeness.SAME, is_blank=True))
        else:
            likeness = likeness_of(lexer, wanted[row], rows[start])
            pairings.append(Pairing(row, row + 1, start, end, likeness))
        at = end
    return tuple(pairings)
