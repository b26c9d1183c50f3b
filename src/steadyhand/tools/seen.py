"""Whether a task has read the version of a file that is on disk, for hosts that want it read before it is edited."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.session.workspace import Workspace

__all__ = ["check_read"]


def check_read(workspace: Workspace, path: str) -> None:
    """Refuse with `stale-source` a file that this task has not read, or that changed since it did."""
    try:
        workspace.write(path, "", preview=True)  # the one question to which that is the answer; nothing is written
    except EditError as error:
        if error.kind is Kind.STALE_SOURCE:
            raise
