"""List items and named blocks of Markdown, by their words or their name (`^id`): the target and its verbs.

New items are written as their neighbours are: the same bullet or the next number, the same indentation, a box where
the others have one. Numbers that are there are never changed. The name of a block survives whatever is done to the
words before it, and goes with the block when that is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import check_text
from steadyhand.structure.markdown.check import Name, checked
from steadyhand.structure.markdown.document import Document, Item
from steadyhand.structure.markdown.layout import MORE, Part, first_sound, prefix_near, put_lines, replace_rows
from steadyhand.structure.markdown.names import (
    BOX,
    Ref,
    item_address,
    items_by_words,
    loose,
    nearest,
    no_such_name,
    ref_address,
    ref_in,
    refs_of,
    rows_under,
    words_of,
)
from steadyhand.structure.markdown.reader import Content, known_markdown, markdown_of, prefixed, read_content, view_of
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_NUMBER = lazy_pattern(r"[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class ItemNode(Part):
    """A list item: its lines, those of the items nested in it included."""

    span: Span
    address: str
    item: Item
    kind: str = "list item"

    @property
    def label(self) -> str:
        return f"{self.item.marker} {words_of(self.item)}"[:120]

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        document, item = known_markdown(source), self.item
        content = read_content(new, prefix_near(document, item.first, item.end, item.container))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return refuse("an item needs words", "delete it")
        content = self._with_ref(document, content)
        if _brings_marker(content):
            return replace_rows(source, document, item.first, item.end, content, item.container)
        return self._reworded(source, document, content)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        document, item = known_markdown(source), self.item
        inside = where in ("start", "end")
        container = item.inside if inside else item.container
        content = read_content(text, prefix_near(document, item.first, item.end, container))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return Proposal(())
        return self._put_inside(source, document, content, where) if inside else self._beside(source, content, where)

    @property
    def place(self) -> tuple[int, int, int]:
        return self.item.first, self.item.end, self.item.container

    @property
    def names(self) -> Collection[Name]:
        name = None if self.item.paragraph is None else ref_in(self.item.paragraph.text)
        own = ("item", loose(words_of(self.item)))
        return (own, ("heading", ""), *(() if name is None else (("ref", name),)))

    def looks_at(self, document: Document, first: int, end: int, *, is_gone: bool) -> tuple[int, int]:
        if self.item.first <= first < end <= self.item.end and not is_gone:
            return self.item.first, self.item.end
        siblings = [each for each in document.items if each.list == self.item.list]
        above, below = Part.looks_at(self, document, first, end, is_gone=is_gone)
        return min(above, siblings[0].first), max(below, siblings[-1].end)

    def box(self, document: Document) -> Span | None:
        """Where the mark in the item's box is: the one character between the brackets."""
        item = self.item
        start = document.content_start(item.first, item.inside)
        found = BOX.match(document.rows[item.first], start) if start is not None and item.paragraph else None
        at = document.table.start(item.first)
        return None if found is None else Span(at + found.start(1), at + found.end(1))

    def _with_ref(self, document: Document, content: Content) -> Content:
        """Content that keeps the name the item has."""
        own = self.item.paragraph
        name = ref_in(document.rows[own.end - 1]) if own is not None else None
        first = content.document.marks[0] if content.document.marks else None
        if name is None or first is None or first.kind != "paragraph" or any(map(ref_in, content.lines)):
            return content
        lines = list(content.lines)
        lines[first.end - 1] = f"{lines[first.end - 1].rstrip(' ')} ^{name}"
        again = read_content("".join(f"{line}\n" for line in lines))
        return content if isinstance(again, Refusal) else again

    def _reworded(self, source: Source, document: Document, content: Content) -> Proposal | Refusal:
        """Other words behind the marker and the box, which stay; what is nested stays."""
        item, own = self.item, self.item.paragraph
        start = document.content_start(item.first, item.inside)
        is_bare = item.end == item.first + 1 and own is None and start == len(document.rows[item.first])
        if start is None or (own is None and not is_bare):
            return refuse("the item does not start with words", f"send the new item with its marker: {item.marker} …")
        row = document.rows[item.first]
        box = BOX.match(row, start)
        if box is not None and BOX.match(content.lines[0]) is None:
            start = box.end() + len(row[box.end() :]) - len(row[box.end() :].lstrip(" \t"))
        last = item.first if own is None else own.end - 1
        at = document.table.start(item.first) + start
        end = document.table.start(last) + len(document.rows[last])
        prefix = prefix_near(document, item.first, item.end, item.inside)
        text = prefixed(content.lines, prefix)[len(prefix) :].removesuffix("\n")
        lead = " " if is_bare and not row.endswith((" ", "\t")) else ""
        has_nested = own is not None and own.end < item.end
        notes = ("nested content of the item stays",) if has_nested else ()
        made = Proposal.of(source, (Span(at, end), lead + text), notes=notes)
        return self._counted(source, made, len(content.document.items), own=self.span)

    def _put_inside(self, source: Source, document: Document, content: Content, where: Where) -> Proposal | Refusal:
        item = self.item
        row = item.end if where == "end" else item.paragraph.end if item.paragraph else item.first + 1
        prefix = prefix_near(document, item.first + 1, item.end, item.inside)

        def attempt(above: int, below: int) -> Proposal | Refusal:
            lines = [*[""] * above, *content.lines, *[""] * (below if row < item.end else 0)]
            made = Proposal.of(source, put_lines(source, document.table.start(row), prefixed(lines, prefix)))
            return self._counted(source, made, len(content.document.items), own=self.span)

        gaps = MORE if _brings_marker(content) else ((1, 0), (1, 1))
        return first_sound(attempt(*gap) for gap in gaps)

    def _beside(self, source: Source, content: Content, where: Where) -> Proposal | Refusal:
        document, item = known_markdown(source), self.item
        if where == "before" and document.is_led(item.first, item.container):
            return refuse(
                "the item follows the marker of another one; nothing can be inserted between them",
                "insert after it, or edit the lines by number",
            )
        siblings = [each for each in document.items if each.list == item.list]
        bodies = _bodies(content)
        lines: list[str] = []
        for place, body in enumerate(bodies):
            new = self._written(document, siblings, body, place if where == "before" else place + 1)
            is_loose = any(each.is_loose for each in siblings)
            gap = [""] if is_loose else []
            lines += [*new, *gap] if where == "before" else [*gap, *new]
        prefix = prefix_near(document, item.first, item.end, item.container)
        row = item.first if where == "before" else item.end
        made = Proposal.of(source, put_lines(source, document.table.start(row), prefixed(lines, prefix)))
        return self._counted(source, made, _count(bodies), own=None)

    def _written(self, document: Document, siblings: Sequence[Item], body: Sequence[str], step: int) -> list[str]:
        """A new item's lines, with the lead of this one and the number that is its turn."""
        item = self.item
        row = document.rows[item.first]
        start = document.content_start(item.first, item.container) or 0
        lead = row[start : document.content_start(item.first, item.inside)]
        lead = lead if lead.endswith((" ", "\t")) else lead + " "
        numbers = {each.marker for each in siblings}
        is_same = len(siblings) > 1 and len(numbers) == 1
        if not is_same:
            lead = _NUMBER.sub(lambda found: str(int(found.group()) + step), lead, count=1)
        has_box = all(each.paragraph and BOX.match(each.paragraph.text) for each in siblings)
        first = f"[ ] {body[0]}" if has_box and BOX.match(body[0]) is None else body[0]
        indent = " " * len(lead.expandtabs(4))
        return [lead + first, *(indent + line if line.strip(" \t") else "" for line in body[1:])]

    def _counted(self, source: Source, made: Proposal, more: int, *, own: Span | None) -> Proposal | Refusal:
        """The proposal, if so many items more are there after it and all else is what it was."""
        view = view_of(source, made)
        if isinstance(view, Refusal):
            return view
        if len(view.after.items) != len(view.before.items) + more:
            return refuse(
                "here the content would be read differently from how it is written",
                "send the new item with its marker, or edit the lines by number",
            )
        return checked(source, made, own=own, view=view)


