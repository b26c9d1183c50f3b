"""Several changes of one page at once: each is proved by itself, here that they do not get in each other's way.

Every tag that no change touches must be there afterwards, with the same elements around it, every tag that is written
must be one, and no other may come to be. Texts are followed only where changes meet in one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from itertools import accumulate, pairwise

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.fragment import TEXT_ONLY
from steadyhand.structure.html.mask import mask
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.html.tree import tags_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

Around = tuple[int, tuple[str, ...]]
_UNFINISHED = lazy_pattern(r"(?:&[#0-9A-Za-z]*+|<[^<>]*+)\Z")  # what the next letters may go on with
_LONGEST = 60  # characters that are looked at for it


def prove_together(source: Source, proposal: Proposal) -> Proposal | Refusal:
    """The proposal of several changes, if what none of them touches is read as before."""
    before = page_of(source)
    after = page_of(Source.of_text(ChangeSet(proposal.splices).apply(source.text), path=source.path))
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
        around, made = _around(before, old, pairs.keys())
        if (pairs.get(around, -1), made) != _around(after, new, images):
            return _clash(source, before, old)
    return _misread(source, proposal, after, images) or proposal


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


def _around(page: Page, index: int, kept: Collection[int]) -> Around:
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
