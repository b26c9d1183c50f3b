"""`steadyhand impact report`: a run as a document."""

from __future__ import annotations

import json

import click

from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.outfile import writing
from steadyhand.surfaces.terminal import Piece, visible_name


@command(
    "report",
    section="Articles",
    examples="""
    steadyhand impact report > comment.md
    steadyhand impact report 3f9c1a --format html -o impact.html
    steadyhand impact report 3f9c1a --format json
    """,
)
@click.argument("run_id", metavar="[RUN]", required=False)
@click.option(
    *("--format", "format_name"),
    type=click.Choice(["markdown", "html", "json"]),
    default="markdown",
    show_default=True,
    help="Markdown for a pull request, one HTML page, or the record with the figures.",
)
@click.option(
    *("--output", "-o", "file"), metavar="FILE", type=FileName(), help="Write to this file; else to standard output."
)
def run(invocation: Invocation, run_id: str | None, format_name: str, file: str | None) -> int:
    """Write a run as a document for the people who review it.

    What was changed and why, hunk by hunk; what was judged to be right and why; what failed; tokens, time, and how
    often articles were edited in places or files written as a whole. RUN is the newest run where it is left out. The
    page loads nothing from anywhere, and nothing in a report is markup but what this command wrote.
    """
    output = invocation.output
    with invocation.workspace() as workspace:
        if run_id is None:
            newest = host_of(workspace).runs.runs(1)
            if not newest:
                raise EditError(Kind.NO_SUCH_FILE, "no run is recorded", hint="steadyhand impact run makes one")
            run_id = str(newest[0]["id"])
        record = host_of(workspace).runs.run(run_id)
    text = _document(record, "json" if output.json and file is None else format_name)
    if file is None or file == "-":
        output.plain(text)
        return 0
    with writing(invocation, "--output", file) as write:
        write(text.encode("utf-8", "backslashreplace"))
    output.document({"ok": True, "run": run_id, "file": file, "format": format_name})
    output.print([(Piece("wrote ", "good"), Piece(visible_name(file)))])
    return 0


def _document(record: dict[str, object], format_name: str) -> str:
    from steadyhand.surfaces.reports import adoption, render_markdown, render_run_page, summary

    if format_name == "json":
        shown = {"ok": True, **record, "adoption": adoption(record), "summary": summary(record)}
        return json.dumps(shown, indent=2, default=str) + "\n"
    return render_run_page(record) if format_name == "html" else render_markdown(record)


COMMAND = run
