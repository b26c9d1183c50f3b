"""A short page that stands for a long one: an element in the elements around it, without all that is beside them.

A change of the element means the same in both: a parser that comes to it knows nothing of what it has read but which
elements are open. So the change is proved on the short page, with marks behind the element that would show if the
parser left it in another state. Where that reasoning has a gap there is no excerpt: in the head and in drawings, with
forms, frames and templates, with template syntax, and where the parser had to repair what is around the element.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern, replace
from steadyhand.structure.html.element import DROPS_NEWLINE, Element
from steadyhand.structure.html.mask import may_begin_region
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

Excerpt = tuple[Page, Element, Proposal]

_LONG = 20_000  # characters of a page that is worth an excerpt
_MOST_BESIDE = 2_000  # characters of text beside the element, and of what stands before the first tag
_GAPS = lazy_pattern(r"</?(?:form|frame|frameset|template|plaintext|body|html|head)(?=[\t\n\f\r />])", re.IGNORECASE)
_FRAMES = lazy_pattern(r"<(?:frameset|plaintext)", re.IGNORECASE)
_NOT_AROUND = frozenset("select optgroup option template noscript head frameset".split())
_TABULAR = frozenset("table tbody thead tfoot tr colgroup".split())
_MADE = {
    "html": "",
    "body": "<body>",
    "tbody": "<tbody>",
}  # what may have no tag of its own, and what is written for it
_MARK = "<!--mark-->"


def excerpt_of(page: Page, element: Element, proposal: Proposal) -> Excerpt | None:
    """The short page, the element in it and the proposal for it; None where only the whole page can tell."""
    is_long = len(page.source.text) >= _LONG
    return cut_out(page, element, proposal) if is_long and page.source.derive(is_regular) else None


def is_regular(source: Source) -> bool:
    """Whether a page has no template syntax, no frames, and no formatting that the parser had to repeat."""
    page = page_of(source)
    if isinstance(page, Refusal) or may_begin_region(source.text) or _FRAMES.search(source.text):
        return False
    return page.extents.is_tidy


def cut_out(page: Page, element: Element, proposal: Proposal) -> Excerpt | None:
    """The excerpt of a page that is regular, however long it is."""
    text = page.source.text
    around, kept = _around(page, element), _kept(text, element, proposal)
    if around is None or kept is None or not _is_closed(element) or not _is_closed(_element_before(page, element)):
        return None
    before = _opening(page, around) + _MARK
    marks = _MARK if around[-1].tag in _TABULAR else f"{_MARK}mark<wbr>{_MARK}"
    closing = "".join(f"</{outer.tag}>" for outer in reversed(around))
    after = ChangeSet(tuple(splice.shift(-kept.start) for splice in proposal.splices)).apply(kept.of(text))
    if any(_GAPS.search(part) or may_begin_region(part) for part in (kept.of(text), after)):
        return None
    shift = len(before) - kept.start
    moved = replace(proposal, splices=tuple(splice.shift(shift) for splice in proposal.splices))
    short = page_of(Source.of_text(before + kept.of(text) + marks + closing))
    found = None if isinstance(short, Refusal) else _find(short, element.span.start + shift)
    if isinstance(short, Refusal) or found is None or found.flaw is not None:
        return None
    is_same = found.span.length == element.span.length and _path(short, found) == _path(page, element)
    return (short, found, moved) if is_same else None


def _is_closed(element: Element | None) -> bool:
    """Whether an element is not open any more behind itself, or there is none."""
    return element is None or element.is_void or element.closes_itself or element.end_tag is not None


def _element_before(page: Page, element: Element) -> Element | None:
    from turbohtml import Element as Tag

    node = page.nodes[element.index].previous_sibling
    while node is not None and not isinstance(node, Tag):
        node = node.previous_sibling
    return None if node is None else page.element(page.number(node))


def _around(page: Page, element: Element) -> list[Element] | None:
    """The elements around it, outermost first, where each is of a kind that holds no surprise."""
    found: list[Element] = []
    parent = element.parent
    while parent >= 0:
        outer = page.element(parent)
        is_sound = outer.tag in _MADE if outer.start_tag is None else outer.flaw is None
        if not is_sound or outer.tag in _NOT_AROUND or outer.namespace != "html":
            return None
        found.append(outer)
        parent = outer.parent
    if element.namespace != "html" or len(found) < 2 or found[-2].tag != "body" or found[0].tag in DROPS_NEWLINE:
        return None
    # What has no tag of its own is not yet open before the first element in it.
    is_first = found[0].start_tag is None and element.index == found[0].index + 1
    return None if is_first or page.extents.first_tag > _MOST_BESIDE else found[::-1]


def _kept(text: str, element: Element, proposal: Proposal) -> Span | None:
    """What of the source is kept: the element with the text beside it, up to the next tags."""
    start, end = text.rfind(">", 0, element.span.start) + 1, text.find("<", element.span.end)
    is_near = element.span.start - start <= _MOST_BESIDE and 0 <= end - element.span.end <= _MOST_BESIDE
    is_short = is_near and end - start <= len(text) // 2
    is_whole = all(start <= splice.start and splice.end <= end for splice in proposal.splices)
    return Span(start, end) if is_short and is_whole else None


def _opening(page: Page, around: list[Element]) -> str:
    """What decides how the page is read, and the start tags around the element."""
    text = page.source.text
    tags = (outer.start_tag.of(text) if outer.start_tag else _MADE[outer.tag] for outer in around)
    return text[: page.extents.first_tag] + "".join(tags)


def _find(short: Page, start: int) -> Element | None:
    elements = (short.element(index) for index in range(len(short.nodes)))
    return next((found for found in elements if found.start_tag and found.span.start == start), None)


def _path(page: Page, element: Element) -> list[str]:
    tags = [element.tag]
    parent = element.parent
    while parent >= 0:
        tags.append(page.extents.tags[parent])
        parent = page.parents[parent]
    return tags
