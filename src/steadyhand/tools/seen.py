"""Whether a task has read the version of a file that is on disk."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.tools.call import Call

__all__ = ["check_read", "how_known"]


def how_known(seen: str | None, present: str) -> str:
    """What a task knows of a file that it does not know as it is, by the version it read last."""
    partly = "was read only in part"
    return {None: "was not read yet", present: partly}.get(seen, "changed after you read it")


def check_read(call: Call, path: str) -> None:
    """Where the host asks for it, refuse with `stale-source` a file that this task has not read as it is now."""
    if not call.settings.require_read:
        return
    seen, present = call.workspace.last_read(path)
    if seen != present:
        raise EditError(
            Kind.STALE_SOURCE,
            f"{path} {how_known(seen, present)}",
            hint="read it first, then edit its current text",
            details={"path": path, "expected": seen, "actual": present},
        )
