"""The proof of a proposal: the page after it, parsed, is the tree before it with the asked change made to it.

Two trees are made for every proof and thrown away. A proposal that makes the parser read anything else of the page
differently is refused; nothing is ever adjusted to make a proof succeed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.element import Element
from steadyhand.structure.html.excerpt import excerpt_of
from steadyhand.structure.html.mask import mask, opens_region
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.tree import parse_tree
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag


Change = Callable[["Tag"], None]
_BEHIND_BODY = lazy_pattern(r"</(?:body|html)[^<>]*+>|<!--(?!-?>)[^<>]*?-->", re.IGNORECASE | re.ASCII)


class Unfit(Exception):
    """A change that the tree does not allow; its message says why."""


def prove(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    """The proposal, if it does exactly what `change` does to the element in a tree of the page before.

    A long page is read for it only where an excerpt does not do.
    """
    danger = danger_of(page, element, proposal)
    if danger is not None:
        return refuse_change(page, element, danger)
    excerpt = excerpt_of(page, element, proposal)
    if excerpt is not None and isinstance(prove_on(*excerpt, change), Proposal):
        return proposal
    return prove_on(page, element, proposal, change)


def danger_of(page: Page, element: Element, proposal: Proposal) -> str | None:
    """What a new text would do that no tree of the page shows: to a template, or where a browser runs scripts."""
    regions = page.masked.regions
    for splice in proposal.splices:
        opened = opens_region(splice.new, page.source.text, regions) if regions else None
        if opened is not None:
            return f"{opened} begins template syntax in the new text and does not end there"
        if "</noscript" in splice.new.lower() and _is_in_noscript(page, element, splice.start):
            return "it is in a <noscript>, which </noscript would end"
    return None


def _is_in_noscript(page: Page, element: Element, place: int) -> bool:
    at = element.index
    while at >= 0 and page.extents.tags[at] != "noscript":
        at = page.parents[at]
    inner = page.element(at).inner if at >= 0 else None
    return inner is not None and inner.start <= place <= inner.end


def prove_on(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    """The proposal, if it is right on this page, which is read twice for it."""
    after = parse_tree(mask(ChangeSet(proposal.splices).apply(page.source.text)).text)
    if isinstance(after, Refusal):
        return after
    before = parse_tree(page.masked.text)
    assert not isinstance(before, Refusal), "the page was parsed when the element was located"
    tail = _blanks_behind(page, element)
    _shed(before, tail)
    _shed(after, tail)
    try:
        change(before.select("*")[element.index])
    except (Unfit, ValueError) as error:
        return refuse_change(page, element, str(error))
    for tree in (before, after):
        _merge_texts(tree)
        _drop_leading_blanks(page, tree)
    if before.equals(after):
        return proposal
    return _reads_differently(page, element)


def refuse_change(page: Page, element: Element, reason: str) -> Refusal:
    """The refusal of a change that makes no sense for this element."""
    line = page.source.line_of(element.span.start)
    return Refusal(
        Kind.BAD_REQUEST,
        f"<{element.tag}>, line {line}: {reason}",
        "correct that, or choose another element or another action",
        {"line": line, "tag": element.tag},
    )


def _reads_differently(page: Page, element: Element) -> Refusal:
    line = page.source.line_of(element.span.start)
    return Refusal(
        Kind.UNPARSABLE,
        f"<{element.tag}>, line {line}: with this change a browser would read more of the page differently than asked"
        " (tags left open or not allowed in this place, or a place the parser had to repair)",
        "send markup that is complete and allowed there, or change the element around it, or edit by text",
        {"line": line, "tag": element.tag},
    )


def _blanks_behind(page: Page, element: Element) -> int:
    """How many blanks behind the end of `body` the parser moves into it: they are no part of what is changed."""
    if element.tag != "body":
        return 0
    behind = _BEHIND_BODY.sub("", to_lf(page.masked.text[element.span.end :]))
    return len(behind) if not behind.strip("\t\n\f ") else 0


def _shed(tree: Document, count: int) -> None:
    from turbohtml import Text

    body = tree.select_one("body") if count else None
    last = body.children[-1] if body is not None and body.children else None
    if isinstance(last, Text) and len(last.data) >= count:
        last.data = last.data[: len(last.data) - count]


def _merge_texts(tree: Document) -> None:
    root = tree.select_one("html")
    if root is not None:
        root.normalize()


def _drop_leading_blanks(page: Page, tree: Document) -> None:
    """Blanks at the start of a `body` that has no tag: a parser drops them, so they say nothing."""
    from turbohtml import Text

    body = tree.select_one("body")
    number = page.extents.tags.index("body") if body is not None and "body" in page.extents.tags else -1
    if body is None or number < 0 or page.element(number).start_tag is not None or not body.children:
        return
    first = body.children[0]
    if isinstance(first, Text):
        first.data = first.data.lstrip("\t\n\f\r ")
        body.normalize()
