"""`steadyhand stats`: how the calls of agents went."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import SINCE_HELP, FileName, Since, When, started
from steadyhand.surfaces.cli.outfile import writing
from steadyhand.surfaces.cli.report import progress
from steadyhand.surfaces.terminal import Piece, visible_name

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics


@command(
    "stats",
    section="History",
    examples="""
    steadyhand stats
    steadyhand stats --since 7d --tool edit_article
    steadyhand stats --task T-12 --json
    steadyhand stats --html stats.html --png stats.png
    """,
)
@click.option("--since", metavar="WHEN", type=When(), help=SINCE_HELP)
@click.option("--task", metavar="TASK", help="Only calls of this task.")
@click.option("--tool", metavar="NAME", help="Only calls of this tool.")
@click.option("--html", metavar="FILE", type=FileName(), help="Write a page that needs nothing else to be looked at.")
@click.option("--png", metavar="FILE", type=FileName(), help="Write a picture; needs matplotlib.")
def run(
    invocation: Invocation,
    since: Since | None,
    task: str | None,
    tool: str | None,
    html: str | None,
    png: str | None,
) -> int:
    """Count how calls went: first tries, retries, tiers, refusals.

    A call is applied if it changed a file. A first try is the first call of a conversation about a file, or of an
    actor and task where no conversation is known; a retry is a call about a file after one that was refused. Calls that
    only read leave no trace and are not counted.
    """
    output = invocation.output
    with invocation.workspace() as workspace, progress(output, "counting") as shown:
        moment, after = started(workspace, since)
        task = task or invocation.settings.task
        found = workspace.audits.statistics(since=moment, after=after, task=task, tool=tool, progress=shown)
    files = _write(invocation, found, html, png)
    output.document({"ok": True, "statistics": found.to_json(), "files": files})
    if files and not output.json:
        output.print((Piece("wrote ", "good"), Piece(visible_name(name))) for name in files)
    elif not output.json:
        from steadyhand.surfaces.cli.render.journal import stats_lines

        output.print(stats_lines(found, width=output.width, blocks=_has_blocks()))
    return 0


def _write(invocation: Invocation, found: Statistics, html: str | None, png: str | None) -> list[str]:
    """The files asked for. Both are made before the first is written."""
    made: list[tuple[str, str, bytes]] = []
    title = "Steadyhand: how calls went"
    if html is not None:
        from steadyhand.surfaces.plot import render_page

        made.append(("--html", html, render_page(found, title=title).encode("utf-8", "backslashreplace")))
    if png is not None:
        from steadyhand.surfaces.plot import render_picture

        made.append(("--png", png, render_picture(found, title=title)))
    for option, name, data in made:
        with writing(invocation, option, name) as write:
            write(data)
    return [name for _, name, _ in made]


def _has_blocks() -> bool:
    try:
        "█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


COMMAND = run
