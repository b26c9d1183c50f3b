"""Lines of a text. A line ends at LF, CR LF or a lone CR and nowhere else; this is the only splitter.

Rows count from 0, lines shown to people from 1. A final newline ends the last line and opens no other.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, count
from operator import add
from typing import NamedTuple, Protocol

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.cancel import check_cancelled
from steadyhand.text.span import Span

_ENDING = lazy_pattern(r"\r\n?|\n")
_NEAR = 256
_BLOCK = 4_096  # code points of a text whose line starts are found together
_SHORT = 100_000  # code points of a text whose lines are all cut out at once
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class Characters(Protocol):
    """As much of a string as it takes to find lines: a text that is not held as one has it, too."""

    def __len__(self) -> int: ...
    def __getitem__(self, part: slice, /) -> str: ...
    def count(self, what: str, start: int, end: int, /) -> int: ...
    def endswith(self, ends: tuple[str, ...], /) -> bool: ...
    def __contains__(self, what: str, /) -> bool: ...


def split_lines(text: str) -> list[str]:
    """The lines with their endings; joined they are the text again.

    >>> split_lines("a\\r\\nb\\rc\\nd")
    ['a\\r\\n', 'b\\r', 'c\\n', 'd']
    """
    if "\r" not in text:
        parts = text.split("\n")
        last = parts.pop()
        lines = [part + "\n" for part in parts]
        return [*lines, last] if last else lines
    return _LINE.findall(text)


def split_bodies(text: str) -> list[str]:
    """The lines without their endings.

    >>> split_bodies("a\\r\\nb\\rc\\n\\n")
    ['a', 'b', 'c', '']
    """
    bodies = _ENDING.split(text) if "\r" in text else text.split("\n")
    if not bodies[-1]:
        bodies.pop()  # nothing after the last ending: no further line
    return bodies


def count_lines(text: Characters, end: int | None = None, start: int = 0) -> int:
    """How many line endings `text[:end]` has more than `text[:start]`; one between whose CR and LF it ends is none yet.

    No table is built, and nothing outside the two places is looked at: whoever knows the line of one place counts on.

    >>> count_lines("a\\r\\nb\\rc\\nd"), count_lines("a\\r\\nb\\r", 5, 2), count_lines("a\\r\\nb", 2)
    (3, 2, 0)
    """
    stop = len(text) if end is None else end
    before = start - 1 if start else 0
    # To find that there is none takes a twentieth of the time that counting takes; a large text can only count.
    if (text.find("\r", before, stop) < 0) if isinstance(text, str) else not text.count("\r", before, stop):
        return text.count("\n", start, stop)
    if stop and text[stop - 1 : stop + 1] == "\r\n":
        stop -= 1
    if start and text[start - 1 : start + 1] == "\r\n":
        start -= 1
    return text.count("\n", start, stop) + text.count("\r", start, stop) - text.count("\r\n", start, stop)


def line_ending(line: str) -> str:
    """The ending of one line: LF, CR LF, CR, or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1] if line.endswith(("\n", "\r")) else ""


def body(line: str) -> str:
    """The line without its ending."""
    if line.endswith("\n"):
        return line[:-2] if line.endswith("\r\n") else line[:-1]
    return line[:-1] if line.endswith("\r") else line


def line_start(text: str, offset: int, low: int = 0) -> int:
    """Where the line that an offset lies in starts; `low` where it starts before that.

    >>> line_start("a\\r\\n  b", 5)
    3
    """
    size = _NEAR  # a text that ends its lines in one way only is not searched to its start for the other
    while offset > low:
        start = max(offset - size, low)
        found = max(text.rfind("\n", start, offset), text.rfind("\r", start, offset))
        if found >= 0:
            return found + 1
        offset, size = start, size * 4
    return low


def starts_line(text: Characters, offset: int) -> bool:
    """Whether a line starts at an offset; not between the CR and the LF of one ending."""
    return offset == 0 or (text[offset - 1 : offset] in ("\n", "\r") and text[offset - 1 : offset + 1] != "\r\n")


