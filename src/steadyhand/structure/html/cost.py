"""What a selector would cost on a page, told before it is matched: once begun, matching cannot be stopped.

Only `:has()` is ever dear. It looks at everything beneath an element, and where more of the selector stands behind it,
it does so again for every element that is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.html.page import Page

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
