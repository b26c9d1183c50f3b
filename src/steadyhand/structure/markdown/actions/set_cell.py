"""Say what a cell of a Markdown table says, by the row and column it stands in."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.markdown.table import CellNode, RowNode, TableNode, cell_at
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source

Place = TableNode | RowNode | CellNode


def _propose(source: Source, node: Place, args: Arguments) -> Proposal | Refusal:
    """The cell with other words; its neighbours' padding stays. Refuses a place that is named twice or not at all."""
    if isinstance(node, CellNode):
        return node.replace(source, args["value"]) if not {"row", "column"} & set(args) else _refused(node)
    row = args.get("row") if isinstance(node, TableNode) else node.row if "row" not in args else None
    if row is None or "column" not in args:
        return _refused(node)
    cell = cell_at(source, node.number, row, args["column"])
    return cell if isinstance(cell, Refusal) else cell.replace(source, args["value"])


def _refused(node: Place) -> Refusal:
    needs = {"table": "row and column", "table row": "column", "table cell": "no row and no column"}[node.kind]
    return Refusal(Kind.BAD_REQUEST, f"a {node.kind} needs {needs} to name a cell", f"give {needs}")


ACTION = Action(
    name="set-cell",
    takes=(TableNode, RowNode, CellNode),
    summary="Give a cell of a table another text; pipes are escaped, aligned columns stay aligned.",
    parameters=(
        Parameter("value", "text", "what the cell says"),
        Parameter("row", "value", "the row: a number from 1, or what its first cell says", required=False),
        Parameter("column", "value", "the column: a number from 1, or its header", required=False),
    ),
    propose=_propose,
)
