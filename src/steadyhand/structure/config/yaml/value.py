"""Another value for a YAML item.

Puts a written value in the place of another: which characters change, and where comments on its line stay.

Only for values outside brackets. The value hangs on a name or dash; its anchor and tag are not touched here.

Gives a YAML value another plain value, as the old one was written where that can be.

The anchor stays, so that its aliases see the new value; a tag stays where it still fits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.config.item import Item, Plain, same_data, says
from steadyhand.structure.config.yaml.document import (
    Note,
    Parsed,
    below,
    column_of,
    end_of_line,
    is_core,
    last_of,
    next_line,
    note_of,
    resolve,
    start_of_line,
)
from steadyhand.structure.config.yaml.style import (
    Manner,
    Wish,
    Written,
    fits_literal,
    folded,
    in_brackets,
    indented,
    literal,
    manner_of,
    scalar,
    value_rows,
)
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source
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


_WIDEST = 80
_BOTH_VERSIONS = lazy_pattern(
    r"true|True|TRUE|false|False|FALSE|[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE][-+][0-9]+)?)?|[-+]?\.(?:inf|Inf|INF)|\.nan"
)


def set_value(source: Source, parsed: Parsed, item: Item, value: Plain) -> Proposal | Refusal:
    """The splices that make an item say a value."""
    if is_said(item, value) and not _is_of_one_version(source.text, item):
        return Proposal(())
    refused = keeps_anchors(source, parsed, item.value) or _keeps_tag(item, value)
    if refused is not None:
        return refused
    parent = parsed.family(item)[0] if item.path else item
    manner = manner_of(source, parent)
    manner = manner.inside(item.path[-1]) if item.path else manner
    writes = _writes(source, item, value, manner)
    if not is_tag_kept(item, value):
        writes.append((_tag_with_blanks(source.text, note_of(item)), ""))
    return Proposal.of(source, *writes, notes=alias_notes(parsed, item))


def closed(source: Source, writes: list[Write], value: Plain) -> list[Write]:
    """At the end of a file without a final newline a literal text that ends with one needs it."""
    span, new = writes[-1]
    while isinstance(value, Mapping | list | tuple) and value:
        value = list(value.values())[-1] if isinstance(value, Mapping) else value[-1]
    is_literal = isinstance(value, str) and value.endswith("\n") and fits_literal(value)
    is_open = span.end == len(source.text) and not new.endswith("\n")
    return [*writes[:-1], (span, new + "\n")] if is_literal and is_open else writes


def keeps_anchors(source: Source, parsed: Parsed, *places: Span) -> Refusal | None:
    """The refusal of taking text away that holds an anchor whose alias stays."""
    lost = parsed.lost(*places)
    if lost is None:
        return None
    line = source.line_of(lost[1])
    return Refusal(
        Kind.BAD_REQUEST,
        f"the anchor &{lost[0].name[:60]} in it is used by the alias on line {line}",
        f"set the value on line {line} first",
        {"anchor": lost[0].name, "line": line},
    )


def is_said(item: Item, value: Plain) -> bool:
    """Whether an item says a value already; what JSON has no type for never does."""
    if item.kind in ("date", "other"):
        return False
    if not item.is_container:
        return same_data(item.data, value)
    return says(item, value) and not any(part.kind in ("date", "other") for part in item.walk())


def _is_of_one_version(text: str, item: Item) -> bool:
    """Whether a flag or number says something else to readers of YAML 1.2 than to those of 1.1: `no`, `0644`."""
    is_typed = item.kind in ("flag", "number") and note_of(item).tag is None
    return is_typed and _BOTH_VERSIONS.fullmatch(item.value.of(text)) is None


def is_tag_kept(item: Item, value: Plain) -> bool:
    """Whether a value can stand behind the tag of an item: the file's own tags stay, YAML's where they fit."""
    tag = note_of(item).tag
    if not is_core(tag) or tag is None:
        return True
    if isinstance(value, str):
        return tag.endswith(":str")
    if isinstance(value, list | tuple | dict):
        return tag.endswith(":seq" if isinstance(value, list | tuple) else ":map")
    said = scalar(value, "plain", Manner(), in_flow=False)
    return same_data(resolve(said, tag, is_plain=True)[1], value)


def _keeps_tag(item: Item, value: Plain) -> Refusal | None:
    tag = note_of(item).tag
    kind = "mapping" if isinstance(value, dict) else "sequence" if isinstance(value, list | tuple) else "scalar"
    old = item.kind if item.is_container else "scalar"
    if tag is None or is_core(tag) or kind == old:
        return None
    return Refusal(
        Kind.BAD_REQUEST,
        f"the value has the tag {tag[:60]}, which may not fit a {kind}",
        "replace the value as it is written, with the tag it should have",
        {"tag": tag},
    )


def _tag_with_blanks(text: str, note: Note) -> Span:
    span = note.tag_span or Span(note.hang, note.hang)
    start = span.start
    while text[start - 1 : start] in (" ", "\t"):
        start -= 1
    return Span(start, span.end)


def alias_notes(parsed: Parsed, item: Item) -> tuple[str, ...]:
    """Who else sees another value of an item."""
    count = len(parsed.aliases_of(item)) if note_of(item).anchor is not None else 0
    if not count:
        return ()
    aliases = "1 alias has" if count == 1 else f"{count} aliases have"
    return (f"&{note_of(item).anchor} is set: its {aliases} the new value too",)


def _writes(source: Source, item: Item, value: Plain, manner: Manner) -> list[Write]:
    note = note_of(item)
    if note.in_flow:
        wish = _wish(item, manner)
        text = in_brackets(value, replace(manner, text=wish))
        is_bare = item.value.is_empty and source.text[item.value.start - 1 : item.value.start] not in (" ", "\t")
        lead = " " if is_bare else ""
        if item.name is not None and item.value.is_empty and item.value.start == item.name.end:
            lead = ": "  # a name in braces without a colon
        return [(item.value, lead + text)]
    slot = Slot(source.text, item)
    if isinstance(value, str):
        return put(slot, _text(slot, value, manner))
    written = value_rows(value, manner)
    return closed(source, put(slot, placed(slot, written, manner, is_list=isinstance(value, list | tuple))), value)


def placed(slot: Slot, written: Written, manner: Manner, *, is_list: bool) -> Written:
    """A value at the margin, moved to where it stands."""
    if not written.is_below:
        return Written(written.head, tuple(indented(written.rows, max(slot.owner, 0))))
    column = _column(slot, manner, is_list=is_list)
    if slot.is_item and not slot.has_properties and not slot.starts_below:
        return Written(written.rows[0], tuple(indented(written.rows[1:], column)), is_compact=True)
    return Written("", tuple(indented(written.rows, column)), is_below=True)


def _column(slot: Slot, manner: Manner, *, is_list: bool) -> int:
    """Where the entries of a collection stand that is put into a slot."""
    if slot.owner < 0:
        return 0
    if slot.is_item:
        note = note_of(slot.item)
        gap = slot.text[note.mark + 1 : slot.item.value.start]
        is_beside = bool(gap) and not gap.strip(" ") and not slot.item.value.is_empty
        return slot.owner + (len(gap) + 1 if is_beside else manner.width)
    return slot.owner + (manner.dash if is_list else manner.step)


def _wish(item: Item, manner: Manner) -> Wish:
    """The style of the old text, where there was one."""
    style = note_of(item).style
    if item.kind == "text" and (style == "plain" or style == "single" or style == "double"):
        return style
    return manner.text


def _text(slot: Slot, value: str, manner: Manner) -> Written:
    """A text as the old value was written, where that can be."""
    style = note_of(slot.item).style
    owner = max(slot.owner, 0)
    usual = manner.width if slot.is_item else manner.step
    indent = (slot.body_indent() or owner + usual) - owner
    indent = indent if 0 < indent <= 9 else usual
    if style == "folded":
        made = folded(value, indent, max(_WIDEST - owner, 20))
        if made is not None:
            return Written(made[0], _closed(slot, value, indented(made[1], owner)))
    is_block = style in ("literal", "folded") or ("\n" in value and style != "double" and not _is_commented_below(slot))
    if is_block and fits_literal(value) and (slot.owner >= 0 or not value.lstrip("\n").startswith(" ")):
        head, rows = literal(value, indent)
        return Written(head, _closed(slot, value, indented(rows, owner)))
    return Written(scalar(value, _wish(slot.item, manner), manner, in_flow=False))


def _is_commented_below(slot: Slot) -> bool:
    """Whether a comment follows that would be taken into a literal text."""
    if slot.owner < 0:
        return True
    return below(slot.text, slot.item) > next_line(slot.text, last_of(slot.item)) and not slot.is_block


def _closed(slot: Slot, value: str, rows: list[str]) -> tuple[str, ...]:
    """At the end of a file without a final newline a text that ends with one needs it."""
    is_last = end_of_line(slot.text, slot.item.value.end) == len(slot.text)
    return (*rows, "") if is_last and value.endswith("\n") else tuple(rows)
