"""Elements as addresses: the selector that names one, what an outline shows, what the verbs mean.

Selectors that single out one element of a page: by its id, by a class or tag that is rare, else by its place.

Whether a selector is alone is counted, not tried: one pass over the page answers for every element.

What of a page is worth an address: what an outline shows of it.

An element of an HTML page, or its content: what the verbs mean there.

Every proposal that leaves here is proved: parsed again, the page differs by exactly what was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from steadyhand.lazy import dataclass, field, lazy_pattern, replace
from steadyhand.structure.format import OutlineEntry
from steadyhand.structure.html.content import empty, insert_html, remove, replace_element, set_html
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.proof import prove_together
from steadyhand.structure.html.tree import Element
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag

_PLAIN = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_PLAIN_TAG = lazy_pattern(r"[a-z][a-z0-9-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Names:
    """How often each id, tag and tag with class is in a page, and each element's number among its siblings."""

    ids: Counter[str]
    tags: Counter[str]
    classes: Counter[tuple[str, str]]
    of_type: tuple[int, ...]
    of_children: tuple[int, ...]
    siblings: Counter[tuple[int, str]]


def address_of(page: Page, index: int, part: str = "element") -> str:
    """The address of an element: `selector:` and a selector that only this element answers to."""
    css, is_counted = _css(page, index)
    kind = "selector" if part == "element" else f"selector.{part}"
    if is_counted or page.select(css) == [index]:
        return f"{kind}:{css}"
    tag = page.extents.tags[index]
    rough = tag if _PLAIN_TAG.fullmatch(tag) else "*"
    return f"{kind}[{page.select(rough).index(index) + 1}]:{rough}"


def _css(page: Page, index: int) -> tuple[str, bool]:
    """A selector by id, class or place, and whether it is certain to be alone."""
    names = page.source.derive(_names)
    steps: list[str] = []
    is_counted = True
    at = index
    while at >= 0:
        short = _short(page, names, at)
        if short is not None:
            steps.append(short)
            break
        steps.append(_step(page, names, at))
        parent = page.parents[at]
        if parent >= 0 and page.extents.tags[parent] == "template":
            is_counted = False  # what is in a template is no child of it
            steps.append(" ")
        elif parent >= 0:
            steps.append(" > ")
        at = parent
    return "".join(reversed(steps)), is_counted


def _short(page: Page, names: Names, index: int) -> str | None:
    node, tag = page.nodes[index], page.extents.tags[index]
    identity = node.attr("id")
    if identity and _PLAIN.fullmatch(identity) and names.ids[identity.lower()] == 1:
        return f"#{identity}"
    if not _PLAIN_TAG.fullmatch(tag):
        return None
    if names.tags[tag.lower()] == 1:
        return tag
    for word in (node.attr("class") or "").split():
        if _PLAIN.fullmatch(word) and names.classes[tag.lower(), word.lower()] == 1:
            return f"{tag}.{word}"
    return None


def _step(page: Page, names: Names, index: int) -> str:
    tag = page.extents.tags[index]
    if not _PLAIN_TAG.fullmatch(tag):
        return f":nth-child({names.of_children[index]})"
    is_only = names.siblings[page.parents[index], tag] == 1
    return tag if is_only else f"{tag}:nth-of-type({names.of_type[index]})"


def _names(source: Source) -> Names:
    page = page_of(source)
    assert not isinstance(page, Refusal), "only a page asks for its names"
    tags = page.extents.tags
    pairs = list(zip(page.parents, tags, strict=True))
    ids = Counter(identity.lower() for node in page.nodes if (identity := node.attr("id")))
    classes = Counter(
        (tag.lower(), word.lower())
        for node, tag in zip(page.nodes, tags, strict=True)
        for word in set((node.attr("class") or "").lower().split())
    )
    of_type = _running(pairs)
    of_children = _running(page.parents)
    return Names(ids, Counter(map(str.lower, tags)), classes, of_type, of_children, Counter(pairs))


def _running(keys: Iterable[object]) -> tuple[int, ...]:
    """How often each key came so far, itself included."""
    counted: Counter[object] = Counter()
    numbers: list[int] = []
    for key in keys:
        counted[key] += 1
        numbers.append(counted[key])
    return tuple(numbers)


_LANDMARKS = frozenset(
    "title header nav main section article aside footer form table dialog template h1 h2 h3 h4 h5 h6".split()
)
_WIDEST = 60


