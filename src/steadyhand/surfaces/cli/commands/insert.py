"""`steadyhand insert`: add text beside a place in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import decode, piped, text_from
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import (
    FileName,
    OccurrenceType,
    OnDrift,
    commit_options,
    encoding_option,
    file_argument,
    guard_option,
    policy_of,
    tolerance_options,
)
from steadyhand.surfaces.cli.place import address_target, anchor_target, at_option, lines_target, where_option
from steadyhand.surfaces.cli.report import report

if TYPE_CHECKING:
    from steadyhand.plan.edit import Insert
    from steadyhand.structure.node import Where

_WHERE = "say where: --before TEXT, --after TEXT, --line N, --anchor LINE#HASH or --at ADDRESS"


@command(
    "insert",
    section="Change files",
    examples="""
    steadyhand insert app.py --after "import os" $'\\nimport sys'
    steadyhand insert notes.md --line 0 "# Notes"
    steadyhand insert notes.md --line -1 --text-file entry.md
    steadyhand insert guide.md --at "heading:Guide > Setup" --where end --text-file steps.md
    """,
)
@file_argument
@click.argument("text", required=False)
@click.option("--text-file", metavar="FILE", type=FileName(), help="A file that holds the text; - for standard input.")
@click.option("--before", metavar="TEXT", help="Insert directly before this text.")
@click.option("--after", metavar="TEXT", help="Insert directly after this text.")
@click.option(
    "--line",
    metavar="N",
    type=click.IntRange(min=-1),
    help="Insert whole lines after line N; 0: at the start, -1: at the end.",
)
@click.option("--anchor", metavar="LINE#HASH", help="Insert whole lines after the line read --anchors names so.")
@at_option
@where_option("With --at: before it or after it (default), or inside at its start or end.")
@click.option(
    "--occurrence", metavar="WHICH", type=OccurrenceType(), help="unique (default), first, last, all or a number."
)
@tolerance_options
@guard_option
@commit_options
@encoding_option
def run(
    invocation: Invocation,
    file: str,
    text: str | None,
    text_file: str | None,
    expect: str | None,
    reason: str | None,
    dry_run: bool,
    encoding: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
    without: tuple[str, ...],
    **where: Any,
) -> int:
    """Insert text before or after a place.

    --before and --after insert exactly the text given, beside text that must be there exactly once; --line and
    --anchor insert whole lines, for which the newline at the end is optional. --at inserts beside or inside what an
    address names, with the blank lines, indentation or separator that belong there; beside and inside elements of a
    page exactly the markup given. Without TEXT, standard input is read.
    """
    way = _way(where)
    content = _content(invocation, text, text_file)
    path = invocation.path(file)
    with invocation.workspace(writing=not dry_run, policy=policy_of(tier, on_drift, without)) as workspace:
        if where["line"] == -1:
            source = host_of(workspace).source(path, encoding=encoding)
            where["line"] = source.line_count
            expect = expect or source.digest  # the end is where it was when it was counted
        edit = _insertion(way, content, reason, where)
        receipt = workspace.edit(path, [edit], expect=expect, reason=reason, encoding=encoding, preview=dry_run)
        return report(invocation, receipt)


def _content(invocation: Invocation, text: str | None, text_file: str | None) -> str:
    found = text_from(invocation, "--text", text, text_file)
    hint = "give TEXT, --text-file FILE or pipe it in"
    return decode(piped(invocation, "TEXT", hint), "standard input") if found is None else found


def _way(where: dict[str, Any]) -> str:
    """The one option that says where."""
    given = [name for name in ("before", "after", "line", "anchor", "at") if where[name] is not None]
    if len(given) != 1:
        found = " and ".join(f"--{name}" for name in given) + " exclude each other" if given else "no place was given"
        raise EditError(Kind.BAD_REQUEST, found, hint=_WHERE)
    if where["where"] is not None and given != ["at"]:
        raise EditError(Kind.BAD_REQUEST, f"--where goes with --at, not with --{given[0]}", hint="leave --where out")
    return given[0]


def _insertion(way: str, content: str, reason: str | None, where: dict[str, Any]) -> Insert:
    from steadyhand.plan.edit import Insert, Old

    occurrence = where["occurrence"]
    match way:
        case "before":
            return Insert(Old(where["before"]), content, where="before", occurrence=occurrence, reason=reason)
        case "after":
            return Insert(Old(where["after"]), content, where="after", occurrence=occurrence, reason=reason)
        case "at":
            side: Where = where["where"] or "after"
            target = address_target(where["at"], "--at")
            return Insert(target, content, where=side, occurrence=occurrence, reason=reason)
        case "anchor":
            return Insert(anchor_target(where["anchor"]), content, where="after", reason=reason)
        case _:
            line = where["line"]
            target = lines_target(line, line) if line else lines_target(1, 0)
            return Insert(target, content, where="after" if line else "before", reason=reason)


COMMAND = run
