"""Lines of a text. A line ends at LF, CR LF or a lone CR and nowhere else; this is the only splitter.

Rows count from 0, lines shown to people from 1. A final newline ends the last line and opens no other.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.span import Span

_ENDING = lazy_pattern(r"\r\n?|\n")
_NEAR = 256
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


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


def count_lines(text: str, end: int | None = None, start: int = 0) -> int:
    """How many line endings `text[:end]` has more than `text[:start]`; one between whose CR and LF it ends is none yet.

    No table is built, and nothing outside the two places is looked at: whoever knows the line of one place counts on.

    >>> count_lines("a\\r\\nb\\rc\\nd"), count_lines("a\\r\\nb\\r", 5, 2), count_lines("a\\r\\nb", 2)
    (3, 2, 0)
    """
    stop = len(text) if end is None else end
    if stop and text[stop - 1 : stop + 1] == "\r\n":
        stop -= 1
    if start and text[start - 1 : start + 1] == "\r\n":
        start -= 1
    endings = text.count("\n", start, stop)
    returns = text.count("\r", start, stop)
    return endings + returns - text.count("\r\n", start, stop) if returns else endings


def line_ending(line: str) -> str:
    """The ending of one line: LF, CR LF, CR, or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1] if line.endswith(("\n", "\r")) else ""


def body(line: str) -> str:
    """The line without its ending."""
    return line[: len(line) - len(line_ending(line))]


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


def starts_line(text: str, offset: int) -> bool:
    """Whether a line starts at an offset; not between the CR and the LF of one ending."""
    return offset == 0 or (text[offset - 1] in "\r\n" and text[offset - 1 : offset + 1] != "\r\n")


def to_lf(text: str) -> str:
    """The text with every line ending written as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_whole_lines(text: str, span: Span) -> bool:
    """Whether nothing but blanks stands before a span on its first line, and behind it on its last.

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
    """Where each line starts; built once, then each question is a look-up."""

    __slots__ = ("_length", "_starts", "_text")

    def __init__(self, text: str) -> None:
        starts = array("Q", [0])
        starts.extend(found.end() for found in _ENDING.finditer(text))
        if starts[-1] == len(text):
            starts.pop()  # nothing after the last ending: no further line
        self._starts = starts
        self._length = len(text)
        self._text = text

    @property
    def count(self) -> int:
        return len(self._starts)

    def start(self, row: int) -> int:
        """Where a row starts; the row after the last starts at the end of the text."""
        return self._starts[row] if row < len(self._starts) else self._length

    def span(self, row: int) -> Span:
        """The line with its ending."""
        return Span(self.start(row), self.start(row + 1))

    def span_of(self, first: int, last: int) -> Span:
        """Rows `first` to `last`, both included, with their endings."""
        return Span(self.start(first), self.start(last + 1))

    def text(self, row: int) -> str:
        """The line without its ending."""
        return body(self.span(row).of(self._text))

    def row_at(self, offset: int) -> int:
        """The row an offset lies in; the end of the text belongs to the last row."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def rows_of(self, span: Span) -> tuple[int, int]:
        """First and last row a span covers; an empty span covers the row it stands in."""
        first = self.row_at(span.start)
        return first, first if span.is_empty else max(first, self.row_at(span.end - 1))
