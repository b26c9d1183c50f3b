"""Changes of the `class` attribute, name by name: the other names keep their order and the blanks between them."""

from __future__ import annotations

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.attributes import (
    Write,
    attributes_after,
    doubt_of,
    remove_attribute,
    set_attribute,
    settle,
)
from steadyhand.structure.html.check import refuse_change
from steadyhand.structure.html.element import Element
from steadyhand.structure.html.mask import FILLER, cover_all, mask_value, regions_in
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.tags import Attribute
from steadyhand.structure.html.writing import needs_quotes, write_value
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.span import Span

_BLANKS = "\t\n\f\r "
_TOKEN = lazy_pattern(r"[^\t\n\f\r ]+")


def names_in(value: str) -> list[str]:
    """The class names in a value, each once; template syntax is part of a name.

    >>> names_in(" a b  a x-{{ y }} ")
    ['a', 'b', 'x-{{ y }}']
    """
    found = _TOKEN.finditer(cover_all(value))
    return list(dict.fromkeys(value[token.start() : token.end()] for token in found))


def add_classes(page: Page, element: Element, names: list[str]) -> Proposal | Refusal:
    """Add the names that are not there yet, behind the last."""
    attribute = page.start_tag(element).find("class")
    if attribute is None or attribute.value is None or attribute.value.is_empty:
        return set_attribute(page, element, "class", " ".join(names))
    tokens = _tokens(page, attribute)
    missing = [name for name in names if name not in tokens.values()]
    doubt = doubt_of(page, page.start_tag(element), attribute, "class")
    if doubt is not None:
        return refuse_change(page, element, doubt)
    if not missing:
        return Proposal(())
    steers = _first_steering(page, attribute) is not None
    at = attribute.value.end if steers or not tokens else max(span.end for span in tokens)
    gap = " " if tokens or steers else ""
    writes = _inserted(attribute, at, gap + write_value(" ".join(missing), attribute.quote or '"'))
    return _settle(page, element, attribute, writes, [*tokens.values(), *missing])


def remove_classes(page: Page, element: Element, names: list[str]) -> Proposal | Refusal:
    """Take names away, each with the blanks before it; with the last name the attribute goes, too."""
    attribute = page.start_tag(element).find("class")
    if attribute is None or attribute.value is None:
        return Proposal(())
    tokens = _tokens(page, attribute)
    gone = [span for span, name in tokens.items() if name in names]
    doubt = doubt_of(page, page.start_tag(element), attribute, "class")
    if doubt is not None:
        return refuse_change(page, element, doubt)
    if not gone:
        return Proposal(())
    if _is_unsure(page, attribute, gone):
        return _refuse_unsure(page, element)
    kept = [name for name in tokens.values() if name not in names]
    if not kept:
        return remove_attribute(page, element, "class")
    writes = [(span, "") for span in _with_blanks(page, list(tokens), set(gone))]
    return _settle(page, element, attribute, writes, kept)


def replace_class(page: Page, element: Element, old: str, new: list[str]) -> Proposal | Refusal:
    """Put other names in the place of one; those that are there already are not written twice."""
    attribute = page.start_tag(element).find("class")
    tokens = _tokens(page, attribute) if attribute is not None and attribute.value is not None else {}
    places = [span for span, name in tokens.items() if name == old]
    if attribute is None or not places:
        have = ", ".join(tokens.values()) or "none"
        return refuse_change(page, element, f"there is no class {old[:60]!r} (its classes: {have[:120]})")
    doubt = doubt_of(page, page.start_tag(element), attribute, "class")
    if doubt is not None:
        return refuse_change(page, element, doubt)
    if new == [old]:
        return Proposal(())
    if _is_unsure(page, attribute, places):
        return _refuse_unsure(page, element)
    missing = [name for name in new if name == old or name not in tokens.values()]
    if not missing:
        return remove_classes(page, element, [old])
    written = write_value(" ".join(missing), attribute.quote or '"')
    rest = [(span, "") for span in _with_blanks(page, list(tokens), set(places[1:]))]
    if not attribute.quote and needs_quotes(written):
        return refuse_change(page, element, "the class value has no quotes; set the whole attribute")
    after = [name for span, name in tokens.items() if span not in places[1:]]
    at = after.index(old)
    return _settle(page, element, attribute, [(places[0], written), *rest], [*after[:at], *missing, *after[at + 1 :]])


def _tokens(page: Page, attribute: Attribute) -> dict[Span, str]:
    """The names of a class value by their places, in order; what a template writes is a name nobody asks for."""
    from html import unescape

    assert attribute.value is not None
    found = _TOKEN.finditer(page.masked.text, *attribute.value)
    return {Span(*token.span()): unescape(token.group()) for token in found}


def _inserted(attribute: Attribute, at: int, text: str) -> list[Write]:
    value = attribute.value
    assert value is not None
    if attribute.quote:
        return [(Span(at, at), text)]
    return [(Span(value.start, value.start), '"'), (Span(value.end, value.end), f'{text}"')]


def _with_blanks(page: Page, tokens: list[Span], gone: set[Span]) -> list[Span]:
    """Names to take away, with the blanks that parted them from those that stay."""
    text = page.source.text
    spans: list[Span] = []
    has_before = False
    for index, token in enumerate(tokens):
        start, end = token
        if token not in gone:
            has_before = True
        elif has_before:
            start = tokens[index - 1].end + len(text[tokens[index - 1].end : start].rstrip(_BLANKS))
            spans.append(Span(start, end))
        else:
            following = tokens[index + 1].start if index + 1 < len(tokens) else end
            between = text[end:following]
            spans.append(Span(start, end + len(between) - len(between.lstrip(_BLANKS))))
    return spans


def _first_steering(page: Page, attribute: Attribute) -> int | None:
    assert attribute.value is not None
    regions = regions_in(page.masked.regions, attribute.value)
    return next((region.span.start for region in regions if not region.outputs), None)


def _is_unsure(page: Page, attribute: Attribute, places: list[Span]) -> bool:
    first = _first_steering(page, attribute)
    return first is not None and any(place.end > first for place in places)


def _refuse_unsure(page: Page, element: Element) -> Refusal:
    return refuse_change(page, element, "template syntax in the class value decides whether the class is there")


def _settle(
    page: Page, element: Element, attribute: Attribute, writes: list[Write], names: list[str]
) -> Proposal | Refusal:
    after = attributes_after(page, element, writes)
    value = (after or {}).get(attribute.key)
    if value is None or [_plain(name) for name in _TOKEN.findall(value)] != [_plain(name) for name in names]:
        return refuse_change(page, element, "the class value would not be read as asked")
    return settle(page, element, writes, {attribute.key: value})


def _plain(name: str) -> str:
    masked = mask_value(name)
    return FILLER if FILLER in masked else masked
