"""`log`, `show`, `why`, `diff`, `undo` and `redo`: what was changed, and taking it back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, misused, text_from
from steadyhand.surfaces.cli.options import (
    FILE,
    PlaceOptions,
    RecordId,
    dry_run_option,
    encoding_option,
    expect_option,
    flag,
    option,
    place_options,
    policy_options,
    reason_option,
)
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.cli.render import (
    cut_width,
    diff_lines,
    entry_document,
    fact_lines,
    finding,
    lines_of,
    report,
    table_row,
    why_document,
)
from steadyhand.surfaces.terminal import (
    Line,
    Piece,
    cells,
    fit,
    pad,
    shown_time,
    span_of_lines,
    visible_line,
    visible_name,
)
from steadyhand.workspace.journal.record import Entry

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.workspace import Workspace
    from steadyhand.workspace.history.file_history import Why
    from steadyhand.workspace.history.outside import Outside
    from steadyhand.workspace.journal.record import EditNote, FileChange, Record


@command(
    "log",
    section="History",
    examples="""
    steadyhand log
    steadyhand log docs/a.md --limit 5
    steadyhand log --task T-12 --json
    steadyhand log --actor ada
    """,
)
@click.argument("file", required=False, type=FILE)
@option("--task TASK", "Only changes of this task.")
@option("--actor NAME", "Only changes this actor made.")
@option("--limit N", "At most this many.", least=1, usual=30)
def log_command(
    invocation: Invocation, file: str | None, task: str | None, actor: str | None, limit: int
) -> CommandResult:
    """List recorded changes, newest first.

    With FILE, only changes to it, under any name it had. Changes by other programs that were recorded (see observe) are
    marked "outside the journal".
    """
    path = invocation.path(file) if file is not None else None
    task, actor = task or invocation.settings.task, actor or invocation.settings.actor
    with invocation.workspace() as workspace:
        entries = workspace.history(path, task=task, limit=None if actor else limit)
        outside = [] if task else workspace.outside(path, limit=None if actor else limit)
        if not entries and not outside and path is not None:
            _refuse_unknown(workspace, path)
    known = [entry for entry in entries if actor is None or entry.record.actor == actor]
    noted = [change for change in outside if actor is None or change.actor == actor]
    every: list[Entry | Outside] = [*known, *noted]
    shown = sorted(every, key=lambda each: each.seq, reverse=True)[:limit]
    document: dict[str, object] = {"entries": [entry_document(e) for e in shown if isinstance(e, Entry)]}
    if noted:
        document["outside"] = [each.to_json() for each in shown if not isinstance(each, Entry)]
    return CommandResult(document, log_lines(shown, width=invocation.output.width))


def _refuse_unknown(workspace: Workspace, path: str) -> None:
    """Nothing to tell of a file that is there is an answer; of one that never was it is a slip."""
    from steadyhand.session.host import host_of

    if workspace.history(path, limit=1):
        return
    try:
        host_of(workspace).source(path)
    except EditError as error:
        if error.kind is Kind.NO_SUCH_FILE:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {visible_name(path)}, and none was ever recorded",
                hint="check the name; steadyhand log alone lists every change",
                details={"path": path},
            ) from None


@command(
    "show",
    section="History",
    examples="""
    steadyhand show 1a2b3c4d5e6f
    """,
)
@click.argument("record", type=RecordId())
def show_command(invocation: Invocation, record: str) -> CommandResult:
    """Show one record: who, when, why, and its diff.

    RECORD is an id from log, or as many of its first digits (at least 4) as make it unique.
    """
    width = cut_width(invocation)
    with invocation.workspace() as workspace:
        outside = None
        if record.startswith("outside-"):
            outside = next((each for each in workspace.outside() if each.id == record), None)
        if outside is not None:
            diff = workspace.diff_of(record)
            return CommandResult(
                {"outside": outside.to_json(), "diff": diff}, outside_lines(outside, diff, width=width)
            )
        entry = workspace.show(record)
        diff = workspace.diff_of(entry.record.id)
    return CommandResult({"entry": entry_document(entry), "diff": diff}, entry_lines(entry, diff, width=width))


_WITH_LINES = lazy_pattern(r"(.+):([0-9]{1,12})(?:-([0-9]{1,12}))?", re.DOTALL)
_FORMS = "steadyhand why FILE, FILE:12 or FILE:12-15"


@command(
    "why",
    section="History",
    examples="""
    steadyhand why docs/a.md:12
    steadyhand why docs/a.md:12-15
    steadyhand why docs/a.md
    """,
)
@click.argument("place", metavar="FILE[:LINE[-LINE]]", type=FILE)
def why_command(invocation: Invocation, place: str) -> CommandResult:
    """Show which change last wrote a line, who made it, and why.

    Follows the line back through later edits and renames. Without LINE, shows every line of the file.
    """
    file, lines = _parse(place)
    path = invocation.path(file)
    with invocation.workspace() as workspace:
        try:
            whys = _ask(workspace, path, lines)
        except EditError as error:
            if error.kind in (Kind.NO_SUCH_FILE, Kind.BAD_REQUEST) and lines is None and ":" in place:
                file, _, line = place.rpartition(":")
                message = f"a line number is expected after {visible_name(file)}:, not {visible_name(line)}"
                raise misused(message, _FORMS) from None
            raise
    for doubt in dict.fromkeys(why.doubt for why in whys if why.doubt is not None):
        invocation.output.warn(doubt)
    document = {"path": path, "lines": [why_document(why) for why in whys]}
    return CommandResult(document, why_lines(path, whys, width=invocation.output.width))


def _parse(place: str) -> tuple[str, tuple[int, int] | None]:
    """The file, and the first and last line where they are named."""
    found = _WITH_LINES.fullmatch(place)
    if found is None:
        return place, None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    if first == 0:
        raise EditError(Kind.OUT_OF_BOUNDS, "lines are counted from 1", hint="ask for line 1 or a later one")
    if last < first:
        raise misused(f"lines {first}-{last} run backwards", f"{visible_name(found[1])}:{last}-{first}")
    return found[1], (first, last)


def _ask(workspace: Workspace, path: str, lines: tuple[int, int] | None) -> list[Why]:
    if lines is None:
        return workspace.why_all(path)
    first, last = lines
    ends = [workspace.why(path, line) for line in sorted({first, last})]  # refuses a line that is not there
    return ends if last - first < 2 else workspace.why_all(path)[first - 1 : last]


_RECORD = lazy_pattern(r"[0-9a-f]{4,40}", re.IGNORECASE)


@command(
    "diff",
    section="Look",
    examples="""
    steadyhand diff docs/a.md --old teh --new the
    steadyhand diff 1a2b3c4d5e6f
    steadyhand diff --task T-12 --raw > task.patch
    """,
)
@click.argument("subject", metavar="[FILE|RECORD]", required=False, type=FILE)
@place_options
@option("--new TEXT", "The new text; without it the old text is deleted.")
@option("--new-file FILE", "Read the new text from a file; - for standard input.", type=FILE)
@expect_option
@option("--task TASK", "What the records of this task change together.")
@flag("--raw", "The diff in the form git apply takes; only to a file or a pipe.")
@policy_options()
@encoding_option
def diff_command(
    invocation: Invocation,
    subject: str | None,
    new: str | None,
    new_file: str | None,
    expect: str | None,
    task: str | None,
    raw: bool,
    encoding: str | None,
    policy: Policy | None,
    **place: Any,
) -> int:
    """Show a diff and write nothing.

    FILE with the options of edit previews that edit. A record's id shows what that record changed; --task shows what
    all records of a task change together.
    """
    where = PlaceOptions(**place)
    if raw and (invocation.output.is_terminal or invocation.output.json):
        raise misused("--raw goes only to a file or a pipe", "redirect the output, or leave out --raw")
    if not where.is_given:
        return _show(invocation, _recorded(invocation, subject, task), raw=raw)
    if subject is None or task is not None:
        raise misused("a preview is for one FILE", "steadyhand diff FILE --old TEXT --new TEXT")
    edit = where.edit(invocation, text_from(invocation, "--new", new, new_file))
    with invocation.workspace(policy=policy) as workspace:
        receipt = workspace.preview(invocation.path(subject), [edit], expect=expect, encoding=encoding)
    return _show(invocation, receipt.diff(), raw=True) if raw else report(invocation, receipt)


def _recorded(invocation: Invocation, subject: str | None, task: str | None) -> str:
    if (subject is None) == (task is None):
        raise misused(
            "say what to compare: one record, one task, or one file with an edit",
            "steadyhand diff RECORD, steadyhand diff --task TASK, or steadyhand diff FILE --old TEXT --new TEXT",
        )
    if subject is not None and not _RECORD.fullmatch(subject):
        raise misused(
            "FILE alone is not enough to compare, and this is not a record id",
            "add the edit to preview (--old TEXT --new TEXT), or give a record id from steadyhand log",
        )
    with invocation.workspace() as workspace:
        return workspace.diff_of_task(task) if task is not None else workspace.diff_of(str(subject).lower())


def _show(invocation: Invocation, diff: str, *, raw: bool) -> int:
    output = invocation.output
    output.document({"ok": True, "diff": diff})
    if raw:
        output.raw(diff.encode("utf-8", "surrogateescape"))
    else:
        output.print(diff_lines(diff, width=cut_width(invocation)))
    return 0


@command(
    "undo",
    section="History",
    examples="""
    steadyhand undo 1a2b3c4d5e6f
    steadyhand undo --last
    steadyhand undo --task T-12 --dry-run
    """,
)
@click.argument("record", required=False, type=RecordId())
@flag("--last", "The latest change that is not undone.")
@option("--task TASK", "Every change of this task, newest first.")
@option("--file file FILE", "The latest change to this file that is not undone.", type=FILE)
@reason_option
@dry_run_option
def undo_command(
    invocation: Invocation,
    record: str | None,
    last: bool,
    task: str | None,
    file: str | None,
    reason: str | None,
    dry_run: bool,
) -> int:
    """Undo a change, even if later changes exist.

    Later changes stay. If they overlap the one to undo, the undo is refused and names the lines. An undo is itself a
    recorded change and can be undone.
    """
    if sum((record is not None, last, task is not None, file is not None)) != 1:
        raise misused("name the change to undo with one option", "RECORD, --last, --task TASK or --file FILE")
    path = invocation.path(file) if file is not None else None
    with invocation.workspace(writing=not dry_run) as workspace:
        receipt = workspace.undo(record, last=last, task=task, path=path, reason=reason, preview=dry_run)
        # Taking an undo back puts the change in place again: what takes that back is an undo.
        verbs = {workspace.show(record).record.verb for record in receipt.undoes}
        return report(invocation, receipt, back="undo" if verbs == {"undo"} else "redo")


@command(
    "redo",
    section="History",
    examples="""
    steadyhand redo
    steadyhand redo 1a2b3c4d5e6f
    """,
)
@click.argument("record", required=False, type=RecordId())
@reason_option
@dry_run_option
def redo_command(invocation: Invocation, record: str | None, reason: str | None, dry_run: bool) -> int:
    """Redo what was undone.

    Without RECORD, reverts the latest undo that is still in effect.
    """
    with invocation.workspace(writing=not dry_run) as workspace:
        return report(invocation, workspace.redo(record, reason=reason, preview=dry_run))


_HEADS = ("record", "time", "who", "what", "why")
_MADE_UP = lazy_pattern(r"mcp-[0-9a-f-]+")
_OUTSIDE = "outside the journal"
_ELSEWHERE = {
    "outside": "changed outside the journal",
    "before-journal": "from before the journal began",
    "record": "",
}


def log_lines(entries: Sequence[Entry | Outside], *, width: int) -> list[Line]:
    """One row per record: id, time, who, what, and as much of the reason as fits."""
    if not entries:
        return [(Piece("no changes recorded", "dim"),)]
    rows = [_log_row(entry) for entry in entries]
    widths = _widths(rows, width)
    lines: list[Line] = [(Piece(table_row(_HEADS, widths), "dim"),)]
    for entry, row in zip(entries, rows, strict=True):
        identity, rest = row[0], table_row(row[1:], widths[1:])
        is_dim = getattr(entry, "undone_by", None) is not None
        lines.append((Piece(pad(identity, widths[0]), "id"), Piece(f"  {rest}", "dim" if is_dim else "plain")))
    return lines


def _log_row(entry: Entry | Outside) -> tuple[str, str, str, str, str]:
    if isinstance(entry, Entry):
        record = entry.record
        reasons = (edit.reason for change in record.files for edit in change.edits if edit.reason)
        return record.id, shown_time(record.time), _who(record), _what(entry), record.reason or next(reasons, "")
    return entry.id, shown_time(entry.time), entry.actor or "somebody", visible_name(entry.path), _OUTSIDE


def outside_lines(change: Outside, diff: str, *, width: int | None) -> list[Line]:
    """A change outside the journal in full: who, when, and the diff."""
    facts = [
        ("change", change.id),
        ("time", change.time),
        ("actor", change.actor),
        ("task", change.task),
        ("tool", change.tool),
        ("note", f"{_OUTSIDE}: cannot be undone here"),
    ]
    lines = fact_lines([(name, value) for name, value in facts if value])
    lines += [(Piece("edited ", "heading"), Piece(visible_name(change.path))), ()]
    return lines + diff_lines(diff, width=width)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Columns as wide as their content, in the room there is; the reason has what the others leave."""
    needed = [max(cells(visible_line(row[i])) for row in (_HEADS, *rows)) for i in range(len(_HEADS))]
    who = min(needed[2], 24)
    room = max(width - needed[0] - needed[1] - who - 2 * len(_HEADS) + 2, 30)
    what = min(needed[3], max(room - needed[4], room * 3 // 5))
    return [needed[0], needed[1], who, what, room - what]


def entry_lines(entry: Entry, diff: str, *, width: int | None) -> list[Line]:
    """One record in full: who, when, why, each edit's reason, and the diff."""
    record = entry.record
    facts = [
        ("record", record.id),
        ("time", shown_time(record.time)),
        ("actor", record.actor),
        ("task", record.task),
        ("tool", record.tool),
        ("verb", record.verb + (f" of {', '.join(record.undoes)}" if record.undoes else "")),
        ("state", str(entry.state)),
        ("undone by", entry.undone_by),
        ("reason", record.reason),
        ("note", entry.note),
    ]
    lines = fact_lines([(name, value) for name, value in facts if value])
    for change in record.files:
        lines.append((Piece(f"{change.status} ", "heading"), Piece(_shown_path(change))))
        for number, edit in enumerate(change.edits, 1):
            lines += _edit_lines(number, edit)
    lines.append(())
    return lines + diff_lines(diff, width=width)


def _edit_lines(number: int, edit: EditNote) -> list[Line]:
    """Why one edit was made, and how its place was found where it was not quoted exactly."""
    found = finding(edit.tier, None, edit.similarity, edit.differs)
    lines: list[Line] = [(Piece(f"  edit {number}: "), Piece(edit.reason))] if edit.reason else []
    if found is not None:
        style = "dim" if edit.tier == "newline" else "warning"
        where = f",{lines_of(edit.lines)}" if edit.lines else ""
        lines.append((Piece(f"  edit {number}{where}: ", style), Piece(found)))
    return lines


def why_lines(path: str, whys: Sequence[Why], *, width: int) -> list[Line]:
    """Each line of a file with the record that wrote it; neighbours from one record share a heading."""
    lines: list[Line] = []
    digits = len(str(whys[-1].line)) if whys else 1
    for _, group in groupby(whys, key=_same_origin):
        run = list(group)
        lines.append(_origin_line(path, run))
        lines += [(Piece(f"  {why.line:>{digits}} ", "dim"), Piece(_cut(why.text, width - digits - 3))) for why in run]
    return lines


def _same_origin(why: Why) -> tuple[object, ...]:
    return why.since, why.origin and why.origin.record.id, why.outside and why.outside.id, why.reason


def _cut(text: str, width: int) -> str:
    """A line of a file, tabs kept unless it must be cut."""
    return text if len(text) * 2 <= width or cells(text) <= width else fit(text, width)


def _origin_line(path: str, run: Sequence[Why]) -> Line:
    why = run[0]
    place = Piece(f"{visible_name(path)}:{span_of_lines(run[0].line, run[-1].line)}  ", "place")
    if why.outside is not None:
        facts = [why.outside.actor, shown_time(why.outside.time), _ELSEWHERE["outside"]]
        return (place, Piece(why.outside.id, "id"), Piece("  " + "  ".join(fact for fact in facts if fact)))
    if why.origin is None:
        return (place, Piece(_ELSEWHERE[why.since] or "unknown", "dim"))
    record = why.origin.record
    facts = [_who(record), shown_time(record.time), why.reason or record.reason]
    return (place, Piece(record.id, "id"), Piece("  " + "  ".join(fact for fact in facts if fact)))


def _who(record: Record) -> str:
    """The actor, and the task where somebody named it: a server makes up one for each conversation."""
    return f"{record.actor} · {record.task}" if record.task and not _MADE_UP.fullmatch(record.task) else record.actor


def _what(entry: Entry) -> str:
    record = entry.record
    verb = f"{record.verb} " if record.verb != "edit" else ""
    names = ", ".join(_shown_change(change, entry) for change in record.files[:3])
    more = f" and {len(record.files) - 3} more" if len(record.files) > 3 else ""
    undone = " (undone)" if entry.undone_by else ""
    state = "" if str(entry.state) == "committed" else f" [{entry.state}]"
    return f"{verb}{names}{more}{undone}{state}"


def _shown_change(change: FileChange, entry: Entry) -> str:
    """The path, with what happened to it where that is not plain to see."""
    is_plain = change.status in ("edited", "renamed") or entry.record.verb != "edit"
    return _shown_path(change) if is_plain else f"{change.status} {_shown_path(change)}"


def _shown_path(change: FileChange) -> str:
    if change.is_rename and change.before is not None and change.after is not None:
        return f"{visible_name(change.before.path)} to {visible_name(change.after.path)}"
    return visible_name(change.path)
