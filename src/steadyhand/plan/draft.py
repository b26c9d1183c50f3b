"""A text while it is being edited: the original, and what the edits of one call have written so far.

Nothing here decides what an edit means. The text in between is put together only when somebody has to read it.

Invariants:

1. `splices` are what was written so far, in the original: sorted and disjoint, insertions at one place in text order;
   `owners[i]` is the edit that made splice i.
2. `_ends[i]` is where splice i ends in the original.
3. An indexed needle is where it was in the original and no splice has touched it, and, of all other places, only
   at the edges and in the texts of the splices that `_stirred` has for it.
4. A place is handed out only if it touches nothing an earlier edit wrote and straddles no place where one deleted.

The draft of a `sequential` batch is not put together after every edit either. Most questions are answered from the
original and the splices so far; `_moved[i]` says by how much the splices before splice i have moved what follows, and
has one entry more than there are splices; `_now_ends[i]` is where splice i ends in the running text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import accumulate, product
from typing import TYPE_CHECKING, Literal, TypeVar
from weakref import proxy

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Needle, Tier, tiers
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import RowTarget, Target
from steadyhand.text.lines import NewlineFacts
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span, kept_apart
from steadyhand.text.splice import Splice

if TYPE_CHECKING:
    from steadyhand.plan.many_edits import CountedRows, NeedleIndex, RunningRows

_LONE = lazy_pattern(r"[^\r]\n|\r[^\n]")  # at the edges of a needle, half of CR LF may be meant
_MANY_NEEDLES = 16
_LONG_TEXT = 50_000
_FEW_UNKNOWN = 8
_READ_COST = 2_000  # how many characters are searched in the time it takes to read at one splice


Item = TypeVar("Item")
Side = Literal["start", "end"]
Placed = tuple[int, Splice]
"""A splice of the original that is yet to be made, and which of those made so far comes after it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A place that an earlier edit of the call has written to."""

    edit: int


class Draft:
    """The text every edit of the call sees as it was: a `snapshot` batch."""

    # What most calls never come to, so that they need not set it. The index belongs to calls with many needles.
    _awaited: Sequence[str] = ()
    _further: Sequence[str] = ()
    _indices: list[NeedleIndex]
    _stirred: dict[str, list[Splice]]
    _is_indexed = False
    _uniform: str | None = None
    _unknown = 0
    _offered: Source | None = None
    _has_returns: bool | None = None

    def __init__(self, source: Source, needles: Sequence[str] = (), further: Sequence[str] = ()) -> None:
        """`needles` are the texts that will be looked for, `further` those that may be, if many needles are missing."""
        self.original = source
        self.splices: list[Splice] = []
        self.owners: list[int] = []
        self._ends: list[int] = []
        if len(needles) >= _MANY_NEEDLES and len(source.text) >= _LONG_TEXT:
            self._awaited, self._further = needles, further
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
        # Where so many splices have made places of an indexed needle, searching costs less than asking them.
        if index is None or literal is None or len(self._stirred.get(literal, ())) * _READ_COST > self.length:
            return tier.find(self.source, needle, apart=apart)
        places = self._in_place(literal, index.places(literal))
        return kept_apart(places) if apart else places

    def locate(self, target: Target) -> Match | Refusal:
        """Where a target is in the text the next edit sees."""
        return target.locate(self.source)

    def place(self, span: Span, new: str, insert: Side | None = None) -> Placed | Taken:
        """A splice that puts text in place of a span of the text the next edit sees, or beside it."""
        start, end = span
        if insert is not None:
            start = end = end if insert == "end" else start
        index = bisect_right(self._ends, start)
        if index < len(self.splices) and reaches(Span(start, end), self.splices[index].start):
            return Taken(self.owners[index])
        return index, Splice(start, self.original.text[start:end], new)

    def write(self, placed: Sequence[Placed], edit: int, after: Source | None = None) -> None:
        """Make splices of one edit, all of which were placed before any is made.

        `after` is what the text would be then, if somebody has it; it is believed only where it is.
        """
        if len(placed) == 1:
            ((index, splice),) = placed
            if "\r" in splice.new:
                self._has_returns = True
            self.splices.insert(index, splice)
            self.owners.insert(index, edit)
            self._ends.insert(index, splice.start + len(splice.old))
        else:
            if any("\r" in splice.new for _, splice in placed):
                self._has_returns = True
            owned = list(zip(self.splices, self.owners, strict=True))
            in_order = sorted(placed, key=lambda pair: (pair[1].start, pair[1].end))
            made = list(_merged(owned, [(index, (splice, edit)) for index, splice in in_order]))
            self.splices, self.owners = [splice for splice, _ in made], [owner for _, owner in made]
            self._ends = [splice.end for splice in self.splices]
        self._settle(placed)
        self._offered = after

    def known(self, text: str) -> Source | None:
        """The text after the last splice with what has been read of it, if it is this one."""
        found = self._offered
        is_it = found is not None and found.path == self.original.path and found.text == text
        return found if is_it else None

    def _settle(self, added: Sequence[Placed]) -> None:
        """Take note of splices that were put at these indices."""

    def newline_at(self, offset: int) -> str:
        """The line ending of the neighbourhood, in the text the next edit sees."""
        return self.original.newline_at(offset)

    def read(self, start: int, end: int) -> str:
        """A part of the text the next edit sees."""
        return self.source.text[max(start, 0) : end]

    def character_before(self, offset: int) -> str:
        """What text put in at an offset comes right behind, edits of the call at that place included."""
        index = bisect_right(self._ends, offset)
        while index and self._ends[index - 1] == offset:
            index -= 1
            if self.splices[index].new:
                return self.splices[index].new[-1]
            offset = self.splices[index].start
        return self.read(offset - 1, offset)

    @property
    def length(self) -> int:
        return len(self.original.text)

    def to_original(self, offset: int) -> int:
        """Where an offset of the text the next edit sees was in the original."""
        return offset

    def from_original(self, offset: int) -> int | None:
        """Where an offset of the original is in the text the next edit sees; None where it was written over."""
        return offset

    def _in_place(self, needle: str, starts: Sequence[int]) -> Iterator[Span]:
        """Where an indexed needle is that was at these places of the original."""
        return (Span(start, start + len(needle)) for start in starts)

    def _index_of(self, literal: str) -> NeedleIndex | None:
        """The index that holds a literal; the further needles get theirs once it is clear that they are looked for."""
        found = next((index for index in self._indices if index.holds(literal)), None)
        if found is None and self._further:
            self._unknown += 1
            if self._unknown > _FEW_UNKNOWN:
                index, self._further = self._index(self._further), ()
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
        """Take note of the splices so far, for an index that comes late."""

    def _index(self, needles: Sequence[str]) -> NeedleIndex:
        """One pass for all needles instead of a pass for each."""
        from steadyhand.plan.many_edits import NeedleIndex  # few calls have so many

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


def _merged(items: list[Item], added: Iterable[tuple[int, Item]]) -> Iterator[Item]:
    """The items with others put in front of the given indices."""
    position = 0
    for index, item in added:
        yield from items[position:index]
        yield item
        position = index
    yield from items[position:]


_ENDING = lazy_pattern(r"\r\n?|\n")


class RunningDraft(Draft):
    """The text each edit of the call sees as the edits before it left it: a `sequential` batch."""

    _counted: CountedRows | None = None
    _can_count = True

    def __init__(self, source: Source, needles: Sequence[str] = (), further: Sequence[str] = ()) -> None:
        super().__init__(source, needles, further)
        self._moved: list[int] = [0]
        self._now_ends: list[int] = []
        self._current: Source | None = source

    @cached_property
    def _rows(self) -> RunningRows:
        from steadyhand.plan.many_edits import RunningRows

        draft = proxy(self)  # draft and rows would hold each other, and the text, until garbage is collected
        return RunningRows(self.original, lambda start, end: draft.read(start, end))  # noqa: PLW0108 - a method holds its object

    @property
    def source(self) -> Source:
        if self._current is None:
            text = "".join(self._pieces())
            self._current = self.known(text) or self._running(text)
        return self._current

    def _running(self, text: str) -> Source:
        from steadyhand.plan.many_edits import RunningSource

        original, splices = self.original, tuple(self.splices)
        return RunningSource(text, original.encoding, original.path, splices=splices, rows=self._rows)

    def locate(self, target: Target) -> Match | Refusal:
        if self._current is not None or not isinstance(target, RowTarget):
            return super().locate(target)
        if self._counted is None and self._can_count:
            from steadyhand.plan.many_edits import CountedRows

            self._can_count = CountedRows.can_count(self)
            self._counted = CountedRows(self) if self._can_count else None
        return target.locate_rows(self._counted or self._rows.of(self.splices))

    def place(self, span: Span, new: str, insert: Side | None = None) -> Placed | Taken:
        index = self._index_at(span.start)
        moved = self._moved[index]
        if index < len(self.splices) and reaches(span, self.splices[index].start + moved):
            return Taken(self.owners[index])
        start, end = span.start - moved, span.end - moved
        if insert is not None:
            start = end = end if insert == "end" else start
        return index, Splice(start, self.original.text[start:end], new)

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
            at = self.splices[index].start + self._moved[index] if index < len(self.splices) else end
            if position < at:
                stop = min(at, end)
                pieces.append(text[position - self._moved[index] : stop - self._moved[index]])
                position = stop
            if index < len(self.splices) and position < end:
                new = self.splices[index].new
                pieces.append(new[position - at : end - at])
                position = max(position, at + len(new))
                index += 1
        return "".join(pieces)

    @property
    def length(self) -> int:
        return len(self.original.text) + self._moved[-1]

    def to_original(self, offset: int) -> int:
        if not self.splices:
            return offset
        index = self._index_at(offset)
        moved = self._moved[index]
        if index < len(self.splices) and self.splices[index].start + moved < offset:
            return self.splices[index].start
        return offset - moved

    def from_original(self, offset: int) -> int | None:
        index = bisect_right(self._ends, offset)
        if index < len(self.splices) and self.splices[index].start < offset:
            return None
        return offset + self._moved[index]

    def _index_at(self, offset: int) -> int:
        """How many splices end at or before an offset of the running text."""
        return bisect_right(self._now_ends, offset)

    def _pieces(self) -> Iterator[str]:
        position = 0
        for splice in self.splices:
            yield self.original.text[position : splice.start]
            yield splice.new
            position = splice.end
        yield self.original.text[position:]

    def moved(self, index: int) -> int:
        """By how much the splices before one have moved what follows."""
        return self._moved[index]

    def _settle(self, added: Sequence[Placed]) -> None:
        self._current = None
        counted = self._counted
        if counted is not None and len(added) == 1 and counted.can_count(self, [added[0][1]]):
            counted.add(*added[0])
        else:
            self._counted = None  # after many at once they are counted again when asked for
        if len(added) == 1:
            ((index, splice),) = added
            end, delta, moved = splice.end, splice.delta, self._moved[index]
            if index == len(self._now_ends):  # behind all others, as most are
                self._moved.append(moved + delta)
                self._now_ends.append(end + moved + delta)
            else:
                self._moved[index:] = [moved, *[each + delta for each in self._moved[index:]]]
                self._now_ends.insert(index, end + moved)
                self._now_ends[index:] = [each + delta for each in self._now_ends[index:]]
        else:
            self._moved = list(accumulate((splice.delta for splice in self.splices), initial=0))
            self._now_ends = [end + moved for end, moved in zip(self._ends, self._moved[1:], strict=True)]
        if self._is_indexed:
            for needles, (_, splice) in product(self._indices, added):
                self._stir(splice, needles)

    def _catch_up(self, index: NeedleIndex) -> None:
        for splice in self.splices:
            self._stir(splice, index)

    def _stir(self, splice: Splice, index: NeedleIndex) -> None:
        """Note which needles are where a splice is, and whether it brought another line ending."""
        written = self._written(splice)
        for needle in index.touching(self.read, written):
            self._stirred.setdefault(needle, []).append(splice)
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

    def _written(self, splice: Splice) -> Span:
        """Where the text of a splice is now."""
        index = bisect_left(self._ends, splice.end)
        while self.splices[index] is not splice:
            index += 1
        at = splice.start + self._moved[index]
        return Span(at, at + len(splice.new))

    def _in_place(self, needle: str, starts: Sequence[int]) -> Iterator[Span]:
        untouched = self._untouched(starts, len(needle))
        splices = self._stirred.get(needle)
        return untouched if splices is None else merge(untouched, self._rewritten(needle, splices))

    def _untouched(self, starts: Iterable[int], size: int) -> Iterator[Span]:
        """Places of the original that no splice has touched, where they are now."""
        for start in starts:
            index = bisect_right(self._ends, start)
            if index == len(self.splices) or self.splices[index].start >= start + size:
                moved = self._moved[index]
                yield Span(start + moved, start + moved + size)

    def _rewritten(self, needle: str, splices: Iterable[Splice]) -> list[Span]:
        """Places that have something of one of these splices in them, or lie across one that deleted."""
        size = len(needle)
        found: set[int] = set()
        for splice in splices:
            written = self._written(splice)
            first = max(written.start - size + 1, 0)
            window = self.read(first, written.end + size - 1)
            place = window.find(needle)
            while place >= 0:
                found.add(first + place)
                place = window.find(needle, place + 1)
        return [Span(start, start + size) for start in sorted(found)]
