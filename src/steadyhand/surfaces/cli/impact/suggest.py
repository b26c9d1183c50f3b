"""`steadyhand impact suggest`: rules that articles lack."""

from __future__ import annotations

import click

from steadyhand.errors import EditError
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.impact.options import docs_of, docs_option
from steadyhand.surfaces.cli.invocation import Invocation


@command(
    "suggest",
    section="Articles",
    examples="""
    steadyhand impact suggest
    steadyhand impact suggest --docs docs/guide.md
    steadyhand impact suggest --docs docs --write
    """,
)
@docs_option
@click.option("--write", is_flag=True, help="Add the proposed rules to the front matter, a change for each article.")
def run(invocation: Invocation, docs: tuple[str, ...], write: bool) -> int:
    """Propose attention rules that articles lack.

    From files that a page names, from definitions that only one file has, and from files that changed in the same
    commits as the page. What a rule means already, or excludes, is not proposed. --write edits the front matter
    through the engine, so that each change has its reason and can be undone.
    """
    from steadyhand.articles.suggest import suggest, write_suggestion
    from steadyhand.surfaces.cli.render.impact import suggest_lines

    output = invocation.output
    written: dict[str, str] = {}
    refused: dict[str, EditError] = {}
    with invocation.workspace(writing=write) as workspace:
        found = suggest(workspace, docs=docs_of(invocation, docs))
        for each in found.articles if write else ():
            try:
                receipt = write_suggestion(workspace, each)
                written[each.article.path] = receipt.id or ""
            except EditError as error:
                refused[each.article.path] = error
    document: dict[str, object] = {"ok": not refused, **found.to_json()}
    if write:
        document |= {"written": written, "refused": {path: error.to_json() for path, error in refused.items()}}
    output.document(document)
    output.print(suggest_lines(found, written, refused, is_writing=write))
    return next((error.kind.exit_code for error in refused.values()), 0)


COMMAND = run
