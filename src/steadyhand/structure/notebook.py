"""Cells of notebooks, by id or number (`cell:0`, `cell:4fd2c9a1`): the reader, the target, its verbs and actions.

The source is plain text here, whatever JSON makes of it. Only nbformat 4 is read. A list of lines stays a list of
lines, one string stays one string; a line or character that is not changed keeps its very escapes. Outputs, metadata,
counts, ids and types stay as they are; another cell is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.schema import bad_request, describe, nearest_name
from steadyhand.structure.action import Action, Arguments, Example, Parameter
from steadyhand.structure.config import json_reader
from steadyhand.structure.config.editor import Asked, Beside, Fresh, Keys
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.json import Style, brackets_of, style_of, unit_of, write_text
from steadyhand.structure.config.layout import Piece, Write
from steadyhand.structure.config.syntax import syntax_named
from steadyhand.structure.format import Fault, OutlineEntry, Unchecked
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed, address_of, numbered
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import line_start, split_bodies, to_lf
from steadyhand.text.source import Source, once
from steadyhand.text.span import Span

_LETTER = lazy_pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_NUMBER = lazy_pattern(r"-?[0-9]{1,9}", re.ASCII)
_SEPARATOR = lazy_pattern(r",[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell: `item` is its object, `source` the value of its field of that name."""

    index: int
    item: Item
    source: Item
    type: str
    id: str | None

    @property
    def text(self) -> str:
        """The source as plain text."""
        parts = self.source.children if self.source.kind == "sequence" else (self.source,)
        return "".join(str(part.data) for part in parts)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook, and the text they are read from."""

    keys: Keys
    cell_list: Item
    cells: tuple[NotebookCell, ...]
    addresses: tuple[str, ...]
    has_ids: bool


@once
def read_notebook(source: Source) -> Notebook | Refusal:
    """The notebook, read once for each source. Refuses with `unparsable` what is none of nbformat 4."""
    keys = Keys.of(syntax_named("json"), source)
    if isinstance(keys, Refusal):
        return keys
    top = keys.reading.documents[0] if keys.reading.documents else None
    version = None if top is None else _field(top, "nbformat")
    if top is None or version is None or version.data != 4:
        found = "" if version is None else f", its nbformat is {str(version.data)[:20]}"
        return _no_notebook(source, top, f"this is not a notebook of nbformat 4{found}")
    cells = _field(top, "cells")
    if cells is None or cells.kind != "sequence":
        return _no_notebook(source, top, "the notebook has no list of cells")
    minor = _field(top, "nbformat_minor")
    made: list[NotebookCell] = []
    for index, item in enumerate(cells.children):
        cell = _cell(index, item)
        if cell is None:
            return _no_notebook(source, item, f"cell {index} has no type or no source, or has them twice")
        made.append(cell)
    has_ids = minor is not None and isinstance(minor.data, int) and minor.data >= 5
    return Notebook(keys, cells, tuple(made), tuple(_addresses(made)), has_ids)


def _addresses(cells: Sequence[NotebookCell]) -> Iterator[str]:
    """What singles each cell out: its id, or its number where it has none that can be said."""
    ids = {cell.id for cell in cells}
    for cell, number in zip(cells, numbered(cell.id for cell in cells), strict=True):
        if cell.id and cell.id == cell.id.strip():
            yield address_of("cell", cell.id, number)
        else:
            yield f"cell:{cell.index - len(cells) if str(cell.index) in ids else cell.index}"


def _cell(index: int, item: Item) -> NotebookCell | None:
    kind, source, name = (_field(item, field) for field in ("cell_type", "source", "id"))
    if kind is None or source is None or not isinstance(kind.data, str):
        return None
    parts = source.children if source.kind == "sequence" else (source,)
    if any(part.kind != "text" for part in parts):
        return None
    return NotebookCell(index, item, source, kind.data, str(name.data) if name and name.kind == "text" else None)


def _field(item: Item, name: str) -> Item | None:
    found = [child for child in item.children if child.path[-1] == name]
    return found[0] if len(found) == 1 else None


def _no_notebook(source: Source, item: Item | None, message: str) -> Refusal:
    line = 1 if item is None else source.line_of(item.value.start)
    return Refusal(
        Kind.UNPARSABLE,
        f"{message} (line {line})",
        "notebooks of other versions: convert them with jupyter nbconvert; other JSON: use key",
        {"line": line},
    )


def meant(notebook: Notebook, at: str | int) -> list[NotebookCell]:
    """The cells of an id, else the one of a number from 0, or from the end where it is negative."""
    same = [cell for cell in notebook.cells if cell.id == at]
    if same:
        return same
    number = int(at) if isinstance(at, int) or _NUMBER.fullmatch(at) else None
    if number is None or not -len(notebook.cells) <= number < len(notebook.cells):
        return []
    return [notebook.cells[number]]


def source_value(text: str, *, is_list: bool) -> Plain:
    """A source as a notebook keeps it: one string, or a list of lines with their ends."""
    return cast("Plain", _split(text)) if is_list else text


def change_source(source: Source, cell: NotebookCell, new: str) -> list[Write]:
    """The writes that give a cell another source; only what differs is written."""
    style = style_of(source.text, cell.item)
    if cell.source.kind != "sequence":
        return _change_text(source.text, cell.source, new, style)
    items, wanted = cell.source.children, _split(new)
    if not wanted:
        return [(brackets_of(source.text, cell.source).inner, "")] if items else []
    if not items:
        pieces = [Piece(write_text(line, style)) for line in wanted]
        lined = "\n" in cell.item.value.of(source.text)
        own = replace(style, unit=unit_of(source.text, cell.item) or style.unit)  # the cell's own indentation
        usual = own.usual("sequence")
        return brackets_of(source.text, cell.source).fill(pieces, usual, lined=lined)
    writes: list[Write] = []
    for change in diff_rows([str(item.data) for item in items], wanted):
        old = items[change.before_start : change.before_end]
        lines = wanted[change.after_start : change.after_end]
        if len(old) == len(lines):
            pairs = zip(old, lines, strict=True)
            writes += [write for item, line in pairs for write in _change_text(source.text, item, line, style)]
        else:
            span = Span(change.before_start, change.before_end)
            writes.append(_change_items(source.text, items, span, [write_text(line, style) for line in lines]))
    return writes


def _change_items(text: str, items: Sequence[Item], rows: Span, lines: Sequence[str]) -> Write:
    """Lines in the place of some items, with separators like the ones between the items."""
    separator = _separator(text, items)
    if rows.end < len(items):
        start = items[rows.start].value.start
        return Span(start, items[rows.end].value.start), "".join(line + separator for line in lines)
    if rows.start:
        start = items[rows.start - 1].value.end
        return Span(start, items[-1].value.end), "".join(separator + line for line in lines)
    return Span(items[0].value.start, items[-1].value.end), separator.join(lines)


def _separator(text: str, items: Sequence[Item]) -> str:
    if len(items) > 1:
        between = text[items[0].value.end : items[1].value.start]
        if _SEPARATOR.fullmatch(between):
            return to_lf(between)
    start = items[0].value.start
    line = line_start(text, start)
    return ", " if text[line:start].strip(" \t") else f",\n{text[line:start]}"


def _change_text(text: str, item: Item, new: str, style: Style) -> list[Write]:
    """Another text in a string; characters at its start and end that stay keep how they are written."""
    old, written = str(item.data), item.value.of(text)
    letters = _LETTER.findall(written[1:-1])
    if len(letters) != len(old):
        return [(item.value, write_text(new, style))]
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    start = item.value.start + 1 + len("".join(letters[:head]))
    end = item.value.end - 1 - len("".join(letters[len(letters) - tail :]))
    return [(Span(start, end), write_text(new[head : len(new) - tail], style)[1:-1])]


def _split(text: str) -> list[str]:
    """The lines with their ends, as notebooks split them: at LF only."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


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
            return refuse(
                "a whole cell cannot be replaced: its outputs and id would be lost",
                "replace its source (leave part out), or one of its fields with set-key",
            )
        return self._write(source, new.removesuffix("\n") if not self.cell.text.endswith("\n") else new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put lines at the start or the end of the source."""
        if where in ("before", "after") or self.part == "cell":
            side = where if where == "before" else "after"
            return refuse(
                "text next to a cell would be a new cell, and its type is unknown",
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
        wanted = new if "\r" in self.cell.text else to_lf(new)
        proposal = Proposal.of(source, *change_source(source, self.cell, wanted))
        keys, old = self.notebook.keys, self.cell.source
        value = source_value(wanted, is_list=old.kind == "sequence")
        return keys.checked(proposal, Asked.instead(keys.reading, old, Fresh("source", value)))


def label_of(cell: NotebookCell) -> str:
    """Type and first line of a cell."""
    first = next((line.strip() for line in split_bodies(cell.text) if line.strip()), "")
    return f"{cell.type}: {first[:60]}"


@dataclass(frozen=True, slots=True)
class Cell(Addressed):
    """A cell by its id, or by its number from 0; `-1` is the last. A cell with that id takes precedence.

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
        notebook = read_notebook(source)
        if isinstance(notebook, Refusal):
            return notebook
        cells = meant(notebook, self.at)
        part, nodes = cast("Literal['source', 'cell']", self.part), list[Node]()
        for cell in cells:
            address = notebook.addresses[cell.index]
            span = cell.source.value if part == "source" else cell.item.value
            said = address if part == "source" else address.replace("cell", "cell.cell", 1)
            nodes.append(CellNode(f"{cell.type} cell", span, said, notebook, cell, part))
        return nodes or _miss(notebook, self.at)

    def to_value(self) -> str | None:
        return str(self.at)


def _miss(notebook: Notebook, at: str | int) -> Refusal:
    count = len(notebook.cells)
    shown = [f"{notebook.addresses[cell.index]} ({label_of(cell)})" for cell in notebook.cells[:10]]
    near = nearest_name(str(at), [cell.id for cell in notebook.cells if cell.id])
    hint = f"did you mean cell:{near}?" if near else f"give a number from 0 to {count - 1}, or one of the ids"
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"the notebook has {count} cell{'' if count == 1 else 's'}, none is {str(at)[:80]!r}",
        hint if count else "add the first one with append-item on key cells",
        {
            "count": count,
            "nearest": [f"cell:{near}"] if near else [],
            "available": list(notebook.addresses[:10]),
            "cells": shown,
        },
    )


