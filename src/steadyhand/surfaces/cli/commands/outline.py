"""`steadyhand outline`: what of a file can be addressed."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import encoding_option, file_argument
from steadyhand.surfaces.cli.place import address_target
from steadyhand.surfaces.cli.render.outline import outline_lines

_LIMIT = 200


@command(
    "outline",
    section="Look",
    examples="""
    steadyhand outline docs/guide.md
    steadyhand outline app.py --depth 0
    steadyhand outline compose.yaml --within key:services.web
    """,
)
@file_argument
@click.option("--within", metavar="ADDRESS", help="Only what is inside this place.")
@click.option(
    "--depth", metavar="N", type=click.IntRange(min=0), help="Leave out what is deeper; 0: only the top level."
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=0),
    default=_LIMIT,
    help=f"At most so many entries ({_LIMIT} by default), the deepest left out first; 0: all of them.",
)
@encoding_option
def run(
    invocation: Invocation, file: str, within: str | None, depth: int | None, limit: int, encoding: str | None
) -> int:
    """List what can be addressed in a file: headings, elements, symbols, keys.

    Each entry has its lines, what it is, and the address by which edit --at, insert --at, act, move and locate know
    it, quoted so that it can be typed. For a file of another format, the known formats are listed.
    """
    output = invocation.output
    place = None if within is None else address_target(within, "--within")
    with invocation.workspace() as workspace:
        path = invocation.path(file)
        found = workspace.outline(path, within=place, depth=depth, limit=limit or None, encoding=encoding)
    output.document({"ok": True, "path": path, "digest": found.source.digest, **found.to_json()})
    output.print(outline_lines(found, width=output.width))
    return 0


COMMAND = run
