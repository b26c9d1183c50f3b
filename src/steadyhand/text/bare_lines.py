"""The lines of a text without blanks, one kind of quotes and single dashes: for ruling out places quickly.

Rows that say the same but for blanks and typography have the same bare text. So one plain search in the bare text finds
every row that may say the same as a quoted one, or shows that there is none. What is found has to be compared still.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from steadyhand.lazy import lazy_pattern
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.typography import plain

__all__ = ["BareLines", "bare", "bare_lines"]

_MODERATE = 2_000_000  # code points of a text whose bare lines are made
_DASHES = lazy_pattern("--+")
_LINE_FEEDS = lazy_pattern("\n\n+")
_QUOTES = bytes.maketrans(b'"', b"'")
_BLANKS = b" \t\v\f\x1c\x1d\x1e\x1f"  # of ASCII, what `str.split` takes for blanks, but for LF; there is no CR


def bare(row: str) -> str:
    """What is left of a row, or of several, where neither blanks nor kinds of quotes nor the length of dashes count.

    >>> bare('x  = "a" -- b')
    "x='a'-b"
    """
    return _one_dash("".join(plain(row).split()).replace('"', "'"))


def bare_lines(source: Source) -> BareLines | None:
    """The bare lines of a text, made once; None for a text that is not ASCII, has CR, or is very long."""
    text = source.text
    return None if len(text) > _MODERATE or not text.isascii() or "\r" in text else source.derive(BareLines)


class BareLines:
    """Each line of a text as `bare` gives it."""

    def __init__(self, source: Source) -> None:
        lines = source.text.removesuffix("\n")
        self._lines = f"\n{_one_dash(lines.encode('ascii').translate(_QUOTES, _BLANKS).decode('ascii'))}\n"
        self._text = source.text

    @cached_property
    def texts(self) -> list[str]:
        """Each row as it is, without its ending."""
        return split_bodies(self._text)

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate([len(text) + 1 for text in self.texts], initial=0))

    def row_at(self, offset: int) -> int:
        """The row that a character of the text is in."""
        return bisect_right(self._starts, offset) - 1

    @cached_property
    def rows(self) -> list[str]:
        """The bare text of each row."""
        return self._lines[1:-1].split("\n")

    @cached_property
    def _visible(self) -> str:
        return _LINE_FEEDS.sub("\n", self._lines)

    @cached_property
    def _joined(self) -> str:
        return _one_dash(self._lines.replace("\n", ""))

    def joined(self, first: int, end: int) -> str:
        """The rows from `first` to before `end` as if they were one."""
        return _one_dash("".join(self.rows[first:end]))

    def may_have(self, rows: Sequence[str]) -> bool:
        """Whether some rows, blank ones left out, may be one after the other in the text."""
        return "\n".join(["", *filter(None, map(bare, rows)), ""]) in self._visible

    def may_have_words(self, text: str) -> bool:
        """Whether the words and signs of a text may be in this one, however they are divided into lines."""
        return bare(text) in self._joined

    def rows_like(self, row: str) -> Iterator[int]:
        """The rows that have the bare text of a row, from the top."""
        wanted = f"\n{bare(row)}\n"
        at = number = 0
        while (found := self._lines.find(wanted, at)) >= 0:
            number += self._lines.count("\n", at, found)
            yield number
            at = found + len(wanted) - 1
            number += 1


def _one_dash(text: str) -> str:
    return _DASHES.sub("-", text) if "--" in text else text
