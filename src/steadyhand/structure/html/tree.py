"""The only door to the parser: text to tree, behind the guard; offsets of the tree back to offsets of the text.

No other module may call it. What must not be parsed is refused here, before it is parsed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.guard import is_safe, mentions_template
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag


_CRLF = lazy_pattern(r"\r\n")


def parse_tree(text: str, *, locations: bool = False) -> Document | Refusal:
    """The tree of a page, or why it is not made."""
    if not is_safe(text):
        return Refusal(
            Kind.UNPARSABLE,
            "the page has a <template> inside SVG or MathML, or behind a drawing that is not plainly closed;"
            " the parser cannot be trusted with it",
            "edit by the text that stands there, or by lines",
        )
    import turbohtml

    return turbohtml.parse(text, source_locations=locations, allow_declarative_shadow_roots=False)


def can_hold(element: Tag, fragment: str) -> bool:
    """Whether a fragment may be parsed as content of an element."""
    return not mentions_template(fragment) or (element.namespace.value == "html" and is_safe(fragment))


def parse_fragment(markup: str, holder: Tag) -> tuple[list[Tag], int]:
    """The elements of markup that is content of an element which can hold it, and how many letters its texts have."""
    import turbohtml

    space = holder.namespace.value
    context = holder.tag if space == "html" else f"{space} {holder.tag}"
    try:
        found = turbohtml.parse_fragment(markup, context, source_locations=True)
    except ValueError:  # an element that HTML does not know
        found = turbohtml.parse_fragment(markup, "div", source_locations=True)
    texts = (node.data for node in paced(found.descendants) if isinstance(node, turbohtml.Text | turbohtml.CData))
    return found.select("*"), _letters(texts)


def _letters(texts: Iterable[str]) -> int:
    """How many characters some texts have that are neither blank nor NUL."""
    return sum(len("".join(text.split())) - text.count("\0") for text in texts)


def tags_of(markup: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]], int]:
    """The start tags and end tags of some markup as they are written, name and line, and the letters between them."""
    import turbohtml

    starts: list[tuple[str, int]] = []
    ends: list[tuple[str, int]] = []
    letters = 0
    for token in paced(turbohtml.tokenize(markup)):
        if token.type is turbohtml.TokenType.START_TAG:
            starts.append((token.tag or "", token.line))
        elif token.type is turbohtml.TokenType.END_TAG:
            ends.append((f"/{token.tag}", token.line))
        elif token.type is turbohtml.TokenType.TEXT:
            letters += _letters((token.data or "",))
    return starts, ends, letters


def bad_selector(css: str) -> str | None:
    """What is wrong with a selector, and where; None where nothing is."""
    import turbohtml

    try:
        turbohtml.parse("").select(css)
    except turbohtml.SelectorSyntaxError as error:
        return str(error).rpartition('": ')[2] or str(error)
    return None


def start_tag_attributes(tag: str) -> list[tuple[str, str]] | None:
    """The attributes of a text that is one start tag and nothing else, as a tokenizer reads them."""
    import turbohtml

    tokens = list(turbohtml.tokenize(tag))
    if len(tokens) != 1 or tokens[0].type is not turbohtml.TokenType.START_TAG:
        return None
    return tokens[0].attrs or []


class Offsets:
    """From offsets of a text whose line endings were made LF to offsets of the text itself."""

    __slots__ = ("_pairs",)

    def __init__(self, text: str) -> None:
        # The n-th CR LF of the text is one character there, n places further left.
        self._pairs = [found.start() - n for n, found in enumerate(_CRLF.finditer(text))]

    def correct(self, offsets: array[int]) -> None:
        """Make offsets of the text itself of them, in place; what is below zero is none."""
        if self._pairs:
            for at, offset in enumerate(offsets):
                offsets[at] = offset + bisect_right(self._pairs, offset - 1)
