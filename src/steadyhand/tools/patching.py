"""Patches as calls have them: read by their dialect, and for one file only if that is the one the call names."""

from __future__ import annotations

import posixpath

from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.tools.call import Call

__all__ = ["patch_for", "patch_from"]


def patch_from(call: Call, reply: str, *, format: str = "auto", strict: bool = False) -> Patch:
    """What a model wrote, read in its dialect; the reading ends when the call is to."""
    with call.workspace.heeding():
        return read_patch(reply, format=format, strict=strict)


def patch_for(call: Call, found: Patch, path: str) -> Patch:
    """The patch for the file of the call, whether or not it names one. Refuses with `malformed-patch` any other."""
    wanted = call.path(path)

    def resolve(name: str) -> str:
        if name and posixpath.normpath(call.path(name)) != posixpath.normpath(wanted):
            raise EditError(
                Kind.MALFORMED_PATCH,
                f"the patch names {name}, and the call is for {path}",
                hint="send one call per file, with the same name in path and in the patch",
                details={"path": path, "named": name},
            )
        return wanted

    return found.mapped(resolve)
