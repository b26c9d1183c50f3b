"""Where elements begin and end in the source, and which of them the parser moved, closed early or made up.

An element's place is trusted if the elements written inside it are exactly its descendants. The rule is checked by one
walk over all start tags in the order of the source: the innermost element still open there must be the one around it
in the tree. Nothing here guesses: what does not fit is marked, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.structure.parsers.html.element import DROPS_NEWLINE, FORMATTING, VOID, Element
from steadyhand.structure.parsers.html.tags import read_start_tag
from steadyhand.structure.parsers.html.tree import Offsets
from steadyhand.text.pace import paced
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Element as Tag

_REPAIRED = "the parser had to repair the page"
_MOST_CLOSERS = 4  # end tags of the page that are looked at: one of each, and as many that are written twice
_CLOSERS = re.compile(r"(?:[\t\n\f\r ]|</(?:body|html)[^<>]*+>|<!--(?!-?>)[^<>]*?-->)*+\Z", re.IGNORECASE | re.ASCII)
_NOSCRIPT_END = re.compile(r"</noscript(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)
_CLOSER = re.compile(r"</(?:body|html)(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)


class _Places:
    """Start tag and end tag of every element; None where the source has none."""

    def __init__(self, text: str, nodes: Sequence[Tag], offsets: Offsets) -> None:
        self.text = text
        self.starts: list[Span | None] = []
        self.end_tags: list[Span | None] = []
        for node in paced(nodes):
            where = node.source_location
            self.starts.append(where and offsets.span(where.start_tag.start_offset, where.start_tag.end_offset))
            tag = where.end_tag if where else None
            self.end_tags.append(tag and offsets.span(tag.start_offset, tag.end_offset))


class Extents:
    """The places of all elements of one tree, by their number in document order.

    `is_tidy`    where every formatting element has an end tag of its own, so that the parser repeated none
    `first_tag`  where the first start tag is
    """

    def __init__(self, text: str, nodes: Sequence[Tag], parents: Sequence[int], offsets: Offsets) -> None:
        self._places = _Places(text, nodes, offsets)
        self._parents = parents
        self.tags = [node.tag for node in nodes]
        self._spaces = [node.namespace.value for node in nodes]
        self._closing = {
            index for index, space in enumerate(self._spaces) if _closes_itself(self._places, index, space)
        }
        self._ends = _ends(self._places, self.tags, self._spaces, parents, self._closing)
        self._flaws = _flaws(self._places, self.tags, parents, self._ends)
        self.first_tag = min((start.start for start in self._places.starts if start is not None), default=len(text))
        self.is_tidy = all(
            tag not in FORMATTING or self._places.end_tags[index] is not None for index, tag in enumerate(self.tags)
        )

    def element(self, index: int) -> Element:
        start, end_tag, tag = self._places.starts[index], self._places.end_tags[index], self.tags[index]
        span = Span(start.start, max(self._ends[index], start.end)) if start else Span(0, 0)
        inner = _inner(self._places.text, tag, start, end_tag, span) if start else span
        return Element(
            index,
            self._parents[index],
            tag,
            self._spaces[index],
            start,
            end_tag,
            span,
            inner,
            index in self._closing,
            self._flaws.get(index),
        )


def _closes_itself(places: _Places, index: int, namespace: str) -> bool:
    start = places.starts[index]
    if start is None or namespace == "html" or places.text[start.end - 2 : start.end] != "/>":
        return False
    return read_start_tag(places.text, start).closes_itself


def _inner(text: str, tag: str, start: Span, end_tag: Span | None, span: Span) -> Span:
    first = start.end
    last = end_tag.start if end_tag is not None else span.end
    if tag in DROPS_NEWLINE and first < last:
        first += 2 if text.startswith("\r\n", first) else text[first] in "\r\n"
    return Span(first, max(first, last))


def _ends(
    places: _Places, tags: Sequence[str], spaces: Sequence[str], parents: Sequence[int], closing: set[int]
) -> list[int]:
    """Where each element ends. One without an end tag ends where the next begins or what is around it ends."""
    following = _starts_behind(places, parents)
    tail = _tail(places.text)
    ends: list[int] = []
    for index, (start, end_tag) in enumerate(paced(zip(places.starts, places.end_tags, strict=True))):
        around = _end_around(parents[index], places, ends, len(places.text))
        if start is None:
            ends.append(around)
        elif end_tag is not None:
            ends.append(end_tag.end)
        elif index in closing or (spaces[index] == "html" and tags[index] in VOID):
            ends.append(start.end)
        else:
            bounds = (around, following[index], tail)
            ends.append(min((at for at in bounds if at >= start.end), default=len(places.text)))
    return ends


def _end_around(parent: int, places: _Places, ends: Sequence[int], length: int) -> int:
    if parent < 0:
        return length
    end_tag = places.end_tags[parent]
    return end_tag.start if end_tag is not None else ends[parent]


def _starts_behind(places: _Places, parents: Sequence[int]) -> list[int]:
    """For each element, where the first element behind it and its descendants begins."""
    count = len(parents)
    behind = [count] * count  # the number of the first element that is no descendant
    last_at_depth: list[int] = []
    for index, parent in enumerate(parents):
        while last_at_depth and last_at_depth[-1] != parent:
            behind[last_at_depth.pop()] = index
        last_at_depth.append(index)
    starts = [len(places.text)] * (count + 1)
    for index in range(count - 1, -1, -1):
        start = places.starts[index]
        starts[index] = starts[index + 1] if start is None else start.start
    return [starts[index] for index in behind]


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
        if start is None:
            made = "repeated" if tags[index] in FORMATTING else "put in"
            flaws[index] = f"the parser {made} <{tags[index]}>: there is no tag for it in the source"
            continue
        located.append(index)
        if places.end_tags[index] is None and tags[index] in FORMATTING:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> has no end tag of its own"
        elif ends[index] < start.end:
            flaws[index] = f"{_REPAIRED}: <{tags[index]}> ends before it begins"
    located.sort(key=lambda index: places.starts[index] or Span(0, 0))
    for index in _in_torn_noscripts(places, tags, parents):
        flaws.setdefault(index, "<noscript> does not end where a browser that runs scripts ends it")
    for outer, inner in _misfits(located, places, parents, ends):
        flaws.setdefault(inner, f"{_REPAIRED}: <{tags[inner]}> is not where it is written")
        flaws.setdefault(outer, f"{_REPAIRED}: <{tags[outer]}> does not hold what is written in it")
    return flaws


def _in_torn_noscripts(places: _Places, tags: Sequence[str], parents: Sequence[int]) -> list[int]:
    """Every `noscript` with what is in it that ends elsewhere for a parser that takes it for text, as browsers do."""
    torn: set[int] = set()
    for index, (tag, start) in enumerate(zip(tags, places.starts, strict=True)):
        if parents[index] in torn:
            torn.add(index)
        elif tag == "noscript" and start is not None:
            end, first = places.end_tags[index], _NOSCRIPT_END.search(places.text, start.end)
            if end is None or first is None or first.start() != end.start:
                torn.add(index)
    return sorted(torn)


def _misfits(
    located: Sequence[int], places: _Places, parents: Sequence[int], ends: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs of elements, the outer and the inner one by source or by tree, that the two disagree about."""
    found: list[tuple[int, int]] = []
    standing: list[int] = []  # the elements open at this place of the source, outermost first
    for index in located:
        start = places.starts[index]
        assert start is not None
        while standing and ends[standing[-1]] <= start.start:
            standing.pop()
        around = parents[index]
        while around >= 0 and places.starts[around] is None:
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
        if places.starts[parent] is not None:
            above.add(parent)
        parent = parents[parent]
    return [(outer, index) for outer in above.symmetric_difference(standing)] or [(index, index)]
