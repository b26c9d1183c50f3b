"""A text while it is being edited: the original, and what the edits of one call have written so far.

Nothing here decides what an edit means. The text in between is put together only when somebody has to read it.

Invariants:

1. Writes are sorted by their place in the original and disjoint; insertions at one place stand in text order.
2. `_ends[i]` is where write i ends in the original.
3. A needle that is indexed and not stirred stands only where it stood in the original and no write has touched it.
4. A place is handed out only if it touches nothing an earlier edit wrote and straddles no place where one deleted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from steadyhand.match.index import NeedleIndex
from steadyhand.match.tier import Tier, tiers
from steadyhand.structure.target import Refusal, Target
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_MANY_NEEDLES = 16
_LONG_TEXT = 50_000


@dataclass(frozen=True, slots=True)
class Write:
    """What one edit puts in place of a span of the original."""

    span: Span
    new: str
    edit: int

    @property
    def delta(self) -> int:
        return len(self.new) - self.span.length


@dataclass(frozen=True, slots=True)
class Slot:
    """A free place: its span in the original, and which write comes after it."""

    span: Span
    index: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A place that an earlier edit of the call has written to."""

    edit: int


class Draft:
    """The text every edit of the call sees as it was: a `snapshot` batch."""

    def __init__(self, source: Source, needles: Sequence[str] = ()) -> None:
        self.original = source
        self.writes: list[Write] = []
        self._ends: list[int] = []
        self._stirred: set[str] = set()
        self._uniform: str | None = None
        self._index = self._build_index(needles)

    @property
    def source(self) -> Source:
        """The text the next edit sees."""
        return self.original

    def find(self, tier: Tier, needle: str, *, apart: bool) -> Iterator[Span]:
        """What a tier finds in the text the next edit sees."""
        index = self._index
        literal = tier.literal(self._uniform, needle) if index is not None else None
        if literal == "":
            return iter(())
        if index is None or literal is None or not index.holds(literal) or self._is_stirred(literal):
            return tier.find(self.source, needle, apart=apart)
        places = self._spans(index.places(literal), len(literal))
        return _apart(places) if apart else places

    def locate(self, target: Target) -> Match | Refusal:
        """Where a target is in the text the next edit sees."""
        return target.locate(self.source)

    def slot(self, span: Span) -> Slot | Taken:
        """The place of a span of the text the next edit sees."""
        index = bisect_right(self._ends, span.start)
        if index < len(self.writes) and reaches(span, self.writes[index].span.start):
            return Taken(self.writes[index].edit)
        return Slot(span, index)

    def insertion_slot(self, span: Span, *, at_end: bool) -> Slot | Taken:
        """The place of an insertion at one end of a span that an edit refers to."""
        offset = span.end if at_end else span.start
        return self.slot(Span(offset, offset))

    def write(self, places: Sequence[tuple[Slot, str]], edit: int) -> None:
        """Put texts into free slots, all of which were taken before any is written."""
        added = [(slot.index, Write(slot.span, new, edit)) for slot, new in places]
        if len(added) == 1:
            ((index, write),) = added
            self.writes.insert(index, write)
            self._ends.insert(index, write.span.end)
        else:
            self.writes = list(_merged(self.writes, sorted(added, key=lambda pair: pair[1].span)))
            self._ends = [write.span.end for write in self.writes]
        self._settle(added)

    def _settle(self, added: Sequence[tuple[int, Write]]) -> None:
        """Take note of writes that were put at these indices."""

    def newline_at(self, offset: int) -> str:
        """The line ending of the neighbourhood, in the text the next edit sees."""
        return self.original.newline_at(offset)

    def read(self, start: int, end: int) -> str:
        """A part of the text the next edit sees."""
        return self.source.text[max(start, 0) : end]

    @property
    def length(self) -> int:
        return len(self.original.text)

    def to_original(self, offset: int) -> int:
        """Where an offset of the text the next edit sees stood in the original."""
        return offset

    def _is_stirred(self, needle: str) -> bool:
        """Whether earlier writes may have made places of an indexed needle at their edges."""
        return needle in self._stirred

    def _spans(self, starts: Iterable[int], size: int) -> Iterator[Span]:
        return (Span(start, start + size) for start in starts)

    def _build_index(self, needles: Sequence[str]) -> NeedleIndex | None:
        """One pass for all needles, where that costs less than a pass for each."""
        if len(needles) < _MANY_NEEDLES or len(self.original.text) < _LONG_TEXT:
            return None
        has_cr = "\r" in self.original.text
        self._uniform = self.original.newlines.uniform if has_cr else "\n"
        literals = {tier.literal(self._uniform, needle) for tier in tiers() for needle in needles}
        return NeedleIndex(self.original.text, [literal for literal in literals if literal])


def reaches(span: Span, start: int) -> bool:
    """Whether a span goes beyond `start`; a position does only if it lies behind it."""
    return span.start > start if span.is_empty else span.end > start


def _merged(writes: list[Write], added: Iterable[tuple[int, Write]]) -> Iterator[Write]:
    """The writes with others put in front of the given indices."""
    position = 0
    for index, write in added:
        yield from writes[position:index]
        yield write
        position = index
    yield from writes[position:]


def _apart(places: Iterable[Span]) -> Iterator[Span]:
    position = 0
    for place in places:
        if place.start >= position:
            yield place
            position = place.end
