"""Template syntax in pages (Jinja, Django, Twig, Handlebars, Mustache, ERB, EJS and PHP), and how it is covered.

A region is found only where its end is found too, and never where a tag is unquoted inside: braces in prose are prose.
Nothing here understands an expression. What opens and what closes is read from the first word, and only to refuse an
edit that would part the two.

A page is parsed with its template syntax covered by filler of the same length. Between tags the filler is blanks, which
no parser moves; in names and values of attributes it is a letter of its own for what writes a value, and blanks for
what steers. Offsets stay what they were. What is masked is only ever parsed: everything shown or written comes from the
text itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.text.cancel import check_cancelled_at
from steadyhand.text.span import Span

OPENER = r"\{\{|\{%|\{#|<%|<\?(?!xml)"
_PROCESSING = lazy_pattern(r"<\?(?!xml)")
_OPENER = lazy_pattern(OPENER)
_TAG_OUTSIDE_QUOTES = lazy_pattern(r"(?:[^\"'<]|<(?![A-Za-z/!])|\"[^\"]*+\"|'[^']*+'|[\"'])*+<[A-Za-z/!]")
_JINJA = lazy_pattern(r"\{%[-+~]?\s*(end)?([a-z_]+)", re.IGNORECASE)
_HANDLEBARS = lazy_pattern(r"\{\{\{?~?\s*([#^/]|else\b)")
_RUBY_OPENS = lazy_pattern(r"<%-?\s*(?:if|unless|case|while|until|for|begin)\b|\bdo\s*(?:\|[^|]*\|)?\s*-?%>$")
_RUBY_CLOSES = lazy_pattern(r"<%-?\s*end\b")
_PHP_OPENS = lazy_pattern(r"<\?(?:php)?\s*(?:if|for|foreach|while|switch)\b[^{]*:\s*\?>$", re.IGNORECASE)
_PHP_CLOSES = lazy_pattern(r"<\?(?:php)?\s*end(?:if|for|foreach|while|switch)\b", re.IGNORECASE)
_MIDDLE = lazy_pattern(
    r"(?:\{%[-+~]?|<%-?|<\?(?:php)?)\s*(?:else|elif|elseif|elsif|when|case|default)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Region:
    """One piece of template syntax. `outputs` where it writes a value, else it steers or comments.

    `place` is where it is in the markup: between tags, in the value of an attribute, or elsewhere in a tag.
    """

    span: Span
    outputs: bool
    place: str = "text"


class Finder:
    """Finds where regions end, for offsets that grow; no stretch is searched twice for the same closer."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[int, int]] = {}  # by closer: from where it was looked for, and where it is

    def region_at(self, at: int) -> Region | None:
        """The region that begins at an offset."""
        text = self._text
        opener = _OPENER.match(text, at)
        if opener is None:
            return None
        closer, outputs = self._closer(at, opener.group())
        end = self._end(closer, opener.end())
        if end is None and opener.group() == "<?" and text.startswith(("<?php", "<?="), at):
            end = len(text)
        if end is None or self._is_prose(at, end, opener.group()):
            return None
        return Region(Span(at, end), outputs)

    def within(self, start: int, end: int) -> Iterator[Region]:
        """The regions that lie inside a stretch, from left to right."""
        at = start
        while opener := _OPENER.search(self._text, at, end):
            region = self.region_at(opener.start())
            if region is not None and region.span.end <= end:
                yield region
                at = region.span.end
            else:
                at = opener.start() + 1

    def _closer(self, at: int, opener: str) -> tuple[str, bool]:
        text = self._text
        match opener:
            case "{{":
                if text.startswith("{{!--", at):
                    return "--}}", False
                if text.startswith("{{{", at):
                    return "}}}", True
                return "}}", _HANDLEBARS.match(text, at) is None and not text.startswith(("{{!", "{{>"), at)
            case "<%":
                return "%>", text.startswith(("<%=", "<%-", "<%=="), at)
            case "<?":
                return "?>", text.startswith("<?=", at)
            case _:
                return ("%}", False) if opener == "{%" else ("#}", False)

    def _end(self, closer: str, start: int) -> int | None:
        since, found = self._found.get(closer, (start, start - 1))
        if not since <= start <= found and not (since <= start and found == len(self._text)):
            at = self._text.find(closer, start)
            since, found = start, at if at >= 0 else len(self._text)
            self._found[closer] = (since, found)
        return None if found == len(self._text) else found + len(closer)

    def _is_prose(self, start: int, end: int, opener: str) -> bool:
        if opener in ("<%", "<?") or self._text.startswith("{{!", start):
            return False
        if self._text.find(opener, start + 3, end) >= 0:
            return True  # what begins again before it ends; so no stretch is looked at for two openers
        if opener == "{#":
            return not self._text[start + 2 : start + 3].isspace() and "<" in self._text[start:end]
        return "<" in self._text[start:end] and _TAG_OUTSIDE_QUOTES.match(self._text, start, end) is not None


