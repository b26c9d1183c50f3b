"""The table of what can be done to parts of Markdown besides replacing, inserting and deleting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.markdown.block import ItemNode
from steadyhand.structure.markdown.names import words_of
from steadyhand.structure.markdown.reader import known_markdown
from steadyhand.structure.markdown.table import (
    CellNode,
    Row,
    RowNode,
    TableNode,
    cell_at,
    column_of,
    put_rows,
    rows_of,
    written_row,
)
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.source import Source

_Place = TableNode | RowNode | CellNode


def _add_row(source: Source, node: TableNode | RowNode, args: Arguments) -> Proposal | Refusal:
    """One row more: in front of row `at`, behind the row that is named, or as the last of the table."""
    document = known_markdown(source)
    rows, dashes = rows_of(document, node.mark)
    words = _words(rows, args["cells"], node.number)
    if isinstance(words, Refusal):
        return words
    last = len(rows)
    at = args.get("at", node.row + 1 if isinstance(node, RowNode) else last)
    if not 1 <= at <= last:
        return refuse(f"there is no row {at}", f"give a number from 1 to {last}")
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
        return refuse("cells is neither an array nor an object", 'such as ["Ann", "31"]')
    if len(words) > count:
        return refuse(f"{len(words)} cells for {count} columns", f"give at most {count} cells")
    if any("\n" in word or "\r" in word for word in words):
        return refuse("a cell is one line", "use <br> for a line break")
    return words


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip(" \t")


def _check_item(source: Source, node: ItemNode, args: Arguments) -> Proposal | Refusal:
    """One character between the brackets. Refuses an item that has no box."""
    box = node.box(known_markdown(source))
    if box is None:
        return refuse("the item has no box", f"replace it with {node.item.marker} [ ] {words_of(node.item)[:60]}")
    wanted = args.get("checked", True)
    if (box.of(source.text) != " ") == wanted:
        return Proposal(())
    return Proposal.of(source, (box, "x" if wanted else " "))


def _set_cell(source: Source, node: _Place, args: Arguments) -> Proposal | Refusal:
    """The cell with other words; its neighbours' padding stays. Refuses a place that is named twice or not at all."""
    if isinstance(node, CellNode):
        return node.replace(source, args["value"]) if not {"row", "column"} & set(args) else _unnamed(node)
    row = args.get("row") if isinstance(node, TableNode) else node.row if "row" not in args else None
    if row is None or "column" not in args:
        return _unnamed(node)
    cell = cell_at(source, node.number, row, args["column"])
    return cell if isinstance(cell, Refusal) else cell.replace(source, args["value"])


def _unnamed(node: _Place) -> Refusal:
    needs = {"table": "row and column", "table row": "column", "table cell": "no row and no column"}[node.kind]
    return refuse(f"a {node.kind} needs {needs} to name a cell", f"give {needs}")


ACTIONS = (
    Action(
        "add-row",
        (TableNode, RowNode),
        "Add a row to a table, with the padding and pipes of the other rows.",
        (
            Parameter("cells", "value", "the cells in order, or an object of header and cell"),
            Parameter("at", "number", "the row's number, from 1; without it the last", required=False),
        ),
        _add_row,
        Example(
            "a.md",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "table:0",
            {"cells": ["3", "4"]},
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        ),
    ),
    Action(
        "check-item",
        (ItemNode,),
        "Check or uncheck the box of a task.",
        (Parameter("checked", "flag", "whether the box is checked; without it, it is", required=False),),
        _check_item,
        Example("a.md", "- [ ] tea\n- [ ] bread\n", "block:bread", {}, "- [ ] tea\n- [x] bread\n"),
    ),
    Action(
        "set-cell",
        (TableNode, RowNode, CellNode),
        "Set the text of a table cell; pipes are escaped, aligned columns stay aligned.",
        (
            Parameter("value", "text", "the text of the cell"),
            Parameter("row", "value", "the row: a number from 1, or the text of its first cell", required=False),
            Parameter("column", "value", "the column: a number from 1, or its header", required=False),
        ),
        _set_cell,
        Example(
            "a.md",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "table:0",
            {"value": "9", "row": 1, "column": "b"},
            "| a | b |\n|---|---|\n| 1 | 9 |\n",
        ),
    ),
)
