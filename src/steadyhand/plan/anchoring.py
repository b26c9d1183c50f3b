"""Where the runs of a snippet stand in a file: each in one place, one after the other.

A run is found by rows that stand once in the file and once in the snippet, or, between the runs around it, by the
longest stretch of rows that stands there once. From these rows it reaches up and down to its first and last row
(`plan/snippet_edges.py`). What stands between the first and the last row of a run is what the run says; what stands
outside stays. So a place is two borders, and each of them is certain or the snippet is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from steadyhand.plan.snippet_compare import Key, VisibleRows, is_telling
from steadyhand.plan.snippet_edges import Edge, EdgeRow, settle
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rows import Run
from steadyhand.text.diff import diff_rows, equal_pairs
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of

__all__ = ["Placed", "find_rival", "place_runs"]

_OFTEN = 2_000  # places of a row beyond which it is not looked at
_WORK = 400_000  # rows compared while stretches are looked for
_INSIDE = 80  # rows from the border of a run
_WORD = 2  # letters and digits
_KNOWN = 16  # letters and digits by which a row alone is known
_SLACK = 2  # rows more that may differ in a place that is as likely
_NEAR = 30  # rows around a run in which no row of it may stand once more
_AROUND = 1_000  # rows on either side of a run that are looked at

_Stretch = tuple[int, int, int, int]  # first row, its place, how many rows, and how many letters and digits
Pin = tuple[int, int]  # a row of a run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Placed:
    """A run and the places `start:end` of the file it stands for; `carried` takes its indentation to the file's."""

    run: Run
    rows: VisibleRows
    start: int
    end: int
    carried: Carried
    is_firm: bool


def place_runs(file: VisibleRows, runs: Sequence[Run], key: Key, refuse: Refusals) -> list[Placed]:
    """Every run that may change something, in its place. Refuses what has no place, several, or no clear border."""
    anchoring = _Anchoring(file, [_plain(run, file, key) for run in runs], key, refuse)
    anchoring.pin()
    placed = [found for number in range(len(runs)) if (found := anchoring.place(number)) is not None]
    for before, after in pairwise(placed):
        if before.end > after.start:
            raise refuse.overlapping(after.run, before.run, before.end - 1)
    return placed


def _plain(run: Run, file: VisibleRows, key: Key) -> Run:
    """The run without line numbers, if more of it stands in the file then."""
    bare = run.without_numbers()
    return bare if bare is not None and _known(bare, file, key) > _known(run, file, key) else run


def _known(run: Run, file: VisibleRows, key: Key) -> int:
    return sum(key(text) in file.places for text in run.rows if text.strip())


