"""Conflicts, events and leases for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render import diff_lines, fact_lines, lines_of, table_row
from steadyhand.surfaces.terminal import Line, Piece, counted, fit, head_of, pad, shown_time, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.events import Event
    from steadyhand.session.kept_conflicts import KeptConflict, PresentText
    from steadyhand.session.leases import ActiveLease


_OUTSIDE = "something outside Steadyhand"
_HEADS = ("conflict", "time", "refused", "where", "against")
_STYLES = {"open": "warning", "applied": "good", "edited": "good"}
_ROWS = 12  # of each side, where there is room
_FEW = 2  # where there is little
_EVENT_STYLES = {
    "edit": "good",
    "undo": "warning",
    "redo": "good",
    "refusal": "error",
    "conflict": "error",
    "resolved": "good",
}
_SIDES = 3  # changes of others that are shown of one conflict
_EVENT_ROWS = 4
_REASON = 300


def conflict_table(conflicts: Sequence[KeptConflict], *, width: int) -> list[Line]:
    """One row per conflict, and as much of the reason of the refused edit as fits."""
    if not conflicts:
        return [(Piece("no open conflicts", "dim"),)]
    rows = [
        (d.id, shown_time(d.time), _name(d.actor, d.task), f"{visible_name(d.path)}{_range(d.lines)}", _others(d))
        for d in conflicts
    ]
    widths = [min(max(len(visible_line(row[i])) for row in (_HEADS, *rows)), 40) for i in range(len(_HEADS))]
    room = max(width - sum(widths) - 2 * len(_HEADS) - 10, 10)
    lines: list[Line] = [(Piece(table_row([*_HEADS, "state", "why"], [*widths, 8, room]), "dim"),)]
    for kept, row in zip(conflicts, rows, strict=True):
        cells = f"  {table_row(row[1:], widths[1:])}  "
        state = Piece(pad(kept.state, 8), _STYLES.get(kept.state, "dim"))
        lines.append((Piece(row[0], "id"), Piece(cells), state, Piece(f"  {fit(kept.reason or '', room)}")))
    return lines


def conflict_lines(kept: KeptConflict, present: PresentText | None, *, width: int | None) -> list[Line]:
    """One conflict in full: both sides, and the current text."""
    facts = [
        ("conflict", kept.id),
        ("time", shown_time(kept.time)),
        ("file", f"{visible_name(kept.path)}{lines_of(kept.lines)}"),
        ("state", kept.state + (f", record {kept.record}" if kept.record else "")),
    ]
    lines = fact_lines(facts)
    for other in kept.others:
        lines += side_lines(other, rows=_ROWS, width=width)
    mine = {"actor": kept.actor, "task": kept.task, "time": kept.time, "reason": kept.reason}
    lines += side_lines({**mine, **(kept.yours or {}), "refused": True}, rows=_ROWS, width=width)
    return lines + _present_lines(present)


def _present_lines(present: PresentText | None) -> list[Line]:
    if present is None:
        return []
    if not present.text:
        return [(Piece("now: ", "heading"), Piece("the text is gone", "dim"))]
    first, last = present.lines
    rows = present.text.split("\n")[: last - first + 1]
    digits = len(str(last))
    lines: list[Line] = [(Piece("now:", "heading"), Piece(lines_of(present.lines), "place"))]
    lines += [(Piece(f"    {first + i:>{digits}} ", "dim"), *head_of(row)) for i, row in enumerate(rows[:_ROWS])]
    return [*lines, _more(len(rows) - _ROWS)] if len(rows) > _ROWS else lines


def side_lines(side: Mapping[str, object], *, rows: int, width: int | None = None) -> list[Line]:
    """One side of a conflict: who, when, where and why, then what it took away and what it wrote."""
    is_refused = side.get("refused") is True
    who = _name(side.get("actor"), side.get("task")) if is_refused or side.get("record") else _OUTSIDE
    label = Piece("refused: " if is_refused else "current: ", "error" if is_refused else "good")
    pair = _pair(side.get("lines"))
    time, reason, record = (side.get(name) for name in ("time", "reason", "record"))
    head = [label, Piece(visible_line(who), "heading")]
    head += [Piece(f"  {shown_time(time)}", "dim")] if isinstance(time, str) else []
    head += [Piece(f" {lines_of(pair)}", "place")] if pair else []
    head += [Piece(f"  {fit(reason, 300)}")] if isinstance(reason, str) else []
    head += [Piece(f"  {record}", "id")] if isinstance(record, str) else []
    return [tuple(head), *_change_lines(side.get("before"), side.get("after"), rows=rows, width=width)]


def refusal_lines(others: Sequence[Mapping[str, object]], yours: object) -> list[Line]:
    """Both sides in a few lines, for whoever is refused just now."""
    lines: list[Line] = []
    for other in others[:_FEW]:
        lines += side_lines(other, rows=_FEW)
    if len(others) > _FEW:
        lines.append((Piece(f"… and {counted(len(others) - _FEW, 'more change')} of others", "dim"),))
    if isinstance(yours, Mapping) and (yours.get("before") or yours.get("after")):
        changed = _change_lines(yours.get("before"), yours.get("after"), rows=_FEW, width=None)
        lines += [(Piece("refused: ", "error"), Piece("this edit", "heading")), *changed]
    return lines


def _change_lines(before: object, after: object, *, rows: int, width: int | None) -> list[Line]:
    """What was taken away and what was written, as the rows of a diff, at most so many of each."""
    old, new = (_rows(text) if isinstance(text, str) else [] for text in (before, after))
    if not old and not new:
        return []
    diff = "\n".join([f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{row}" for row in old), *(f"+{row}" for row in new)])
    shown = diff_lines(diff, width=width)[1:]
    lines: list[Line] = []
    for side in (shown[: len(old)], shown[len(old) :]):
        lines += [(Piece("    "), *line) for line in side[:rows]]
        lines += [_more(len(side) - rows)] if len(side) > rows else []
    return lines


def _more(number: int) -> Line:
    return (Piece(f"    … {counted(number, 'more line')}", "dim"),)


def _rows(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _others(kept: KeptConflict) -> str:
    names = [_name(o.get("actor"), o.get("task")) if o.get("record") else _OUTSIDE for o in kept.others]
    return ", ".join(dict.fromkeys(names))


def _name(actor: object, task: object) -> str:
    return f"{actor} · {task}" if task else str(actor)


def _range(lines: tuple[int, int]) -> str:
    return f":{lines[0]}" if lines[0] >= lines[1] else f":{lines[0]}–{lines[1]}"


def _pair(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
    return None


def event_lines(event: Event, *, width: int | None) -> list[Line]:
    """The line of an event, and what belongs to it further in."""
    lines = [_head(event), *_edit_lines(event)]
    if event.type == "conflict":
        lines += _side_lines(event, width)
    return lines


def _head(event: Event) -> Line:
    who = f"{event.actor} · {event.task}" if event.actor and event.task else event.actor or event.task or ""
    pieces = [
        Piece(f"{event.seq}  {shown_time(event.time, seconds=True)}  ", "dim"),
        Piece(event.type, _EVENT_STYLES.get(event.type, "place")),
        Piece(f"  {visible_line(who)}" if who else "", "heading"),
        Piece(f"  {_where(event)}" if event.paths else "", "place"),
        Piece(f"  {visible_line(event.message)}" if _has_own_message(event) else ""),
        Piece(f"  {fit(event.reason, _REASON)}" if event.reason else ""),
        Piece(f"  {event.id}" if event.id else "", "id"),
    ]
    return tuple(piece for piece in pieces if piece.text)


def _has_own_message(event: Event) -> bool:
    """Whether the message says more than type, place and reason do."""
    undoes = event.details.get("undoes")
    if isinstance(undoes, list) and undoes and all(str(name) in (event.reason or "") for name in undoes):
        return False
    return event.message != f"edited {event.paths[0]}" if len(event.paths) == 1 else bool(event.message)


def _where(event: Event) -> str:
    names = ", ".join(visible_name(path) for path in event.paths[:3])
    more = f" and {len(event.paths) - 3} more" if len(event.paths) > 3 else ""
    lines = ",".join(str(a) if a >= b else f"{a}–{b}" for a, b in event.lines[:6])
    return f"{names}{more}{':' if lines else ''}{lines}{' …' if len(event.lines) > 6 else ''}"


def _edit_lines(event: Event) -> list[Line]:
    """The reasons of single edits, where they are not the one above, and what an edit was written over."""
    lines: list[Line] = []
    for file in _mappings(event.details.get("files")):
        for edit in _mappings(file.get("edits")):
            reason, forced = edit.get("reason"), edit.get("forced")
            if isinstance(reason, str) and reason != event.reason and event.type == "edit":
                lines.append((Piece(f"    {_place(file, edit)}", "place"), Piece(f"  {fit(reason, _REASON)}")))
            if isinstance(forced, list) and forced:
                over = visible_line(", ".join(map(str, forced)))
                lines.append((Piece("    forced over: ", "warning"), Piece(over, "id")))
    return lines


def _place(file: Mapping[str, object], edit: Mapping[str, object]) -> str:
    name = visible_name(str(file.get("path")))
    match edit.get("lines"):
        case [int(first), int(last)]:
            return f"{name}:{first}" if first >= last else f"{name}:{first}–{last}"
    return name


def _side_lines(event: Event, width: int | None) -> list[Line]:
    others = _mappings(event.details.get("with"))
    yours = event.details.get("yours")
    lines: list[Line] = []
    for other in others[:_SIDES]:
        lines += [(Piece("    "), *line) for line in side_lines(other, rows=_EVENT_ROWS, width=width)]
    if len(others) > _SIDES:
        lines.append((Piece(f"    … and {len(others) - _SIDES} more", "dim"),))
    if isinstance(yours, Mapping):
        mine = {"actor": event.actor, "task": event.task, "refused": True, **yours}
        lines += [(Piece("    "), *line) for line in side_lines(mine, rows=_EVENT_ROWS, width=width)]
    return lines


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def lease_lines(leases: Sequence[ActiveLease]) -> list[Line]:
    """One line for each lease: where, who, since when, why."""
    if not leases:
        return [(Piece("no leases", "dim"),)]
    return [_lease(announced) for announced in leases]


def _lease(announced: ActiveLease) -> Line:
    lease = announced.lease
    lines = announced.lines
    where = "" if lines is None else f":{lines[0]}" if lines[0] == lines[1] else f":{lines[0]}–{lines[1]}"
    limit = "" if lease.seconds is None else f" for {lease.seconds:g} s"
    return (
        Piece(f"{visible_name(announced.path)}{where}", "place"),
        Piece(f"  {announced.party}  since {shown_time(lease.time)}{limit}"),
        Piece(f"  {lease.reason}" if lease.reason else ""),
    )
