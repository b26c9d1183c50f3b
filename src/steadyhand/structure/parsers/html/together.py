"""Several changes of one page at once: each is proved by itself, here that they do not get in each other's way.

Every tag that no change touches must be there afterwards, with the same elements around it. Texts are not followed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from itertools import accumulate

from steadyhand.errors import Kind
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.parsers.html.page import Page, page_of
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source

Around = tuple[int, tuple[str, ...]]


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
    return proposal


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
    return Refusal(
        Kind.UNPARSABLE,
        f"with all these changes at once a browser would read <{element.tag}>, line {line}, in another place",
        "make the changes one by one",
        {"line": line, "tag": element.tag},
    )
