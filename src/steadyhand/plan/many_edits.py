"""What keeps a call of many edits cheap: the lines of a running text, and where many old texts are in one.

The lines of the original and the splices so far are counted without counting all of it again.
Whether a line starts somewhere depends on the two characters around that place. So only the places inside and at the
edges of what was written can differ from the original: each run of touching splices is looked at once, and everything
between two runs is the original's own table, moved. Where every line ends with LF, lines are found by counting, however
many splices there are: `_before[i]` is how many LFs of the original are before splice i, and `_gained[i]` by how many
the splices before it have changed that; it has one entry more than there are splices.
A `RunningSource` is one moment of a batch and stays what it is, whatever is written later.

A `NeedleIndex` finds many needles in a pass or two instead of one search each. It is an n-gram index of the needles,
not of the text: a look at the text is a slice of `width` characters, every `stride` characters. Wherever a needle is,
one look falls on one of `stride` neighbouring n-grams of it, so a dictionary of those turns each look into a question
that is almost always answered with no, and only the others are compared in full. Of each needle the n-grams are taken
that seem rarest. What is found is exactly what searching each needle by itself would find. Needles that are very short
or very long, too few of their length to be worth a pass, or all over the text are not taken in; `holds` says which are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Protocol

from steadyhand.lazy import dataclass, field
from steadyhand.text.lines import LineTable, body, split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of touching splices: the row its first line start has, those starts, and what to take off after it."""

    first_row: int
    starts: tuple[int, ...]
    rows_gained: int
    moved: int


class RunningRows:
    """The rows of the text after the splices that `of` was given last."""

    def __init__(self, source: Source, read: Callable[[int, int], str]) -> None:
        self._source = source
        self._read = read
        self._runs: list[_Run] = []
        self._first_rows: list[int] = []
        self._length = 0
        self._seen: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
        self.count = 0

    def reading(self, text: str) -> RunningRows:
        """Rows of their own for a text that has been put together; what both learn of splices they share."""
        rows = RunningRows(self._source, lambda start, end: text[max(start, 0) : end])
        rows._seen = self._seen
        return rows

    def of(self, splices: Sequence[Splice]) -> RunningRows:
        """These rows, for the text that has these splices."""
        self._runs = []
        moved = gained = 0
        self._length = len(self._source.text) + sum(splice.delta for splice in splices)
        for run in _touching(splices):
            span = Span(run[0].start, run[-1].end)
            now = span.start + moved
            moved += sum(splice.delta for splice in run)
            lost, starts = self._compare(run, span, Span(now, span.end + moved))
            first_row = self._starts_before(span.start) + gained
            gained += len(starts) - lost
            self._runs.append(_Run(first_row, tuple(now + start for start in starts), gained, moved))
        self._first_rows = [run.first_row for run in self._runs]
        self.count = self._source.table.count + gained
        return self

    def start(self, row: int) -> int:
        """Where a row starts; the row after the last starts at the end of the text."""
        if row >= self.count:
            return self._length
        index = bisect_right(self._first_rows, row) - 1
        if index < 0:
            return self._source.table.start(row)
        run = self._runs[index]
        if row < run.first_row + len(run.starts):
            return run.starts[row - run.first_row]
        return self._source.table.start(row - run.rows_gained) + run.moved

    def text(self, row: int) -> str:
        """The line without its ending."""
        return body(self._read(self.start(row), self.start(row + 1)))

    def _compare(self, run: Sequence[Splice], span: Span, now: Span) -> tuple[int, tuple[int, ...]]:
        """How many line starts the original had in a span, and where the text has them now, from the span's start."""
        key = tuple(map(id, run))
        if key not in self._seen:
            lost = self._starts_before(span.end + 1) - self._starts_before(span.start)
            around = self._read(now.start - 1, now.end + 1)
            first = 1 if now.start else 0
            starts = (at - first for at in range(first, first + now.length + 1) if _is_start(around, at))
            self._seen[key] = lost, tuple(starts)
        return self._seen[key]

    def _starts_before(self, offset: int) -> int:
        """How many lines of the original start before an offset."""
        table = self._source.table
        return table.row_at(offset - 1) + 1 if offset > 0 and table.count else 0


