"""A table of a Markdown file, a row of it, or a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Self

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import bad_request, check_integer, check_text, describe
from steadyhand.structure.markdown.cells import column_of, rows_named, rows_of
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.names import SHOWN, rows_under, which_of
from steadyhand.structure.markdown.suited import markdown_of
from steadyhand.structure.markdown.table_node import cell_node, row_node, table_node
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source

_FORM = lazy_pattern(r"\s*([0-9]{1,9})(?:\[([^,]*)(?:,(.*))?\])?\s*", re.DOTALL | re.ASCII)


@dataclass(frozen=True, slots=True)
class Table(Addressed):
    """A table by its number in the file, from 0, or the heading it stands under.

    `row` counts from 1 beneath the header, which is row 0; a string is the row whose first cell says it.
    `column` counts from 1; a string is the column whose header says it. As an address: `table:0[2,Name]`.

    >>> source = Source.of_text("| Name | Age |\\n|---|---|\\n| Ann | 31 |\\n")
    >>> Table(0, row="Ann", column="Age").locate(source).span.of(source.text)
    '31'
    """

    key: ClassVar[str] = "table"
    examples: ClassVar[tuple[str, ...]] = ("table:0", "table:0[2]", "table:0[2,Name]")
    main: ClassVar[str] = "index"

    index: int | None = None
    heading: str | None = None
    row: int | str | None = None
    column: int | str | None = None
    nth: int | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        if self.index is not None and check_integer(self.index, "table.index") < 0:
            raise bad_request("table.index", f"there is no table {self.index}", "tables count from 0")
        if self.heading is not None:
            check_text(self.heading, "table.heading")
        for name, value, least in (("row", self.row, 0), ("column", self.column, 1)):
            if isinstance(value, bool) or not isinstance(value, int | str | None):
                raise bad_request(f"table.{name}", f"a number or a name is expected, not {describe(value)}")
            if isinstance(value, int) and value < least:
                raise bad_request(f"table.{name}", f"there is no {name} {value}", f"it counts from {least}")
        if self.column is not None and self.row is None:
            raise bad_request("table.row", "the field is missing", "a cell is named by row and column")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "tables")
        if isinstance(document, Refusal):
            return document
        within = rows_under(source, document, self.heading)
        if isinstance(within, Refusal):
            return within
        numbers = [
            number
            for number, mark in enumerate(document.tables)
            if mark.first in within and self.index in (None, number)
        ]
        if not numbers:
            return _no_table(document)
        if self.row is None:
            return [table_node(document, number) for number in numbers]
        return self._rows(document, numbers, self.row)

    def _rows(self, document: Document, numbers: Sequence[int], row: int | str) -> Sequence[Node] | Refusal:
        found: list[Node] = []
        refusal: Refusal | None = None
        for number in numbers:
            mark = document.tables[number]
            rows, _ = rows_of(document, mark)
            named = rows_named(rows, row, number)
            if isinstance(named, Refusal):
                refusal = refusal or named
                continue
            column = None if self.column is None else column_of(rows, self.column, number)
            if isinstance(column, Refusal):
                refusal = refusal or column
                continue
            for each in named:
                node = row_node(document, number, each) if column is None else cell_node(document, number, each, column)
                if isinstance(node, Refusal):
                    refusal = refusal or node
                else:
                    found.append(node)
        return found or refusal or _no_table(document)

    def named(self) -> str:
        return f"table {self.to_value() or self.heading or ''}".strip()

    def to_value(self) -> str | None:
        if self.index is None or self.heading is not None:
            return None
        if self.row is None:
            return str(self.index)
        if isinstance(self.row, str) and ("," in self.row or self.row.isdigit() or self.row.endswith("]")):
            return None
        if isinstance(self.column, str) and self.column.isdigit():
            return None
        return f"{self.index}[{self.row}]" if self.column is None else f"{self.index}[{self.row},{self.column}]"

    @classmethod
    def from_value(cls, value: str, part: str | None, nth: int | None) -> Self:
        found = _FORM.fullmatch(value)
        if found is None:
            raise bad_request(
                "address", f"{value[:60]!r} is no table", "such as table:0, table:0[2] or table:0[2,Name]"
            )
        index, row, column = found.groups()
        said: dict[str, object] = {"index": int(index), "row": _number_or_name(row), "column": _number_or_name(column)}
        return cls.from_json(said | {"nth": nth} | ({} if part is None else {"part": part}), cls.key)


def _number_or_name(text: str | None) -> int | str | None:
    if text is None:
        return None
    bare = text.strip(" \t")
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 10 else bare


def _no_table(document: Document) -> Refusal:
    count = len(document.tables)
    near = [f"table:{number}" for number in range(min(count, SHOWN))]
    shown = [f"{address} (line {mark.first + 1})" for address, mark in zip(near[:5], document.tables, strict=False)]
    return Refusal(
        Kind.NO_SUCH_TARGET,
        f"there is no such table; the file has {count}{': ' + ', '.join(shown) if shown else ''}",
        which_of("table", count) if count else "name lines, a heading, or the text to be replaced",
        {"count": count, "nearest": near[:1] if count == 1 else [], "available": near},
    )


TARGET = Table
