"""`steadyhand impact show`: the runs, or one of them."""

from __future__ import annotations

import click

from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation


@command(
    "show",
    section="Articles",
    examples="""
    steadyhand impact show
    steadyhand impact show 3f9c1a
    steadyhand impact show 3f9c1a --json
    """,
)
@click.argument("run_id", metavar="[RUN]", required=False)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=20, show_default=True, help="Runs to list.")
def run(invocation: Invocation, run_id: str | None, limit: int) -> int:
    """List the runs, or show what became of each article of one run.

    RUN is the id of a run or the first digits of it. Shown are the status of each article, the reasoning of the model,
    the diff with its reasons hunk by hunk, what the checks found, and why something failed.
    """
    from steadyhand.surfaces.cli.render.impact import list_lines, show_lines

    output = invocation.output
    with invocation.workspace() as workspace:
        if run_id is None:
            found = host_of(workspace).runs.runs(limit)
            output.document({"ok": True, "runs": found})
            output.print(list_lines(found))
            return 0
        record = host_of(workspace).runs.run(run_id)
    output.document({"ok": True, **record})
    output.print(show_lines(record, width=output.width, quiet=output.quiet))
    return 0


COMMAND = run
