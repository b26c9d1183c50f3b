"""How well a place fits an old text some of whose lines were misremembered: evidence for it and against it.

Rows that are not blank are weighed by how much they say. What speaks for a place is only what stands there for sure: a
row that merely resembles another speaks for nothing, because a third name is as near to the one as to the other.
Nothing here decides; `tiers/fuzzy.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.lexis import Lexis, token_key
from steadyhand.match.needle import Needle
from steadyhand.match.pairing import Pairing, weight_of
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import LineTable

__all__ = ["Candidate", "judge"]

# The first row of a definition, or a table's head: what it names is what the rows below belong to.
_NAMING = lazy_pattern(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|override"
    r"|open|virtual|inline|extern|unsafe|const|readonly)\s+)*"
    r"(?:def|class|func|function|fn|sub|interface|struct|enum|trait|impl|module|namespace|type|record|protocol|object"
    r"|macro|describe|it|test)\b|\s*\[\[?[\w.\"-]+\]\]?\s*$"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place, and what speaks for and against it.

    `first`, `last`  its rows; `seat` is the row where the edit changes or adds something
    `sure`           what the old text's rows weigh that stand there, `repeated` those of them it does not change
    `alike`          how far its other rows resemble rows there
    `strange`        what all the rest weighs, on both sides
    `displaced`      rows too many or too few on either side
    `moved`          rows that stand there in another order; they count as strange and displaced
    `sure_rows`, `unsure_rows`, `context`   numbers of rows; `context` are the sure ones that are merely repeated
    `spots`          stretches of rows, on either side, that are not sure
    `contradicted`   rows that are not sure, those of both sides in each other's place counted once
    `is_shifted`     sure rows stand at another indentation
    `is_renamed`     a row differs that names what the rows below it belong to
    `is_beside`      no unknown row lies between a row that changes and a sure one next to it
    `answers`        sure rows of the old text, each with the row there that says the same
    """

    first: int
    last: int
    seat: int
    sure: float
    alike: float
    strange: float
    displaced: float
    repeated: float
    moved: float
    sure_rows: int
    unsure_rows: int
    context: int
    spots: int
    contradicted: int
    is_shifted: bool
    is_renamed: bool
    is_beside: bool
    answers: frozenset[tuple[int, int]]

    @property
    def similarity(self) -> float:
        """How much of both sides is accounted for, from 0 to 1."""
        known = self.sure + self.alike
        return known / (known + self.strange)

    @property
    def fit(self) -> float:
        """What speaks for the place."""
        return self.sure - self.displaced

    @property
    def context_fit(self) -> float:
        """What speaks for the place apart from the rows that the edit changes."""
        return self.repeated - self.displaced

    @property
    def best_fit(self) -> float:
        """What would speak for it if rows that stand there in another order were in order."""
        return self.fit + 2 * self.moved


def judge(visible: Sequence[Pairing], needle: Needle, table: LineTable, lexis: Lexis) -> Candidate:
    """What the pairings of rows that are not blank amount to; one of them at least is sure."""
    first, last = _extent(visible, needle, table)
    tally = _Tally(needle, table)
    for index, pairing in enumerate(visible):
        if first <= index <= last:
            tally.add(pairing)
        elif pairing.old_start < pairing.old_end:
            tally.add_outside(pairing)
    tally.close()
    return Candidate(
        first=visible[first].start,
        last=visible[last].end - 1,
        seat=_seat(visible, needle),
        sure=tally.sure,
        alike=tally.alike,
        strange=tally.strange,
        displaced=tally.displaced,
        repeated=tally.repeated,
        moved=tally.moved(lexis),
        sure_rows=tally.sure_rows,
        unsure_rows=tally.unsure_rows,
        context=tally.context,
        spots=tally.spots,
        contradicted=tally.contradicted,
        is_shifted=tally.is_shifted,
        is_renamed=tally.is_renamed,
        is_beside=_is_beside(visible, needle),
        answers=frozenset((one.old_start, one.start) for one in visible if one.likeness.is_sure and one.is_one_to_one),
    )


def _extent(visible: Sequence[Pairing], needle: Needle, table: LineTable) -> tuple[int, int]:
    """The first and the last pairing that belong to the place.

    A row at either end that is reached over more than it says itself is rather taken for missing. Rows of the file in
    the place of quoted ones are not reached over: they are what those were misremembered from.
    """
    held = [index for index, pairing in enumerate(visible) if not (pairing.is_missing or pairing.is_added)]
    while len(held) > 1 and _is_far(visible, held[0], held[1], needle, table):
        held.pop(0)
    while len(held) > 1 and _is_far(visible, held[-1], held[-2], needle, table):
        held.pop()
    return held[0], held[-1]


