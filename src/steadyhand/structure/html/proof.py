"""The proof that a change of a page does what was asked and nothing else, of one change and of several.

A short page that stands for a long one: an element in the elements around it, without all that is beside them.

A change of the element means the same in both: a parser that comes to it knows nothing of what it has read but which
elements are open. So the change is proved on the short page, with marks behind the element that would show if the
parser left it in another state. Where that reasoning has a gap there is no excerpt: in the head and in drawings, with
forms, frames and templates, with template syntax, and where the parser had to repair what is around the element.

The proof of a proposal: the page after it, parsed, is the tree before it with the asked change made to it.

Two trees are made for every proof and thrown away. A proposal that makes the parser read anything else of the page
differently is refused; nothing is ever adjusted to make a proof succeed.

Several changes of one page at once: each is proved by itself, here that they do not get in each other's way.

Every tag that no change touches must be there afterwards, with the same elements around it, every tag that is written
must be one, and no other may come to be. Texts are followed only where changes meet in one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.template import mask, may_begin_region, opens_region
from steadyhand.structure.html.tree import DROPS_NEWLINE, TEXT_ONLY, Element, parse_tree, tags_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from turbohtml import Document
    from turbohtml import Element as Tag


Excerpt = tuple[Page, Element, Proposal]

_LONG = 20_000  # characters of a page that is worth an excerpt
_MOST_BESIDE = 2_000  # characters of text beside the element, and of what stands before the first tag
_GAPS = lazy_pattern(r"</?(?:form|frame|frameset|template|plaintext|body|html|head)(?=[\t\n\f\r />])", re.IGNORECASE)
_FRAMES = lazy_pattern(r"<(?:frameset|plaintext)", re.IGNORECASE)
_NOT_AROUND = frozenset("select optgroup option template noscript head frameset".split())
_TABULAR = frozenset("table tbody thead tfoot tr colgroup".split())
_MADE = {
    "html": "",
    "body": "<body>",
    "tbody": "<tbody>",
}  # what may have no tag of its own, and what is written for it
_MARK = "<!--mark-->"


def excerpt_of(page: Page, element: Element, proposal: Proposal) -> Excerpt | None:
    """The short page, the element in it and the proposal for it; None where only the whole page can tell."""
    is_long = len(page.source.text) >= _LONG
    return cut_out(page, element, proposal) if is_long and page.source.derive(is_regular) else None


def is_regular(source: Source) -> bool:
    """Whether a page has no template syntax, no frames, and no formatting that the parser had to repeat."""
    page = page_of(source)
    if isinstance(page, Refusal) or may_begin_region(source.text) or _FRAMES.search(source.text):
        return False
    return page.extents.is_tidy


def cut_out(page: Page, element: Element, proposal: Proposal) -> Excerpt | None:
    """The excerpt of a page that is regular, however long it is."""
    text = page.source.text
    around, kept = _around(page, element), _kept(text, element, proposal)
    if around is None or kept is None or not _is_closed(element) or not _is_closed(_element_before(page, element)):
        return None
    before = _opening(page, around) + _MARK
    marks = _MARK if around[-1].tag in _TABULAR else f"{_MARK}mark<wbr>{_MARK}"
    closing = "".join(f"</{outer.tag}>" for outer in reversed(around))
    after = ChangeSet(tuple(splice.shift(-kept.start) for splice in proposal.splices)).apply(kept.of(text))
    if any(_GAPS.search(part) or may_begin_region(part) for part in (kept.of(text), after)):
        return None
    shift = len(before) - kept.start
    moved = replace(proposal, splices=tuple(splice.shift(shift) for splice in proposal.splices))
    short = page_of(Source.of_text(before + kept.of(text) + marks + closing))
    found = None if isinstance(short, Refusal) else _find(short, element.span.start + shift)
    if isinstance(short, Refusal) or found is None or found.flaw is not None:
        return None
    is_same = found.span.length == element.span.length and _path(short, found) == _path(page, element)
    return (short, found, moved) if is_same else None


def _is_closed(element: Element | None) -> bool:
    """Whether an element is not open any more behind itself, or there is none."""
    return element is None or element.is_void or element.closes_itself or element.end_tag is not None


def _element_before(page: Page, element: Element) -> Element | None:
    from turbohtml import Element as Tag

    node = page.nodes[element.index].previous_sibling
    while node is not None and not isinstance(node, Tag):
        node = node.previous_sibling
    return None if node is None else page.element(page.number(node))


def _around(page: Page, element: Element) -> list[Element] | None:
    """The elements around it, outermost first, where each is of a kind that holds no surprise."""
    found: list[Element] = []
    parent = element.parent
    while parent >= 0:
        outer = page.element(parent)
        is_sound = outer.tag in _MADE if outer.start_tag is None else outer.flaw is None
        if not is_sound or outer.tag in _NOT_AROUND or outer.namespace != "html":
            return None
        found.append(outer)
        parent = outer.parent
    if element.namespace != "html" or len(found) < 2 or found[-2].tag != "body" or found[0].tag in DROPS_NEWLINE:
        return None
    # What has no tag of its own is not yet open before the first element in it.
    is_first = found[0].start_tag is None and element.index == found[0].index + 1
    return None if is_first or page.extents.first_tag > _MOST_BESIDE else found[::-1]


def _kept(text: str, element: Element, proposal: Proposal) -> Span | None:
    """What of the source is kept: the element with the text beside it, up to the next tags."""
    start, end = text.rfind(">", 0, element.span.start) + 1, text.find("<", element.span.end)
    is_near = element.span.start - start <= _MOST_BESIDE and 0 <= end - element.span.end <= _MOST_BESIDE
    is_short = is_near and end - start <= len(text) // 2
    is_whole = all(start <= splice.start and splice.end <= end for splice in proposal.splices)
    return Span(start, end) if is_short and is_whole else None


def _opening(page: Page, around: list[Element]) -> str:
    """What decides how the page is read, and the start tags around the element."""
    text = page.source.text
    tags = (outer.start_tag.of(text) if outer.start_tag else _MADE[outer.tag] for outer in around)
    return text[: page.extents.first_tag] + "".join(tags)


def _find(short: Page, start: int) -> Element | None:
    elements = (short.element(index) for index in range(len(short.nodes)))
    return next((found for found in elements if found.start_tag and found.span.start == start), None)


def _path(page: Page, element: Element) -> list[str]:
    tags = [element.tag]
    parent = element.parent
    while parent >= 0:
        tags.append(page.extents.tags[parent])
        parent = page.parents[parent]
    return tags


Change = Callable[["Tag"], None]
_BEHIND_BODY = lazy_pattern(r"</(?:body|html)[^<>]*+>|<!--(?!-?>)[^<>]*?-->", re.IGNORECASE | re.ASCII)


class Unfit(Exception):
    """A change that the tree does not allow; its message says why."""


def prove(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    """The proposal, if it does exactly what `change` does to the element in a tree of the page before.

    A long page is read for it only where an excerpt does not do.
    """
    danger = danger_of(page, element, proposal)
    if danger is not None:
        return refuse_change(page, element, danger)
    excerpt = excerpt_of(page, element, proposal)
    if excerpt is not None and isinstance(prove_on(*excerpt, change), Proposal):
        return proposal
    return prove_on(page, element, proposal, change)


def danger_of(page: Page, element: Element, proposal: Proposal) -> str | None:
    """What a new text would do that no tree of the page shows: to a template, or where a browser runs scripts."""
    regions = page.masked.regions
    for splice in proposal.splices:
        opened = opens_region(splice.new, page.source.text, regions) if regions else None
        if opened is not None:
            return f"{opened} begins template syntax in the new text and does not end there"
        if "</noscript" in splice.new.lower() and _is_in_noscript(page, element, splice.start):
            return "it is in a <noscript>, which </noscript would end"
    return None


def _is_in_noscript(page: Page, element: Element, place: int) -> bool:
    at = element.index
    while at >= 0 and page.extents.tags[at] != "noscript":
        at = page.parents[at]
    inner = page.element(at).inner if at >= 0 else None
    return inner is not None and inner.start <= place <= inner.end


def prove_on(page: Page, element: Element, proposal: Proposal, change: Change) -> Proposal | Refusal:
    """The proposal, if it is right on this page, which is read twice for it."""
    after = parse_tree(mask(ChangeSet(proposal.splices).apply(page.source.text)).text)
    if isinstance(after, Refusal):
        return after
    before = parse_tree(page.masked.text)
    assert not isinstance(before, Refusal), "the page was parsed when the element was located"
    tail = _blanks_behind(page, element)
    _shed(before, tail)
    _shed(after, tail)
    try:
        change(before.select("*")[element.index])
    except (Unfit, ValueError) as error:
        return refuse_change(page, element, str(error))
    for tree in (before, after):
        _merge_texts(tree)
        _drop_leading_blanks(page, tree)
    if before.equals(after):
        return proposal
    return _reads_differently(page, element)


def refuse_change(page: Page, element: Element, reason: str) -> Refusal:
    """The refusal of a change that makes no sense for this element."""
    line = page.source.line_of(element.span.start)
    return Refusal(
        Kind.BAD_REQUEST,
        f"<{element.tag}>, line {line}: {reason}",
        "correct that, or choose another element or another action",
        {"line": line, "tag": element.tag},
    )


def _reads_differently(page: Page, element: Element) -> Refusal:
    line = page.source.line_of(element.span.start)
    return Refusal(
        Kind.UNPARSABLE,
        f"<{element.tag}>, line {line}: with this change a browser would read more of the page differently than asked"
        " (tags left open or not allowed in this place, or a place the parser had to repair)",
        "send markup that is complete and allowed there, or change the element around it, or edit by text",
        {"line": line, "tag": element.tag},
    )


def _blanks_behind(page: Page, element: Element) -> int:
    """How many blanks behind the end of `body` the parser moves into it: they are no part of what is changed."""
    if element.tag != "body":
        return 0
    behind = _BEHIND_BODY.sub("", to_lf(page.masked.text[element.span.end :]))
    return len(behind) if not behind.strip("\t\n\f ") else 0


def _shed(tree: Document, count: int) -> None:
    from turbohtml import Text

    body = tree.select_one("body") if count else None
    last = body.children[-1] if body is not None and body.children else None
    if isinstance(last, Text) and len(last.data) >= count:
        last.data = last.data[: len(last.data) - count]


def _merge_texts(tree: Document) -> None:
    root = tree.select_one("html")
    if root is not None:
        root.normalize()


def _drop_leading_blanks(page: Page, tree: Document) -> None:
    """Blanks at the start of a `body` that has no tag: a parser drops them, so they say nothing."""
    from turbohtml import Text

    body = tree.select_one("body")
    number = page.extents.tags.index("body") if body is not None and "body" in page.extents.tags else -1
    if body is None or number < 0 or page.element(number).start_tag is not None or not body.children:
        return
    first = body.children[0]
    if isinstance(first, Text):
        first.data = first.data.lstrip("\t\n\f\r ")
        body.normalize()


Around = tuple[int, tuple[str, ...]]
_UNFINISHED = lazy_pattern(r"(?:&[#0-9A-Za-z]*+|<[^<>]*+)\Z")  # what the next letters may go on with
_LONGEST = 60  # characters that are looked at for it


def prove_together(source: Source, proposal: Proposal) -> Proposal | Refusal:
    """The proposal of several changes, if what none of them touches is read as before."""
    changed = source.apply(ChangeSet(proposal.splices))
    before, after = page_of(source), page_of(changed)
    if isinstance(before, Refusal):
        return before
    if isinstance(after, Refusal):
        return after
    there = {start: index for index, start in enumerate(_starts(after)) if start is not None}
    moved = _moved(_starts(before), proposal)
    pairs = {index: there.get(start, -1) for index, start in moved.items()}
    images = frozenset(pairs.values())
    for old, new in pairs.items():
        if new < 0 or before.extents.tags[old] != after.extents.tags[new]:
            return _clash(source, before, old)
        around, made = _around_on_both(before, old, pairs.keys())
        if (pairs.get(around, -1), made) != _around_on_both(after, new, images):
            return _clash(source, before, old)
    return _misread(source, proposal, after, images) or replace(proposal, after=changed)


def _misread(source: Source, proposal: Proposal, after: Page, images: Collection[int]) -> Refusal | None:
    """Why the new texts are not read as each of them is by itself; None where they are."""
    new_starts = sorted(
        start for index, start in enumerate(_starts(after)) if start is not None and index not in images
    )
    located = sorted((start, index) for index, start in enumerate(_starts(after)) if start is not None)
    counted = 0
    for splice, place in zip(proposal.splices, _places(proposal), strict=True):
        there = bisect_left(new_starts, place + len(splice.new)) - bisect_left(new_starts, place)
        counted += there
        if _is_markup(after, located, place) and there != len(tags_of(mask(splice.new).text)[0]):
            return _clash_at(source, splice.start)
    if counted != len(new_starts):
        return _clash_at(source, proposal.splices[0].start)
    joined = _joined(source.text, proposal, after.source.text)
    return next((_clash_at(source, at) for at, place in joined if _is_markup(after, located, place)), None)


def _places(proposal: Proposal) -> list[int]:
    """Where each new text begins afterwards."""
    shifts = accumulate((splice.delta for splice in proposal.splices), initial=0)
    return [splice.start + shift for splice, shift in zip(proposal.splices, shifts, strict=False)]


def _is_markup(after: Page, located: list[tuple[int, int]], place: int) -> bool:
    """Whether tags can begin at an offset: not in a tag, nor in an element that has text only."""
    last = bisect_left(located, (place, -1)) - 1
    element = after.element(located[last][1]) if last >= 0 else None
    if element is None or element.start_tag is None:
        return True
    is_text = element.tag in TEXT_ONLY and element.namespace == "html" and place <= element.inner.end
    return place >= element.start_tag.end and not is_text


def _joined(before: str, proposal: Proposal, after: str) -> list[tuple[int, int]]:
    """Changes with only text between them, where something unfinished in the text may now be finished.

    Where each begins, and where its new text begins afterwards.
    """
    places = _places(proposal)
    found: list[tuple[int, int]] = []
    for (first, _), (second, place) in pairwise(zip(proposal.splices, places, strict=True)):
        ends = (place, place + len(second.new))
        if "<" not in before[first.end : second.start] and any(
            _UNFINISHED.search(after, max(0, end - _LONGEST), end) for end in ends
        ):
            found.append((second.start, place))
    return found


def _starts(page: Page) -> list[int | None]:
    spans = (page.element(index).start_tag for index in range(len(page.nodes)))
    return [None if span is None else span.start for span in spans]


def _moved(starts: list[int | None], proposal: Proposal) -> dict[int, int]:
    """Where each tag that is not taken away begins afterwards, by the number of its element."""
    places = [splice.start for splice in proposal.splices]
    shifts = [0, *accumulate(splice.delta for splice in proposal.splices)]
    found: dict[int, int] = {}
    for index, start in enumerate(starts):
        if start is None:
            continue
        passed = bisect_right(places, start)
        if passed == 0 or proposal.splices[passed - 1].end <= start:
            found[index] = start + shifts[passed]
    return found


def _around_on_both(page: Page, index: int, kept: Collection[int]) -> Around:
    """The nearest element around one that is on both sides, and what the parser put in between."""
    made: list[str] = []
    parent = page.parents[index]
    while parent >= 0 and parent not in kept:
        if page.element(parent).start_tag is None:
            made.append(page.extents.tags[parent])
        parent = page.parents[parent]
    return parent, tuple(made)


def _clash(source: Source, page: Page, index: int) -> Refusal:
    element = page.element(index)
    line = source.line_of(element.span.start)
    return _refuse(f"<{element.tag}>, line {line}, in another place", line)


def _clash_at(source: Source, at: int) -> Refusal:
    line = source.line_of(at)
    return _refuse(f"what is written in line {line} differently than each of them alone", line)


def _refuse(what: str, line: int) -> Refusal:
    said = f"with all these changes at once a browser would read {what}"
    return Refusal(Kind.UNPARSABLE, said, "make the changes one by one", {"line": line})
