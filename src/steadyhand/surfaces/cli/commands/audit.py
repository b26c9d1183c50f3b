"""`export`, `findings` and `stats`: what agents did and how it went, for other programs and for people.

Statistics are figures, a table of models, ways and types of file, bars, a page and a picture.
An exported event is one line, always. JSON is pure ASCII, so no character of a field can end a line or act on a
terminal. In CSV such characters are written as escapes (`\n`, `\x1b`, `\u2028`; a backslash as two), and a cell
that a spreadsheet would take for a formula (one that starts with `=`, `+`, `-` or `@`) gets an apostrophe in front.
Each JSON line of the trail has in `previous` the SHA-256 of the line before it: whoever has the lines can see that none
was changed, left out or put in. The seal of the journal's row (`seq`, `checksum`, `chain`) says where it is from.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.options import FILE, SINCE_HELP, WHEN, Since, flag, option, output_option, started
from steadyhand.surfaces.cli.output import CommandResult, Write, writing
from steadyhand.surfaces.cli.render import lines_of, progress, table_lines
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
from steadyhand.surfaces.terminal import (
    Line,
    Piece,
    cells,
    counted,
    fit,
    pad,
    shown_time,
    visible,
    visible_line,
    visible_name,
)

if TYPE_CHECKING:
    from steadyhand.session.statistics import Statistics
    from steadyhand.tools.workspace import Finding

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
@option("--format format_name", "One JSON object on each line, or one row.", choices=["jsonl", "csv"], usual="jsonl")
@flag("--articles", "One line for each file: whether it was updated, the patch, the reasons.")
@option("--run run_id RUN", "With --articles: those of this run of steadyhand impact.")
@option("--since WHEN", SINCE_HELP, type=WHEN)
@option("--task TASK", "Only what this task did.")
@option("--path FILE", "Only what concerns this file or directory.", type=FILE)
@output_option
def export_command(
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

    One line for each record with its patches, edits and reasons, and for each refusal, conflict and note, oldest first.
    An event never spans lines. Each JSON line holds the SHA-256 of the line before it in `previous` and the seal of the
    journal's row. In CSV control characters are escaped, and a cell that starts with = + - or @ gets an apostrophe, so
    that no spreadsheet takes it for a formula. The content of files with secrets is left out.
    """
    from steadyhand.session.host import host_of

    output = invocation.output
    if output.json and file is None and format_name == "csv":
        raise misused("CSV is not JSON", "leave out --json, or write the CSV to a file with -o")
    if run_id is not None and (not articles or since is not None or task is not None):
        hint = "leave out --since and --task" if articles else "add --articles"
        raise misused("--run chooses the articles of one run", hint)
    damaged: list[str] = []
    is_shown = file in (None, "-") and output.is_terminal  # a bar among the lines helps nobody
    target = nullcontext(output.raw) if file in (None, "-") else writing(invocation, "--output", str(file))
    with target as write, invocation.workspace() as workspace, progress(output, "writing") as shown:
        moment, after = started(workspace, since)
        given = invocation.path(path) if path is not None else None
        account = workspace.audits.articles if articles else workspace.audits.trail
        events = (
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
        lines, last = _written(write, events, format_name, is_trail=not articles)
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


def _written(
    write: Write, events: Iterator[dict[str, object]], format_name: str, *, is_trail: bool
) -> tuple[int, str | None]:
    """How many lines were written, and the digest of the last one where lines are chained."""
    chained = Chained()
    if format_name == "csv":
        rows = trail_rows(events) if is_trail else article_rows(events)
    else:
        rows = map(chained.line if is_trail else json_line, events)
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


Facts = Mapping[str, object]
_FORMULA = ("=", "+", "-", "@")
_PLAIN = ("type", "seq", "time", "id", "actor", "task", "model", "tool", "toolset", "conversation", "call", "arguments")
_MORE = ("durationMs", "verb", "state", "undoneBy", "kind", "message", "reason")
_LISTED = ("paths", "statuses", "outcomes", "tiers", "lines", "reasons", "before", "after")
_SEALS = ("checksum", "chain")
TRAIL_COLUMNS = (*_PLAIN, *_MORE, *_LISTED, *_SEALS, "patch")


def json_line(facts: Facts) -> bytes:
    """One object on one line, without its newline."""
    return _json(facts).encode("ascii")


def _json(value: object) -> str:
    # DEL is the one control character JSON leaves alone; it can only be inside a string.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")


class Chained:
    """Objects as lines, each with the digest of the line before."""

    def __init__(self) -> None:
        self.last: str | None = None

    def line(self, facts: Facts) -> bytes:
        import hashlib

        made = json_line({**facts, "previous": self.last})
        self.last = hashlib.sha256(made).hexdigest()
        return made


def trail_rows(events: Iterable[Facts]) -> Iterator[bytes]:
    """The trail as CSV, its head first; several values are written with `; ` between them."""
    yield _row(TRAIL_COLUMNS)
    for event in events:
        files = _objects(event.get("files"))
        edits = [edit for file in files for edit in _objects(file.get("edits"))]
        cells: dict[str, object] = {name: event.get(name) for name in (*_PLAIN, *_MORE, *_SEALS)}
        cells |= {
            "paths": _joined([file.get("path") for file in files] or [event.get("path")]),
            "statuses": _joined(file.get("status") for file in files),
            "outcomes": _joined(edit.get("outcome") for edit in edits),
            "tiers": _joined(edit.get("tier") for edit in edits),
            "lines": _joined(_range(edit.get("lines")) for edit in edits) or _range(event.get("lines")),
            "reasons": _joined(edit.get("reason") for edit in edits),
            "before": _joined(file.get("before") for file in files),
            "after": _joined(file.get("after") for file in files),
            "patch": "".join(str(file.get("patch", "")) for file in files),
        }
        if event.get("type") == "note":
            cells["kind"], cells["message"] = event.get("note"), event.get("body")
        yield _row([cells[name] for name in TRAIL_COLUMNS])


def article_rows(articles: Iterable[Facts]) -> Iterator[bytes]:
    """Articles as CSV, the head first; what is not plain text is written as JSON."""
    from steadyhand.session.audit_article import FIELDS

    yield _row(FIELDS)
    for article in articles:
        yield _row(article.get(name) for name in FIELDS)


def _row(cells: Iterable[object]) -> bytes:
    import csv

    written = io.StringIO()
    # Quoted throughout: where a semicolon parts cells, what follows one in a text must not become a cell of its own.
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow([_cell(cell) for cell in cells])
    return written.getvalue()[:-1].encode("utf-8", "backslashreplace")


def _cell(value: object) -> str:
    """A value that stays on its line and is not a formula; what is not a plain value is written as JSON.

    >>> _cell("=1+1"), _cell("a\\nb"), _cell([1]), _cell(None)
    ("'=1+1", 'a\\\\nb', '[1]', '')
    """
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return _json(value)
    text = visible_line(str(value).replace("\\", "\\\\"))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _objects(value: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", value) if isinstance(value, list) else []


def _joined(values: Iterable[object]) -> str:
    return "; ".join(str(value) for value in values if value is not None)


def _range(lines: object) -> str | None:
    return f"{lines[0]}–{lines[-1]}" if isinstance(lines, list) and lines else None


_FINDINGS_STYLES = {"critical": "bad", "high": "bad", "medium": "warning"}


@command(
    "findings",
    section="History",
    examples="""
    steadyhand findings
    steadyhand findings --task T-12
    steadyhand findings --json
    """,
)
@option("--task TASK", "Only what this task reported.")
def findings_command(invocation: Invocation, task: str | None) -> CommandResult:
    """List what tasks reported with `report_findings`.

    A task in the mode `analyze` changes nothing and reports what it finds. Findings are kept in your state folder,
    outside the tree: XDG_STATE_HOME, else ~/.local/state.
    """
    with invocation.workspace() as workspace:
        found = workspace.findings(task or invocation.settings.task)
    return CommandResult({"findings": [finding.to_json() for finding in found]}, _lines(found))


def _lines(found: Sequence[Finding]) -> list[Line]:
    if not found:
        return [(Piece("no findings", "dim"),)]
    lines: list[Line] = []
    for finding in found:
        who = " · ".join(name for name in (finding.actor, finding.task) if name)
        when = "" if finding.time is None else f"  {shown_time(finding.time)}"
        place = f"{visible_name(finding.path)}{lines_of(finding.lines)}"
        lines.append(
            (
                Piece(finding.severity, _FINDINGS_STYLES.get(finding.severity, "dim")),
                Piece(f"  {place}  {visible_line(finding.title)}"),
                Piece(f"  {visible_line(who)}{when}", "dim"),
            )
        )
        lines += [(Piece(f"  {row}"),) for row in visible(finding.detail).splitlines()]
        if finding.suggestion is not None:
            first, *rest = visible(finding.suggestion).splitlines() or [""]
            lines += [(Piece("  suggestion: ", "dim"), Piece(first)), *((Piece(f"    {row}"),) for row in rest)]
    return lines


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
@option("--since WHEN", SINCE_HELP, type=WHEN)
@option("--until WHEN", "Only what happened before a date, a time ago (7d), or a record's id.", type=WHEN)
@option("--compare WHEN", "Compare with the period from then until --since.", type=WHEN)
@option("--by NAMES", "One row for each of: model, way, type, toolset, dialect, tool, task, actor, day.", multiple=True)
@option("--task TASK", "Only calls of this task.")
@option("--tool NAME", "Only calls of this tool.")
@option("--html FILE", "Write a self-contained HTML page.", type=FILE)
@option("--png FILE", "Write a picture; needs matplotlib.", type=FILE)
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
) -> CommandResult:
    """Show statistics of calls: first tries, retries, tiers, refusals.

    A call is applied if it changed a file. A first try is the first call of a conversation about a file, or of an actor
    and task if the conversation is unknown; a retry is a call about a file after one that was refused. Calls that only
    read leave no trace and are not counted.

    The table has a row for each model, way (toolset or tool, and the format of a patch) and type of file, or for what
    --by names. If few files were tried, the 95 % interval is shown next to the share. Saves are refusals by a guard:
    text that would no longer parse, a placeholder, most of a file gone. Tokens and seconds are per applied edit, if
    whoever ran the model reported them.
    """
    from steadyhand.session.statistics import check_by

    output = invocation.output
    if compare is not None and since is None:
        raise misused("--compare needs --since: where the earlier period ends", "add --since")
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
    document = {"statistics": found.to_json(), **compared, "files": files}
    if files:
        return CommandResult(document, ((Piece("wrote ", "good"), Piece(visible_name(name))) for name in files))
    return CommandResult(document, stats_lines(found, earlier, width=output.width, blocks=_has_blocks()))


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
    for said, name, data in made:
        with writing(invocation, said, name) as write:
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
