"""Which rows of a file answer to which rows of the old text.

An alignment is a list of pairings that, read in order, cover every row of both sides exactly once. Most pair one row
with one row; a statement that is laid out differently pairs several with several; rows with no answer stand alone.
Nothing here decides whether an edit may be made; how alike each pairing is, is told and left to others.

Work is bounded: rows that are the same are paired in near-linear time, only what lies between them is compared row by
row, and beyond a budget it is left unpaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from steadyhand.match.lexis import Lexis, fold, squeeze, token_text, tokens
from steadyhand.text.diff import diff_rows

__all__ = ["Alignment", "Likeness", "Pairing", "align", "likeness_of", "row_key"]

_CELLS = 12_000  # rows times rows that are compared one by one between two sure pairs
_LONGEST = 1_000  # code points of a row that are compared
_ALIKE = 0.6  # two rows less alike than this have nothing to do with each other


class Likeness(IntEnum):
    """How alike the two sides of a pairing are, closest first."""

    SAME = 0
    LAYOUT = 1
    TYPOGRAPHY = 2
    TOKENS = 3
    SIMILAR = 4
    NONE = 5

    @property
    def is_sure(self) -> bool:
        """Whether both sides say the same, whatever they look like."""
        return self <= Likeness.TOKENS


@dataclass(frozen=True, slots=True)
class Pairing:
    """Rows `old_start:old_end` of the old text answer to rows `start:end` of the file; either may be empty.

    `is_blank`: all rows of both sides are blank. `is_kept`: the old side only says that the rows in between stay.
    """

    old_start: int
    old_end: int
    start: int
    end: int
    likeness: Likeness
    similarity: float = 1.0
    is_blank: bool = False
    is_kept: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether the file has no answer to rows that are not blank."""
        return self.start == self.end and self.old_start < self.old_end and not self.is_blank

    @property
    def is_added(self) -> bool:
        """Whether the file has rows, not blank, of which the old text says nothing."""
        return self.old_start == self.old_end and self.start < self.end and not self.is_blank


Alignment = tuple[Pairing, ...]


def align(old: Sequence[str], rows: Sequence[str], lexis: Lexis) -> Alignment:
    """Pair the rows of the old text with rows of a file, both without endings.

    >>> from steadyhand.match.lexis import lexis_of
    >>> [(p.old_start, p.start, p.likeness.name) for p in align(["a b", "c"], ["a  b", "", "c"], lexis_of("x.py"))]
    [(0, 0, 'LAYOUT'), (1, 1, 'SAME'), (1, 2, 'SAME')]
    """
    return _Aligner(old, rows, lexis).align()


