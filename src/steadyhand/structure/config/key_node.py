"""Keys and values of a file, or of a part of a file that is written in a format of its own, as places to edit.

What is written keeps its type: a number stays a number until somebody asks for text with `set-key`.
Every proposal has been read again and compared with what was asked before it leaves here.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.config.check import parent_of
from steadyhand.structure.config.finding import find_items
from steadyhand.structure.config.item import Item, ItemKind, KeyPath, Reading
from steadyhand.structure.config.operation import Beside, Keys, said
from steadyhand.structure.config.path import render_path
from steadyhand.structure.config.syntax import Syntax, syntaxes
from steadyhand.structure.format import Entry
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.indent import indent_at
from steadyhand.text.lines import split_lines
from steadyhand.text.pace import paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Part = Literal["value", "entry", "name"]


@dataclass(frozen=True, slots=True)
class KeyNode(Node):
    """One item of `keys`, whose text stands at `offset` in the file; `span` counts in the file."""

    kind: str
    span: Span
    address: str
    keys: Keys
    item: Item
    offset: int = 0
    part: Part = "value"

    @property
    def label(self) -> str:
        return label_of(self.item)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        """Put text of the format in the place of the value, the entry or the name; the value's type stays."""
        if new == self.own_text(source):
            return Proposal(())
        match self.part:
            case "name":
                return self.shifted(source, self.keys.rename(self.item, self._plain_name(new)))
            case "entry" if self.item.name is not None:
                return self.shifted(source, self._replace_entry(new))
            case _:
                return self.shifted(source, self._put(new))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put entries or items, as the format writes them, beside it or inside."""
        if where in ("start", "end"):
            if not self.item.is_container:
                return _nothing_inside(self.item)
            index = 0 if where == "start" else len(self.item.children)
            return self.shifted(source, self.keys.insert_raw(self.item, text, index))
        if not self.item.path:
            return Refusal(Kind.BAD_REQUEST, "nothing stands beside the top", "use where start or end")
        parent = parent_of(self.keys.reading, self.item)
        index = next(at for at, child in enumerate(parent.children) if child is self.item)
        return self.shifted(source, self.keys.insert_raw(parent, text, index + (where == "after")))

    def delete(self, source: Source) -> Proposal | Refusal:
        """Take the entry away, name and value."""
        return self.shifted(source, self.keys.delete(self.item))

    def move_to(self, source: Source, other: Node, where: Where) -> Proposal | Refusal | None:
        """Go beside or into another item of the same text; what stands elsewhere takes the entry as it is written."""
        if not isinstance(other, KeyNode) or other.keys.source is not self.keys.source:
            return None
        if where in ("before", "after") and other.item.path:
            container, step = parent_of(self.keys.reading, other.item), other.item.path[-1]
            return self.shifted(source, self._moved(container, Beside(step, is_after=where == "after")))
        if not other.item.is_container:
            return _nothing_inside(other.item)
        first = other.item.children[0].path[-1] if where == "start" and other.item.children else None
        return self.shifted(source, self._moved(other.item, None if first is None else Beside(first, is_after=False)))

    def _moved(self, container: Item, beside: Beside | None) -> Proposal | Refusal:
        return self.keys.move(self.item, container, None, beside)

    def carried(self, source: Source) -> str | Refusal:
        """The entry as it is written, its lines moved to the margin."""
        own = self.keys.syntax.carried(self.keys.source, self.item)
        if own is not None:
            return own
        entry = self.item.entry.shift(self.offset)
        indent = indent_at(source.text, entry.start)
        lines = split_lines(entry.of(source.text))
        return "".join([*lines[:1], *(line.removeprefix(indent) for line in lines[1:])])

    def prove_together(self, source: Source, proposal: Proposal) -> Proposal | Refusal:  # noqa: ARG002
        """Read the text again: two that go together may leave a separator that each of them left for the other."""
        inner = Proposal(tuple(splice.shift(-self.offset) for splice in proposal.splices))
        proved = self.keys.syntax.proved(self.keys.source, inner)
        return proved if isinstance(proved, Refusal) else proposal

    def shifted(self, source: Source, proposal: Proposal | Refusal) -> Proposal | Refusal:
        """A proposal on the text of the keys, as one on the file."""
        if isinstance(proposal, Refusal) or not self.offset:
            return proposal
        writes = ((splice.span.shift(self.offset), splice.new) for splice in proposal.splices)
        return Proposal.of(source, *writes, notes=proposal.notes)

    def _put(self, new: str) -> Proposal | Refusal:
        return self._same_type(self.keys.put_raw(self.item, new, self._kinds), new)

    @property
    def _kinds(self) -> tuple[ItemKind, ...] | None:
        """The kinds that written text may be read as: the value's own, any where it says nothing."""
        return None if self.item.kind in ("null", "other") else (self.item.kind,)

    def _same_type(self, made: Proposal | Refusal, new: str) -> Proposal | Refusal:
        is_other = isinstance(made, Refusal) and made.kind == Kind.UNPARSABLE and self._kinds is not None
        return self._of_another_type(new) if is_other else made

    def _of_another_type(self, new: str) -> Refusal:
        """What was written is no value of the old one's type: the text that would be, where that can be said."""
        asked = self.keys.syntax.set_value(self.keys.source, self.item, new)
        spans = [] if isinstance(asked, Refusal) else list(asked.splices)
        is_text = self.item.kind == "text" and len(spans) == 1 and spans[0].span == self.item.value
        quoted = f"write it as {spans[0].new[:200]}, or " if is_text else ""
        return Refusal(
            Kind.BAD_REQUEST,
            f"{said(self.item)} is a {self.item.kind}, and the new text is not read as one there",
            f"{quoted}use set-key with a JSON value, which may be of any type",
            {"kind": self.item.kind, **({"written": spans[0].new[:2000]} if is_text else {})},
        )

    def _replace_entry(self, new: str) -> Proposal | Refusal:
        found = self.keys.entries(new, "mapping")
        if isinstance(found, Refusal):
            return found
        if len(found[1]) != 1:
            return Refusal(Kind.BAD_REQUEST, "one entry, name and value, is expected", "write it as the file does")
        entry = found[1][0]
        written, old = entry.value.of(found[0].text), self.item.value.of(self.keys.source.text)
        name = str(entry.path[-1])
        made = self.keys.replace_entry(self.item, name, None if written == old else written, self._kinds)
        return self._same_type(made, written)

    def _plain_name(self, new: str) -> str:
        """A name as it is written or as it is meant: quotes around it are the format's."""
        found = self.keys.syntax.entries(self.keys.source, self._with_name(new), "mapping")
        is_entry = not isinstance(found, Refusal) and len(found[1]) == 1 and len(found[1][0].path) == 1
        is_written = is_entry and new[:1] in "\"'" and new[:1] == new[-1:] and len(new) > 1
        return str(cast("tuple[Source, tuple[Item, ...]]", found)[1][0].path[-1]) if is_written else new

    def _with_name(self, new: str) -> str:
        text, name = self.keys.source.text, self.item.name
        between = text[name.end : self.item.value.start] if name is not None else ""
        return f"{new}{between}0"


