"""`steadyhand impact`: from a change of the code to the articles that it may concern."""

from __future__ import annotations

from steadyhand.lazy import Registry
from steadyhand.surfaces.cli.group import family

_MEMBERS = Registry("steadyhand.surfaces.cli.impact", "COMMAND", "extract lint report run search show suggest")


@family(
    "impact",
    section="Articles",
    examples="""
    steadyhand impact search
    steadyhand impact extract --base main --json
    steadyhand impact run --model anthropic:claude-sonnet-4-5
    steadyhand impact report > comment.md
    steadyhand impact lint
    steadyhand impact suggest --docs docs
    """,
    members=_MEMBERS,
)
def run() -> None:
    """Find articles that a change of the code may concern, and correct them.

    An article says in its front matter what it depends on: a list attention of rules with op file, symbol, key or
    article and a path. extract shows a change, search the articles whose rules it meets, lint what is wrong with
    rules, and suggest proposes some; run lets a model correct the articles, show and report say what it did. A change
    is what the branch has and its base has not, or what is uncommitted.
    """


COMMAND = run
