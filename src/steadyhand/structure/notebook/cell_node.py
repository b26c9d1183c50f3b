"""Cells of a notebook as places to edit: the source is plain text here, whatever JSON makes of it.

Outputs, metadata, counts, ids and types stay as they are; another cell is never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.structure.config.check import Asked, Fresh
from steadyhand.structure.config.operation import Beside
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.notebook.reading import Notebook, NotebookCell


@dataclass(frozen=True, slots=True)
class CellNode(Node):
    """One cell of a notebook; `part` is its source or the cell as a whole, in JSON."""

    kind: str
    span: Span
    address: str
    notebook: Notebook
    cell: NotebookCell
    part: Literal["source", "cell"] = "source"

    @property
    def label(self) -> str:
        return label_of(self.cell)

    def own_text(self, source: Source) -> str:
        """The source as plain text; of the cell as a whole, its JSON."""
        return self.cell.text if self.part == "source" else self.span.of(source.text)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        """Give the cell another source. One final newline is optional where the old source has none."""
        if new == self.own_text(source):
            return Proposal(())
        if self.part == "cell":
            return Refusal(
                Kind.BAD_REQUEST,
                "a cell as a whole is not replaced: its outputs and id would go",
                "replace its source (leave part out), or one of its fields with set-key",
            )
        return self._write(source, new.removesuffix("\n") if not self.cell.text.endswith("\n") else new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put lines at the start or the end of the source."""
        if where in ("before", "after") or self.part == "cell":
            side = where if where in ("before", "after") else "after"
            return Refusal(
                Kind.BAD_REQUEST,
                "text beside a cell would be a new cell, and its type is not known",
                f"act add-cell on this cell with type, source and where {side!r}; where start or end adds lines to it",
            )
        old, lines = self.cell.text, text.removesuffix("\n")
        if not old:
            return self._write(source, lines)
        if where == "start":
            return self._write(source, f"{lines}\n{old}")
        return self._write(source, f"{old}{lines}\n" if old.endswith("\n") else f"{old}\n{lines}")

    def move_to(self, source: Source, other: Node, where: Where) -> Proposal | Refusal | None:  # noqa: ARG002
        """Go before or after another cell of the same notebook, with outputs and id."""
        if not isinstance(other, CellNode) or where not in ("before", "after"):
            return None
        beside = Beside(other.cell.index, is_after=where == "after")
        return self.notebook.keys.move(self.cell.item, self.notebook.cell_list, None, beside)

    def delete(self, source: Source) -> Proposal | Refusal:
        """Take the cell away, with its outputs."""
        return replace(self.notebook.keys, source=source).delete(self.cell.item)

    def _write(self, source: Source, new: str) -> Proposal | Refusal:
        from steadyhand.structure.notebook.reading import change_source, source_value

        wanted = new if "\r" in self.cell.text else to_lf(new)
        proposal = Proposal.of(source, *change_source(source, self.cell, wanted))
        keys, old = self.notebook.keys, self.cell.source
        value = source_value(wanted, is_list=old.kind == "sequence")
        return keys.checked(proposal, Asked.instead(keys.reading, old, Fresh("source", value)))


def label_of(cell: NotebookCell) -> str:
    """Type and first line of a cell."""
    first = next((line.strip() for line in split_bodies(cell.text) if line.strip()), "")
    return f"{cell.type}: {first[:60]}"
