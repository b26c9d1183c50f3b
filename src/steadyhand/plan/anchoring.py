"""Where the runs of a snippet stand in a file: each in one place, one after the other.

A run is found by rows that stand once in the file and once in the snippet, or, between the runs around it, by the
stretch of rows that says most and stands there once: its pins (`plan/snippet_pins.py`). From these it reaches up and
down to its first and last row (`plan/snippet_edges.py`). What stands between the first and the last row of a run is
what the run says; what stands outside stays. So a place is two borders, and each of them is certain or the snippet is
refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from steadyhand.lazy import dataclass
from steadyhand.plan.snippet_compare import Key, VisibleRows, letters_in
from steadyhand.plan.snippet_edges import Edge, settle
from steadyhand.plan.snippet_pins import KNOWN, Pin, Pinned, pin_runs
from steadyhand.plan.snippet_readings import EdgeRow
from steadyhand.plan.snippet_refusals import Refusals
from steadyhand.plan.snippet_rows import Run
from steadyhand.text.indent import Carried, Pair, carry, indent_of, unit_of

__all__ = ["Placed", "place_runs"]

_INSIDE = 80  # rows from the outermost pin to one that is asked instead
_WORD = 2  # letters and digits
_NEAR = 30  # rows around a run in which no row of it may stand once more
_AROUND = 300  # rows on either side of a run that are looked at
_TOP = 5_000  # rows of the file that show its level of indentation


@dataclass(frozen=True, slots=True)
class Placed:
    """A run and the places `start:end` of the file it stands for; `carried` takes its indentation to the file's.

    `is_firm`: the rows that it was found by say so much that they are not there by chance.
    """

    run: Run
    rows: VisibleRows
    start: int
    end: int
    carried: Carried
    is_firm: bool


def place_runs(file: VisibleRows, runs: Sequence[Run], key: Key, refuse: Refusals) -> list[Placed]:
    """Every run that may change something, in its place. Refuses what has no place, several, or no clear border."""
    plain = [_plain(run, file, key) for run in runs]
    unit = unit_of(file.texts[:_TOP])
    placed = [
        _Placing(pinned, file, unit, refuse).placed()
        for pinned in pin_runs(file, plain, [VisibleRows(run.rows, key) for run in plain], refuse)
    ]
    for before, after in pairwise(placed):
        if before.end > after.start:
            raise refuse.overlapping(after.run, before.run, before.end - 1)
        if before.end == after.start and before.run.dots:
            raise refuse.idle_mark(before.run, before.end - 1)
    return placed


def _plain(run: Run, file: VisibleRows, key: Key) -> Run:
    """The run without line numbers, if more of it stands in the file then."""
    bare = run.without_numbers()
    return bare if bare is not None and _known(bare, file, key) > _known(run, file, key) else run


def _known(run: Run, file: VisibleRows, key: Key) -> int:
    return sum(key(text) in file.places for text in run.rows if text.strip())


class _Placing:
    """One run whose pins are known."""

    def __init__(self, pinned: Pinned, file: VisibleRows, unit: str | None, refuse: Refusals) -> None:
        self._pinned, self._rows, self._pins = pinned, pinned.rows, pinned.pins
        self._file, self._refuse = file, refuse
        self._carried = self._find_carried(unit)

    def placed(self) -> Placed:
        """The run between its two borders."""
        run, above, below = self._pinned.run, self._edge(is_above=True), self._edge(is_above=False)
        reach = [settle(edge) for edge in (above, below)]
        if reach[0] is None or reach[1] is None:
            raise self._refuse.open_edge(run, above if reach[0] is None else below)
        start, end = above.here.number - reach[0], below.here.number + 1 + reach[1]
        self._check_borders((0, start), (len(self._rows) - 1, end - 1))
        for row, place in self._pinned.dropped:
            if not start <= place < end and start - _NEAR <= place < end + _NEAR:
                raise self._refuse.doubled(run, self._rows.numbers[row], place)
        words = [letters_in(self._rows.texts[row]) for row, _ in self._pins]
        return Placed(run, self._rows, start, end, self._carried, max(words) >= KNOWN or sum(words) >= 3 * KNOWN)

    def _check_borders(self, *borders: Pin) -> None:
        """Refuse a run whose first or last row moves sideways: what belongs to it may go on beyond the run."""
        for row, place in borders:
            indent = self._carried(indent_of(self._rows.texts[row]), row)
            if self._rows.keys[row] == self._file.keys[place] and indent not in (
                None,
                indent_of(self._file.texts[place]),
            ):
                raise self._refuse.reindented(self._pinned.run, self._rows.numbers[row], place)

    def _find_carried(self, theirs: str | None) -> Carried:
        """How the indentation of the run is taken to the file's: by one rule for all pins, or not at all.

        Where some rows are moved sideways and the leftmost are not, the snippet means what it shows.
        """
        texts, others = self._rows.texts, self._file.texts
        pairs = [Pair(row, indent_of(texts[row]), indent_of(others[place])) for row, place in self._pins]
        ours = unit_of(texts)
        if ours and theirs and (ours == "\t") != (theirs == "\t") and not any(pair.before for pair in pairs):
            pairs.append(Pair(len(texts), ours, theirs))  # rows at the margin do not show that tabs and blanks differ
        carried = carry(pairs, ours, theirs)
        if carried.is_rule and all(carried(pair.before, pair.row) == pair.after for pair in pairs):
            return carried
        least = min(len(pair.before) for pair in pairs)
        is_same = all(pair.before == pair.after for pair in pairs if len(pair.before) == least)
        return Carried((lambda indent: indent) if is_same else None, tuple(pairs))

    def _origin(self, *, is_above: bool) -> Pin:
        """The pin from which a border is looked for: the nearest that says much, or else the farthest.

        Rows that are new may well be like rows nearby; a short one that stands once somewhere may be one of these.
        """
        outermost = self._pins if is_above else self._pins[::-1]
        border = 0 if is_above else len(self._rows) - 1
        if outermost[0][0] == border and self._is_firm(is_above=is_above):
            return outermost[0]
        near = [pin for pin in outermost if abs(pin[0] - outermost[0][0]) <= _INSIDE]
        return next((pin for pin in near if letters_in(self._rows.texts[pin[0]]) >= KNOWN), near[-1])

    def _edge(self, *, is_above: bool) -> Edge:
        """One side of a run: upwards from a pin, or downwards."""
        run, (row, place), (low, high) = self._pinned.run, self._origin(is_above=is_above), self._pinned.zone
        rows = range(row, -1, -1) if is_above else range(row, len(self._rows))
        around = _AROUND if len(rows) > 1 else 1
        places = range(place, max(low - 1, place - around), -1) if is_above else range(place, min(high, place + around))
        ours = [self._ours(at, is_above=is_above) for at in rows]
        theirs = [self._theirs(at, is_above=is_above) for at in places]
        return Edge(
            theirs[0],
            ours[1:],
            theirs[1:],
            is_end=low == 0 if is_above else high == len(self._file),
            is_above=is_above,
            is_marked=run.above if is_above else run.below,
        )

    def _ours(self, row: int, *, is_above: bool) -> EdgeRow:
        text = self._rows.texts[row]
        blanks = self._rows.blanks_before(row if is_above else row + 1)
        return EdgeRow(row, text, self._rows.keys[row], self._carried(indent_of(text), row), blanks)

    def _theirs(self, place: int, *, is_above: bool) -> EdgeRow:
        text = self._file.texts[place]
        blanks = self._file.blanks_before(place if is_above else place + 1)
        return EdgeRow(place, text, self._file.keys[place], indent_of(text), blanks)

    def _is_firm(self, *, is_above: bool) -> bool:
        """Whether two rows with words go side by side from the outermost pin inwards, or one with several."""
        keys, others = self._rows.keys, self._file.keys
        row, place = self._pins[0] if is_above else self._pins[-1]
        step = 1 if is_above else -1
        words: list[int] = []
        while 0 <= row < len(keys) and 0 <= place < len(others) and keys[row] == others[place]:
            words.append(letters_in(keys[row]))
            row, place = row + step, place + step
        return sum(count >= _WORD for count in words) > 1 or max(words) >= KNOWN
