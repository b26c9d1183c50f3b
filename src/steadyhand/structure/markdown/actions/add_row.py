"""Add a row to a Markdown table, written as the rows that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.markdown.reader import known_markdown
from steadyhand.structure.markdown.table import Row, RowNode, TableNode, column_of, put_rows, rows_of, written_row
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source


def _propose(source: Source, node: TableNode | RowNode, args: Arguments) -> Proposal | Refusal:
    """One row more: in front of row `at`, behind the row that is named, or as the last of the table."""
    document = known_markdown(source)
    rows, dashes = rows_of(document, node.mark)
    words = _words(rows, args["cells"], node.number)
    if isinstance(words, Refusal):
        return words
    last = len(rows)
    at = args.get("at", node.row + 1 if isinstance(node, RowNode) else last)
    if not 1 <= at <= last:
        return Refusal(Kind.BAD_REQUEST, f"there is no row {at} to put it at", f"give a number from 1 to {last}")
    return put_rows(source, node.number, node.mark.first + 1 + at, written_row(rows, dashes, words) + "\n")


def _words(rows: Sequence[Row], cells: object, number: int) -> list[str] | Refusal:
    count = len(rows[0].cells)
    if isinstance(cells, Mapping):
        words = [""] * count
        for name, value in cells.items():
            column = column_of(rows, str(name), number)
            if isinstance(column, Refusal):
                return column
            words[column] = _text(value)
    elif isinstance(cells, list | tuple):
        words = [_text(value) for value in cells]
    else:
        return Refusal(Kind.BAD_REQUEST, "cells is neither an array nor an object", 'such as ["Ann", "31"]')
    if len(words) > count:
        return Refusal(Kind.BAD_REQUEST, f"{len(words)} cells for {count} columns", f"give at most {count} cells")
    if any("\n" in word or "\r" in word for word in words):
        return Refusal(Kind.BAD_REQUEST, "a cell is one line", "put <br> where a line ends")
    return words


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip(" \t")


ACTION = Action(
    name="add-row",
    takes=(TableNode, RowNode),
    summary="Add a row to a table, with the padding and pipes of the others.",
    parameters=(
        Parameter("cells", "value", "the cells in order, or an object of header and cell"),
        Parameter("at", "number", "the row's number, from 1; without it the last", required=False),
    ),
    propose=_propose,
)
