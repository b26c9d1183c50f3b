"""What differs between two texts, line by line.

Shared ends are cut off, lines that occur once on both sides become anchors, and the gaps without such lines are
aligned by the longest common subsequence while a work budget lasts; beyond it a gap is one replacement.
The answer may then be coarser, but it is never wrong, and the same two texts always give the same answer.
Nothing here renders, and nothing here chooses between two versions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import count
from operator import itemgetter
from typing import AnyStr, NamedTuple

from steadyhand.text.cancel import check_cancelled, check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_lines
from steadyhand.text.splice import Splice

__all__ = ["Change", "changes_between", "diff_rows", "diff_within", "equal_pairs", "shared_ends", "shared_rows"]

# One cell is a bit of the alignment matrix: 50 MB and about a tenth of a second in all.
_CELLS = 400_000_000
_DEPTH = 64
_STRETCH = 65_536
_LONG_STRETCH = 1_000_000
_SHORT = 64  # rows of a gap of which it is first asked which lines it shares
_STRANGE = -1
_MANY = 20_000  # rows between two questions whether to go on


class Change(NamedTuple):
    """Rows `before_start:before_end` became rows `after_start:after_end`; one of the two may be empty."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int

    @property
    def is_replacement(self) -> bool:
        """Whether it has rows on both sides."""
        return self.before_start < self.before_end and self.after_start < self.after_end

    def shift(self, rows: int) -> Change:
        """The same change so many rows further down on both sides."""
        if not rows:
            return self
        return Change(self.before_start + rows, self.before_end + rows, self.after_start + rows, self.after_end + rows)


