"""The parser behind its guard: text to tree, and the offsets of the tree back to offsets of the text.

No other module may call the parser. What must not be parsed is refused here: turbohtml dies (a segmentation fault,
which no handler catches) on some pages with a `template` inside SVG or MathML. A page is let through only if it is
certain that no SVG or MathML element is open where a `template` begins. This is a proof about the text, not about a
tree: every drawing before a `template` must be written so plainly that any tokenizer state it may be read in ends at
the same `</svg>`. Blanks are those of HTML and letters those of ASCII, or a name that a tokenizer does not know would
count as an end. The proof looks at no character more than a fixed number of times, and parses nothing.

Markup that is put into a page must be complete, and all of it allowed where it goes. A browser drops a `<tr>` in a
`<div>` and an end tag that closes nothing, and says nothing about it. Here every tag that is written must be there in
the tree, with its end.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.hints import ByText
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.node import Refusal
from steadyhand.text.cancel import check_each
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag


_BLANK = r"\t\n\f\r "
_VALUE = rf"(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^{_BLANK}\"'<>=`]++)"
_REST = (  # of a tag: attributes so plain that no reading of their quotes can run past the closing bracket
    rf"(?:[{_BLANK}/]++[^{_BLANK}\"'<>/=]++(?:[{_BLANK}]*+=[{_BLANK}]*+{_VALUE})?+)*+[{_BLANK}/]*+>"
)
# Elements whose content is read by other rules, inside a drawing or out of it: allowed with plain text in them only.
_LEAF = "title|desc|style|script|mi|mo|mn|ms|mtext"
_BARRED = (
    "template|foreignobject|annotation-xml|textarea|xmp|iframe|noembed|noframes|noscript|plaintext|select|frameset"
)
_DRAWING = lazy_pattern(r"<(?:svg|math)", re.IGNORECASE | re.ASCII)
_STEP = lazy_pattern(
    rf"[^<]*+(?:"
    rf"<(?P<leaf>{_LEAF})(?=[\t\n\f\r />]){_REST}[^<]*+</(?P=leaf)[\t\n\f\r ]*+>"
    rf"|<!--(?!-?>)[^<>]*?-->"
    rf"|<(?P<open>svg|math)(?=[\t\n\f\r />])(?P<rest>{_REST})"
    rf"|</(?P<close>svg|math)[\t\n\f\r ]*+>"
    rf"|</?+(?!(?:{_LEAF}|{_BARRED}|svg|math)[\t\n\f\r />])[a-z][^\t\n\f\r \"'<>/=]*+{_REST}"
    rf")",
    re.IGNORECASE | re.ASCII,
)
_CLOSES_ITSELF = lazy_pattern(r"(?:\A|[\t\n\f\r \"'])/>\Z")  # behind a bare value the slash is part of it
_TEMPLATE = lazy_pattern(r"<template", re.IGNORECASE | re.ASCII)


def is_safe(text: str) -> bool:
    """Whether a text can be parsed: no `template` begins while a drawing may be open.

    >>> is_safe('<svg><path d="M0 0"/></svg><template><p></template>'), is_safe("<svg><template></svg>")
    (True, False)
    """
    drawing = _DRAWING.search(text)
    if drawing is None:
        return True
    last = max((found.start() for found in _TEMPLATE.finditer(text, drawing.end())), default=-1)
    while drawing is not None and drawing.start() < last:
        end = _end_of_drawing(text, drawing.start())
        if end is None:
            return False
        drawing = _DRAWING.search(text, end)
    return True


def mentions_template(text: str) -> bool:
    """Whether a `template` may begin in a text: such a text is never put into a drawing."""
    return _TEMPLATE.search(text) is not None


def _end_of_drawing(text: str, start: int) -> int | None:
    """Where the drawing that begins here is closed beyond doubt; None where there is doubt."""
    open_names: list[str] = []
    at = start
    while True:
        step = _STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        if step["open"] and not _CLOSES_ITSELF.search(step["rest"]):
            open_names.append(step["open"].lower())
        elif step["close"] and (not open_names or open_names.pop() != step["close"].lower()):
            return None
        if not open_names:
            return at


_CRLF = lazy_pattern(r"\r\n")


def parse_tree(text: str, *, locations: bool = False) -> Document | Refusal:
    """The tree of a page, or why it is not made."""
    if not is_safe(text):
        return Refusal(
            Kind.UNPARSABLE,
            "the page has a <template> inside SVG or MathML, or after a drawing that may not be closed; the parser "
            "cannot be trusted with it",
            ByText(),
        )
    try:
        import turbohtml
    except ModuleNotFoundError:
        return Refusal(
            Kind.NOT_INSTALLED,
            "the HTML parser turbohtml is not installed",
            ByText("install the package turbohtml"),
            {"package": "turbohtml"},
        )

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
    texts = (node.data for node in check_each(found.descendants) if isinstance(node, turbohtml.Text | turbohtml.CData))
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
    for token in check_each(turbohtml.tokenize(markup)):
        if token.type is turbohtml.TokenType.START_TAG:
            starts.append((token.tag or "", token.line))
        elif token.type is turbohtml.TokenType.END_TAG:
            ends.append((f"/{token.tag}", token.line))
        elif token.type is turbohtml.TokenType.TEXT:
            letters += _letters((token.data or "",))
    return starts, ends, letters


@lru_cache(256)
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


Bounds = tuple[int, int, int, int]


class Offsets:
    """From offsets of a text whose line endings were made LF to offsets of the text itself."""

    __slots__ = ("_pairs",)

    def __init__(self, text: str) -> None:
        # The n-th CR LF of the text is one character there, n places further left.
        self._pairs = [found.start() - n for n, found in enumerate(_CRLF.finditer(text))] if "\r" in text else []

    def correct(self, offsets: array[int]) -> None:
        """Make offsets of the text itself of them, in place; what is below zero is none."""
        if self._pairs:
            for at, offset in enumerate(offsets):
                offsets[at] = self.corrected(offset)

    def bounds(self, bounds: Bounds) -> Bounds:
        """Where the tags of an element are in the text itself."""
        if not self._pairs:
            return bounds
        start, opened, closes, closed = map(self.corrected, bounds)
        return start, opened, closes, closed

    def corrected(self, offset: int) -> int:
        """The offset of the text itself."""
        return offset + bisect_right(self._pairs, offset - 1) if self._pairs else offset


VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
LITERAL = frozenset("script style xmp iframe noembed noframes plaintext".split())  # no character references inside
DROPS_NEWLINE = frozenset(("pre", "listing", "textarea"))  # a newline right behind the start tag does not count


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its number in document order.

    `parent`     the number of the element around it, -1 for none
    `start_tag`  None where the parser put the element in and the source has no tag for it
    `end_tag`    None where the source has none
    `span`       from its start tag to the end of its content and its end tag
    `inner`      its content: what a browser calls `innerHTML`, as it is written
    `flaw`       why its place in the source is not to be trusted; None where it is
    """

    index: int
    parent: int
    tag: str
    namespace: str
    start_tag: Span | None
    end_tag: Span | None
    span: Span
    inner: Span
    closes_itself: bool
    flaw: str | None

    @property
    def is_void(self) -> bool:
        return self.namespace == "html" and self.tag in VOID