def key_nodes(
    syntax: Syntax,
    inner: Source,
    path: KeyPath,
    *,
    offset: int = 0,
    part: Part = "value",
    document: int | None = None,
    prefix: str = "key",
) -> list[KeyNode] | Refusal:
    """The places of a text that answer to a path; `prefix` is the kind of their addresses, `offset` where it starts."""
    keys = Keys.of(syntax, inner)
    if isinstance(keys, Refusal):
        return keys
    found = find_items(keys.reading, path, document, prefix)
    if isinstance(found, Refusal):
        told = syntax.elsewhere(inner, path, document) if found.kind == Kind.NO_SUCH_TARGET else None
        return told or found
    if part == "name" and any(item.name is None for item in found):
        return Refusal(Kind.NO_SUCH_TARGET, f"{said(found[0])} has no name", "leave part out", {"nearest": []})
    numbers = _numbers(found if document is None else find_items(keys.reading, path))
    usual = prefix if part == "value" else f"{prefix}.{part}"
    return [_node(keys, item, address_of(usual, item, numbers.get(id(item))), offset, part) for item in paced(found)]


def address_of(prefix: str, item: Item, number: int | None) -> str:
    """The address of an item; the number of those with one path, where there are several."""
    return f"{prefix}{'' if number is None else f'[{number}]'}:{render_path(item.path)}"


def key_entries(reading: Reading, *, offset: int = 0, prefix: str = "key", depth: int = 0) -> list[Entry]:
    """Every item as an outline shows it, the tops left out."""
    items = [(item, tuple(map(str, item.path))) for top in reading.documents for item in top.walk()]
    count = Counter(path for _, path in items)
    seen: Counter[tuple[str, ...]] = Counter()
    entries: list[Entry] = []
    for item, path in paced(items):
        seen[path] += 1
        if path:
            address = address_of(prefix, item, seen[path] if count[path] > 1 else None)
            span = item.value.shift(offset)
            entries.append(Entry(address, _kind(item), label_of(item), span, len(path) - 1 + depth))
    return entries


def outline_keys(source: Source, syntax: str) -> list[Entry] | Refusal:
    """Every key of a text that is written in a syntax, for the outline of its format."""
    reading = source.derive(syntaxes()[syntax].read)
    return reading if isinstance(reading, Refusal) else key_entries(reading)


def label_of(item: Item) -> str:
    """Name and type, never the value: it may be a secret.

    >>> label_of(Item(("ports",), "sequence", Span(0, 2), None, Span(0, 2)))
    'ports: sequence of 0'
    """
    name = render_path(item.path[-1:]) or "top"
    size = f" of {len(item.children)}" if item.is_container else ""
    return f"{name[:80]}: {item.kind}{size}"


def _numbers(found: list[Item] | Refusal) -> dict[int, int]:
    """The number of each item that answers to one path, from 1; nothing where there is only one."""
    if isinstance(found, Refusal) or len(found) < 2:
        return {}
    return {id(item): number for number, item in enumerate(found, start=1)}


def _node(keys: Keys, item: Item, address: str, offset: int, part: Part) -> KeyNode:
    place = {"value": item.value, "entry": item.entry, "name": item.name or item.value}[part]
    return KeyNode(_kind(item), place.shift(offset), address, keys, item, offset, part)


def _kind(item: Item) -> str:
    if not item.path:
        return "document"
    return "key" if isinstance(item.path[-1], str) else "item"


def _nothing_inside(item: Item) -> Refusal:
    return Refusal(
        Kind.BAD_REQUEST,
        f"{said(item)} is a {item.kind}, nothing can be put inside",
        "insert before or after it, or use set-key",
        {"kind": item.kind},
    )
