"""The cells of a table's row: where they stand, how wide they are, how new ones are written.

A row is cut at every `|` without a backslash before it, inside of code too: so GFM says.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.names import SHOWN, loose, nearest
from steadyhand.structure.node import Refusal
from steadyhand.text.span import Span

_PIPE = lazy_pattern(r"(?<!\\)\|")
# What the parser trims off a cell.
_BLANKS = " \t\n\v\f\r\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells from pipe to pipe, in characters from the start of the line."""

    number: int
    text: str
    cells: tuple[Span, ...]

    def words(self, column: int) -> str:
        """What a cell says; nothing where the row has no such cell."""
        return self.cells[column].of(self.text).strip(_BLANKS) if column < len(self.cells) else ""

    def inner(self, column: int) -> Span:
        """A cell without its padding; an empty cell is the place behind its first blank."""
        cell = self.cells[column]
        raw = cell.of(self.text)
        if not raw.strip(_BLANKS):
            at = cell.start + min(1, len(raw))
            return Span(at, at)
        start = cell.start + len(raw) - len(raw.lstrip(_BLANKS))
        return Span(start, start + len(raw.strip(_BLANKS)))


def read_row(text: str, start: int, number: int = 0) -> Row:
    """The cells of a line whose table starts at a column.

    >>> row = read_row("| a | b \\\\| c |", 0)
    >>> [row.words(column) for column in range(2)]
    ['a', 'b \\\\| c']
    """
    first = start + len(text[start:]) - len(text[start:].lstrip(_BLANKS))
    end = max(len(text.rstrip(_BLANKS)), first)
    pipes = [found.start() for found in _PIPE.finditer(text, first, end)]
    edges = [first - 1, *pipes, end]
    cells = [Span(left + 1, right) for left, right in pairwise(edges)]
    if cells and cells[0].is_empty:
        cells.pop(0)
    if cells and cells[-1].is_empty:
        cells.pop()
    return Row(number, text, tuple(cells))


def rows_of(document: Document, mark: Mark) -> tuple[list[Row], Row]:
    """The header and the rows beneath it, and the row of dashes; `number` is a row of the document."""
    read = [
        read_row(document.rows[row], document.content_start(row, mark.container) or 0, row)
        for row in range(mark.first, mark.end)
    ]
    return [read[0], *read[2:]], read[1]


def width(text: str) -> int:
    """How many columns a text takes where every letter is one or two wide.

    >>> width("日本"), width("e\\u0301")
    (4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 or letter == "\ufe0f" for letter in text)


def escaped(words: str) -> str:
    """Words as a cell writes them: every pipe behind a backslash.

    >>> escaped("a|b")
    'a\\\\|b'
    """
    return _PIPE.sub(r"\\|", words)


def aligned_width(rows: Sequence[Row], column: int) -> int | None:
    """The width that a column's cells have, if all rows have the same and it is more than one row's own."""
    widths = {width(row.cells[column].of(row.text)) for row in rows if column < len(row.cells)}
    return widths.pop() if len(widths) == 1 and len(rows) > 1 else None


def padded(words: str, room: int | None, dashes: str, *, left: int, right: int) -> str:
    """Words as a whole cell: filled up to `room`, on the side that the dashes of the column leave free."""
    free = 0 if room is None else max(room - left - right - width(words), 0)
    mark = dashes.strip()
    if mark.endswith(":") and mark.startswith(":"):
        return " " * (left + free // 2) + words + " " * (right + free - free // 2)
    if mark.endswith(":"):
        return " " * (left + free) + words + " " * right
    return " " * left + words + " " * (right + free)


def written_row(rows: Sequence[Row], dashes: Row, words: Sequence[str]) -> str:
    """A new row in the style of the others: outer pipes, padding and widths as they have them."""
    model = rows[-1] if len(rows) > 1 else rows[0]
    bare = model.text[model.cells[0].start - 1 : model.cells[0].start] if model.cells else "|"
    is_closed = model.text.rstrip().endswith("|")
    is_padded = not model.cells or any(cell.of(model.text).startswith((" ", "\t")) for cell in model.cells)
    gap = 1 if is_padded else 0
    count = len(rows[0].cells)
    cells: list[str] = []
    for column in range(count):
        said = escaped(words[column]) if column < len(words) else ""
        room = aligned_width([*rows, dashes], column)
        cells.append(padded(said, room, dashes.words(column), left=gap, right=gap))
    if bare == "|" or not cells[0].strip() or not cells[-1].strip():
        is_closed = is_closed or bare != "|"  # an empty cell at either end is none without a pipe around it
        return "|" + "|".join(cells) + ("|" if is_closed else "")
    return "|".join(cells).strip() + (" |" if is_closed else "")


def rows_named(rows: Sequence[Row], row: int | str, number: int) -> list[int] | Refusal:
    """The rows of a table that a number, or the words of the first cell, mean."""
    if isinstance(row, int):
        if row < len(rows):
            return [row]
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"table {number} has {len(rows) - 1} rows beneath its header, there is no row {row}",
            f"give a row from 0, the header, to {len(rows) - 1}",
            {"nearest": [], "available": [f"table:{number}[0]", f"table:{number}[{len(rows) - 1}]"]},
        )
    words = [each.words(0) for each in rows]
    found = [place for place, said in enumerate(words) if said == row]
    found = found or [place for place, said in enumerate(words) if loose(said) == loose(row)]
    return found or _no_name(number, row, words, "row")


def column_of(rows: Sequence[Row], column: int | str, number: int) -> int | Refusal:
    """The column that a number, counted from 1, or the words of its header mean; counted from 0."""
    headers = [rows[0].words(each) for each in range(len(rows[0].cells))]
    if isinstance(column, int):
        if 1 <= column <= len(headers):
            return column - 1
        return _no_name(number, str(column), headers, "column")
    found = [place for place, said in enumerate(headers) if said == column]
    found = found or [place for place, said in enumerate(headers) if loose(said) == loose(column)]
    if len(found) > 1:
        numbers = ", ".join(str(place + 1) for place in found[:10])
        return Refusal(
            Kind.AMBIGUOUS_MATCH,
            f"table {number} has {len(found)} columns {column[:60]!r}",
            f"give the number of one: {numbers}",
            {"count": len(found)},
        )
    return found[0] if found else _no_name(number, column, headers, "column")


def _no_name(number: int, name: str, known: Sequence[str], what: str) -> Refusal:
    near = nearest(name, [each for each in known if each])
    numbers = [known.index(each) for each in near or known[:SHOWN]]
    places = [f"table:{number}[{place}]" if what == "row" else f"table:{number}[0,{place + 1}]" for place in numbers]
    if not near:
        hint = f"give one of these, or a {what} from {'0' if what == 'row' else '1'} to {len(known) - (what == 'row')}"
    else:
        hint = f"send {places[0]}" if what == "row" else f"give column {numbers[0] + 1}, {near[0]!r:.60}"
    shown = ", ".join(known[place] for place in numbers[:5])[:200]
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"table {number} has no {what} {name[:60]!r}; it has {shown}{' …' if len(known) > 5 else ''}",
        hint,
        {"nearest": places} if near else {"nearest": [], "available": places},
    )