class _Anchoring:
    """The runs of one snippet in one file."""

    def __init__(self, file: VisibleRows, runs: Sequence[Run], key: Key, refuse: Refusals) -> None:
        self._file, self._runs, self._refuse = file, runs, refuse
        self._rows = [VisibleRows(run.rows, key) for run in runs]
        self._pins: list[list[Pin]] = [[] for _ in runs]
        self._dropped: list[list[Pin]] = [[] for _ in runs]
        self._counts = Counter(key for rows in self._rows for key in rows.keys)
        self._work = _WORK

    def pin(self) -> None:
        """Find the rows that stand once on both sides, as many as keep their order; then something for every run."""
        singles = [single for number in range(len(self._runs)) for single in self._inside(number)]
        by_place = sorted(singles, key=lambda single: single[2])
        rising = {at for at, _ in equal_pairs([key for *_, key in singles], [key for *_, key in by_place])}
        for at, (number, row, place, _) in enumerate(singles):
            (self._pins if at in rising else self._dropped)[number].append((row, place))
        for number, pins in enumerate(self._pins):
            if not pins and self._dropped[number]:
                raise self._refuse.out_of_order(self._runs[number], self._dropped[number][0][1])
        for number, pins in enumerate(self._pins):
            if not pins:
                self._pins[number] = self._stretch(number)

    def _inside(self, number: int) -> list[tuple[int, int, int, str]]:
        """The rows of a run that stand once on both sides, without those beyond its first and its last row.

        A run begins and ends with what stays; a row of it that stands once, and beyond these, is new here.
        """
        rows = self._rows[number]
        singles = [
            (number, row, self._file.places[key][0], key)
            for row, key in enumerate(rows.keys)
            if self._counts[key] == 1 and len(self._file.places.get(key, ())) == 1 and is_telling(key)
        ]
        at = {row: place for _, row, place, _ in singles}
        low, high = at.get(0, 0), at.get(len(rows) - 1, len(self._file))
        if low > high:
            raise self._refuse.doubled(self._runs[number], rows.numbers[-1], high)
        self._dropped[number] = [(row, place) for _, row, place, _ in singles if not low <= place <= high]
        return [single for single in singles if low <= single[2] <= high]

    def _zone(self, number: int) -> tuple[int, int]:
        """The places between the pins of the runs around a run."""
        before = [pins[-1][1] + 1 for pins in self._pins[:number] if pins]
        after = [pins[0][1] for pins in self._pins[number + 1 :] if pins]
        return (before[-1] if before else 0), (after[0] if after else len(self._file))

    def _stretch(self, number: int) -> list[Pin]:
        """The stretch of a run that says most, if it stands once in its zone; nothing for a run that is mere context."""
        run, rows = self._runs[number], self._rows[number]
        found = sorted(self._stretches(number), key=lambda one: (-one[3], one))
        if not found:
            raise self._refuse.no_anchor(run)
        row, place, size, weight = found[0]
        rivals = [one for one in found[1:] if 2 * one[3] > weight and not _is_beside(one, found[0])]
        if not rivals:
            return [(row + step, place + step) for step in range(size)]
        if size == len(rows) and len(self._runs) > 1:
            return []
        places = sorted({place, *(at for _, at, _, _ in rivals)})
        raise self._refuse.ambiguous(run, rows.numbers[row], rows.numbers[row + size - 1], places)

    def _stretches(self, number: int) -> Iterator[_Stretch]:
        """Where rows of a run and rows of the file go side by side."""
        keys, (low, high) = self._rows[number].keys, self._zone(number)
        places = [self._file.places.get(key, []) for key in keys]
        rare = [len(found) <= _OFTEN for found in places]
        for row in range(len(keys)):
            for place in places[row] if rare[row] else ():
                if not low <= place < high:
                    continue
                if row and place > low and rare[row - 1] and keys[row - 1] == self._file.keys[place - 1]:
                    continue  # it has begun before
                size = self._size(number, row, place, high)
                weight = sum(sum(map(str.isalnum, key)) for key in keys[row : row + size])
                if weight >= _WORD:
                    yield row, place, size, weight

    def _size(self, number: int, row: int, place: int, high: int) -> int:
        keys, size = self._rows[number].keys, 1
        while row + size < len(keys) and place + size < high and keys[row + size] == self._file.keys[place + size]:
            size += 1
        self._work -= size
        if self._work < 0:
            raise self._refuse.no_anchor(self._runs[number])
        return size

    def place(self, number: int) -> Placed | None:
        """One run between its two borders; None where it is nothing but context."""
        if not self._pins[number]:
            return None
        carried = self._carried(number)
        above, below = (self._edge(number, carried, is_above=is_above) for is_above in (True, False))
        reach = [settle(edge) for edge in (above, below)]
        if reach[0] is None or reach[1] is None:
            raise self._refuse.open_edge(self._runs[number], above if reach[0] is None else below)
        start, end = above.here.number - reach[0], below.here.number + 1 + reach[1]
        for row, place in self._dropped[number]:
            if not start <= place < end and start - _NEAR <= place < end + _NEAR:
                raise self._refuse.doubled(self._runs[number], self._rows[number].numbers[row], place)
        return Placed(self._runs[number], self._rows[number], start, end, carried, self._is_told(number))

    def _is_told(self, number: int) -> bool:
        """Whether the pins of a run say so much that they are not there by chance."""
        words = [sum(map(str.isalnum, self._rows[number].texts[row])) for row, _ in self._pins[number]]
        return max(words) >= _KNOWN or sum(words) >= 3 * _KNOWN

    def _origin(self, number: int, *, is_above: bool) -> Pin:
        """The pin from which a border is looked for: the nearest that says much, or else the farthest.

        Rows that are new may well be like rows nearby; a short one that stands once somewhere may be one of these.
        """
        rows, pins = self._rows[number], self._pins[number]
        outermost = pins if is_above else pins[::-1]
        if outermost[0][0] == (0 if is_above else len(rows) - 1) and self._is_firm(number, is_above=is_above):
            return outermost[0]
        near = [pin for pin in outermost if abs(pin[0] - outermost[0][0]) <= _INSIDE]
        return next((pin for pin in near if sum(map(str.isalnum, rows.texts[pin[0]])) >= _KNOWN), near[-1])

    def _carried(self, number: int) -> Carried:
        rows, pins = self._rows[number], self._pins[number]
        pairs = [Pair(row, indent_of(rows.texts[row]), indent_of(self._file.texts[place])) for row, place in pins]
        around = self._file.texts[max(0, pins[0][1] - _AROUND) : pins[-1][1] + _AROUND]
        ours, theirs = unit_of(rows.texts), unit_of(around)
        if ours and theirs and (ours == "\t") != (theirs == "\t") and not any(pair.before for pair in pairs):
            pairs.append(Pair(len(rows), ours, theirs))  # rows at the margin do not show that tabs and blanks differ
        carried = carry(pairs, ours, theirs)
        if all(carried(pair.before, pair.row) == pair.after for pair in pairs) and carried.is_rule:
            return carried
        least = min(len(pair.before) for pair in pairs)
        is_same = all(pair.before == pair.after for pair in pairs if len(pair.before) == least)
        return Carried((lambda indent: indent) if is_same else None, tuple(pairs))

    def _edge(self, number: int, carried: Carried, *, is_above: bool) -> Edge:
        """One side of a run: upwards from a pin, or downwards."""
        run, (row, place), (low, high) = self._runs[number], self._origin(number, is_above=is_above), self._zone(number)
        rows = range(row, -1, -1) if is_above else range(row, len(self._rows[number]))
        places = (
            range(place, max(low, place - _AROUND) - 1, -1) if is_above else range(place, min(high, place + _AROUND))
        )
        ours = [self._ours(number, at, carried, is_above=is_above) for at in rows]
        theirs = [self._theirs(at, is_above=is_above) for at in places]
        return Edge(
            ours[0],
            theirs[0],
            ours[1:],
            theirs[1:],
            is_end=low == 0 if is_above else high == len(self._file),
            is_above=is_above,
            is_marked=run.above if is_above else run.below,
            is_firm=self._is_firm(number, is_above=is_above),
        )

    def _ours(self, number: int, row: int, carried: Carried, *, is_above: bool) -> EdgeRow:
        rows = self._rows[number]
        blanks = rows.blanks_before(row if is_above else row + 1)
        return EdgeRow(row, rows.texts[row], rows.keys[row], carried(indent_of(rows.texts[row]), row), blanks)

    def _theirs(self, place: int, *, is_above: bool) -> EdgeRow:
        text = self._file.texts[place]
        blanks = self._file.blanks_before(place if is_above else place + 1)
        return EdgeRow(place, text, self._file.keys[place], indent_of(text), blanks)

    def _is_firm(self, number: int, *, is_above: bool) -> bool:
        """Whether two rows with words go side by side from the outermost pin inwards, or one with several."""
        keys, pins = self._rows[number].keys, self._pins[number]
        row, place = pins[0] if is_above else pins[-1]
        step = 1 if is_above else -1
        words = []
        while 0 <= row < len(keys) and 0 <= place < len(self._file) and keys[row] == self._file.keys[place]:
            words.append(sum(map(str.isalnum, keys[row])))
            row, place = row + step, place + step
        return sum(count >= _WORD for count in words) > 1 or max(words) >= _KNOWN


