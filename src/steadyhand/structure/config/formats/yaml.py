"""YAML, by the names of its files: every key of every document, and items by the name they carry inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.lazy import replace
from steadyhand.structure.format import Entry, Fault, Format, Unchecked
from steadyhand.structure.neutral import Change
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

if TYPE_CHECKING:
    from steadyhand.structure.config.item import Item


_TELLING = ("name", "id", "key", "kind", "title", "uses")
_LONGEST = 60


def _outline(source: Source) -> Sequence[Entry] | Refusal:
    from steadyhand.structure.config.key_node import key_entries
    from steadyhand.structure.config.syntax import syntaxes

    reading = source.derive(syntaxes()["yaml"].read)
    if isinstance(reading, Refusal):
        return reading
    is_stream = len(reading.documents) > 1
    entries = iter(key_entries(reading, depth=int(is_stream)))
    made: list[Entry] = []
    for number, top in enumerate(reading.documents, start=1):
        for item in top.walk():
            if item.path:
                entry = next(entries)
                made.append(entry if item.name is not None else _told(entry, item))
            elif is_stream:
                made.append(_document(top, number))
    return made


def _told(entry: Entry, item: Item) -> Entry:
    """An item of a sequence with what it calls itself."""
    said = _called(item)
    return entry if said is None else replace(entry, label=f"{entry.label} ({said})")


def _document(top: Item, number: int) -> Entry:
    size = f" of {len(top.children)}" if top.is_container else ""
    said = _called(top)
    label = f"document {number}: {top.kind}{size}" + ("" if said is None else f" ({said})")
    return Entry(f"key[{number}]:", "document", label, top.value)


def _called(item: Item) -> str | None:
    if item.kind != "mapping":
        return None
    told = {child.path[-1]: child.data for child in item.children if child.kind == "text"}
    name = next((name for name in _TELLING if name in told), None)
    return None if name is None else f"{name} {' '.join(str(told[name]).split())[:_LONGEST]}"


def _fault(source: Source) -> Fault | Unchecked | None:
    from steadyhand.structure.config.syntax import syntaxes
    from steadyhand.structure.config.yaml.reading import is_readable

    if is_readable(source):
        return None
    return Fault.of(source.derive(syntaxes()["yaml"].read))


def _is_neutral(change: Change) -> bool:
    from steadyhand.structure.config.yaml.neutral import is_neutral

    return is_neutral(change)


FORMATS = (Format("yaml", (".yaml", ".yml", ".cff"), _outline, _fault, is_neutral=_is_neutral),)
