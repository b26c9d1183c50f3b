"""`steadyhand rename`: move a file inside the workspace."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, commit_options, file_argument
from steadyhand.surfaces.cli.report import report


@command(
    "rename",
    section="Change files",
    examples="""
    steadyhand rename notes.md docs/notes.md
    """,
)
@file_argument
@click.argument("to", type=FileName())
@commit_options
def run(invocation: Invocation, file: str, to: str, expect: str | None, reason: str | None, dry_run: bool) -> int:
    """Rename or move a file.

    A file that is in the way is never overwritten; missing directories are made, and removed again by undo.
    """
    path, target = invocation.path(file), invocation.path(to)
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.rename(path, target, expect=expect, reason=reason, preview=dry_run))


COMMAND = run
