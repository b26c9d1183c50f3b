"""`steadyhand impact search`: which articles a change may concern."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.impact.options import STALE, change_options, check_change, docs_of, docs_option
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName


@command(
    "search",
    section="Articles",
    examples="""
    steadyhand impact search
    steadyhand impact search --base origin/main --json
    steadyhand impact search --uncommitted --docs docs --mentions
    steadyhand impact search --from ../backend --source backend
    """,
)
@change_options
@docs_option
@click.option(
    "--mentions",
    is_flag=True,
    help="Also pages that only name a changed path, symbol, flag or variable; a plain word such as go counts as go().",
)
@click.option("--from", "source_root", metavar="DIR", type=FileName(), help="Take the change from this other clone.")
@click.option("--source", metavar="NAME", help="Match the rules whose source is this name, and no others.")
@click.option(
    "--fail-on", type=click.Choice(["stale"]), help="End with exit code 3 where the change may concern an article."
)
def run(
    invocation: Invocation,
    base: str | None,
    uncommitted: bool,
    docs: tuple[str, ...],
    mentions: bool,
    source_root: str | None,
    source: str | None,
    fail_on: str | None,
) -> int:
    """List the articles that a change may concern, and why.

    A rule with op file is met by a changed file that its path or glob means, before or after a rename; op symbol and
    op key only where that definition's text or that key's value changed; op article where that article's page
    changed. Broken front matter is reported for its file and stops nothing.
    """
    from steadyhand.agents.impact.api import search
    from steadyhand.surfaces.cli.render.impact import problem_lines, search_lines

    check_change(base, uncommitted=uncommitted)
    output = invocation.output
    with invocation.workspace() as workspace:
        found = search(
            workspace,
            base=base,
            uncommitted=uncommitted,
            docs=docs_of(invocation, docs),
            mentions=mentions,
            source=source,
            source_root=source_root,
        )
    output.document({"ok": True, **found.to_json()})
    output.print(search_lines(found))
    output.tell(problem_lines(found.problems))
    return STALE if fail_on == "stale" and found.articles else 0


COMMAND = run
