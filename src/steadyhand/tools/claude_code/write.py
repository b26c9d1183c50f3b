"""Claude Code's Write: the whole text of a file, new or read before in its present version."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.session.workspace import Workspace
from steadyhand.tools.answer import Answer
from steadyhand.tools.claude_code.wording import answer_edit, tell_change
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
            workspace, arguments, "Write", prefix=prefix, overwrite=overwrite, allow_shrink=allow_shrink
        )
    except EditError as error:
        return answer_edit(error)
    return Answer(tell_change(receipt, shown))
