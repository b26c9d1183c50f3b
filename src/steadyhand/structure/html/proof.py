"""The proof that a change of a page does what was asked and nothing else, of one change and of several.

The page after a proposal, parsed, must be the tree before it with the asked changes made to it. Two trees are made for
every proof and thrown away. A proposal that makes the parser read anything else of the page differently is refused;
nothing is ever adjusted to make a proof succeed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.template import mask, opens_region
from steadyhand.structure.html.tree import Element, parse_tree
from steadyhand.structure.node import Proposal, Refusal, refuse
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag

Change = Callable[["Tag"], None]
_BEHIND_BODY = lazy_pattern(r"</(?:body|html)[^<>]*+>|<!--(?!-?>)[^<>]*?-->", re.IGNORECASE | re.ASCII)


class Unfit(Exception):
    """A change that the tree does not allow; its message says why."""


class Meaning(NamedTuple):
    """What a proposal does to the tree: which element it is about, by its number, and the change of it.

    `is_text`: one text takes the place of another, so that no selector matches anything else.
    """

    element: int
    change: Change
    is_text: bool = False


def prove(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    """The proposal, if it does exactly what `change` does to the element in a tree of the page before."""
    danger = danger_of(page, element, proposal)
    if danger is not None:
        return refuse_change(page, element, danger)
    meaning = Meaning(element.index, change)
    if page.is_proved_later:
        return meant(proposal, meaning)
    try:
        proved = _prove(page, proposal, [meaning])
    except (Unfit, ValueError) as error:
        return refuse_change(page, element, str(error))
    if isinstance(proved, Refusal):
        return proved
    if proved:
        return meant(proposal, meaning)
    line = page.source.line_of(element.span.start)
    return Refusal(
        Kind.UNPARSABLE,
        f"<{element.tag}>, line {line}: with this change a browser would read other parts of the page differently "
        "(tags left open or not allowed here, or a place the parser had to repair)",
        "send markup that is complete and allowed there, or change the surrounding element, or edit by text",
        {"line": line, "tag": element.tag},
    )


def meant(proposal: Proposal, meaning: Meaning) -> Proposal:
    """A proposal with what it means, for who proves several at once."""
    return Proposal(proposal.splices, proposal.notes, proposal.after, meaning)


Look = Callable[["Document", "list[Tag]", int], bool]


def prove_batch(
    page: Page, proposal: Proposal, parts: Sequence[Proposal], look: Look | None = None
) -> Proposal | Refusal:
    """The proposal of several changes, if all of them, made in this order, are what comes of it.

    Before each change, `look` may refuse it for what the ones before it have made of the tree: it is given the tree,
    its elements by their numbers, and how many changes have been made.
    """
    meanings = [part.meaning if part.splices else None for part in parts]
    try:
        proved = _prove(page, proposal, meanings, look)
    except (Unfit, ValueError):
        proved = False
    return proved if isinstance(proved, Refusal) else proposal if proved else _clash(page, proposal)


def _prove(page: Page, proposal: Proposal, meanings: Sequence[object], look: Look | None = None) -> bool | Refusal:
    after = parse_tree(mask(ChangeSet(proposal.splices).apply(page.source.text)).text)
    if isinstance(after, Refusal):
        return after
    before = parse_tree(page.masked.text)
    assert not isinstance(before, Refusal), "the page was parsed when the element was located"
    changed = [meaning.element for meaning in meanings if isinstance(meaning, Meaning)]
    tail = max((_blanks_behind(page, index) for index in changed), default=0)
    _shed(before, tail)
    _shed(after, tail)
    nodes, is_same = before.select("*"), True
    for number, meaning in enumerate(meanings):
        if look is not None and not is_same and not look(before, nodes, number):
            return False
        if isinstance(meaning, Meaning):
            meaning.change(nodes[meaning.element])
            is_same = is_same and meaning.is_text
    for tree in (before, after):
        root = tree.select_one("html")
        if root is not None:
            root.normalize()  # texts that are side by side are one
        _drop_leading_blanks(page, tree)
    return before.equals(after)


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


def refuse_change(page: Page, element: Element, reason: str) -> Refusal:
    """The refusal of a change that makes no sense for this element."""
    line = page.source.line_of(element.span.start)
    return refuse(
        f"<{element.tag}>, line {line}: {reason}",
        "correct that, or choose another element or another action",
        {"line": line, "tag": element.tag},
    )


def _clash(page: Page, proposal: Proposal) -> Refusal:
    """The refusal of changes that are right one by one, and not all at once."""
    line = page.source.line_of(proposal.splices[0].start if proposal.splices else 0)
    return Refusal(
        Kind.UNPARSABLE,
        "with all these changes together a browser would read other parts of the page differently",
        "make the changes one by one",
        {"line": line},
    )


def _blanks_behind(page: Page, index: int) -> int:
    """How many blanks behind the end of `body` the parser moves into it: they are no part of what is changed."""
    if page.nodes[index].tag != "body":
        return 0
    element = page.element(index)
    behind = _BEHIND_BODY.sub("", to_lf(page.masked.text[element.span.end :]))
    return len(behind) if not behind.strip("\t\n\f ") else 0


def _shed(tree: Document, count: int) -> None:
    from turbohtml import Text

    body = tree.select_one("body") if count else None
    last = body.children[-1] if body is not None and body.children else None
    if isinstance(last, Text) and len(last.data) >= count:
        last.data = last.data[: len(last.data) - count]


def _drop_leading_blanks(page: Page, tree: Document) -> None:
    """Blanks at the start of a `body` that has no tag: a parser drops them, so they say nothing."""
    from turbohtml import Text

    body, own = tree.select_one("body"), page.tree.select_one("body")
    if body is None or own is None or own.source_location is not None or not body.children:
        return
    first = body.children[0]
    if isinstance(first, Text):
        first.data = first.data.lstrip("\t\n\f\r ")
        body.normalize()
