"""Changes of what is inside and around an element: which splices make them, and the tree that proves them.

Markup is written as it is given, never re-indented: blanks between tags are part of the page.
A wrapper is given empty, such as `<div class="x"></div>`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.attributes import write_text
from steadyhand.structure.html.page import Page, ascii_lower
from steadyhand.structure.html.proof import Change, Meaning, Unfit, meant, prove, refuse_change
from steadyhand.structure.html.template import UNMASKED, is_plain, mask, mask_value
from steadyhand.structure.html.tree import DROPS_NEWLINE, LITERAL, Element, can_hold, fault_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.lines import line_ending, line_start, to_lf
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Element as Tag


_NO_CONTENT = "the element has no content and cannot have any"
_TABULAR = frozenset("table tbody thead tfoot tr colgroup html head frameset select".split())
_KEEPS_BLANKS = DROPS_NEWLINE | {"xmp", "plaintext"}


def set_html(page: Page, element: Element, markup: str) -> Proposal | Refusal:
    """Give the element other content."""
    markup = to_lf(markup)
    content = markup if element.tag in UNMASKED else mask(markup).text

    def change(tag: Tag) -> None:
        check_content(tag, content)
        tag.set_inner_html(content)

    return _write_inside(page, element, element.inner, markup, change)


def set_text(page: Page, element: Element, text: str) -> Proposal | Refusal:
    """Give the element a text for content; what would be markup is escaped where the element allows it."""
    text = to_lf(text)
    is_literal = element.namespace == "html" and element.tag in LITERAL
    if is_literal and re.search(rf"</{re.escape(element.tag)}", text, re.IGNORECASE):
        return refuse_change(page, element, f"its text cannot have </{element.tag} in it")
    written = text if is_literal else write_text(text)
    content = text if element.tag in UNMASKED else mask_value(text, text=True)

    def change(tag: Tag) -> None:
        tag.set_text(content)

    if is_plain(text, element.inner.of(page.source.text)) and _is_text_for_text(page, element, content):
        return meant(Proposal.of(page.source, (element.inner, written)), Meaning(element.index, change))
    return _write_inside(page, element, element.inner, written, change)


def _is_text_for_text(page: Page, element: Element, content: str) -> bool:
    """Whether one text takes the place of another: then nothing else can be read differently."""
    from turbohtml import Text

    children = page.nodes[element.index].children
    if element.namespace != "html" or element.tag in _TABULAR | LITERAL | DROPS_NEWLINE or element.end_tag is None:
        return False
    if len(children) != 1 or not isinstance(children[0], Text) or "\0" in content or not content.strip():
        return False
    return "<" not in element.inner.of(page.masked.text) and bool(children[0].data.strip())


def insert_html(page: Page, element: Element, markup: str, position: str) -> Proposal | Refusal:
    """Put markup before or behind the element, or inside at its start or end."""
    markup = to_lf(markup)
    content = markup if element.tag in UNMASKED and position in ("afterbegin", "beforeend") else mask(markup).text

    # What is written behind the end of the body is read as the end of it.
    place = "beforeend" if position == "afterend" and element.tag == "body" and element.end_tag else position

    def change(tag: Tag) -> None:
        check_content(tag if place in ("afterbegin", "beforeend") else tag.parent, content)
        tag.insert_adjacent_html(place, content)

    if position == "afterbegin":
        return _write_inside(page, element, Span(element.inner.start, element.inner.start), markup, change)
    if position == "beforeend":
        return _write_inside(page, element, Span(element.inner.end, element.inner.end), markup, change)
    at = element.span.start if position == "beforebegin" else element.span.end
    return prove(page, element, Proposal.of(page.source, (Span(at, at), markup)), change)


def replace_element(page: Page, element: Element, markup: str) -> Proposal | Refusal:
    """Put markup in the place of the element."""
    markup = to_lf(markup)
    content = mask(markup).text

    def change(tag: Tag) -> None:
        check_content(tag.parent, content)
        tag.insert_adjacent_html("beforebegin", content)
        tag.decompose()

    return prove(page, element, Proposal.of(page.source, (element.span, markup)), change)


def unwrap(page: Page, element: Element) -> Proposal | Refusal:
    """Take the element's tags away and leave its content."""
    if element.is_void or element.closes_itself or element.start_tag is None:
        return refuse_change(page, element, "the element has no content to leave; remove it instead")
    tags = [element.start_tag] if element.end_tag is None else [element.start_tag, element.end_tag]
    return prove(page, element, Proposal.of(page.source, *((span, "") for span in tags)), _unwrap)


