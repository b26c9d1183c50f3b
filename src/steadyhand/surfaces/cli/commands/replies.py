"""`apply` and `convert`: what a model wrote, in any dialect, over any number of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steadyhand.errors import EditError
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.group import Command, command
from steadyhand.surfaces.cli.invocation import Invocation, parse_json, reply_text
from steadyhand.surfaces.cli.options import (
    FileName,
    FormatName,
    NamingOption,
    OnDrift,
    dry_run_option,
    guard_option,
    policy_of,
    reason_option,
    tolerance_options,
)
from steadyhand.surfaces.cli.render import cut_width, diff_lines, progress, report
from steadyhand.surfaces.terminal import Piece, visible_line

if TYPE_CHECKING:
    from steadyhand.plan.request import Requests


_PLAN = lazy_pattern(r'\s*\{\s*"(?:files|reason|partial)"\s*:')
_FILES = lazy_pattern(r'"files"\s*:')


_Function = TypeVar("_Function", bound=Callable[..., Any])
_path_option = click.option(
    "--path", metavar="FILE", type=FileName(), help="The file to change if the reply names none."
)


def _format_option(words: str, default: str, *names: str) -> Callable[[_Function], _Function]:
    kind = FormatName(written=default != "auto")
    return click.option(*names, metavar="NAME", type=kind, cls=NamingOption, default=default, help=words)


@command(
    "apply",
    section="Change files",
    examples="""
    steadyhand apply reply.md --dry-run
    git -C ../clone diff | steadyhand apply
    steadyhand apply change.diff --path src/app.py
    echo '{"files": [{"path": "a.md", "edits": [{"target": "teh", "new": "the"}]}]}' | steadyhand apply
    """,
)
@click.argument("reply", metavar="[FILE|-]", required=False, type=FileName())
@_format_option("The format of the reply.", "auto", "--format", "format_name")
@_path_option
@click.option("--overwrite", is_flag=True, help="Let new, moved and whole files replace existing ones.")
@click.option("--strict", is_flag=True, help="Refuse anything around the patch: prose, fences, tags.")
@tolerance_options
@guard_option
@reason_option
@dry_run_option
def apply_command(
    invocation: Invocation,
    reply: str | None,
    format_name: str,
    path: str | None,
    overwrite: bool,
    strict: bool,
    tier: str | None,
    on_drift: OnDrift | None,
    without: tuple[str, ...],
    reason: str | None,
    dry_run: bool,
) -> int:
    """Apply what a model wrote: a patch in any format, with prose around it.

    The format is detected and reported. Everything is applied or nothing. A JSON plan {"files": [...]} is a format too:
    each file has a path and edits, write, merge, create, delete, rename_to, copy_to, move or mode; "partial": true
    applies whatever can be applied. Paths are relative to the root. Without FILE, or for -, standard input is read.
    """
    text = reply_text(invocation, reply)
    plan = _plan(text) if format_name in ("auto", "json") and not (path or overwrite or strict) else None
    with invocation.workspace(writing=not dry_run, policy=policy_of(tier, on_drift, without)) as workspace:
        with progress(invocation.output, "staging") as shown:
            if plan is not None:
                receipt = workspace.apply(plan, reason=reason, preview=dry_run, progress=shown)
            else:
                receipt = workspace.patch(
                    text,
                    path=None if path is None else invocation.path(path),
                    format=format_name,
                    strict=strict,
                    overwrite=overwrite,
                    reason=reason,
                    preview=dry_run,
                    progress=shown,
                )
        return report(invocation, receipt)


def _plan(text: str) -> Requests | None:
    """The requests of a JSON plan; None where the text is none, or JSON of another kind that begins like one."""
    if not (_PLAN.match(text) and _FILES.search(text)):
        return None
    from steadyhand.dialects.front import read_patch
    from steadyhand.plan.request import requests_from_json

    value = parse_json(text, "the plan")
    try:
        return requests_from_json(value)
    except EditError as refusal:
        try:
            read_patch(text, format="json")
        except EditError:
            raise refusal from None
        return None


@command(
    "convert",
    section="Look",
    examples="""
    steadyhand convert reply.md > clean.patch
    steadyhand convert clean.patch --to v4a
    git -C ../clone diff | steadyhand convert --to search-replace
    """,
)
@click.argument("reply", metavar="[FILE|-]", required=False, type=FileName())
@_format_option("The format to write.", "unified", "--to")
@_format_option("The format to read.", "auto", "--format", "format_name")
@_path_option
@tolerance_options
def convert_command(
    invocation: Invocation,
    reply: str | None,
    to: str,
    format_name: str,
    path: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
) -> int:
    """Convert a patch to another format, for the files as they are now.

    The patch is placed as apply would place it, nothing is written, and the changes are printed in the format of --to,
    for example as a unified diff for git apply. What apply would refuse is refused here. Without FILE, or for -,
    standard input is read.
    """
    from steadyhand.dialects.dialect import dialect_named

    text = reply_text(invocation, reply)
    with invocation.workspace(policy=policy_of(tier, on_drift)) as workspace:
        receipt = workspace.patch(
            text, path=None if path is None else invocation.path(path), format=format_name, preview=True
        )
    dialect = dialect_named(to)
    assert dialect is not None
    assert dialect.write is not None
    written = dialect.write([file.change() for file in receipt.files])
    output = invocation.output
    for warning in receipt.warnings:
        output.warn(warning)
    output.document({"ok": True, "format": to, "read": receipt.format, "text": written})
    if output.is_terminal and not output.json:
        shown = [(Piece(visible_line(row)),) for row in written.split("\n")[:-1]]
        output.print(diff_lines(written, width=cut_width(invocation)) if to == "unified" else shown)
    elif not output.json:
        output.raw(written.encode("utf-8", "surrogateescape"))
    return 0


COMMANDS: dict[str, Command] = {"apply": apply_command, "convert": convert_command}
