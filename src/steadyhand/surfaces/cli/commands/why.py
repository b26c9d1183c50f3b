"""`steadyhand why`: which change wrote a line, and for what reason."""

from __future__ import annotations

import re

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.documents import why_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.render.history import why_lines

_WITH_LINE = re.compile(r"(.+):(\d{1,12})", re.DOTALL)


@command(
    "why",
    section="History",
    examples="""
    steadyhand why docs/a.md:12
    steadyhand why docs/a.md
    """,
)
@click.argument("place", metavar="FILE[:LINE]", type=FileName())
def run(invocation: Invocation, place: str) -> int:
    """Tell which change last wrote a line, who made it, and why.

    The line is followed back through later edits and renames. Without LINE, every line of the file.
    """
    found = _WITH_LINE.fullmatch(place)
    file, line = (found[1], int(found[2])) if found else (place, None)
    if line == 0:
        raise EditError(Kind.OUT_OF_BOUNDS, "lines are counted from 1", hint="ask for line 1 or a later one")
    path = invocation.path(file)
    output = invocation.output
    with invocation.workspace() as workspace:
        whys = [workspace.why(path, line)] if line is not None else workspace.why_all(path)
    output.document({"ok": True, "path": path, "lines": [why_document(why) for why in whys]})
    if not output.json:
        output.print(why_lines(path, whys, width=output.width))
    return 0


COMMAND = run
