"""Jupyter notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Fault, Format, OutlineEntry, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def _outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    from steadyhand.structure.notebook.cell import label_of, read_notebook

    notebook = read_notebook(source)
    if isinstance(notebook, Refusal):
        return notebook
    return [
        OutlineEntry(notebook.addresses[cell.index], f"{cell.type} cell", label_of(cell), cell.source.value)
        for cell in notebook.cells
    ]


def _fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.json_reader import fault_of
    from steadyhand.structure.notebook.cell import read_notebook

    return fault_of(source) or Fault.of(read_notebook(source))


FORMATS = (Format("notebook", (".ipynb",), _outline, _fault, syntax="json"),)
