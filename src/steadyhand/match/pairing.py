"""Rows of the old text with the rows of a file that answer to them, how alike both are, and how much a row says.

Plain facts. Who answers to whom is found in `match/align.py`; whether an edit may be made there is decided elsewhere.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from steadyhand.match.lexis import Lexis, fold, squeeze

__all__ = ["Alignment", "Likeness", "Pairing", "likeness_of", "weight_of"]

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


def likeness_of(lexis: Lexis, old: str, row: str) -> Likeness:
    """How alike two rows are that say the same.

    >>> from steadyhand.match.lexis import lexis_of
    >>> [likeness_of(lexis_of("a.py"), "f(a,  'b')", row).name for row in ("f(a, 'b')", 'f(a, "b")', "f(a,'b')")]
    ['LAYOUT', 'TYPOGRAPHY', 'TOKENS']
    """
    if old == row:
        return Likeness.SAME
    if squeeze(lexis, old) == squeeze(lexis, row):
        return Likeness.LAYOUT
    return Likeness.TYPOGRAPHY if fold(lexis, old) == fold(lexis, row) else Likeness.TOKENS


def weight_of(row: str) -> float:
    """How much a row says: a lone bracket hardly anything, a long line much.

    >>> round(weight_of("    }"), 3), weight_of("x" * 100)
    (0.125, 1.1)
    """
    return 0.1 + min(len(row.strip()), _LONG) / _LONG
