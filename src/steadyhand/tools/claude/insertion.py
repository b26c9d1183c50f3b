"""Text put after a line, as both Anthropic tools do it.

The text is whole lines: its final newline may be left out, blank lines at its end stay, and a last line of the file
that has no newline gets one first.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Insert
from steadyhand.schema import bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.structure.lines import Lines
from steadyhand.tools.claude.command import Command
from steadyhand.tools.seen import check_read

__all__ = ["insert_lines"]


def insert_lines(command: Command, path: str, text: str) -> Receipt:
    """Insert after `insert_line`, 0 being the top. Refuses with `out-of-bounds` what the file does not have."""
    line = command.fields.get("insert_line")
    if not isinstance(line, int):
        raise bad_request("insert_line", "the field is missing", "0 is before the first line")
    check_read(command.call, path)
    try:
        edit = Insert(Lines(line + 1, line), text, where="before")
        return command.workspace.edit(path, edit, reason=command.reason)
    except EditError as error:
        if error.kind is not Kind.OUT_OF_BOUNDS:
            raise
        count = error.details.get("line_count", 0)
        message = f"Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file"
        raise EditError(Kind.OUT_OF_BOUNDS, f"{message}: [0, {count}]", details=error.details) from None
