"""`steadyhand convert`: what a model wrote, in another format for the files as they are now."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import reply_text
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, FormatName, FormatOption, OnDrift, policy_of, tolerance_options
from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.cli.report import cut_width
from steadyhand.surfaces.terminal import Piece, visible_line


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
@click.option(
    "--to",
    metavar="NAME",
    type=FormatName(written=True),
    cls=FormatOption,
    default="unified",
    help="The format to write.",
)
@click.option(
    *("--format", "format_name"),
    metavar="NAME",
    type=FormatName(),
    cls=FormatOption,
    default="auto",
    help="The format to read.",
)
@click.option("--path", metavar="FILE", type=FileName(), help="The file that is meant where the reply names none.")
@tolerance_options
def run(
    invocation: Invocation,
    reply: str | None,
    to: str,
    format_name: str,
    path: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
) -> int:
    """Turn a patch in one format into another, against the files as they are.

    The reply is placed as apply would place it, nothing is written, and the changes are printed in the format of --to:
    a clean unified diff, for example, that git apply takes. What apply would refuse is refused here.
    Without FILE, or for -, standard input is read.
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


COMMAND = run