def list_page(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Elements with an id, landmarks, headings, forms and tables, each with a selector that singles it out."""
    page = page_of(source)
    if isinstance(page, Refusal):
        return page
    entries: list[OutlineEntry] = []
    open_ends: list[int] = []  # where the entries around this one end
    for index in check_each(_worth_showing(page)):
        element = page.element(index)
        if page.flaw_of(element) is not None:
            continue
        while open_ends and open_ends[-1] <= element.span.start:
            open_ends.pop()
        entries.append(
            OutlineEntry(address_of(page, index), "element", _label(page, index), element.span, len(open_ends)),
        )
        open_ends.append(element.span.end)
    return entries


def _worth_showing(page: Page) -> list[int]:
    """In the order of the file, which is not the order of the tree where the parser moved something."""
    tags = page.extents.tags
    found = [
        index
        for index, node in enumerate(check_each(page.nodes))
        if tags[index] in _LANDMARKS
        or node.attr("id")
        or (tags[index] == "meta" and (node.attr("name") or "").lower() == "description")
    ]
    return sorted(found, key=lambda index: page.element(index).span.start)


def _label(page: Page, index: int) -> str:
    """The start of a tag as a selector would say it, and the first words of a heading."""
    node, tag = page.nodes[index], page.extents.tags[index]
    marks = "".join(f".{word}" for word in (node.attr("class") or "").split()[:3])
    name = f"{tag}#{node.attr('id')}{marks}" if node.attr("id") else f"{tag}{marks}"
    words = " ".join(page.element(index).inner.of(page.source.text)[:200].split()) if tag in _HEADINGS else ""
    plain = "".join(_outside_tags(words)).strip()
    return f"{name} {plain}".strip()[:_WIDEST]


_HEADINGS = frozenset("title h1 h2 h3 h4 h5 h6".split())


def _outside_tags(words: str) -> list[str]:
    return [piece.rpartition(">")[2] for piece in words.split("<")]


_POSITIONS: dict[str, dict[Where, str]] = {
    "element": {"before": "beforebegin", "after": "afterend", "start": "afterbegin", "end": "beforeend"},
    "inner": {"before": "afterbegin", "after": "beforeend", "start": "afterbegin", "end": "beforeend"},
}


@dataclass(frozen=True, slots=True)
class ElementNode(Node):
    """One element by its number in document order; `part` is the whole of it or its content.

    `flaw` says why its place in the source is not to be trusted; a target never hands such a node out.
    `css` is the selector it was found by, `nth` which of its matches it is, where the selector says so.
    """

    kind: str
    span: Span
    page: Page = field(compare=False, repr=False)
    index: int
    part: str = "element"
    flaw: str | None = None
    css: str = field(default="", compare=False, repr=False)
    nth: int | None = field(default=None, compare=False, repr=False)

    @property
    def address(self) -> str:
        """A selector that only this element answers to; found out when somebody asks: all of the page is counted."""
        return address_of(self.page, self.index, self.part)

    def open(self) -> tuple[Page, Element]:
        """The page and the element in it."""
        return self.page, self.page.element(self.index)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if new == self.own_text(source):
            return Proposal.of(source, (self.span, new))
        return set_html(*self.open(), new) if self.part == "inner" else replace_element(*self.open(), new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:  # noqa: ARG002
        return insert_html(*self.open(), text, _POSITIONS[self.part][where])

    def proved_later(self) -> ElementNode:
        return replace(self, page=replace(self.page, is_proved_later=True))

    def prove_together(self, source: Source, proposal: Proposal) -> Proposal | Refusal:  # noqa: ARG002
        """The innermost changes first: an element that goes takes those inside it along."""
        parts = proposal.meaning if isinstance(proposal.meaning, tuple) else ()
        return prove_together(self.page, proposal, parts[::-1])

    def delete(self, source: Source) -> Proposal | Refusal:  # noqa: ARG002
        return empty(*self.open()) if self.part == "inner" else remove(*self.open())

    def propose_together(
        self, source: Source, asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]]
    ) -> Sequence[Proposal] | None:
        """The changes are made to one tree, each selector is asked again before its turn, and the end is proved.

        No edit may write what another looks at.
        """
        nodes: list[ElementNode] = []
        made: list[Proposal] = []
        page = self.page
        for node, propose in asked:
            proposal = propose(node.proved_later()) if isinstance(node, ElementNode) else None
            if not isinstance(node, ElementNode) or not isinstance(proposal, Proposal):
                return None
            nodes.append(node)
            made.append(proposal)
        pairs = zip(nodes, made, strict=True)
        regions = sorted(_region(source, page.element(node.index), proposal) for node, proposal in pairs)
        if any(one.end > two.start or (one.end == two.start and one.is_empty) for one, two in pairwise(regions)):
            return None

        def look(tree: Document, tags: list[Tag], number: int) -> bool:
            found, node = tree.select(nodes[number].css), nodes[number]
            place = 0 if node.nth is None else node.nth - (node.nth > 0)
            is_there = len(found) == 1 if node.nth is None else -len(found) <= place < len(found)
            return is_there and found[place] == tags[node.index]

        splices = sorted((splice for one in made for splice in one.splices), key=lambda splice: splice.span)
        whole = prove_together(page, Proposal(tuple(splices)), made, look)
        if isinstance(whole, Refusal):
            return None
        return [*made[:-1], replace(made[-1], after=source.apply(ChangeSet(tuple(splices))))]


def _region(source: Source, element: Element, proposal: Proposal) -> Span:
    """What an edit looks at and writes: a start tag, some content, or all lines of an element and what is beside it."""
    if not proposal.splices:
        return element.span
    first, last = proposal.splices[0], proposal.splices[-1]
    if element.start_tag is not None and element.span.start < first.start and last.end < element.start_tag.end:
        return element.start_tag
    if element.inner.start <= first.start and last.end <= element.inner.end:
        return Span(first.start, last.end)
    rows = source.table.rows_of(Span(min(element.span.start, first.start), max(element.span.end, last.end)))
    return Span(source.table.start(rows[0]), source.table.start(rows[1] + 1))
