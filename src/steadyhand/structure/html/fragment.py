"""Markup that is to be put into a page: whether it is complete, and whether all of it is allowed where it goes.

A browser drops a `<tr>` in a `<div>` and an end tag that closes nothing, and says nothing about it. Here every tag
that is written must be there in the tree, with its end.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from steadyhand.structure.html.element import LITERAL, VOID
from steadyhand.structure.html.tree import parse_fragment, tags_of
from steadyhand.text.pace import paced

if TYPE_CHECKING:
    from turbohtml import Element as Tag


TEXT_ONLY = LITERAL | {"textarea", "title"}
_END_OPTIONAL = frozenset("p li dt dd tr td th tbody thead tfoot option optgroup rt rp rb rtc colgroup caption".split())


def fault_of(markup: str, holder: Tag) -> str | None:
    """What is wrong with markup that is to be content of an element, with its line; None if nothing is."""
    if not markup.strip() or (holder.namespace.value == "html" and holder.tag in TEXT_ONLY):
        return None
    elements, held = parse_fragment(markup, holder)
    starts, ends, letters = tags_of(markup)
    located: list[Tag] = []
    begun, closed = Counter[int](), Counter[int]()
    for node in paced(elements):
        where = node.source_location
        if where is not None:
            located.append(node)
            begun[where.start_tag.start_line] += 1
            closed.update(() if where.end_tag is None else (where.end_tag.start_line,))
    return (
        _extra(starts, begun, f"is not allowed inside <{holder.tag}> in this place")
        or _extra(ends, closed, "closes nothing in it")
        or next((fault for node in paced(located) if (fault := _open(node, markup)) is not None), None)
        or (f"text is not allowed inside <{holder.tag}> in this place" if held < letters else None)
    )


def _extra(written: list[tuple[str, int]], there: Counter[int], what: str) -> str | None:
    """The first tag on a line that has more tags than the tree has from it."""
    left = Counter(there)
    for name, line in paced(written):
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
