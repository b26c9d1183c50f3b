"""Elements of an HTML page by CSS selector: the target, the node and its verbs, and what an outline shows.

A selector is matched on the tree a browser would make of the page; what it matches is located in the source. An
element the parser made up, moved or repaired is refused with the reason, never approximated. What a selector costs is
known before matching starts, which cannot be stopped: only `:has()` is ever expensive. It looks at everything beneath
an element, and where more of the selector follows it, it does so again for every element.

The address of an element is a selector that only it answers to: by its id, by a class or tag that is rare, else by its
place. Whether it is alone is counted, not tried: one pass over the page answers for every element.

Every proposal that leaves here is proved: parsed again, the page differs by exactly what was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, ClassVar, overload

from steadyhand.errors import Kind
from steadyhand.hints import ByText, SendAddress
from steadyhand.lazy import dataclass, field, lazy_pattern, replace
from steadyhand.schema import bad_request, check_text
from steadyhand.structure.format import OutlineEntry, file_name, format_of
from steadyhand.structure.html.change import empty, insert_html, remove, replace_element, set_html
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.proof import prove_batch
from steadyhand.structure.html.template import may_begin_region
from steadyhand.structure.html.tree import Element, bad_selector
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed
from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.match import Occurrence
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag

_PLAIN = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_PLAIN_TAG = lazy_pattern(r"[a-z][a-z0-9-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Names:
    """How often each id, tag and tag with class is in a page, and each element's number among its siblings."""

    ids: Counter[str]
    tags: Counter[str]
    classes: Counter[tuple[str, str]]
    of_type: tuple[int, ...]
    of_children: tuple[int, ...]
    siblings: Counter[tuple[int, str]]


def address_of(page: Page, index: int, part: str = "element") -> str:
    """The address of an element: `selector:` and a selector that only this element answers to."""
    css, is_counted = _css(page, index)
    kind = "selector" if part == "element" else f"selector.{part}"
    if is_counted or page.select(css) == [index]:
        return f"{kind}:{css}"
    tag = page.extents.tags[index]
    rough = tag if _PLAIN_TAG.fullmatch(tag) else "*"
    return f"{kind}[{page.select(rough).index(index) + 1}]:{rough}"


def _css(page: Page, index: int) -> tuple[str, bool]:
    """A selector by id, class or place, and whether it is certain to be alone."""
    names = page.source.derive(_names)
    steps: list[str] = []
    is_counted = True
    at = index
    while at >= 0:
        short = _short(page, names, at)
        if short is not None:
            steps.append(short)
            break
        steps.append(_step(page, names, at))
        parent = page.parents[at]
        if parent >= 0 and page.extents.tags[parent] == "template":
            is_counted = False  # what is in a template is no child of it
            steps.append(" ")
        elif parent >= 0:
            steps.append(" > ")
        at = parent
    return "".join(reversed(steps)), is_counted


def _short(page: Page, names: Names, index: int) -> str | None:
    node, tag = page.nodes[index], page.extents.tags[index]
    identity = node.attr("id")
    if identity and _PLAIN.fullmatch(identity) and names.ids[identity.lower()] == 1:
        return f"#{identity}"
    if not _PLAIN_TAG.fullmatch(tag):
        return None
    if names.tags[tag.lower()] == 1:
        return tag
    for word in (node.attr("class") or "").split():
        if _PLAIN.fullmatch(word) and names.classes[tag.lower(), word.lower()] == 1:
            return f"{tag}.{word}"
    return None


def _step(page: Page, names: Names, index: int) -> str:
    tag = page.extents.tags[index]
    if not _PLAIN_TAG.fullmatch(tag):
        return f":nth-child({names.of_children[index]})"
    is_only = names.siblings[page.parents[index], tag] == 1
    return tag if is_only else f"{tag}:nth-of-type({names.of_type[index]})"


def _names(source: Source) -> Names:
    page = page_of(source)
    assert not isinstance(page, Refusal), "only a page asks for its names"
    tags = page.extents.tags
    pairs = list(zip(page.parents, tags, strict=True))
    ids = Counter(identity.lower() for node in page.nodes if (identity := node.attr("id")))
    classes = Counter(
        (tag.lower(), word.lower())
        for node, tag in zip(page.nodes, tags, strict=True)
        for word in set((node.attr("class") or "").lower().split())
    )
    of_type = _running(pairs)
    of_children = _running(page.parents)
    return Names(ids, Counter(map(str.lower, tags)), classes, of_type, of_children, Counter(pairs))


def _running(keys: Iterable[object]) -> tuple[int, ...]:
    """How often each key came so far, itself included."""
    counted: Counter[object] = Counter()
    numbers: list[int] = []
    for key in keys:
        counted[key] += 1
        numbers.append(counted[key])
    return tuple(numbers)


_LANDMARKS = frozenset(
    "title header nav main section article aside footer form table dialog template h1 h2 h3 h4 h5 h6".split()
)
_WIDEST = 60


