"""A page: its tree and, for every element, where it is in the source and whether that place can be trusted.

Made once per source and never changed; a tree that is changed to see what a change means is another one.

A start tag has every attribute with its name, its value inside the quotes, and the duplicates, by the rules of the HTML
tokenizer; whoever uses them compares the names with what the parser made of the tag.

An element's place is trusted if the elements written inside it are exactly its descendants. One walk over all start
tags in the order of the source checks that: the innermost element still open there must be the one around it in the
tree. Nothing here guesses: what does not fit is marked, with the reason.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, cast

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.html.template import Masked, are_whole, ended_words, mask, regions_in
from steadyhand.structure.html.tree import DROPS_NEWLINE, FORMATTING, VOID, Bounds, Element, Offsets, parse_tree
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_cancelled, check_each
from steadyhand.text.source import Source, once
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

    `value` is what is inside the quotes, None for a name alone; `quote` is empty for a value without quotes.
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

_TAG = attrgetter("tag")

_ID_FIRST = lazy_pattern(r"#([A-Za-z][A-Za-z0-9_-]*)(?:[ ]*>|[ ]+(?=[A-Za-z.#*\[]))[^,]*+\Z")

_NONE = -1  # where the source has no such tag
_FEW = 400  # elements inside and around one that are looked at for it; above that, all elements are placed at once
_MANY = 1_000  # elements that are placed one by one


class _Places:
    """Start tag and end tag of every element, by their bounds: a page has too many for a span each.

    `starts` and `opened` are where the start tag begins and ends, `closes` and `closed` the same of the end tag.
    """

    __slots__ = ("closed", "closes", "opened", "starts")

    def __init__(self, nodes: Sequence[Tag], offsets: Offsets) -> None:
        self.starts, self.opened, self.closes, self.closed = array("q"), array("q"), array("q"), array("q")
        columns = (self.starts, self.opened, self.closes, self.closed)
        for node in check_each(nodes):
            for column, offset in zip(columns, _bounds_of(node), strict=True):
                column.append(offset)
        for column in columns:
            offsets.correct(column)

    def of(self, index: int) -> Bounds:
        return self.starts[index], self.opened[index], self.closes[index], self.closed[index]


def _bounds_of(node: Tag) -> Bounds:
    """Where the tags of an element are, as the parser counts."""
    where = node.source_location
    one, two = (None, None) if where is None else (where.start_tag, where.end_tag)
    start, opened = (_NONE, _NONE) if one is None else (one.start_offset, one.end_offset)
    return start, opened, *((_NONE, _NONE) if two is None else (two.start_offset, two.end_offset))


class Extents:
    """The places of the elements of one tree, by their number in document order.

    To ask the parser for all places takes ten times as long as the parse. So where the tree has its elements in the
    order of the source, and each once, an element is judged by the elements inside it, around it and behind it: then no
    other can reach into it, since only what the parser moved or repeated is open where it is not around in the tree.
    Everything that this does not settle is settled by one walk over the page.
    """

    def __init__(self, text: str, nodes: Sequence[Tag], parents: Sequence[int], *, are_sorted: bool) -> None:
        self._text, self._nodes, self._parents, self.are_sorted = text, nodes, parents, are_sorted
        self._offsets = Offsets(text)
        self._known: dict[int, Element] = {}
        self._read: dict[int, Bounds] = {}
        self._rooms: dict[int, int | None] = {}  # where the contents of elements end
        self._asked = 0  # selectors that begin with an id
        self._named: dict[str, Tag | None] | None = None

    @cached_property
    def tags(self) -> list[str]:
        return list(map(_TAG, self._nodes))

    def holder(self, tree: Document, css: str) -> Tag | None:
        """The one element that all of what a selector matches is inside of, as `#a` is for `#a .b`; None if not known.

        A search looks at every element of the page, so from the second one on the names of all are kept.
        """
        begun = _ID_FIRST.match(css)
        if begun is None or ":scope" in css:
            return None
        self._asked += 1
        if self._asked < 2:
            return None
        if self._named is None:
            self._named = {}
            for node in tree.select("[id]"):
                name = str(node.attrs["id"]).lower()  # a page without a doctype compares names so
                self._named[name] = None if name in self._named else node
        return self._named.get(begun.group(1).lower())

    def element(self, index: int) -> Element:
        """The element of that number, with its place."""
        known = self._known.get(index)
        if known is None:
            is_walked = "_walked" in self.__dict__ or len(self._known) >= _MANY or not self.is_in_order
            known = self._known[index] = (None if is_walked else self._nearby(index)) or self._far(index)
        return known

    def _far(self, index: int) -> Element:
        places, ends, flaws, foreign, closing = self._walked
        return self._element(
            index,
            places.of(index),
            ends[index],
            foreign.get(index, "html"),
            flaws.get(index),
            closes_itself=index in closing,
        )

    def _element(
        self, index: int, bounds: Bounds, end: int, namespace: str, flaw: str | None, *, closes_itself: bool
    ) -> Element:
        start, opened, closes, closed = bounds
        tag, parent = self._nodes[index].tag, self._parents[index]
        if start < 0:
            return Element(index, parent, tag, namespace, None, None, Span(0, 0), Span(0, 0), closes_itself, flaw)
        span, end_tag = Span(start, max(end, opened)), Span(closes, closed) if closes >= 0 else None
        inner = _inner(self._text, tag, opened, closes if closes >= 0 else span.end)
        return Element(index, parent, tag, namespace, Span(start, opened), end_tag, span, inner, closes_itself, flaw)

    @cached_property
    def _walked(self) -> tuple[_Places, array[int], dict[int, str], dict[int, str], set[int]]:
        """The places of all elements, where they end, their flaws; those of SVG and MathML, and who closes itself."""
        places = _Places(self._nodes, self._offsets)
        spaces = [node.namespace.value for node in self._nodes]
        foreign = {index: space for index, space in enumerate(spaces) if space != "html"}
        closing = {index for index in foreign if _closes_itself(self._text, places.of(index))}
        ends = _ends(self._text, places, self.tags, foreign, self._parents, closing)
        return places, ends, _flaws(self._text, places, self.tags, self._parents, ends), foreign, closing

    @cached_property
    def is_in_order(self) -> bool:
        """Whether the elements that have tags come in the order of these: the parser moved none and repeated none."""
        # To ask each element takes as long as a parse.
        return self.are_sorted and not ("noscript" in self._text.lower() and "noscript" in self.tags)

    def _nearby(self, index: int) -> Element | None:
        """An element whose place is certain from what is near it; None: all of the page must be looked at."""
        node = self._nodes[index]
        behind = self._behind(index)
        start, opened, closes, closed = bounds = self._bounds(index)
        if start < 0:
            return self._element(index, bounds, 0, node.namespace.value, _made_up(node.tag), closes_itself=False)
        is_open = closed < 0 and node.tag in FORMATTING
        if behind is None or node.namespace.value != "html" or is_open:
            return None
        around = self._around(index)
        if around is None:
            return None
        end = closed if closed >= 0 else opened if node.tag in VOID else self._end(opened, around, behind)
        if end is None or end > around or self._start_from(behind) < end:
            return None
        last = closes if closes >= 0 else end
        if not self._is_nested(index, behind, last):
            return None
        return self._element(index, bounds, end, "html", None, closes_itself=False)

    def _bounds(self, index: int) -> Bounds:
        known = self._read.get(index)
        if known is not None:
            return known
        self._read[index] = bounds = self._offsets.bounds(_bounds_of(self._nodes[index]))
        return bounds

    def _behind(self, index: int) -> int | None:
        """The number of the first element behind one and all inside it; None where too many are inside."""
        parents = self._parents
        for at in range(index + 1, min(index + _FEW, len(parents))):
            if parents[at] < index:
                return at
        return len(parents) if len(parents) <= index + _FEW else None

    def _start_from(self, index: int) -> int:
        """Where the first element from a number on begins that has a tag."""
        for at in range(index, len(self._nodes)):
            start = self._bounds(at)[0]
            if start >= 0:
                return start
        return len(self._text)

    def _around(self, index: int) -> int | None:
        """Where the content ends that an element is in, if it is inside of each element around it."""
        chain: list[int] = []
        parent = self._parents[index]
        while parent >= 0 and parent not in self._rooms:
            chain.append(parent)
            parent = self._parents[parent]
        around = len(self._text) if parent < 0 else self._rooms[parent]
        for outer in reversed(chain):
            around = self._rooms[outer] = None if around is None else self._within(outer, around)
        return around

    def _within(self, outer: int, around: int) -> int | None:
        """Where the content of an element ends whose surroundings end there; None where it ends behind them."""
        start, opened, closes, closed = self._bounds(outer)
        if start < 0:
            return around
        behind = self._behind(outer) if closed < 0 else None
        end = closed if closed >= 0 else None if behind is None else self._end(opened, around, behind)
        if end is None or end > around:
            return None
        return closes if closes >= 0 else end

    def _end(self, opened: int, around: int, behind: int) -> int | None:
        """Where an element without an end tag ends."""
        bounds = (around, self._start_from(behind), _tail(self._text))
        return min((at for at in bounds if at >= opened), default=None)

    def _is_nested(self, index: int, behind: int, last: int) -> bool:
        """Whether everything inside an element is written inside of it, each within the one around it."""
        rooms = {index: (self._bounds(index)[1], last)}
        for at in range(index + 1, behind):
            start, opened, closes, closed = self._bounds(at)
            low, high = rooms[self._parents[at]]
            if start < 0:
                rooms[at] = low, high
                continue
            if start < low or max(opened, closed) > high:
                return False
            rooms[at] = opened, closes if closes >= 0 else high
        return True


def _closes_itself(text: str, bounds: Bounds) -> bool:
    start, opened, *_ = bounds
    return start >= 0 and text.endswith("/>", start, opened) and read_start_tag(text, Span(start, opened)).closes_itself


def _inner(text: str, tag: str, first: int, last: int) -> Span:
    if tag in DROPS_NEWLINE and first < last:
        first += 2 if text.startswith("\r\n", first) else text[first] in "\r\n"
    return Span(first, max(first, last))


def _ends(
    text: str,
    places: _Places,
    tags: Sequence[str],
    foreign: Container[int],
    parents: Sequence[int],
    closing: set[int],
) -> array[int]:
    """Where each element ends. One without an end tag ends where the next begins or what is around it ends."""
    following = _starts_behind(text, places, parents)
    tail, length = _tail(text), len(text)
    ends, closes = array("q"), places.closes
    for index, closed in enumerate(check_each(places.closed)):
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


def _starts_behind(text: str, places: _Places, parents: Sequence[int]) -> array[int]:
    """For each element, where the first element behind it and its descendants begins."""
    count = len(parents)
    behind = [count] * count  # the number of the first element that is no descendant
    last_at_depth: list[int] = []
    for index, parent in enumerate(parents):
        while last_at_depth and last_at_depth[-1] != parent:
            behind[last_at_depth.pop()] = index
        last_at_depth.append(index)
    starts = array("q", [len(text)]) * (count + 1)
    for index in range(count - 1, -1, -1):
        start = places.starts[index]
        starts[index] = starts[index + 1] if start < 0 else start
    return array("q", [starts[index] for index in behind])


def _tail(text: str) -> int:
    """Where the end tags of the whole page begin, if nothing but blanks and comments is among and behind them."""
    closers: list[int] = []
    at = text.rfind("</")
    while at >= 0 and len(closers) < _MOST_CLOSERS and _CLOSER.match(text, at):
        closers.append(at)
        at = text.rfind("</", 0, at)
    return next((at for at in reversed(closers) if _CLOSERS.match(text, at)), len(text))


def _flaws(
    text: str, places: _Places, tags: Sequence[str], parents: Sequence[int], ends: Sequence[int]
) -> dict[int, str]:
    flaws: dict[int, str] = {}
    located: list[int] = []
    for index, start in enumerate(places.starts):
        if start < 0:
            flaws[index] = _made_up(tags[index])
            continue
        located.append(index)
        if places.closes[index] < 0 and tags[index] in FORMATTING:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> has no end tag of its own"
        elif ends[index] < places.opened[index]:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> ends before it begins"
    located.sort(key=places.starts.__getitem__)
    for index in _in_torn_noscripts(text, places, tags, parents):
        flaws.setdefault(index, "<noscript> does not end where a browser that runs scripts ends it")
    body = tags.index("body") if "body" in tags else _NONE
    pages = (body, parents[body]) if body >= 0 else ()
    for outer, inner in _misfits(located, places, parents, ends):
        # What is written behind the end of the body, or of the page, is read as the end of the body.
        if outer not in pages or parents[inner] != body or not 0 <= places.closed[outer] <= places.starts[inner]:
            flaws.setdefault(inner, f"{_REPAIRED}: <{tags[inner]}> is not where it is written")
        flaws.setdefault(outer, f"{_REPAIRED}: <{tags[outer]}> does not hold what is written in it")
    return flaws


def _made_up(tag: str) -> str:
    return f"the parser {'repeated' if tag in FORMATTING else 'put in'} <{tag}>: there is no tag for it in the source"


def _in_torn_noscripts(text: str, places: _Places, tags: Sequence[str], parents: Sequence[int]) -> list[int]:
    """Every `noscript` with what is in it that ends elsewhere for a parser that takes it for text, as browsers do."""
    if "noscript" not in tags:
        return []
    torn: set[int] = set()
    for index, tag in enumerate(tags):
        if parents[index] in torn:
            torn.add(index)
        elif tag == "noscript" and places.starts[index] >= 0:
            end, first = places.closes[index], _NOSCRIPT_END.search(text, places.opened[index])
            if end < 0 or first is None or first.start() != end:
                torn.add(index)
    return sorted(torn)


def _misfits(
    located: Sequence[int], places: _Places, parents: Sequence[int], ends: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs of elements, the outer and the inner one by source or by tree, that the two disagree about."""
    found: list[tuple[int, int]] = []
    starts = places.starts
    open_ones: list[int] = []  # the elements open at this place of the source, outermost first
    for index in located:
        start = starts[index]
        while open_ones and ends[open_ones[-1]] <= start:
            open_ones.pop()
        around = parents[index]
        while around >= 0 and starts[around] < 0:
            around = parents[around]
        if (open_ones[-1] if open_ones else -1) != around:
            found += _disagreement(index, open_ones, parents, places)
        elif open_ones and ends[index] > ends[open_ones[-1]]:
            found.append((open_ones[-1], index))
        open_ones.append(index)
    return found


