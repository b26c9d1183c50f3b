"""Entries of YAML collections: how they come and go.

Puts new entries into YAML collections: as lines of a block collection, or between brackets.

Where they go and what parts them from their siblings is decided here; how they are written is not.

Takes entries out of YAML collections: their lines and comments, or their place between commas.

What is left says the same without them; a collection that becomes empty is left as `{}` or `[]`.

Adds, renames and deletes entries of YAML collections.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.yaml.document import (
    Parsed,
    Region,
    blank_lines_at,
    blanks_between,
    column_of,
    end_of_line,
    is_typed_by_all,
    line_above,
    looks_typed,
    next_line,
    note_of,
    region_of,
    start_of_line,
)
from steadyhand.structure.config.yaml.style import entry_rows, in_brackets, indented, item_rows, manner_of, name_text
from steadyhand.structure.config.yaml.value import Slot, Write, closed, keeps_anchors, set_value
from steadyhand.structure.node import Proposal, Refusal
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


_COMMA_ANYWHERE = lazy_pattern(r"(?:[ \t\r\n]|#[^\r\n]*)*,")
_REST_OF_LINE = lazy_pattern(r"[ \t]*,?[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")


def remove(text: str, parent: Item, index: int) -> list[Write]:
    """The writes that take child number `index` away."""
    if note_of(parent).style in ("flow", "pair"):
        return _remove_in_brackets(text, parent, index)
    region = region_of(text, parent, index)
    if len(parent.children) == 1:
        return _leave_empty(text, parent, region)
    if region.is_compact:
        start = region.lines.start
        end = blank_lines_at(text, region.lines.end)
        while text[end] == " ":
            end += 1
        return [(Span(start, end), "")]
    lines = _with_blank_lines(text, region.lines, is_first=index == 0)
    if index == 0 or not ends_in_text(parent.children[index - 1]):
        lines = _without_open_end(text, lines)
    return [(lines, "")]


def ends_in_text(item: Item) -> bool:
    """Whether an entry ends with a literal or folded text, whose last line break says something."""
    while item.children:
        item = item.children[-1]
    return note_of(item).style in ("literal", "folded")


def _leave_empty(text: str, parent: Item, region: Region) -> list[Write]:
    empty = "{}" if parent.kind == "mapping" else "[]"
    slot = Slot(text, parent)
    if region.is_compact or (not parent.path and not slot.has_properties):
        start = region.lines.start
        return [(Span(start, max(start, region.content_end)), empty)]
    hang = note_of(parent).hang
    lines = _without_open_end(text, region.lines)
    return [(Span(hang, hang), f" {empty}"), (lines, "")]


def _with_blank_lines(text: str, lines: Span, *, is_first: bool) -> Span:
    """Of the blank lines on both sides of what goes one side goes too."""
    start, end = lines
    before = text[line_above(text, start) : start]
    is_after_blank = not before.strip() or (is_first and not before.lstrip().startswith("#"))
    after = blank_lines_at(text, end)
    if is_after_blank and after < len(text):
        end = after
    return Span(start, end)


def _without_open_end(text: str, lines: Span) -> Span:
    """The last line of a file that ends without a newline goes with the line break before it."""
    start, end = lines
    if end == len(text) and start and text[end - 1] not in "\r\n":
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return Span(start, end)


def _remove_in_brackets(text: str, parent: Item, index: int) -> list[Write]:
    children = parent.children
    child = children[index]
    start, end = note_of(child).mark, child.entry.end
    rest = _REST_OF_LINE.match(text, end)
    is_row = not text[start_of_line(text, start) : start].strip(" \t") and rest is not None
    comma = _COMMA_ANYWHERE.match(text, end)
    if is_row:
        writes = [(Span(start_of_line(text, start), next_line(text, end_of_line(text, end))), "")]
        if index and index == len(children) - 1 and comma is None:
            parting = _COMMA_ANYWHERE.match(text, children[index - 1].entry.end)
            if parting is not None:
                writes.insert(0, (Span(parting.end() - 1, parting.end()), ""))
        return writes
    if index < len(children) - 1:
        return [(Span(start, note_of(children[index + 1]).mark), "")]
    if index:
        before = children[index - 1].entry.end
        return [(Span(before, end), " " if text[before - 1] == ":" else "")]
    found = _COMMA.match(text, end)
    end = end if found is None else found.end()
    inside = Span(parent.value.start + 1, parent.value.end - 1)
    is_alone = not text[inside.start : start].strip(" ") and not text[end : inside.end].strip(" ")
    return [(inside if is_alone else Span(start, end), "")]


_MERGE = "<<"


def add(source: Source, parsed: Parsed, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
    """A new entry of a mapping; one that is empty or not written at all turns into a block where it can."""
    if _is_fresh(source, container):
        return set_value(source, parsed, container, {name: value})
    if note_of(container).style == "pair":
        return _one_pair()
    manner = manner_of(source, container)
    like = _typed_name(source, container)
    if note_of(container).style == "block":
        rows = entry_rows(name, value, manner, like=like)
        return Proposal.of(source, *closed(source, insert_rows(source.text, container, index, rows), value))
    written = name_text(name, manner.name, manner, in_flow=True, like=like)
    parting = _colon(source.text, container) if written[:1] in "\"'" else ": "
    entry = f"{written}{parting}{in_brackets(value, manner.inside(name))}"
    return Proposal.of(source, *insert_in_brackets(source.text, container, index, entry))


def append(source: Source, parsed: Parsed, container: Item, value: Plain, index: int) -> Proposal | Refusal:
    """A new item of a sequence."""
    if _is_fresh(source, container):
        return set_value(source, parsed, container, [value])
    manner = manner_of(source, container)
    if note_of(container).style == "block":
        rows = item_rows(value, manner.inside(index))
        return Proposal.of(source, *closed(source, insert_rows(source.text, container, index, rows), value))
    written = in_brackets(value, manner.inside(index))
    return Proposal.of(source, *insert_in_brackets(source.text, container, index, written))


def rename(source: Source, parsed: Parsed, item: Item, name: str) -> Proposal | Refusal:
    """Another name, in the quotes of the old one where that can be."""
    note = note_of(item)
    if item.name is None or note.name == "other" or (note.name == "plain" and item.path[-1] == _MERGE):
        shown = item.name.of(source.text)[:60] if item.name is not None else "an item"
        return Refusal(
            Kind.BAD_REQUEST,
            f"{shown} is not a simple name",
            "add the entry under its new name with add-key, and delete this one",
        )
    if name == item.path[-1]:
        return Proposal(())
    manner = manner_of(source, parsed.family(item)[0])
    like = item.name.of(source.text) if note.name == "plain" else None
    written = name_text(name, note.name, manner, in_flow=note.in_flow, like=like)
    lead = " " if item.name.is_empty and source.text[item.name.start - 1 : item.name.start] == "?" else ""
    return Proposal.of(source, (item.name, lead + written))


def delete(source: Source, parsed: Parsed, item: Item) -> Proposal | Refusal:
    """Without the entry; refused while an alias elsewhere needs an anchor in it."""
    parent, index = parsed.family(item)
    if note_of(parent).style == "pair":
        return _one_pair()
    writes = remove(source.text, parent, index)
    refused = keeps_anchors(source, parsed, *(span for span, _ in writes))
    return refused or Proposal.of(source, *writes)


def _is_fresh(source: Source, container: Item) -> bool:
    """Whether there is nothing in a container, nor a comment, and it may be written over as a block."""
    note = note_of(container)
    if container.children:
        return False
    if container.value.is_empty:
        return True
    return not note.in_flow and not container.value.of(source.text)[1:-1].strip()


def _typed_name(source: Source, container: Item) -> str | None:
    """A plain name in a mapping that some reader takes for no text; one that all readers do, if there is such."""
    named = (item.name.of(source.text) for item in container.children if item.name and note_of(item).name == "plain")
    names = [name for name in named if looks_typed(name) and name != _MERGE]
    return next(filter(is_typed_by_all, names), names[0] if names else None)


def _colon(text: str, container: Item) -> str:
    """What stands between name and value in a flow mapping whose names are quoted."""
    for item in reversed(container.children):
        if item.name is not None and not item.value.is_empty and note_of(item).hang <= item.value.start:
            between = text[item.name.end : item.value.start]
            if between in (":", ": "):
                return between
    return ": "


def _one_pair() -> Refusal:
    return Refusal(
        Kind.BAD_REQUEST,
        "a pair inside brackets without braces has exactly one entry",
        "name the item itself, or replace it by a mapping in braces",
    )
