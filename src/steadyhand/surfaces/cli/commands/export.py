"""`steadyhand export`: the audit trail, or what became of each article, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import SINCE_HELP, FileName, Since, When, started
from steadyhand.surfaces.cli.outfile import Write, writing
from steadyhand.surfaces.cli.report import progress
from steadyhand.surfaces.terminal import Piece, counted, visible_name

_AT_ONCE = 1 << 16  # bytes


@command(
    "export",
    section="History",
    examples="""
    steadyhand export > audit.jsonl
    steadyhand export --format csv -o audit.csv
    steadyhand export --articles --task T-12
    steadyhand export --articles --run 3f9c1a
    steadyhand export --since 2026-11-01 --path docs -o november.jsonl
    """,
)
@click.option(
    *("--format", "format_name"),
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    show_default=True,
    help="One JSON object on each line, or one row.",
)
@click.option(
    "--articles", is_flag=True, help="One line for each file: whether it was updated, the patch, the reasons."
)
@click.option("--run", "run_id", metavar="RUN", help="With --articles: those of this run of steadyhand impact.")
@click.option("--since", metavar="WHEN", type=When(), help=SINCE_HELP)
@click.option("--task", metavar="TASK", help="Only what this task did.")
@click.option("--path", metavar="FILE", type=FileName(), help="Only what concerns this file or directory.")
@click.option(
    *("--output", "-o", "file"), metavar="FILE", type=FileName(), help="Write to this file; else to standard output."
)
def run(
    invocation: Invocation,
    format_name: str,
    articles: bool,
    run_id: str | None,
    since: Since | None,
    task: str | None,
    path: str | None,
    file: str | None,
) -> int:
    """Write the audit trail as JSON Lines or CSV.

    A line for each record with its patches, edits and reasons, and for each refusal, conflict and note, oldest first.
    Whatever a field holds, one event is one line. Each JSON line holds the SHA-256 of the line before it in `previous`
    and the seal of the journal's row. In CSV control characters are escaped, and a cell that starts with = + - or @
    gets an apostrophe, so that no spreadsheet takes it for a formula. The content of files with secrets is left out.
    """
    output = invocation.output
    if output.json and file is None and format_name == "csv":
        raise EditError(
            Kind.BAD_REQUEST, "CSV is not JSON", hint="leave out --json, or write the CSV to a file with -o"
        )
    if run_id is not None and (not articles or since is not None or task is not None):
        hint = "leave out --since and --task" if articles else "add --articles"
        raise EditError(Kind.BAD_REQUEST, "--run chooses the articles of one run", hint=hint)
    damaged: list[str] = []
    is_shown = file in (None, "-") and output.is_terminal  # a bar among the lines helps nobody
    with _target(invocation, file) as write, invocation.workspace() as workspace, progress(output, "writing") as shown:
        moment, after = started(workspace, since)
        given = invocation.path(path) if path is not None else None
        account = workspace.audits.articles if articles else workspace.audits.trail
        told = (
            iter(_of_run(host_of(workspace).runs.run(run_id), given))
            if run_id is not None
            else account(
                since=moment,
                after=after,
                task=task or invocation.settings.task,
                path=given,
                progress=None if is_shown else shown,
                on_damage=damaged.append,
            )
        )
        lines, last = _written(write, told, format_name, is_trail=not articles)
    if damaged:
        output.warn(
            f"{counted(len(damaged), 'row')} of the journal could not be read and left out; see steadyhand check"
        )
    if file is not None and file != "-":
        output.document({"ok": True, "file": file, "format": format_name, "lines": lines, "last": last})
        output.print([(Piece("wrote ", "good"), Piece(f"{counted(lines, 'line')} to {visible_name(file)}"))])
    return 0


def _of_run(record: dict[str, object], path: str | None) -> list[dict[str, object]]:
    """The articles of a run, all or those of a file or directory."""
    found = record["articles"]
    articles = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [each for each in articles if path is None or f"{each.get('path')}/".startswith(f"{path.rstrip('/')}/")]


@contextmanager
def _target(invocation: Invocation, file: str | None) -> Iterator[Write]:
    if file is None or file == "-":
        yield invocation.output.raw
        return
    with writing(invocation, "--output", file) as write:
        yield write


def _written(
    write: Write, told: Iterator[dict[str, object]], format_name: str, *, is_trail: bool
) -> tuple[int, str | None]:
    """How many lines were written, and the digest of the last one where lines are chained."""
    from steadyhand.surfaces.cli.tables import Chained, article_rows, json_line, trail_rows

    chained = Chained()
    if format_name == "csv":
        rows = trail_rows(told) if is_trail else article_rows(told)
    else:
        rows = map(chained.line if is_trail else json_line, told)
    count, waiting, size = 0 if format_name == "jsonl" else -1, [], 0  # the head of a table is no event
    for row in rows:
        waiting.append(row)
        size += len(row)
        count += 1
        if size >= _AT_ONCE:
            write(b"\n".join(waiting) + b"\n")
            waiting, size = [], 0
    if waiting:
        write(b"\n".join(waiting) + b"\n")
    return count, chained.last


COMMAND = run