def to_lf(text: str) -> str:
    """The text with every line ending written as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_whole_lines(text: str, span: Span) -> bool:
    """Whether nothing but blanks is before a span on its first line, and behind it on its last.

    >>> is_whole_lines("  a b\\nc", Span(2, 5)), is_whole_lines("  a b\\nc", Span(2, 3))
    (True, False)
    """
    if text[line_start(text, span.start) : span.start].strip(" \t"):
        return False
    if span.end and text[span.end - 1] in "\r\n":
        return True
    lf = text.find("\n", span.end)
    cr = text.find("\r", span.end, lf if lf >= 0 else len(text))
    end = cr if cr >= 0 else lf if lf >= 0 else len(text)
    return not text[span.end : end].strip(" \t")


@dataclass(frozen=True, slots=True)
class NewlineFacts:
    """How many lines end in each way."""

    lf: int
    crlf: int
    cr: int

    @classmethod
    def of(cls, text: str) -> NewlineFacts:
        crlf = text.count("\r\n")
        return cls(text.count("\n") - crlf, crlf, text.count("\r") - crlf)

    @property
    def uniform(self) -> str | None:
        """The one ending all lines have, or None when there are none or several."""
        used = [ending for ending, count in self._pairs() if count]
        return used[0] if len(used) == 1 else None

    def _pairs(self) -> tuple[tuple[str, int], ...]:
        return (("\n", self.lf), ("\r\n", self.crlf), ("\r", self.cr))


class LineTable:
    """Where each line starts, found block by block of the text as it is asked for.

    How many lines a block has is counted in C; only of blocks that somebody looks into are the starts listed. So a
    question about one place of a large text costs no look at each of its lines.
    """

    __slots__ = ("_block", "_blocks", "_bodies", "_count", "_length", "_rows_before", "_size", "_text")

    def __init__(self, text: Characters, size: int = _BLOCK) -> None:
        """`size` is how many code points a block has."""
        self._text = text
        self._size = size
        self._length = len(text)
        before = [0]  # how many lines have ended where each block begins; one entry more than there are blocks
        for low in range(0, len(text), size):
            check_cancelled()
            before.append(before[-1] + count_lines(text, min(low + size, len(text)), low))
        self._rows_before = before
        self._count = before[-1] + (1 if text and not text.endswith(("\n", "\r")) else 0)
        self._blocks: dict[int, _Block] = {}
        self._block = _Block(0, 0, array("Q"))
        self._bodies: list[str] | None = None  # of a short text that is a string, from the first question on

    @property
    def count(self) -> int:
        return self._count

    def start(self, row: int) -> int:
        """Where a row starts; the row after the last starts at the end of the text."""
        if row >= self._count:
            return self._length
        if row < 1:
            return 0
        block = self._block
        if not block.first < row <= block.last:
            block = self._load(bisect_left(self._rows_before, row) - 1)
        return block.starts[row - block.first - 1]

    def span(self, row: int) -> Span:
        """The line with its ending."""
        return Span(self.start(row), self.start(row + 1))

    def span_of(self, first: int, last: int) -> Span:
        """Rows `first` to `last`, both included, with their endings."""
        return Span(self.start(first), self.start(last + 1))

    def text(self, row: int) -> str:
        """The line without its ending; nothing beyond the last one."""
        if self._bodies is None and (self._length > _SHORT or not isinstance(self._text, str)):
            return body(self._text[self.start(row) : self.start(row + 1)])
        return self.bodies[row] if 0 <= row < self._count else ""

    @property
    def bodies(self) -> list[str]:
        """Every line without its ending, of a text that is a string; kept, since whoever asks asks again."""
        if self._bodies is None:
            assert isinstance(self._text, str)
            self._bodies = split_bodies(self._text)
        return self._bodies

    def texts(self, first: int, end: int) -> list[str]:
        """The lines from row `first` to before row `end`, without their endings."""
        if self._bodies is not None or (self._length <= 2 * self._size and isinstance(self._text, str)):
            return self.bodies[max(first, 0) : max(end, 0)]  # cut out sooner than their starts are listed
        return split_bodies(self._text[self.start(first) : self.start(end)]) if first < end else []

    def row_at(self, offset: int) -> int:
        """The row an offset lies in; the end of the text belongs to the last row."""
        if offset >= self._length:
            return max(self._count - 1, 0)
        if offset < 1:
            return 0
        number = (offset - 1) // self._size
        if number not in self._blocks and "\r" not in (before := self._text[number * self._size : offset]):
            return self._rows_before[number] + before.count("\n")  # one question costs less than a list of the block
        block = self._load(number)
        return block.first + bisect_right(block.starts, offset)

    def rows_of(self, span: Span) -> tuple[int, int]:
        """First and last row a span covers; an empty span covers the row it is in."""
        first = self.row_at(span.start)
        return first, first if span.is_empty else max(first, self.row_at(span.end - 1))

    def _load(self, number: int) -> _Block:
        block = self._blocks.get(number)
        if block is None:
            starts = array("Q", _starts(self._text, number * self._size, self._size))
            block = self._blocks[number] = _Block(self._rows_before[number], self._rows_before[number + 1], starts)
        self._block = block
        return block


class _Block(NamedTuple):
    """The lines that start behind the first character of a stretch of text and up to its end.

    `first` is how many lines have ended where it begins, `last` how many where it ends.
    """

    first: int
    last: int
    starts: array[int]


def _starts(text: Characters, low: int, size: int) -> list[int]:
    """Where the lines start that start behind `low` and no further than `size` code points behind it."""
    high = min(low + size, len(text))
    stretch = text[low:high]
    if "\r" not in stretch:
        return list(map(add, accumulate(map(len, stretch.split("\n")[:-1])), count(low + 1)))
    starts = [low + found.end() for found in _ENDING.finditer(stretch)]
    if text[high - 1 : high + 1] == "\r\n":
        starts.pop()  # this ending goes on in the next block
    return starts
