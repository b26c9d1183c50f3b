"""A table of a Markdown text, its rows and its cells.

Padding and pipes of cells that are not spoken of stay as they are; header and dashes are never taken away alone.
"""

from __future__ import annotations

from typing import cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.cells import Row, aligned_width, column_of, escaped, padded, rows_named, rows_of
from steadyhand.structure.markdown.content import dressed, plain_lines, read_content, trimmed
from steadyhand.structure.markdown.marks import Document, Mark
from steadyhand.structure.markdown.outside import checked
from steadyhand.structure.markdown.reading import known_markdown, read_fragment
from steadyhand.structure.markdown.view import View, view_of
from steadyhand.structure.markdown.weave import cut, prefix_near, swap, weave
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class TableNode(Node):
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
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        document, mark = known_markdown(source), self.mark
        content = read_content(new, prefix_near(document, mark.first, mark.end, mark.container))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return self.delete(source)
        return swap(source, document, mark.first, mark.end, content, mark.container)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        document, mark = known_markdown(source), self.mark
        if where == "start":
            return put_rows(source, self.number, mark.first + 2, text)
        if where == "end":
            return put_rows(source, self.number, mark.end, text)
        content = read_content(text, prefix_near(document, mark.first, mark.end, mark.container))
        if isinstance(content, Refusal):
            return content
        if where == "before" and document.is_led(mark.first, mark.container):
            return Refusal(Kind.BAD_REQUEST, "the table stands behind the marker of a list item", _BY_LINES)
        row = mark.first if where == "before" else mark.end
        return weave(source, document, row, content, mark.container) if content.lines else Proposal(())

    def delete(self, source: Source) -> Proposal | Refusal:
        return cut(source, known_markdown(source), self.mark.first, self.mark.end, self.mark.container)

    def carried(self, source: Source) -> str | Refusal:
        return known_markdown(source).plain(self.mark.first, self.mark.end, self.mark.container)


@dataclass(frozen=True, slots=True)
class RowNode(Node):
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
            return Refusal(Kind.BAD_REQUEST, f"a row is one line; the content has {len(lines)}", _BY_ROWS)
        row = document.rows[self.document_row]
        start = document.content_start(self.document_row, mark.container) or 0
        start += len(row[start:]) - len(row[start:].lstrip(" \t"))
        at = document.table.start(self.document_row)
        made = Proposal.of(source, (Span(at + start, at + len(row)), lines[0].strip(" \t")))
        return _same_table(source, made, self.number, 0)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        if where in ("start", "end"):
            return Refusal(
                Kind.BAD_REQUEST,
                "nothing is put inside of a row as a whole",
                f"name a cell, such as {self.address[:-1]},1]",
            )
        if where == "before" and not self.row:
            return Refusal(Kind.BAD_REQUEST, "no row goes above the header", "insert after it")
        row = self.document_row + (0 if where == "before" else 1 if self.row else 2)
        return put_rows(source, self.number, row, text)

    def delete(self, source: Source) -> Proposal | Refusal:
        if not self.row:
            return Refusal(Kind.BAD_REQUEST, "a table without its header is no table", f"delete table:{self.number}")
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
class CellNode(Node):
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
            return Refusal(Kind.BAD_REQUEST, "a cell is one line", "put <br> where a line ends")
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
            return Refusal(
                Kind.BAD_REQUEST, "no cell goes beside another", f"insert a row at table:{self.number}[{self.row}]"
            )
        return self.replace(source, text + old if where == "start" else old + text)

    def delete(self, source: Source) -> Proposal | Refusal:
        return self.replace(source, "")


_BY_LINES = "edit the lines by number"
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
        return Refusal(Kind.BAD_REQUEST, "a blank line would end the table", "give the rows without blank lines")
    indent = document.rows[mark.first + 1][len(prefix) :] if document.rows[mark.first + 1].startswith(prefix) else ""
    lead = prefix + indent[: len(indent) - len(indent.lstrip(" \t"))]
    at, new = document.table.start(row), dressed([line.strip(" \t") for line in lines], lead)
    if at == len(source.text) and source.text[-1:] not in ("\n", "\r"):
        new = "\n" + new.removesuffix("\n")
    return _same_table(source, Proposal.of(source, (Span(at, at), new)), number, len(lines))


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
        return Refusal(
            Kind.BAD_REQUEST,
            f"the table of {mark.level} columns and {mark.end - mark.first - 2} rows would not be the same with it",
            "give each row as one line of cells with | between them",
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
            f"replace the row, table:{number}[{row}], with all its cells",
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
        return Refusal(Kind.BAD_REQUEST, "row and column are numbers or names", "such as row 2 and column 'Name'")
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
