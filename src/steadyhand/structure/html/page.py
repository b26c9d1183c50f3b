"""A page as its source has it: start tags, where elements begin and end, and the tree.

Start tags as they are written: every attribute with its name, its value inside the quotes, and the duplicates.

The rules are those of the HTML tokenizer; whoever uses them compares the names with what the parser made of the tag.

Where elements begin and end in the source, and which of them the parser moved, closed early or made up.

An element's place is trusted if the elements written inside it are exactly its descendants. The rule is checked by one
walk over all start tags in the order of the source: the innermost element still open there must be the one around it
in the tree. Nothing here guesses: what does not fit is marked, with the reason.

A page: its tree and, for every element, where it stands in the source and whether that place can be trusted.

Made once per source and never changed; a tree that is changed to see what a change means is another one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.html.template import Masked, are_whole, ended_words, mask, regions_in
from steadyhand.structure.html.tree import DROPS_NEWLINE, FORMATTING, VOID, Element, Offsets, parse_tree
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import go_on, paced
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document, Node
    from turbohtml import Element as Tag


_TAG_NAME = lazy_pattern(r"<[^\t\n\f\r />]*")
_ATTRIBUTE = lazy_pattern(
    r"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    r"(?:[\t\n\f\r ]*+(=)[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+))?"
)
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def ascii_lower(name: str) -> str:
    """A name as HTML compares names: only the letters A to Z have a case."""
    return name.translate(_LOWER)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a start tag. `key` is its name in lower case; `span` is all of it.

    `value` is what stands inside the quotes, None for a name alone; `quote` is empty for a value without quotes.
    """

    key: str
    span: Span
    name: Span
    value: Span | None
    quote: str

    @property
    def is_dangling(self) -> bool:
        """An equals sign with nothing behind it: whatever came next would be its value."""
        return self.value is not None and not self.quote and self.value.is_empty


@dataclass(frozen=True, slots=True)
class StartTag:
    """A start tag: where its name ends and what attributes it has, in order."""

    span: Span
    name: Span
    attributes: tuple[Attribute, ...]
    closes_itself: bool

    def find(self, key: str) -> Attribute | None:
        """The attribute that counts: the first of that name."""
        return next((attribute for attribute in self.attributes if attribute.key == ascii_lower(key)), None)


def read_start_tag(text: str, span: Span) -> StartTag:
    """The start tag that covers a span of a text.

    >>> tag = read_start_tag("<a HREF='x' b c=d/>", Span(0, 19))
    >>> [(item.key, item.quote) for item in tag.attributes], tag.closes_itself
    ([('href', "'"), ('b', ''), ('c', '')], False)
    """
    found = _TAG_NAME.match(text, *span)
    at = found.end() if found else span.start + 1
    name = Span(span.start + 1, at)
    attributes: list[Attribute] = []
    while (item := _ATTRIBUTE.match(text, at, span.end - 1)) is not None:
        attributes.append(_attribute(text, item))
        at = item.end()
    closes_itself = text[span.end - 2 : span.end] == "/>" and at <= span.end - 2
    return StartTag(span, name, tuple(attributes), closes_itself)


def _attribute(text: str, item: re.Match[str]) -> Attribute:
    name = Span(*item.span(1))
    key = ascii_lower(name.of(text)).replace("\0", "\ufffd")
    whole = Span(name.start, item.end())
    if item.group(2) is None:
        return Attribute(key, whole, name, None, "")
    for group, quote in ((3, '"'), (4, "'"), (5, "")):
        if item.group(group) is not None:
            return Attribute(key, whole, name, Span(*item.span(group)), quote)
    return Attribute(key, whole, name, Span(item.end(), item.end()), "")