def _is_far(visible: Sequence[Pairing], edge: int, inner: int, needle: Needle, table: LineTable) -> bool:
    if needle.touches(visible[edge].old_start, visible[edge].old_end):
        return False
    between = visible[min(edge, inner) + 1 : max(edge, inner)]
    rows = [table.text(row) for pairing in between for row in range(pairing.start, pairing.end)]
    surplus = len(rows) - sum(pairing.old_end - pairing.old_start for pairing in between)
    if surplus <= 0:
        return False
    reached = surplus * sum(_weights(rows)) / len(rows)
    return reached > sum(_weights(needle.rows[visible[edge].old_start : visible[edge].old_end]))


def _seat(visible: Sequence[Pairing], needle: Needle) -> int:
    """The row of the file at which the first thing that the edit does would be done."""
    changes = needle.changes or ()
    at = changes[0].before_start if changes else 0
    after = next((pairing for pairing in visible if pairing.old_end > at and not pairing.is_added), visible[-1])
    return after.start if after.old_end > at else after.end


def _is_beside(visible: Sequence[Pairing], needle: Needle) -> bool:
    """Whether no row of which the needle says nothing lies between a row that the edit changes and a sure neighbour."""
    known = [index for index, pairing in enumerate(visible) if not pairing.is_added]
    for one, two in pairwise(known):
        before, after = visible[one], visible[two]
        is_touched = needle.touches(before.old_start, before.old_end) or needle.touches(after.old_start, after.old_end)
        if two > one + 1 and is_touched and before.likeness.is_sure and after.likeness.is_sure:
            return False
    return True


class _Tally:
    """Sums over the pairings of one place; rows without answer are held against each other until a sure row comes."""

    def __init__(self, needle: Needle, table: LineTable) -> None:
        self._needle, self._table = needle, table
        self.sure = self.alike = self.strange = self.displaced = self.repeated = 0.0
        self.sure_rows = self.unsure_rows = self.context = self.spots = self.contradicted = 0
        self._quoted_here = self._rows_here = 0  # of the stretch since the last sure row, on either side
        self.is_shifted = self.is_renamed = self._is_strange = False
        self._missing: list[str] = []
        self._added: list[str] = []
        self._lost: list[str] = []
        self._gained: list[str] = []

    def add(self, pairing: Pairing) -> None:
        """A pairing inside of the place."""
        old = self._needle.rows[pairing.old_start : pairing.old_end]
        if pairing.likeness.is_sure:
            self._add_sure(pairing, old)
            return
        self._note_unsure(old)
        self._quoted_here += len(old)
        self._rows_here += pairing.end - pairing.start
        if pairing.is_missing:
            self._missing += old
        elif pairing.is_added:
            self._added += [self._table.text(row) for row in range(pairing.start, pairing.end)]
        else:
            weight = sum(_weights(old))
            self.alike += weight * pairing.similarity
            self.strange += weight * (1 - pairing.similarity)

    def add_outside(self, pairing: Pairing) -> None:
        """A pairing beyond the ends of the place: the file has other rows there, so nothing is displaced."""
        old = self._needle.rows[pairing.old_start : pairing.old_end]
        self._note_unsure(old)
        self.contradicted += len(old)
        self.strange += sum(_weights(old))
        self._lost += old

    def close(self, *, is_inner: bool = False) -> None:
        """Hold the rows without answer since the last sure row against each other.

        Before the first sure row and behind the last one, only quoted rows are contradicted: which row of the file is
        held against them there, and so how many lie between, is chosen by what they resemble.
        """
        self.contradicted += max(self._quoted_here, self._rows_here) if is_inner else self._quoted_here
        self._quoted_here = self._rows_here = 0
        missing, added = _weights(self._missing), _weights(self._added)
        self.strange += sum(missing) + sum(added)
        surplus = abs(len(missing) - len(added))
        if surplus:  # rows in each other's place are replaced, not displaced, however long they are
            longer = missing if len(missing) > len(added) else added
            self.displaced += surplus * sum(longer) / len(longer)
        self._lost += self._missing
        self._gained += self._added
        self._missing, self._added = [], []

    def moved(self, lexis: Lexis) -> float:
        """What the rows weigh that both sides have, but not in the same order."""
        gained = {token_key(lexis, row) for row in self._gained}
        return sum(_weights(row for row in self._lost if token_key(lexis, row) in gained))

    def _add_sure(self, pairing: Pairing, old: Sequence[str]) -> None:
        self.close(is_inner=self.sure_rows > 0)
        weight = sum(_weights(old))
        self.sure += weight
        self.sure_rows += len(old)
        self.is_shifted |= indent_of(old[0]) != indent_of(self._table.text(pairing.start))
        self._is_strange = False
        if not self._needle.touches(pairing.old_start, pairing.old_end):
            self.context += len(old)
            self.repeated += weight

    def _note_unsure(self, old: Sequence[str]) -> None:
        self.spots += not self._is_strange
        self._is_strange = True
        self.unsure_rows += len(old)
        self.is_renamed |= any(map(_NAMING.match, old))


def _weights(rows: Iterable[str]) -> list[float]:
    return [weight_of(row) for row in rows]
