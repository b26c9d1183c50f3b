"""Reads one block collection of a YAML file again, where nothing in it can change how the rest of the file reads.

Further right than the margin, a block collection ends where something stands further left. What is before it and behind
it reads as it did, if it is closed in itself: no anchor, alias or tag is in it, before or after, that means something
elsewhere, and it does not end with a literal text, which takes blank lines below it in. In doubt everything is read.
"""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.yaml.building import Builder, TooDeep, Unreadable
from steadyhand.structure.config.yaml.note import note_of
from steadyhand.structure.config.yaml.place import column_of, end_of_line
from steadyhand.text.source import Source

_DEEPEST = 40
_BEYOND = lazy_pattern("[&*!%\t\ufeff\x85\u2028\u2029\ud800-\udfff]")
_REST = lazy_pattern(r"[ \t]*(?:[ \t]#.*)?\Z")


def reread(source: Source, item: Item, end: int) -> Item | None:
    """A block collection of before, whose inside has changed and which ends at `end` now; None: read everything."""
    text, start = source.text, item.value.start
    column = column_of(text, start)
    if not _is_closed(item) or not _is_apart(text, item, column) or _BEYOND.search(text, start, end):
        return None
    if not _REST.match(text[end : end_of_line(text, end)]):
        return None
    made = _read(text, start, end, column)
    is_like = made is not None and made.kind == item.kind and made.value == (start, end)
    return made if is_like and made is not None and not _ends_open(made) else None


def _is_closed(item: Item) -> bool:
    """Whether nothing in an item is known by another name elsewhere, or known here from elsewhere."""
    for part in item.walk():
        note = note_of(part)
        is_named_plainly = part.name is None or note.mark == part.name.start
        if note.anchor is not None or note.tag is not None or note.style == "alias" or not is_named_plainly:
            return False
    return True


def _is_apart(text: str, item: Item, column: int) -> bool:
    """Whether an item is a block collection further right than what it hangs on."""
    note = note_of(item)
    is_block = note.style == "block" and 0 < len(item.path) <= _DEEPEST
    return is_block and column > column_of(text, note.mark) and text[note.mark] != "?"


def _ends_open(item: Item) -> bool:
    while item.children:
        item = item.children[-1]
    return note_of(item).style in ("literal", "folded") or item.value.is_empty


def _read(text: str, start: int, end: int, column: int) -> Item | None:
    """The one thing that stands between two offsets, on its first line as far right as it is."""
    import yaml

    builder, shift = Builder(text), start - column
    alone = " " * column + text[start:end]
    try:
        for event in yaml.parse(alone, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event, event.start_mark.index + shift, event.end_mark.index + shift)
    except (TooDeep, Unreadable, yaml.YAMLError):
        return None
    documents = builder.result().reading.documents
    return documents[0] if len(documents) == 1 else None