def _touching(splices: Sequence[Splice]) -> Iterator[list[Splice]]:
    run: list[Splice] = []
    for splice in splices:
        if run and run[-1].end < splice.start:
            yield run
            run = []
        run.append(splice)
    if run:
        yield run


def _is_start(text: str, at: int) -> bool:
    """Whether a line starts at a place of a text whose end is no line start."""
    if at >= len(text):
        return False
    return at == 0 or text[at - 1] == "\n" or (text[at - 1] == "\r" and text[at] != "\n")


class Running(Protocol):
    """The text that is counted in: where each of its splices is now, and its characters."""

    original: Source
    splices: list[Splice]

    @property
    def length(self) -> int:
        """How many characters it has."""

    def moved(self, index: int) -> int:
        """By how much the splices before that one have moved what follows."""

    def read(self, start: int, end: int) -> str:
        """A part of it."""


class CountedRows:
    """The rows of a running text. Whoever writes to it says so with `add`, or asks for new ones."""

    def __init__(self, text: Running) -> None:
        self._text = text
        self._table = text.original.table
        self._size = len(text.original.text)
        self._ends_line = text.original.text.endswith("\n")
        self._before = [self._feeds_before(splice.start) for splice in text.splices]
        self._gained = list(accumulate(map(self._gain, text.splices), initial=0))

    @staticmethod
    def can_count(text: Running, splices: Sequence[Splice] | None = None) -> bool:
        """Whether no CR is without LF: not in the original, and not because of some splices, or of all of them."""
        original = text.original.text
        if splices is None and "\r" in original and text.original.newlines.cr:
            return False
        return all(
            splice.new.count("\r") == splice.new.count("\r\n")
            and (not splice.start or original[splice.start - 1] != "\r")
            for splice in (text.splices if splices is None else splices)
        )

    def add(self, index: int, splice: Splice) -> None:
        """Take note of a splice that was put at an index."""
        gain = self._gain(splice)
        self._before.insert(index, self._feeds_before(splice.start))
        self._gained.insert(index, self._gained[index])
        if gain:
            self._gained[index + 1 :] = [gained + gain for gained in self._gained[index + 1 :]]

    @property
    def count(self) -> int:
        feeds = self._feeds_before(self._size) + self._gained[-1]
        length = self._text.length
        return feeds + (length > 0 and self._text.read(length - 1, length) != "\n")

    def start(self, row: int) -> int:
        """Where a row starts, behind the LF of that number; the row after the last starts at the end of the text."""
        if row <= 0:
            return 0
        if row >= self.count:
            return self._text.length
        index = bisect_left(range(len(self._before)), row, key=lambda at: self._before[at] + self._gained[at]) - 1
        if index >= 0:
            splice, inside = self._text.splices[index], row - self._before[index] - self._gained[index]
            if inside <= splice.new.count("\n"):
                return splice.start + self._text.moved(index) + _behind_feed(splice.new, inside)
        return self._table.start(row - self._gained[index + 1]) + self._text.moved(index + 1)

    def text(self, row: int) -> str:
        """The line without its ending."""
        return body(self._text.read(self.start(row), self.start(row + 1)))

    def _gain(self, splice: Splice) -> int:
        """How many more LFs there are because of a splice."""
        return splice.new.count("\n") - (self._feeds_before(splice.end) - self._feeds_before(splice.start))

    def _feeds_before(self, offset: int) -> int:
        """How many LFs of the original are before an offset."""
        return self._table.row_at(offset) + (self._ends_line and offset == self._size)


def _behind_feed(text: str, number: int) -> int:
    """The offset behind the LF of that number, from 1."""
    at = 0
    for _ in range(number):
        at = text.index("\n", at) + 1
    return at