def _is_beside(one: _Stretch, two: _Stretch) -> bool:
    """Whether one stretch is before the other in the run and in the file."""
    first, second = sorted((one, two))
    return first[0] + first[2] <= second[0] and first[1] + first[2] <= second[1]


def find_rival(placed: Placed, file: VisibleRows) -> int | None:
    """Another place in which a run would change about as little, from its first row to its last.

    Its new rows may be just what makes that place like this one. A run that changes nothing here is mostly meant to
    change something, so that for it a place counts that has half of its rows; and where no row of it says much, a place
    counts in which all that is new comes together.
    """
    keys = placed.rows.keys
    least = _difference(keys, file.keys[placed.start : placed.end])
    limit = least.rows + _SLACK if least.rows else len(keys) // 2
    if placed.is_firm and sum(len(file.places.get(key, ())) == 1 for key in keys) > limit:
        return None  # these rows are not there, wherever that is
    work = _WORK
    for start in file.places.get(keys[0], ()):
        for end in range(start + 1, min(len(file), start + len(keys) + limit) + 1):
            if file.keys[end - 1] != keys[-1] or (start, end) == (placed.start, placed.end):
                continue
            work -= len(keys) + end - start
            if work < 0:
                return start
            other = _difference(keys, file.keys[start:end])
            is_apart = start != placed.start and end != placed.end
            is_likely = other.rows <= limit if is_apart else other.rows < least.rows
            if is_likely or (not placed.is_firm and 0 < other.places <= least.places):
                return start
    return None


class _Difference(NamedTuple):
    """How many rows differ, and in how many places."""

    rows: int
    places: int


def _difference(keys: Sequence[str], others: Sequence[str]) -> _Difference:
    changes = diff_rows(keys, others)
    rows = sum(change.before_end - change.before_start + change.after_end - change.after_start for change in changes)
    return _Difference(rows, len(changes))
