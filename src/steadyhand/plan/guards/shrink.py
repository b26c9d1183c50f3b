"""A whole-file write that drops most of the file is more often a mistake than a wish."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.hints import AllowShrink, Say
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput
from steadyhand.text.lines import Characters, count_lines

_FEWEST = 20


def check(given: GuardInput) -> Finding | None:
    """Refuse a whole-file write that drops most of the lines."""
    if given.allow_shrink or given.before is None or given.after is None:
        return None
    before, after = _count(given.before), _count(given.after)
    dropped = before - after
    if dropped < _FEWEST or dropped * 2 <= before:
        return None
    return Finding(
        Kind.SUSPICIOUS_SHRINK,
        f"{given.path or 'the file'} has {before} lines, the new text has {after}",
        (Say("edit only what changes"), AllowShrink()),
        {"lines_before": before, "lines_after": after},
    )


def _count(text: Characters) -> int:
    """How many lines a text has; they are not taken apart for it."""
    return count_lines(text) + (bool(text) and not text.endswith(("\n", "\r")))


GUARD = Guard(
    name="shrink",
    rank=30,
    stage="file",
    summary="A whole-file write may not drop more than half of the lines, and at least 20, unless allowed.",
    check=check,
    is_for_writes=True,
)
