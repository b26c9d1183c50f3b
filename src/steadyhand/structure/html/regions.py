"""Template syntax inside a page: Jinja, Django, Twig, Handlebars, Mustache, ERB, EJS and PHP, told from plain text.

A region is found only where its end is found too, and never where a tag stands unquoted inside: braces in prose are
prose. Nothing here understands an expression. What opens and what closes is read from the first word, and only to
refuse an edit that would part the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.span import Span

OPENER = r"\{\{|\{%|\{#|<%|<\?(?!xml)"
_ANY = lazy_pattern(OPENER)
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

    `place` is where it stands in the markup: between tags, in the value of an attribute, or elsewhere in a tag.
    """

    span: Span
    outputs: bool
    place: str = "text"


class Finder:
    """Finds where regions end, for offsets that grow; no stretch is searched twice for the same closer."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[int, int]] = {}  # by closer: from where it was looked for, and where it stands

    def region_at(self, at: int) -> Region | None:
        """The region that begins at an offset."""
        text = self._text
        opener = _ANY.match(text, at)
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
        while opener := _ANY.search(self._text, at, end):
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
    """How far a region steps out of the construct it stands in, and how many more are open behind it."""
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
