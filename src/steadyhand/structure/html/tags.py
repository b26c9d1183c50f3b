"""Start tags as they are written: every attribute with its name, its value inside the quotes, and the duplicates.

The rules are those of the HTML tokenizer; whoever uses them compares the names with what the parser made of the tag.
"""

from __future__ import annotations

import re

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.span import Span

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
