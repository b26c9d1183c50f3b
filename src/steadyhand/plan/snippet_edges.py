"""How far a run of a snippet reaches into the file beyond an anchor, above or below.

Everything here is seen from the anchor outwards: the run's rows beyond it, and the file's rows beyond it. The answer is
how many of these rows of the file the run's rows stand for. That is settled where the run ends with a row of the file
and every other reading is clearly worse (`plan/snippet_readings.py`), where the file ends, and where each row gives the
name that the file's row in its place gives another value, for a text does not name the same thing twice in a row. In
all other cases it is not clear: rows beside a mark may have come in, or may be there instead of others. Nor does it
help that they are like nothing nearby: of 33 that were taken for new in real changes, 4 were not.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import dataclass, replace
from steadyhand.plan.snippet_compare import name_of
from steadyhand.plan.snippet_readings import EdgeRow, find_reading, is_turned

__all__ = ["Edge", "settle"]

_FARTHEST = 120  # rows
_OTHER_WORDS = 0.4  # how unlike a row at the end of the file may be to the one in its place
_BEYOND = 30  # rows that may go beside as many as come


@dataclass(frozen=True, slots=True)
class Edge:
    """One side of a run beyond its anchor.

    `here` is the row of the file that all others are counted from, `new` and `file` are the rows beyond it. `is_end`:
    `file` goes to the end of the file, and not only to a row that another run has. `is_above`: outwards is upwards.
    `is_marked`: the run ends at a mark.
    """

    here: EdgeRow
    new: Sequence[EdgeRow]
    file: Sequence[EdgeRow]
    is_end: bool
    is_above: bool
    is_marked: bool

    def beyond_same(self) -> Edge:
        """The edge from the last of the rows that are the same on both sides."""
        count = 0
        while count < min(len(self.new), len(self.file)) and self.new[count].is_same(self.file[count]):
            count += 1
        here = self.file[count - 1] if count else self.here
        return replace(self, here=here, new=self.new[count:], file=self.file[count:])


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
    return len(edge.new) if _names_again(edge) else None


def _names_again(edge: Edge) -> bool:
    """Whether every row is the file's row in its place or another version of it under the same name.

    Not where the file's rows around have one of the names as well: then such rows may follow each other. Nor where one
    of the two continues in the next row. And a variable that is given a value above may be given another one below it.
    """
    pairs = list(zip(edge.new, edge.file, strict=False))
    if len(pairs) < len(edge.new) or not all(row.is_same(other) or _is_version(row, other) for row, other in pairs):
        return False
    named = {name for row in edge.new if (name := name_of(row.text)) is not None}
    around = (edge.here, *edge.file[len(edge.new) : 2 * len(edge.new) + _BEYOND])
    may_change = edge.is_above and any(name.startswith("=") for name in named)
    if not named or may_change or any(name_of(row.text) in named for row in around):
        return False
    return all(row.is_same(other) or _opened(row.text) == _opened(other.text) for row, other in pairs)


def _opened(text: str) -> int:
    """How many brackets a row leaves open, or closes that others opened."""
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _is_version(row: EdgeRow, other: EdgeRow) -> bool:
    name = name_of(row.text)
    return name is not None and name == name_of(other.text) and row.indent in (None, other.indent)


def _covers_end(edge: Edge) -> bool:
    """Whether all rows up to the end of the file are among the new ones, if need be with other words.

    A run that a mark follows has them as they are. Blank rows at the very end could belong on either side.
    """
    last = edge.file[-1] if edge.file else edge.here
    if last.blanks or len(edge.file) > len(edge.new):
        return False
    rest = iter(edge.new)
    most = 0.0 if edge.is_marked else _OTHER_WORDS
    return all(any(new.unlike(row) <= most for new in rest) for row in edge.file)
