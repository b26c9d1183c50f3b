"""Putting an element inside another: the wrapper is given empty, such as `<div class="x"></div>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.check import Unfit, prove, refuse_change
from steadyhand.structure.html.content import check_content
from steadyhand.structure.html.element import Element
from steadyhand.structure.html.mask import mask
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.tags import ascii_lower
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import to_lf
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Element as Tag


_OPEN = lazy_pattern(r"\s*+<([A-Za-z][^\s/>]*+)(?:[^\"'<>]|\"[^\"]*+\"|'[^']*+')*+>")
_CLOSE = lazy_pattern(r"\s*+</([A-Za-z][^\s/>]*+)\s*+>\s*+")


def wrap(page: Page, element: Element, markup: str) -> Proposal | Refusal:
    """Put the element inside the innermost element of some markup that has no other content."""
    markup = to_lf(markup)
    split = _split(mask(markup).text)
    if split is None:
        return refuse_change(page, element, 'a wrapper is one empty element, such as <div class="x"></div>')
    writes = ((Span(at, at), text) for at, text in zip(element.span, (markup[:split], markup[split:]), strict=True))
    content = mask(markup).text
    return prove(page, element, Proposal.of(page.source, *writes), lambda tag: _wrap(tag, content))


def _split(markup: str) -> int | None:
    """Where the content of the innermost element would stand."""
    names: list[str] = []
    at = 0
    while found := _OPEN.match(markup, at):
        names.append(ascii_lower(found.group(1)))
        at = found.end()
    split = at
    while names and (found := _CLOSE.match(markup, at)) and ascii_lower(found.group(1)) == names[-1]:
        names.pop()
        at = found.end()
    return split if not names and split and at == len(markup) else None


def _wrap(tag: Tag, content: str) -> None:
    from turbohtml import Element as Holder

    parent, before = tag.parent, tag.previous_sibling
    check_content(parent, content)
    tag.insert_adjacent_html("beforebegin", content)
    wrapper = before.next_sibling if before is not None else parent.children[0] if parent is not None else None
    while wrapper is not None and not isinstance(wrapper, Holder):
        wrapper = wrapper.next_sibling
    if wrapper is None or wrapper == tag:
        raise Unfit("the wrapper is not allowed in this place")
    while inside := [child for child in wrapper.children if isinstance(child, Holder)]:
        wrapper = inside[0]
    wrapper.append(tag.extract())
