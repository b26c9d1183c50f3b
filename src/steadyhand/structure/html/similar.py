"""What a selector that matches nothing may have meant: elements that share its id, class or tag, or nearly so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.cost import is_too_dear
from steadyhand.structure.html.naming import address_of
from steadyhand.structure.html.page import Page
from steadyhand.structure.html.tree import bad_selector
from steadyhand.text.resemblance import similar_names

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
