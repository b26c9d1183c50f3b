"""Takes entries out of YAML collections: their lines and comments, or their place between commas.

What is left says the same without them; a collection that becomes empty is left as `{}` or `[]`.
"""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.note import note_of
from steadyhand.structure.config.yaml.place import (
    Region,
    blank_lines_at,
    end_of_line,
    line_above,
    next_line,
    region_of,
    start_of_line,
)
from steadyhand.structure.config.yaml.putting import Slot, Write
from steadyhand.text.span import Span

_COMMA = lazy_pattern(r"[ \t]*,")
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
