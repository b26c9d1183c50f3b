"""Files as the read tools show them: numbered or anchored lines, a bounded stretch at a time, with what was left out.

What is shown counts as read by the task; what is left out does not, nor does a line that is shown in part.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.structure.targets.anchor import anchor_of
from steadyhand.tools.call import Call
from steadyhand.tools.numbered import number_lines

__all__ = ["LINES_AT_ONCE", "read_numbered", "room_for"]

LINES_AT_ONCE = 2_000
_WIDEST = 2_000
_MOST_CHARACTERS = 400_000


def room_for(call: Call) -> int:
    """How many characters of files an answer may hold: the host's word where it is less than what is usual."""
    return min(call.settings.max_characters or _MOST_CHARACTERS, _MOST_CHARACTERS)


def read_numbered(
    call: Call,
    path: str,
    start: object = None,
    end: object = None,
    *,
    anchors: bool = False,
    room: int | None = None,
) -> dict[str, object]:
    """`content`, `totalLines`, `fileHash` and, where something is not shown, `leftOut`. Refuses as a read does.

    `room` are the characters that are left in the answer; at least one line is shown.
    """
    source = call.workspace.source(call.path(path))
    bodies = source.lines
    first = start if isinstance(start, int) else 1
    if first > max(len(bodies), 1):
        raise EditError(
            Kind.OUT_OF_BOUNDS,
            f"{path} has {len(bodies)} line{'' if len(bodies) == 1 else 's'}, there is no line {first}",
            hint=f"begin with a line from 1 to {max(len(bodies), 1)}",
            details={"path": path, "line": first, "lines": len(bodies)},
        )
    wanted = min(end, len(bodies)) if isinstance(end, int) else len(bodies)
    last = _fitting(bodies, first, min(wanted, first + LINES_AT_ONCE - 1), room_for(call) if room is None else room)
    whole = [line for line in range(first, last + 1) if len(bodies[line - 1]) <= _WIDEST]
    if whole or not bodies:
        call.workspace.saw_each(source, whole)
    cut = [body if len(body) <= _WIDEST else f"{body[:_WIDEST]}…" for body in bodies[first - 1 : last]]
    rows = _anchored(bodies, first, cut) if anchors else number_lines(cut, first, "colon")
    told = {"content": "\n".join(rows), "totalLines": len(bodies), "fileHash": source.digest[:16]}
    left_out = _left_out(len(bodies), first, last, wanted, wide=any(len(row) > _WIDEST for row in cut))
    return told | ({"leftOut": left_out} if left_out else {})


def _fitting(bodies: list[str], first: int, last: int, room: int) -> int:
    """The last line up to which the lines can be shown at once; the first always can."""
    for line in range(first, last + 1):
        room -= min(len(bodies[line - 1]), _WIDEST) + 1
        if room < 0 and line > first:
            return line - 1
    return last


def _anchored(bodies: list[str], first: int, shown: list[str]) -> list[str]:
    return [f"{anchor_of(line, bodies[line - 1])}: {text}" for line, text in enumerate(shown, first)]


def _left_out(count: int, first: int, last: int, wanted: int, *, wide: bool) -> str | None:
    parts = []
    if last < wanted:
        parts.append(f"lines {last + 1} to {wanted} of {count}: read on with start {last + 1}")
    elif (first, last) != (1, count):
        parts.append(f"lines {first} to {last} of {count} are shown")
    if wide:
        parts.append(f"long lines are cut after {_WIDEST} characters")
    return "; ".join(parts) or None
