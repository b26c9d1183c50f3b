"""Runs of whole lines that resemble a needle of lines.

Candidates come from `text/seeds.py`. Each is aligned with the needle and measured; the edges of the best are moved
line by line while that makes them more alike. Bounded by budgets: many lines mean fewer candidates, never a long wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.lazy import LazyModule, dataclass, field
from steadyhand.text.bare_lines import bare_lines
from steadyhand.text.diff import equal_pairs
from steadyhand.text.lines import body, line_ending, split_lines
from steadyhand.text.resemblance import Measure, Resemblance, shared_at_most, shared_weight
from steadyhand.text.seeds import find_rows
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from rapidfuzz import distance, process
else:
    distance, process = LazyModule("rapidfuzz.distance"), LazyModule("rapidfuzz.process")  # only a refusal needs them

__all__ = ["find_windows"]

_ROWS = 200_000  # lines that are aligned, over all candidates
_LIKELY = 4  # candidates, those with most votes, of which one must be like the needle for others to be looked at
_MOST_GAINED = 2.0  # lines of the needle by which a window may become more alike when its edges are moved
_REFINED = 5  # windows whose edges are moved
_BEHIND = 0.2  # by how much less than the best one may rank for that
_MOVED = 400  # lines of a needle up to which they are
_STEPS = 6
_STEPS_ASIDE = (0, -1, 1, -2, 2, -3, 3, -4, 4)  # rows around a counted edge that are looked at, the nearest first
_SHORT = 2_000  # code points of a line that are compared at an edge
_FLOOR = 0.5  # two lines that have nothing to do with each other are often this much alike
_SAME = 0.25  # a line that is there as it is says more about the place than characters that happen to agree


def find_windows(source: Source, wanted: Sequence[str], floor: float = 0.0) -> list[Resemblance]:
    """The places that resemble these lines, best first; of those less alike than `floor` only some of the best."""
    rows = [line.strip() for line in wanted]
    search = _Search(source, wanted, rows, Measure(wanted), Counter(rows), _Lines(source))
    most = max(1, _ROWS // len(wanted))
    starts = find_rows(source, search.rows)[:most]
    windows = dict.fromkeys(window for first in starts[:_LIKELY] for window in search.windows(first))
    hopeful = floor - _MOST_GAINED / len(wanted)
    if not any(search.bound(*window).similarity >= hopeful for window in windows):
        return []  # the likeliest places are not like the needle, so the others are not either
    windows |= dict.fromkeys(window for first in starts[_LIKELY:] for window in search.windows(first))
    found = search.ranked(windows, floor)
    if len(wanted) > _MOVED:
        return [resemblance for resemblance, _ in found]
    near = [pair for pair in found[:_REFINED] if pair[0].rank > found[0][0].rank - _BEHIND]
    near = [pair for pair in near if pair[0].similarity >= hopeful]
    return [search.refine(*pair) for pair in near] + [resemblance for resemblance, _ in found[len(near) :]]


class _Lines:
    """Lines of a text: those that have been cut, or they are cut each time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known = bare_lines(source)

    def lines(self, start: int, end: int) -> list[str]:
        """With their endings."""
        if self._known is not None:
            return self._known.lines(start, end)
        return split_lines(self._source.table.span_of(start, end - 1).of(self._source.text))

    def rows(self, start: int, end: int) -> list[str]:
        """Without the blanks around them."""
        if self._known is not None:
            return self._known.stripped[start:end]
        return list(map(str.strip, self._source.table.texts(start, end)))