def _unwrap(tag: Tag) -> None:
    tag.unwrap()


def empty(page: Page, element: Element) -> Proposal | Refusal:
    """Take the element's content away."""
    return Proposal(()) if element.inner.is_empty else set_html(page, element, "")


def remove(page: Page, element: Element) -> Proposal | Refusal:
    """Take the element away; with its lines, where nothing but blanks stands beside it on them."""
    lines = _whole_lines(page, element)
    if lines is not None:
        before, behind = element.span.start - lines.start, len(to_lf(page.source.text[element.span.end : lines.end]))
        proposal = Proposal.of(page.source, (lines, ""))
        done = prove(page, element, proposal, lambda tag: _remove_lines(tag, before, behind))
        if isinstance(done, Proposal):
            return done
    return prove(page, element, Proposal.of(page.source, (element.span, "")), lambda tag: tag.decompose())


def _whole_lines(page: Page, element: Element) -> Span | None:
    """The element with the indentation before it and the end of its line, where it stands alone on its lines."""
    text = page.source.text
    has_end = element.end_tag is not None or element.is_void or element.closes_itself
    if not has_end or _keeps_blanks(page, element):
        return None
    start = line_start(text, element.span.start)
    end = element.span.end
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    ending = line_ending(text[end : end + 2] if text.startswith("\r\n", end) else text[end : end + 1])
    if not ending or text[start : element.span.start].strip(" \t"):
        return None
    return Span(start, end + len(ending))


def _keeps_blanks(page: Page, element: Element) -> bool:
    parent = element.parent
    while parent >= 0:
        if page.extents.tags[parent] in _KEEPS_BLANKS:
            return True
        parent = page.parents[parent]
    return False


def _remove_lines(tag: Tag, before: int, behind: int) -> None:
    from turbohtml import Text

    previous, following = tag.previous_sibling, tag.next_sibling
    if before:
        if not isinstance(previous, Text) or previous.data[-before:].strip(" \t"):
            raise Unfit("the blanks before it are not beside it in the tree")
        previous.data = previous.data[:-before]
    if not isinstance(following, Text) or following.data[:behind].strip(" \t\n"):
        raise Unfit("the end of its line is not beside it in the tree")
    following.data = following.data[behind:]
    tag.decompose()


def check_content(holder: object, content: str) -> None:
    """Whether markup can be content of what holds it in the tree; raises `Unfit` where it cannot."""
    from turbohtml import Element as Holder

    if not isinstance(holder, Holder):
        raise Unfit("nothing can be beside it")
    if not can_hold(holder, content):
        raise Unfit("a <template> inside SVG or MathML is not written")
    fault = fault_of(content, holder)
    if fault is not None:
        raise Unfit(fault)


def _write_inside(page: Page, element: Element, place: Span, written: str, change: Change) -> Proposal | Refusal:
    """Write at a place of the content; an element that closes itself is opened for it."""
    if element.is_void or element.start_tag is None:
        return refuse_change(page, element, _NO_CONTENT)
    if element.closes_itself:
        name = page.start_tag(element).name.of(page.source.text)
        slash = Span(element.start_tag.end - 2, element.start_tag.end)
        return prove(page, element, Proposal.of(page.source, (slash, f">{written}</{name}>")), change)
    is_first = place.start == element.start_tag.end and element.tag in DROPS_NEWLINE
    text = f"\n{written}" if is_first and written.startswith("\n") else written
    return prove(page, element, Proposal.of(page.source, (place, text)), change)


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
