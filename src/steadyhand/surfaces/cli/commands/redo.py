"""`steadyhand redo`: take an undo back."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import RecordId, dry_run_option, reason_option
from steadyhand.surfaces.cli.report import report


@command(
    "redo",
    section="History",
    examples="""
    steadyhand redo
    steadyhand redo 1a2b3c4d5e6f
    """,
)
@click.argument("record", required=False, type=RecordId())
@reason_option
@dry_run_option
def run(invocation: Invocation, record: str | None, reason: str | None, dry_run: bool) -> int:
    """Redo what was undone.

    Without RECORD the latest undo that is still in effect is taken back.
    """
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.redo(record, reason=reason, preview=dry_run))


COMMAND = run
