"""Definitions of links, `[label]: address`: an edit that takes one away must not break a link elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.markdown.marks import Document
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.structure.markdown.view import View
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.text.span import Span

_LABEL = lazy_pattern(r"\[((?:[^\[\]\\]|\\.){1,200})\]", re.DOTALL)


def lost_definition(source: Source, view: View) -> Refusal | None:
    """The refusal of a change that leaves a link outside of it without its address."""
    left = {one.label for one in view.after.definitions}
    gone = [one for one in view.before.definitions if one.label not in left]
    if not gone:
        return None
    rows = range(view.row, view.row + view.before.count)
    left = {one.label for one in known_markdown(source).definitions if one.first not in rows}
    touched = [splice.span.shift(view.start) for splice in view.changes.splices]
    used = _used(source.text, touched)
    lost = next((one for one in gone if one.label not in left and one.label in used), None)
    if lost is None:
        return None
    line, label = view.row + lost.first + 1, used[lost.label]
    return Refusal(
        Kind.BAD_REQUEST,
        f"line {line} defines the link [{label[:60]}], which is used outside of the edit",
        f"keep that line: name the other lines by number, or give [{label[:60]}]: … in the content",
        {"line": line, "definition": label},
    )


def end_without_definitions(document: Document, first: int, end: int) -> int:
    """The end of some rows without the definitions they end with, and the blank rows above those."""
    ends = {one.end: one.first for one in document.definitions if first <= one.first < end}
    end = document.last_row(first, end)
    while end in ends:
        end = document.last_row(first, ends[end])
    return end


def _used(text: str, without: Sequence[Span]) -> dict[str, str]:
    """Every label in brackets outside of some spans, as the parser compares it and as it is written."""
    from markdown_it.common.utils import normalizeReference

    found: dict[str, str] = {}
    at = 0
    for span in [*without, Span(len(text), len(text))]:
        for label in _LABEL.findall(text, at, max(span.start, at)):
            found.setdefault(normalizeReference(label), label)
        at = span.end
    return found
