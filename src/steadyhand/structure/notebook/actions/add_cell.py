"""add-cell: write a new cell before or after another, laid out as the notebook lays its cells out."""

from __future__ import annotations

import hashlib

from steadyhand.structure.action import Action, Arguments, Parameter
from steadyhand.structure.config.editor import Beside
from steadyhand.structure.config.item import Plain
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.notebook.cell import CellNode
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source


def _propose(_source: Source, node: CellNode, arguments: Arguments) -> Proposal | Refusal:
    from steadyhand.structure.notebook.cell import source_value

    is_after = arguments.get("where", "after") == "after"
    text = to_lf(arguments["source"]).removesuffix("\n")
    cell: dict[str, Plain] = {"cell_type": arguments["type"]}
    if arguments["type"] == "code":
        cell["execution_count"] = None
    if node.notebook.has_ids:
        cell["id"] = _fresh_id(node, arguments["type"], text, node.cell.index + is_after)
    cell["metadata"] = {}
    if arguments["type"] == "code":
        cell["outputs"] = []
    cell["source"] = source_value(text, is_list=node.cell.source.kind == "sequence")
    return node.notebook.keys.append(node.notebook.cell_list, cell, Beside(node.cell.index, is_after=is_after))


def _fresh_id(node: CellNode, kind: str, text: str, index: int) -> str:
    """An id that no cell has, the same for the same cell at the same place."""
    taken = {cell.id for cell in node.notebook.cells}
    for turn in range(len(taken) + 1):
        made = hashlib.sha256(f"{turn}\n{index}\n{kind}\n{text}".encode(errors="surrogatepass")).hexdigest()[:8]
        if made not in taken:
            return made
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


ACTION = Action(
    "add-cell",
    (CellNode,),
    "Write a new cell beside this one; this one and all others stay as they are.",
    (
        Parameter("type", "text", "what the new cell is", choices=("code", "markdown", "raw")),
        Parameter("source", "text", "its source, as plain text"),
        Parameter("where", "text", "on which side of this cell", required=False, choices=("before", "after")),
    ),
    _propose,
)
