"""How text and values are written in HTML so that a parser reads them back exactly; template syntax is left alone."""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.regions import Finder

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
        piece if is_region else piece.replace("&", "&amp;").replace("<", "&lt;") for piece, is_region in _pieces(value)
    )


def write_value(value: str, quote: str) -> str:
    """A value inside quotes of one kind; an ampersand is escaped only where it would begin a reference.

    >>> write_value('?a=1&b=2&lt="x"', '"')
    '?a=1&b=2&amp;lt=&quot;x&quot;'
    """
    return "".join(
        piece if is_region else escape_references(piece).replace(quote, _FOR_QUOTE[quote])
        for piece, is_region in _pieces(value)
    )


def choose_quote(value: str, usual: str) -> str | None:
    """The kind of quotes a value can stand in: the usual one, unless the template syntax in it has that quote."""
    code = "".join(piece for piece, is_region in _pieces(value) if is_region)
    return next((quote for quote in (usual, '"', "'") if quote not in code), None)


def needs_quotes(value: str) -> bool:
    """Whether a value cannot stand without quotes."""
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


def _pieces(value: str) -> list[tuple[str, bool]]:
    """The value in pieces, each with whether it is template syntax."""
    found: list[tuple[str, bool]] = []
    at = 0
    for region in Finder(value).within(0, len(value)):
        found += [(value[at : region.span.start], False), (region.span.of(value), True)]
        at = region.span.end
    return [*found, (value[at:], False)]