def _brings_marker(content: Content) -> bool:
    items = content.document.items
    return bool(items) and items[0].first == 0 and items[0].container == 0


def _bodies(content: Content) -> list[list[str]]:
    """The items of new text, each as lines without its marker; text that is no list is one item."""
    document = content.document
    tops = [item for item in document.items if item.container == 0]
    covered = sum(item.end - item.first for item in tops)
    said = sum(bool(line.strip(" \t")) for line in content.lines)
    inside = sum(bool(content.lines[row].strip(" \t")) for item in tops for row in range(item.first, item.end))
    if not tops or tops[0].first or inside != said or not covered:
        return [list(content.lines)]
    bodies: list[list[str]] = []
    for item in tops:
        starts = [document.content_start(row, item.inside) for row in range(item.first, item.end)]
        rows = document.rows[item.first : item.end]
        bodies.append(
            [row[start:] if start is not None else row.lstrip(" \t") for row, start in zip(rows, starts, strict=True)]
        )
    return bodies


def _count(bodies: Sequence[Sequence[str]]) -> int:
    """How many items some bodies make: themselves, and what is nested in them."""
    nested = 0
    for body in bodies:
        content = read_content("".join(f"{line}\n" for line in body))
        nested += 0 if isinstance(content, Refusal) else len(content.document.items)
    return len(bodies) + nested


