"""What is written where old text was not found literally: whole lines rebuilt, only their changes kept.

A place given here was found by some tier; whether the edit can be made there is decided by `rebuild`.
"""

from __future__ import annotations

import re

from steadyhand.match.elision import elided, is_elision
from steadyhand.match.lexis import lexis_of
from steadyhand.match.needle import Signs
from steadyhand.match.pairing import Alignment, Likeness, Pairing, likeness_of
from steadyhand.plan.making import Drifted, Made, make
from steadyhand.plan.window import window_at
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import line_start, split_bodies, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span

# The first line of a definition at the margin, behind a blank line: it belongs to nothing above it.
_NEXT = re.compile(
    r"\n[ \t]*\n(?:@|(?:async |export |pub |public |static )*(?:def|class|function|func|fn|struct|impl)\b)"
)

_LEAD_LOST = 0.99  # how much of the old text stands there where only blanks in front of it are missing

__all__ = ["looks_unindented", "make_at", "make_unindented"]


def make_at(
    source: Source, span: Span, old: str, new: str, *, tier: str, on_drift: str, signs: Signs | None = None
) -> Made | Drifted:
    """The writes that make an edit at a place that a tolerant tier found."""
    window = window_at(source, span, old, _alignment(source, span, old, tier))
    return make(window, new, on_drift=on_drift, signs=signs)


def looks_unindented(old: str, new: str, *, is_lines: bool = False) -> bool:
    """Whether an edit of one line may have lost the line's indentation, so far as its own texts tell.

    Such an edit brings further lines, which would stand further left than the first, or takes the whole line away,
    which would leave the indentation to the next. Of a text that `is_lines` the same holds for several lines that go,
    or that something blank takes the place of.
    """
    if is_lines and _begins_blank(new):
        return True
    if sum(bool(row.strip()) for row in split_bodies(old)) != 1:
        return False
    if not new:
        return old.endswith(("\n", "\r"))
    return len(split_lines(new)) > 1


def make_unindented(source: Source, span: Span, old: str, new: str) -> Made | None:
    """The writes of such an edit on whole lines, at the indentation of the line; None where it is none."""
    text = source.text
    start = line_start(text, span.start)
    lead = text[start : span.start]
    ends_line = old.endswith(("\n", "\r")) or span.end == len(text) or text[span.end] in "\r\n"
    if not lead or lead.strip(" \t") or not ends_line:
        return None
    depth = len(lead) + len(indent_of(split_bodies(old)[0]))
    further = [row for row in split_bodies(new)[1:] if row.strip()]
    if new and not _begins_blank(new) and not any(len(indent_of(row)) < depth for row in further):
        return None  # the further lines stand where they belong already
    if _NEXT.search(new):
        return None  # a definition after a blank line stands at its own margin
    whole = Span(start, span.end)
    if not new and len(split_bodies(old)) > 1 and old.endswith(("\n", "\r")):
        return Made(((whole, ""),), _LEAD_LOST, ("indentation",))
    made = make(window_at(source, whole, old), new)
    return made if isinstance(made, Made) else None


def _begins_blank(new: str) -> bool:
    """Whether nothing comes in the place of a first line, or a blank one: it takes no indentation with it."""
    rows = split_lines(new)
    return not rows or (len(rows) > 1 and not rows[0].strip())


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
