"""`steadyhand write`: create a file or replace all of it."""

from __future__ import annotations

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import bytes_from, decode_whole, piped
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import (
    FileMode,
    FileName,
    commit_options,
    encoding_option,
    file_argument,
    guard_option,
    policy_of,
)
from steadyhand.surfaces.cli.report import report

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
def run(
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


COMMAND = run
