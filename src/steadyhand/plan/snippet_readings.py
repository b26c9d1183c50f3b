"""What the rows of a run beyond an anchor may stand for in the file, if the run ends with a row of the file.

Each reading has a cost: a row that is the same costs nothing, one with other words a little, rows that come or go in
one place something, and a row that would then be there twice as much as it says. The best reading is believed only if
every other is clearly worse. Rows are counted from the anchor outwards, on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import dataclass
from steadyhand.plan.snippet_compare import is_telling, letters_in, likeness
from steadyhand.text.diff import equal_pairs

__all__ = ["EdgeRow", "find_reading", "is_turned"]

_NEVER = float("inf")
_MARGIN = 0.8  # by how much the best reading must be better than any other
_LOOSE = 1.0  # what it costs a run not to end with a row of the file
_CHANGE, _ADD, _DROP = 1.0, 0.05, 0.2  # rows that come or go in one place; each that comes; each that goes
_ALIKE = 0.6  # rows less alike than this are not versions of each other
_OTHER = 0.1  # what it costs a row to have other words, however few
_STRAY = 1  # rows more that may go than come before a last row that says little
_LONG = 16  # letters and digits of a row that says as much as a row can


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A row that is not blank: its number there, its text, what it is compared by, and the blank rows beyond it.

    `indent` is its indentation in the file, None where nobody knows it.
    """

    number: int
    text: str
    key: str
    indent: str | None
    blanks: int

    def is_same(self, other: EdgeRow) -> bool:
        """Whether both say the same at the same indentation, as far as that is known."""
        return self.key == other.key and self.indent in (None, other.indent)

    def unlike(self, other: EdgeRow) -> float:
        """What it costs to take one for the other; infinite for rows that are not versions of each other."""
        if self.is_same(other):
            return 0.0
        alike = likeness(self.text, other.text) if is_telling(self.text) else 0.0
        return _OTHER + 1 - alike if alike >= _ALIKE else _NEVER


def find_reading(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> int | None:
    """How many rows of the file the new rows stand for, if one reading is clearly the best.

    Where the same row stands nearer as well, all that is new may have come in before it; rows that are like those
    beyond are no reason against that, for what is added is often made after what is there. And where all rows of the
    run stand in the file, there may be nothing new at all, but rows between them that are to go.
    """
    same, other = _costs(new, file)
    if not same:
        return None
    best = min(same, key=lambda count: (same[count], count))
    if same[best] and min(same) < best:
        return None
    if not _is_part(new, file[:best]) and any(_is_part(new, file[:count]) for count in same):
        return None
    if not is_telling(new[-1].text) and not _is_close(new, file[:best]):
        return None
    rivals = [cost for count, cost in same.items() if count != best] + [cost + _LOOSE for cost in other]
    return best if all(cost > same[best] + _MARGIN for cost in rivals) else None


def is_turned(new: Sequence[EdgeRow], file: Sequence[EdgeRow], found: int) -> bool:
    """Whether the last row is the first one of what is added, seen from the other end.

    `}` and then a new function that ends with `}` is the same as new rows between two of them; so nothing of the file
    stands beyond what is new, and the run ends with it.
    """
    for at in range(len(new) - 2, -1, -1):
        if new[at].is_same(new[-1]):
            return _costs(new[: at + 1], file)[0].get(found, _NEVER) < _costs(new, file)[0][found]
    return False


def _is_part(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether all of the new rows stand among those of the file, in their order."""
    rest = iter(file)
    return all(any(row.is_same(other) for other in rest) for row in new)


def _is_close(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether a last row that says little follows what is the same on both sides, with about as much in between."""
    pairs = list(equal_pairs([row.key for row in new[:-1]], [row.key for row in file[:-1]]))
    row, at = pairs[-1] if pairs else (-1, -1)
    return len(file) - 2 - at <= len(new) - 2 - row + _STRAY


def _costs(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> tuple[dict[int, float], list[float]]:
    """What it costs to take the new rows for the first so many rows of the file.

    First by count, for readings that end with the same row on both sides; then for all others. Rows that come and rows
    that go between the same two rows are one change.
    """
    near = {row.key for row in file if is_telling(row.text)}
    added = [_ADD + (min(1.0, letters_in(row.text) / _LONG) if row.key in near else 0.0) for row in new]
    paired = [0.0] + [_NEVER] * len(file)
    apart = [_NEVER] + [_CHANGE + _DROP * count for count in range(1, len(file) + 1)]
    for row, cost in zip(new[:-1], added, strict=False):
        paired, apart = _step(row, file, paired, apart, cost)
    same = {at + 1: min(paired[at], apart[at]) for at, other in enumerate(file) if new[-1].is_same(other)}
    paired, apart = _step(new[-1], file, paired, apart, added[-1])
    for at in same:
        paired[at] = _NEVER
    return same, list(map(min, paired, apart))


def _step(
    row: EdgeRow, file: Sequence[EdgeRow], paired: Sequence[float], apart: Sequence[float], added: float
) -> tuple[list[float], list[float]]:
    """The costs with one more new row: by how many rows of the file are taken, ending with a pair or without."""
    pairs = [_NEVER, *(min(paired[at], apart[at]) + row.unlike(other) for at, other in enumerate(file))]
    gaps = [min(paired[at] + _CHANGE, apart[at]) + added for at in range(len(file) + 1)]
    for at in range(1, len(gaps)):
        gaps[at] = min(gaps[at], gaps[at - 1] + _DROP, pairs[at - 1] + _CHANGE + _DROP)
    return pairs, gaps
