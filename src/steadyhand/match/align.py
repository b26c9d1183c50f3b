"""Which rows of a file answer to which rows of the old text.

An alignment is a list of pairings that, read in order, cover every row of both sides exactly once. Most pair one row
with one row; a statement that is laid out differently pairs several with several; rows with no answer stand alone.
Nothing here decides whether an edit may be made; how alike each pairing is, is told and left to others.

Work is bounded: rows that are the same are paired in near-linear time, only what lies between them is compared row by
row, and beyond a budget it is left unpaired.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from steadyhand.match.heaviest import heaviest_path
from steadyhand.match.lexis import Lexis, fold, token_key
from steadyhand.match.pairing import Alignment, Likeness, Pairing, likeness_of, weight_of
from steadyhand.text.diff import equal_pairs

__all__ = ["align"]

_CELLS = 12_000  # rows times rows that are compared one by one between two sure pairs
_LONGEST = 1_000  # code points of a row that are compared
_CUTOFF = 60.0
_ALIKE = _CUTOFF / 100  # two rows less alike than this have nothing to do with each other


def align(old: Sequence[str], rows: Sequence[str], lexis: Lexis) -> Alignment:
    """Pair the rows of the old text with rows of a file, both without endings.

    >>> from steadyhand.match.lexis import lexis_of
    >>> [(p.old_start, p.start, p.likeness.name) for p in align(["a b", "c"], ["a  b", "", "c"], lexis_of("x.py"))]
    [(0, 0, 'LAYOUT'), (1, 1, 'SAME'), (1, 2, 'SAME')]
    """
    pairs = _Aligner(_visible(old, lexis), _visible(rows, lexis), lexis).pairs()
    return tuple(_with_blanks(pairs, old, rows))


class _Row(NamedTuple):
    """A row that is not blank: its number among all rows, and what it is compared by."""

    number: int
    text: str
    key: str
    weight: float

    @property
    def cost(self) -> float:
        """What it costs to pass over it, so that rows are rather taken for changed than looked for far away."""
        return self.weight / 2


class _Pair(NamedTuple):
    """Rows of both sides by their numbers; an empty side has no answer, and no place yet."""

    left: range
    right: range
    likeness: Likeness
    similarity: float = 1.0


def _visible(rows: Sequence[str], lexis: Lexis) -> list[_Row]:
    return [
        _Row(number, text, token_key(lexis, text), weight_of(text)) for number, text in enumerate(rows) if text.strip()
    ]


class _Aligner:
    """One alignment of rows that are not blank; ranges in here count among these rows."""

    def __init__(self, left: Sequence[_Row], right: Sequence[_Row], lexis: Lexis) -> None:
        self._left, self._right, self._lexis = left, right, lexis
        self._folded: dict[str, str] = {}

    def pairs(self) -> Iterator[_Pair]:
        """Every row of both sides, in order."""
        left = right = 0
        for one, two in self._sure_pairs():
            yield from self._between(range(left, one), range(right, two))
            likeness = likeness_of(self._lexis, self._left[one].text, self._right[two].text)
            yield self._pair(range(one, one + 1), range(two, two + 1), likeness)
            left, right = one + 1, two + 1
        yield from self._between(range(left, len(self._left)), range(right, len(self._right)))

    def _pair(self, left: range, right: range, likeness: Likeness, similarity: float = 1.0) -> _Pair:
        return _Pair(_numbers(self._left, left), _numbers(self._right, right), likeness, similarity)

    def _sure_pairs(self) -> Iterator[tuple[int, int]]:
        """Rows with the same tokens, such that most is explained."""
        left, right = [row.key for row in self._left], [row.key for row in self._right]
        head = _shared_head(left, right)
        yield from ((row, row) for row in range(head))
        if (len(left) - head) * (len(right) - head) <= _CELLS:
            path = self._best_path(range(head, len(left)), range(head, len(right)), equal=True)
            yield from ((one, two) for one, two, _ in path if left[one] == right[two])
        else:
            yield from ((one + head, two + head) for one, two in equal_pairs(left[head:], right[head:]))

    def _between(self, left: range, right: range) -> Iterator[_Pair]:
        """What stands between two sure pairs: the same statement laid out differently, rows alike, or nothing."""
        regrouped = list(self._regroup(left, right))
        if regrouped:
            yield from regrouped
            return
        one, two = left.start, right.start
        alike = self._best_path(left, right, equal=False) if len(left) * len(right) <= _CELLS else []
        for at, other, similarity in alike:
            yield from self._unpaired(range(one, at), range(two, other))
            yield self._pair(range(at, at + 1), range(other, other + 1), Likeness.SIMILAR, similarity)
            one, two = at + 1, other + 1
        yield from self._unpaired(range(one, left.stop), range(two, right.stop))

    def _best_path(self, left: range, right: range, *, equal: bool) -> list[tuple[int, int, float]]:
        """Rows alike, and how much, on the path that explains most.

        With `equal`, rows that say the same count most, and those that are merely alike decide among them.
        """
        if not left or not right:
            return []
        olds, rows = self._left[left.start : left.stop], self._right[right.start : right.stop]
        table = self._similarities(olds, rows)
        scores = [_scores(old, rows, line, equal=equal) for old, line in zip(olds, table, strict=True)]
        costs = [old.cost for old in olds], [row.cost for row in rows]
        return [(left[at], right[to], table[at][to]) for at, to in heaviest_path(scores, *costs)]

    def _similarities(self, olds: Sequence[_Row], rows: Sequence[_Row]) -> list[list[float]]:
        """How much each row of the old text is like each row of the file; nothing where that is not much."""
        from rapidfuzz.fuzz import ratio
        from rapidfuzz.process import extract

        folded = [self._fold(row.text) for row in rows]
        places: dict[str, list[int]] = {}
        for at, row in enumerate(rows):
            places.setdefault(row.key, []).append(at)
        table: list[list[float]] = []
        for old in olds:
            line = [0.0] * len(rows)
            for _, score, at in extract(self._fold(old.text), folded, scorer=ratio, score_cutoff=_CUTOFF, limit=None):
                line[at] = score / 100
            for at in places.get(old.key, ()):
                line[at] = 1.0
            table.append(line)
        return table

    def _fold(self, text: str) -> str:
        """What is compared of a row; each is folded once, and most of a long text never."""
        if text not in self._folded:
            self._folded[text] = fold(self._lexis, text)[:_LONGEST]
        return self._folded[text]

    def _regroup(self, left: range, right: range) -> Iterator[_Pair]:
        """The fewest rows at a time that have the same tokens on both sides; nothing where the whole has not."""
        ours = [self._left[at].key for at in left]
        theirs = [self._right[at].key for at in right]
        if not ours or not theirs or "\0".join(ours) != "\0".join(theirs):
            return
        ends, others = ([*accumulate(len(key) + 1 for key in keys)] for keys in (ours, theirs))
        cuts, other_cuts = _positions(ends, set(others)), _positions(others, set(ends))
        for (one, end), (two, other) in zip(pairwise(cuts), pairwise(other_cuts), strict=True):
            yield self._pair(left[one:end], right[two:other], Likeness.TOKENS)

    def _unpaired(self, left: range, right: range) -> Iterator[_Pair]:
        nothing = range(0)
        for one in left:
            yield self._pair(range(one, one + 1), nothing, Likeness.NONE, 0.0)
        for two in right:
            yield self._pair(nothing, range(two, two + 1), Likeness.NONE, 0.0)


def _scores(old: _Row, rows: Sequence[_Row], similarities: Sequence[float], *, equal: bool) -> list[float]:
    """What it is worth to pair a row of the old text with each of some rows."""
    key, weight = old.key, old.weight
    found = [alike * weight if alike >= _ALIKE else 0.0 for alike in similarities]
    if equal and 1.0 in similarities:
        for at, alike in enumerate(similarities):
            if alike == 1.0 and rows[at].key == key:
                found[at] = 1 + 2 * weight
    return found


def _numbers(rows: Sequence[_Row], among: range) -> range:
    """Their numbers among all rows, with the blank rows between them."""
    return range(rows[among.start].number, rows[among.stop - 1].number + 1) if among else range(0)


def _shared_head(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(left), len(right)))


def _positions(ends: Sequence[int], shared: Container[int]) -> list[int]:
    """The start, and behind each row that ends where a row of the other side ends as well."""
    return [0, *(at for at, end in enumerate(ends, 1) if end in shared)]


def _with_blanks(pairs: Iterator[_Pair], old: Sequence[str], rows: Sequence[str]) -> Iterator[Pairing]:
    """The pairs with what is blank between them, and with places for rows that have no answer."""
    at = to = 0
    for pair in pairs:
        left, right = pair.left, pair.right
        if not left:  # blank rows on both sides in front of a row without answer belong together
            left = range(0) if not right else _behind_blanks(old, at, right.start - to)
        elif not right:
            right = _behind_blanks(rows, to, left.start - at)
        yield from _blanks(range(at, left.start), range(to, right.start))
        yield Pairing(left.start, left.stop, right.start, right.stop, pair.likeness, pair.similarity)
        at, to = left.stop, right.stop
    yield from _blanks(range(at, len(old)), range(to, len(rows)))


def _behind_blanks(rows: Sequence[str], start: int, most: int) -> range:
    """The empty range behind the blank rows from a row on, so many of them at most."""
    end = start
    while end < min(start + most, len(rows)) and not rows[end].strip():
        end += 1
    return range(end, end)


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
