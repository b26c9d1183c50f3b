"""Where in the file the rows of an old text are, and where rows that are added between them go.

Everything is answered from the alignment; where it does not tell for sure, the answer is a `Drift`.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.match.pairing import Alignment, Pairing

__all__ = ["Drift", "Seams", "drift_of"]


@dataclass(frozen=True, slots=True)
class Drift:
    """Rows of the old text that the edit changes, and the rows that the file has there instead."""

    old_start: int
    old_end: int
    start: int
    end: int


def drift_of(pairing: Pairing) -> Drift:
    """The two sides of a pairing that stands in the way."""
    return Drift(pairing.old_start, pairing.old_end, pairing.start, pairing.end)


class Seams:
    """Places in one alignment."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._index = {
            row: index for index, pairing in enumerate(alignment) for row in range(pairing.old_start, pairing.old_end)
        }

    def holding(self, row: int) -> Pairing:
        """The pairing of one old row."""
        return self._alignment[self._index[row]]

    def near(self, row: int) -> Pairing:
        """The pairing of an old row, or the last one."""
        return self._alignment[self._index.get(row, len(self._alignment) - 1)]

    def held(self, start: int, end: int) -> list[Pairing]:
        """The pairings of some old rows, and whatever the file has between them."""
        first, last = self._index[start], self._index[end - 1]
        return list(self._alignment[first : last + 1])

    def blanks_before(self, row: int) -> tuple[int, int] | Drift:
        """The blank rows of the file between the old rows around a position that only blank rows precede."""
        before, after = self._visible(row - 1, -1), self._visible(row, 1)
        for pairing in (before, after):
            if pairing is None or pairing.is_missing or pairing.is_kept:
                return drift_of(pairing or self._alignment[0])
        assert before is not None
        assert after is not None
        between = self._alignment[self._index[before.old_end - 1] + 1 : self._index[after.old_start]]
        strange = next((pairing for pairing in between if not pairing.is_blank), None)
        return (before.end, after.start) if strange is None else drift_of(strange)

    def added_beside(self, row: int) -> Pairing | None:
        """A row of the file next to an old row of which the old text says nothing."""
        index = self._index[row]
        beside = (self._visible_at(index - 1, -1), self._visible_at(index + 1, 1))
        return next((pairing for pairing in beside if pairing is not None and pairing.is_added), None)

    def leaves_strange_blanks(self, start: int, end: int) -> bool:
        """Whether removing rows brings blank rows together of which the old text knew nothing."""
        strange = [pairing for pairing in self._alignment if pairing.is_blank and pairing.is_file_only]
        return any(pairing.end == start for pairing in strange) and any(pairing.start == end for pairing in strange)

    def seam(self, row: int) -> int | Drift:
        """In front of which row of the window new rows go that stand in front of an old row."""
        before = [index for at, index in self._index.items() if at < row]
        after = [index for at, index in self._index.items() if at >= row]
        if not before or not after:
            return self._edge(min(after) if after else max(before), is_end=not after)
        last, first = max(before), min(after)
        if last == first:
            inside = self._alignment[last]
            return min(inside.start + row - inside.old_start, inside.end) if inside.is_blank else drift_of(inside)
        gap = self._alignment[last + 1 : first]
        if gap and not (all(pairing.is_blank for pairing in gap) and self._is_blank_side(last, first)):
            return drift_of(gap[0])
        return self._between(last, first)

    def _is_blank_side(self, last: int, first: int) -> bool:
        """Whether the old text has a blank row on exactly one side, so that more of them in the file belong to it."""
        return self._alignment[last].is_blank != self._alignment[first].is_blank

    def _edge(self, index: int, *, is_end: bool) -> int | Drift:
        """At the first or last old row: it has to be sure."""
        edge = self._alignment[index]
        pairing = self._visible_at(index, -1 if is_end else 1)
        if pairing is None or not pairing.likeness.is_sure or pairing.is_kept:
            return drift_of(pairing or edge)
        return edge.end if is_end else edge.start

    def _between(self, last: int, first: int) -> int | Drift:
        """Between two old rows that the file has side by side, one of them for sure."""
        above, below = self._visible_at(last, -1), self._visible_at(first, 1)
        strange = self._added_between(above, below)
        if strange is not None:
            return drift_of(strange)
        for pairing, other in ((above, below), (below, above)):
            if pairing is None or pairing.likeness.is_sure:
                continue
            if pairing.is_missing or other is None or not other.likeness.is_sure:
                return drift_of(pairing)
        return self._alignment[first].start if self._alignment[last].is_blank else self._alignment[last].end

    def _added_between(self, above: Pairing | None, below: Pairing | None) -> Pairing | None:
        """A row of the file that stands between two old rows and of which the old text says nothing."""
        if above is None or below is None:
            return next((pairing for pairing in (above, below) if pairing is not None and pairing.is_added), None)
        between = self._alignment[self._alignment.index(above) : self._alignment.index(below) + 1]
        return next((pairing for pairing in between if pairing.is_added), None)

    def _visible(self, row: int, step: int) -> Pairing | None:
        """The pairing of the next old row in a direction that is not blank."""
        while row in self._index:
            pairing = self.holding(row)
            if not pairing.is_blank:
                return pairing
            row += step
        return None

    def _visible_at(self, index: int, step: int) -> Pairing | None:
        """The pairing at an index, or the next in a direction, that is not blank."""
        while 0 <= index < len(self._alignment) and self._alignment[index].is_blank:
            index += step
        return self._alignment[index] if 0 <= index < len(self._alignment) else None
