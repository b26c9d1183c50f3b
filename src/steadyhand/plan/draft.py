"""A text while it is being edited: the original, and what the edits of one call have written so far.

Nothing here decides what an edit means. The text in between is put together only when somebody has to read it.

Invariants:

1. Writes are sorted by their place in the original and disjoint; insertions at one place stand in text order.
2. `_ends[i]` is where write i ends in the original.
3. An indexed needle stands where it stood in the original and no write has touched it, and, of all other places, only
   at the edges and in the texts of the writes that `_stirred` has for it.
4. A place is handed out only if it touches nothing an earlier edit wrote and straddles no place where one deleted.

The draft of a `sequential` batch is not put together after every edit either. Most questions are answered from the
original and the writes so far; `_moved[i]` says by how much the writes before write i have moved what follows, and has
one entry more than there are writes; `_now_ends[i]` is where write i ends in the running text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import accumulate, product
from typing import TYPE_CHECKING, NamedTuple
from weakref import proxy

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Needle, Tier, tiers
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import RowTarget, Target
from steadyhand.text.lines import NewlineFacts
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.match.needle_index import NeedleIndex
    from steadyhand.plan.running_rows import CountedRows, RunningRows

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

    # What most calls never come to, so that they need not set it. The index belongs to calls with many needles.
    _awaited: Sequence[str] = ()
    _spares: Sequence[str] = ()
    _indices: list[NeedleIndex]
    _stirred: dict[str, list[Write]]
    _is_indexed = False
    _uniform: str | None = None
    _unknown = 0
    _offered: Source | None = None
    _has_returns: bool | None = None

    def __init__(self, source: Source, needles: Sequence[str] = (), spares: Sequence[str] = ()) -> None:
        """`needles` are the texts that will be looked for, `spares` those that may be, if many needles are missing."""
        self.original = source
        self.writes: list[Write] = []
        self._ends: list[int] = []
        if len(needles) >= _MANY_NEEDLES and len(source.text) >= _LONG_TEXT:
            self._awaited, self._spares = needles, spares
            self._indices, self._stirred = [], {}

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
        if not self._is_indexed:
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

    def write(self, replacements: Sequence[tuple[Slot, str, str]], edit: int, after: Source | None = None) -> None:
        """Put texts into free slots, all of which were taken before any is written: (slot, old text, new text).

        `after` is what the text would be then, if somebody has it; it is believed only where it is.
        """
        if len(replacements) == 1:
            ((slot, _, new),) = replacements
            if "\r" in new:
                self._has_returns = True
            added = [(slot.index, Write(slot.span, new, edit))]
            self.writes.insert(slot.index, added[0][1])
            self._ends.insert(slot.index, slot.span.end)
        else:
            added = [(slot.index, Write(slot.span, new, edit)) for slot, _, new in replacements]
            if any("\r" in new for _, _, new in replacements):
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
        self._is_indexed = True
        self._catch_up(index)

    def _catch_up(self, index: NeedleIndex) -> None:
        """Take note of the writes so far, for an index that comes late."""

    def _index(self, needles: Sequence[str]) -> NeedleIndex:
        """One pass for all needles instead of a pass for each."""
        from steadyhand.match.needle_index import NeedleIndex  # few calls have so many

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


_ENDING = lazy_pattern(r"\r\n?|\n")


class RunningDraft(Draft):
    """The text each edit of the call sees as the edits before it left it: a `sequential` batch."""

    _counted: CountedRows | None = None
    _can_count = True

    def __init__(self, source: Source, needles: Sequence[str] = (), spares: Sequence[str] = ()) -> None:
        super().__init__(source, needles, spares)
        self._moved: list[int] = [0]
        self._now_ends: list[int] = []
        self._current: Source | None = source

    @cached_property
    def _rows(self) -> RunningRows:
        from steadyhand.plan.running_rows import RunningRows

        draft = proxy(self)  # draft and rows would hold each other, and the text, until garbage is collected
        return RunningRows(self.original, lambda start, end: draft.read(start, end))  # noqa: PLW0108 - a method holds its object

    @property
    def source(self) -> Source:
        if self._current is None:
            text = "".join(self._pieces())
            self._current = self.known(text) or self._running(text)
        return self._current

    def _running(self, text: str) -> Source:
        from steadyhand.plan.running_rows import RunningSource

        original, writes = self.original, tuple(self.writes)
        return RunningSource(text, original.encoding, original.path, writes=writes, rows=self._rows)

    def locate(self, target: Target) -> Match | Refusal:
        if self._current is not None or not isinstance(target, RowTarget):
            return super().locate(target)
        if self._counted is None and self._can_count:
            from steadyhand.plan.running_rows import CountedRows

            self._can_count = CountedRows.can_count(self)
            self._counted = CountedRows(self) if self._can_count else None
        return target.locate_rows(self._counted or self._rows.of(self.writes))

    def slot(self, span: Span) -> Slot | Taken:
        if not self.writes:
            return Slot(span, 0)
        index = self._index_at(span.start)
        moved = self._moved[index]
        if index < len(self.writes) and reaches(span, self.writes[index].span.start + moved):
            return Taken(self.writes[index].edit)
        return Slot(span.shift(-moved), index)

    def insertion_slot(self, span: Span, *, at_end: bool) -> Slot | Taken:
        slot = self.slot(span)
        if isinstance(slot, Taken):
            return slot
        at = slot.span.end if at_end else slot.span.start
        return Slot(Span(at, at), slot.index)

    def character_before(self, offset: int) -> str:
        return self.read(offset - 1, offset)

    def newline_at(self, offset: int) -> str:
        if self._uniform == "\n":
            return "\n"
        if self._current is not None:
            return self._current.newline_at(offset)
        ahead = self._line_ahead(offset)
        behind = self.read(offset - 1 if ahead.endswith(("\n", "\r")) else 0, offset)
        return Source.of_text(behind + ahead).newline_at(len(behind))

    def _line_ahead(self, offset: int) -> str:
        """From an offset to the end of its line, ending included."""
        size = 256
        while True:
            part = self.read(offset, offset + size)
            found = _ENDING.search(part)
            if found is not None and (found.end() < len(part) or offset + size >= self.length):
                return part[: found.end()]
            if offset + size >= self.length:
                return part
            size *= 4

    def read(self, start: int, end: int) -> str:
        if start < 0:
            start = 0
        if self._current is not None:
            return self._current.text[start:end] if start < end else ""
        end = min(end, self.length)
        pieces: list[str] = []
        text = self.original.text
        index = self._index_at(start)
        position = start
        while position < end:
            at = self.writes[index].span.start + self._moved[index] if index < len(self.writes) else end
            if position < at:
                stop = min(at, end)
                pieces.append(text[position - self._moved[index] : stop - self._moved[index]])
                position = stop
            if index < len(self.writes) and position < end:
                new = self.writes[index].new
                pieces.append(new[position - at : end - at])
                position = max(position, at + len(new))
                index += 1
        return "".join(pieces)

    @property
    def length(self) -> int:
        return len(self.original.text) + self._moved[-1]

    def to_original(self, offset: int) -> int:
        if not self.writes:
            return offset
        index = self._index_at(offset)
        moved = self._moved[index]
        if index < len(self.writes) and self.writes[index].span.start + moved < offset:
            return self.writes[index].span.start
        return offset - moved

    def from_original(self, offset: int) -> int | None:
        index = bisect_right(self._ends, offset)
        if index < len(self.writes) and self.writes[index].span.start < offset:
            return None
        return offset + self._moved[index]

    def _index_at(self, offset: int) -> int:
        """How many writes end at or before an offset of the running text."""
        return bisect_right(self._now_ends, offset)

    def _pieces(self) -> Iterator[str]:
        position = 0
        for write in self.writes:
            yield self.original.text[position : write.span.start]
            yield write.new
            position = write.span.end
        yield self.original.text[position:]

    def moved(self, index: int) -> int:
        """By how much the writes before one have moved what follows."""
        return self._moved[index]

    def _settle(self, added: Sequence[tuple[int, Write]]) -> None:
        self._current = None
        if self._counted is not None:
            self._count(added)
        if len(added) == 1:
            ((index, write),) = added
            (start, end), new, _ = write
            delta, moved = len(new) - (end - start), self._moved[index]
            if index == len(self._now_ends):  # behind all others, as most are
                self._moved.append(moved + delta)
                self._now_ends.append(end + moved + delta)
            else:
                self._moved[index:] = [moved, *[each + delta for each in self._moved[index:]]]
                self._now_ends.insert(index, end + moved)
                self._now_ends[index:] = [each + delta for each in self._now_ends[index:]]
        else:
            self._moved = list(accumulate((write.delta for write in self.writes), initial=0))
            self._now_ends = [end + moved for end, moved in zip(self._ends, self._moved[1:], strict=True)]
        if self._is_indexed:
            for needles, (_, write) in product(self._indices, added):
                self._stir(write, needles)

    def _count(self, added: Sequence[tuple[int, Write]]) -> None:
        """Let the rows that are counted know of a write; after many at once they are counted anew when asked for."""
        counted = self._counted
        if counted is not None and len(added) == 1 and counted.can_count(self, [added[0][1]]):
            counted.add(*added[0])
        else:
            self._counted = None

    def _catch_up(self, index: NeedleIndex) -> None:
        for write in self.writes:
            self._stir(write, index)

    def _stir(self, write: Write, index: NeedleIndex) -> None:
        """Note which needles stand where a write is, and whether it brought another line ending."""
        written = self._written(write)
        for needle in index.touching(self.read, written):
            self._stirred.setdefault(needle, []).append(write)
        if self._uniform is not None and not self._keeps_endings(written):
            self._uniform = None

    def _keeps_endings(self, written: Span) -> bool:
        """Whether what was written has, together with its neighbours, no line ending the text did not have."""
        around = self.read(written.start - 1, written.end + 1)
        if self._uniform == "\n":
            return "\r" not in around
        start = min(written.start, 1)
        end = start + written.length
        facts = NewlineFacts.of(around[:start].strip("\n") + around[start:end] + around[end:].strip("\r"))
        used = {"\n": facts.lf, "\r\n": facts.crlf, "\r": facts.cr}
        return not any(count for ending, count in used.items() if ending != self._uniform)

    def _written(self, write: Write) -> Span:
        """Where the text of a write stands now."""
        at = write.span.start + self._moved[self._rank(write)]
        return Span(at, at + len(write.new))

    def _rank(self, write: Write) -> int:
        """Which write this is; only insertions can share a place."""
        index = bisect_left(self._ends, write.span.end)
        while self.writes[index] is not write:
            index += 1
        return index

    def _standing(self, needle: str, starts: Sequence[int]) -> Iterator[Span]:
        untouched = self._untouched(starts, len(needle))
        writes = self._stirred.get(needle)
        return untouched if writes is None else merge(untouched, self._rewritten(needle, writes))

    def _untouched(self, starts: Iterable[int], size: int) -> Iterator[Span]:
        """Places of the original that no write has touched, where they stand now."""
        for start in starts:
            index = bisect_right(self._ends, start)
            if index == len(self.writes) or self.writes[index].span.start >= start + size:
                moved = self._moved[index]
                yield Span(start + moved, start + moved + size)

    def _rewritten(self, needle: str, writes: Iterable[Write]) -> list[Span]:
        """Places that have something of one of these writes in them, or lie across one that deleted."""
        size = len(needle)
        found: set[int] = set()
        for write in writes:
            written = self._written(write)
            first = max(written.start - size + 1, 0)
            window = self.read(first, written.end + size - 1)
            place = window.find(needle)
            while place >= 0:
                found.add(first + place)
                place = window.find(needle, place + 1)
        return [Span(start, start + size) for start in sorted(found)]