def diff_rows(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """The ranges that differ, sorted, with at least one equal row between any two of them.

    A pure insertion or deletion that could be in several places is in the last of them.

    >>> diff_rows(["a", "b", "c"], ["a", "X", "c", "d"])
    [Change(before_start=1, before_end=2, after_start=1, after_end=2), \
Change(before_start=3, before_end=3, after_start=3, after_end=4)]
    """
    head, tail = shared_rows(before, after)
    change = Change(head, len(before) - tail, head, len(after) - tail)
    if change.before_start == change.before_end or change.after_start == change.after_end:
        return _one_sided(change, before, after)
    if set(before[head : change.before_end]).isdisjoint(after[head : change.after_end]):
        return [change]  # most edits: nothing between the ends is left to be aligned
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    left = [numbers[line] for line in before]
    right = [numbers[line] for line in after]
    return _diff_numbers(left, right)


def _one_sided(change: Change, before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """The one insertion or deletion between two lists, as far down as it goes; nothing where they are equal."""
    if change.before_start == change.before_end and change.after_start == change.after_end:
        return []
    return [change.shift(_room(change, len(before) - change.before_end, before, after, down=True))]


def diff_within(before: Sequence[str], after: Sequence[str], changes: Sequence[Change]) -> list[Change]:
    """What differs inside changes that are known: rows between them stay where they are, equal or not.

    >>> diff_within(["a", "a"], ["a"], [Change(0, 1, 0, 0)])
    [Change(before_start=0, before_end=1, after_start=0, after_end=0)]
    """
    found: list[Change] = []
    for change in changes:
        old = before[change.before_start : change.before_end]
        new = after[change.after_start : change.after_end]
        start, other = change.before_start, change.after_start
        found += (
            Change(one.before_start + start, one.before_end + start, one.after_start + other, one.after_end + other)
            for one in diff_rows(old, new)
        )
    return found


def _diff_numbers(left: list[int], right: list[int]) -> list[Change]:
    """The same for rows by the numbers of their lines."""
    return _settle(_Differ(left, right).changes(), left, right)


def equal_pairs(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Which row before is which row after, for those that are equal and in order.

    >>> list(equal_pairs(["a", "b", "c"], ["a", "X", "c"]))
    [(0, 0), (2, 2)]
    """
    row = other = 0
    for change in diff_rows(before, after):
        yield from zip(range(row, change.before_start), range(other, change.after_start), strict=True)
        row, other = change.before_end, change.after_end
    yield from zip(range(row, len(before)), range(other, len(after)), strict=True)


def changes_between(before: str, after: str, base: str | None = None) -> ChangeSet:
    """The change set that turns `before` into `after`, in splices of whole lines with their endings.

    >>> changes_between("a\\nb\\n", "a\\nB\\n").splices == (Splice(2, "b\\n", "B\\n"),)
    True
    """
    if before == after:
        return ChangeSet((), base)
    head, tail = shared_ends(before, after)
    numbers: dict[str, int] = {}
    left, starts = _number_lines(before, head, len(before) - tail, lambda line: numbers.setdefault(line, len(numbers)))
    # Lines that are only in the text after are all one number: they are never compared but with those of before.
    right, others = _number_lines(after, head, len(after) - tail, lambda line: numbers.get(line, _STRANGE))
    numbers.clear()  # with the lines themselves, which take more than the text does
    splices = (
        Splice(
            starts[change.before_start],
            before[starts[change.before_start] : starts[change.before_end]],
            after[others[change.after_start] : others[change.after_end]],
        )
        for change in _diff_numbers(left, right)
    )
    return ChangeSet(tuple(splices), base)


def _number_lines(text: str, start: int, end: int, number: Callable[[str], int]) -> tuple[list[int], array[int]]:
    """The lines of a part of a text, by number, and where each starts; the last entry is where the part ends.

    Stretch by stretch: the lines of a long text are never all there at once, but for those that are kept by `number`.
    """
    rows: list[int] = []
    starts = array("Q", [start])
    while start < end:
        check_cancelled()
        ending = text.find("\n", start + _LONG_STRETCH, end)
        stop = end if ending < 0 else ending + 1
        for line in split_lines(text[start:stop]):
            rows.append(number(line))
            starts.append(starts[-1] + len(line))
        start = stop
    return rows, starts


def shared_ends(before: AnyStr, after: AnyStr) -> tuple[int, int]:
    """How much two texts share at the start and at the end, in whole LF lines and without overlap.

    In code points, or of bytes in bytes.
    """
    feed = "\n" if isinstance(before, str) else b"\n"
    ending = before.rfind(feed, 0, len(before) - 1)
    if before[:1] != after[:1] and (ending < 0 or not after.endswith(before[ending:])):
        return 0, 0  # neither the first line nor the last is shared
    limit = min(len(before), len(after))
    head = shared_prefix(before, after, limit)
    tail = _shared_suffix(before, after, limit - head)
    head = before.rfind(feed, 0, head) + 1
    ending = before.find(feed, len(before) - tail)
    return head, 0 if ending < 0 else len(before) - ending - 1


def shared_rows(mine: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """With how many equal rows two lists begin, and with how many of the others they end.

    >>> shared_rows(["a", "b", "c"], ["a", "c"]), shared_rows(["a"], ["a", "a"])
    ((1, 1), (1, 0))
    """
    fewest = min(len(mine), len(theirs))
    first = last = 0
    while first < fewest and mine[first] == theirs[first]:
        first += 1
    while last < fewest - first and mine[-1 - last] == theirs[-1 - last]:
        last += 1
    return first, last


def shared_prefix(before: AnyStr, after: AnyStr, limit: int | None = None) -> int:
    """How many characters two texts share at the start, at most `limit`, which is no more than both have.

    Stretch by stretch, then by halves: `low` characters agree, `low` to `high` hold the first that does not.

    >>> shared_prefix("abcd", "abxd"), shared_prefix("ab", "abc"), shared_prefix("ab", "ab", 1)
    (2, 2, 1)
    """
    limit = min(len(before), len(after)) if limit is None else limit
    low, high = 0, min(_STRETCH, limit)
    while low < high and before[low:high] == after[low:high]:
        low, high = high, min(high + _STRETCH, limit)
    while high - low > 1:
        middle = (low + high) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _shared_suffix(before: AnyStr, after: AnyStr, limit: int) -> int:
    """The same from the end."""
    size, other = len(before), len(after)
    low, high = 0, min(_STRETCH, limit)
    while low < high and before[size - high : size - low] == after[other - high : other - low]:
        low, high = high, min(high + _STRETCH, limit)
    while high - low > 1:
        middle = (low + high) // 2
        if before[size - middle : size - low] == after[other - middle : other - low]:
            low = middle
        else:
            high = middle
    return low


class _Differ:
    """Works off a list of gaps, each a range of rows on both sides; a list, because recursion has a limit."""

    def __init__(self, left: list[int], right: list[int]) -> None:
        self._left = left
        self._right = right
        self._found: list[Change] = []
        self._gaps: list[tuple[int, int, int, int, int]] = [(0, len(left), 0, len(right), 0)]
        self._cells = _CELLS

    def changes(self) -> list[Change]:
        while self._gaps:
            check_cancelled()
            self._split(*self._gaps.pop())
        self._found.sort(key=lambda change: (change.before_start, change.after_start))
        return self._found

    def _split(self, start: int, end: int, other: int, other_end: int, depth: int) -> None:
        left, right = self._left, self._right
        while start < end and other < other_end and left[start] == right[other]:
            start, other = start + 1, other + 1
        while start < end and other < other_end and left[end - 1] == right[other_end - 1]:
            end, other_end = end - 1, other_end - 1
        if start == end or other == other_end:
            if start < end or other < other_end:
                self._found.append(Change(start, end, other, other_end))
            return
        anchors = self._anchors(start, end, other, other_end) if depth < _DEPTH else []
        if not anchors:
            self._align(start, end, other, other_end)
            return
        for row, other_row in anchors:
            if start < row or other < other_row:  # most anchors are side by side
                self._gaps.append((start, row, other, other_row, depth + 1))
            start, other = row + 1, other_row + 1
        self._gaps.append((start, end, other, other_end, depth + 1))

    def _anchors(self, start: int, end: int, other: int, other_end: int) -> list[tuple[int, int]]:
        """Rows whose line occurs once on both sides, as many as keep their order."""
        if end - start <= _SHORT:
            left, right = self._left[start:end], self._right[other:other_end]
            shared = set(left).intersection(right)
            if len(right) <= _SHORT or not shared:  # counted faster than every row is looked at
                single = [line for line in shared if left.count(line) == 1 == right.count(line)]
                pairs = [(start + left.index(line), other + right.index(line)) for line in single]
                return _rising(sorted(pairs, key=itemgetter(1)))
        others = _single_rows(self._right, other, other_end)
        places = _single_rows(self._left, start, end, others)
        return _rising([(places[line], row) for line, row in others.items() if line in places])

    def _align(self, start: int, end: int, other: int, other_end: int) -> None:
        """The longest common subsequence of a gap; one replacement where nothing is shared or the budget is spent."""
        left, right = self._left[start:end], self._right[other:other_end]
        cells = len(left) * len(right)
        if cells > self._cells or set(left).isdisjoint(right):
            self._found.append(Change(start, end, other, other_end))
            return
        from rapidfuzz.distance import Indel

        self._cells -= cells
        for op in Indel.opcodes(left, right):
            if op.tag != "equal":
                change = Change(start + op.src_start, start + op.src_end, other + op.dest_start, other + op.dest_end)
                self._found.append(change)


def _single_rows(numbers: list[int], start: int, end: int, among: Container[int] | None = None) -> dict[int, int]:
    """The row of each line, of all or `among` some, that occurs once in the range, in the order of the rows."""
    rows: dict[int, int] = {}
    repeated: set[int] = set()
    for row in range(start, end):
        if not row % _MANY:
            check_cancelled()
        number = numbers[row]
        if among is not None and number not in among:
            continue
        if number in rows:
            repeated.add(number)
        else:
            rows[number] = row
    for number in repeated:
        del rows[number]
    return rows


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, sorted by their second half, whose first halves rise as well."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (row, _) in enumerate(check_each(pairs, _MANY)):
        place = bisect_left(tails, row)
        previous.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(row)
            ends.append(index)
        else:
            tails[place], ends[place] = row, index
    run: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = previous[index]
    return run[::-1]


def _settle(changes: list[Change], left: list[int], right: list[int]) -> list[Change]:
    """Join changes that touch or can be moved until they do, and move the others as far down as they go.

    An insertion and a deletion with equal rows between them may be one replacement seen apart; a merge that took only
    half of it would be wrong.
    """
    joined: list[Change] = []
    for found in changes:
        change = found
        if joined:
            gap = change.before_start - joined[-1].before_end
            if gap == 0 or (not change.is_replacement and _room(change, gap, left, right, down=False) == gap):
                change = _join(joined.pop(), change.shift(-gap))
        joined.append(change)
    settled: list[Change] = []  # from the last to the first
    for found in reversed(joined):
        change = found
        while not change.is_replacement:
            stop = settled[-1].before_start if settled else len(left)
            change = change.shift(_room(change, stop - change.before_end, left, right, down=True))
            if not settled or change.before_end < stop:
                break
            change = _join(change, settled.pop())
        settled.append(change)
    return settled[::-1]


def _room(change: Change, limit: int, left: Sequence[object], right: Sequence[object], *, down: bool) -> int:
    """How far, up to `limit` rows, a pure insertion or deletion can be moved without changing its effect."""
    inserts = change.before_start == change.before_end
    rows = right if inserts else left
    start, end = (change.after_start, change.after_end) if inserts else (change.before_start, change.before_end)
    step = 0
    if down:
        while step < limit and rows[start + step] == rows[end + step]:
            step += 1
    else:
        while step < limit and rows[start - 1 - step] == rows[end - 1 - step]:
            step += 1
    return step


def _join(first: Change, second: Change) -> Change:
    return Change(first.before_start, second.before_end, first.after_start, second.after_end)
