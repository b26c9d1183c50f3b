"""How a caller is told what to quote so that one of several places is meant.

Only words are made here; the context itself comes from `plan/unique.py`, and what is told is never longer than a
line can be.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.plan.places import WIDTH
from steadyhand.plan.unique import Context
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["tell_apart"]

_BOTH = "the old and the new text"


def tell_apart(source: Source, spans: Sequence[Span], contexts: Sequence[Context | None]) -> str:
    """A sentence on what to quote for the place that takes the least; on quoting more where none is known."""
    known = [(context.cost, number) for number, context in enumerate(contexts) if context is not None]
    for _, number in sorted(known):
        context = contexts[number]
        if context is not None and (told := _addition(source, spans[number], context)):
            return told
    rows = [source.table.row_at(span.start) for span in spans]
    crowded = next((row for row in rows if rows.count(row) > 1), None)
    what = "more lines around the place" if crowded is None else f"more of line {crowded + 1} around the place"
    return f"quote {what} that is meant"


def _addition(source: Source, span: Span, context: Context) -> str | None:
    """What to quote as well, where it is short enough to be told."""
    line = source.line_of(span.start)
    if sum(context.lines) == 1:
        side, row = ("before", line - 2) if context.lines[0] else ("after", source.lines_of(span)[1])
        text = source.table.text(row)
        what = repr(text) if text.strip() else "which is blank"
        return f"for line {line}, add the line {side} it, {what}, to {_BOTH}" if len(text) <= WIDTH else None
    if not any(context.lines):
        quoted = context.span.of(source.text)
        short = len(quoted) <= 2 * WIDTH and "\n" not in quoted
        return f"for line {line}, quote more of it, {quoted!r}, in {_BOTH}" if short else None
    sides = [
        f"{count} line{'s' if count > 1 else ''} {side} it"
        for count, side in zip(context.lines, ("before", "after"), strict=True)
        if count
    ]
    return f"for line {line}, add the {' and the '.join(sides)} to {_BOTH}, as `corrected` of its candidate has them"
