"""Puts a written value in the place of another: which characters change, and where comments on its line stay.

Only for values outside brackets. The value hangs on a name or dash; its anchor and tag are not touched here.
"""

from __future__ import annotations

import re

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.note import note_of
from steadyhand.structure.config.yaml.place import below, column_of, end_of_line, start_of_line
from steadyhand.structure.config.yaml.writing import Written
from steadyhand.text.span import Span

_HEADER = lazy_pattern(r"[|>][-+0-9]*")
_LITERAL = lazy_pattern(r"(?:[&!][^\s]*[ \t]+)*[|>][-+0-9]*[ \t]*(?:#.*)?\Z")

Write = tuple[Span, str]


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value stands.

    `owner`   the column of the name or dash it hangs on; -1 for the top of a document
    `is_item` whether it hangs on a dash, so that a collection may start on the same line
    """

    text: str
    item: Item

    @property
    def owner(self) -> int:
        return column_of(self.text, note_of(self.item).mark) if self.item.path else -1

    @property
    def is_item(self) -> bool:
        return bool(self.item.path) and self.item.name is None

    @property
    def has_properties(self) -> bool:
        note = note_of(self.item)
        return note.anchor is not None or note.tag is not None

    @property
    def starts_below(self) -> bool:
        """Whether the value starts on a later line than what it hangs on."""
        hang = note_of(self.item).hang
        between = self.text[hang : self.item.value.start]
        return "\n" in between or "\r" in between

    @property
    def is_commented(self) -> bool:
        """Whether a comment stands on the line behind the value, or behind the header of a text."""
        last = self.item.value.end if self.header is None else self.header.end
        return bool(self.text[last : end_of_line(self.text, last)].strip())

    @property
    def is_block(self) -> bool:
        return note_of(self.item).style == "block"

    @property
    def header(self) -> Span | None:
        """`|` or `>` with what belongs to it."""
        if note_of(self.item).style not in ("literal", "folded"):
            return None
        found = _HEADER.match(self.text, self.item.value.start)
        return None if found is None else Span(*found.span())

    @property
    def block_end(self) -> int:
        """Where a block collection ends, with the comment on its last line and deeper ones below it."""
        if not self.item.path:
            return end_of_line(self.text, self.item.value.end)
        end = below(self.text, self.item)
        if end > self.item.value.end and self.text[end - 1] in "\r\n":
            end -= 2 if self.text[end - 2 : end] == "\r\n" else 1
        return end

    def body_indent(self) -> int | None:
        """How far right the lines of a literal or folded text stand."""
        header = self.header
        if header is None:
            return None
        body = Span(end_of_line(self.text, header.end), self.item.value.end).of(self.text)
        widths = [len(row) - len(row.lstrip(" ")) for row in re.split(r"[\r\n]+", body) if row.strip()]
        return min(widths, default=None)


def put(slot: Slot, written: Written) -> list[Write]:
    """The writes that put a value, whose rows are indented for their place, where another stands."""
    if written.is_below:
        return _put_below(slot, written)
    if slot.is_block:
        return _put_over_block(slot, written)
    if slot.header is not None:
        return _put_over_header(slot, slot.header, written)
    return _put_on_line(slot, written)


def _put_on_line(slot: Slot, written: Written) -> list[Write]:
    value = slot.item.value
    lead = " " if value.is_empty and slot.text[value.start - 1 : value.start] not in (" ", "\t", "", "\n") else ""
    name = slot.item.name
    if name is not None and value.is_empty and value.start == name.end:
        lead = "\n" + " " * slot.owner + ": "  # a name behind `?` without a colon
    head, rows = _parted(written)
    writes = [(value, lead + head)]
    if rows:
        end = end_of_line(slot.text, value.end)
        writes.append((Span(end, end), rows))
    return writes


def _put_over_header(slot: Slot, header: Span, written: Written) -> list[Write]:
    line = end_of_line(slot.text, header.end)
    head, rows = _parted(written)
    return [(header, head), (Span(line, max(slot.item.value.end, line)), rows)]


def _put_over_block(slot: Slot, written: Written) -> list[Write]:
    note, value = note_of(slot.item), slot.item.value
    if not slot.starts_below or (not slot.item.path and not slot.has_properties):
        return [(Span(value.start, slot.block_end), written.head + _lines(written.rows))]
    line = end_of_line(slot.text, note.hang)
    head, rows = _parted(written)
    return [(Span(note.hang, note.hang), f" {head}"), (Span(line, slot.block_end), rows)]


def _put_below(slot: Slot, written: Written) -> list[Write]:
    note, value, text = note_of(slot.item), slot.item.value, slot.text
    is_at_margin = not slot.item.path and value.start == start_of_line(text, value.start) and not slot.has_properties
    if slot.is_block and (slot.starts_below or is_at_margin):
        start = start_of_line(text, value.start)
        return [(Span(start, slot.block_end), _lines(written.rows)[1:])]
    if is_at_margin and not value.is_empty:
        end = end_of_line(text, value.end)
        return [(Span(value.start, end), _lines(written.rows)[1:])]
    header = slot.header
    last = value.end if header is None else header.end
    line = end_of_line(text, last)
    is_commented = bool(text[last:line].strip())
    blanks = len(text[last:line]) - len(text[last:line].lstrip(" \t"))
    first = value.start if is_commented and value.start > note.hang else note.hang
    taken = Span(first, last + (blanks if is_commented and value.start > note.hang else 0))
    return [(taken, ""), (Span(line, max(line, value.end)), _lines(written.rows))]


def _parted(written: Written) -> tuple[str, str]:
    """What stands before a comment on the line and what follows it: a text in quotes must not take it in."""
    rows = _lines(written.rows)
    is_whole = written.is_compact or _LITERAL.match(written.head)
    return (written.head, rows) if is_whole else (written.head + rows, "")


def _lines(rows: tuple[str, ...]) -> str:
    return "".join(f"\n{row}" for row in rows)
