"""Claude Code's Write: the whole text of a file, new or read before in its present version."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import read_text
from steadyhand.tools.answer import Answer
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.claude_code.wording import answer_edit, tell_change
from steadyhand.tools.paths import resolve_path

__all__ = ["run"]


def run(
    workspace: Workspace,
    arguments: Mapping[str, object],
    *,
    prefix: str | None = None,
    overwrite: bool = False,
    allow_shrink: bool = False,
) -> Answer:
    """Carry out one call. `overwrite` is the host's word that a file need not have been read through this workspace;
    `allow_shrink` that a text may lose most of its lines.
    """
    try:
        fields = read_arguments(arguments, ("file_path", "content"))
        shown, text = read_text(fields, "file_path", ""), read_text(fields, "content", "")
        path = resolve_path(workspace, shown, prefix)
        receipt = workspace.as_tool("Write").write(
            path, text, reason="Write", overwrite=overwrite, allow_shrink=allow_shrink
        )
    except EditError as error:
        return answer_edit(error)
    return Answer(tell_change(receipt, shown))
