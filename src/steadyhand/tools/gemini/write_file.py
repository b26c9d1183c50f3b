"""Gemini's `write_file`: the whole text of a file."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import read_text
from steadyhand.tools.answer import Answer
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.gemini.codes import answer_failure
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.told import was_created

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
    shown = ""
    try:
        fields = read_arguments(arguments, ("file_path", "content"))
        shown, text = read_text(fields, "file_path", ""), read_text(fields, "content", "")
        path = resolve_path(workspace, shown, prefix)
        receipt = workspace.as_tool("write_file").write(
            path, text, reason="write_file", overwrite=overwrite, allow_shrink=allow_shrink
        )
    except EditError as error:
        return answer_failure(error, shown)
    if was_created(receipt):
        return Answer(f"Successfully created and wrote to new file: {shown}.")
    return Answer(f"Successfully overwrote file: {shown}.")
