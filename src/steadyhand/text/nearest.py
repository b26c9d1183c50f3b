"""The places in a text most like a needle that is not in it, for the answer to a failed edit.

Whole lines are looked for in `text/near_lines.py`, parts of them in `text/near_parts.py`; here the best are kept and
shown. Every step has a budget, so a huge text or needle costs a coarser answer or none, never a long wait.
What is found here is shown, never edited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from steadyhand.lazy import dataclass
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import body, count_lines, line_ending, split_lines
from steadyhand.text.near_lines import find_windows
from steadyhand.text.near_parts import find_parts
from steadyhand.text.resemblance import Measure, Resemblance, text_floor
from steadyhand.text.seeds import find_blank_variants, find_spaced_variants
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import show_difference

__all__ = ["Difference", "Nearest", "find_nearest", "show_difference"]

_MOST_LINES = 1_000_000  # of a text; beyond this no table of lines is built


class Difference(NamedTuple):
    """A pair of lines that differ: the 1-based line of the file, what was expected there, what is there.

    Endings are included only when nothing else differs; a line that is missing on one side is empty.
    """

    line: int
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Nearest:
    """A place that resembles the needle, with 1-based lines and the share of characters the two have in common.

    `is_sure` is false where a character more or less at an edge would resemble the needle as much.
    """

    span: Span
    first_line: int
    last_line: int
    similarity: float
    difference: Difference | None
    is_sure: bool = True


def find_nearest(source: Source, needle: str, *, limit: int = 3) -> tuple[Nearest, ...]:
    """The best places first, none overlapping another; none at all where nothing is similar or the text is too large.

    A needle with a line ending is compared with whole lines, one without with parts of them.

    >>> found = find_nearest(Source.of_text("def area(w, h):\\n    return w * h\\n"), "return width * h")
    >>> found[0].first_line, found[0].difference.actual
    (2, 'return w * h')
    """
    if not source.text or not needle.strip() or limit < 1 or _has_too_many_lines(source.text):
        return ()
    wanted = split_lines(needle)
    floor = text_floor(needle)
    similar = find_windows(source, wanted, floor) if line_ending(wanted[0]) else find_parts(source, needle)
    variants = _blank_variants(source, needle, wanted)
    best = _apart([*(place for place in similar if place.similarity >= floor), *variants])[:limit]
    if not best:
        measure = Measure(wanted)
        spans = find_spaced_variants(source, needle)[:limit]
        best = [Resemblance(1.0, span, measure.alike([span.of(source.text)]), is_sure=False) for span in spans]
    return tuple(_shown(source, needle, wanted, place) for place in best)


def _has_too_many_lines(text: str) -> bool:
    return len(text) > _MOST_LINES and count_lines(text) > _MOST_LINES


def _blank_variants(source: Source, needle: str, wanted: Sequence[str]) -> list[Resemblance]:
    """Places that differ from the needle in nothing but blanks; no place is nearer."""
    spans = find_blank_variants(source, needle)
    measure = Measure(wanted)
    scores = [measure.alike(split_lines(span.of(source.text))) for span in spans]
    return [
        Resemblance(1 + score, span, score, _has_same_edges(source.text, span, needle))
        for span, score in zip(spans, scores, strict=True)
    ]


def _has_same_edges(text: str, span: Span, needle: str) -> bool:
    """Whether blanks at the needle's edges have an answer in the text: blanks, or the edge of a line."""
    before, after = text[max(span.start - 1, 0) : span.start] or "\n", text[span.end : span.end + 1] or "\n"
    starts_well = not needle[0].isspace() or text[span.start].isspace() or before in "\r\n"
    return starts_well and (not needle[-1].isspace() or text[span.end - 1].isspace() or after in "\r\n")


def _apart(found: Iterable[Resemblance]) -> list[Resemblance]:
    """Best first, without those that overlap a better one."""
    best: list[Resemblance] = []
    for place in sorted(found, key=lambda place: (-place.rank, place.span)):
        if not any(place.span.overlaps(other.span) for other in best):
            best.append(place)
    return best


def _shown(source: Source, needle: str, wanted: Sequence[str], place: Resemblance) -> Nearest:
    """The place with its lines, and the first of them that differs."""
    first, last = source.lines_of(place.span)
    actual = place.span.of(source.text)
    lines = split_lines(actual)
    if line_ending(wanted[0]) or len(lines) == 1:
        difference = _first_difference(wanted, lines, first)
    else:
        difference = Difference(first, needle, actual)
    return Nearest(place.span, first, last, place.similarity, difference, place.is_sure)


def _first_difference(wanted: Sequence[str], lines: Sequence[str], line: int) -> Difference | None:
    """The first pair of lines that differ in more than blanks, which are seldom why a text is not found; else any."""
    pairs = [
        Difference(line + change.after_start + at, expected, actual)
        for change in diff_rows(wanted, lines)
        for at, (expected, actual) in enumerate(
            zip_longest(
                wanted[change.before_start : change.before_end],
                lines[change.after_start : change.after_end],
                fillvalue="",
            )
        )
    ]
    both = (pair for pair in pairs if pair.expected and pair.actual)  # a line without a counterpart shows less
    found = next((pair for pair in both if pair.expected.split() != pair.actual.split()), pairs[0] if pairs else None)
    if found is None or body(found.expected) == body(found.actual):
        return found
    return Difference(found.line, body(found.expected), body(found.actual))
