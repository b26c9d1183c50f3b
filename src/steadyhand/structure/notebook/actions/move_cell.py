"""move-cell: take a cell, with its outputs and its id, before or after another of the same notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.editor import Beside
from steadyhand.structure.fields import describe
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.notebook.cell import CellNode
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.notebook.cell import NotebookCell


def _propose(_source: Source, node: CellNode, arguments: Arguments) -> Proposal | Refusal:
    there = _other(node, arguments["to"])
    if isinstance(there, Refusal):
        return there
    if there.index == node.cell.index:
        return Proposal(())
    beside = Beside(there.index, is_after=arguments.get("where", "after") == "after")
    return node.notebook.keys.move(node.cell.item, node.notebook.cell_list, None, beside)


def _other(node: CellNode, to: object) -> NotebookCell | Refusal:
    from steadyhand.structure.notebook.cell import meant

    if isinstance(to, bool) or not isinstance(to, str | int):
        return Refusal(Kind.BAD_REQUEST, f"to: a cell is expected, not {describe(to)}", "give its id or number")
    found = meant(node.notebook, to)
    if len(found) == 1:
        return found[0]
    kind = Kind.AMBIGUOUS_MATCH if found else Kind.NO_SUCH_TARGET
    return Refusal(kind, f"{len(found)} cells are {str(to)[:80]!r}", "give a number from 0", {"count": len(found)})


ACTION = Action(
    "move-cell",
    (CellNode,),
    "Move the cell, as it is, before or after another one.",
    (
        Parameter("to", "value", "the other cell: its id, or its number from 0"),
        Parameter("where", "text", "on which side of the other cell", required=False, choices=("before", "after")),
    ),
    _propose,
)
