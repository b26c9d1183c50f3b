"""`steadyhand chmod`: change a file's permission bits."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileMode, dry_run_option, file_argument, reason_option
from steadyhand.surfaces.cli.report import report


@command(
    "chmod",
    section="Change files",
    examples="""
    steadyhand chmod run.sh 755
    """,
)
@file_argument
@click.argument("mode", type=FileMode())
@reason_option
@dry_run_option
def run(invocation: Invocation, file: str, mode: int, reason: str | None, dry_run: bool) -> int:
    """Change the permission bits of a file.

    MODE is octal. The change is recorded like any other and can be undone.
    """
    path = invocation.path(file)
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.chmod(path, mode, reason=reason, preview=dry_run))


COMMAND = run
