"""`steadyhand impact extract`: what a change did."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.impact.options import change_options, check_change
from steadyhand.surfaces.cli.invocation import Invocation


@command(
    "extract",
    section="Articles",
    examples="""
    steadyhand impact extract
    steadyhand impact extract --base v1.2 --json
    steadyhand impact extract --uncommitted --total 50000
    """,
)
@change_options
@click.option("--per-file", metavar="N", type=click.IntRange(min=0), help="Characters of diff for one file (20000).")
@click.option("--total", metavar="N", type=click.IntRange(min=0), help="Characters of diff in all (200000).")
def run(invocation: Invocation, base: str | None, uncommitted: bool, per_file: int | None, total: int | None) -> int:
    """Report a change: commits, files, hunks and definitions.

    Each hunk says which definition, section or key it is in, each file which of its definitions changed; comments and
    layout do not count for that. Binary files, submodules, links, secrets, and files that .gitattributes calls
    generated or vendored are listed and not shown. Where the budget is short, the largest diffs are cut first, and
    what is left out is named. With --quiet only the list of files is printed.
    """
    from steadyhand.agents.impact.api import extract
    from steadyhand.surfaces.cli.render.impact import report_lines

    check_change(base, uncommitted=uncommitted)
    output = invocation.output
    with invocation.workspace() as workspace:
        report = extract(workspace, base=base, uncommitted=uncommitted, per_file=per_file, total=total)
    output.document({"ok": True, **report.to_json()})
    output.print(report_lines(report, is_brief=output.quiet, width=output.width))
    return 0


COMMAND = run
