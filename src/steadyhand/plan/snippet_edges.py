"""How far a run of a snippet reaches into the file beyond an anchor, above or below.

Everything here is seen from the anchor outwards: the run's rows beyond it, and the file's rows beyond it. The answer is
how many of these rows of the file the run's rows stand for. That is settled where the run ends with a row of the file
and every other reading is clearly worse (`plan/snippet_readings.py`); where the file ends; and where the rows are a
unit of their own that is like nothing nearby, so that they can only come in beside the anchor. In all other cases there
is no telling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from steadyhand.plan.snippet_compare import depth_of, is_telling, likeness, part_likeness
from steadyhand.plan.snippet_readings import EdgeRow, find_reading, is_turned

__all__ = ["Edge", "settle"]

_ALIKE = 0.6  # rows less alike than this are not versions of each other
_PART = 0.8  # a row that has so much of another in it may be made of it
_FARTHEST = 120  # rows
_BEYOND = 30  # rows that may go beside as many as come
_NEAR = 20  # rows beyond as many as there are new ones that are looked at for likeness


@dataclass(frozen=True, slots=True)
class Edge:
    """One side of a run beyond its anchor.

    `anchor` is the row of the snippet that all others are counted from, and `here` that row in the file. `is_end`:
    `file` goes to the end of the file, and not only to a row that another run has. `is_above`: outwards is upwards.
    `is_marked`: the run ends at a mark. `is_firm`: the outermost anchor and what is joined to it stand there by more
    than chance.
    """

    anchor: EdgeRow
    here: EdgeRow
    new: Sequence[EdgeRow]
    file: Sequence[EdgeRow]
    is_end: bool
    is_above: bool
    is_marked: bool
    is_firm: bool

    def beyond_same(self) -> Edge:
        """The edge from the last of the rows that are the same on both sides."""
        pairs = zip(self.new, self.file, strict=False)
        count = next((at for at, (one, two) in enumerate(pairs) if not one.is_same(two)), None)
        if count is None:
            count = min(len(self.new), len(self.file))
        if not count:
            return self
        anchor, here = self.new[count - 1], self.file[count - 1]
        return replace(self, anchor=anchor, here=here, new=self.new[count:], file=self.file[count:])


def settle(edge: Edge) -> int | None:
    """How many rows of the file the run's rows stand for; None where there is no telling."""
    if not edge.new:
        return 0
    if len(edge.new) > _FARTHEST:
        return None
    file = edge.file[: 2 * len(edge.new) + _BEYOND]
    found = find_reading(edge.new, file)
    if found is not None and not is_turned(edge.new, file, found):
        return found
    if edge.is_end and _covers_end(edge):
        return len(edge.file)
    if found is None and any(edge.new[-1].is_same(row) for row in file[: len(edge.new) + _NEAR]):
        return None
    beyond = edge.beyond_same()
    count = len(edge.file) - len(beyond.file)
    return count if found in (None, count) and _comes_in(beyond) else None


def _covers_end(edge: Edge) -> bool:
    """Whether all rows up to the end of the file are among the new ones, if need be with other words.

    A run that a mark follows has them as they are. Blank rows at the very end could belong on either side.
    """
    last = edge.file[-1] if edge.file else edge.here
    if last.blanks or len(edge.file) > len(edge.new):
        return False
    rest = iter(edge.new)
    return all(any(new.is_same(row) or (not edge.is_marked and new.is_like(row)) for new in rest) for row in edge.file)


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


def _is_version(row: str, other: str) -> bool:
    """Whether one may be the other with other words, or a part of it."""
    if not any(map(str.isalnum, row)):
        return False
    return likeness(row, other) >= _ALIKE or part_likeness(row, other) >= _PART
