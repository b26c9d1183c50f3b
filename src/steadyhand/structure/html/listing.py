"""What of a page is worth an address: what an outline shows of it."""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.structure.format import Entry
from steadyhand.structure.html.naming import address_of
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.source import Source

_LANDMARKS = frozenset(
    "title header nav main section article aside footer form table dialog template h1 h2 h3 h4 h5 h6".split()
)
_WIDEST = 60


def list_page(source: Source) -> Sequence[Entry] | Refusal:
    """Elements with an id, landmarks, headings, forms and tables, each with a selector that singles it out."""
    page = page_of(source)
    if isinstance(page, Refusal):
        return page
    entries: list[Entry] = []
    open_ends: list[int] = []  # where the entries around this one end
    for index in paced(_worth_showing(page)):
        element = page.element(index)
        if page.flaw_of(element) is not None:
            continue
        while open_ends and open_ends[-1] <= element.span.start:
            open_ends.pop()
        entries.append(
            Entry(address_of(page, index), "element", _label(page, index), element.span, len(open_ends)),
        )
        open_ends.append(element.span.end)
    return entries


def _worth_showing(page: Page) -> list[int]:
    """In the order of the file, which is not the order of the tree where the parser moved something."""
    tags = page.extents.tags
    found = [
        index
        for index, node in enumerate(paced(page.nodes))
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
