"""`steadyhand impact lint`: what is wrong with the rules of articles."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.impact.options import docs_of, docs_option
from steadyhand.surfaces.cli.invocation import Invocation

FOUND = 1  # the exit code where something is wrong


@command(
    "lint",
    section="Articles",
    examples="""
    steadyhand impact lint
    steadyhand impact lint --docs docs --json
    steadyhand impact lint --coverage
    """,
)
@docs_option
@click.option("--coverage", is_flag=True, help="Also report pages without rules, and count unattended source files.")
def run(invocation: Invocation, docs: tuple[str, ...], coverage: bool) -> int:
    """Check the rules of articles against the tree.

    Reported are front matter that cannot be read, paths and globs that match no file, symbols, keys and articles that
    are not there, ids that two articles have, and articles that attend to each other in a circle. Rules with a source
    are passed over. Ends with exit code 1 where something is found.
    """
    from steadyhand.agents.impact.api import lint
    from steadyhand.surfaces.cli.render.impact import lint_lines

    output = invocation.output
    with invocation.workspace() as workspace:
        found = lint(workspace, docs=docs_of(invocation, docs), coverage=coverage)
    output.document({"ok": not found.findings, **found.to_json()})
    output.print(lint_lines(found))
    return FOUND if found.findings else 0


COMMAND = run