_QUESTIONS = 20_000
_STEPS = 16  # about as many lines are looked at to find the one that an offset lies in


class RunningTable(LineTable):
    """The lines of a running text: few questions are answered from the original's lines, for many a table is built."""

    __slots__ = ("_left", "_rows")

    def __init__(self, text: str, rows: RunningRows) -> None:
        self._text = text
        self._bodies = None
        self._rows: RunningRows | None = rows
        self._left = _QUESTIONS

    @property
    def count(self) -> int:
        return super().count if self._rows is None else self._rows.count

    def start(self, row: int) -> int:
        rows = self._ask(1)
        return super().start(row) if rows is None else rows.start(row)

    def text(self, row: int) -> str:
        is_asked_often = self._ask(0) is None
        return super().text(row) if is_asked_often else body(self._text[self.start(row) : self.start(row + 1)])

    def texts(self, first: int, end: int) -> list[str]:
        if self._ask(0) is None:
            return super().texts(first, end)
        return split_bodies(self._text[self.start(first) : self.start(end)]) if first < end else []

    def row_at(self, offset: int) -> int:
        rows = self._ask(_STEPS)
        if rows is None:
            return super().row_at(offset)
        return max(bisect_right(range(rows.count), offset, key=rows.start) - 1, 0)

    def _ask(self, questions: int) -> RunningRows | None:
        """What answers the next questions; None once they were so many that the table has been built."""
        self._left -= questions
        if self._left < 0 and self._rows is not None:
            super().__init__(self._text)
            self._rows = None
        return self._rows


@sized("text")
@dataclass(frozen=True)
class RunningSource(Source):
    """The text after some splices, and what is known of the lines of such texts."""

    splices: Sequence[Splice] = field(kw_only=True, repr=False, compare=False)
    rows: RunningRows = field(kw_only=True, repr=False, compare=False)

    @cached_property
    def table(self) -> LineTable:
        return RunningTable(self.text, self.rows.reading(self.text).of(self.splices))

    def line_of(self, offset: int) -> int:
        return self.table.row_at(offset) + 1

    def lines_of(self, span: Span) -> tuple[int, int]:
        first, last = self.table.rows_of(span)
        return first + 1, last + 1


# Needles from one length up to the next share a pass: that length, how wide looks are, and how far apart.
_KINDS = ((2, 2, 1), (4, 4, 1), (7, 6, 2), (16, 10, 7), (40, 20, 21), (160, 32, 64))
_TOO_LONG = 20_000
_FEW = 8
_LOOK = 150  # searches that take as long as to look at every place of the same text
_TRIED = 8  # n-grams of a needle among which the rarest are looked for
_SAMPLES = 16  # parts of the text whose n-grams are counted
_SAMPLE = 512  # characters of each
_BUSY = 50_000  # comparisons for one n-gram after which its needles are given up
_MOST = 4_000_000  # places that are kept in all


