"""Elements of an HTML page by CSS selector: what a selector costs, what it may have meant, and the target.

A selector is matched on the tree a browser would make of the page; what it matches is located in the source. An
element the parser made up, moved or repaired is refused with the reason, never approximated.
Only `:has()` is ever expensive: it looks at everything beneath an element, and where more of the selector follows it,
it does so again for every element. The cost is known before matching starts, which cannot be stopped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import ClassVar, overload

from steadyhand.errors import Kind
from steadyhand.hints import SendAddress
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.schema import bad_request, check_text
from steadyhand.structure.html.element import ElementNode, address_of
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.template import may_begin_region
from steadyhand.structure.html.tree import bad_selector
from steadyhand.structure.node import Node, Refusal
from steadyhand.structure.target import Addressed
from steadyhand.text.match import Occurrence
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source

_PARENTHESIS = lazy_pattern(r"(:has)?\(|\)", re.IGNORECASE)
_GROUP = lazy_pattern(r"\([^()]*+\)")
_MORE_BEHIND = lazy_pattern(r":has[^,()\s>+~]*+(?:\s*+[>+~]|\s++[^,)\s])", re.IGNORECASE)
_MOST = 2_000_000_000  # looks; some seconds
_DEEPEST = 50


def nested_has(css: str) -> int | None:
    """Where a `:has()` stands inside another, which CSS forbids.

    >>> nested_has("p:has(a:has(b))")
    7
    """
    open_ones: list[bool] = []
    for found in _PARENTHESIS.finditer(css):
        if found.group() == ")":
            del open_ones[-1:]
        elif found.group(1) and any(open_ones):
            return found.start()
        else:
            open_ones.append(found.group(1) is not None)
    return None


def is_too_dear(page: Page, css: str) -> bool:
    """Whether matching a selector could take minutes."""
    if ":has" not in css.lower() or not _has_more_behind(css):
        return False
    return css.lower().count(":has") * sum(size * size for size in _sizes(page.parents)) > _MOST


def _has_more_behind(css: str) -> bool:
    """Whether a combinator follows a `:has()`; groups are folded from the inside and leave their `:has` behind."""
    for _ in range(_DEEPEST):
        if not _GROUP.search(css):
            break
        css = _GROUP.sub(lambda group: ":has" if ":has" in group.group().lower() else "", css)
        if _MORE_BEHIND.search(css) is not None:
            return True
    return "(" in css


def _sizes(parents: Sequence[int]) -> list[int]:
    """How many elements each one holds, itself included."""
    sizes = [1] * len(parents)
    for index in range(len(parents) - 1, -1, -1):
        if parents[index] >= 0:
            sizes[parents[index]] += sizes[index]
    return sizes


_SHOWN = 8
_MOST_WORDS = 5_000
_NAMING = lazy_pattern(r"[.#\[]")  # what names an element, and not only its kind
_LAST_COMPOUND = lazy_pattern(r"[^\s>+~,]+\s*\Z")
_SIMPLE = lazy_pattern(r"\[[^\]]*+\]?|::?[\w-]+(?:\([^()]*+\)?)?|[.#]?[\w-]+|\*")


def nearest_elements(page: Page, css: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """At most a few elements that are similar, the likeliest first, and some that there are instead.

    Where a selector names an id, a class or an attribute, an element that has only its tag is not similar.
    """
    scores: Counter[int] = Counter()
    telling: set[int] = set()
    for weight, used in _hints(page, css):
        indexes = _select(page, used)[: _SHOWN * 4]
        scores.update(dict.fromkeys(indexes, weight))
        if _NAMING.search(used) or not _NAMING.search(css):
            telling.update(indexes)
    best = sorted(scores, key=lambda index: (-scores[index], index))
    named = [index for index, node in enumerate(page.nodes) if node.attr("id") or node.attr("class")]
    others = dict.fromkeys([*(index for index in best if index not in telling), *named])
    near = [index for index in best if index in telling]
    return [_shown(page, each) for each in near[:_SHOWN]], [_shown(page, each) for each in islice(others, _SHOWN)]


def written_with(page: Page, texts: list[str]) -> list[dict[str, object]]:
    """The first few elements whose start tags have all these texts in them, as they are written."""
    starts = ((index, page.element(index).start_tag) for index in range(len(page.nodes)))
    source = page.source.text
    found = (index for index, tag in starts if tag is not None and all(text in tag.of(source) for text in texts))
    return [_shown(page, index) for index in islice(found, _SHOWN)]


def _hints(page: Page, css: str) -> Iterable[tuple[int, str]]:
    """Weights and the selectors whose elements earn them."""
    last = _LAST_COMPOUND.search(css)
    parts = _SIMPLE.findall(last.group()) if last else []
    start = last.start() if last else 0
    for drop in range(len(parts)):
        rest = "".join(part for at, part in enumerate(parts) if at != drop)
        yield 4, css[:start] + rest
        yield 2, rest
    for part in parts:
        yield 2, part
        yield from ((1, other) for other in _otherwise(part))
        yield from zip((3, 2, 1), _near_words(page, part), strict=False)


def _select(page: Page, css: str) -> list[int]:
    if not css.strip() or css.strip() == "*" or bad_selector(css) is not None or is_too_dear(page, css):
        return []
    return page.select(css)


def _otherwise(part: str) -> list[str]:
    """What a part of a selector is mixed up with: a heading of another level, a class or an id, another value."""
    if re.fullmatch(r"h[1-6]", part):
        return ["h1, h2, h3, h4, h5, h6"]
    if attribute := re.match(r"\[\s*([\w-]+)", part):
        return [f"[{attribute[1]}]"]
    name = part.lstrip(".#")
    return [sign + name for sign in ("", ".", "#") if sign + name != part] if re.fullmatch(r"[\w-]+", name) else []


def _near_words(page: Page, part: str) -> list[str]:
    """Ids, classes or tags of the page that are spelled almost like this one."""
    sign = part[:1] if part[:1] in ".#" else ""
    if not re.fullmatch(r"[.#]?[\w-]+", part):
        return []
    words: dict[str, None] = {}
    for index, node in enumerate(page.nodes):
        values = {"": [page.extents.tags[index]], "#": [node.attr("id") or ""], ".": (node.attr("class") or "").split()}
        words.update(dict.fromkeys(word for word in values[sign] if re.fullmatch(r"[A-Za-z_][\w-]*", word)))
        if len(words) > _MOST_WORDS:
            break
    asked = part[len(sign) :][:100]
    return [f"{sign}{word}" for word in similar_names(asked, words, 3)]


def _shown(page: Page, index: int) -> dict[str, object]:
    node = page.nodes[index]
    element = page.element(index)
    facts: dict[str, object] = {"address": address_of(page, index), "tag": element.tag}
    if node.attr("id"):
        facts["id"] = node.attr("id")
    if node.attr("class"):
        facts["classes"] = (node.attr("class") or "").split()[:10]
    return facts | ({"line": page.source.line_of(element.span.start)} if element.start_tag is not None else {})


_LONGEST = 5_000
_QUOTED = lazy_pattern(r"\"[^\"]*+\"|'[^']*+'|\\.", re.DOTALL)
_PSEUDO_ELEMENT = lazy_pattern(r"::[\w-]+|:(?:before|after|first-line|first-letter)\b")
_DYNAMIC = lazy_pattern(
    r":(?:hover|active|focus|focus-within|focus-visible|visited|target|target-within|current|past|future|playing|paused"
    r"|seeking|buffering|stalled|muted|fullscreen|modal|popover-open|picture-in-picture|autofill|user-invalid|user-valid"
    r"|defined|host)\b"
)
_POSITION = lazy_pattern(r"\bat position ([0-9]+)\Z")


@dataclass(frozen=True, slots=True)
class Selector(Addressed):
    """The elements that a CSS selector matches; `part` is the element or what is inside it.

    >>> Selector("li.done").locate(Source.of_text("<ul><li>a<li class=done>b</ul>")).span
    Span(start=9, end=25)
    """

    key: ClassVar[str] = "selector"
    examples: ClassVar[tuple[str, ...]] = ("selector:#cta", "selector[2]:ul.menu > li", "selector.inner:main")
    main: ClassVar[str] = "css"
    parts: ClassVar[tuple[str, ...]] = ("element", "inner")

    css: str
    nth: int | None = None
    part: str = "element"

    def __post_init__(self) -> None:
        self._check_shared()
        check_text(self.css, "selector.css")
        if not self.css.strip():
            raise bad_request("selector.css", "the selector is empty", "such as #main or ul.menu > li:first-child")
        if len(self.css) > _LONGEST:
            raise bad_request("selector.css", f"the selector is longer than {_LONGEST} characters", "a shorter one")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        """Every element that matches; those whose place is not to be trusted have their flaw with them."""
        page = page_of(source)
        if isinstance(page, Refusal):
            return page
        wrong = self._wrong(page)
        if wrong is not None:
            return wrong
        return _Matches(self, page, page.select(self.css)) or self._missing(page)

    def resolve(self, source: Source, which: Occurrence = "unique") -> tuple[Node, ...] | Refusal:
        """The elements that are meant, if each of them is where the source says."""
        found = Addressed.resolve(self, source, which)
        if isinstance(found, Refusal):
            return found
        flaw = next((node.flaw for node in found if isinstance(node, ElementNode) and node.flaw is not None), None)
        if flaw is None:
            return found
        return Refusal(
            Kind.UNPARSABLE,
            f"{self.named()}: {flaw}",
            "choose an element inside or around it, or edit by its text",
            {"selector": self.css[:200]},
        )

    def node(self, page: Page, index: int) -> ElementNode:
        """The node of an element that matches."""
        element = page.element(index)
        flaw = page.flaw_of(element)
        if flaw is None and self.part == "inner" and (element.is_void or element.closes_itself):
            flaw = f"<{element.tag}> has no content, line {page.source.line_of(element.span.start)}"
        span = element.inner if self.part == "inner" else element.span
        return ElementNode("element", span, page, index, self.part, flaw, self.css, self.nth)

    def _wrong(self, page: Page) -> Refusal | None:
        plain = _QUOTED.sub(lambda found: "_" * len(found.group()), self.css)
        pseudo = _PSEUDO_ELEMENT.search(plain)
        if pseudo is not None:
            said = f"{pseudo.group()} is not an element of the page, at position {pseudo.start()}"
            return self._bad(said, f"select the element itself: {self.css[: pseudo.start()] or '*'!s:.60}")
        nested = nested_has(plain)
        reason = bad_selector(self.css) if nested is None else f":has() in :has(), at position {nested}"
        if reason is not None:
            return self._bad(reason, "write a CSS selector, such as #main or ul.menu > li:first-child")
        return self._dear() if is_too_dear(page, plain) else None

    def _dear(self) -> Refusal:
        return Refusal(
            Kind.TOO_LARGE,
            f"{self.named()}: the page is too large for a :has() with more of the selector behind it",
            "end the selector with its :has(), or name the element by id, class or place",
        )

    def _bad(self, reason: str, hint: str) -> Refusal:
        position = _POSITION.search(reason)
        details: dict[str, object] = {"path": "selector.css"}
        if position is not None:
            details["position"] = int(position.group(1))
        return Refusal(Kind.BAD_REQUEST, f"selector.css: {self.css[:80]!r} is not a selector: {reason}", hint, details)

    def _missing(self, page: Page) -> Refusal:

        dynamic = _DYNAMIC.search(_QUOTED.sub("", self.css))
        if dynamic is not None:
            return self._bad(f"{dynamic.group()} never holds in a file", "leave the pseudo-class out")
        quoted = [found.group()[1:-1] for found in _QUOTED.finditer(self.css) if may_begin_region(found.group())]
        near, others = (written_with(page, quoted), []) if quoted else nearest_elements(page, self.css)
        shown = ", ".join(f"{fact['address']} (line {fact.get('line', '?')})" for fact in (near or others)[:4])
        what = "similar" if near else "none is similar; there are"
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"{self.named()} matches no element"
            + (": no selector looks into template syntax" if quoted else "")
            + (f"; {what}: {shown}" if shown else ""),
            SendAddress(str(near[0]["address"])) if near else "read the outline of the page for the selectors it has",
            {"nearest": near} if near else {"nearest": [], "available": others},
        )


class _Matches(Sequence[Node]):
    """What a selector matches: a node is made for those that somebody looks at, since places take time to find."""

    def __init__(self, selector: Selector, page: Page, indexes: list[int]) -> None:
        self._selector, self._page, self._indexes = selector, page, indexes

    def __len__(self) -> int:
        return len(self._indexes)

    @overload
    def __getitem__(self, at: int) -> Node: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Node]: ...

    def __getitem__(self, at: int | slice) -> Node | Sequence[Node]:
        if isinstance(at, slice):
            return _Matches(self._selector, self._page, self._indexes[at])
        return self._selector.node(self._page, self._indexes[at])


TARGET = Selector
