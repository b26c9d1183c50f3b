"""`steadyhand undo`: take a recorded change back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, RecordId, dry_run_option, reason_option
from steadyhand.surfaces.cli.report import report

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace


@command(
    "undo",
    section="History",
    examples="""
    steadyhand undo 1a2b3c4d5e6f
    steadyhand undo --last
    steadyhand undo --task T-12 --dry-run
    """,
)
@click.argument("record", required=False, type=RecordId())
@click.option("--last", is_flag=True, help="The latest change that is not undone.")
@click.option("--task", metavar="TASK", help="Every change of this task, newest first.")
@click.option(
    "--file", "file", metavar="FILE", type=FileName(), help="The latest change to this file that is not undone."
)
@reason_option
@dry_run_option
def run(
    invocation: Invocation,
    record: str | None,
    last: bool,
    task: str | None,
    file: str | None,
    reason: str | None,
    dry_run: bool,
) -> int:
    """Undo a change, also one that others were made after.

    Later changes stay; where they overlap the one taken back, the undo is refused and names the lines. An undo is
    itself a recorded change and can be undone.
    """
    if sum((record is not None, last, task is not None, file is not None)) != 1:
        raise EditError(
            Kind.BAD_REQUEST, "say which change to undo, in one way", hint="RECORD, --last, --task TASK or --file FILE"
        )
    path = invocation.path(file) if file is not None else None
    with invocation.workspace(writing=not dry_run) as workspace:
        receipt = workspace.undo(record, last=last, task=task, path=path, reason=reason, preview=dry_run)
        return report(invocation, receipt, back=_back(workspace, receipt))


def _back(workspace: Workspace, receipt: Receipt) -> Literal["undo", "redo"]:
    """Taking an undo back puts the change in place again: what takes that back is an undo."""
    verbs = {workspace.show(record).record.verb for record in receipt.undoes}
    return "undo" if verbs == {"undo"} else "redo"


COMMAND = run
