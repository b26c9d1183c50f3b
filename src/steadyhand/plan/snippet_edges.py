"""How far a run of a snippet reaches into the file beyond its outermost anchor, above or below.

Everything here is seen from the anchor outwards: the run's rows beyond it, and the file's rows beyond it. The answer is
how many of these rows of the file the run's rows stand for. That is settled where the run ends with a row of the file
and every other reading is clearly worse; where the file ends; and where the rows are a unit of their own that is like
nothing nearby, so that they can only come in beside the anchor. In all other cases there is no telling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steadyhand.plan.snippet_compare import depth_of, is_telling, likeness, part_likeness
from steadyhand.text.diff import equal_pairs

__all__ = ["Edge", "EdgeRow", "settle"]

_NEVER = float("inf")
_MARGIN = 0.8  # by how much the best reading must be better than any other
_LOOSE = 1.0  # what it costs a run not to end with a row of the file
_CHANGE, _ADD, _DROP = 1.0, 0.05, 0.2  # rows that come or go in one place; each that comes; each that goes
_ALIKE = 0.6  # rows less alike than this are not versions of each other
_PART = 0.8  # a row that has so much of another in it may be made of it
_STRAY = 1  # rows more that may go than come before a last row that says little
_FARTHEST = 300  # rows
_BEYOND = 30  # rows that may go beside as many as come
_NEAR = 20  # rows beyond as many as there are new ones that are looked at for likeness
_LONG = 16  # letters and digits by which one row alone is known


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
        """Whether both say the same; rows of mere signs only where they stand at the same indentation."""
        return self.key == other.key and (is_telling(self.text) or self.indent in (None, other.indent))


@dataclass(frozen=True, slots=True)
class Edge:
    """One side of a run beyond its anchor.

    `anchor` is the row of the snippet that all others are counted from, and `here` that row in the file. `is_end`: `file`
    goes to the end of the file, and not only to a row that another run has. `is_above`: outwards is upwards.
    `is_marked`: the run ends at a mark. `is_firm`: the anchor and what is joined to it are there by more than chance.
    """

    anchor: EdgeRow
    here: EdgeRow
    new: Sequence[EdgeRow]
    file: Sequence[EdgeRow]
    is_end: bool
    is_above: bool
    is_marked: bool
    is_firm: bool


def settle(edge: Edge) -> int | None:
    """How many rows of the file the run's rows stand for; None where there is no telling."""
    if not edge.new:
        return 0
    if len(edge.new) > _FARTHEST:
        return None
    file = edge.file[: 2 * len(edge.new) + _BEYOND]
    found = _anchored(edge.new, file)
    if found is not None and not _is_turned(edge.new, file, found):
        return found
    if edge.is_end and _covers_end(edge):
        return len(edge.file)
    if found is None and any(edge.new[-1].is_same(row) for row in file[: len(edge.new) + _NEAR]):
        return None
    return found or 0 if _comes_in(edge) else None


