"""Jupyter notebooks: the cells of a JSON text, and how their source changes without its neighbours.

Only nbformat 4 is read. A list of lines stays a list of lines, one string stays one string; a line or character that is
not changed keeps its very escapes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.json.box import Box, Piece, Write
from steadyhand.structure.config.json.grammar import JSON
from steadyhand.structure.config.json.style import Style, style_of, unit_of, write_text
from steadyhand.structure.config.operation import Keys
from steadyhand.structure.config.syntax import syntaxes
from steadyhand.structure.node import Refusal
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import line_start, to_lf
from steadyhand.text.source import Source
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


def read_notebook(source: Source) -> Notebook | Refusal:
    """The notebook, read once for each source. Refuses with `unparsable` what is none of nbformat 4."""
    return source.derive(_read)


def _read(source: Source) -> Notebook | Refusal:
    keys = Keys.of(syntaxes()["json"], source)
    if isinstance(keys, Refusal):
        return keys
    top = keys.reading.documents[0] if keys.reading.documents else None
    version = None if top is None else _field(top, "nbformat")
    if top is None or version is None or version.data != 4:
        found = "" if version is None else f", its nbformat is {str(version.data)[:20]}"
        return _no_notebook(source, top, f"this is no notebook of nbformat 4{found}")
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
    count, seen = Counter(cell.id for cell in cells), Counter[str | None]()
    for cell in cells:
        seen[cell.id] += 1
        if cell.id and cell.id == cell.id.strip():
            yield f"cell:{cell.id}" if count[cell.id] == 1 else f"cell[{seen[cell.id]}]:{cell.id}"
        else:
            yield f"cell:{cell.index - len(cells) if count[str(cell.index)] else cell.index}"


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
        "notebooks of other versions: convert them with jupyter nbconvert --to notebook; other JSON: use key",
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
        return [(Box(source.text, cell.source, JSON).inner, "")] if items else []
    if not items:
        pieces = [Piece(write_text(line, style)) for line in wanted]
        lined = "\n" in cell.item.value.of(source.text)
        return Box(source.text, cell.source, JSON).fill(pieces, _with_unit(source.text, cell, style), lined=lined)
    changes = diff_rows([str(item.data) for item in items], wanted)
    writes: list[Write] = []
    for change in changes:
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
    """Lines in the place of some items, with separators like the ones that stand between the items."""
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
    start = item.value.start + 1 + _length(letters[:head])
    end = item.value.end - 1 - _length(letters[len(letters) - tail :])
    return [(Span(start, end), write_text(new[head : len(new) - tail], style)[1:-1])]


def _length(letters: Iterable[str]) -> int:
    return sum(map(len, letters))


def _split(text: str) -> list[str]:
    """The lines with their ends, as notebooks split them: at LF only."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def _with_unit(text: str, cell: NotebookCell, style: Style) -> Style:
    """The style with the cell's own indentation unit."""
    return replace(style, unit=unit_of(text, cell.item) or style.unit)
