"""`steadyhand evidence`: keep what was looked at for a file."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import bytes_from, decode
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.json_text import parse_json
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.terminal import Piece, visible_name


@command(
    "evidence",
    section="History",
    examples="""
    steadyhand evidence docs/login.md 'src/login.ts:3 checks the port' --task T-12
    steadyhand evidence docs/login.md '{"file": "src/login.ts", "lines": [3, 4]}' --task T-12
    steadyhand evidence docs/login.md @evidence.json --task T-12
    """,
)
@click.argument("file", type=FileName())
@click.argument("evidence", metavar="TEXT|JSON|-|@FILE")
def run(invocation: Invocation, file: str, evidence: str) -> int:
    """Keep evidence for a file: what was looked at, or why it was chosen.

    `steadyhand export --articles` shows it with the file's status. A file that has evidence and that nobody asked to
    change is unchanged, not skipped.
    """
    text = evidence
    if evidence == "-" or evidence.startswith("@"):
        text = decode(bytes_from(invocation, "EVIDENCE", evidence.removeprefix("@")), "EVIDENCE")
    said = parse_json(text, "the evidence") if text.lstrip()[:1] in ("{", "[") else text
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        path = invocation.path(file)
        workspace.record_evidence(path, said)
    output.document({"ok": True, "path": path})
    output.print([(Piece("kept evidence for ", "good"), Piece(visible_name(path)))])
    return 0


COMMAND = run