def _anchored(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> int | None:
    """The reading in which the run ends with a row of the file, if it is clearly the best.

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


def _is_part(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether all of the new rows stand among those of the file, in their order."""
    rest = iter(file)
    return all(any(row.is_same(other) for other in rest) for row in new)


def _is_close(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> bool:
    """Whether a last row that says little follows what is the same on both sides, with about as much in between."""
    pairs = list(equal_pairs([row.key for row in new[:-1]], [row.key for row in file[:-1]]))
    row, at = pairs[-1] if pairs else (-1, -1)
    return len(file) - 2 - at <= len(new) - 2 - row + _STRAY


def _is_turned(new: Sequence[EdgeRow], file: Sequence[EdgeRow], found: int) -> bool:
    """Whether the last row is the first one of what is added, seen from the other end.

    `}` and then a new block that ends with `}` is the same as a new block between two of them; so nothing of the file
    stands beyond what is new, and the run ends with it.
    """
    for at in range(len(new) - 2, -1, -1):
        if new[at].is_same(new[-1]):
            same, _ = _costs(new[: at + 1], file)
            whole, _ = _costs(new, file)
            return same.get(found, _NEVER) < whole[found]
    return False


def _costs(new: Sequence[EdgeRow], file: Sequence[EdgeRow]) -> tuple[dict[int, float], list[float]]:
    """What it costs to take the new rows for the first so many rows of the file.

    First by count, for readings that end with the same row on both sides; then for all others. Rows that come and rows
    that go between the same two rows are one change.
    """
    near = {row.key for row in file if is_telling(row.text)}
    paired = [0.0] + [_NEVER] * len(file)
    apart = [_NEVER] + [_CHANGE + _DROP * count for count in range(1, len(file) + 1)]
    for row in new[:-1]:
        paired, apart = _step(row, file, paired, apart, _ADD + (_words(row) if row.key in near else 0))
    best = list(map(min, paired, apart))
    same = {at + 1: best[at] for at, other in enumerate(file) if new[-1].is_same(other)}
    paired, apart = _step(new[-1], file, paired, apart, _ADD + (_words(new[-1]) if new[-1].key in near else 0))
    for at in same:
        paired[at] = _NEVER
    return same, list(map(min, paired, apart))


def _step(
    row: EdgeRow, file: Sequence[EdgeRow], paired: Sequence[float], apart: Sequence[float], added: float
) -> tuple[list[float], list[float]]:
    """The costs with one more new row: by how many rows of the file are taken, ending with a pair or without."""
    pairs = [_NEVER, *(min(paired[at], apart[at]) + _unlike(row, other) for at, other in enumerate(file))]
    gaps = [min(paired[at] + _CHANGE, apart[at]) + added for at in range(len(file) + 1)]
    for at in range(1, len(gaps)):
        gaps[at] = min(gaps[at], gaps[at - 1] + _DROP, pairs[at - 1] + _CHANGE + _DROP)
    return pairs, gaps


def _words(row: EdgeRow) -> float:
    """How much a row says, from 0 to 1; to have it twice is so much less likely."""
    return min(1.0, sum(map(str.isalnum, row.text)) / _LONG)


def _unlike(row: EdgeRow, other: EdgeRow) -> float:
    if row.is_same(other):
        return 0.0
    alike = likeness(row.text, other.text) if is_telling(row.text) else 0.0
    return 0.1 + 1 - alike if alike >= _ALIKE else _NEVER


def _is_version(row: str, other: str) -> bool:
    """Whether one may be the other with other words, or a part of it."""
    if not any(map(str.isalnum, row)):
        return False
    return likeness(row, other) >= _ALIKE or part_likeness(row, other) >= _PART


def _covers_end(edge: Edge) -> bool:
    """Whether all rows up to the end of the file are among the new ones, if need be with other words.

    A run that a mark follows has them as they are. Blank rows at the very end could belong on either side.
    """
    last = edge.file[-1] if edge.file else edge.here
    if last.blanks or len(edge.file) > len(edge.new):
        return False
    rest = iter(edge.new)
    return all(
        any(new.is_same(row) or (not edge.is_marked and _unlike(new, row) < _NEVER) for new in rest)
        for row in edge.file
    )


def _comes_in(edge: Edge) -> bool:
    """Whether the rows are a unit of their own, like nothing nearby, that leaves everything else where it belongs."""
    rows, anchor, here = edge.new, edge.anchor, edge.here
    depth = depth_of(anchor.text)
    first = rows[-1] if edge.is_above else rows[0]
    if not edge.is_marked or not edge.is_firm or anchor.indent != here.indent or not is_telling(first.text):
        return False
    if depth_of(first.text) != depth or any(depth_of(row.text) < depth for row in rows):
        return False
    if not edge.is_above and edge.file and depth_of(edge.file[0].text) > depth_of(here.text):
        return False  # the rows would come between a row and what belongs to it
    if any(_is_version(row.text, other.text) for row in rows for other in edge.file[: len(rows) + _NEAR]):
        return False
    is_parted = len(rows) > 1 and anchor.blanks > 0
    return is_parted or not edge.file or (here.blanks > 0 and anchor.blanks == 0)
