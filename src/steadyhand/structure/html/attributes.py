"""Changes of one start tag: which splices set or take away an attribute, and the proof that they do nothing else.

A tag is proved by itself where its attributes cannot matter to how the rest of the page is read, else with the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.check import danger_of, prove, refuse_change
from steadyhand.structure.html.element import FORMATTING, Element
from steadyhand.structure.html.mask import is_plain, mask, mask_value, regions_in
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.regions import Region
from steadyhand.structure.html.tags import Attribute, StartTag, ascii_lower
from steadyhand.structure.html.tree import start_tag_attributes
from steadyhand.structure.html.writing import choose_quote, needs_quotes, write_value
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Element as Tag


Write = tuple[Span, str]
_NAME = lazy_pattern(r"[^\s\"'<>/=\0]+")
_BLANKS = "\t\n\f\r "
# Elements whose attributes decide what the parser makes of them, or of others.
_MATTERS = frozenset("html body frameset input template annotation-xml font".split())
_BRANCH = lazy_pattern(
    r"\{[{%][-+~]?\s*[#/^]?\s*(?:if|unless|elif|elseif|else|endif|endunless)\b|\{#|\{\{!"
    r"|<%-?\s*(?:if|unless|elsif|else|end)\b|<\?(?:php)?\s*(?:if|elseif|else|endif)\b"
)


def set_attribute(page: Page, element: Element, name: str, value: str) -> Proposal | Refusal:
    """Give the element an attribute, or another value for it."""
    if not _NAME.fullmatch(name):
        return refuse_change(page, element, f"{name[:40]!r} is no name of an attribute")
    value = to_lf(value)
    tag = page.start_tag(element)
    attribute = tag.find(name)
    doubt = doubt_of(page, tag, attribute, name)
    if doubt is not None:
        return refuse_change(page, element, doubt)
    if attribute is not None and _says(page, element, name) == value and is_plain(value, tag.span.of(page.source.text)):
        return Proposal(())
    write = _write_new(page, tag, name, value) if attribute is None else _write_value(attribute, value)
    if write is None:
        return refuse_change(page, element, "the template syntax in the value has both kinds of quotes")
    return settle(page, element, [write], {ascii_lower(name): mask_value(value)})


def _says(page: Page, element: Element, name: str) -> str | None:
    """The value an attribute has by now, whatever it is written with; None for one that has none."""
    assert element.start_tag is not None
    found = start_tag_attributes(element.start_tag.of(page.masked.text)) or []
    return next((value for key, value in found if key == ascii_lower(name)), None)


def remove_attribute(page: Page, element: Element, name: str) -> Proposal | Refusal:
    """Take an attribute away, however often it is written."""
    tag = page.start_tag(element)
    found = [attribute for attribute in tag.attributes if attribute.key == ascii_lower(name)]
    if not found:
        return Proposal(())
    doubt = next((doubt for item in found if (doubt := doubt_of(page, tag, item, name)) is not None), None)
    if doubt is not None:
        return refuse_change(page, element, doubt)
    writes = [(_with_blanks(page, tag, attribute), "") for attribute in found]
    return settle(page, element, writes, {ascii_lower(name): None})


def doubt_of(page: Page, tag: StartTag, attribute: Attribute | None, name: str) -> str | None:
    """Why template syntax in the tag makes it unsure whether the element has the attribute at all."""
    steering = [region for region in regions_in(page.masked.regions, tag.span) if region.place == "tag"]
    if attribute is not None:
        is_behind = bool(steering) and attribute.span.end > steering[0].span.start
        return f"template syntax in the tag decides whether {name!r} is there" if is_behind else None
    if all(_is_branch(page, region) for region in steering):
        return None
    return f"template syntax in the tag may write {name!r} itself"


def _is_branch(page: Page, region: Region) -> bool:
    return _BRANCH.match(region.span.of(page.source.text)) is not None


def _write_value(attribute: Attribute, value: str) -> Write | None:
    """Another value for an attribute that is there, in its quotes where it has any."""
    usual = attribute.quote or '"'
    quote = choose_quote(value, usual)
    if quote is None:
        return None
    written = write_value(value, quote)
    if attribute.value is None:
        return Span(attribute.span.end, attribute.span.end), f"={quote}{written}{quote}"
    if attribute.quote == quote:
        return attribute.value, written
    if not attribute.quote:
        bare = written if not needs_quotes(written) else f"{quote}{written}{quote}"
        return attribute.value, bare
    return Span(attribute.value.start - 1, attribute.value.end + 1), f"{quote}{written}{quote}"


def _write_new(page: Page, tag: StartTag, name: str, value: str) -> Write | None:
    """A new attribute, behind the last one and in quotes like its neighbour's."""
    steering = [region for region in regions_in(page.masked.regions, tag.span) if region.place == "tag"]
    limit = steering[0].span.start if steering else tag.span.end
    before = [item for item in tag.attributes if item.span.end <= limit]
    if before and before[-1].is_dangling:
        before = []
    at = before[-1].span.end if before else tag.name.end
    quote = choose_quote(value, next((item.quote for item in reversed(before) if item.quote), '"'))
    return None if quote is None else (Span(at, at), f" {name}={quote}{write_value(value, quote)}{quote}")


