"""Whether a task has read the version of a file that is on disk, for hosts that want it read before it is edited."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.tools.call import Call

__all__ = ["check_read"]


def check_read(call: Call, path: str) -> None:
    """Where the host asks for it, refuse with `stale-source` a file that this task has not read as it is now."""
    if not call.settings.require_read:
        return
    seen, present = call.workspace.last_read(path)
    if seen != present:
        raise EditError(
            Kind.STALE_SOURCE,
            f"{path} {'changed since this task read it' if seen else 'was never read by this task'}",
            hint="read it first, then send the edit for what stands there",
            details={"path": path, "expected": seen, "actual": present},
        )
