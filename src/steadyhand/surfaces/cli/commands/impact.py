"""`steadyhand impact`: from a change of the code to the articles that it may concern."""

from __future__ import annotations

from steadyhand.lazy import Registry
from steadyhand.surfaces.cli.group import family

_MEMBERS = Registry("steadyhand.surfaces.cli.impact", "COMMAND", "extract lint search suggest")


@family(
    "impact",
    section="Articles",
    examples="""
    steadyhand impact search
    steadyhand impact extract --base main --json
    steadyhand impact lint
    steadyhand impact suggest --docs docs
    """,
    members=_MEMBERS,
)
def run() -> None:
    """Find the articles that a change of the code may concern.

    An article says in its front matter what it depends on: a list attention of rules with op file, symbol, key or
    article and a path. extract shows a change, search the articles whose rules it meets, lint what is wrong with
    rules, and suggest proposes some. A change is what the branch has and its base has not, or what is uncommitted.
    """


COMMAND = run
