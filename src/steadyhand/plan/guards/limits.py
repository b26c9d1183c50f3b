"""Limits of one request: how many edits it has and how long the text is that each quotes."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput

MAX_EDITS = 10_000
MAX_OLD = 10_000_000


def check(given: GuardInput) -> Finding | None:
    """Refuse a request that is larger than the limits."""
    if len(given.edits) > MAX_EDITS:
        return Finding(
            Kind.TOO_LARGE,
            f"{len(given.edits)} edits in one call, the limit is {MAX_EDITS}",
            f"send them in calls of at most {MAX_EDITS}",
            {"count": len(given.edits), "limit": MAX_EDITS},
        )
    for edit in given.edits:
        if len(edit.old) > MAX_OLD and not given.is_whole_write:
            return Finding(
                Kind.TOO_LARGE,
                f"the old text of edit {edit.index + 1} is {len(edit.old)} characters long, the limit is {MAX_OLD}",
                "quote only the lines that change, or write the whole file",
                {"length": len(edit.old), "limit": MAX_OLD, "edit": edit.index},
            )
    return None


GUARD = Guard(
    name="limits",
    rank=10,
    stage="request",
    summary="A request has at most 10,000 edits, and each quotes at most 10 million characters.",
    check=check,
    longest=MAX_OLD,
)
