"""Adds, renames and deletes entries of YAML collections."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item, Plain
from steadyhand.structure.config.yaml.inserting import insert_in_brackets, insert_rows, refuse_open_text
from steadyhand.structure.config.yaml.manner import manner_of
from steadyhand.structure.config.yaml.note import Parsed, note_of
from steadyhand.structure.config.yaml.removing import remove
from steadyhand.structure.config.yaml.scalars import is_typed_by_all, looks_typed
from steadyhand.structure.config.yaml.setting import closed, keeps_anchors, set_value
from steadyhand.structure.config.yaml.writing import entry_rows, in_brackets, item_rows, name_text
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.source import Source

_MERGE = "<<"


def add(source: Source, parsed: Parsed, container: Item, name: str, value: Plain, index: int) -> Proposal | Refusal:
    """A new entry of a mapping; one that is empty or not written at all turns into a block where it can."""
    if _is_fresh(source, container):
        return set_value(source, parsed, container, {name: value})
    if note_of(container).style == "pair":
        return _one_pair()
    manner = manner_of(source, parsed, container)
    like = _typed_name(source, container)
    refused = refuse_open_text(source, container, index)
    if refused is not None:
        return refused
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
    manner = manner_of(source, parsed, container)
    refused = refuse_open_text(source, container, index)
    if refused is not None:
        return refused
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
            f"{shown} is no simple name",
            "add the entry under its new name with add-key, and delete this one",
        )
    if name == item.path[-1]:
        return Proposal(())
    manner = manner_of(source, parsed, parsed.family(item)[0])
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
