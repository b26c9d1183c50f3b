"""`stats`: how calls went, counted: figures, a table of models, ways and types of file, bars, a page and a picture."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import Command, command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import SINCE_HELP, FileName, Since, When, started
from steadyhand.surfaces.cli.output import writing
from steadyhand.surfaces.cli.render import progress, table_lines
from steadyhand.surfaces.plot import (
    Bar,
    Chart,
    Figure,
    changes_of,
    charts_of,
    figures_of,
    span_of,
    table_of,
)
from steadyhand.surfaces.terminal import Line, Piece, cells, fit, pad, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics


@command(
    "stats",
    section="History",
    examples="""
    steadyhand stats
    steadyhand stats --since 7d --tool edit_article
    steadyhand stats --by toolset,dialect --since 30d
    steadyhand stats --since 7d --compare 14d
    steadyhand stats --task T-12 --json
    steadyhand stats --html stats.html --png stats.png
    """,
)
@click.option("--since", metavar="WHEN", type=When(), help=SINCE_HELP)
@click.option("--until", metavar="WHEN", type=When(), help="Only what was before: a date, a time ago, a record's id.")
@click.option("--compare", metavar="WHEN", type=When(), help="Compare with the period from then until --since.")
@click.option(
    "--by",
    metavar="NAMES",
    multiple=True,
    help="What the table has a row for each of: model, way, type, toolset, dialect, tool, task, actor, day.",
)
@click.option("--task", metavar="TASK", help="Only calls of this task.")
@click.option("--tool", metavar="NAME", help="Only calls of this tool.")
@click.option("--html", metavar="FILE", type=FileName(), help="Write a self-contained HTML page.")
@click.option("--png", metavar="FILE", type=FileName(), help="Write a picture; needs matplotlib.")
def stats_command(
    invocation: Invocation,
    since: Since | None,
    until: Since | None,
    compare: Since | None,
    by: tuple[str, ...],
    task: str | None,
    tool: str | None,
    html: str | None,
    png: str | None,
) -> int:
    """Count how calls went: first tries, retries, tiers, refusals.

    A call is applied if it changed a file. A first try is the first call of a conversation about a file, or of an
    actor and task where no conversation is known; a retry is a call about a file after one that was refused. Calls that
    only read leave no trace and are not counted.

    The table has a row for each model, way (toolset or tool, and the format of a patch) and type of file, or for what
    --by names. Where few files were tried the 95 % interval is beside the share. Saves are refusals by a guard:
    text that would no longer parse, a placeholder, most of a file gone. Tokens and seconds are those of an applied
    edit, where whoever drove the model knew them.
    """
    from steadyhand.session.statistics import check_by

    output = invocation.output
    if compare is not None and since is None:
        raise EditError(Kind.BAD_REQUEST, "--compare needs --since: where the earlier period ends", hint="add --since")
    names = check_by(name for some in by for name in some.replace(",", " ").split())
    task = task or invocation.settings.task
    with invocation.workspace() as workspace, progress(output, "counting") as shown:

        def counted(since: Since | None, until: Since | None) -> Statistics:
            moment, after = started(workspace, since)
            end, last = started(workspace, until)
            before = last + 1 if last else None  # what --since leaves out is what --until takes
            return workspace.audits.statistics(
                since=moment, after=after, until=end, before=before, task=task, tool=tool, by=names,
                progress=shown,
            )  # fmt: skip

        found = counted(since, until)
        earlier = None if compare is None else counted(compare, since)
    files = _write(invocation, found, earlier, html, png)
    compared = {} if earlier is None else {"compared": earlier.to_json()}
    output.document({"ok": True, "statistics": found.to_json(), **compared, "files": files})
    if files and not output.json:
        output.print((Piece("wrote ", "good"), Piece(visible_name(name))) for name in files)
    elif not output.json:
        output.print(stats_lines(found, earlier, width=output.width, blocks=_has_blocks()))
    return 0


def _write(
    invocation: Invocation, found: Statistics, earlier: Statistics | None, html: str | None, png: str | None
) -> list[str]:
    """The files asked for. Both are made before the first is written."""
    made: list[tuple[str, str, bytes]] = []
    title = "Steadyhand: how calls went"
    if html is not None:
        from steadyhand.surfaces.plot import render_page

        page = render_page(found, title=title, earlier=earlier)
        made.append(("--html", html, page.encode("utf-8", "backslashreplace")))
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


_STATS_STYLES = {"good": "good", "bad": "error", "plain": "place"}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LONGEST_LABEL = 28
_LONGEST_BAR = 40
_SHORTEST_BAR = 8


def stats_lines(found: Statistics, earlier: Statistics | None = None, *, width: int, blocks: bool) -> list[Line]:
    """Figures and charts; `blocks`: whether the reader's encoding has block characters to draw bars with."""
    lines: list[Line] = [(Piece(fit(span_of(found), width), "dim"),)]
    if not found.total.calls:
        return lines
    lines.append(())
    lines += _figure_lines(figures_of(found), width)
    for table in (table_of(found), *([] if earlier is None else [changes_of(earlier, found)])):
        if table.rows:
            lines += [(), (Piece(fit(table.title, width), "heading"),)]
            lines += table_lines(table.head, table.rows, names=table.names, width=width)
    for chart in charts_of(found):
        lines += [(), *_chart_lines(chart, width, blocks=blocks)]
    return lines


