"""An edit that names lines by number, or replaces a whole file, over text that its task was never shown."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.hints import Reread
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput
from steadyhand.text.lines import Characters, count_lines
from steadyhand.text.span import Span


def check(given: GuardInput) -> Finding | None:
    """Refuse what would be written blindly."""
    if given.seen is None or given.before is None:
        return None
    blind = [Span(0, len(given.before))] if given.is_whole_write else [edit.blind for edit in given.edits]
    for place in blind:
        gap = None if place is None or place.is_empty else _first_gap(place, given.seen)
        if gap is not None:
            return _finding(given, given.before, gap)
    return None


def _first_gap(place: Span, seen: tuple[Span, ...]) -> Span | None:
    """The first characters of a place that are not among those seen, which are in order."""
    at = place.start
    for span in seen:
        if span.start > at:
            break
        at = max(at, span.end)
        if at >= place.end:
            return None
    return Span(at, min([place.end, *(span.start for span in seen if span.start > at)]))


def _finding(given: GuardInput, before: Characters, gap: Span) -> Finding:
    first = count_lines(before, gap.start) + 1
    last = max(first, count_lines(before, gap.end - 1) + 1)
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return Finding(
        Kind.UNSEEN_TEXT,
        f"{given.path or 'the file'}: this task has not read {lines} as the file is now",
        Reread(given.path, (first, last)),
        {"lines": [first, last]},
    )


GUARD = Guard(
    name="unseen",
    rank=25,
    stage="edit",
    summary="An edit by line number or of a whole file may not write over text that its task has not read.",
    check=check,
    is_asked_for=True,
)
