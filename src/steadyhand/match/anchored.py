"""Places where an old text with misremembered lines may belong: those that have, for sure, the lines it changes.

An edit is made only where the lines it changes or removes stand as it quotes them, and lines it adds have a sure
neighbour. So every place that can come into question has such a line, and looking at all places of the rarest one
finds them all; the lines around it, which the edit merely repeats, then say how well each place fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from steadyhand.match.align import Alignment, Pairing, align, likeness_of, row_key
from steadyhand.match.lexis import Lexis, lexis_of
from steadyhand.match.needle import Needle
from steadyhand.match.rows import find_row
from steadyhand.text.indent import indent_of
from steadyhand.text.lines import LineTable
from steadyhand.text.source import Source

__all__ = ["Candidate", "find_candidates", "find_context"]

_MOST = 60  # places that are aligned
_FEW = 12  # places of one repeated row that are aligned
_CONTEXT = 4  # repeated rows that are looked up
_LONGEST = 400  # rows of a needle
_WIDEST = 20_000  # code points of a row
# The first row of a definition, or a heading: what it names is what the rows below belong to.
_NAMING = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|override|open"
    r"|virtual|inline|extern|unsafe|const|readonly)\s+)*"
    r"(?:def|class|func|function|fn|sub|interface|struct|enum|trait|impl|module|namespace|type|record|protocol|object|macro"
    r"|describe|it|test)\b|\s*\[\[?[\w.\"-]+\]\]?\s*$"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place: its first and last row, and how the old text's rows that are not blank fare there.

    Rows are weighed by how much they say. `sure` rows stand there, `alike` is how far others resemble rows there, and
    `strange` is all the rest, on both sides. `displaced` are rows too many or too few on either side. `sure_rows`
    and `unsure_rows` count, `context` the sure ones that the edit does not change, and `repeated` is what those weigh.
    `moved` rows stand there in another order, and are counted as strange and displaced. `is_shifted`: sure rows stand
    there at another indentation. `is_renamed`: a row differs that names what the rows below it belong to. `is_beside`:
    no unknown row lies between a row that the edit changes and a sure one next to it.
    """

    first: int
    last: int
    sure: float
    alike: float
    strange: float
    displaced: float
    sure_rows: int
    context: int
    repeated: float
    moved: float
    unsure_rows: int
    is_shifted: bool
    is_renamed: bool
    is_beside: bool

    @property
    def similarity(self) -> float:
        """How much of both sides is accounted for, from 0 to 1."""
        known = self.sure + self.alike
        return known / (known + self.strange)

    @property
    def fit(self) -> float:
        """What speaks for the place. A row that merely resembles another does not: a third name is as near to both."""
        return self.sure - self.displaced

    @property
    def context_fit(self) -> float:
        """What speaks for the place apart from the rows that the edit changes."""
        return self.repeated - self.displaced

    @property
    def best_fit(self) -> float:
        """What would speak for it if rows that stand there in another order were in order."""
        return self.fit + 2 * self.moved


def find_candidates(source: Source, needle: Needle) -> list[Candidate] | None:
    """Every place that has the lines an edit changes, best first; None where there are too many to look at."""
    lexis = lexis_of(source.path)
    if not needle.changes or not 0 < len(needle.rows) <= _LONGEST:
        return None
    anchors = _anchors(source, needle, lexis)
    if anchors is None or len(anchors) > _MOST:
        return None
    found: dict[tuple[int, int], Candidate] = {}
    for row, at in anchors:
        candidate = _candidate(source.table, needle, lexis, row, at)
        if candidate is not None:
            known = found.setdefault((candidate.first, candidate.last), candidate)
            if candidate.fit > known.fit:
                found[candidate.first, candidate.last] = candidate
    return sorted(found.values(), key=lambda place: (-place.fit, -place.similarity, place.first))


