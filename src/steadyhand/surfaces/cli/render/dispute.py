"""A conflict for people: whose change stands there, which edit was refused for it, and what each would have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.cli.render.finding import lines_of
from steadyhand.surfaces.cli.render.history import fact_lines
from steadyhand.surfaces.terminal import Line, Piece, counted, fit, head_of, pad, shown_time, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.dispute import Dispute, Standing

_OUTSIDE = "something outside Steadyhand"
_HEADS = ("conflict", "time (UTC)", "refused", "where", "stands on")
_STYLES = {"open": "warning", "applied": "good", "edited": "good"}
_ROWS = 12  # of each side, where there is room
_FEW = 2  # where there is little


def dispute_table(disputes: Sequence[Dispute], *, width: int) -> list[Line]:
    """One row per conflict, and as much of the reason of the refused edit as fits."""
    if not disputes:
        return [(Piece("no open conflicts", "dim"),)]
    rows = [
        (d.id, shown_time(d.time), _name(d.actor, d.task), f"{visible_name(d.path)}{_range(d.lines)}", _others(d))
        for d in disputes
    ]
    widths = [min(max(len(visible_line(row[i])) for row in (_HEADS, *rows)), 40) for i in range(len(_HEADS))]
    room = max(width - sum(widths) - 2 * len(_HEADS) - 10, 10)
    lines: list[Line] = [(Piece(_row([*_HEADS, "state", "why"], [*widths, 8, room]), "dim"),)]
    for dispute, row in zip(disputes, rows, strict=True):
        told = f"  {_row(row[1:], widths[1:])}  "
        state = Piece(pad(dispute.state, 8), _STYLES.get(dispute.state, "dim"))
        lines.append((Piece(row[0], "id"), Piece(told), state, Piece(f"  {fit(dispute.reason or '', room)}")))
    return lines


def dispute_lines(dispute: Dispute, standing: Standing | None, *, width: int | None) -> list[Line]:
    """One conflict in full: both sides, and what stands there now."""
    facts = [
        ("conflict", dispute.id),
        ("time", dispute.time),
        ("file", f"{visible_name(dispute.path)}{lines_of(dispute.lines)}"),
        ("state", dispute.state + (f", record {dispute.record}" if dispute.record else "")),
    ]
    lines = fact_lines(facts)
    for other in dispute.others:
        lines += side_lines(other, rows=_ROWS, width=width)
    mine = {"actor": dispute.actor, "task": dispute.task, "time": dispute.time, "reason": dispute.reason}
    lines += side_lines({**mine, **(dispute.yours or {}), "refused": True}, rows=_ROWS, width=width)
    return lines + _standing_lines(standing)


def _standing_lines(standing: Standing | None) -> list[Line]:
    if standing is None:
        return []
    if not standing.text:
        return [(Piece("now: ", "heading"), Piece("nothing stands there any more", "dim"))]
    first, last = standing.lines
    rows = standing.text.split("\n")[: last - first + 1]
    digits = len(str(last))
    lines: list[Line] = [(Piece("now:", "heading"), Piece(lines_of(standing.lines), "place"))]
    lines += [(Piece(f"    {first + i:>{digits}} ", "dim"), *head_of(row)) for i, row in enumerate(rows[:_ROWS])]
    return [*lines, _more(len(rows) - _ROWS)] if len(rows) > _ROWS else lines


def side_lines(side: Mapping[str, object], *, rows: int, width: int | None = None) -> list[Line]:
    """One side of a conflict: who, when, where and why, then what it took away and what it wrote."""
    is_refused = side.get("refused") is True
    who = _name(side.get("actor"), side.get("task")) if is_refused or side.get("record") else _OUTSIDE
    label = Piece("refused: " if is_refused else "stands: ", "error" if is_refused else "good")
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


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(pad(text, width) for text, width in zip(texts, widths, strict=True)).rstrip()


def _others(dispute: Dispute) -> str:
    names = [_name(o.get("actor"), o.get("task")) if o.get("record") else _OUTSIDE for o in dispute.others]
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
