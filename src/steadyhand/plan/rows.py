"""Lines of a running text, counted without putting the text together.

Whether a line starts somewhere depends on the two characters around that place. So only the places inside and at the
edges of what was written can differ from the original: each run of touching writes is looked at once, and everything
between two runs is the original's own table, moved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from steadyhand.lazy import dataclass
from steadyhand.plan.draft import Write
from steadyhand.text.lines import body
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of touching writes: the row its first line start has, those starts, and what to take off after it."""

    first_row: int
    starts: tuple[int, ...]
    rows_gained: int
    moved: int


class RunningRows:
    """The rows of the text after the writes that `of` was given last."""

    def __init__(self, source: Source, read: Callable[[int, int], str]) -> None:
        self._source = source
        self._read = read
        self._runs: list[_Run] = []
        self._first_rows: list[int] = []
        self._length = 0
        self._seen: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
        self.count = 0

    def reading(self, text: str) -> RunningRows:
        """Rows of their own for a text that has been put together; what both learn of writes they share."""
        rows = RunningRows(self._source, lambda start, end: text[max(start, 0) : end])
        rows._seen = self._seen
        return rows

    def of(self, writes: Sequence[Write]) -> RunningRows:
        """These rows, for the text that has these writes."""
        self._runs = []
        moved = gained = 0
        self._length = len(self._source.text) + sum(write.delta for write in writes)
        for run in _touching(writes):
            span = Span(run[0].span.start, run[-1].span.end)
            now = span.start + moved
            moved += sum(write.delta for write in run)
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

    def _compare(self, run: Sequence[Write], span: Span, now: Span) -> tuple[int, tuple[int, ...]]:
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


def _touching(writes: Sequence[Write]) -> Iterator[list[Write]]:
    run: list[Write] = []
    for write in writes:
        if run and run[-1].span.end < write.span.start:
            yield run
            run = []
        run.append(write)
    if run:
        yield run


def _is_start(text: str, at: int) -> bool:
    """Whether a line starts at a place of a text whose end is no line start."""
    if at >= len(text):
        return False
    return at == 0 or text[at - 1] == "\n" or (text[at - 1] == "\r" and text[at] != "\n")
