"""`write`, `delete`, `rename` and `chmod`: whole files."""

from __future__ import annotations

from typing import Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import Command, command
from steadyhand.surfaces.cli.invocation import Invocation, bytes_from, decode_whole, piped
from steadyhand.surfaces.cli.options import (
    FileMode,
    FileName,
    OnDrift,
    PlaceOptions,
    commit_options,
    dry_run_option,
    encoding_option,
    file_argument,
    guard_option,
    place_options,
    policy_of,
    reason_option,
    tolerance_options,
)
from steadyhand.surfaces.cli.render import report

_NOT_UTF8 = "send it as UTF-8, with --encoding NAME if the file is to have another; or write bytes as they are: --bytes"


@command(
    "write",
    section="Change files",
    examples="""
    echo "# Notes" | steadyhand write notes.md
    steadyhand write notes.md --from-file draft.md --expect 5891b5b522d5df08
    steadyhand write run.sh --text "#!/bin/sh" --mode 755
    """,
)
@file_argument
@click.option("--text", metavar="TEXT", help="The content.")
@click.option("--from-file", metavar="FILE", type=FileName(), help="A file that holds it; - for standard input.")
@click.option(
    "--bytes", "exact", is_flag=True, help="Write the bytes as they are: no encoding or newlines of the old file."
)
@click.option("--overwrite", is_flag=True, help="Replace the file whatever it holds.")
@click.option("--allow-shrink", is_flag=True, help="Allow dropping most of the file.")
@click.option("--mode", metavar="OCTAL", type=FileMode(), help="Permission bits of a new file.")
@guard_option
@commit_options
@encoding_option
def write_command(
    invocation: Invocation,
    file: str,
    text: str | None,
    from_file: str | None,
    exact: bool,
    overwrite: bool,
    allow_shrink: bool,
    mode: int | None,
    without: tuple[str, ...],
    expect: str | None,
    reason: str | None,
    dry_run: bool,
    encoding: str | None,
) -> int:
    """Create a file, or replace its whole content.

    Replacing needs to know what is replaced: --expect with the file's hash (read --json tells it), or --overwrite.
    The old file's encoding and line endings are kept. Without --text and --from-file, standard input is read.
    """
    if mode is not None and (exact or expect or overwrite or allow_shrink or encoding):
        raise EditError(
            Kind.BAD_REQUEST,
            "--mode is for a new text file: no --bytes, --expect, --overwrite, --allow-shrink or --encoding",
            hint="write the file first, then use steadyhand chmod",
        )
    content = _content(invocation, text, from_file, exact=exact)
    path = invocation.path(file)
    with invocation.workspace(writing=not dry_run, policy=policy_of(without=without)) as workspace:
        if mode is not None:
            receipt = workspace.create(path, str(content), mode=mode, reason=reason, preview=dry_run)
        else:
            receipt = workspace.write(
                path,
                content,
                expect=expect,
                reason=reason,
                allow_shrink=allow_shrink,
                overwrite=overwrite,
                encoding=encoding,
                preview=dry_run,
            )
        return report(invocation, receipt)


def _content(invocation: Invocation, text: str | None, from_file: str | None, *, exact: bool) -> str | bytes:
    if text is not None and from_file is not None:
        raise EditError(Kind.BAD_REQUEST, "--text and --from-file are both given", hint="give one of them")
    if text is not None:
        return text.encode("utf-8", "surrogateescape") if exact else text
    if from_file is not None:
        data = bytes_from(invocation, "--from-file", from_file)
    else:
        data = piped(invocation, "content", "give --text, --from-file or pipe it in")
    return data if exact else decode_whole(data, "the content", _NOT_UTF8)


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
def delete_command(
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


@command(
    "rename",
    section="Change files",
    examples="""
    steadyhand rename notes.md docs/notes.md
    """,
)
@file_argument
@click.argument("to", type=FileName())
@commit_options
def rename_command(
    invocation: Invocation, file: str, to: str, expect: str | None, reason: str | None, dry_run: bool
) -> int:
    """Rename or move a file.

    A file that is in the way is never overwritten; missing directories are made, and removed again by undo.
    """
    path, target = invocation.path(file), invocation.path(to)
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.rename(path, target, expect=expect, reason=reason, preview=dry_run))


@command(
    "chmod",
    section="Change files",
    examples="""
    steadyhand chmod run.sh 755
    """,
)
@file_argument
@click.argument("mode", type=FileMode())
@reason_option
@dry_run_option
def chmod_command(invocation: Invocation, file: str, mode: int, reason: str | None, dry_run: bool) -> int:
    """Change the permission bits of a file.

    MODE is octal. The change is recorded like any other and can be undone.
    """
    path = invocation.path(file)
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.chmod(path, mode, reason=reason, preview=dry_run))


COMMANDS: dict[str, Command] = {
    "chmod": chmod_command,
    "delete": delete_command,
    "rename": rename_command,
    "write": write_command,
}