class NeedleIndex:
    """The occurrences, overlapping ones too, of a set of needles in one text.

    >>> index = NeedleIndex("x = 1\\nname_7 = 2\\n", [f"name_{number} = " for number in range(100)])
    >>> list(index.places("name_7 = ")), index.holds("name_8 = "), list(index.places("name_8 = "))
    ([6], True, [])
    """

    __slots__ = ("_grams_of", "_kinds", "_places")

    def __init__(self, text: str, needles: Iterable[str]) -> None:
        wanted = sorted(set(needles))
        most = max(_MOST // max(len(wanted), 1), 1)
        self._kinds: list[_Grams] = []
        self._grams_of: dict[str, _Grams] = {}
        self._places: dict[str, array[int]] = {}
        for (shortest, width, stride), (limit, _, _) in pairwise((*_KINDS, (_TOO_LONG + 1, 0, 0))):
            kind = [needle for needle in wanted if shortest <= len(needle) < limit]
            if len(kind) < max(_FEW, _LOOK // stride):
                continue
            grams = _Grams(kind, width, stride, text)
            self._kinds.append(grams)
            self._grams_of.update(dict.fromkeys(kind, grams))
            self._places |= grams.find(text, most)

    def holds(self, needle: str) -> bool:
        """Whether this needle was taken in, so that `places` knows of it."""
        grams = self._grams_of.get(needle)
        return grams is not None and needle not in grams.given_up

    def places(self, needle: str) -> Sequence[int]:
        """Where the needle starts, left to right."""
        return self._places.get(needle, ())

    def touching(self, read: Callable[[int, int], str], span: Span) -> Iterator[str]:
        """The needles that are in another text, which `read` reads, and share characters with a span of it.

        A needle touches an empty span if it goes on at both sides of it.
        """
        for grams in self._kinds:
            start = max(span.start - grams.longest + 1, 0)
            window = read(start, span.end + grams.longest - 1)
            for needle, places in grams.find(window, len(window)).items():
                if any(start + place < span.end and start + place + len(needle) > span.start for place in places):
                    yield needle


class _Grams:
    """N-grams of needles of similar length, each with the needles it is from and its offset in them."""

    __slots__ = ("_owners", "_stride", "_width", "given_up", "longest")

    def __init__(self, needles: Collection[str], width: int, stride: int, text: str) -> None:
        self._width = width
        self._stride = stride
        self._owners: dict[str, list[tuple[str, int]]] = {}
        self.longest = max(map(len, needles))
        self.given_up: set[str] = set()
        often = self._sampled(text)
        for needle in needles:
            often.update(self._tried(needle))
        for needle in needles:
            first = self._rarest(needle, often)
            for offset in range(first, first + stride):  # so many that a look falls on one, wherever the needle is
                self._owners.setdefault(needle[offset : offset + width], []).append((needle, offset))

    def find(self, text: str, most: int) -> dict[str, array[int]]:
        """The needles that are in a text, and where they start; those with more than `most` places are given up."""
        owners, width = self._owners, self._width
        looks = range(0, len(text) - width + 1, self._stride)
        found: dict[str, array[int]] = {}
        work: Counter[str] = Counter()
        for look in [look for look in looks if text[look : look + width] in owners]:
            gram = text[look : look + width]
            group = owners.get(gram, ())
            for needle, offset in group:
                if look >= offset and text.startswith(needle, look - offset):
                    found.setdefault(needle, array("Q")).append(look - offset)
                    if len(found[needle]) > most:
                        self.given_up.add(needle)
            work[gram] += len(group)
            if work[gram] > _BUSY:
                self.given_up.update(needle for needle, _ in owners.pop(gram, ()))
        return {needle: array("Q", sorted(starts)) for needle, starts in found.items() if needle not in self.given_up}

    def _rarest(self, needle: str, often: Counter[str]) -> int:
        """The offset of the first n-gram to take."""
        sums = list(accumulate(map(often.__getitem__, self._tried(needle)), initial=0))
        firsts = range(len(sums) - self._stride)
        return self._start(needle) + min(firsts, key=lambda at: sums[at + self._stride] - sums[at])

    def _tried(self, needle: str) -> list[str]:
        """The n-grams of a needle among which the rarest are looked for."""
        start, width = self._start(needle), self._width
        end = min(start + _TRIED + self._stride - 1, len(needle) - width + 1)
        return [needle[at : at + width] for at in range(start, end)]

    def _start(self, needle: str) -> int:
        """Behind the indentation, which every line has, where the rest of the needle is long enough."""
        return min(len(needle) - len(needle.lstrip()), len(needle) - self._width - self._stride + 1)

    def _sampled(self, text: str) -> Counter[str]:
        """How often n-grams occur in a part of a text."""
        counts: Counter[str] = Counter()
        for start in range(0, len(text), max(len(text) // _SAMPLES, _SAMPLE)):
            counts.update(text[at : at + self._width] for at in range(start, start + _SAMPLE))
        return counts
