"""A cell of a notebook by its id or its number: `cell:0`, `cell:4fd2c9a1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import bad_request, describe, nearest_name
from steadyhand.structure.node import Node, Refusal
from steadyhand.structure.notebook.cell_node import CellNode, label_of
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.notebook.reading import Notebook, NotebookCell


@dataclass(frozen=True, slots=True)
class Cell(Addressed):
    """A cell by its id, or by its number from 0; `-1` is the last. An id that is the same counts first.

    `part` is the source as plain text, or the whole cell.
    """

    key: ClassVar[str] = "cell"
    examples: ClassVar[tuple[str, ...]] = ("cell:3", "cell:a1b2c3d4")
    main: ClassVar[str] = "at"
    parts: ClassVar[tuple[str, ...]] = ("source", "cell")

    at: str | int
    nth: int | None = None
    part: str = "source"

    def __post_init__(self) -> None:
        self._check_shared()
        if isinstance(self.at, bool) or not isinstance(self.at, str | int):
            raise bad_request("cell.at", f"an id or a number is expected, not {describe(self.at)}")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        """The cell of that number, or those of that id."""
        from steadyhand.structure.notebook.reading import meant, read_notebook

        notebook = read_notebook(source)
        if isinstance(notebook, Refusal):
            return notebook
        cells = meant(notebook, self.at)
        part = cast("Literal['source', 'cell']", self.part)
        return [_node(notebook, cell, part) for cell in cells] or _miss(notebook, self.at)

    def to_value(self) -> str | None:
        return str(self.at)


def _node(notebook: Notebook, cell: NotebookCell, part: Literal["source", "cell"]) -> CellNode:
    span = cell.source.value if part == "source" else cell.item.value
    address = notebook.addresses[cell.index]
    said = address if part == "source" else address.replace("cell", "cell.cell", 1)
    return CellNode(f"{cell.type} cell", span, said, notebook, cell, part)


def _miss(notebook: Notebook, at: str | int) -> Refusal:
    count = len(notebook.cells)
    shown = [f"{notebook.addresses[cell.index]} ({label_of(cell)})" for cell in notebook.cells[:10]]
    near = nearest_name(str(at), [cell.id for cell in notebook.cells if cell.id])
    if not count:
        hint = "add the first one with append-item on key cells"
    else:
        hint = f"did you mean cell:{near}?" if near else f"give a number from 0 to {count - 1}, or one of the ids"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"the notebook has {count} cell{'' if count == 1 else 's'}, none is {str(at)[:80]!r}",
        hint,
        {
            "count": count,
            "nearest": [f"cell:{near}"] if near else [],
            "available": list(notebook.addresses[:10]),
            "cells": shown,
        },
    )


TARGET = Cell
