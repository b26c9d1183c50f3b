"""`steadyhand show`: one recorded change in full."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.documents import entry_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import RecordId
from steadyhand.surfaces.cli.render.history import entry_lines, outside_lines
from steadyhand.surfaces.cli.report import cut_width


@command(
    "show",
    section="History",
    examples="""
    steadyhand show 1a2b3c4d5e6f
    """,
)
@click.argument("record", type=RecordId())
def run(invocation: Invocation, record: str) -> int:
    """Show one record: who, when, why, and its diff.

    RECORD is an id from log, or its first digits (4 or more) where they are enough.
    """
    output = invocation.output
    with invocation.workspace() as workspace:
        outside = None
        if record.startswith("outside-"):
            outside = next((each for each in workspace.outside() if each.id == record), None)
        if outside is not None:
            diff = workspace.diff_of(record)
            output.document({"ok": True, "outside": outside.to_json(), "diff": diff})
            if not output.json:
                output.print(outside_lines(outside, diff, width=cut_width(invocation)))
            return 0
        entry = workspace.show(record)
        diff = workspace.diff_of(entry.record.id)
    output.document({"ok": True, "entry": entry_document(entry), "diff": diff})
    if not output.json:
        output.print(entry_lines(entry, diff, width=cut_width(invocation)))
    return 0


COMMAND = run
