"""What is written where old text was not found literally: whole lines rebuilt, only their changes kept.

A place given here was found by some tier; whether the edit can be made there is decided by `rebuild`.
"""

from __future__ import annotations

from steadyhand.match.elision import elided, is_elision
from steadyhand.match.lexis import lexis_of
from steadyhand.match.needle import Signs
from steadyhand.match.pairing import Alignment, Likeness, Pairing, likeness_of
from steadyhand.plan.making import Drifted, Made, make
from steadyhand.plan.window import window_at
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["make_at"]


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
    wanted, rows, lexis = split_bodies(old), split_bodies(span.of(source.text)), lexis_of(source.path)
    ranges = elided(wanted, rows, lexis)
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
            likeness = likeness_of(lexis, wanted[row], rows[start])
            pairings.append(Pairing(row, row + 1, start, end, likeness))
        at = end
    return tuple(pairings)
