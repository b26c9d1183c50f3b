"""Text in one file: every place, counted from the left without overlap, the first of them shown with their lines.

Bounded in hits and in time. A line that is shown whole counts as read by the task; of one that is cut nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.text.source import Source
from steadyhand.text.visible import clip
from steadyhand.tools.call import Call
from steadyhand.tools.patterns import LONGEST_LINE, LinePattern, LiteralText, read_query
from steadyhand.tools.vault.anatomy import format_name
from steadyhand.tools.vault.window import Window
from steadyhand.workspace.deadline import Deadline

__all__ = ["search_file"]

_SHOWN = 50
_SECONDS = 5.0
_AT_ONCE = 0.25


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place: row and column from 0."""

    row: int
    column: int


def search_file(call: Call, source: Source, query: str, window: Window, *, is_regex: bool) -> dict[str, object]:
    """`totalMatches` and the first `matches` in the lines asked about. Refuses with `bad-request`, `timed-out`."""
    wanted = read_query(query, is_regex=is_regex)
    rows = source.lines
    first, last = window.first - 1, min(window.last, len(rows))
    hits = _hits(wanted, rows, first, last)
    shown, total = [], 0
    for hit in hits:
        total += 1
        if total <= _SHOWN:
            shown.append(hit)
    _remember(call, source, rows, shown)
    told: dict[str, object] = {"totalMatches": total, "matches": [_told(source, rows, hit) for hit in shown]}
    if total > len(shown):
        told["leftOut"] = f"{total - _SHOWN} matches behind line {shown[-1].row + 1}: ask again with start and end"
    elif not total and isinstance(wanted, LiteralText):
        told |= _other_case(wanted.text, rows, first, last)
    return told


def _hits(wanted: LiteralText | LinePattern, rows: list[str], first: int, last: int) -> Iterator[_Hit]:
    if isinstance(wanted, LiteralText):
        yield from _literal(wanted.text, "\n".join(rows[first:last]), first)
        return
    deadline = Deadline.after(_SECONDS)
    for row in range(first, last):
        if deadline.is_over:
            raise _too_slow(row)
        try:
            for found in wanted.pattern.finditer(rows[row][:LONGEST_LINE], timeout=_AT_ONCE):
                yield _Hit(row, found.start())
        except TimeoutError:
            raise _too_slow(row) from None


def _literal(wanted: str, text: str, row: int) -> Iterator[_Hit]:
    begin, at = 0, text.find(wanted)
    while at >= 0:
        breaks = text.count("\n", begin, at)
        if breaks:
            row, begin = row + breaks, text.rfind("\n", 0, at) + 1
        yield _Hit(row, at - begin)
        at = text.find(wanted, at + len(wanted))


def _too_slow(row: int) -> EditError:
    return EditError(
        Kind.TIMED_OUT,
        f"the pattern takes too long, it came to line {row + 1}",
        hint="send a simpler pattern, without repeats inside repeats, or fewer lines with start and end",
        details={"field": "query", "line": row + 1},
    )


def _told(source: Source, rows: list[str], hit: _Hit) -> dict[str, object]:
    told: dict[str, object] = {
        "line": hit.row + 1,
        "column": hit.column + 1,
        "text": clip(rows[hit.row], hit.column),
        "context": {
            "beforeLines": [clip(row) for row in rows[max(hit.row - 1, 0) : hit.row]],
            "afterLines": [clip(row) for row in rows[hit.row + 1 : hit.row + 2]],
        },
    }
    if format_name(source) == "markdown":
        from steadyhand.tools.vault.markdown import heading_of

        heading = heading_of(source, hit.row)
        told |= {} if heading is None else {"heading": heading}
    return told


def _remember(call: Call, source: Source, rows: list[str], hits: list[_Hit]) -> None:
    """The hits and the lines around them, those that are shown whole, count as read."""
    near = {row for hit in hits for row in range(max(hit.row - 1, 0), min(hit.row + 2, len(rows)))}
    whole = [row + 1 for row in sorted(near) if clip(rows[row]) == rows[row]]
    if whole:
        call.workspace.saw_each(source, whole)


def _other_case(wanted: str, rows: list[str], first: int, last: int) -> dict[str, object]:
    """Where a text that is nowhere occurs in another case."""
    text = "\n".join(rows[first:last]).lower()
    lines = list(dict.fromkeys(hit.row + 1 for hit in _literal(wanted.lower(), text, first)))
    if not lines:
        return {}
    more = f" and {len(lines) - 10} more" if len(lines) > 10 else ""
    return {"note": f"with other capitals it is in line {', '.join(map(str, lines[:10]))}{more}"}
