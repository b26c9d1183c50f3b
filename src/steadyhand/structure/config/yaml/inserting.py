"""Puts new entries into YAML collections: as lines of a block collection, or between brackets.

Where they go and what parts them from their siblings is decided here; how they are written is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.note import note_of
from steadyhand.structure.config.yaml.place import blanks_between, column_of, end_of_line, region_of, start_of_line
from steadyhand.structure.config.yaml.putting import Write
from steadyhand.structure.config.yaml.writing import indented
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_COMMA = lazy_pattern(r"[ \t]*,")


def insert_rows(text: str, container: Item, index: int, rows: Sequence[str]) -> list[Write]:
    """Rows at the margin as an entry in front of child number `index` of a block collection, or behind the last."""
    column = column_of(text, note_of(container.children[0]).mark)
    blanks = [""] * blanks_between(text, container)
    if index >= len(container.children):
        return [_behind(text, region_of(text, container, len(container.children) - 1).lines.end, column, blanks, rows)]
    region = region_of(text, container, index)
    if region.is_compact:
        mark = region.lines.start
        below = indented([*rows[1:], *blanks], column)
        return [(Span(mark, mark), "\n".join([rows[0], *below]) + "\n" + " " * column)]
    start = region.lines.start
    return [(Span(start, start), "".join(f"{row}\n" for row in [*indented(rows, column), *blanks]))]


def _behind(text: str, end: int, column: int, blanks: list[str], rows: Sequence[str]) -> Write:
    made = [*blanks, *indented(rows, column)]
    if end and text[end - 1] not in "\r\n":
        return Span(end, end), "".join(f"\n{row}" for row in made)
    return Span(end, end), "".join(f"{row}\n" for row in made)


def refuse_open_text(source: Source, container: Item, index: int) -> Refusal | None:
    """The refusal to write behind a literal text at the end of a file that has no final newline: it would get one."""
    text = source.text
    if index < len(container.children) or not text or text[-1] in "\r\n":
        return None
    last = container
    while last.children:
        last = last.children[-1]
    header = end_of_line(text, last.value.start)
    is_clipped = note_of(last).style in ("literal", "folded") and not set("-+") & set(text[last.value.start : header])
    if not is_clipped or last.value.end < len(text) or header >= last.value.end:
        return None
    line = source.line_of(last.value.start)
    return Refusal(
        Kind.BAD_REQUEST,
        f"the file ends without a newline inside the text that starts on line {line}; that text would get one",
        "end the file with a newline first, or write before that entry",
        {"line": line},
    )


def insert_in_brackets(text: str, container: Item, index: int, written: str) -> list[Write]:
    """An entry on one line, put between the brackets of a flow collection."""
    children = container.children
    if not children:
        at = container.value.start + 1
        return [(Span(at, at), written)]
    if index < len(children):
        at = note_of(children[index]).mark
        return [(Span(at, at), written + "," + _parting(text, container))]
    last = children[-1]
    end = last.entry.end
    comma = _COMMA.match(text, end)
    line = end_of_line(text, end)
    lead = " " if text[end - 1] == ":" and last.value.is_empty else ""
    if not _is_row(text, last) or line >= container.value.end:
        return [(Span(end, end), f"{lead},{_parting(text, container)}{written}")]
    indent = text[start_of_line(text, note_of(last).mark) : note_of(last).mark]
    new = f"\n{indent}{written}{'' if comma is None else ','}"
    if comma is not None:
        return [(Span(line, line), new)]
    return [(Span(end, end), f"{lead},"), (Span(line, line), new)]


def _parting(text: str, container: Item) -> str:
    """What stands behind the commas of a flow collection: a blank, nothing, or a new line."""
    children = container.children
    if len(children) > 1:
        gap = text[children[-2].entry.end : note_of(children[-1]).mark]
        found = _COMMA.match(gap)
        rest = "" if found is None else gap[found.end() :]
        if found is not None and not rest.strip(" \t"):
            return rest
    if _is_row(text, children[-1]):
        mark = note_of(children[-1]).mark
        return "\n" + text[start_of_line(text, mark) : mark]
    return " "


def _is_row(text: str, item: Item) -> bool:
    """Whether an entry in brackets is the first thing on its line."""
    mark = note_of(item).mark
    return not text[start_of_line(text, mark) : mark].strip(" \t")
