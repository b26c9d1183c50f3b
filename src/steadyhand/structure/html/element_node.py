"""An element of an HTML page, or its content: what the verbs mean there.

Every proposal that leaves here is proved: parsed again, the page differs by exactly what was asked.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass, field
from steadyhand.structure.html.content import empty, insert_html, remove, replace_element, set_html
from steadyhand.structure.html.element import Element
from steadyhand.structure.html.naming import address_of
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.together import prove_together
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_POSITIONS: dict[str, dict[Where, str]] = {
    "element": {"before": "beforebegin", "after": "afterend", "start": "afterbegin", "end": "beforeend"},
    "inner": {"before": "afterbegin", "after": "beforeend", "start": "afterbegin", "end": "beforeend"},
}


@dataclass(frozen=True, slots=True)
class ElementNode(Node):
    """One element by its number in document order; `part` is the whole of it or its content.

    `flaw` says why its place in the source is not to be trusted; a target never hands such a node out.
    """

    kind: str
    span: Span
    page: Page = field(compare=False, repr=False)
    index: int
    part: str = "element"
    flaw: str | None = None

    @property
    def address(self) -> str:
        """A selector that only this element answers to; found out when somebody asks: all of the page is counted."""
        return address_of(self.page, self.index, self.part)

    def open(self, source: Source) -> tuple[Page, Element] | Refusal:
        """The page and the element in it."""
        page = page_of(source)
        return page if isinstance(page, Refusal) else (page, page.element(self.index))

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        found = self.open(source)
        if isinstance(found, Refusal):
            return found
        if new == self.own_text(source):
            return Proposal.of(source, (self.span, new))
        return set_html(*found, new) if self.part == "inner" else replace_element(*found, new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        found = self.open(source)
        return found if isinstance(found, Refusal) else insert_html(*found, text, _POSITIONS[self.part][where])

    def prove_together(self, source: Source, proposal: Proposal) -> Proposal | Refusal:
        return prove_together(source, proposal)

    def delete(self, source: Source) -> Proposal | Refusal:
        found = self.open(source)
        if isinstance(found, Refusal):
            return found
        return empty(*found) if self.part == "inner" else remove(*found)
