"""An event for people: one line with who, what, where and why; a conflict with both its sides beneath."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.dispute import side_lines
from steadyhand.surfaces.terminal import Line, Piece, fit, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.event import Event

_STYLES = {
    "edit": "good",
    "undo": "warning",
    "redo": "good",
    "refusal": "error",
    "conflict": "error",
    "resolved": "good",
}
_SIDES = 3  # changes of others that are shown of one conflict
_ROWS = 4
_REASON = 300


def event_lines(event: Event, *, width: int | None) -> list[Line]:
    """The line of an event, and what belongs to it further in."""
    lines = [_head(event), *_edit_lines(event)]
    if event.type == "conflict":
        lines += _side_lines(event, width)
    return lines


def _head(event: Event) -> Line:
    who = f"{event.actor} · {event.task}" if event.actor and event.task else event.actor or event.task or ""
    pieces = [
        Piece(f"{event.seq}  {event.time[:19].replace('T', ' ')}  ", "dim"),
        Piece(event.type, _STYLES.get(event.type, "place")),
        Piece(f"  {visible_line(who)}" if who else "", "heading"),
        Piece(f"  {_where(event)}" if event.paths else "", "place"),
        Piece(f"  {visible_line(event.message)}" if _is_told(event) else ""),
        Piece(f"  {fit(event.reason, _REASON)}" if event.reason else ""),
        Piece(f"  {event.id}" if event.id else "", "id"),
    ]
    return tuple(piece for piece in pieces if piece.text)


def _is_told(event: Event) -> bool:
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
        lines += [(Piece("    "), *line) for line in side_lines(other, rows=_ROWS, width=width)]
    if len(others) > _SIDES:
        lines.append((Piece(f"    … and {len(others) - _SIDES} more", "dim"),))
    if isinstance(yours, Mapping):
        mine = {"actor": event.actor, "task": event.task, "refused": True, **yours}
        lines += [(Piece("    "), *line) for line in side_lines(mine, rows=_ROWS, width=width)]
    return lines


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