class _Aligner:
    """One alignment: rows that are not blank are paired first, the blank ones between them follow."""

    def __init__(self, old: Sequence[str], rows: Sequence[str], lexis: Lexis) -> None:
        self._old, self._rows, self._lexis = old, rows, lexis
        self._left = [row for row, text in enumerate(old) if text.strip()]
        self._right = [row for row, text in enumerate(rows) if text.strip()]
        self._left_keys = [row_key(lexis, old[row]) for row in self._left]
        self._right_keys = [row_key(lexis, rows[row]) for row in self._right]

    def align(self) -> Alignment:
        return tuple(self._with_blanks(self._visible_pairings()))

    def _visible_pairings(self) -> list[Pairing]:
        """Pairings of rows that are not blank, in order; rows are counted among all rows."""
        pairings: list[Pairing] = []
        left = right = 0
        for one, two in [*self._sure_pairs(), (len(self._left), len(self._right))]:
            pairings += self._between(range(left, one), range(right, two))
            if one < len(self._left):
                pairings.append(self._pair(one, two))
            left, right = one + 1, two + 1
        return pairings

    def _sure_pairs(self) -> list[tuple[int, int]]:
        """Rows with the same tokens, as positions in `_left` and `_right`, such that most is explained."""
        left, right = self._left_keys, self._right_keys
        head = _shared_head(left, right)
        pairs = [(row, row) for row in range(head)]
        if (len(left) - head) * (len(right) - head) <= _CELLS:
            found = self._best_path(head, left[head:], right[head:])
        else:
            found = list(_equal_pairs(left[head:], right[head:]))
        return pairs + [(one + head, two + head) for one, two in found]

    def _best_path(self, head: int, left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
        """Equal pairs on the path that explains most; rows that are merely alike decide among equal rows."""
        if not left or not right:
            return []
        scores = [[self._score(head, one, two, left, right) for two in range(len(right))] for one in range(len(left))]
        path = _heaviest_path(scores, list(map(_cost, left)), list(map(_cost, right)))
        return [(one, two) for one, two in path if left[one] == right[two]]

    def _score(self, head: int, one: int, two: int, left: Sequence[str], right: Sequence[str]) -> float:
        weight = _weight(left[one])
        if left[one] == right[two]:
            return 1 + 2 * weight
        similarity = self._similarity(self._left[head + one], self._right[head + two])
        return similarity * weight if similarity >= _ALIKE else 0.0

    def _similarity(self, old_row: int, row: int) -> float:
        from rapidfuzz import fuzz

        old, text = fold(self._lexis, self._old[old_row]), fold(self._lexis, self._rows[row])
        return fuzz.ratio(old[:_LONGEST], text[:_LONGEST]) / 100

    def _pair(self, one: int, two: int) -> Pairing:
        row, other = self._left[one], self._right[two]
        likeness = likeness_of(self._lexis, self._old[row], self._rows[other])
        return Pairing(row, row + 1, other, other + 1, likeness)

    def _between(self, left: range, right: range) -> Iterator[Pairing]:
        """What stands between two sure pairs: the same statement laid out differently, rows alike, or nothing."""
        regrouped = self._regroup(left, right)
        if regrouped:
            yield from regrouped
            return
        alike: list[tuple[int, int, float]] = []
        if left and right and len(left) * len(right) <= _CELLS:
            alike = self._alike_pairs(left, right)
        one, two = left.start, right.start
        for at, other, similarity in [*alike, (left.stop, right.stop, 0.0)]:
            yield from self._unpaired(range(one, at), range(two, other))
            if at < left.stop:
                row, found = self._left[at], self._right[other]
                yield Pairing(row, row + 1, found, found + 1, Likeness.SIMILAR, similarity)
            one, two = at + 1, other + 1

    def _alike_pairs(self, left: range, right: range) -> list[tuple[int, int, float]]:
        table = [[self._similarity(self._left[one], self._right[two]) for two in right] for one in left]
        scores = [
            [value * _weight(self._left_keys[one]) if value >= _ALIKE else 0.0 for value in line]
            for one, line in zip(left, table, strict=True)
        ]
        costs = [
            [_cost(keys[at]) for at in rows] for keys, rows in ((self._left_keys, left), (self._right_keys, right))
        ]
        return [(left[one], right[two], table[one][two]) for one, two in _heaviest_path(scores, *costs)]

    def _regroup(self, left: range, right: range) -> list[Pairing]:
        """The fewest rows at a time that have the same tokens on both sides; nothing where the whole has not."""
        if not left or not right or _joined(self._left_keys, left) != _joined(self._right_keys, right):
            return []
        pairings: list[Pairing] = []
        one, two = left.start, right.start
        while one < left.stop:
            end, other = one + 1, two + 1
            sizes = [len(self._left_keys[one]), len(self._right_keys[two])]
            while sizes[0] != sizes[1]:
                if sizes[0] < sizes[1]:
                    sizes[0] += 1 + len(self._left_keys[end])
                    end += 1
                else:
                    sizes[1] += 1 + len(self._right_keys[other])
                    other += 1
            pairings.append(self._group(range(one, end), range(two, other)))
            one, two = end, other
        return pairings

    def _group(self, left: range, right: range) -> Pairing:
        start, end = self._left[left.start], self._left[left.stop - 1] + 1
        first, last = self._right[right.start], self._right[right.stop - 1] + 1
        return Pairing(start, end, first, last, Likeness.TOKENS)

    def _unpaired(self, left: range, right: range) -> Iterator[Pairing]:
        for one in left:
            row = self._left[one]
            yield Pairing(row, row + 1, -1, -1, Likeness.NONE, 0.0)
        for two in right:
            row = self._right[two]
            yield Pairing(-1, -1, row, row + 1, Likeness.NONE, 0.0)

    def _with_blanks(self, pairings: Sequence[Pairing]) -> Iterator[Pairing]:
        """The pairings with what is blank between them, and with places for rows that have no answer."""
        old = row = 0
        for pairing in [*pairings, Pairing(len(self._old), -2, len(self._rows), -2, Likeness.NONE)]:
            next_old = pairing.old_start
            next_row = pairing.start
            if next_old < 0:  # blank rows on both sides in front of a row without answer belong together
                next_old = old + min(_blank_count(self._old, old), next_row - row)
            elif next_row < 0:
                next_row = row + min(_blank_count(self._rows, row), next_old - old)
            yield from _blanks(range(old, next_old), range(row, next_row))
            if pairing.old_end == -2:
                return
            old_end = pairing.old_end if pairing.old_start >= 0 else next_old
            end = pairing.end if pairing.start >= 0 else next_row
            yield Pairing(next_old, old_end, next_row, end, pairing.likeness, pairing.similarity)
            old, row = old_end, end


def row_key(lexis: Lexis, row: str) -> str:
    """What a row says, whatever it looks like: its tokens, and the blanks that have a meaning beside signs.

    >>> from steadyhand.match.lexis import lexis_of
    >>> row_key(lexis_of("a.py"), " f( a,b ) ") == row_key(lexis_of("a.py"), "f(a, b)")
    True
    """
    pieces: list[str] = []
    position = 0
    for start, end in tokens(lexis, row):
        if pieces:
            tells = start > position and not _is_loose(lexis, row[position - 1], row[start])
            pieces.append(" " if tells else "\0")
        pieces.append(token_text(lexis, row[start:end]))
        position = end
    return "".join(pieces)


def _is_loose(lexis: Lexis, before: str, after: str) -> bool:
    """Whether a blank between two characters may as well be missing, or could not be."""
    if before in lexis.loose or after in lexis.loose:
        return True
    return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")


def _blank_count(rows: Sequence[str], start: int) -> int:
    """How many blank rows stand one after another from a row on."""
    end = start
    while end < len(rows) and not rows[end].strip():
        end += 1
    return end - start


def _blanks(old: range, rows: range) -> Iterator[Pairing]:
    """Blank rows, one by one as far as both sides have them."""
    shared = min(len(old), len(rows))
    for offset in range(shared):
        at, row = old.start + offset, rows.start + offset
        yield Pairing(at, at + 1, row, row + 1, Likeness.SAME, is_blank=True)
    if len(old) > shared:
        yield Pairing(old.start + shared, old.stop, rows.stop, rows.stop, Likeness.SAME, is_blank=True)
    if len(rows) > shared:
        yield Pairing(old.stop, old.stop, rows.start + shared, rows.stop, Likeness.SAME, is_blank=True)


def likeness_of(lexis: Lexis, old: str, row: str) -> Likeness:
    """How alike two rows are that say the same."""
    if old == row:
        return Likeness.SAME
    if squeeze(lexis, old) == squeeze(lexis, row):
        return Likeness.LAYOUT
    return Likeness.TYPOGRAPHY if fold(lexis, old) == fold(lexis, row) else Likeness.TOKENS


def _shared_head(left: Sequence[str], right: Sequence[str]) -> int:
    shared = 0
    for one, two in zip(left, right, strict=False):
        if one != two:
            break
        shared += 1
    return shared


def _equal_pairs(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    row = other = 0
    for change in diff_rows(left, right):
        yield from zip(range(row, change.before_start), range(other, change.after_start), strict=True)
        row, other = change.before_end, change.after_end
    yield from zip(range(row, len(left)), range(other, len(right)), strict=True)


def _joined(keys: Sequence[str], rows: range) -> str:
    return "\0".join(keys[rows.start : rows.stop])


def _cost(key: str) -> float:
    """What it costs to pass over a row, so that rows are rather taken for changed than looked for far away."""
    return _weight(key) / 2


def _weight(key: str) -> float:
    """How much a row says: a lone bracket hardly anything, a long line much."""
    return 0.1 + min(len(key), 40) / 40


def _heaviest_path(
    scores: Sequence[Sequence[float]], row_costs: Sequence[float], column_costs: Sequence[float]
) -> list[tuple[int, int]]:
    """Pairs (row, column), both rising, that are worth most; what is passed over before the last pair has its cost."""
    height, width = len(row_costs), len(column_costs)
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for one in range(height - 1, -1, -1):
        line, below, here, cost = scores[one], best[one + 1], best[one], row_costs[one]
        for two in range(width - 1, -1, -1):
            taken = line[two] + below[two + 1] if line[two] > 0 else 0.0
            here[two] = max(0.0, taken, below[two] - cost, here[two + 1] - column_costs[two])
    path: list[tuple[int, int]] = []
    one = two = 0
    while one < height and two < width and best[one][two] > 0:
        worth = best[one][two]
        if scores[one][two] > 0 and scores[one][two] + best[one + 1][two + 1] >= worth:
            path.append((one, two))
            one, two = one + 1, two + 1
        elif best[one][two + 1] - column_costs[two] >= worth:
            two += 1
        else:
            one += 1
    return path
