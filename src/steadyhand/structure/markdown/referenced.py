"""A block of a Markdown text that has a name, `^id`, and is no list item: a paragraph, a quote, a table, a list.

The name survives whatever is done to the words before it, and goes with the block when that is deleted.
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.content import read_content
from steadyhand.structure.markdown.list_item import ItemNode
from steadyhand.structure.markdown.marks import Document, Item
from steadyhand.structure.markdown.outside import checked
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.structure.markdown.refs import Ref, item_address, ref_address, ref_in
from steadyhand.structure.markdown.weave import cut, prefix_near, swap, weave
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class ReferencedNode(Node):
    """A named block; its span has the name in it where that stands behind its words."""

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
            return Refusal(Kind.BAD_REQUEST, "nothing would be left that has the name", "delete it")
        if not ref.is_apart and ref_in(content.lines[-1]) != ref.name:
            last = f"{content.lines[-1].rstrip(' ')} ^{ref.name}"
            content = read_content("\n".join((*content.lines[:-1], last)))
            if isinstance(content, Refusal):
                return content
            if not content.document.marks or content.document.marks[-1].kind != "paragraph":
                return Refusal(Kind.BAD_REQUEST, "the name must stand behind words", "let the content end with words")
        return swap(source, document, ref.first, ref.end, content, ref.container)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        document, ref = known_markdown(source), self.ref
        content = read_content(text, prefix_near(document, ref.first, ref.end, ref.container))
        if isinstance(content, Refusal):
            return content
        if where in ("start", "end"):
            return Refusal(Kind.BAD_REQUEST, f"nothing is put inside of a {self.kind}", "insert before or after it")
        if where == "before" and document.is_led(ref.first, ref.container):
            return Refusal(Kind.BAD_REQUEST, "it stands behind the marker of a list item", "edit the lines by number")
        row = ref.first if where == "before" else ref.behind
        return weave(source, document, row, content, ref.container) if content.lines else Proposal(())

    def delete(self, source: Source) -> Proposal | Refusal:
        return cut(source, known_markdown(source), self.ref.first, self.ref.behind, self.ref.container)

    def prove_together(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        return checked(source, proposal)

    def carried(self, source: Source) -> str | Refusal:
        return known_markdown(source).plain(self.ref.first, self.ref.behind, self.ref.container)


def block_node(source: Source, document: Document, ref: Ref) -> Node:
    """The node of a named block: a list item where it is one."""
    span, address = document.span_of(ref.first, ref.end, ref.container), ref_address(source, ref)
    return ReferencedNode(ref.kind, span, address, ref) if ref.item is None else ItemNode(span, address, ref.item)


def item_node(source: Source, document: Document, item: Item) -> Node:
    """The node of a list item."""
    return ItemNode(document.span_of(item.first, item.end, item.container), item_address(source, item), item)