def _disagreement(
    index: int, open_ones: Sequence[int], parents: Sequence[int], places: _Places
) -> list[tuple[int, int]]:
    above: set[int] = set()
    parent = parents[index]
    while parent >= 0:
        if places.starts[parent] >= 0:
            above.add(parent)
        parent = parents[parent]
    return [(outer, index) for outer in above.symmetric_difference(open_ones)] or [(index, index)]


DEEPEST = 500  # the parser flattens what is nested deeper than 512
_MOST = 500_000  # elements whose places are found within seconds
_LONGEST = 32_000_000  # characters, whatever they are: the parser cannot be stopped


@dataclass(frozen=True, slots=True)
class Page:
    """The tree of one source: the parser's elements by number, in document order, and their places.

    `parents` has the number of the element around each, -1 for none; what is in a `template` is inside the `template`.
    `is_proved_later`: several changes are collected, and whoever collects them proves all of them at once.
    """

    source: Source
    masked: Masked
    tree: Document
    nodes: Sequence[Tag]
    numbers: Mapping[Node | None, int]
    parents: Sequence[int]
    extents: Extents
    ended: frozenset[str]
    is_proved_later: bool = False

    def element(self, index: int) -> Element:
        """The element of that number, with its place."""
        return self.extents.element(index)

    def select(self, css: str) -> list[int]:
        """The numbers of the elements that a valid selector matches, in document order."""
        holder = self.extents.holder(self.tree, css) or self.tree
        return [self.numbers[node] for node in holder.select(css)]

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
        inside, (start, end) = regions_in(self.masked.regions, element.span), element.span
        if any(region.span.start <= start or region.span.end > end for region in inside):
            return f"template syntax crosses the boundary of <{element.tag}>"
        if not are_whole(self.source.text, inside, self.ended):
            return f"template syntax opens inside <{element.tag}> and closes outside, or the reverse"
        return None


