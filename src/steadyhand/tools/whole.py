"""The whole text of a file as `file_path` and `content`, which is how two makers' tools spell it."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import read_text
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.paths import resolve_path

__all__ = ["write_whole"]


def write_whole(
    workspace: Workspace,
    arguments: Mapping[str, object],
    tool: str,
    *,
    prefix: str | None,
    overwrite: bool,
    allow_shrink: bool,
) -> tuple[Receipt, str]:
    """Write the file a call names; what came of it, and the name as the call has it.

    `overwrite` is the host's word that a file need not have been read through this workspace, `allow_shrink` that a
    text may lose most of its lines.
    """
    fields = read_arguments(arguments, ("file_path", "content"))
    shown, text = read_text(fields, "file_path", ""), read_text(fields, "content", "")
    path = resolve_path(workspace, shown, prefix)
    receipt = workspace.as_tool(tool).write(path, text, reason=tool, overwrite=overwrite, allow_shrink=allow_shrink)
    return receipt, shown
