"""Gemini's `write_file`: the whole text of a file."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.session.workspace import Workspace
from steadyhand.tools.answer import Answer
from steadyhand.tools.gemini.codes import answer_failure
from steadyhand.tools.told import was_created
from steadyhand.tools.whole import write_whole

__all__ = ["run"]


def run(
    workspace: Workspace,
    arguments: Mapping[str, object],
    *,
    prefix: str | None = None,
    overwrite: bool = False,
    allow_shrink: bool = False,
) -> Answer:
    """Carry out one call; `tools/whole.py` says what the host's words mean."""
    try:
        receipt, shown = write_whole(
            workspace, arguments, "write_file", prefix=prefix, overwrite=overwrite, allow_shrink=allow_shrink
        )
    except EditError as error:
        named = arguments.get("file_path") if isinstance(arguments, Mapping) else None
        return answer_failure(error, named if isinstance(named, str) else "")
    if was_created(receipt):
        return Answer(f"Successfully created and wrote to new file: {shown}.")
    return Answer(f"Successfully overwrote file: {shown}.")