@once
def page_of(source: Source) -> Page | Refusal:
    """The page of a source: parsed once. Refuses with `unparsable` or `too-large`."""
    if len(source.text) > _LONGEST:
        return _too_large(f"the page has {len(source.text)} characters, pages are read up to {_LONGEST}", _LONGEST)
    check_cancelled()
    masked = mask(source.text)
    tree = parse_tree(masked.text, locations=True)
    if isinstance(tree, Refusal):
        return tree
    nodes, numbers, parents, are_sorted = _elements(tree)
    if len(nodes) > _MOST:
        return _too_large(f"the page has {len(nodes)} elements, pages are read up to {_MOST}", _MOST)
    if _depth(parents) > DEEPEST:
        return _too_large(f"elements are nested deeper than {DEEPEST}", DEEPEST)
    extents = Extents(masked.text, nodes, parents, are_sorted=are_sorted)
    return Page(source, masked, tree, nodes, numbers, parents, extents, ended_words(source.text, masked.regions))


def _too_large(message: str, limit: int) -> Refusal:
    return Refusal(Kind.TOO_LARGE, message, ByText(), {"limit": limit})


def _elements(tree: Document) -> tuple[list[Tag], dict[Node | None, int], list[int], bool]:
    """The elements, their numbers, those of the ones around them, and whether they come in the order of the source.

    All of it in one pass: most of the time goes to fetching the elements, which are many.
    """
    numbers: dict[Node | None, int] = {}
    parents: list[int] = []
    last, are_sorted = (0, 0), True
    for node in tree.iter_elements():
        numbers[node] = len(parents)
        parents.append(numbers.get(node.parent, -1))
        place = node.position
        if place is not None:
            are_sorted = are_sorted and last < place
            last = place
    nodes = cast("list[Tag]", list(numbers))
    for index in [at for at, parent in enumerate(parents) if parent < 0 < at] if parents.count(-1) > 1 else ():
        around = nodes[index].parent
        while around is not None and around not in numbers:  # what is in a `template` has a root of its own
            around = around.parent
        parents[index] = numbers.get(around, -1)
    return nodes, numbers, parents, are_sorted


def _depth(parents: Sequence[int]) -> int:
    depths = {-1: -1}
    for index in dict.fromkeys(parents):  # those that have others inside, each behind the one around it
        if index >= 0:
            depths[index] = depths[parents[index]] + 1
    return max(depths.values()) + 1