TARGET = Cell


def _add_cell(_source: Source, node: CellNode, arguments: Arguments) -> Proposal | Refusal:
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
    return node.notebook.keys.add(node.notebook.cell_list, None, cell, Beside(node.cell.index, is_after=is_after))


def _fresh_id(node: CellNode, kind: str, text: str, index: int) -> str:
    """An id that no cell has, the same for the same cell at the same place."""
    from hashlib import sha256

    taken = {cell.id for cell in node.notebook.cells}
    texts = (f"{turn}\n{index}\n{kind}\n{text}" for turn in range(len(taken) + 1))
    made = (sha256(text.encode(errors="surrogatepass")).hexdigest()[:8] for text in texts)
    return next(name for name in made if name not in taken)


def _move_cell(_source: Source, node: CellNode, arguments: Arguments) -> Proposal | Refusal:
    to = arguments["to"]
    if isinstance(to, bool) or not isinstance(to, str | int):
        return refuse(f"to: a cell is expected, not {describe(to)}", "give its id or number")
    found = meant(node.notebook, to)
    if len(found) != 1:
        kind = Kind.AMBIGUOUS_MATCH if found else Kind.NO_SUCH_TARGET
        return Refusal(kind, f"{len(found)} cells are {str(to)[:80]!r}", "give a number from 0", {"count": len(found)})
    if found[0].index == node.cell.index:
        return Proposal(())
    beside = Beside(found[0].index, is_after=arguments.get("where", "after") == "after")
    return node.notebook.keys.move(node.cell.item, node.notebook.cell_list, None, beside)


