"""`steadyhand log`: what was changed, newest first."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.documents import entry_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.render.history import log_lines


@command(
    "log",
    section="History",
    examples="""
    steadyhand log
    steadyhand log docs/a.md --limit 5
    steadyhand log --task T-12 --json
    """,
)
@click.argument("file", required=False, type=FileName())
@click.option("--task", metavar="TASK", help="Only changes of this task.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=30, show_default=True, help="At most this many."
)
def run(invocation: Invocation, file: str | None, task: str | None, limit: int) -> int:
    """List recorded changes, newest first.

    With FILE only those that touched it, under any name it had.
    """
    path = invocation.path(file) if file is not None else None
    output = invocation.output
    with invocation.workspace() as workspace:
        entries = workspace.history(path, task=task, limit=limit)
    output.document({"ok": True, "entries": [entry_document(entry) for entry in entries]})
    if not output.json:
        output.print(log_lines(entries, width=output.width))
    return 0


COMMAND = run
