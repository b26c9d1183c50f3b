"""A patch for one file: read by its dialect, and applied only if it means the file that the call names."""

from __future__ import annotations

import posixpath

from steadyhand.dialects.patch import Patch
from steadyhand.errors import EditError, Kind
from steadyhand.tools.call import Call

__all__ = ["patch_for"]


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