_FIRST = '{"cell_type": "raw", "metadata": {}, "source": "a"}'
_SECOND = '{"cell_type": "raw", "metadata": {}, "source": "b"}'
_AROUND = '{"cells": [%s], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'

ACTIONS = (
    Action(
        "add-cell",
        (CellNode,),
        "Add a cell next to this one; all existing cells stay as they are.",
        (
            Parameter("type", "text", "the type of the new cell", choices=("code", "markdown", "raw")),
            Parameter("source", "text", "its source, as plain text"),
            Parameter("where", "text", "on which side of this cell", required=False, choices=("before", "after")),
        ),
        _add_cell,
        Example(
            "a.ipynb",
            _AROUND % _FIRST,
            "cell:0",
            {"type": "raw", "source": "b"},
            _AROUND % f"{_FIRST}, {_SECOND}",
        ),
    ),
    Action(
        "move-cell",
        (CellNode,),
        "Move the cell unchanged before or after another one.",
        (
            Parameter("to", "value", "the other cell: its id, or its number from 0"),
            Parameter("where", "text", "on which side of the other cell", required=False, choices=("before", "after")),
        ),
        _move_cell,
        Example("a.ipynb", _AROUND % f"{_FIRST}, {_SECOND}", "cell:0", {"to": 1}, _AROUND % f"{_SECOND}, {_FIRST}"),
    ),
)


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Every cell with its first line."""
    notebook = read_notebook(source)
    if isinstance(notebook, Refusal):
        return notebook
    return [
        OutlineEntry(notebook.addresses[cell.index], f"{cell.type} cell", label_of(cell), cell.source.value)
        for cell in notebook.cells
    ]


def fault_of(source: Source) -> Fault | Unchecked | None:
    """Where the text is no JSON, or no notebook."""
    return json_reader.fault_of(source) or Fault.of(read_notebook(source))
