"""Claude Code's Edit: one old text for one new text, everywhere if the model says so.

An empty old text makes a new file. That the file was read before is asked for only if the host wants it: the old
text itself proves what the model knows.
"""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import read_flag, read_text
from steadyhand.tools.answer import Answer
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.claude_code.wording import answer_edit, tell_change
from steadyhand.tools.creation import create_or_fill
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.seen import check_read

__all__ = ["run"]


def run(
    workspace: Workspace, arguments: Mapping[str, object], *, prefix: str | None = None, require_read: bool = False
) -> Answer:
    """Carry out one call. `require_read`: only a file whose present version this task has read may be edited."""
    try:
        fields = read_arguments(arguments, ("file_path", "old_string", "new_string", "replace_all"))
        shown = read_text(fields, "file_path", "")
        old, new = read_text(fields, "old_string", ""), read_text(fields, "new_string", "")
        everywhere = read_flag(fields, "replace_all", "")
        path, workspace = resolve_path(workspace, shown, prefix), workspace.as_tool("Edit")
        if not old:
            return Answer(tell_change(_create(workspace, path, new), shown))
        if require_read:
            check_read(workspace, path)
        edit = Replace(old, new, occurrence="all" if everywhere else "unique")
        receipt = workspace.edit(path, edit, reason="Edit: replace all" if everywhere else "Edit: replace")
    except EditError as error:
        return answer_edit(error)
    return Answer(tell_change(receipt, shown, everywhere=everywhere))


def _create(workspace: Workspace, path: str, text: str) -> Receipt:
    with workspace.transaction(reason="Edit: create") as batch:
        create_or_fill(batch, path, text)
    return batch.receipt
