"""Selectors that single out one element of a page: by its id, by a class or tag that is rare, else by its place.

Whether a selector is alone is counted, not tried: one pass over the page answers for every element.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.structure.html.page import Page, page_of
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source

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
