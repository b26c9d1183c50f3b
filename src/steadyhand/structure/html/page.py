"""A page: its tree and, for every element, where it stands in the source and whether that place can be trusted.

Made once per source and never changed; a tree that is changed to see what a change means is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.html.element import Element
from steadyhand.structure.html.extents import Extents
from steadyhand.structure.html.mask import Masked, mask, regions_in
from steadyhand.structure.html.regions import are_whole, ended_words
from steadyhand.structure.html.tags import StartTag, read_start_tag
from steadyhand.structure.html.tree import Offsets, parse_tree
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import go_on, paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document, Node
    from turbohtml import Element as Tag


DEEPEST = 500  # the parser flattens what is nested deeper than 512
_MOST = 500_000  # elements whose places are found within seconds
_LONGEST = 32_000_000  # characters, whatever they are: the parser cannot be stopped


@dataclass(frozen=True, slots=True)
class Page:
    """The tree of one source: the parser's elements by number, in document order, and their places.

    `parents` has the number of the element around each, -1 for none; what is in a `template` is inside the `template`.
    """

    source: Source
    masked: Masked
    tree: Document
    nodes: Sequence[Tag]
    parents: Sequence[int]
    extents: Extents
    ended: frozenset[str]

    def element(self, index: int) -> Element:
        """The element of that number, with its place."""
        return self.extents.element(index)

    def number(self, node: Tag) -> int:
        """The number of an element of the tree."""
        return self.source.derive(_numbers)[node]

    def select(self, css: str) -> list[int]:
        """The numbers of the elements that a valid selector matches, in document order."""
        return [self.number(node) for node in self.tree.select(css)]

    def start_tag(self, element: Element) -> StartTag:
        """The start tag as it is written."""
        assert element.start_tag is not None, "an element without a start tag has a flaw and is never edited"
        return read_start_tag(self.masked.text, element.start_tag)

    def flaw_of(self, element: Element) -> str | None:
        """Why the element's place is not to be trusted, template syntax included."""
        if element.start_tag is None:
            return element.flaw
        reason = element.flaw or (self._parted(element) if self.masked.regions else None)
        return None if reason is None else f"{reason}, line {self.source.line_of(element.span.start)}"

    def _parted(self, element: Element) -> str | None:
        inside = regions_in(self.masked.regions, element.span)
        if any(not _holds(element, region.span) for region in inside):
            return f"template syntax reaches across the bounds of <{element.tag}>"
        if not are_whole(self.source.text, inside, self.ended):
            return f"template syntax opens inside <{element.tag}> and closes outside, or the reverse"
        return None


def _holds(element: Element, span: Span) -> bool:
    return element.span.start < span.start and span.end <= element.span.end


def page_of(source: Source) -> Page | Refusal:
    """The page of a source: parsed once. Refuses with `unparsable` or `too-large`."""
    return source.derive(_read)


def _read(source: Source) -> Page | Refusal:
    if len(source.text) > _LONGEST:
        return _too_large(f"the page has {len(source.text)} characters, pages are read up to {_LONGEST}", _LONGEST)
    go_on()
    masked = mask(source.text)
    tree = parse_tree(masked.text, locations=True)
    if isinstance(tree, Refusal):
        return tree
    nodes = tree.select("*")
    if len(nodes) > _MOST:
        return _too_large(f"the page has {len(nodes)} elements, pages are read up to {_MOST}", _MOST)
    parents = _parents(nodes)
    if _depth(parents) > DEEPEST:
        return _too_large(f"elements are nested deeper than {DEEPEST}", DEEPEST)
    extents = Extents(masked.text, nodes, parents, Offsets(masked.text))
    return Page(source, masked, tree, nodes, parents, extents, ended_words(source.text, masked.regions))


def _too_large(message: str, limit: int) -> Refusal:
    return Refusal(Kind.TOO_LARGE, message, "edit by the text that stands there, or by lines", {"limit": limit})


def _numbers(source: Source) -> dict[Tag, int]:
    page = page_of(source)
    assert isinstance(page, Page), "only a page asks for its numbers"
    return {node: index for index, node in enumerate(page.nodes)}


def _parents(nodes: Sequence[Tag]) -> list[int]:
    numbers: dict[Node | None, int] = {node: index for index, node in enumerate(nodes)}
    found: list[int] = []
    for node in paced(nodes):
        parent: Node | None = node.parent
        while parent is not None and parent not in numbers:
            parent = parent.parent
        found.append(numbers.get(parent, -1))
    return found


def _depth(parents: Sequence[int]) -> int:
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return max(depths, default=0)
