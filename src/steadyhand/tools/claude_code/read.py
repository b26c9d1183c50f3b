"""Claude Code's Read: a file's lines with their numbers, a stretch at a time. Long lines are cut, and both are said."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, read_text
from steadyhand.tools.answer import Answer, answer_refusal
from steadyhand.tools.arguments import read_arguments, read_number
from steadyhand.tools.numbered import number_lines
from steadyhand.tools.paths import resolve_path

__all__ = ["run"]

_MOST_LINES = 2_000
_WIDEST = 2_000


def run(workspace: Workspace, arguments: Mapping[str, object], *, prefix: str | None = None) -> Answer:
    """Carry out one call; the file then counts as read by the workspace's task."""
    try:
        fields = read_arguments(arguments, ("file_path", "offset", "limit"))
        shown = read_text(fields, "file_path", "")
        offset, limit = read_number(fields, "offset") or 1, read_number(fields, "limit")
        if offset < 1 or (limit is not None and limit < 1):
            raise bad_request(
                "offset" if offset < 1 else "limit", "it counts from 1", "leave it out to begin at the top"
            )
        lines = (offset, offset + (_MOST_LINES if limit is None else limit) - 1)
        bodies = workspace.read(resolve_path(workspace, shown, prefix), lines=lines).lines
    except EditError as error:
        return answer_refusal(error, "File does not exist." if error.kind is Kind.NO_SUCH_FILE else None)
    return Answer(_render(bodies, offset, _MOST_LINES if limit is None else limit))


def _render(bodies: list[str], offset: int, limit: int) -> str:
    count = len(bodies)
    if not bodies:
        return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    if offset > count:
        return (
            "<system-reminder>Warning: the file exists but is shorter than the provided offset "
            f"({offset}). The file has {count} lines.</system-reminder>"
        )
    shown = bodies[offset - 1 : offset - 1 + limit]
    last = offset + len(shown) - 1
    notes = []
    if wide := [line for line, body in enumerate(shown, offset) if len(body) > _WIDEST]:
        notes.append(f"cut after {_WIDEST} characters: line {', '.join(map(str, wide[:10]))}{' …' * (len(wide) > 10)}")
    if last < count:
        notes.append(f"lines {offset} to {last} of {count} are shown; read on with offset {last + 1}")
    rows = number_lines([body[:_WIDEST] for body in shown], offset, "cat")
    return "\n".join([*rows, *(f"({note})" for note in notes)])