_REPAIRED = "the parser had to repair the page"
_MOST_CLOSERS = 4  # end tags of the page that are looked at: one of each, and as many that are written twice
_CLOSERS = lazy_pattern(r"(?:[\t\n\f\r ]|</(?:body|html)[^<>]*+>|<!--(?!-?>)[^<>]*?-->)*+\Z", re.IGNORECASE | re.ASCII)
_NOSCRIPT_END = lazy_pattern(r"</noscript(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)
_CLOSER = lazy_pattern(r"</(?:body|html)(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)


_NONE = -1  # where the source has no such tag


class _Places:
    """Start tag and end tag of every element, by their bounds: a page has too many for a span each.

    `starts` and `opened` are where the start tag begins and ends, `closes` and `closed` the same of the end tag.
    """

    __slots__ = ("closed", "closes", "opened", "starts", "text")

    def __init__(self, text: str, nodes: Sequence[Tag], offsets: Offsets) -> None:
        self.text = text
        self.starts, self.opened, self.closes, self.closed = array("q"), array("q"), array("q"), array("q")
        for node in paced(nodes):
            where = node.source_location
            one, two = (None, None) if where is None else (where.start_tag, where.end_tag)
            self.starts.append(_NONE if one is None else one.start_offset)
            self.opened.append(_NONE if one is None else one.end_offset)
            self.closes.append(_NONE if two is None else two.start_offset)
            self.closed.append(_NONE if two is None else two.end_offset)
        for bounds in (self.starts, self.opened, self.closes, self.closed):
            offsets.correct(bounds)

    def start_tag(self, index: int) -> Span | None:
        return Span(self.starts[index], self.opened[index]) if self.starts[index] >= 0 else None

    def end_tag(self, index: int) -> Span | None:
        return Span(self.closes[index], self.closed[index]) if self.closes[index] >= 0 else None


class Extents:
    """The places of all elements of one tree, by their number in document order.

    `is_tidy`    where every formatting element has an end tag of its own, so that the parser repeated none
    `first_tag`  where the first start tag is
    """

    def __init__(self, text: str, nodes: Sequence[Tag], parents: Sequence[int], offsets: Offsets) -> None:
        self._places = _Places(text, nodes, offsets)
        self._parents = parents
        self.tags = [node.tag for node in nodes]
        spaces = [node.namespace.value for node in nodes]
        self._foreign = {index: space for index, space in enumerate(spaces) if space != "html"}
        self._closing = {index for index in self._foreign if _closes_itself(self._places, index)}
        self._ends = _ends(self._places, self.tags, self._foreign, parents, self._closing)
        self._flaws = _flaws(self._places, self.tags, parents, self._ends)
        self.first_tag = min((start for start in self._places.starts if start >= 0), default=len(text))
        self.is_tidy = all(
            closes >= 0 for tag, closes in zip(self.tags, self._places.closes, strict=True) if tag in FORMATTING
        )

    def element(self, index: int) -> Element:
        start, end_tag, tag = self._places.start_tag(index), self._places.end_tag(index), self.tags[index]
        span = Span(start.start, max(self._ends[index], start.end)) if start else Span(0, 0)
        inner = _inner(self._places.text, tag, start, end_tag, span) if start else span
        return Element(
            index,
            self._parents[index],
            tag,
            self._foreign.get(index, "html"),
            start,
            end_tag,
            span,
            inner,
            index in self._closing,
            self._flaws.get(index),
        )


def _closes_itself(places: _Places, index: int) -> bool:
    start = places.start_tag(index)
    if start is None or places.text[start.end - 2 : start.end] != "/>":
        return False
    return read_start_tag(places.text, start).closes_itself


def _inner(text: str, tag: str, start: Span, end_tag: Span | None, span: Span) -> Span:
    first = start.end
    last = end_tag.start if end_tag is not None else span.end
    if tag in DROPS_NEWLINE and first < last:
        first += 2 if text.startswith("\r\n", first) else text[first] in "\r\n"
    return Span(first, max(first, last))


def _ends(
    places: _Places, tags: Sequence[str], foreign: Container[int], parents: Sequence[int], closing: set[int]
) -> array[int]:
    """Where each element ends. One without an end tag ends where the next begins or what is around it ends."""
    following = _starts_behind(places, parents)
    tail, length = _tail(places.text), len(places.text)
    ends, closes = array("q"), places.closes
    for index, closed in enumerate(paced(places.closed)):
        opened, parent = places.opened[index], parents[index]
        if opened >= 0 and closed >= 0:
            ends.append(closed)
        elif opened >= 0 and (index in closing or (tags[index] in VOID and index not in foreign)):
            ends.append(opened)
        else:
            around = length if parent < 0 else closes[parent] if closes[parent] >= 0 else ends[parent]
            bounds = (around, following[index], tail)
            ends.append(around if opened < 0 else min((at for at in bounds if at >= opened), default=length))
    return ends


def _starts_behind(places: _Places, parents: Sequence[int]) -> array[int]:
    """For each element, where the first element behind it and its descendants begins."""
    count = len(parents)
    behind = [count] * count  # the number of the first element that is no descendant
    last_at_depth: list[int] = []
    for index, parent in enumerate(parents):
        while last_at_depth and last_at_depth[-1] != parent:
            behind[last_at_depth.pop()] = index
        last_at_depth.append(index)
    starts = array("q", [len(places.text)]) * (count + 1)
    for index in range(count - 1, -1, -1):
        start = places.starts[index]
        starts[index] = starts[index + 1] if start < 0 else start
    return array("q", [starts[index] for index in behind])


def _tail(text: str) -> int:
    """Where the end tags of the whole page begin, if nothing but blanks and comments stands among and behind them."""
    for found in [*_CLOSER.finditer(text)][-_MOST_CLOSERS:]:
        if _CLOSERS.match(text, found.start()):
            return found.start()
    return len(text)


def _flaws(places: _Places, tags: Sequence[str], parents: Sequence[int], ends: Sequence[int]) -> dict[int, str]:
    flaws: dict[int, str] = {}
    located: list[int] = []
    for index, start in enumerate(places.starts):
        if start < 0:
            made = "repeated" if tags[index] in FORMATTING else "put in"
            flaws[index] = f"the parser {made} <{tags[index]}>: there is no tag for it in the source"
            continue
        located.append(index)
        if places.closes[index] < 0 and tags[index] in FORMATTING:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> has no end tag of its own"
        elif ends[index] < places.opened[index]:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> ends before it begins"
    located.sort(key=places.starts.__getitem__)
    for index in _in_torn_noscripts(places, tags, parents):
        flaws.setdefault(index, "<noscript> does not end where a browser that runs scripts ends it")
    body = tags.index("body") if "body" in tags else _NONE
    ended = places.closed[body] if body >= 0 else _NONE
    for outer, inner in _misfits(located, places, parents, ends):
        # What is written behind the end of the body is read as the end of it, wherever else that may be.
        if outer != body or parents[inner] != body or not 0 <= ended <= places.starts[inner]:
            flaws.setdefault(inner, f"{_REPAIRED}: <{tags[inner]}> is not where it is written")
        flaws.setdefault(outer, f"{_REPAIRED}: <{tags[outer]}> does not hold what is written in it")
    return flaws


def _in_torn_noscripts(places: _Places, tags: Sequence[str], parents: Sequence[int]) -> list[int]:
    """Every `noscript` with what is in it that ends elsewhere for a parser that takes it for text, as browsers do."""
    if "noscript" not in tags:
        return []
    torn: set[int] = set()
    for index, tag in enumerate(tags):
        if parents[index] in torn:
            torn.add(index)
        elif tag == "noscript" and places.starts[index] >= 0:
            end, first = places.closes[index], _NOSCRIPT_END.search(places.text, places.opened[index])
            if end < 0 or first is None or first.start() != end:
                torn.add(index)
    return sorted(torn)


def _misfits(
    located: Sequence[int], places: _Places, parents: Sequence[int], ends: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs of elements, the outer and the inner one by source or by tree, that the two disagree about."""
    found: list[tuple[int, int]] = []
    starts = places.starts
    standing: list[int] = []  # the elements open at this place of the source, outermost first
    for index in located:
        start = starts[index]
        while standing and ends[standing[-1]] <= start:
            standing.pop()
        around = parents[index]
        while around >= 0 and starts[around] < 0:
            around = parents[around]
        if (standing[-1] if standing else -1) != around:
            found += _disagreement(index, standing, parents, places)
        elif standing and ends[index] > ends[standing[-1]]:
            found.append((standing[-1], index))
        standing.append(index)
    return found


def _disagreement(
    index: int, standing: Sequence[int], parents: Sequence[int], places: _Places
) -> list[tuple[int, int]]:
    above: set[int] = set()
    parent = parents[index]
    while parent >= 0:
        if places.starts[parent] >= 0:
            above.add(parent)
        parent = parents[parent]
    return [(outer, index) for outer in above.symmetric_difference(standing)] or [(index, index)]


DEEPEST = 500  # the parser flattens what is nested deeper than 512
_MOST = 500_000  # elements whose places are found within seconds
_LONGEST = 32_000_000  # characters, whatever they are: the parser cannot be stopped


@dataclass(frozen=True, slots=True)
class Page:
    """The tree of one source: the parser's elements by number, in document order, and their places.

    `parents` has the number of the element around each, -1 for none; what is in a `template` is inside the `template`.
    """

    source: Source
    masked: Masked
    tree: Document
    nodes: Sequence[Tag]
    parents: Sequence[int]
    extents: Extents
    ended: frozenset[str]

    def element(self, index: int) -> Element:
        """The element of that number, with its place."""
        return self.extents.element(index)

    def number(self, node: Tag) -> int:
        """The number of an element of the tree."""
        return self.source.derive(_numbers)[node]

    def select(self, css: str) -> list[int]:
        """The numbers of the elements that a valid selector matches, in document order."""
        return [self.number(node) for node in self.tree.select(css)]

    def start_tag(self, element: Element) -> StartTag:
        """The start tag as it is written."""
        assert element.start_tag is not None, "an element without a start tag has a flaw and is never edited"
        return read_start_tag(self.masked.text, element.start_tag)

    def flaw_of(self, element: Element) -> str | None:
        """Why the element's place is not to be trusted, template syntax included."""
        if element.start_tag is None:
            return element.flaw
        reason = element.flaw or (self._parted(element) if self.masked.regions else None)
        return None if reason is None else f"{reason}, line {self.source.line_of(element.span.start)}"

    def _parted(self, element: Element) -> str | None:
        inside = regions_in(self.masked.regions, element.span)
        if any(not _holds(element, region.span) for region in inside):
            return f"template syntax reaches across the bounds of <{element.tag}>"
        if not are_whole(self.source.text, inside, self.ended):
            return f"template syntax opens inside <{element.tag}> and closes outside, or the reverse"
        return None


def _holds(element: Element, span: Span) -> bool:
    return element.span.start < span.start and span.end <= element.span.end


def page_of(source: Source) -> Page | Refusal:
    """The page of a source: parsed once. Refuses with `unparsable` or `too-large`."""
    return source.derive(_read)


def _read(source: Source) -> Page | Refusal:
    if len(source.text) > _LONGEST:
        return _too_large(f"the page has {len(source.text)} characters, pages are read up to {_LONGEST}", _LONGEST)
    go_on()
    masked = mask(source.text)
    tree = parse_tree(masked.text, locations=True)
    if isinstance(tree, Refusal):
        return tree
    nodes = tree.select("*")
    if len(nodes) > _MOST:
        return _too_large(f"the page has {len(nodes)} elements, pages are read up to {_MOST}", _MOST)
    parents = _parents(nodes)
    if _depth(parents) > DEEPEST:
        return _too_large(f"elements are nested deeper than {DEEPEST}", DEEPEST)
    extents = Extents(masked.text, nodes, parents, Offsets(masked.text))
    return Page(source, masked, tree, nodes, parents, extents, ended_words(source.text, masked.regions))


def _too_large(message: str, limit: int) -> Refusal:
    return Refusal(Kind.TOO_LARGE, message, ByText(), {"limit": limit})


def _numbers(source: Source) -> dict[Tag, int]:
    page = page_of(source)
    assert isinstance(page, Page), "only a page asks for its numbers"
    return {node: index for index, node in enumerate(page.nodes)}


def _parents(nodes: Sequence[Tag]) -> list[int]:
    numbers: dict[Node | None, int] = {node: index for index, node in enumerate(nodes)}
    found: list[int] = []
    for node in paced(nodes):
        parent: Node | None = node.parent
        while parent is not None and parent not in numbers:
            parent = parent.parent
        found.append(numbers.get(parent, -1))
    return found


def _depth(parents: Sequence[int]) -> int:
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return max(depths, default=0)
