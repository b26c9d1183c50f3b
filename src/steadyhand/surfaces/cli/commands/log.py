"""`steadyhand log`: what was changed, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.documents import entry_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.render.history import log_lines
from steadyhand.surfaces.terminal import visible_name
from steadyhand.workspace.journal.record import Entry

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace
    from steadyhand.workspace.outside import Outside


@command(
    "log",
    section="History",
    examples="""
    steadyhand log
    steadyhand log docs/a.md --limit 5
    steadyhand log --task T-12 --json
    steadyhand log --actor ada
    """,
)
@click.argument("file", required=False, type=FileName())
@click.option("--task", metavar="TASK", help="Only changes of this task.")
@click.option("--actor", metavar="NAME", help="Only changes this actor made.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=30, show_default=True, help="At most this many."
)
def run(invocation: Invocation, file: str | None, task: str | None, actor: str | None, limit: int) -> int:
    """List recorded changes, newest first.

    With FILE only those that touched it, under any name it had. Changes that another program made and that were
    noted (see observe) are listed as well, marked "outside the journal".
    """
    path = invocation.path(file) if file is not None else None
    output = invocation.output
    task, actor = task or invocation.settings.task, actor or invocation.settings.actor
    with invocation.workspace() as workspace:
        entries = workspace.history(path, task=task, limit=None if actor else limit)
        outside = [] if task else workspace.outside(path, limit=None if actor else limit)
        if not entries and not outside and path is not None:
            _refuse_unknown(workspace, path)
    known = [entry for entry in entries if actor is None or entry.record.actor == actor]
    noted = [change for change in outside if actor is None or change.actor == actor]
    every: list[Entry | Outside] = [*known, *noted]
    shown = sorted(every, key=lambda each: each.seq, reverse=True)[:limit]
    document: dict[str, object] = {"ok": True, "entries": [entry_document(e) for e in shown if isinstance(e, Entry)]}
    if noted:
        document["outside"] = [each.to_json() for each in shown if not isinstance(each, Entry)]
    output.document(document)
    if not output.json:
        output.print(log_lines(shown, width=output.width))
    return 0


def _refuse_unknown(workspace: Workspace, path: str) -> None:
    """Nothing to tell of a file that is there is an answer; of one that never was it is a slip."""
    if workspace.history(path, limit=1):
        return
    try:
        host_of(workspace).source(path)
    except EditError as error:
        if error.kind is Kind.NO_SUCH_FILE:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {visible_name(path)}, and none was ever recorded",
                hint="check the name; steadyhand log alone lists every change",
                details={"path": path},
            ) from None


COMMAND = run
