"""`steadyhand task`: say that a task is over."""

from __future__ import annotations

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.terminal import Piece, visible_line, visible_name


@command(
    "task",
    section="History",
    examples="""
    steadyhand task end T-12
    steadyhand task end T-12 --failed
    """,
)
@click.argument("what", type=click.Choice(["end"]))
@click.argument("name", metavar="[TASK]", required=False)
@click.option("--failed", is_flag=True, help="The task did not end well: its .bak copies stay.")
def run(invocation: Invocation, what: str, name: str | None, failed: bool) -> int:
    """End a task, and remove the `.bak` copies that were made for it.

    TASK is the task that --task names in other commands. Copies that somebody changed since stay, and so does every
    recorded change; what the task has read is forgotten.
    """
    del what  # there is one thing to do with a task
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        name = name or workspace.task_id
        if name is None:
            raise EditError(Kind.BAD_REQUEST, "no task is named", hint="steadyhand task end TASK")
        is_known = any(True for _ in workspace.history(task=name, limit=1))
        removed = workspace.end_task(name, failed=failed)
    if not is_known:
        output.warn(f"no change of the task {visible_line(name)} is recorded")
    output.document({"ok": True, "task": name, "end": "failed" if failed else "ended well", "removed": list(removed)})
    output.print([(Piece("ended ", "good"), Piece(visible_line(name), "id"))])
    output.print((Piece("removed "), Piece(visible_name(path))) for path in removed)
    return 0


COMMAND = run
