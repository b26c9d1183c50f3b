"""An edit of an article keeps the article's id and its rules of attention: without them nobody finds it again."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.guards.guard import Finding, Guard, GuardInput

_SHOWN = 5


def check(given: GuardInput) -> Finding | None:
    """Refuse what would take away an id or a rule that the text before has."""
    if given.before is None or given.after is None or given.path is None:
        return None
    if "jrn" not in given.before and "attention" not in given.before:
        return None
    from steadyhand.structure.markdown.page_rules import lost_rules  # few files have any

    lost = lost_rules(given.path, given.before[:], given.after)
    if not lost:
        return None
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    return Finding(
        Kind.LOSES_ATTENTION,
        f"{given.path} would lose {', '.join(lost[:_SHOWN])}{more}",
        "leave jrn and attention in the front matter as they are, and change the text below it",
        {"lost": lost},
    )


GUARD = Guard(
    name="attention",
    rank=45,  # front matter that does not parse any more is reported as that
    stage="file",
    summary="A page keeps its `jrn` and every rule of its `attention`.",
    check=check,
    is_asked_for=True,
)
