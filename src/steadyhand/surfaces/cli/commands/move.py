"""`steadyhand move`: take a part of a file elsewhere, as it is written."""

from __future__ import annotations

import click

from steadyhand.errors import EditError, Kind
from steadyhand.structure.node import Where
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, commit_options, file_argument, guard_option, policy_of
from steadyhand.surfaces.cli.place import address_argument, address_target, where_option
from steadyhand.surfaces.cli.report import report


@command(
    "move",
    section="Change files",
    examples="""
    steadyhand move guide.md "heading:Guide > History" --to-file history.md
    steadyhand move guide.md "heading:Guide > Setup" --to "heading:Guide > Usage" --where before
    steadyhand move app.py symbol:Session.send --to-file session.py --to symbol:Session --where end
    steadyhand move notes.md lines:3-5 --to lines:9
    """,
)
@file_argument
@address_argument
@click.option("--to", metavar="ADDRESS", help="The place to put it at; left out: the end of the other file.")
@click.option("--to-file", metavar="FILE", type=FileName(), help="Another file, which is made if it is not there.")
@where_option("before that place or after it (default), or inside at its start or end; without --to, of the file.")
@guard_option
@commit_options
def run(
    invocation: Invocation,
    file: str,
    address: str,
    to: str | None,
    to_file: str | None,
    where: Where | None,
    without: tuple[str, ...],
    expect: str | None,
    reason: str | None,
    dry_run: bool,
) -> int:
    """Move lines, a section, a symbol, a key to another place or file.

    What moves is not retyped: it arrives unchanged, with the indentation and separators of its new place. It is
    gone here and there in one change, which undo takes back as a whole.
    """
    if to is None and to_file is None:
        raise EditError(
            Kind.BAD_REQUEST, "no place was given", hint="say where to: --to ADDRESS, --to-file FILE or both"
        )
    target = address_target(address)
    place = None if to is None else address_target(to, "--to")
    path, other = invocation.path(file), None if to_file is None else invocation.path(to_file)
    with invocation.workspace(writing=not dry_run, policy=policy_of(without=without)) as workspace:
        receipt = workspace.move(
            path, target, to=place, to_path=other, where=where, expect=expect, reason=reason, preview=dry_run
        )
        return report(invocation, receipt)


COMMAND = run
