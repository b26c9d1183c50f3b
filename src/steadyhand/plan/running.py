"""The draft of a `sequential` batch: each edit sees the text as the edits before it left it.

The text is not put together after every edit. Most questions are answered from the original and the writes so far;
`_moved[i]` says by how much the writes before write i have moved what follows, and has one entry more than there are
writes; `_now_ends[i]` is where write i ends in the running text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import accumulate
from typing import TYPE_CHECKING
from weakref import proxy

from steadyhand.lazy import lazy_pattern
from steadyhand.plan.counted_rows import CountedRows
from steadyhand.plan.draft import Draft, Slot, Taken, Write, reaches
from steadyhand.plan.rows import RunningRows
from steadyhand.plan.running_source import RunningSource
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import RowTarget, Target
from steadyhand.text.lines import NewlineFacts
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.match.index import NeedleIndex

_ENDING = lazy_pattern(r"\r\n?|\n")


class RunningDraft(Draft):
    """The text each edit of the call sees as the edits before it left it: a `sequential` batch."""

    def __init__(self, source: Source, needles: Sequence[str] = (), spares: Sequence[str] = ()) -> None:
        super().__init__(source, needles, spares)
        self._moved: list[int] = [0]
        self._now_ends: list[int] = []
        self._counted: CountedRows | None = None
        self._can_count = True
        self._current: Source | None = source

    @cached_property
    def _rows(self) -> RunningRows:
        draft = proxy(self)  # draft and rows would hold each other, and the text, until garbage is collected
        return RunningRows(self.original, lambda start, end: draft.read(start, end))  # noqa: PLW0108 - a method holds its object

    @property
    def source(self) -> Source:
        if self._current is None:
            text, original = "".join(self._pieces()), self.original
            writes = tuple(self.writes)
            self._current = self.known(text) or RunningSource(
                text, original.encoding, original.path, writes=writes, rows=self._rows
            )
        return self._current

    def _running(self, text: str) -> Source:
        original, writes = self.original, tuple(self.writes)
        return RunningSource(text, original.encoding, original.path, writes=writes, rows=self._rows)

    def locate(self, target: Target) -> Match | Refusal:
        if self._current is not None or not isinstance(target, RowTarget):
            return super().locate(target)
        if self._counted is None and self._can_count:
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
            delta, moved = write.delta, self._moved[index]
            if index == len(self._now_ends):  # behind all others, as most are
                self._moved.append(moved + delta)
                self._now_ends.append(write.span.end + moved + delta)
            else:
                self._moved[index:] = [moved, *[each + delta for each in self._moved[index:]]]
                self._now_ends.insert(index, write.span.end + moved)
                self._now_ends[index:] = [end + delta for end in self._now_ends[index:]]
        else:
            self._moved = list(accumulate((write.delta for write in self.writes), initial=0))
            self._now_ends = [end + moved for end, moved in zip(self._ends, self._moved[1:], strict=True)]
        for needles in self._indices:
            for _, write in added:
                self._stir(write, needles)

    def _count(self, added: Sequence[tuple[int, Write]]) -> None:
        """Let the rows that are counted know of a write; after many at once they are counted anew when asked for."""
        counted = self._counted
        if counted is not None and len(added) == 1 and CountedRows.can_count(self, [added[0][1]]):
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
