"""Half-open ranges of code points. Pure arithmetic; knows no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """The range `[start, end)` in code points; empty spans are positions.

    >>> Span(2, 5).overlaps(Span(4, 9)), Span(2, 5).overlaps(Span(5, 9))
    (True, False)
    """

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    @property
    def is_empty(self) -> bool:
        return self.start == self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character, or one is a position strictly inside the other."""
        return self.start < other.end and other.start < self.end

    def touches(self, other: Span) -> bool:
        """Whether the two overlap or are side by side."""
        return self.start <= other.end and other.start <= self.end

    def shift(self, delta: int) -> Span:
        """The span that many code points further on."""
        return Span(self.start + delta, self.end + delta)

    def of(self, text: str) -> str:
        """The characters of `text` this span covers."""
        return text[self.start : self.end]


def joined(places: Iterable[Span]) -> list[Span]:
    """Places in order, those that overlap or are side by side as one.

    >>> joined([Span(4, 6), Span(0, 2), Span(2, 3)])
    [Span(start=0, end=3), Span(start=4, end=6)]
    """
    found: list[Span] = []
    for place in sorted(places):
        if found and place.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, place.end))
        else:
            found.append(place)
    return found


def kept_apart(places: Iterable[Span]) -> Iterator[Span]:
    """Places from left to right, without those that overlap one before."""
    position = 0
    for place in places:
        if place.start >= position:
            yield place
            position = place.end