def _figure_lines(figures: list[Figure], width: int) -> list[Line]:
    names = max(cells(figure.name) for figure in figures)
    values = max(cells(figure.value) for figure in figures)
    room = width - names - values - 4
    return [
        (
            Piece(f"{pad(figure.name, names)}  ", "dim"),
            Piece(" " * (values - cells(figure.value)) + figure.value, "heading"),
            Piece(f"  {pad(figure.remark, room).rstrip()}" if room > 10 else "", "dim"),
        )
        for figure in figures
    ]


def _chart_lines(chart: Chart, width: int, *, blocks: bool) -> list[Line]:
    names = min(max(cells(visible_line(bar.label)) for bar in chart.bars), _LONGEST_LABEL, width // 3)
    numbers = [" + ".join(f"{value:,}" for _, value in bar.parts) for bar in chart.bars]
    digits = max(map(len, numbers))
    remarks = max(cells(bar.remark) for bar in chart.bars)
    room = min(width - names - digits - remarks - 6, _LONGEST_BAR)
    if room < _SHORTEST_BAR:  # the bars are what one looks at
        remarks, room = 0, max(min(width - names - digits - 4, _LONGEST_BAR), 1)
    legend = f"  ({' + '.join(name for _, name in chart.legend)})" if chart.legend else ""
    left = width - cells(chart.title)
    title = Piece(fit(chart.title, width), "heading"), Piece(legend if cells(legend) <= left else "", "dim")
    lines: list[Line] = [title]
    for bar, number in zip(chart.bars, numbers, strict=True):
        drawn = list(_drawn(bar, chart.longest, room, blocks=blocks))
        filled = sum(cells(piece.text) for piece in drawn)
        lines.append(
            (
                Piece(pad(bar.label, names) + "  "),
                *drawn,
                Piece(" " * (room - filled) + f"  {number:>{digits}}"),
                Piece(f"  {bar.remark}" if remarks and bar.remark else "", "dim"),
            )
        )
    return lines


def _drawn(bar: Bar, longest: int, room: int, *, blocks: bool) -> Iterator[Piece]:
    """The parts of a bar; what is not nothing is drawn, however short, and the whole is never too long."""
    parts = [(role, value) for role, value in bar.parts if value]
    so_far = drawn = 0
    for number, (role, value) in enumerate(parts, 1):
        so_far += value
        end = so_far * room / longest
        left = len(parts) - number
        if blocks and not left and role != "bad":
            yield Piece(_blocks(end - drawn), _STATS_STYLES[role])
            return
        columns = min(max(round(end) - drawn, 1), room - left - drawn)
        yield Piece(_mark(role, blocks=blocks) * columns, _STATS_STYLES[role])
        drawn += columns


def _blocks(columns: float) -> str:
    """A bar to an eighth of a column, at least that long."""
    whole, eighths = divmod(max(round(columns * 8), 1), 8)
    return "█" * whole + (_EIGHTHS[eighths] if eighths else "")


def _mark(role: str, *, blocks: bool) -> str:
    """What a part is drawn with; the two ends of a call differ also where there is no colour."""
    if blocks:
        return "▒" if role == "bad" else "█"
    return "-" if role == "bad" else "#"


COMMANDS: dict[str, Command] = {"stats": stats_command}
