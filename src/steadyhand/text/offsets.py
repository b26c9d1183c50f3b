"""Code points to UTF-8 bytes, UTF-16 units and line/column and back: the only place where units are converted.

Offsets count code points everywhere else. Bytes and units are those of the text itself, without byte order mark; a
lone surrogate counts three bytes and one unit, as `utf8_bytes` writes it. Columns count code points from 1.
Nothing here rounds: an offset outside the text or inside a character is refused with `out-of-bounds`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import Source

__all__ = [
    "Position",
    "UnitMap",
    "byte_to_offset",
    "offset_to_byte",
    "offset_to_position",
    "offset_to_utf16",
    "position_to_offset",
    "utf8_bytes",
    "utf16_to_offset",
]

_STEP = 512


class Position(NamedTuple):
    """A place for people: line and column count from 1, columns in code points."""

    line: int
    column: int


def utf8_bytes(text: str) -> bytes:
    """The bytes that byte offsets count in; what a parser of bytes must be given."""
    return text.encode("utf-8", "surrogatepass")


class UnitMap:
    """Offsets of one text in another unit; built once, then each question costs a look-up and a short walk.

    >>> UnitMap.utf8("a€b").to_units(2), UnitMap.utf8("a€b").to_offset(4), UnitMap.utf16("😀b").to_units(1)
    (4, 2, 2)
    """

    __slots__ = ("_marks", "_text", "_unit", "_width")

    def __init__(self, text: str, unit: str, width: Callable[[str], int]) -> None:
        self._text = text
        self._unit = unit
        self._width = width
        self._marks = array("Q", [0])  # how many units are before every _STEP-th code point
        if not text.isascii():
            for start in range(0, len(text), _STEP):
                self._marks.append(self._marks[-1] + width(text[start : start + _STEP]))

    @classmethod
    def utf8(cls, text: str) -> UnitMap:
        return cls(text, "byte", lambda piece: len(utf8_bytes(piece)))

    @classmethod
    def utf16(cls, text: str) -> UnitMap:
        return cls(text, "UTF-16 unit", lambda piece: len(piece.encode("utf-16-le", "surrogatepass")) // 2)

    @property
    def total(self) -> int:
        """The length of the text in this unit."""
        return len(self._text) if self._text.isascii() else self._marks[-1]

    def to_units(self, offset: int) -> int:
        _check(offset, len(self._text), "offset")
        if self._text.isascii():
            return offset
        mark = offset // _STEP
        return self._marks[mark] + self._width(self._text[mark * _STEP : offset])

    def to_offset(self, units: int) -> int:
        _check(units, self.total, self._unit)
        if self._text.isascii():
            return units
        mark = bisect_right(self._marks, units) - 1
        offset, reached = mark * _STEP, self._marks[mark]
        while reached < units:
            reached += self._width(self._text[offset])
            offset += 1
        if reached != units:
            raise _outside(f"{self._unit} {units} lies inside a character", self._unit, units)
        return min(offset, len(self._text))


def offset_to_byte(text: str, offset: int) -> int:
    """The UTF-8 byte a code point starts at; for many questions about one text keep a `UnitMap`."""
    _check(offset, len(text), "offset")
    return offset if text.isascii() else len(utf8_bytes(text[:offset]))


def byte_to_offset(text: str, byte: int) -> int:
    """The inverse of `offset_to_byte`."""
    return UnitMap.utf8(text).to_offset(byte)


def offset_to_utf16(text: str, offset: int) -> int:
    """The UTF-16 unit a code point starts at, as editors and language servers count."""
    _check(offset, len(text), "offset")
    return offset if text.isascii() else len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def utf16_to_offset(text: str, unit: int) -> int:
    """The inverse of `offset_to_utf16`."""
    return UnitMap.utf16(text).to_offset(unit)


def offset_to_position(source: Source, offset: int) -> Position:
    """Line and column of an offset; the end of a text that ends with a newline is the column after it.

    >>> offset_to_position(Source.of_text("ab\\ncd"), 4)
    Position(line=2, column=2)
    """
    _check(offset, len(source.text), "offset")
    row = source.table.row_at(offset)
    return Position(row + 1, offset - source.table.start(row) + 1)


def position_to_offset(source: Source, position: Position) -> int:
    """The inverse of `offset_to_position`; a column past the line and its ending is refused."""
    row, column = position.line - 1, position.column - 1
    _check(row, max(source.table.count - 1, 0), "row")
    start = source.table.start(row) if source.text else 0
    end = source.table.start(row + 1)
    is_last = row >= source.table.count - 1
    _check(column, end - start - (0 if is_last else 1), "column")
    return start + column


def _check(value: int, highest: int, unit: str) -> None:
    if not 0 <= value <= highest:
        raise _outside(f"{unit} {value} lies outside 0 to {highest}", unit, value)


def _outside(message: str, unit: str, value: int) -> EditError:
    return EditError(
        Kind.OUT_OF_BOUNDS,
        message,
        hint="read the file again and count in its current text",
        details={"unit": unit, "value": value},
    )
