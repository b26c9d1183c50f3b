"""Which rows of a file answer to which rows of the old text.

An alignment is a list of pairings that, read in order, cover every row of both sides exactly once. Most pair one row
with one row; a statement with another layout pairs several with several; rows with no answer are alone.
Nothing here decides whether an edit may be made; it only reports how alike each pairing is.

Work is bounded: rows that are the same are paired in near-linear time, only what lies between them is compared row by
row, and beyond a budget it is left unpaired.

A `Pairing` is rows of the old text and the rows of the file that they are aligned with. `similarity` and `differences`
measure how much an aligned place is like the old text, and in what it differs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from enum import IntEnum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.lazy import LazyModule
from steadyhand.match.lexer import Lexer, fold, squeeze, token_key
from steadyhand.text.diff import equal_pairs

if TYPE_CHECKING:
    from rapidfuzz import distance, fuzz, process
else:  # rows that are as quoted need none of it
    distance, fuzz = LazyModule("rapidfuzz.distance"), LazyModule("rapidfuzz.fuzz")
    process = LazyModule("rapidfuzz.process")

_EDGES = " \t\r\n"
_LONG = 40  # code points from which a row says as much as a row can


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


class Pairing(NamedTuple):
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
        return self.is_file_only and self.start < self.end and not self.is_blank

    @property
    def is_file_only(self) -> bool:
        """Whether the old text has nothing here, not even blank rows."""
        return self.old_start == self.old_end

    @property
    def is_one_to_one(self) -> bool:
        """Whether one row answers to one row."""
        return self.end - self.start == 1 == self.old_end - self.old_start

    @property
    def is_laid_out_otherwise(self) -> bool:
        """Whether both sides are one statement, on several rows on one side at least."""
        return self.likeness is Likeness.TOKENS and not self.is_one_to_one

    def moved(self, old: int, row: int) -> Pairing:
        """The same pairing where the two texts begin so many rows further up."""
        one, two, start, end = self.old_start + old, self.old_end + old, self.start + row, self.end + row
        return Pairing(one, two, start, end, self.likeness, self.similarity, self.is_blank, self.is_kept)

    def turned(self, old: int, row: int) -> Pairing:
        """A pairing of rows counted upwards from `old` and `row`, with its rows counted downwards."""
        one, two, start, end = old - self.old_end, old - self.old_start, row - self.end, row - self.start
        return Pairing(one, two, start, end, self.likeness, self.similarity, self.is_blank, self.is_kept)


Alignment = tuple[Pairing, ...]


def likeness_of(lexer: Lexer, old: str, row: str) -> Likeness:
    """How alike two rows are that say the same.

    >>> from steadyhand.match.lexer import lexer_of
    >>> [likeness_of(lexer_of("a.py"), "f(a,  'b')", row).name for row in ("f(a, 'b')", 'f(a, "b")', "f(a,'b')")]
    ['LAYOUT', 'TYPOGRAPHY', 'TOKENS']
    """
    if old == row:
        return Likeness.SAME
    if old.strip(_EDGES) == row.strip(_EDGES) or squeeze(lexer, old) == squeeze(lexer, row):
        return Likeness.LAYOUT
    return Likeness.TYPOGRAPHY if fold(lexer, old) == fold(lexer, row) else Likeness.TOKENS


def weight_of(row: str) -> float:
    """How much a row says: a lone bracket hardly anything, a long line much.

    >>> round(weight_of("    }"), 3), weight_of("x" * 100)
    (0.125, 1.1)
    """
    return 0.1 + min(len(row.strip()), _LONG) / _LONG


Table = Sequence[Sequence[float]]


def max_weight_path(scores: Table, row_costs: Sequence[float], column_costs: Sequence[float]) -> list[tuple[int, int]]:
    """Pairs (row, column), both rising, that are worth most; what is passed over before the last pair has its cost.

    >>> max_weight_path([[0, 3], [2, 0]], [0.5, 0.5], [0.5, 0.5])
    [(0, 1)]
    """
    height, width = len(row_costs), len(column_costs)
    best = _worth(scores, row_costs, column_costs)
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


def _worth(scores: Table, row_costs: Sequence[float], column_costs: Sequence[float]) -> Table:
    """What the best path from each cell on is worth; to end at once is worth nothing."""
    right_to_left = column_costs[::-1]
    below = [0.0] * (len(column_costs) + 1)  # what the row below is worth, from the right, as all rows in here
    best = [below]
    for line, cost in zip(reversed(scores), reversed(row_costs), strict=True):
        here = [0.0]
        right = aslant = 0.0
        if any(line):
            for score, down, passed in zip(reversed(line), below[1:], right_to_left, strict=True):
                worth = down - cost
                if right - passed > worth:
                    worth = right - passed
                if worth < 0:
                    worth = 0.0
                if score > 0 and score + aslant >= worth:
                    worth = score + aslant
                here.append(worth)
                right, aslant = worth, down
        elif any(below):
            # A row that resembles no other has no pair: only passing over is weighed.
            for down, passed in zip(below[1:], right_to_left, strict=True):
                worth = down - cost
                if right - passed > worth:
                    worth = right - passed
                if worth < 0:
                    worth = 0.0
                here.append(worth)
                right = worth
        else:
            here = below  # nothing is worth anything here either
        best.append(here)
        below = here
    return [row[::-1] for row in reversed(best)]


_CELLS = 12_000  # rows times rows that are compared one by one between two sure pairs
_LONGEST = 1_000  # code points of a row that are compared
_CUTOFF = 60.0
_ALIKE = _CUTOFF / 100  # two rows less alike than this have nothing to do with each other


def align(old: Sequence[str], rows: Sequence[str], lexer: Lexer) -> Alignment:
    """Pair the rows of the old text with rows of a file, both without endings.

    >>> from steadyhand.match.lexer import lexer_of
    >>> [(p.old_start, p.start, p.likeness.name) for p in align(["a b", "c"], ["a  b", "", "c"], lexer_of("x.py"))]
    [(0, 0, 'LAYOUT'), (1, 1, 'SAME'), (1, 2, 'SAME')]
    """
    quoted = _as_quoted(old, rows)
    if quoted is not None:
        return quoted
    pairs = _Aligner(_visible(old, lexer), _visible(rows, lexer), lexer).pairs()
    return tuple(_with_blanks(pairs, old, rows))


def _as_quoted(old: Sequence[str], rows: Sequence[str]) -> Alignment | None:
    """The alignment of texts that differ at the edges of their rows only; None for others."""
    if len(old) != len(rows):
        return None
    # Such rows have the same key in every language, so comparing all with all would only find these pairs again.
    found: list[Pairing] = []
    for at, (one, two) in enumerate(zip(old, rows, strict=True)):
        likeness = Likeness.SAME
        if one != two:
            if one.strip(_EDGES) != two.strip(_EDGES):
                return None
            likeness = Likeness.LAYOUT
        if one.strip():
            found.append(Pairing(at, at + 1, at, at + 1, likeness))
        else:
            found.append(Pairing(at, at + 1, at, at + 1, Likeness.SAME, is_blank=True))
    return tuple(found)


class _Row(NamedTuple):
    """A row that is not blank: its number among all rows, and what it is compared by."""

    number: int
    text: str
    key: str

    @property
    def weight(self) -> float:
        return weight_of(self.text)


def _visible(rows: Sequence[str], lexer: Lexer) -> list[_Row]:
    return [_Row(number, text, token_key(lexer, text)) for number, text in enumerate(rows) if text.strip()]


class _Aligner:
    """One alignment of rows that are not blank; ranges in here count among these rows."""

    def __init__(self, left: Sequence[_Row], right: Sequence[_Row], lexer: Lexer) -> None:
        self._left, self._right, self._lexer = left, right, lexer
        self._folded: dict[str, str] = {}
        self._compared: tuple[int, int, list[list[float]]] | None = None

    def pairs(self) -> Iterator[Pairing]:
        """Every row of both sides, in order; an empty side has no answer, and no place yet."""
        left = right = 0
        for one, two in self._sure_pairs():
            if left < one or right < two:
                yield from self._between(range(left, one), range(right, two))
            old, row = self._left[one], self._right[two]
            likeness = likeness_of(self._lexer, old.text, row.text)
            yield Pairing(old.number, old.number + 1, row.number, row.number + 1, likeness)
            left, right = one + 1, two + 1
        if left < len(self._left) or right < len(self._right):
            yield from self._between(range(left, len(self._left)), range(right, len(self._right)))

    def _pair(self, left: range, right: range, likeness: Likeness, similarity: float = 1.0) -> Pairing:
        return Pairing(*_numbers(self._left, left), *_numbers(self._right, right), likeness, similarity)

    def _sure_pairs(self) -> Iterator[tuple[int, int]]:
        """Rows with the same tokens, such that most is explained."""
        left, right = [row.key for row in self._left], [row.key for row in self._right]
        pairs = zip(left, right, strict=False)
        head = next((at for at, (one, two) in enumerate(pairs) if one != two), min(len(left), len(right)))
        yield from ((row, row) for row in range(head))
        if (len(left) - head) * (len(right) - head) <= _CELLS:
            path = self._best_path(range(head, len(left)), range(head, len(right)), equal=True)
            yield from ((one, two) for one, two, _ in path if left[one] == right[two])
        else:
            # A table has a cell for each pair of rows. Equal rows alone cut what is too large for one into pieces.
            yield from ((one + head, two + head) for one, two in equal_pairs(left[head:], right[head:]))

    def _between(self, left: range, right: range) -> Iterator[Pairing]:
        """What is between two sure pairs: the same statement with another layout, rows alike, or nothing."""
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
        if self._compared is not None:  # with the rows around those that were found to be the same
            start, other, compared = self._compared
            among = slice(right.start - other, right.stop - other)
            table = [line[among] for line in compared[left.start - start : left.stop - start]]
        else:
            table = self._similarities(olds, rows)
            self._compared = (left.start, right.start, table) if equal else None
        scores = [_scores(old, rows, line, equal=equal) for old, line in zip(olds, table, strict=True)]
        # To pass over a row costs so much that rows are rather taken for changed than looked for far away.
        costs = [old.weight / 2 for old in olds], [row.weight / 2 for row in rows]
        return [(left[at], right[to], table[at][to]) for at, to in max_weight_path(scores, *costs)]

    def _similarities(self, olds: Sequence[_Row], rows: Sequence[_Row]) -> list[list[float]]:
        """How much each row of the old text is like each row of the file; nothing where that is not much."""
        extract, ratio = process.extract, fuzz.ratio
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
            self._folded[text] = fold(self._lexer, text)[:_LONGEST]
        return self._folded[text]

    def _regroup(self, left: range, right: range) -> Iterator[Pairing]:
        """The fewest rows at a time that have the same tokens on both sides; nothing where the whole has not."""
        ours = [self._left[at].key for at in left]
        theirs = [self._right[at].key for at in right]
        if not ours or not theirs or "\0".join(ours) != "\0".join(theirs):
            return
        ends, others = ([*accumulate(len(key) + 1 for key in keys)] for keys in (ours, theirs))
        cuts, other_cuts = _positions(ends, set(others)), _positions(others, set(ends))
        for (one, end), (two, other) in zip(pairwise(cuts), pairwise(other_cuts), strict=True):
            yield self._pair(left[one:end], right[two:other], Likeness.TOKENS)

    def _unpaired(self, left: range, right: range) -> Iterator[Pairing]:
        for old in self._left[left.start : left.stop]:
            yield Pairing(old.number, old.number + 1, 0, 0, Likeness.NONE, 0.0)
        for row in self._right[right.start : right.stop]:
            yield Pairing(0, 0, row.number, row.number + 1, Likeness.NONE, 0.0)


def _scores(old: _Row, rows: Sequence[_Row], similarities: Sequence[float], *, equal: bool) -> list[float]:
    """What it is worth to pair a row of the old text with each of some rows."""
    if not any(similarities):
        return [0.0] * len(rows)
    key, weight = old.key, old.weight
    found = [alike * weight if alike >= _ALIKE else 0.0 for alike in similarities]
    if equal and 1.0 in similarities:
        for at, alike in enumerate(similarities):
            if alike == 1.0 and rows[at].key == key:
                found[at] = 1 + 2 * weight
    return found


def _numbers(rows: Sequence[_Row], among: range) -> tuple[int, int]:
    """Their first number among all rows and the one behind the last, with the blank rows between them."""
    return (rows[among.start].number, rows[among.stop - 1].number + 1) if among else (0, 0)


def _positions(ends: Sequence[int], shared: Container[int]) -> list[int]:
    """The start, and behind each row that ends where a row of the other side ends as well."""
    return [0, *(at for at, end in enumerate(ends, 1) if end in shared)]


def _with_blanks(pairs: Iterator[Pairing], old: Sequence[str], rows: Sequence[str]) -> Iterator[Pairing]:
    """The pairs with what is blank between them, and with places for rows that have no answer."""
    at = to = 0
    for pair in pairs:
        left, left_end, right, right_end, likeness, similarity, _, _ = pair
        if left == left_end:  # blank rows on both sides in front of a row without answer belong together
            left = left_end = _behind_blanks(old, at, right - to)
            pair = Pairing(left, left, right, right_end, likeness, similarity)
        elif right == right_end:
            right = right_end = _behind_blanks(rows, to, left - at)
            pair = Pairing(left, left_end, right, right, likeness, similarity)
        if at < left or to < right:
            yield from _blanks(range(at, left), range(to, right))
        yield pair
        at, to = left_end, right_end
    yield from _blanks(range(at, len(old)), range(to, len(rows)))


def _behind_blanks(rows: Sequence[str], start: int, most: int) -> int:
    """The number of the row behind the blank rows from a row on, so many of them at most."""
    end = start
    while end < min(start + most, len(rows)) and not rows[end].strip():
        end += 1
    return end


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


_LONGEST_MEASURED = 4_000  # code points of a row that are compared one by one
_MOST = 0.9999  # of what is not the same


def similarity(old: Sequence[str], rows: Sequence[str], alignment: Alignment) -> float:
    """The share of characters that both sides have in common, from 0 to 1; rows that are elided do not count.

    >>> from steadyhand.match.lexer import lexer_of
    >>> from steadyhand.match.align import align
    >>> similarity(["ab"], ["a b"], align(["ab"], ["a b"], lexer_of(None)))
    0.8
    """
    total = apart = 0
    for pairing in alignment:
        if pairing.is_kept:
            continue
        if pairing.is_one_to_one:
            one, two, unlike = old[pairing.old_start], rows[pairing.start], 0
        else:
            one, two = ("\n".join(side[start:end]) for side, start, end in ((old, *pairing[:2]), (rows, *pairing[2:4])))
            unlike = _blank_rows_apart(pairing)
        total += len(one) + len(two) + unlike
        apart += _distance(one, two) + unlike
    return 1.0 if not apart else round(min(1 - apart / total, _MOST), 4)


def differences(old: Sequence[str], rows: Sequence[str], alignment: Alignment) -> tuple[str, ...]:
    """What differs, each kind once, in the order in which the rows show it."""
    return tuple(dict.fromkeys(word for pairing in alignment for word in _words(pairing, old, rows)))


def _blank_rows_apart(pairing: Pairing) -> int:
    """How many blank rows one side has and the other has not."""
    return abs(pairing.old_end - pairing.old_start - pairing.end + pairing.start) if pairing.is_blank else 0


def _distance(one: str, two: str) -> int:
    if one in two or two in one:
        return abs(len(one) - len(two))
    if max(len(one), len(two)) <= _LONGEST_MEASURED:
        return int(distance.Indel.distance(one, two))
    return abs(len(one) - len(two)) + 1


def _words(pairing: Pairing, old: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    if pairing.is_kept:
        yield "elided lines"
    elif pairing.is_blank:
        if _blank_rows_apart(pairing):
            yield "blank lines"
    elif pairing.is_missing:
        yield "lines that are not in the file"
    elif pairing.is_added:
        yield "lines that the old text leaves out"
    elif pairing.likeness is Likeness.SIMILAR:
        yield "wording"
    elif pairing.likeness is Likeness.TOKENS:
        yield "layout"
    elif pairing.likeness is not Likeness.SAME:
        yield from _blank_differences(old[pairing.old_start], rows[pairing.start])
        if pairing.likeness is Likeness.TYPOGRAPHY:
            one, two = (row.replace('"', "'").split() for row in (old[pairing.old_start], rows[pairing.start]))
            yield "quote style" if one == two else "typography"


def _blank_differences(old: str, row: str) -> Iterator[str]:
    if old[: len(old) - len(old.lstrip())] != row[: len(row) - len(row.lstrip())]:
        yield "indentation"
    if old[len(old.rstrip()) :] != row[len(row.rstrip()) :]:
        yield "trailing blanks"
    if old.strip() != row.strip() and old.split() == row.split():
        yield "blanks inside lines"