def find_context(source: Source, needle: Needle) -> list[Candidate]:
    """The places that have the rarest of the rows an edit merely repeats, whatever they have of those it changes."""
    lexis = lexis_of(source.path)
    repeated = [row for row, text in enumerate(needle.rows) if text.strip() and row not in needle.changed]
    longest = sorted(repeated, key=lambda row: (-len(needle.rows[row].strip()), row))[:_CONTEXT]
    found: dict[tuple[int, int], Candidate] = {}
    for row in longest:
        places = find_row(source, needle.rows[row], partial(row_key, lexis)) or ()
        for at in places if len(places) <= _FEW else ():
            candidate = _candidate(source.table, needle, lexis, row, at, needs_changed=False)
            if candidate is not None:
                found[candidate.first, candidate.last] = candidate
    return list(found.values())


def _anchors(source: Source, needle: Needle, lexis: Lexis) -> list[tuple[int, int]] | None:
    """Pairs of (row of the needle, row of the file) of which every place has at least one."""
    key = partial(row_key, lexis)
    removed = [row for row in needle.changed if needle.rows[row].strip()]
    if removed:
        best: list[tuple[int, int]] | None = None
        for row in sorted(removed, key=lambda row: (-len(needle.rows[row].strip()), row))[:4]:
            places = find_row(source, needle.rows[row], key)
            if places is not None and (best is None or len(places) < len(best)):
                best = [(row, at) for at in places]
        return best
    pairs: list[tuple[int, int]] = []
    for row in _neighbours(needle):
        places = find_row(source, needle.rows[row], key)
        if places is None:
            return None
        pairs += [(row, at) for at in places]
    return pairs


def _neighbours(needle: Needle) -> list[int]:
    """The rows that are not blank above and below the place of the first addition."""
    seam = (needle.changes or ())[0].before_start
    above = [row for row in range(seam) if needle.rows[row].strip()]
    below = [row for row in range(seam, len(needle.rows)) if needle.rows[row].strip()]
    return [*above[-1:], *below[:1]]