def ended_words(text: str, regions: Iterable[Region]) -> frozenset[str]:
    """The words of a page that an `end…` closes: only those open something."""
    found = (_JINJA.match(text, *region.span) for region in regions)
    return frozenset(match.group(2) for match in found if match is not None and match.group(1))


def are_whole(text: str, regions: Iterable[Region], ended: frozenset[str]) -> bool:
    """Whether every construct that opens among some regions closes among them, and no branch of an outer one is there.

    >>> page = "{% if a %}x{% else %}y{% endif %}"
    >>> regions = list(Finder(page).within(0, len(page)))
    >>> ended = ended_words(page, regions)
    >>> are_whole(page, regions, ended), are_whole(page, regions[1:2], ended)
    (True, False)
    """
    depth = 0
    for region in regions:
        lowest, change = _effect(region.span.of(text), ended)
        if depth + lowest < 0:
            return False
        depth += change
    return depth == 0


def _effect(code: str, ended: frozenset[str]) -> tuple[int, int]:
    """How far a region steps out of the construct it is in, and how many more are open behind it."""
    if _MIDDLE.match(code) and "{" not in code[2:-2]:
        return -1, 0
    if code.startswith("{{"):
        found = _HANDLEBARS.match(code)
        word = found.group(1) if found else ""
        return (0, 1) if word == "#" or word == "^" else (-1, -1) if word == "/" else (-1, 0) if word else (0, 0)
    if code.startswith("{%"):
        return _jinja(code, ended)
    if code.startswith(("<%", "<?")):
        return _program(code)
    return 0, 0


def _jinja(code: str, ended: frozenset[str]) -> tuple[int, int]:
    found = _JINJA.match(code)
    if found is None:
        return 0, 0
    if found.group(1):
        return -1, -1
    return (0, 1) if found.group(2) in ended else (0, 0)


def _program(code: str) -> tuple[int, int]:
    if _RUBY_CLOSES.match(code) or _PHP_CLOSES.match(code):
        return -1, -1
    if (_RUBY_OPENS.search(code) and "{" not in code) or _PHP_OPENS.match(code):
        return 0, 1
    lowest = depth = 0
    for brace in re.findall(r"[{}]", code):
        depth += 1 if brace == "{" else -1
        lowest = min(lowest, depth)
    return lowest, depth


FILLER = "\ue000"  # a letter that no page has a use for
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


def pieces_of(value: str) -> Iterator[tuple[str, Region | None]]:
    """A text by itself in pieces, each with the region that it is, if it is template syntax."""
    at = 0
    for region in Finder(value).within(0, len(value)) if may_begin_region(value) else ():
        yield value[at : region.span.start], None
        yield region.span.of(value), region
        at = region.span.end
    yield value[at:], None


def mask_value(value: str, *, text: bool = False) -> str:
    """What an attribute's value, or a text, is read as where its template syntax is covered."""
    pieces = pieces_of(value)
    return "".join(_cover(piece, letters=one.outputs and not text) if one else piece for piece, one in pieces)


def cover_all(value: str) -> str:
    """A value with all its template syntax covered by letters, also what writes nothing."""
    return "".join(_cover(piece, letters=True) if region else piece for piece, region in pieces_of(value))


def _cover(written: str, *, letters: bool) -> str:
    return FILLER * len(written) if letters else _NOT_BLANK.sub(" ", written)


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
            check_cancelled_at(count)
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
        cover = _cover(region.span.of(self._text), letters=letters)
        self._pieces += [self._text[self._done : start], first + cover[1:] if letters else cover]
        self._done = end
        self._regions.append(replace(region, place=place))
        return end

    def _comment(self, start: int) -> int:
        """Comments stay as they are; what is in them still opens and closes."""
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
    # A letter is found in a hundredth of the time, and without it only one of them can be there.
    return (_OPENER if "{" in text or "%" in text else _PROCESSING).search(text) is not None


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
