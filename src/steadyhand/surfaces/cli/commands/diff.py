"""`steadyhand diff`: what an edit would change, or what a record or a task did change."""

from __future__ import annotations

import re
from typing import Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import text_from
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import (
    FileName,
    OnDrift,
    encoding_option,
    guard_option,
    policy_of,
    tolerance_options,
)
from steadyhand.surfaces.cli.place import PlaceOptions, place_options
from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.cli.report import cut_width, report

_RECORD = lazy_pattern(r"[0-9a-f]{4,40}", re.IGNORECASE)


@command(
    "diff",
    section="Look",
    examples="""
    steadyhand diff docs/a.md --old teh --new the
    steadyhand diff 1a2b3c4d5e6f
    steadyhand diff --task T-12 --raw > task.patch
    """,
)
@click.argument("subject", metavar="[FILE|RECORD]", required=False, type=FileName())
@place_options
@click.option("--new", metavar="TEXT", help="The text to put there; left out: the place would be deleted.")
@click.option("--new-file", metavar="FILE", type=FileName(), help="A file that holds it; - for standard input.")
@click.option("--expect", metavar="HASH", help="Refuse unless the file's SHA-256 starts with this (16 digits or more).")
@click.option("--task", metavar="TASK", help="What the records of this task change together.")
@click.option("--raw", is_flag=True, help="The diff as git apply wants it; only into a file or a pipe.")
@tolerance_options
@guard_option
@encoding_option
def run(
    invocation: Invocation,
    subject: str | None,
    new: str | None,
    new_file: str | None,
    expect: str | None,
    task: str | None,
    raw: bool,
    encoding: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
    without: tuple[str, ...],
    **place: Any,
) -> int:
    """Show a diff and write nothing.

    FILE with the options of edit previews that edit. A record id shows what that record changed, --task what all
    records of a task change together.
    """
    where = PlaceOptions(**place)
    if raw and (invocation.output.is_terminal or invocation.output.json):
        raise EditError(
            Kind.BAD_REQUEST, "--raw goes only to a file or a pipe", hint="redirect the output, or leave out --raw"
        )
    if not where.is_given:
        return _show(invocation, _recorded(invocation, subject, task), raw=raw)
    if subject is None or task is not None:
        raise EditError(
            Kind.BAD_REQUEST, "a preview is for one FILE", hint="steadyhand diff FILE --old TEXT --new TEXT"
        )
    from steadyhand.plan.edit import Delete, Edit, Replace

    text = text_from(invocation, "--new", new, new_file)
    target, which = where.target(invocation), where.which()
    edit: Edit = Delete(target, occurrence=which, expected=where.expected)
    if text is not None:
        edit = Replace(target, text, occurrence=which, expected=where.expected)
    with invocation.workspace(policy=policy_of(tier, on_drift, without)) as workspace:
        receipt = workspace.preview(invocation.path(subject), [edit], expect=expect, encoding=encoding)
    return _show(invocation, receipt.diff(), raw=True) if raw else report(invocation, receipt)


def _recorded(invocation: Invocation, subject: str | None, task: str | None) -> str:
    if (subject is None) == (task is None):
        raise EditError(
            Kind.BAD_REQUEST,
            "say what to compare: one record, one task, or one file with an edit",
            hint="steadyhand diff RECORD, steadyhand diff --task TASK, or steadyhand diff FILE --old TEXT --new TEXT",
        )
    if subject is not None and not _RECORD.fullmatch(subject):
        raise EditError(
            Kind.BAD_REQUEST,
            "FILE alone does not say what to compare, and this is not a record id",
            hint="add the edit to preview (--old TEXT --new TEXT), or give a record id from steadyhand log",
        )
    with invocation.workspace() as workspace:
        return workspace.diff_of_task(task) if task is not None else workspace.diff_of(str(subject).lower())


def _show(invocation: Invocation, diff: str, *, raw: bool) -> int:
    output = invocation.output
    output.document({"ok": True, "diff": diff})
    if raw:
        output.raw(diff.encode("utf-8", "surrogateescape"))
    else:
        output.print(diff_lines(diff, width=cut_width(invocation)))
    return 0


COMMAND = run