TEXT_ONLY = LITERAL | {"textarea", "title"}
_END_OPTIONAL = frozenset("p li dt dd tr td th tbody thead tfoot option optgroup rt rp rb rtc colgroup caption".split())


def fault_of(markup: str, holder: Tag) -> str | None:
    """What is wrong with markup that is to be content of an element, with its line; None if nothing is."""
    if not markup.strip():
        return None
    if holder.namespace.value == "html" and holder.tag in TEXT_ONLY:
        tags = () if holder.tag in LITERAL else tags_of(markup)[0]
        return next(
            (f"<{name}> in line {line} of the markup is text inside <{holder.tag}>" for name, line in tags), None
        )
    elements, held = parse_fragment(markup, holder)
    starts, ends, letters = tags_of(markup)
    located: list[Tag] = []
    begun, closed = Counter[int](), Counter[int]()
    for node in check_each(elements):
        where = node.source_location
        if where is not None:
            located.append(node)
            begun[where.start_tag.start_line] += 1
            closed.update(() if where.end_tag is None else (where.end_tag.start_line,))
    return (
        _extra(starts, begun, f"is not allowed inside <{holder.tag}> in this place")
        or _extra(ends, closed, "closes nothing in it")
        or next((fault for node in check_each(located) if (fault := _open(node, markup)) is not None), None)
        or (f"text is not allowed inside <{holder.tag}> in this place" if held < letters else None)
    )


def _extra(written: list[tuple[str, int]], there: Counter[int], what: str) -> str | None:
    """The first tag on a line that has more tags than the tree has from it."""
    left = Counter(there)
    for name, line in check_each(written):
        left[line] -= 1
        if left[line] < 0:
            return f"<{name}> in line {line} of the markup {what}"
    return None


def _open(node: Tag, markup: str) -> str | None:
    where = node.source_location
    if where is None or where.end_tag is not None or node.tag in _END_OPTIONAL:
        return None
    if node.namespace.value == "html" and node.tag in VOID:
        return None
    if node.namespace.value != "html" and markup.endswith("/>", 0, where.start_tag.end_offset):
        return None
    return f"<{node.tag}> in line {where.start_tag.start_line} of the markup is left open"
