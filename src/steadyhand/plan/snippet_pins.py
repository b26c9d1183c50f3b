"""The rows by which the runs of a snippet are found in a file: those that can stand in one place only.

First the rows with words that stand once in the file and once in the snippet, as many as keep their order. A run that
has none of these is looked for between the runs around it, by the stretch of rows that says most; it must stand there
once, and nothing else of the run may stand there nearly as long. A run that stands there whole and more than once is
context only: whichever is meant, nothing changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steadyhand.lazy import dataclass
from steadyhand.plan.snippet_compare import VisibleRows, is_telling, letters_in
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rows import Run
from steadyhand.text.diff import equal_pairs

__all__ = ["KNOWN", "Pin", "Pinned", "pin_runs"]

KNOWN = 16  # letters and digits by which a row alone is known
_OFTEN = 2_000  # places of a row beyond which no stretch begins with it
_WORK = 400_000  # rows compared while stretches are looked for
_WORD = 2  # letters and digits

Pin = tuple[int, int]  # a row of a run and its place in the file, both among the rows that are not blank


@dataclass(frozen=True, slots=True)
class Pinned:
    """A run, its pins from the top, and the places between the runs around it.

    `dropped` are rows that stand once on both sides and do not fit: they are new here, or moved.
    """

    run: Run
    rows: VisibleRows
    pins: Sequence[Pin]
    dropped: Sequence[Pin]
    zone: tuple[int, int]


class _Stretch(NamedTuple):
    """Rows of a run that go side by side with rows of the file."""

    row: int
    place: int
    size: int
    weight: int

    def is_beside(self, other: _Stretch) -> bool:
        """Whether one comes before the other in the run and in the file."""
        first, second = sorted((self, other))
        return first.row + first.size <= second.row and first.place + first.size <= second.place


def pin_runs(file: VisibleRows, runs: Sequence[Run], rows: Sequence[VisibleRows], refuse: Refusals) -> list[Pinned]:
    """Every run that is not mere context, with its pins. Refuses what is nowhere, or in several places."""
    pinning = _Pinning(file, runs, rows, refuse)
    pinning.pin_singles()
    pinning.pin_stretches()
    return list(pinning.pinned())


class _Pinning:
    """The runs of one snippet in one file."""

    def __init__(self, file: VisibleRows, runs: Sequence[Run], rows: Sequence[VisibleRows], refuse: Refusals) -> None:
        self._file, self._runs, self._rows, self._refuse = file, runs, rows, refuse
        self._pins: list[list[Pin]] = [[] for _ in runs]
        self._dropped: list[list[Pin]] = [[] for _ in runs]
        self._work = _WORK

    def pinned(self) -> Iterator[Pinned]:
        zones = self._zones()
        for number, pins in enumerate(self._pins):
            if pins:
                run, rows, dropped = self._runs[number], self._rows[number], self._dropped[number]
                yield Pinned(run, rows, pins, dropped, next(zones))

    def _zones(self) -> Iterator[tuple[int, int]]:
        """For each run that has pins the places between the pins of the runs around it."""
        ends = [(pins[0][1], pins[-1][1] + 1) for pins in self._pins if pins]
        for number in range(len(ends)):
            low = ends[number - 1][1] if number else 0
            yield low, ends[number + 1][0] if number + 1 < len(ends) else len(self._file)

    def pin_singles(self) -> None:
        """The rows that stand once on both sides, as many as keep their order."""
        counts = Counter(key for rows in self._rows for key in rows.keys)
        singles = [
            (number, row, place) for number in range(len(self._runs)) for row, place in self._inside(number, counts)
        ]
        order = sorted(range(len(singles)), key=lambda at: singles[at][2])
        names = [str(at) for at in range(len(singles))]
        rising = {at for at, _ in equal_pairs(names, [names[at] for at in order])}
        for at, (number, row, place) in enumerate(singles):
            (self._pins if at in rising else self._dropped)[number].append((row, place))
        for number, pins in enumerate(self._pins):
            if not pins and self._dropped[number]:
                raise self._refuse.out_of_order(self._runs[number], self._dropped[number][0][1])

    def _inside(self, number: int, counts: Counter[str]) -> list[Pin]:
        """The rows of a run that stand once on both sides, without those beyond its first and its last row.

        A run begins and ends with what stays; a row of it that stands once, and beyond these, is new here.
        """
        rows, places = self._rows[number], self._file.places
        singles = [
            (row, places[key][0])
            for row, key in enumerate(rows.keys)
            if counts[key] == 1 and len(places.get(key, ())) == 1 and is_telling(key)
        ]
        at = dict(singles)
        low, high = at.get(0, 0), at.get(len(rows) - 1, len(self._file))
        if low > high:
            raise self._refuse.doubled(self._runs[number], rows.numbers[-1], high)
        self._dropped[number] = [pin for pin in singles if not low <= pin[1] <= high]
        return [pin for pin in singles if low <= pin[1] <= high]

    def pin_stretches(self) -> None:
        """Something for every run that has no pins yet, from the top."""
        behind = [len(self._file)] * (len(self._runs) + 1)
        for number in range(len(self._runs) - 1, -1, -1):
            behind[number] = self._pins[number][0][1] if self._pins[number] else behind[number + 1]
        low = 0
        for number, pins in enumerate(self._pins):
            if not pins:
                pins.extend(self._stretch(number, low, behind[number + 1]))
            low = pins[-1][1] + 1 if pins else low

    def _stretch(self, number: int, low: int, high: int) -> list[Pin]:
        """The stretch of a run that says most, if it is the only one; nothing for a run that is mere context."""
        run, rows = self._runs[number], self._rows[number]
        found = sorted(self._stretches(number, low, high), key=lambda one: (-one.weight, one))
        if not found:
            raise self._refuse.no_anchor(run)
        best = found[0]
        rivals = [one for one in found[1:] if 2 * one.weight > best.weight and not one.is_beside(best)]
        if not rivals:
            return [(best.row + step, best.place + step) for step in range(best.size)]
        if best.size == len(rows) and len(self._runs) > 1:
            return []
        places = sorted({best.place, *(one.place for one in rivals)})
        raise self._refuse.ambiguous(run, rows.numbers[best.row], rows.numbers[best.row + best.size - 1], places)

    def _stretches(self, number: int, low: int, high: int) -> Iterator[_Stretch]:
        """Where rows of a run and rows of the file go side by side."""
        keys, others = self._rows[number].keys, self._file.keys
        places = [self._file.places.get(key, []) for key in keys]
        rare = [len(found) <= _OFTEN for found in places]
        for row in range(len(keys)):
            for place in places[row] if rare[row] else ():
                if not low <= place < high:
                    continue
                if row and place > low and rare[row - 1] and keys[row - 1] == others[place - 1]:
                    continue  # it has begun before
                size = self._size(number, row, place, high)
                weight = sum(letters_in(key) for key in keys[row : row + size])
                if weight >= _WORD:
                    yield _Stretch(row, place, size, weight)

    def _size(self, number: int, row: int, place: int, high: int) -> int:
        keys, others, size = self._rows[number].keys, self._file.keys, 1
        while row + size < len(keys) and place + size < high and keys[row + size] == others[place + size]:
            size += 1
        self._work -= size
        if self._work < 0:
            raise self._refuse.no_anchor(self._runs[number])
        return size
