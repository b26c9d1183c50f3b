"""How much two texts have in common: characters in the same order, blanks and typography counting little.

Only measures. Where to measure is decided elsewhere, and nothing found here is ever edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.lazy import LazyModule, lazy_pattern
from steadyhand.text.diff import diff_rows, equal_pairs
from steadyhand.text.span import Span
from steadyhand.text.typography import PLAIN

__all__ = ["CELLS", "Measure", "Resemblance", "shared_at_most", "shared_weight", "similar_names", "text_floor"]

if TYPE_CHECKING:
    from rapidfuzz import distance
else:
    distance = LazyModule("rapidfuzz.distance")  # only a refusal needs it

CELLS = 16_000_000  # code points of one text times the other's, compared one by one; beyond this piece by piece
_BLANKS = lazy_pattern(r"[ \t]+")

# Below a floor nothing is suggested. At 0.65 about 1 % of names (fields, symbols, headings) and 10 % of lines taken
# from another file have something to be suggested for them, and 96 to 98 % of names with a slip in them, 99 % of lines
# with a tenth of their words wrong; at 0.5 the first two are 8 to 17 % and 31 %.
_FLOOR = 0.65
_SHORT_FLOOR = 0.8  # a short text finds something a little like it in every file
_LONGEST_NAME = 80
_FEW = 8  # rows that are counted one by one
_MOST_NAMES = 5_000
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = lazy_pattern(r"[^\W_]+")


class Resemblance(NamedTuple):
    """A place that was measured: places are ordered by `rank`, `similarity` is the share of characters in common.

    `is_sure` is false where a character more or less at an edge would resemble the needle as much.
    """

    rank: float
    span: Span
    similarity: float
    is_sure: bool = True


class Measure:
    """One text, line by line, that many others are compared with; lines that they share are folded once."""

    __slots__ = ("_folded", "_lines", "_text", "_wanted")

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = wanted
        self._text = "".join(wanted)
        self._folded: str | None = None  # made when it is needed first
        self._lines = _FoldedLines()

    @property
    def length(self) -> int:
        return len(self._text)

    def alike(self, actual: Sequence[str]) -> float:
        """The share of code points two lists of lines have in common and in order, from 0 to 1."""
        right = "".join(actual)
        if len(self._text) * len(right) > CELLS:
            return self._alike_by_pieces(actual, len(right))
        if self._folded is None:
            self._folded = self._fold(self._wanted)
        share = _share(self._text, right)
        return max(share, (share + 9 * _share(self._folded, self._fold(actual))) / 10)

    def _fold(self, lines: Sequence[str]) -> str:
        fold = self._lines.__getitem__ if len(lines) > 1 else _folded_line  # a part of a line hardly comes again
        return "".join(map(fold, lines)).removesuffix(" ")

    def _alike_by_pieces(self, actual: Sequence[str], size: int) -> float:
        budget = 4 * CELLS
        distance = 0
        for change in diff_rows(self._wanted, actual):
            old = "".join(self._wanted[change.before_start : change.before_end])
            new = "".join(actual[change.after_start : change.after_end])
            budget -= len(old) * len(new)
            distance += _distance(old, new) if budget > 0 else len(old) + len(new)
        return 1 - distance / (len(self._text) + size)


class _FoldedLines(dict[str, str]):
    """Each line as it is compared, folded when it is first asked for."""

    def __missing__(self, line: str) -> str:
        folded = self[line] = _folded_line(line)
        return folded


def text_floor(text: str) -> float:
    """How much of it a place must have in common with a text to be shown for it.

    >>> text_floor("nowhere"), round(text_floor("x" * 100), 2)
    (0.7928571428571429, 0.66)
    """
    return min(_FLOOR + 1 / max(len(text.strip()), 1), _SHORT_FLOOR)


def similar_names(name: str, known: Iterable[str], limit: int = 1) -> list[str]:
    """The known names that may be meant by `name`, the likeliest first; none where no name is similar.

    Upper and lower case and the signs between words do not count. A name that has all words of the other is similar.

    >>> similar_names("occurence", ["occurrence", "expected"]), similar_names("Zebra", ["Intro", "Usage"])
    (['occurrence'], [])
    >>> similar_names("newContent", ["new_contents", "old_content"]), similar_names("setup", ["Setup on a server"])
    (['new_contents'], ['Setup on a server'])
    """
    wanted, indel = _words(name), distance.Indel
    scores: dict[str, float] = {}
    for each in islice(dict.fromkeys(known), _MOST_NAMES):
        words = _words(each)
        alike = indel.normalized_similarity(" ".join(wanted), " ".join(words))
        if _has_all(words, wanted) or _has_all(wanted, words):
            alike = max(alike, _FLOOR)
        if alike >= _FLOOR:
            scores[each] = alike
    return sorted(scores, key=lambda each: (-scores[each], -indel.normalized_similarity(name, each)))[:limit]


def _words(name: str) -> list[str]:
    short = name.strip()[:_LONGEST_NAME]
    return _WORDS.findall(_HUMP.sub(" ", short).casefold()) or [short]


def _has_all(words: Sequence[str], some: Sequence[str]) -> bool:
    """Whether a name has all words of another, the first of which may be cut, and that other says something."""
    return sum(map(len, some)) > 2 and (set(some) <= set(words) or words[0].startswith("".join(some)))


def shared_weight(rows: Sequence[str], lines: Sequence[str]) -> float:
    """How much of the rows, by their length, is among the lines unchanged, from 0 to 1."""
    total = sum(map(len, rows))
    return sum([len(rows[row]) for row, _ in equal_pairs(rows, lines)]) / max(total, 1)


def shared_at_most(counts: Counter[str], lines: Sequence[str]) -> float:
    """The same for counted rows if the order did not matter: no less than `shared_weight`, and found in no time."""
    both = set(lines).intersection(counts)
    if not both:
        return 0.0
    there = Counter(lines).__getitem__ if len(both) > _FEW else lines.count
    total = sum([len(row) * count for row, count in counts.items()])
    return sum([len(row) * min(counts[row], there(row)) for row in both]) / max(total, 1)


def _share(left: str, right: str) -> float:
    return 1 - _distance(left, right) / max(len(left) + len(right), 1)


def _folded_line(line: str) -> str:
    """A line with plain quotes and dashes, one blank for several, and none in front of its ending."""
    plain = line if line.isascii() else line.translate(PLAIN)
    said = plain.lstrip(" \t")
    if len(said) < len(plain):  # most lines have their blanks there
        plain = f" {said}"
    if "  " in plain or "\t" in plain:
        plain = _BLANKS.sub(" ", plain)
    return plain.replace(" \n", "\n").replace(" \r", "\r")


def _distance(left: str, right: str) -> int:
    """How many code points must go and come."""
    return int(distance.Indel.distance(left, right))