def _with_blanks(page: Page, tag: StartTag, attribute: Attribute) -> Span:
    """An attribute with the blanks before it, unless they part what would run together."""
    text = page.source.text
    before = [item for item in tag.attributes if item.span.end <= attribute.span.start]
    low = before[-1].span.end if before else tag.name.end
    start = attribute.span.start
    while start > low and text[start - 1] in _BLANKS:
        start -= 1
    following = text[attribute.span.end : attribute.span.end + 1]
    is_apart = following in (*_BLANKS, ">") or (following == "/" and (not before or bool(before[-1].quote)))
    return Span(start if is_apart else attribute.span.start, attribute.span.end)


def settle(page: Page, element: Element, writes: list[Write], changes: Mapping[str, str | None]) -> Proposal | Refusal:
    """The proposal of some writes in a start tag, if it then has the changed attributes and the rest."""
    assert element.start_tag is not None
    proposal = Proposal.of(page.source, *writes)
    old = start_tag_attributes(element.start_tag.of(page.masked.text))
    new = attributes_after(page, element, writes)
    wanted = (
        None if old is None else {key: value for key, value in {**_first(old), **changes}.items() if value is not None}
    )
    if new is None or new != wanted:
        return Refusal(
            Kind.UNPARSABLE,
            f"<{element.tag}>, line {page.source.line_of(element.span.start)}: the tag would not be read as asked",
            "edit the tag by its text",
        )
    touched = (text for splice in proposal.splices for text in (splice.old, splice.new))
    if is_plain(*touched) and _stands_alone(page, element) and danger_of(page, element, proposal) is None:
        return proposal
    return prove(page, element, proposal, lambda tag: _change(tag, changes))


def attributes_after(page: Page, element: Element, writes: list[Write]) -> dict[str, str] | None:
    """What a tokenizer reads in the start tag once something is written in it; None where it is no start tag then."""
    assert element.start_tag is not None
    start = element.start_tag.start
    splices = [splice.shift(-start) for splice in Proposal.of(page.source, *writes).splices]
    text = ChangeSet(tuple(splices)).apply(element.start_tag.of(page.source.text))
    found = start_tag_attributes(mask(text).text)
    return None if found is None else _first(found)


def _first(attributes: list[tuple[str, str]]) -> dict[str, str]:
    return dict(reversed(attributes))


def _change(tag: Tag, changes: Mapping[str, str | None]) -> None:
    names = {ascii_lower(name): name for name in tag.attrs}
    for key, value in changes.items():
        if value is not None:
            tag.attrs[names.get(key, key)] = value
        elif key in names:
            del tag.attrs[names[key]]


def _stands_alone(page: Page, element: Element) -> bool:
    """Whether the attributes of the element cannot matter to how anything else is read.

    The parser compares and repeats formatting elements with their attributes, but only where one was left open, or
    where three that are alike are open at once.
    """
    if element.tag in _MATTERS:
        return False
    if element.tag not in FORMATTING:
        return True
    return page.extents.is_tidy and _same_around(page, element) < 2


def _same_around(page: Page, element: Element) -> int:
    count, parent = 0, element.parent
    while parent >= 0:
        count += page.extents.tags[parent] == element.tag
        parent = page.parents[parent]
    return count
