"""What to quote so that one of several places is meant.

The context itself comes from `plan/unique.py`; what is shown of it is never longer than a line can be.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.hints import QuoteMore
from steadyhand.plan.places import WIDTH
from steadyhand.plan.unique import Context
from steadyhand.text.source import Source
from steadyhand.text.span import Span

__all__ = ["tell_apart"]


def tell_apart(source: Source, spans: Sequence[Span], contexts: Sequence[Context | None]) -> QuoteMore:
    """What to quote for the place that takes the least; more of any where none is known."""
    known = [(context.cost, number) for number, context in enumerate(contexts) if context is not None]
    for _, number in sorted(known):
        context = contexts[number]
        if context is not None and (found := _addition(source, spans[number], context)):
            return found
    rows = [source.table.row_at(span.start) for span in spans]
    crowded = next((row for row in rows if rows.count(row) > 1), None)
    return QuoteMore(None if crowded is None else crowded + 1)


def _addition(source: Source, span: Span, context: Context) -> QuoteMore | None:
    """What to quote as well, where it is short enough to be told."""
    line, (before, after) = source.line_of(span.start), context.lines
    if before + after == 1:
        text = source.table.text(line - 2 if before else source.lines_of(span)[1])
        return QuoteMore(line, before, after, text) if len(text) <= WIDTH else None
    if before or after:
        return QuoteMore(line, before, after, is_offered=True)
    quoted = context.span.of(source.text)
    return QuoteMore(line, text=quoted) if len(quoted) <= 2 * WIDTH and "\n" not in quoted else None
