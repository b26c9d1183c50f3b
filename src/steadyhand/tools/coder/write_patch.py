"""`write_patch`: a raw unified diff of one file, and nothing else.

What stands around the diff is rejected before anything is applied, with the reason and a clean example; a fence, a tag
or a backtick that is part of a line of the diff is content. With `lenient` the wrapping is left out, and that is told.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace

from steadyhand.dialects.formats.unified import DIALECT
from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import Patch, paths_of
from steadyhand.errors import EditError, Kind
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import read_flag, read_optional_text, read_text
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.result import failure, success

__all__ = ["run"]

_FIELDS = ("path", "patch", "lenient", "reason")


def run(workspace: Workspace, arguments: Mapping[str, object]) -> dict[str, object]:
    """Carry out one call. Every refusal has `kind: "patch_error"`, its own kind as `reason`, and the example."""
    try:
        fields = read_arguments(arguments, _FIELDS)
        path, text = read_text(fields, "path", ""), read_text(fields, "patch", "")
        reason = read_optional_text(fields, "reason", "")
        is_lenient = read_flag(fields, "lenient", "")
        found = read_patch(text, format="unified", strict=not is_lenient)
        _check_names(found, path)
        whole = replace(workspace.policy, partial=False, batch="sequential")
        tool = workspace.as_tool("write_patch")
        receipt = tool.patch(text, path=path, format="unified", strict=not is_lenient, reason=reason, policy=whole)
    except EditError as error:
        return _refused(error)
    return success(receipt, path)


def _check_names(found: Patch, path: str) -> None:
    """Refuse with `malformed-patch` a patch that names another file than the call does."""
    wanted = posixpath.normpath(path)
    others = [name for name in paths_of(found.files) if name and posixpath.normpath(name) != wanted]
    if others:
        raise EditError(
            Kind.MALFORMED_PATCH,
            f"the patch names {others[0]}, and the call is for {path}",
            hint="send one call per file, with the same name in path and in the patch",
            details={"path": path, "named": others[0]},
        )


def _refused(error: EditError) -> dict[str, object]:
    return failure(error) | {"kind": "patch_error", "reason": str(error.kind), "example": DIALECT.example}
