"""A page with its template syntax covered by filler of the same length: an HTML parser reads the page around it.

Between tags the filler is blanks, which no parser moves; in names and values of attributes it is a letter of its own
for what writes a value, and blanks for what steers. Offsets stay what they were. What is masked is only ever parsed:
everything shown or written comes from the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.structure.html.regions import OPENER, Finder, Region
from steadyhand.text.pace import go_on_at
from steadyhand.text.span import Span

FILLER = "\ue000"  # a letter that no page has a use for
_OPENER = lazy_pattern(OPENER)
_IN_TEXT = lazy_pattern(rf"<!--|</?(?:[A-Za-z]|\{{\{{)|{OPENER}")
_NAME_END = lazy_pattern(rf"[\t\n\f\r />]|{OPENER}")
_BETWEEN = lazy_pattern(r"[\t\n\f\r /]*+")
_ATTRIBUTE_NAME_END = lazy_pattern(rf"[\t\n\f\r />=]|{OPENER}")
_EQUALS = lazy_pattern(r"[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_BARE_END = lazy_pattern(rf"[\t\n\f\r >]|{OPENER}")
_QUOTED_END = {quote: lazy_pattern(rf"{quote}|{OPENER}") for quote in "\"'"}
UNMASKED = frozenset("script style textarea title xmp iframe noembed noframes".split())
_TRACE = lazy_pattern(r"[{}]|<[%?]|[%?]>")
_NOT_BLANK = lazy_pattern(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text that can be parsed, as long as the text it was made of, and the regions it covers, in order."""

    text: str
    regions: tuple[Region, ...]


def mask(text: str) -> Masked:
    """Cover the template syntax of a page; a page without any is left as it is.

    >>> mask('<p class="a {{ b }}">{% if x %}y').text.replace(FILLER, "?")
    '<p class="a ???????">          y'
    """
    if not may_begin_region(text):
        return Masked(text, ())
    return _Masking(text).run()


def mask_value(value: str, *, text: bool = False) -> str:
    """What an attribute's value, or a text, is read as where its template syntax is covered."""
    pieces: list[str] = []
    at = 0
    for region in Finder(value).within(0, len(value)):
        pieces += [value[at : region.span.start], _cover(value, region, letters=region.outputs and not text)]
        at = region.span.end
    return "".join([*pieces, value[at:]])


def cover_all(value: str) -> str:
    """A value with all its template syntax covered by letters, also what writes nothing."""
    pieces: list[str] = []
    at = 0
    for region in Finder(value).within(0, len(value)):
        pieces += [value[at : region.span.start], FILLER * region.span.length]
        at = region.span.end
    return "".join([*pieces, value[at:]])


def _cover(text: str, region: Region, *, letters: bool) -> str:
    covered = region.span.of(text)
    return FILLER * len(covered) if letters else _NOT_BLANK.sub(" ", covered)


class _Masking:
    """One walk over a text, following tags and quotes as a tokenizer does, with regions as opaque pieces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._finder = Finder(text)
        self._regions: list[Region] = []
        self._pieces: list[str] = []
        self._done = 0

    def run(self) -> Masked:
        at = count = 0
        while found := _IN_TEXT.search(self._text, at):
            count += 1
            go_on_at(count)
            if found.group() == "<!--":
                at = self._comment(found.start())
            elif (region := self._finder.region_at(found.start())) is not None:
                at = self._put(region, "text", letters=False)
            elif found.group() in ("{{", "{%", "{#", "<%", "<?"):
                at = found.start() + 1
            else:
                at = self._tag(found.start())
        self._pieces.append(self._text[self._done :])
        return Masked("".join(self._pieces), tuple(self._regions))

    def _put(self, region: Region, place: str, *, letters: bool, first: str = FILLER) -> int:
        """Cover a region, and go on behind it."""
        start, end = region.span
        cover = _cover(self._text, region, letters=letters)
        self._pieces += [self._text[self._done : start], first + cover[1:] if letters else cover]
        self._done = end
        self._regions.append(replace(region, place=place))
        return end

    def _comment(self, start: int) -> int:
        """Comments stay as they are; what stands in them still opens and closes."""
        closed = self._text.find("-->", start + 2)
        end = len(self._text) if closed < 0 else closed + 3
        self._regions += self._finder.within(start, end)
        return end

    def _tag(self, start: int) -> int:
        """A tag; the offset behind it, or behind the element whose content is no markup."""
        text = self._text
        is_end = text.startswith("</", start)
        name_start = start + (2 if is_end else 1)
        at = self._run(name_start, _NAME_END, "tag", lambda _: True, first="x")
        name = text[name_start:at].lower()
        while True:
            between = _BETWEEN.match(text, at)
            at = between.end() if between else at
            if at >= len(text):
                return at
            if text[at] == ">":
                return at + 1 if is_end or name not in UNMASKED else self._end_of_literal(name, at + 1)
            at = self._attribute(at)

    def _attribute(self, start: int) -> int:
        text = self._text
        is_plain = text[start] == "="  # an equals sign may be the first letter of a name
        at = self._run(start + is_plain, _ATTRIBUTE_NAME_END, "tag", lambda region: region.outputs)
        equals = _EQUALS.match(text, at)
        if equals is None:
            return at if at > start else start + 1
        at = equals.end()
        if text[at : at + 1] in ('"', "'"):
            return self._run(at + 1, _QUOTED_END[text[at]], "value", lambda region: region.outputs) + 1
        return self._run(at, _BARE_END, "value", lambda _: True)

    def _run(
        self, start: int, stop: re.Pattern[str], place: str, letters: Callable[[Region], bool], first: str = FILLER
    ) -> int:
        """Go on until something that is no region stops it; the offset of what does, or of the end."""
        at = start
        while found := stop.search(self._text, at):
            region = self._finder.region_at(found.start())
            if region is not None:
                is_first = region.span.start == start
                at = self._put(region, place, letters=letters(region), first=first if is_first else FILLER)
                if place == "tag" and not letters(region):
                    return at
            elif _OPENER.match(found.group()):
                at = found.start() + 1
            else:
                return found.start()
        return len(self._text)

    def _end_of_literal(self, name: str, start: int) -> int:
        """What is no markup stays as it is, as in comments."""
        found = re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII).search(self._text, start)
        end = found.start() if found else len(self._text)
        self._regions += self._finder.within(start, end)
        return end


def is_plain(*texts: str) -> bool:
    """Whether texts have nothing in them that could begin or end template syntax, by itself or with what is around."""
    return not any(_TRACE.search(text) for text in texts)


def may_begin_region(text: str) -> bool:
    """Whether a text has anything in it that template syntax begins with."""
    return _OPENER.search(text) is not None


def opens_region(text: str, beside: str, regions: tuple[Region, ...]) -> str | None:
    """What in a text begins template syntax of a kind that a page has beside it, and does not end; None for nothing."""
    kinds = {region.span.of(beside)[:2] for region in regions}
    if kinds & {"{%", "{#"}:
        kinds |= {"{{", "{%", "{#"}
    open_ones = _OPENER.finditer(cover_all(text))
    return next((found.group() for found in open_ones if found.group() in kinds), None)


def regions_in(regions: tuple[Region, ...], span: Span) -> tuple[Region, ...]:
    """The regions that lie inside a span or reach into it."""
    from bisect import bisect_left, bisect_right

    first = bisect_right(regions, span.start, key=lambda region: region.span.end)
    return regions[first : bisect_left(regions, span.end, key=lambda region: region.span.start)]