class _Bound(NamedTuple):
    """What is known of a window: how alike it is, its rows without blanks around them, and a rank, perhaps too high."""

    rank: float
    span: Span
    similarity: float
    rows: list[str]
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class _Search:
    """The needle's lines, as they are and without the blanks around them, and where they are looked for."""

    source: Source
    wanted: Sequence[str]
    rows: Sequence[str]
    needle: Measure
    counts: Counter[str]
    known: _Lines
    measured: dict[tuple[int, int], _Bound] = field(default_factory=dict)

    def windows(self, first: int) -> Iterator[tuple[int, int]]:
        """The rows from about `first` that may answer to the needle; none where a line is out of all proportion."""
        table = self.source.table
        slack = max(3, len(self.wanted) // 4)
        first = max(0, min(first, table.count - 1))
        low, high = max(0, first - slack), min(table.count, first + len(self.wanted) + slack)
        if table.span_of(low, high - 1).length <= 8 * self.needle.length + 10_000:
            lines = self.known.rows(low, high)
            for start, end in _extents(self.rows, lines, first - low):
                yield low + max(0, start), low + min(len(lines), end)

    def measure(self, start: int, end: int) -> Resemblance:
        """How much the rows from `start` to before `end` are like the needle."""
        found = self.bound(start, end)
        if not found.is_exact:
            rank = found.similarity + _SAME * shared_weight(self.rows, found.rows)
            found = self.measured[start, end] = found._replace(rank=rank, is_exact=True)
        return Resemblance(found.rank, found.span, found.similarity)

    def bound(self, start: int, end: int) -> _Bound:
        """The same, with a rank that may be too high: rows that both have count in whatever order they are."""
        known = self.measured.get((start, end))
        if known is None:
            table = self.source.table
            lines = self.known.lines(start, end)
            if not line_ending(self.wanted[-1]):
                lines[-1] = body(lines[-1])
            similarity, rows = self.needle.alike(lines), self.known.rows(start, end)
            span = Span(table.start(start), table.start(start) + sum(map(len, lines)))
            rank = similarity + _SAME * shared_at_most(self.counts, rows)
            known = self.measured[start, end] = _Bound(rank, span, similarity, rows)
        return known

    def ranked(self, windows: Iterable[tuple[int, int]], floor: float) -> list[tuple[Resemblance, tuple[int, int]]]:
        """The windows from the best on: all that are as alike as the floor, and so many of the best as are refined.

        A window is compared row by row only where its bound leaves it a chance to be one of them.
        """
        open_windows = sorted(windows, key=lambda window: -self.bound(*window).rank)
        found: list[tuple[Resemblance, tuple[int, int]]] = []
        for window in open_windows:
            bound = self.bound(*window)
            if bound.similarity >= floor or len(found) < _REFINED or bound.rank >= sorted(found)[-_REFINED][0].rank:
                found.append((self.measure(*window), window))
        return sorted(found)[::-1]

    def refine(self, best: Resemblance, window: tuple[int, int]) -> Resemblance:
        """The window with its edges moved, a line at a time, to where it ranks highest."""
        for _ in range(_STEPS):
            hopeful = [near for near in self._beside(*window) if self.bound(*near).rank > best.rank]
            moved = max([(self.measure(*near), near) for near in hopeful], default=None)
            if moved is None or moved[0].rank <= best.rank:
                break
            best, window = moved
        return best

    def _beside(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        yield max(start - 1, 0), end
        yield start, min(end + 1, self.source.table.count)
        if end - start > 1:
            yield start + 1, end
            yield start, end - 1


def _extents(rows: Sequence[str], lines: Sequence[str], guess: int) -> Iterator[tuple[int, int]]:
    """From where to where the lines may answer to the needle's rows.

    The first and the last telling pair that agree say so, and the needle's rows beyond them are counted off; or the
    line nearby that is most like the needle's edge is taken for its edge.
    """
    shared = [row for row in set(rows).intersection(lines) if len(row) > 3]
    pairs = [(row, line) for row, line in equal_pairs(rows, lines) if len(rows[row]) > 3] if shared else []
    first_row, first_line = pairs[0] if pairs else (0, guess)
    last_row, last_line = pairs[-1] if pairs else (len(rows) - 1, guess + len(rows) - 1)
    counted = first_line - first_row, last_line + len(rows) - last_row
    start = _edge(rows, lines, counted[0])
    end = len(lines) - _edge(rows[::-1], lines[::-1], len(lines) - counted[1])
    for window in {counted: None, (start, end): None}:
        if max(window[0], 0) < min(window[1], len(lines)):
            yield window


def _edge(rows: Sequence[str], lines: Sequence[str], guess: int) -> int:
    """Where the needle starts, judged by its first line that is not blank; `guess` if no line nearby is like it."""
    place = next(place for place, row in enumerate(rows) if row)
    near = [at for at in (guess + step for step in _STEPS_ASIDE) if 0 <= at + place < len(lines)]
    texts = [lines[at + place][:_SHORT] for at in near]
    scorer = distance.Indel.normalized_similarity
    best = process.extractOne(rows[place][:_SHORT], texts, scorer=scorer, score_cutoff=_FLOOR)
    return guess if best is None or best[1] <= _FLOOR else near[best[2]]
