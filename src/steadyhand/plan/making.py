"""From a window of the file to what is written there: spans and their new text, or the lines that have drifted.

Nothing is decided here that `plan/rebuild.py` does not decide; rows become spans, and the place is measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import dataclass, replace
from steadyhand.match.measure import similarity
from steadyhand.match.needle import Needle, Signs
from steadyhand.plan.seams import Drift, drift_of
from steadyhand.plan.window import Window
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import body, split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

__all__ = ["Drifted", "Made", "make"]


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
    from steadyhand.match.measure import differences
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
    """A span without the byte order mark that stands before the first line of a text: it is no part of the line."""
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
