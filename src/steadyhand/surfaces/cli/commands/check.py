"""`steadyhand check`: is the journal sound, is the tree as the journal left it."""

from __future__ import annotations

from steadyhand.surfaces.cli.documents import check_document, check_error
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.journal import check_lines
from steadyhand.surfaces.cli.report import progress


@command(
    "check",
    section="Care",
    examples="""
    steadyhand check
    steadyhand check --json
    """,
)
def run(invocation: Invocation) -> int:
    """Check the journal and the files it knows.

    Every record's checksum and chain is verified, and every file compared with the version the journal left.
    A file that somebody else changed is reported but is not a problem; a damaged journal is.
    """
    output = invocation.output
    with invocation.workspace() as workspace, progress(output, "checking") as shown:
        result = workspace.check(progress=shown)
    output.document(check_document(result))
    output.print(check_lines(result))
    return 0 if result.ok else check_error(result).kind.exit_code


COMMAND = run