@dataclass(frozen=True, slots=True)
class ReferencedNode(Part):
    """A named block; its span has the name in it where that is behind its words."""

    kind: str
    span: Span
    address: str
    ref: Ref

    @property
    def label(self) -> str:
        return f"^{self.ref.name} ({self.kind})"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        document, ref = known_markdown(source), self.ref
        content = read_content(new, prefix_near(document, ref.first, ref.end, ref.container))
        if isinstance(content, Refusal):
            return content
        if not content.lines:
            return refuse("nothing with the name would be left", "delete it")
        if not ref.is_apart and ref_in(content.lines[-1]) != ref.name:
            last = f"{content.lines[-1].rstrip(' ')} ^{ref.name}"
            content = read_content("\n".join((*content.lines[:-1], last)))
            if isinstance(content, Refusal):
                return content
            if not content.document.marks or content.document.marks[-1].kind != "paragraph":
                return refuse("the name must follow words", "let the content end with words")
        return replace_rows(source, document, ref.first, ref.end, content, ref.container)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        if where in ("start", "end"):
            return refuse(f"nothing can be inserted inside a {self.kind}", "insert before or after it")
        return self.insert_beside(source, text, where)

    @property
    def place(self) -> tuple[int, int, int]:
        return self.ref.first, self.ref.behind, self.ref.container

    @property
    def names(self) -> Collection[Name]:
        return (("ref", self.ref.name), ("heading", ""))


def block_node(source: Source, document: Document, ref: Ref) -> Node:
    """The node of a named block: a list item where it is one."""
    span, address = document.span_of(ref.first, ref.end, ref.container), ref_address(source, ref)
    return ReferencedNode(ref.kind, span, address, ref) if ref.item is None else ItemNode(span, address, ref.item)


_MARKER = lazy_pattern(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+", re.ASCII)
_BOX = lazy_pattern(r"\[[ xX]\][ \t]+")


@dataclass(frozen=True, slots=True)
class Block(Addressed):
    """`ref` is `^id` for the block of that name, else the text of a list item; `under` names the heading above it.

    >>> source = Source.of_text("- milk\\n- bread ^b1\\n")
    >>> Block("milk").locate(source).span, Block("^b1").locate(source).span
    (Span(start=0, end=7), Span(start=7, end=19))
    """

    key: ClassVar[str] = "block"
    examples: ClassVar[tuple[str, ...]] = ("block:^intro", "block:Buy milk")
    main: ClassVar[str] = "ref"

    ref: str
    under: str | None = None
    nth: int | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        check_text(self.ref, "block.ref")
        if self.under is not None:
            check_text(self.under, "block.under")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "blocks")
        if isinstance(document, Refusal):
            return document
        within = rows_under(source, document, self.under)
        if isinstance(within, Refusal):
            return within
        wanted = self.ref.strip()
        if wanted.startswith("^"):
            refs = [ref for ref in refs_of(source) if ref.name == wanted[1:] and ref.first in within]
            if refs:
                return [block_node(source, document, ref) for ref in refs]
        items = _items(source, document, wanted, within)
        spans = (document.span_of(item.first, item.end, item.container) for item in items)
        nodes = [ItemNode(span, item_address(source, item), item) for span, item in zip(spans, items, strict=True)]
        return nodes or self._none(source, document)

    def _none(self, source: Source, document: Document) -> Refusal:
        known: dict[str, list[str]] = {}
        if self.ref.startswith("^"):
            for ref in refs_of(source):
                known.setdefault(f"^{ref.name}", []).append(ref_address(source, ref))
        else:
            for item in document.items:
                if words := words_of(item):
                    known.setdefault(words, []).append(item_address(source, item))
        what = "name" if self.ref.startswith("^") else "list item"
        return no_such_name(f"there is no {what} {self.ref[:80]!r}", nearest(self.ref, known), known)


def _first_line(source: Source, item: Item) -> str:
    """What the first line of an item says, without its marker and box: all that a search by line shows of it."""
    words = source.table.text(item.first).partition(item.marker)[2].strip()
    return _BOX.sub("", words, count=1) if _BOX.match(words) else words


def _items(source: Source, document: Document, wanted: str, within: range) -> list[Item]:
    """The items that say it, by the strictest reading that finds any."""
    bare = _MARKER.sub("", wanted, count=1) if _MARKER.match(wanted) else wanted
    bare = _BOX.sub("", bare, count=1) if _BOX.match(bare) else bare
    if not bare:
        return []
    known = items_by_words(source)
    for words in (wanted, bare):
        if same := [item for item in known.get(words, ()) if item.first in within]:
            return same
    lax = loose(bare)
    items = [item for item in document.items if item.first in within and item.paragraph is not None]
    return [item for item in items if loose(words_of(item)) == lax] or [
        item
        for item in items
        if item.paragraph is not None
        and item.paragraph.end - item.paragraph.first > 1
        and loose(_first_line(source, item)) == lax
    ]


TARGET = Block
