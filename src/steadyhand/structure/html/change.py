"""Changes of an element: its attributes and classes, its content, and what is around it.

Each says which splices make it and what it does to the tree, which is how it is proved. Text and values are written so
that a parser reads them back exactly; template syntax is left alone. Markup is written as it is given, never indented
again: blanks between tags are part of the page. Of a `class`, the other names keep their order and the blanks between
them. A tag is proved by itself where its attributes cannot matter to how the rest of the page is read, else with the
page. A wrapper is given empty, such as `<div class="x"></div>`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.page import Attribute, Page, StartTag, ascii_lower
from steadyhand.structure.html.proof import Change, Meaning, Unfit, danger_of, meant, prove, refuse_change
from steadyhand.structure.html.template import (
    FILLER,
    UNMASKED,
    Region,
    cover_all,
    is_plain,
    mask,
    mask_value,
    pieces_of,
    regions_in,
)
from steadyhand.structure.html.tree import (
    DROPS_NEWLINE,
    FORMATTING,
    LITERAL,
    Element,
    can_hold,
    fault_of,
    start_tag_attributes,
)
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import line_ending, line_start, to_lf
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Element as Tag

_REFERENCE = lazy_pattern(r"&(?=#[0-9]|#[xX][0-9A-Fa-f]|[A-Za-z][A-Za-z0-9]*+;?)")
_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9]*+;?")
_NEEDS_QUOTES = lazy_pattern(r"[\t\n\f\r \"'=<>`]|\A\Z")
_FOR_QUOTE = {'"': "&quot;", "'": "&#39;"}


def write_text(value: str) -> str:
    """A text between tags.

    >>> write_text("a < b & {{ c & d }}")
    'a &lt; b &amp; {{ c & d }}'
    """
    return "".join(
        piece if region else piece.replace("&", "&amp;").replace("<", "&lt;") for piece, region in pieces_of(value)
    )


def write_value(value: str, quote: str) -> str:
    """A value inside quotes of one kind; an ampersand is escaped only where it would begin a reference.

    >>> write_value('?a=1&b=2&lt="x"', '"')
    '?a=1&b=2&amp;lt=&quot;x&quot;'
    """
    return "".join(
        piece if region else escape_references(piece).replace(quote, _FOR_QUOTE[quote])
        for piece, region in pieces_of(value)
    )


def choose_quote(value: str, usual: str) -> str | None:
    """The kind of quotes that a value can have: the usual one, unless the template syntax in it has that quote."""
    code = "".join(piece for piece, region in pieces_of(value) if region)
    return next((quote for quote in (usual, '"', "'") if quote not in code), None)


def needs_quotes(value: str) -> bool:
    """Whether a value needs quotes."""
    return _NEEDS_QUOTES.search(value) is not None


def escape_references(text: str) -> str:
    """The text with every ampersand escaped that a parser could read as the start of a character reference."""
    from html.entities import html5

    def escape(found: re.Match[str]) -> str:
        word = _WORD.match(text, found.end())
        name = word.group() if word else "#"
        is_known = name == "#" or name in html5 or any(name[:size] in html5 for size in range(2, min(len(name), 7)))
        return "&amp;" if is_known else "&"

    return _REFERENCE.sub(escape, text)


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
        return refuse_change(page, element, f"{name[:40]!r} is not the name of an attribute")
    value = to_lf(value)
    tag = page.start_tag(element)
    attribute = tag.find(name)
    if (refusal := doubt_of(page, element, attribute, name)) is not None:
        return refusal
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
    for attribute in found:
        if (refusal := doubt_of(page, element, attribute, name)) is not None:
            return refusal
    writes = [(_with_blanks(page, tag, attribute), "") for attribute in found]
    return settle(page, element, writes, {ascii_lower(name): None})


def doubt_of(page: Page, element: Element, attribute: Attribute | None, name: str) -> Refusal | None:
    """The refusal where template syntax in the tag makes it unsure whether the element has the attribute at all."""
    steering = _steering(page, page.start_tag(element))
    if attribute is not None and steering and attribute.span.end > steering[0].span.start:
        return refuse_change(page, element, f"template syntax in the tag decides whether {name!r} is there")
    if attribute is None and not all(_BRANCH.match(region.span.of(page.source.text)) for region in steering):
        return refuse_change(page, element, f"template syntax in the tag may write {name!r} itself")
    return None


def _steering(page: Page, tag: StartTag) -> list[Region]:
    return [region for region in regions_in(page.masked.regions, tag.span) if region.place == "tag"]


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
    steering = _steering(page, tag)
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

    def change(tag: Tag) -> None:
        names = {ascii_lower(name): name for name in tag.attrs}
        for key, value in changes.items():
            if value is not None:
                tag.attrs[names.get(key, key)] = value
            elif key in names:
                del tag.attrs[names[key]]

    touched = (text for splice in proposal.splices for text in (splice.old, splice.new))
    if is_plain(*touched) and _is_alone(page, element) and danger_of(page, element, proposal) is None:
        return meant(proposal, Meaning(element.index, change))
    return prove(page, element, proposal, change)


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


def _is_alone(page: Page, element: Element) -> bool:
    """Whether the attributes of the element cannot matter to how anything else is read.

    The parser compares and repeats formatting elements with their attributes, but only where one was left open, or
    where three that are alike are open at once.
    """
    if element.tag in _MATTERS:
        return False
    if element.tag not in FORMATTING:
        return True
    same, parent = 0, element.parent
    while parent >= 0:
        same += page.nodes[parent].tag == element.tag
        parent = page.parents[parent]
    return page.extents.is_in_order and same < 2


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
    if (refusal := doubt_of(page, element, attribute, "class")) is not None:
        return refusal
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
    if (refusal := doubt_of(page, element, attribute, "class")) is not None:
        return refusal
    if not gone:
        return Proposal(())
    if _is_unsure(page, attribute, gone):
        return _refuse_unsure(page, element)
    kept = [name for name in tokens.values() if name not in names]
    if not kept:
        return remove_attribute(page, element, "class")
    writes = [(span, "") for span in _names_with_blanks(page, list(tokens), set(gone))]
    return _settle(page, element, attribute, writes, kept)


def replace_class(page: Page, element: Element, old: str, new: list[str]) -> Proposal | Refusal:
    """Put other names in the place of one; those that are there already are not written twice."""
    attribute = page.start_tag(element).find("class")
    tokens = _tokens(page, attribute) if attribute is not None and attribute.value is not None else {}
    places = [span for span, name in tokens.items() if name == old]
    if attribute is None or not places:
        have = ", ".join(tokens.values()) or "none"
        return refuse_change(page, element, f"there is no class {old[:60]!r} (its classes: {have[:120]})")
    if (refusal := doubt_of(page, element, attribute, "class")) is not None:
        return refusal
    if new == [old]:
        return Proposal(())
    if _is_unsure(page, attribute, places):
        return _refuse_unsure(page, element)
    missing = [name for name in new if name == old or name not in tokens.values()]
    if not missing:
        return remove_classes(page, element, [old])
    written = write_value(" ".join(missing), attribute.quote or '"')
    rest = [(span, "") for span in _names_with_blanks(page, list(tokens), set(places[1:]))]
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


def _names_with_blanks(page: Page, tokens: list[Span], gone: set[Span]) -> list[Span]:
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


_NO_CONTENT = "the element has no content and cannot have any"
_TABULAR = frozenset("table tbody thead tfoot tr colgroup html head frameset select".split())
_NO_TEXT = _TABULAR | LITERAL | DROPS_NEWLINE
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
        return meant(Proposal.of(page.source, (element.inner, written)), Meaning(element.index, change, is_text=True))
    return _write_inside(page, element, element.inner, written, change)


def _is_text_for_text(page: Page, element: Element, content: str) -> bool:
    """Whether one text takes the place of another: then nothing else can be read differently."""
    from turbohtml import Text

    children = page.nodes[element.index].children
    if element.namespace != "html" or element.tag in _NO_TEXT or element.end_tag is None:
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
        return refuse_change(page, element, "the element has no content to keep; remove it instead")
    tags = [element.start_tag] if element.end_tag is None else [element.start_tag, element.end_tag]
    return prove(page, element, Proposal.of(page.source, *((span, "") for span in tags)), _unwrap)


def _unwrap(tag: Tag) -> None:
    tag.unwrap()


def empty(page: Page, element: Element) -> Proposal | Refusal:
    """Take the element's content away."""
    return Proposal(()) if element.inner.is_empty else set_html(page, element, "")


def remove(page: Page, element: Element) -> Proposal | Refusal:
    """Take the element away; with its lines, where nothing but blanks is beside it on them."""
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
            raise Unfit("the whitespace before it is not next to it in the tree")
        previous.data = previous.data[:-before]
    if not isinstance(following, Text) or following.data[:behind].strip(" \t\n"):
        raise Unfit("the end of its line is not next to it in the tree")
    following.data = following.data[behind:]
    tag.decompose()


def check_content(holder: object, content: str) -> None:
    """Whether markup can be content of what holds it in the tree; raises `Unfit` where it cannot."""
    from turbohtml import Element as Holder

    if not isinstance(holder, Holder):
        raise Unfit("nothing can be inserted next to it")
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
    """Where the content of the innermost element would be."""
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
