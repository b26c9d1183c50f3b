"""Lines of a running text in which every line ends with LF: they are found by counting, however many writes there are.

`_before[i]` is how many LFs of the original stand before write i, and `_gained[i]` by how many the writes before it
have changed that; it has one entry more than there are writes. Where a line ends with a CR alone, nothing is counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from steadyhand.plan.draft import Write
from steadyhand.text.lines import body
from steadyhand.text.source import Source


class Running(Protocol):
    """The text that is counted in: where each of its writes stands now, and its characters."""

    original: Source
    writes: list[Write]

    @property
    def length(self) -> int:
        """How many characters it has."""

    def moved(self, index: int) -> int:
        """By how much the writes before that one have moved what follows."""

    def read(self, start: int, end: int) -> str:
        """A part of it."""


class CountedRows:
    """The rows of a running text. Whoever writes to it says so with `add`, or asks for new ones."""

    def __init__(self, text: Running) -> None:
        self._text = text
        self._table = text.original.table
        self._size = len(text.original.text)
        self._ends_line = text.original.text.endswith("\n")
        self._before = [self._feeds_before(write.span.start) for write in text.writes]
        self._gained = list(accumulate(map(self._gain, text.writes), initial=0))

    @staticmethod
    def can_count(text: Running, writes: Sequence[Write] | None = None) -> bool:
        """Whether no CR stands alone: not in the original, and not because of some writes, or of all of them."""
        original = text.original.text
        if writes is None and "\r" in original and text.original.newlines.cr:
            return False
        return all(
            write.new.count("\r") == write.new.count("\r\n")
            and (not write.span.start or original[write.span.start - 1] != "\r")
            for write in (text.writes if writes is None else writes)
        )

    def add(self, index: int, write: Write) -> None:
        """Take note of a write that was put at an index."""
        gain = self._gain(write)
        self._before.insert(index, self._feeds_before(write.span.start))
        self._gained.insert(index, self._gained[index])
        if gain:
            self._gained[index + 1 :] = [gained + gain for gained in self._gained[index + 1 :]]

    @property
    def count(self) -> int:
        feeds = self._feeds_before(self._size) + self._gained[-1]
        length = self._text.length
        return feeds + (length > 0 and self._text.read(length - 1, length) != "\n")

    def start(self, row: int) -> int:
        """Where a row starts, behind the LF of that number; the row after the last starts at the end of the text."""
        if row <= 0:
            return 0
        if row >= self.count:
            return self._text.length
        index = bisect_left(range(len(self._before)), row, key=lambda at: self._before[at] + self._gained[at]) - 1
        if index >= 0:
            write, inside = self._text.writes[index], row - self._before[index] - self._gained[index]
            if inside <= write.new.count("\n"):
                return write.span.start + self._text.moved(index) + _behind_feed(write.new, inside)
        return self._table.start(row - self._gained[index + 1]) + self._text.moved(index + 1)

    def text(self, row: int) -> str:
        """The line without its ending."""
        return body(self._text.read(self.start(row), self.start(row + 1)))

    def _gain(self, write: Write) -> int:
        """How many more LFs there are because of a write."""
        return write.new.count("\n") - (self._feeds_before(write.span.end) - self._feeds_before(write.span.start))

    def _feeds_before(self, offset: int) -> int:
        """How many LFs of the original stand before an offset."""
        return self._table.row_at(offset) + (self._ends_line and offset == self._size)


def _behind_feed(text: str, number: int) -> int:
    """The offset behind the LF of that number, from 1."""
    at = 0
    for _ in range(number):
        at = text.index("\n", at) + 1
    return at