def _candidate(
    table: LineTable, needle: Needle, lexis: Lexis, row: int, at: int, *, needs_changed: bool = True
) -> Candidate | None:
    """The place where a row of the needle is a row of the file; the others are aligned from there outwards.

    None where a row that the edit changes does not stand there, if that is needed.
    """
    slack = max(4, len(needle.rows) // 3)
    low, high = max(0, at - row - slack), min(table.count, at + len(needle.rows) - row + slack)
    if table.span_of(low, high - 1).length > _WIDEST * 8:
        return None
    rows = [table.text(number) for number in range(low, high)]
    above = align(needle.rows[:row][::-1], rows[: at - low][::-1], lexis)
    below = align(needle.rows[row + 1 :], rows[at - low + 1 :], lexis)
    anchor = Pairing(row, row + 1, at, at + 1, likeness_of(lexis, needle.rows[row], rows[at - low]))
    pairings = [*_turned(above, row, at), anchor, *_moved(below, row + 1, at + 1)]
    visible = [pairing for pairing in pairings if not pairing.is_blank]
    if needs_changed and not _has_changed(visible, needle):
        return None
    return _judged(visible, needle, table, lexis)


def _turned(pairings: Alignment, old: int, row: int) -> Iterator[Pairing]:
    """Pairings of reversed rows as pairings of the rows that end before `old` and `row`."""
    for pairing in reversed(pairings):
        yield Pairing(
            old - pairing.old_end,
            old - pairing.old_start,
            row - pairing.end,
            row - pairing.start,
            pairing.likeness,
            pairing.similarity,
            pairing.is_blank,
        )


def _moved(pairings: Alignment, old: int, row: int) -> Iterator[Pairing]:
    for pairing in pairings:
        yield Pairing(
            pairing.old_start + old,
            pairing.old_end + old,
            pairing.start + row,
            pairing.end + row,
            pairing.likeness,
            pairing.similarity,
            pairing.is_blank,
        )


def _has_changed(visible: Sequence[Pairing], needle: Needle) -> bool:
    """Whether every row that the edit changes stands there."""
    return all(pairing.likeness.is_sure for pairing in visible if _changes(pairing, needle))


def _is_beside(visible: Sequence[Pairing], needle: Needle) -> bool:
    """Whether no row of which the needle says nothing lies between a row that the edit changes and a sure neighbour."""
    known = [index for index, pairing in enumerate(visible) if not pairing.is_added]
    for one, two in pairwise(known):
        before, after = visible[one], visible[two]
        is_touched = _changes(before, needle) or _changes(after, needle)
        if two > one + 1 and is_touched and before.likeness.is_sure and after.likeness.is_sure:
            return False
    return True


def _judged(visible: Sequence[Pairing], needle: Needle, table: LineTable, lexis: Lexis) -> Candidate:
    """What the pairings of rows that are not blank amount to."""
    held = [index for index, pairing in enumerate(visible) if not (pairing.is_missing or pairing.is_added)]
    first, last = held[0], held[-1]
    tally = _Tally()
    for index, pairing in enumerate(visible):
        if first <= index <= last or pairing.is_missing:
            tally.add(pairing, needle, table)
    tally.close()
    sums = (tally.sure, tally.alike, tally.strange, tally.displaced)
    return Candidate(
        visible[first].start,
        visible[last].end - 1,
        *sums,
        sure_rows=tally.rows,
        context=tally.context,
        repeated=tally.repeated,
        moved=tally.moved(lexis),
        unsure_rows=tally.unsure,
        is_shifted=tally.is_shifted,
        is_renamed=tally.is_renamed,
        is_beside=_is_beside(visible, needle),
    )


class _Tally:
    """Sums over the pairings of one place; rows without answer are held against each other until a sure row comes."""

    def __init__(self) -> None:
        self.sure = self.alike = self.strange = self.displaced = 0.0
        self.rows = self.context = self.unsure = 0
        self.repeated = 0.0
        self.is_shifted = self.is_renamed = False
        self._missing: list[float] = []
        self._added: list[float] = []
        self._lost: list[str] = []
        self._gained: list[str] = []

    def add(self, pairing: Pairing, needle: Needle, table: LineTable) -> None:
        old_rows = needle.rows[pairing.old_start : pairing.old_end]
        weight = sum(map(_weight, old_rows))
        if not pairing.likeness.is_sure:
            self.unsure += len(old_rows)
            self.is_renamed |= any(map(_NAMING.match, old_rows))
        if pairing.is_missing:
            self._missing += map(_weight, old_rows)
            self._lost += needle.rows[pairing.old_start : pairing.old_end]
        elif pairing.is_added:
            rows = [table.text(row) for row in range(pairing.start, pairing.end)]
            self._added += map(_weight, rows)
            self._gained += rows
        elif pairing.likeness.is_sure:
            self.close()
            self.sure += weight
            old, row = needle.rows[pairing.old_start], table.text(pairing.start)
            self.is_shifted |= indent_of(old) != indent_of(row)
            self.rows += pairing.old_end - pairing.old_start
            if not _changes(pairing, needle):
                self.context += 1
                self.repeated += weight
        else:
            self.alike += weight * pairing.similarity
            self.strange += weight * (1 - pairing.similarity)

    def moved(self, lexis: Lexis) -> float:
        """What the rows weigh that both sides have, but not in the same order."""
        gained = {row_key(lexis, row) for row in self._gained}
        return sum(_weight(row) for row in self._lost if row_key(lexis, row) in gained)

    def close(self) -> None:
        missing, added = self._missing, self._added
        self.strange += sum(missing) + sum(added)
        surplus = abs(len(missing) - len(added))
        if surplus:  # rows in each other's place are replaced, not displaced, however long they are
            longer = missing if len(missing) > len(added) else added
            self.displaced += surplus * sum(longer) / len(longer)
        self._missing, self._added = [], []


def _changes(pairing: Pairing, needle: Needle) -> bool:
    return any(row in needle.changed for row in range(pairing.old_start, pairing.old_end))


def _weight(row: str) -> float:
    """How much a row says: a lone bracket hardly anything, a long line much."""
    return 0.1 + min(len(row.strip()), 40) / 40
