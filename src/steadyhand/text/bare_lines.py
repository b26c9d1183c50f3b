"""The lines of a text without blanks, one kind of quotes and single dashes: for ruling out places quickly.

Rows that say the same but for blanks and typography have the same bare text. So one plain search in the bare text finds
every row that may say the same as a quoted one, or shows that there is none. What is found has to be compared still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from steadyhand.lazy import lazy_pattern
from steadyhand.text.source import Source
from steadyhand.text.typography import plain

__all__ = ["BareLines", "bare", "bare_lines", "bare_rows"]

_MODERATE = 2_000_000  # code points of a text whose bare lines are made
_DASHES = lazy_pattern("--+")
_QUOTES = bytes.maketrans(b'"', b"'")
_BLANKS = b" \t\v\f\x1c\x1d\x1e\x1f"  # of ASCII, what `str.split` takes for blanks, but for LF; there is no CR


def bare(row: str) -> str:
    """What is left of a row, or of several, where neither blanks nor kinds of quotes nor the length of dashes count.

    >>> bare('x  = "a" -- b')
    "x='a'-b"
    """
    said = "".join((row if row.isascii() else plain(row)).split()).replace('"', "'")
    return _DASHES.sub("-", said) if "--" in said else said


def bare_rows(rows: Sequence[str]) -> list[str]:
    """What is left of each row, as `bare` gives it."""
    text = "\n".join(rows)
    if not rows or "\r" in text or not text.isascii():
        return list(map(bare, rows))
    return _one_dash(text.encode("ascii").translate(_QUOTES, _BLANKS).decode("ascii")).split("\n")


def bare_lines(source: Source) -> BareLines | None:
    """The bare lines of a text, made once; None for a text that is not ASCII, has CR, or is very long."""
    text = source.text
    return None if len(text) > _MODERATE or not text.isascii() or "\r" in text else source.derive(BareLines)


class BareLines:
    """Each line of a text as `bare` gives it."""

    def __init__(self, source: Source) -> None:
        lines = source.text.removesuffix("\n")
        self._lines = f"\n{_one_dash(lines.encode('ascii').translate(_QUOTES, _BLANKS).decode('ascii'))}\n"
        self._text, self._table = source.text, source.table
        self._like: dict[str, list[int]] = {}  # of the rows that were asked for: tiers and refusals ask for the same

    @cached_property
    def texts(self) -> list[str]:
        """Each row as it is, without its ending."""
        return self._table.bodies

    @cached_property
    def stripped(self) -> list[str]:
        """Each row without the blanks around it."""
        return list(map(str.strip, self.texts))

    def lines(self, start: int, end: int) -> list[str]:
        """Some rows as they are, with their endings."""
        found = [f"{text}\n" for text in self.texts[start:end]]
        if end >= len(self.texts) and found and not self._text.endswith("\n"):
            found[-1] = found[-1][:-1]
        return found

    @cached_property
    def rows(self) -> list[str]:
        """The bare text of each row."""
        return self._lines[1:-1].split("\n")

    @cached_property
    def _visible(self) -> str:
        return "\n".join(["", *filter(None, self.rows), ""])

    @cached_property
    def _joined(self) -> str:
        return _one_dash("".join(self.rows))

    def may_have(self, rows: Sequence[str]) -> bool:
        """Whether rows of this bare text, empty ones left out, may be one after the other in the text."""
        return "\n".join(["", *filter(None, rows), ""]) in self._visible

    def may_have_words(self, text: str) -> bool:
        """Whether the words and signs of a text may be in this one, however they are divided into lines."""
        return bare(text) in self._joined

    def rows_like(self, row: str) -> list[int]:
        """The rows that have the bare text of a row, from the top."""
        said = bare(row)
        found = self._like.get(said)
        if found is None:
            found = self._like[said] = list(self._rows_of(f"\n{said}\n"))
        return found

    def _rows_of(self, wanted: str) -> Iterator[int]:
        at = number = 0
        while (found := self._lines.find(wanted, at)) >= 0:
            number += self._lines.count("\n", at, found)
            yield number
            at = found + len(wanted) - 1
            number += 1


def _one_dash(text: str) -> str:
    return _DASHES.sub("-", text) if "--" in text else text