def list_page(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Elements with an id, landmarks, headings, forms and tables, each with a selector that singles it out."""
    page = page_of(source)
    if isinstance(page, Refusal):
        return page
    entries: list[OutlineEntry] = []
    open_ends: list[int] = []  # where the entries around this one end
    for index in check_each(_worth_showing(page)):
        element = page.element(index)
        if page.flaw_of(element) is not None:
            continue
        while open_ends and open_ends[-1] <= element.span.start:
            open_ends.pop()
        entries.append(
            OutlineEntry(address_of(page, index), "element", _label(page, index), element.span, len(open_ends)),
        )
        open_ends.append(element.span.end)
    return entries


def _worth_showing(page: Page) -> list[int]:
    """In the order of the file, which is not the order of the tree where the parser moved something."""
    tags = page.extents.tags
    found = [
        index
        for index, node in enumerate(check_each(page.nodes))
        if tags[index] in _LANDMARKS
        or node.attr("id")
        or (tags[index] == "meta" and (node.attr("name") or "").lower() == "description")
    ]
    return sorted(found, key=lambda index: page.element(index).span.start)


def _label(page: Page, index: int) -> str:
    """The start of a tag as a selector would say it, and the first words of a heading."""
    node, tag = page.nodes[index], page.extents.tags[index]
    marks = "".join(f".{word}" for word in (node.attr("class") or "").split()[:3])
    name = f"{tag}#{node.attr('id')}{marks}" if node.attr("id") else f"{tag}{marks}"
    words = " ".join(page.element(index).inner.of(page.source.text)[:200].split()) if tag in _HEADINGS else ""
    plain = "".join(piece.rpartition(">")[2] for piece in words.split("<")).strip()
    return f"{name} {plain}".strip()[:_WIDEST]


_HEADINGS = frozenset("title h1 h2 h3 h4 h5 h6".split())


_POSITIONS: dict[str, dict[Where, str]] = {
    "element": {"before": "beforebegin", "after": "afterend", "start": "afterbegin", "end": "beforeend"},
    "inner": {"before": "afterbegin", "after": "beforeend", "start": "afterbegin", "end": "beforeend"},
}


@dataclass(frozen=True, slots=True)
class ElementNode(Node):
    """One element by its number in document order; `part` is the whole of it or its content.

    `flaw` says why its place in the source is not to be trusted; a target never hands such a node out.
    `css` is the selector it was found by, `nth` which of its matches it is, where the selector says so.
    """

    kind: str
    span: Span
    page: Page = field(compare=False, repr=False)
    index: int
    part: str = "element"
    flaw: str | None = None
    css: str = field(default="", compare=False, repr=False)
    nth: int | None = field(default=None, compare=False, repr=False)

    @property
    def address(self) -> str:
        """A selector that only this element answers to; found out when somebody asks: all of the page is counted."""
        return address_of(self.page, self.index, self.part)

    def open(self) -> tuple[Page, Element]:
        """The page and the element in it."""
        return self.page, self.page.element(self.index)

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if new == self.own_text(source):
            return Proposal.of(source, (self.span, new))
        return set_html(*self.open(), new) if self.part == "inner" else replace_element(*self.open(), new)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:  # noqa: ARG002
        return insert_html(*self.open(), text, _POSITIONS[self.part][where])

    def proved_later(self) -> ElementNode:
        return replace(self, page=replace(self.page, is_proved_later=True))

    def prove_batch(self, source: Source, proposal: Proposal) -> Proposal | Refusal:  # noqa: ARG002
        """The innermost changes first: an element that goes takes those inside it along."""
        parts = proposal.meaning if isinstance(proposal.meaning, tuple) else ()
        return prove_batch(self.page, proposal, parts[::-1])

    def delete(self, source: Source) -> Proposal | Refusal:  # noqa: ARG002
        return empty(*self.open()) if self.part == "inner" else remove(*self.open())

    def propose_batch(
        self, source: Source, asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]]
    ) -> Sequence[Proposal] | None:
        """The changes are made to one tree, each selector is asked again before its turn, and the end is proved.

        No edit may write what another looks at.
        """
        nodes: list[ElementNode] = []
        made: list[Proposal] = []
        page, later = self.page, self.proved_later().page
        for node, propose in asked:
            if not isinstance(node, ElementNode):
                return None
            proposal = propose(
                ElementNode(node.kind, node.span, later, node.index, node.part, node.flaw, node.css, node.nth)
            )
            if not isinstance(proposal, Proposal):
                return None
            nodes.append(node)
            made.append(proposal)
        if any(":dir" in node.css.lower() for node in nodes):  # the only selector that texts matter to
            return None
        pairs = zip(nodes, made, strict=True)
        regions = sorted(_region(source, page.element(node.index), proposal) for node, proposal in pairs)
        if any(one.end > two.start or (one.end == two.start and one.is_empty) for one, two in pairwise(regions)):
            return None

        def look(tree: Document, tags: list[Tag], number: int) -> bool:
            found, node = tree.select(nodes[number].css), nodes[number]
            place = 0 if node.nth is None else node.nth - (node.nth > 0)
            is_there = len(found) == 1 if node.nth is None else -len(found) <= place < len(found)
            return is_there and found[place] == tags[node.index]

        splices = sorted((splice for one in made for splice in one.splices), key=lambda splice: splice.span)
        whole = prove_batch(page, Proposal(tuple(splices)), made, look)
        if isinstance(whole, Refusal):
            return None
        return [*made[:-1], replace(made[-1], after=source.apply(ChangeSet(tuple(splices))))]


def _region(source: Source, element: Element, proposal: Proposal) -> Span:
    """What an edit looks at and writes: a start tag, some content, or all lines of an element and what is beside it."""
    if not proposal.splices:
        return element.span
    first, last = proposal.splices[0], proposal.splices[-1]
    if element.start_tag is not None and element.span.start < first.start and last.end < element.start_tag.end:
        return element.start_tag
    if element.inner.start <= first.start and last.end <= element.inner.end:
        return Span(first.start, last.end)
    rows = source.table.rows_of(Span(min(element.span.start, first.start), max(element.span.end, last.end)))
    return Span(source.table.start(rows[0]), source.table.start(rows[1] + 1))


_PARENTHESIS = lazy_pattern(r"(:has)?\(|\)", re.IGNORECASE)
_GROUP = lazy_pattern(r"\([^()]*+\)")
_MORE_BEHIND = lazy_pattern(r":has[^,()\s>+~]*+(?:\s*+[>+~]|\s++[^,)\s])", re.IGNORECASE)
_MOST = 2_000_000_000  # looks; some seconds
_DEEPEST = 50


def nested_has(css: str) -> int | None:
    """Where a `:has()` is inside another, which CSS forbids.

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
_SELECTOR = "write a CSS selector, such as #main or ul.menu > li:first-child"
_QUOTED = lazy_pattern(r"\"[^\"]*+\"|'[^']*+'|\\.", re.DOTALL)
_PSEUDO_ELEMENT = lazy_pattern(r"::[\w-]+|:(?:before|after|first-line|first-letter)\b")
_DYNAMIC = lazy_pattern(
    r":(?:hover|active|focus|focus-within|focus-visible|visited|target|target-within|current|past|future|playing|paused"
    r"|seeking|buffering|stalled|muted|fullscreen|modal|popover-open|picture-in-picture|autofill|user-invalid|user-valid"
    r"|defined|host)\b"
)
_POSITION = lazy_pattern(r"\bat position ([0-9]+)\Z")


def no_page(path: str | None) -> Refusal | None:
    """Why a file has no elements: Vue, Svelte, JSX and XML look like HTML, and end tags and elements elsewhere."""
    found, name = format_of(path), "" if path is None else file_name(path)
    if found.name in ("html", "php") if found is not None else "." not in name or name.endswith(".svg"):
        return None
    return refuse(
        f"{path} is not an HTML page",
        ByText() if found is None else f"use an address from the outline of this {found.name} file, or edit by text",
        {"path": path},
    )


@dataclass(frozen=True, slots=True)
class Selector(Addressed):
    """The elements that a CSS selector matches; `part` is the element or its content.

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
        page = no_page(source.path) or page_of(source)
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
        if ":" not in self.css:
            reason = bad_selector(self.css)
            return None if reason is None else self._bad(reason, _SELECTOR)
        plain = _QUOTED.sub(lambda found: "_" * len(found.group()), self.css)
        pseudo = _PSEUDO_ELEMENT.search(plain)
        if pseudo is not None:
            said = f"{pseudo.group()} is not an element of the page, at position {pseudo.start()}"
            return self._bad(said, f"select the element itself: {self.css[: pseudo.start()] or '*'!s:.60}")
        nested = nested_has(plain)
        reason = bad_selector(self.css) if nested is None else f":has() in :has(), at position {nested}"
        if reason is not None:
            return self._bad(reason, _SELECTOR)
        if not is_too_dear(page, plain):
            return None
        return Refusal(
            Kind.TOO_LARGE,
            f"{self.named()}: the page is too large for a :has() with more of the selector after it",
            "end the selector with its :has(), or select the element by id, class or position",
        )

    def _bad(self, reason: str, hint: str) -> Refusal:
        position = _POSITION.search(reason)
        details: dict[str, object] = {"path": "selector.css"}
        if position is not None:
            details["position"] = int(position.group(1))
        return refuse(f"selector.css: {self.css[:80]!r} is not a selector: {reason}", hint, details)

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
            + (": selectors do not see inside template syntax" if quoted else "")
            + (f"; {what}: {shown}" if shown else ""),
            SendAddress(str(near[0]["address"])) if near else "the outline of the page lists its selectors",
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
