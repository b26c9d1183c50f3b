"""Tables of Markdown: rows and cells, the target, and what the verbs mean there.

A row is cut at every `|` without a backslash before it, inside of code too: so GFM says.
Padding and pipes of cells that are not spoken of stay as they are; header and dashes are never taken away alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import ClassVar, Self, cast

from steadyhand.errors import Kind
from steadyhand.hints import Hint, Say, SendAddress
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request, check_integer, check_text, describe
from steadyhand.structure.markdown.check import Name, checked
from steadyhand.structure.markdown.document import Document, Mark
from steadyhand.structure.markdown.layout import Part, prefix_near, put_lines
from steadyhand.structure.markdown.names import SHOWN, loose, nearest, no_such_number, rows_under
from steadyhand.structure.markdown.reader import (
    View,
    known_markdown,
    markdown_of,
    plain_lines,
    prefixed,
    read_fragment,
    trimmed,
    view_of,
)
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
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
            f"table {number} has {len(rows) - 1} rows below its header, there is no row {row}",
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
            f"use the number of one: {numbers}",
            {"count": len(found)},
        )
    return found[0] if found else _no_name(number, column, headers, "column")


def _no_name(number: int, name: str, known: Sequence[str], what: str) -> Refusal:
    near = nearest(name, [each for each in known if each])
    numbers = [known.index(each) for each in near or known[:SHOWN]]
    places = [f"table:{number}[{place}]" if what == "row" else f"table:{number}[0,{place + 1}]" for place in numbers]
    if not near:
        first, last = (0, len(known) - 1) if what == "row" else (1, len(known))
        hint: Hint = Say(f"give one of these, or a {what} from {first} to {last}")
    else:
        column = Say(f"give column {numbers[0] + 1}, {near[0]!r:.60}")
        hint = SendAddress(places[0]) if what == "row" else column
    shown = ", ".join(known[place] for place in numbers[:5])[:200]
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"table {number} has no {what} {name[:60]!r}; it has {shown}{' …' if len(known) > 5 else ''}",
        hint,
        {"nearest": places} if near else {"nearest": [], "available": places},
    )


class _InTable(Part):
    """A table or a part of one: its address counts tables, and rows are written as those around them are."""

    __slots__ = ()
    mark: Mark
    number: int

    @property
    def place(self) -> tuple[int, int, int]:
        return self.mark.first, self.mark.end, self.mark.container

    @property
    def names(self) -> Collection[Name]:
        return (("table", ""), ("heading", ""))

    def looks_at(self, document: Document, first: int, end: int, *, is_gone: bool) -> tuple[int, int]:
        above, below = Part.looks_at(self, document, first, end, is_gone=is_gone)
        return min(above, self.mark.first), max(below, self.mark.end)


@dataclass(frozen=True, slots=True)
class TableNode(_InTable):
    """A whole table. `number` counts the tables of the file from 0."""

    span: Span
    address: str
    mark: Mark
    number: int
    kind: str = "table"

    @property
    def label(self) -> str:
        return f"table {self.number}"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        is_same = to_lf(new) == to_lf(self.span.of(source.text))
        return Proposal(()) if is_same else self.replace_all(source, new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        if where in ("before", "after"):
            return self.insert_beside(source, text, where)
        return put_rows(source, self.number, self.mark.first + 2 if where == "start" else self.mark.end, text)


@dataclass(frozen=True, slots=True)
class RowNode(_InTable):
    """A row of a table; `row` is 0 for the header and counts from 1 beneath it."""

    span: Span
    address: str
    mark: Mark
    number: int
    row: int
    kind: str = "table row"

    @property
    def document_row(self) -> int:
        return self.mark.first + (self.row + 1 if self.row else 0)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        document, mark = known_markdown(source), self.mark
        lines = trimmed(
            plain_lines(new, prefix_near(document, self.document_row, self.document_row + 1, mark.container))
        )
        if len(lines) != 1:
            return refuse(f"a row is one line; the content has {len(lines)}", _BY_ROWS)
        row = document.rows[self.document_row]
        start = document.content_start(self.document_row, mark.container) or 0
        start += len(row[start:]) - len(row[start:].lstrip(" \t"))
        at = document.table.start(self.document_row)
        made = Proposal.of(source, (Span(at + start, at + len(row)), lines[0].strip(" \t")))
        return _same_table(source, made, self.number, 0)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        if where in ("start", "end"):
            return refuse(
                "nothing can be inserted inside a whole row", SendAddress(f"{self.address[:-1]},1]", is_example=True)
            )
        if where == "before" and not self.row:
            return refuse("no row can be above the header", "insert after it")
        row = self.document_row + (0 if where == "before" else 1 if self.row else 2)
        return put_rows(source, self.number, row, text)

    def delete(self, source: Source) -> Proposal | Refusal:
        if not self.row:
            whole = SendAddress(f"table:{self.number}", "delete")
            return refuse("a table needs its header", whole)
        document = known_markdown(source)
        span = document.table.span(self.document_row)
        if span.end == len(source.text) and source.text[-1:] not in ("\n", "\r"):
            above = self.document_row - 1
            span = Span(document.table.start(above) + len(document.rows[above]), span.end)
        return _same_table(source, Proposal.of(source, (span, "")), self.number, -1)

    def carried(self, source: Source) -> str | Refusal:
        document = known_markdown(source)
        start = document.content_start(self.document_row, self.mark.container) or 0
        return document.rows[self.document_row][start:].strip(" \t") + "\n"


@dataclass(frozen=True, slots=True)
class CellNode(_InTable):
    """What a cell says, without its padding. `column` counts from 1."""

    span: Span
    address: str
    mark: Mark
    number: int
    row: int
    column: int
    kind: str = "table cell"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        words = escaped(to_lf(new).strip("\n").strip(" \t"))
        if "\n" in words:
            return refuse("a cell is one line", "use <br> for a line break")
        document = known_markdown(source)
        rows, dashes = rows_of(document, self.mark)
        row = rows[self.row]
        cell, inner = row.cells[self.column - 1], row.inner(self.column - 1)
        left, right = inner.start - cell.start, cell.end - inner.end
        if words == inner.of(row.text):
            return Proposal(())
        room = aligned_width([*rows, dashes], self.column - 1)
        text = _refilled(words, inner.of(row.text), left, right, room, dashes.words(self.column - 1))
        if not words:
            text = self._fenced(row, text)
        made = Proposal.of(source, (cell.shift(document.table.start(row.number)), text))
        return _same_table(source, Proposal(tuple(splice.trim() for splice in made.splices)), self.number, 0)

    def _fenced(self, row: Row, text: str) -> str:
        """An empty cell at the end of a row that has no pipe there: it would be none without one."""
        cell = row.cells[self.column - 1]
        before = "" if row.text[cell.start - 1 : cell.start] == "|" else "|"
        return before + (text or " ") + ("" if row.text[cell.end : cell.end + 1] == "|" else "|")

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        old = self.span.of(source.text)
        if where in ("before", "after"):
            row = SendAddress(f"table:{self.number}[{self.row}]", "insert a row at")
            return refuse("a cell cannot be inserted next to another", row)
        return self.replace(source, text + old if where == "start" else old + text)

    def delete(self, source: Source) -> Proposal | Refusal:
        return self.replace(source, "")


_BY_ROWS = "insert rows to add more than one"


def _refilled(words: str, old: str, left: int, right: int, room: int | None, dashes: str) -> str:
    """A cell with other words: as wide as before where its column is aligned and they fit, else padded as it was."""
    if not old:
        left, right = min(left, 1), min(right, 1) if left else 0
    if room is None:
        return " " * left + words + " " * (right if right or not words.endswith("\\") else 1)
    tight = 1 if left and right else 0
    return padded(words, room, dashes, left=tight, right=tight or int(words.endswith("\\")))


def put_rows(source: Source, number: int, row: int, text: str) -> Proposal | Refusal:
    """Rows of text put into a table, in front of a row of the document."""
    document = known_markdown(source)
    mark = document.tables[number]
    prefix = prefix_near(document, mark.first + 1, mark.end, mark.container)
    lines = trimmed(plain_lines(text, prefix))
    if not lines:
        return Proposal(())
    if any(not line.strip(" \t") for line in lines):
        return refuse("a blank line would end the table", "send the rows without blank lines")
    indent = document.rows[mark.first + 1][len(prefix) :] if document.rows[mark.first + 1].startswith(prefix) else ""
    lead = prefix + indent[: len(indent) - len(indent.lstrip(" \t"))]
    new = prefixed([line.strip(" \t") for line in lines], lead)
    made = Proposal.of(source, put_lines(source, document.table.start(row), new))
    return _same_table(source, made, number, len(lines))


def _same_table(source: Source, made: Proposal, number: int, more: int) -> Proposal | Refusal:
    """The proposal, if the table has so many rows more after it, as many columns, and all else is what it was."""
    document = known_markdown(source)
    mark = document.tables[number]
    view = view_of(source, made)
    if isinstance(view, Refusal):
        return view
    found = view.renewed(mark, lambda each: each.tables)
    is_same = found is not None and (found.first, found.end, found.level) == (mark.first, mark.end + more, mark.level)
    if found is None or not is_same or not _is_header(view, found):
        return refuse(
            f"the table of {mark.level} columns and {mark.end - mark.first - 2} rows would change with it",
            "send each row as one line of cells separated by |",
        )
    own = document.span_of(mark.first, mark.end, mark.container)
    return checked(source, made, own=own, view=view)


def _is_header(view: View, table: Mark) -> bool:
    """Whether the first row would be text on its own: some readers look for tables last."""
    header = read_fragment(view.after.plain(table.first - view.row, table.first - view.row + 1, table.container))
    marks = () if isinstance(header, Refusal) else header.marks
    return len(marks) == 1 and marks[0].kind == "paragraph" and not marks[0].container


def table_node(document: Document, number: int) -> TableNode:
    """The node of a table by its number."""
    mark = document.tables[number]
    return TableNode(document.span_of(mark.first, mark.end, mark.container), f"table:{number}", mark, number)


def row_node(document: Document, number: int, row: int) -> RowNode:
    """The node of a row of a table."""
    mark = document.tables[number]
    at = mark.first + (row + 1 if row else 0)
    return RowNode(document.span_of(at, at + 1, mark.container), f"table:{number}[{row}]", mark, number, row)


def cell_node(document: Document, number: int, row: int, column: int) -> CellNode | Refusal:
    """The node of a cell; `column` counts from 0. Refuses with `no-such-target` where the row is too short."""
    mark = document.tables[number]
    rows, _ = rows_of(document, mark)
    if column >= len(rows[row].cells):
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"row {row} of table {number} has {len(rows[row].cells)} of {mark.level} cells",
            SendAddress(f"table:{number}[{row}]", "replace the row", more=", with all its cells"),
            {"nearest": [f"table:{number}[{row}]"]},
        )
    headers = [rows[0].words(each) for each in range(len(rows[0].cells))]
    name = headers[column]
    is_name = name and headers.count(name) == 1 and not name.isdigit() and name == name.strip(" \t")
    address = f"table:{number}[{row},{name if is_name else column + 1}]"
    span = rows[row].inner(column).shift(document.table.start(rows[row].number))
    return CellNode(span, address, mark, number, row, column + 1)


def cell_at(source: Source, number: int, row: object, column: object) -> CellNode | Refusal:
    """The node of a cell by what a caller calls its row and its column."""
    document = known_markdown(source)
    rows, _ = rows_of(document, document.tables[number])
    if not _is_name(row) or not _is_name(column):
        return refuse("row and column are numbers or names", "such as row 2 and column 'Name'")
    named = rows_named(rows, cast("int | str", row), number)
    place = column_of(rows, cast("int | str", column), number)
    if isinstance(named, Refusal):
        return named
    if isinstance(place, Refusal):
        return place
    if len(named) > 1:
        said = ", ".join(map(str, named[:10]))
        return Refusal(Kind.AMBIGUOUS_MATCH, f"{len(named)} rows start with {row!r:.60}", f"give the number: {said}")
    return cell_node(document, number, named[0], place)


def _is_name(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


_FORM = lazy_pattern(r"\s*([0-9]{1,9})(?:\[([^,]*)(?:,(.*))?\])?\s*", re.DOTALL | re.ASCII)


@dataclass(frozen=True, slots=True)
class Table(Addressed):
    """A table by its number in the file, from 0, or by the heading above it.

    `row` counts from 1 below the header, which is row 0; a string is the row whose first cell has that text. `column`
    counts from 1; a string is the column with that header. As an address: `table:0[2,Name]`.

    >>> source = Source.of_text("| Name | Age |\\n|---|---|\\n| Ann | 31 |\\n")
    >>> Table(0, row="Ann", column="Age").locate(source).span.of(source.text)
    '31'
    """

    key: ClassVar[str] = "table"
    examples: ClassVar[tuple[str, ...]] = ("table:0", "table:0[2]", "table:0[2,Name]")
    main: ClassVar[str] = "index"

    index: int | None = None
    heading: str | None = None
    row: int | str | None = None
    column: int | str | None = None
    nth: int | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        if self.index is not None and check_integer(self.index, "table.index") < 0:
            raise bad_request("table.index", f"there is no table {self.index}", "tables count from 0")
        if self.heading is not None:
            check_text(self.heading, "table.heading")
        for name, value, least in (("row", self.row, 0), ("column", self.column, 1)):
            if isinstance(value, bool) or not isinstance(value, int | str | None):
                raise bad_request(f"table.{name}", f"a number or a name is expected, not {describe(value)}")
            if isinstance(value, int) and value < least:
                raise bad_request(f"table.{name}", f"there is no {name} {value}", f"it counts from {least}")
        if self.column is not None and self.row is None:
            raise bad_request("table.row", "the field is missing", "a cell is named by row and column")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "tables")
        if isinstance(document, Refusal):
            return document
        within = rows_under(source, document, self.heading)
        if isinstance(within, Refusal):
            return within
        numbers = [
            number
            for number, mark in enumerate(document.tables)
            if mark.first in within and self.index in (None, number)
        ]
        if not numbers:
            return _no_table(document)
        if self.row is None:
            return [table_node(document, number) for number in numbers]
        return self._rows(document, numbers, self.row)

    def _rows(self, document: Document, numbers: Sequence[int], row: int | str) -> Sequence[Node] | Refusal:
        found: list[Node] = []
        refusal: Refusal | None = None
        for number in numbers:
            mark = document.tables[number]
            rows, _ = rows_of(document, mark)
            named = rows_named(rows, row, number)
            if isinstance(named, Refusal):
                refusal = refusal or named
                continue
            column = None if self.column is None else column_of(rows, self.column, number)
            if isinstance(column, Refusal):
                refusal = refusal or column
                continue
            for each in named:
                node = row_node(document, number, each) if column is None else cell_node(document, number, each, column)
                if isinstance(node, Refusal):
                    refusal = refusal or node
                else:
                    found.append(node)
        return found or refusal or _no_table(document)

    def named(self) -> str:
        return f"table {self.to_value() or self.heading or ''}".strip()

    def to_value(self) -> str | None:
        if self.index is None or self.heading is not None:
            return None
        if self.row is None:
            return str(self.index)
        if isinstance(self.row, str) and ("," in self.row or self.row.isdigit() or self.row.endswith("]")):
            return None
        if isinstance(self.column, str) and self.column.isdigit():
            return None
        return f"{self.index}[{self.row}]" if self.column is None else f"{self.index}[{self.row},{self.column}]"

    @classmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        found = _FORM.fullmatch(value)
        if found is None:
            raise bad_request(
                "address", f"{value[:60]!r} is not a table", "such as table:0, table:0[2] or table:0[2,Name]"
            )
        index, row, column = found.groups()
        said: dict[str, object] = {"index": int(index), "row": _number_or_name(row), "column": _number_or_name(column)}
        return cls.from_json(said | {"nth": nth} | ({} if part is None else {"part": part}), cls.key)


def _number_or_name(text: str | None) -> int | str | None:
    if text is None:
        return None
    bare = text.strip(" \t")
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 10 else bare


def _no_table(document: Document) -> Refusal:
    said = [f"line {mark.first + 1}" for mark in document.tables]
    return no_such_number("table", f"there is no such table; the file has {len(said)}", said)


TARGET = Table
