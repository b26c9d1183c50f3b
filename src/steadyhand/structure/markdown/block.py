"""A block of a Markdown file by its name (`^id`), or a list item by its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import check_text
from steadyhand.structure.markdown.marks import Document, Item
from steadyhand.structure.markdown.names import loose, nearest, no_such_name, rows_under
from steadyhand.structure.markdown.referenced import block_node, item_node
from steadyhand.structure.markdown.refs import item_address, ref_address, refs_of, words_of
from steadyhand.structure.markdown.suited import markdown_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source

_MARKER = lazy_pattern(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+", re.ASCII)
_BOX = lazy_pattern(r"\[[ xX]\][ \t]+")


@dataclass(frozen=True, slots=True)
class Block(Addressed):
    """`ref` is `^id` for the block of that name, else what a list item says; `under` a heading it stands under.

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
        items = _items(document, wanted, within)
        return [item_node(source, document, item) for item in items] or self._none(source, document)

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


def _items(document: Document, wanted: str, within: range) -> list[Item]:
    """The items that say it, by the strictest reading that finds any."""
    items = [item for item in document.items if item.first in within and item.paragraph is not None]
    bare = _MARKER.sub("", wanted, count=1) if _MARKER.match(wanted) else wanted
    bare = _BOX.sub("", bare, count=1) if _BOX.match(bare) else bare
    if not bare:
        return []
    for same in (
        [item for item in items if words_of(item) == wanted],
        [item for item in items if words_of(item) == bare],
        [item for item in items if loose(words_of(item)) == loose(bare)],
    ):
        if same:
            return same
    return []


TARGET = Block
