"""`steadyhand delete`: take text out of a file, or a file out of the workspace."""

from __future__ import annotations

from typing import Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import (
    OnDrift,
    commit_options,
    encoding_option,
    file_argument,
    guard_option,
    policy_of,
    tolerance_options,
)
from steadyhand.surfaces.cli.place import PlaceOptions, place_options
from steadyhand.surfaces.cli.report import report


@command(
    "delete",
    section="Change files",
    examples="""
    steadyhand delete app.py --old "import os" --reason "unused"
    steadyhand delete notes.md --lines 4:9
    steadyhand delete guide.md --at "heading:Guide > Old news"
    steadyhand delete old.md --file
    """,
)
@file_argument
@place_options
@click.option("--file", "whole", is_flag=True, help="Delete the file itself.")
@tolerance_options
@guard_option
@commit_options
@encoding_option
def run(
    invocation: Invocation,
    file: str,
    whole: bool,
    expect: str | None,
    reason: str | None,
    dry_run: bool,
    encoding: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
    without: tuple[str, ...],
    **place: Any,
) -> int:
    """Delete text, lines, what an address names, or a whole file.

    Text must be there exactly once, unless you say which occurrence you mean. A deleted file stays in the journal
    and comes back with undo.
    """
    where = PlaceOptions(**place)
    if whole and where.is_given:
        raise EditError(Kind.BAD_REQUEST, "--file deletes the whole file and takes no place", hint="drop one of them")
    if whole:
        with invocation.workspace(writing=not dry_run) as workspace:
            receipt = workspace.delete(invocation.path(file), expect=expect, reason=reason, preview=dry_run)
            return report(invocation, receipt)
    if not where.is_given:
        raise EditError(
            Kind.BAD_REQUEST,
            "no place was given",
            hint="--old TEXT, --lines A:B, --anchor LINE#HASH or --at ADDRESS; --file deletes the file itself",
        )
    from steadyhand.plan.edit import Delete

    edit = Delete(where.target(invocation), occurrence=where.which(), expected=where.expected, reason=reason)
    with invocation.workspace(writing=not dry_run, policy=policy_of(tier, on_drift, without)) as workspace:
        path = invocation.path(file)
        receipt = workspace.edit(path, [edit], expect=expect, reason=reason, encoding=encoding, preview=dry_run)
        return report(invocation, receipt)


COMMAND = run
