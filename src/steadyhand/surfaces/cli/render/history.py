"""The journal for people: the log as a table, one record in full, why each line is as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.cli.render.match import finding, lines_of
from steadyhand.surfaces.terminal import Line, Piece, cells, fit, pad, shown_time, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.workspace.file_history import Why
    from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, Record
    from steadyhand.workspace.outside import Outside

_HEADS = ("record", "time", "who", "what", "why")
_MADE_UP = lazy_pattern(r"mcp-[0-9a-f-]+")
_OUTSIDE = "outside the journal"
_ELSEWHERE = {
    "outside": "changed outside the journal",
    "before-journal": "as it was before the journal began",
    "record": "",
}


def log_lines(entries: Sequence[Entry | Outside], *, width: int) -> list[Line]:
    """One row per record: id, time, who, what, and as much of the reason as fits."""
    if not entries:
        return [(Piece("no changes recorded", "dim"),)]
    rows = [_log_row(entry) for entry in entries]
    widths = _widths(rows, width)
    lines: list[Line] = [(Piece(_row(_HEADS, widths), "dim"),)]
    for entry, row in zip(entries, rows, strict=True):
        identity, rest = row[0], _row(row[1:], widths[1:])
        is_dim = getattr(entry, "undone_by", None) is not None
        lines.append((Piece(pad(identity, widths[0]), "id"), Piece(f"  {rest}", "dim" if is_dim else "plain")))
    return lines


def _log_row(entry: Entry | Outside) -> tuple[str, str, str, str, str]:
    from steadyhand.workspace.journal.record import Entry

    if isinstance(entry, Entry):
        record = entry.record
        return record.id, shown_time(record.time), _who(record), _what(entry), _reason(entry)
    return entry.id, shown_time(entry.time), entry.actor or "somebody", visible_name(entry.path), _OUTSIDE


def outside_lines(change: Outside, diff: str, *, width: int | None) -> list[Line]:
    """A change outside the journal in full: who, when, and the diff."""
    facts = [
        ("change", change.id),
        ("time", change.time),
        ("actor", change.actor),
        ("task", change.task),
        ("tool", change.tool),
        ("note", f"{_OUTSIDE}: nothing here can undo it"),
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


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(pad(text, width) for text, width in zip(texts, widths, strict=True)).rstrip()


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
    span = f"{run[0].line}" if len(run) == 1 else f"{run[0].line}–{run[-1].line}"
    place = Piece(f"{visible_name(path)}:{span}  ", "place")
    if why.outside is not None:
        facts = [why.outside.actor, shown_time(why.outside.time), _ELSEWHERE["outside"]]
        return (place, Piece(why.outside.id, "id"), Piece("  " + "  ".join(fact for fact in facts if fact)))
    if why.origin is None:
        return (place, Piece(_ELSEWHERE[why.since] or "unknown", "dim"))
    record = why.origin.record
    facts = [_who(record), shown_time(record.time), why.reason or record.reason]
    return (place, Piece(record.id, "id"), Piece("  " + "  ".join(fact for fact in facts if fact)))


def fact_lines(facts: Iterable[tuple[str, object]]) -> list[Line]:
    """Names and values, aligned."""
    rows = [(name, str(value)) for name, value in facts]
    column = max((cells(name) for name, _ in rows), default=0)
    return [(Piece(pad(name, column) + "  ", "dim"), Piece(value)) for name, value in rows]


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


def _reason(entry: Entry) -> str:
    """The reason of the whole, else of the first edit that has one."""
    edits = (edit.reason for change in entry.record.files for edit in change.edits if edit.reason)
    return entry.record.reason or next(edits, "")


def _shown_path(change: FileChange) -> str:
    if change.is_rename and change.before is not None and change.after is not None:
        return f"{visible_name(change.before.path)} to {visible_name(change.after.path)}"
    return visible_name(change.path)
