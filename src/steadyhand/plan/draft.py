"""A text while it is being edited: the original, and what the edits of one call have written so far.

Nothing here decides what an edit means. The text in between is put together only when somebody has to read it.

Invariants:

1. Writes are sorted by their place in the original and disjoint; insertions at one place stand in text order.
2. `_ends[i]` is where write i ends in the original.
3. An indexed needle stands where it stood in the original and no write has touched it, and, of all other places, only
   at the edges and in the texts of the writes that `_stirred` has for it.
4. A place is handed out only if it touches nothing an earlier edit wrote and straddles no place where one deleted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.needle import Needle
from steadyhand.match.tier import Tier, tiers
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Target
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.match.index import NeedleIndex

_LONE = lazy_pattern(r"[^\r]\n|\r[^\n]")  # at the edges of a needle, half of CR LF may be meant
_MANY_NEEDLES = 16
_LONG_TEXT = 50_000
_FEW_UNKNOWN = 8
_READ_COST = 2_000  # how many characters are searched in the time it takes to read at one write


@sized("new")
class Write(NamedTuple):
    """What one edit puts in place of a span of the original."""

    span: Span
    new: str
    edit: int

    @property
    def delta(self) -> int:
        start, end = self.span
        return len(self.new) - (end - start)


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

    def __init__(self, source: Source, needles: Sequence[str] = (), spares: Sequence[str] = ()) -> None:
        """`needles` are the texts that will be looked for, `spares` those that may be, if many needles are missing."""
        self.original = source
        self.writes: list[Write] = []
        self._ends: list[int] = []
        self._stirred: dict[str, list[Write]] = {}
        self._uniform: str | None = None
        self._indices: list[NeedleIndex] = []
        self._spares = spares
        self._unknown = 0
        self._offered: Source | None = None
        self._has_returns: bool | None = None
        self._awaited = needles if len(needles) >= _MANY_NEEDLES and len(source.text) >= _LONG_TEXT else ()

    @property
    def source(self) -> Source:
        """The text the next edit sees."""
        return self.original

    @property
    def has_returns(self) -> bool:
        """Whether a line of the text may end with a CR: of the original, or written by an edit."""
        if self._has_returns is None:
            self._has_returns = "\r" in self.original.text
        return self._has_returns

    @property
    def uniform_ending(self) -> str | None:
        """The one ending that all lines of the file have; None where there are none or several."""
        return self.original.newlines.uniform

    def find(self, tier: Tier, needle: Needle, *, apart: bool) -> Iterator[Span]:
        """What a tier finds in the text the next edit sees."""
        if self._awaited:
            self._look_for_many()
        if not self._indices:
            return tier.find(self.source, needle, apart=apart)
        literal = tier.literal(self._uniform, needle.text)
        if literal == "" or (literal is not None and self._is_foreign(literal)):
            return iter(())
        index = None if literal is None else self._index_of(literal)
        if index is None or literal is None or self._is_churned(literal):
            return tier.find(self.source, needle, apart=apart)
        places = self._standing(literal, index.places(literal))
        return kept_apart(places) if apart else places

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

    def write(self, places: Sequence[tuple[Slot, str]], edit: int, after: Source | None = None) -> None:
        """Put texts into free slots, all of which were taken before any is written.

        `after` is what the text would be then, if somebody has it; it is believed only where it is.
        """
        if len(places) == 1:
            ((slot, new),) = places
            if "\r" in new:
                self._has_returns = True
            added = [(slot.index, Write(slot.span, new, edit))]
            self.writes.insert(slot.index, added[0][1])
            self._ends.insert(slot.index, slot.span.end)
        else:
            added = [(slot.index, Write(slot.span, new, edit)) for slot, new in places]
            if any("\r" in new for _, new in places):
                self._has_returns = True
            self.writes = list(_merged(self.writes, sorted(added, key=lambda pair: pair[1].span)))
            self._ends = [write.span.end for write in self.writes]
        self._settle(added)
        self._offered = after

    def known(self, text: str) -> Source | None:
        """The text after the last write with what has been read of it, if it is this one."""
        found = self._offered
        is_it = found is not None and found.path == self.original.path and found.text == text
        return found if is_it else None

    def _settle(self, added: Sequence[tuple[int, Write]]) -> None:
        """Take note of writes that were put at these indices."""

    def newline_at(self, offset: int) -> str:
        """The line ending of the neighbourhood, in the text the next edit sees."""
        return self.original.newline_at(offset)

    def read(self, start: int, end: int) -> str:
        """A part of the text the next edit sees."""
        return self.source.text[max(start, 0) : end]

    def character_before(self, offset: int) -> str:
        """What text put in at an offset comes to stand behind, edits of the call at that place included."""
        index = bisect_right(self._ends, offset)
        while index and self._ends[index - 1] == offset:
            index -= 1
            if self.writes[index].new:
                return self.writes[index].new[-1]
            offset = self.writes[index].span.start
        return self.read(offset - 1, offset)

    @property
    def length(self) -> int:
        return len(self.original.text)

    def to_original(self, offset: int) -> int:
        """Where an offset of the text the next edit sees stood in the original."""
        return offset

    def from_original(self, offset: int) -> int | None:
        """Where an offset of the original stands in the text the next edit sees; None where it was written over."""
        return offset

    def _is_churned(self, needle: str) -> bool:
        """Whether so many writes have made places of an indexed needle that searching costs less than asking them."""
        return len(self._stirred.get(needle, ())) * _READ_COST > self.length

    def _standing(self, needle: str, starts: Sequence[int]) -> Iterator[Span]:
        """Where an indexed needle stands that stood at these places of the original."""
        return (Span(start, start + len(needle)) for start in starts)

    def _index_of(self, literal: str) -> NeedleIndex | None:
        """The index that holds a literal; the spares get theirs once it is clear that they are looked for."""
        found = next((index for index in self._indices if index.holds(literal)), None)
        if found is None and self._spares:
            self._unknown += 1
            if self._unknown > _FEW_UNKNOWN:
                index, self._spares = self._index(self._spares), ()
                self._indices.append(index)
                self._catch_up(index)
                return index if index.holds(literal) else None
        return found

    def _look_for_many(self) -> None:
        """Make the index of the needles, once one of them is really looked for."""
        needles, self._awaited = self._awaited, ()
        source = self.original
        self._uniform = source.newlines.uniform if "\r" in source.text else "\n"
        index = self._index(needles)
        self._indices.append(index)
        self._catch_up(index)

    def _catch_up(self, index: NeedleIndex) -> None:
        """Take note of the writes so far, for an index that comes late."""

    def _index(self, needles: Sequence[str]) -> NeedleIndex:
        """One pass for all needles instead of a pass for each."""
        from steadyhand.match.index import NeedleIndex  # few calls have so many

        literals = {tier.literal(self._uniform, needle) for tier in tiers() for needle in needles}
        wanted = [literal for literal in literals if literal and not self._is_foreign(literal)]
        return NeedleIndex(self.original.text, wanted)

    def _is_foreign(self, literal: str) -> bool:
        """Whether a literal has line endings that the text has nowhere."""
        match self._uniform:
            case None:
                return False
            case "\r\n":
                return _LONE.search(literal) is not None
            case ending:
                return ("\r" if ending == "\n" else "\n") in literal


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
