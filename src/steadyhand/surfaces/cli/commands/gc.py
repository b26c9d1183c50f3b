"""`steadyhand gc`: let go of old before-images."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.documents import gc_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import ByteSize, dry_run_option
from steadyhand.surfaces.cli.render.journal import gc_lines
from steadyhand.surfaces.cli.report import progress


@command(
    "gc",
    section="Care",
    examples="""
    steadyhand gc --keep-days 90
    steadyhand gc --keep-size 500MB --dry-run
    """,
)
@click.option(
    "--keep-days", metavar="N", type=click.IntRange(min=0, max=1_000_000), help="Keep what is younger than this."
)
@click.option("--keep-size", metavar="SIZE", type=ByteSize(), help="Keep the newest up to this size, like 500MB.")
@dry_run_option
def run(invocation: Invocation, keep_days: int | None, keep_size: int | None, dry_run: bool) -> int:
    """Free the space of old versions of files.

    History stays readable; what is dropped can no longer be undone where a whole old version was needed. Without
    options the configuration file's [retention] is used; without that nothing is dropped.
    """
    output, config = invocation.output, invocation.config
    if keep_days is None and keep_size is None:
        keep_days, keep_size = config.keep_days, config.keep_bytes
    with invocation.workspace(writing=not dry_run) as workspace, progress(output, "collecting") as shown:
        result = workspace.gc(keep_days=keep_days, keep_bytes=keep_size, preview=dry_run, progress=shown)
    output.document(gc_document(result))
    output.print(gc_lines(result))
    return 0


COMMAND = run
