"""Changes that others made, carried forward as later ones land. Pure: splices in, places in the present text out.

1. What stands is told by who wrote it last; what was written over is gone.
2. A change is measured by what stood there before any of the news that it was written over: who puts lines in and
   writes them anew has put them in, and who changes lines and changes them back has done nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from steadyhand.lazy import dataclass
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.merge import by_rows
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.text.words import token_around
from steadyhand.workspace.journal.record import Entry

__all__ = ["News", "Tracked", "by_lines", "left_of", "whole_tokens"]


@sized("before", "after")
@dataclass(frozen=True, slots=True)
class News:
    """A change by others that a party has not seen: what stood there before, what they wrote, where it stands now.

    `entry` is None for a change outside Steadyhand. `is_whole`: only that the file was replaced is known. `is_part`:
    somebody wrote over a part of it since, and this is what still stands.
    """

    entry: Entry | None
    before: str
    after: str
    span: Span
    is_whole: bool = False
    is_part: bool = False

    def region(self, source: Source) -> Region:
        """The rows of the present text that it concerns."""
        if self.is_whole:
            return Region(0, max(source.table.count, 1))
        if self.is_part:
            first, last = source.table.rows_of(self.span)
            return Region(first, last + 1, is_removal=not self.before)
        return region_of(source, Splice(self.span.start, source.read(*self.span), self.before))

    def core(self, source: Source) -> Span:
        """The characters of the present text that are not as before."""
        if self.is_whole:
            return Span(0, source.length)
        if self.is_part:
            return self.span
        return Splice(self.span.start, source.read(*self.span), self.before).trim().span


@sized("before", "after")
@dataclass(slots=True)
class _Item:
    """What is known of one piece of news but for where it stands."""

    entry: Entry | None
    before: str
    after: str
    is_part: bool = False


class Tracked:
    """News in the order of the text. Places are kept apart from what stands there, so that many move at once."""

    def __init__(self, length: int = 0) -> None:
        self._length = length  # of the present text
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._items: list[_Item] = []
        self._whole: list[_Item] = []

    @classmethod
    def of(cls, news: Sequence[News], length: int = 0) -> Tracked:
        """News that stands in a text, to be carried on from there."""
        made = cls(length)
        for item in sorted(news, key=lambda item: item.span):
            known = _Item(item.entry, item.before, item.after, item.is_part)
            if item.is_whole:
                made._whole.append(known)
            else:
                made._put(len(made._starts), item.span, known)
        return made

    def take(self, entry: Entry | None, changes: ChangeSet | None, *, is_told: bool) -> None:
        """A further change of the text; its own splices are news if it `is_told`. None: nobody knows what it did."""
        if changes is None:
            self._whole += self._items
            self._whole += [_Item(entry, "", "")] if is_told else []
            self._starts, self._ends, self._items = [], [], []
            return
        told = list(self._told(entry, changes)) if is_told else []
        for splice in reversed(changes.splices):
            self._carry(splice)
        for span, item in told:
            self._put(self._place(span), span, item)

    def drop_inside(self, span: Span, *, is_last: bool = False) -> None:
        """Somebody was shown this part of the text: what stands inside it is no news; `is_last`: the text ends there.

        What went away at its edges was not shown, unless the text has nothing beyond that edge.
        """
        first = bisect_left(self._starts, span.start)
        first -= first > 0 and self._ends[first - 1] > span.start
        for index in reversed(range(first, bisect_right(self._starts, span.end))):
            start, end = self._starts[index], self._ends[index]
            if start < end and start < span.end:
                self._leave(index, (start, min(end, span.start)), (max(start, span.end), end))
            elif start == end and (
                span.start < start < span.end or self._is_shown_at_edge(index, span, is_last=is_last)
            ):
                self._remove(index)

    def news(self) -> list[News]:
        """Everything that still stands, in order."""
        everywhere = Span(0, self._length)
        whole = [News(item.entry, item.before, item.after, everywhere, is_whole=True) for item in self._whole]
        placed = zip(self._starts, self._ends, self._items, strict=True)
        return whole + [
            News(item.entry, item.before, item.after, Span(start, end), is_part=item.is_part)
            for start, end, item in placed
        ]

    def _told(self, entry: Entry | None, changes: ChangeSet) -> Iterator[tuple[Span, _Item]]:
        for splice, span in zip(changes.splices, changes.after_spans(), strict=True):
            whole = Splice(0, self._before(splice.start, splice.old), splice.new)
            kept = _shared_ending(whole)
            old, new = (text[: len(text) - kept] for text in (whole.old, whole.new))
            if old != new:
                yield Span(span.start, span.end - kept), _Item(entry, old, new)

    def _before(self, start: int, old: str) -> str:
        """A text that stands at `start`, as it was before the news that stands inside it."""
        pieces: list[str] = []
        at, end = start, start + len(old)
        for index in range(bisect_left(self._starts, start), len(self._starts)):
            first, last = self._starts[index], self._ends[index]
            if first > end or (first == end and last == first):
                break
            is_within = first < last or start < first
            if at <= first and last <= end and is_within and not self._items[index].is_part:
                pieces += [old[at - start : first - start], self._items[index].before]
                at = last
        return "".join([*pieces, old[at - start :]])

    def _carry(self, splice: Splice) -> None:
        """Move what stands behind a splice, and leave of what it touches what it does not write over."""
        index = bisect_left(self._ends, splice.start)
        while index < len(self._starts) and self._touches(index, splice):
            index = self._cut(index, splice)
        delta = splice.delta
        if delta:
            self._starts[index:] = [start + delta for start in self._starts[index:]]
            self._ends[index:] = [end + delta for end in self._ends[index:]]

    def _touches(self, index: int, splice: Splice) -> bool:
        """Whether the news at an index does not lie behind the splice as a whole."""
        start, end = self._starts[index], self._ends[index]
        if start == end:
            return start < splice.end or start == splice.start
        return start < splice.end or (start < splice.start < end)

    def _cut(self, index: int, splice: Splice) -> int:
        """Leave the parts of one piece of news that a splice spares; the index of the first that lies behind it."""
        start, end = self._starts[index], self._ends[index]
        if start == end:
            if splice.start < start < splice.end:
                self._remove(index)
                return index
            return index + 1 if start <= splice.start else index
        if end <= splice.start:
            return index + 1
        left = (start, min(end, splice.start))
        self._leave(index, left, (max(start, splice.end), end))
        return index + 1 if left[0] < left[1] else index

    def _leave(self, index: int, left: tuple[int, int], right: tuple[int, int]) -> None:
        """Put in the place of a piece of news what is left of it at its two ends."""
        item = self._items[index]
        self._remove(index)
        rest = _Item(item.entry, item.before, item.after, is_part=True)
        for piece in (right, left):
            if piece[0] < piece[1]:
                self._put(index, Span(*piece), rest)

    def _is_shown_at_edge(self, index: int, span: Span, *, is_last: bool) -> bool:
        """Whether who was shown a part of the text saw that something had gone at one of its edges."""
        start, before = self._starts[index], self._items[index].before
        if start == span.end and not is_last:
            return False
        if start == span.start > 0:
            return not any(ending in before for ending in "\r\n")
        return True

    def _place(self, span: Span) -> int:
        index = bisect_left(self._starts, span.start)
        while index < len(self._starts) and (self._starts[index], self._ends[index]) < span:
            index += 1
        return index

    def _put(self, index: int, span: Span, item: _Item) -> None:
        self._starts.insert(index, span.start)
        self._ends.insert(index, span.end)
        self._items.insert(index, item)

    def _remove(self, index: int) -> None:
        del self._starts[index], self._ends[index], self._items[index]


def left_of(span: Span, changes: ChangeSet) -> Iterator[Span]:
    """What is left of a span where changes wrote, as it stands after."""
    start, delta = span.start, 0
    for splice in changes.splices:
        if splice.start >= span.end:
            break
        if splice.end > start or (not splice.old and splice.start > start):
            if splice.start > start:
                yield Span(start + delta, splice.start + delta)
            start = max(start, splice.end)
        delta += splice.delta
    if start < span.end:
        yield Span(start + delta, span.end + delta)


def by_lines(changes: ChangeSet) -> ChangeSet:
    """The same in splices that leave out the lines which are written as they were."""
    parts = (part for splice in changes.splices for part in _lines_of(splice))
    return ChangeSet(tuple(parts), changes.base)


def _lines_of(splice: Splice) -> Sequence[Splice]:
    if all("\n" in text or "\r" in text for text in (splice.old, splice.new)):
        return [part.shift(splice.start) for part in changes_between(splice.old, splice.new).splices]
    return [splice]


def _shared_ending(splice: Splice) -> int:
    """How much of a splice is the line ending that it leaves as it was: not a change that could still stand."""
    for ending in ("\r\n", "\n", "\r"):
        if all(text.endswith(ending) and text != ending for text in (splice.old, splice.new)):
            return len(ending)
    return 0


@dataclass(slots=True)
class _Core:
    """What a change replaces, in the texts before and after it, and how much more belongs to the same tokens."""

    old: Span
    new: Span
    left: int
    right: int


def whole_tokens(before: str, after: str, changes: ChangeSet, *, is_trimmed: bool) -> list[Splice]:
    """What a change does to lines, without those that it wrote as they were, in whole tokens of both texts.

    `is_trimmed`: of lines that it changed, without what it wrote as it was.
    """
    cores: list[_Core] = []
    delta = 0
    for row in (row for part in by_lines(changes).splices for row in by_rows(part)):
        splice = row.trim() if is_trimmed else row
        if splice.changes_nothing:
            continue
        old, new = splice.span, Span(splice.start + delta, splice.start + delta + len(splice.new))
        delta += splice.delta
        one, two = token_around(before, old), token_around(after, new)
        core = _Core(
            old, new, max(old.start - one.start, new.start - two.start), max(one.end - old.end, two.end - new.end)
        )
        while cores and _overlap(cores[-1], core):
            core = _joined(cores.pop(), core)
        cores.append(core)
    return [
        Splice(
            core.old.start - core.left,
            before[core.old.start - core.left : core.old.end + core.right],
            after[core.new.start - core.left : core.new.end + core.right],
        )
        for core in cores
    ]


def _overlap(one: _Core, two: _Core) -> bool:
    return two.old.start - two.left < one.old.end + one.right


def _joined(one: _Core, two: _Core) -> _Core:
    apart = min(two.old.start - one.old.start, two.new.start - one.new.start)
    behind = min(two.old.end - one.old.end, two.new.end - one.new.end)
    old, new = Span(one.old.start, two.old.end), Span(one.new.start, two.new.end)
    left = min(max(one.left, two.left - apart), old.start, new.start)
    return _Core(old, new, left, max(two.right, one.right - behind))
