"""Files as the read tools show them: numbered or anchored lines, a bounded stretch at a time, with what was left out.

What is shown counts as read by the task; what is left out does not, nor does a line that is shown in part.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.schema import bad_request, join
from steadyhand.structure.anchor import anchor_of
from steadyhand.tools.call import Call
from steadyhand.tools.numbered import MOST_CHARACTERS, number_lines

__all__ = ["LINES_AT_ONCE", "WIDEST", "check_forwards", "read_numbered", "room_for"]

LINES_AT_ONCE = 2_000
WIDEST = 2_000  # characters of a line that are shown


def room_for(call: Call) -> int:
    """How many characters of files an answer may hold: the host's word where it is less than what is usual."""
    return min(call.settings.max_characters or MOST_CHARACTERS, MOST_CHARACTERS)


def read_numbered(
    call: Call,
    path: str,
    start: object = None,
    end: object = None,
    *,
    anchors: bool = False,
    room: int | None = None,
    place: str = "",
) -> dict[str, object]:
    """`content`, `totalLines`, `fileHash` and, where something is not shown, `leftOut`. Refuses as a read does.

    `room` are the characters that are left in the answer; at least one line is shown. `place` leads to the arguments.
    """
    check_forwards(start, end, place)
    source = call.workspace.source(call.path(path))
    count = source.table.count
    first = start if isinstance(start, int) else 1
    if first > max(count, 1):
        raise _beyond(path, first, count)
    wanted = min(end, count) if isinstance(end, int) else count
    bodies = source.table.texts(first - 1, min(wanted, first + LINES_AT_ONCE - 1))
    bodies = bodies[: _fitting(bodies, room_for(call) if room is None else room)]
    last = first + len(bodies) - 1
    whole = [line for line, body in enumerate(bodies, first) if len(body) <= WIDEST]
    if whole or not count:
        call.workspace.saw_each(source, whole)
    cut = [body if len(body) <= WIDEST else f"{body[:WIDEST]}…" for body in bodies]
    rows = _anchored(bodies, first, cut) if anchors else number_lines(cut, first, "colon")
    told = {"content": "\n".join(rows), "totalLines": count, "fileHash": source.digest[:16]}
    left_out = _left_out(count, first, last, wanted, wide=any(len(row) > WIDEST for row in cut))
    return told | ({"leftOut": left_out} if left_out else {})


def _beyond(path: str, line: int, count: int) -> EditError:
    return EditError(
        Kind.OUT_OF_BOUNDS,
        f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {line}",
        hint=f"begin with a line from 1 to {max(count, 1)}",
        details={"path": path, "line": line, "lines": count},
    )


def check_forwards(start: object, end: object, place: str = "") -> None:
    """Refuse with `bad-request` lines that run backwards; either end may be absent."""
    if isinstance(start, int) and isinstance(end, int) and end < start:
        raise bad_request(
            join(place, "end"), f"lines {start} to {end} run backwards", f"such as start {end}, end {start}"
        )


def _fitting(bodies: Sequence[str], room: int) -> int:
    """How many lines can be shown at once; the first always can."""
    for shown, body in enumerate(bodies):
        room -= min(len(body), WIDEST) + 1
        if room < 0 and shown:
            return shown
    return len(bodies)


def _anchored(bodies: list[str], first: int, shown: list[str]) -> list[str]:
    pairs = zip(bodies, shown, strict=True)
    return [f"{anchor_of(line, body)}: {text}" for line, (body, text) in enumerate(pairs, first)]


def _left_out(count: int, first: int, last: int, wanted: int, *, wide: bool) -> str | None:
    parts = []
    if last < wanted:
        parts.append(f"lines {last + 1} to {wanted} of {count}: read on with start {last + 1}")
    elif (first, last) != (1, count):
        parts.append(f"lines {first} to {last} of {count} are shown")
    if wide:
        parts.append(f"long lines are cut after {WIDEST} characters")
    return "; ".join(parts) or None
