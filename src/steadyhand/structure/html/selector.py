"""Elements of an HTML page by CSS selector.

A selector is matched on the tree a browser would make of the page; what it matches is located in the source. An
element the parser made up, moved or repaired is refused with the reason, never approximated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.fields import bad_request, check_text
from steadyhand.structure.html.cost import is_too_dear, nested_has
from steadyhand.structure.html.element_node import ElementNode
from steadyhand.structure.html.mask import may_begin_region
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.tree import bad_selector
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source

_LONGEST = 5_000
_QUOTED = lazy_pattern(r"\"[^\"]*+\"|'[^']*+'")
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
        return [self._node(page, index) for index in page.select(self.css)] or self._missing(page)

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
            "choose an element inside or around it, or edit by the text that stands there",
            {"selector": self.css[:200]},
        )

    def _node(self, page: Page, index: int) -> ElementNode:
        element = page.element(index)
        flaw = page.flaw_of(element)
        if flaw is None and self.part == "inner" and (element.is_void or element.closes_itself):
            flaw = f"<{element.tag}> has no content, line {page.source.line_of(element.span.start)}"
        span = element.inner if self.part == "inner" else element.span
        return ElementNode("element", span, page, index, self.part, flaw)

    def _wrong(self, page: Page) -> Refusal | None:
        plain = _QUOTED.sub(lambda found: "_" * len(found.group()), self.css)
        pseudo = _PSEUDO_ELEMENT.search(plain)
        if pseudo is not None:
            said = f"{pseudo.group()} is no element of the page, at position {pseudo.start()}"
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
        return Refusal(Kind.BAD_REQUEST, f"selector.css: {self.css[:80]!r} is no selector: {reason}", hint, details)

    def _missing(self, page: Page) -> Refusal:
        from steadyhand.structure.html.similar import nearest_elements, written_with

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
            f"send {near[0]['address']}" if near else "read the outline of the page for the selectors it has",
            {"nearest": near} if near else {"nearest": [], "available": others},
        )


TARGET = Selector
