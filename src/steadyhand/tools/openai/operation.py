"""The operation of one `apply_patch_call`: a file is created, updated or deleted, and may get another name."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.dialects.formats.v4a import read_bare
from steadyhand.dialects.patch import renamed
from steadyhand.plan.request import DeleteFile, EditFile, FileRequest, RenameFile
from steadyhand.structure.fields import bad_request, read_object, read_text
from steadyhand.tools.call import Call
from steadyhand.tools.tool import Fields

__all__ = ["OPERATIONS", "read_operation", "tell_operation"]

OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "create_file": ("type", "path", "diff"),
    "update_file": ("type", "path", "diff", "move_to"),
    "delete_file": ("type", "path"),
}


def read_operation(call: Call, fields: Fields) -> list[FileRequest]:
    """What an operation asks for. Refuses with `bad-request` a field that it has not, or has to have."""
    if "type" not in fields:
        raise bad_request("type", "the field is missing", "send type, path and diff, or a whole patch as input")
    read_object(fields, "", OPERATIONS[str(fields["type"])])
    return [renamed(request, call.path) for request in _requests(fields)]


def tell_operation(fields: Fields) -> str:
    """What was done, with paths as the model has them."""
    path, to = fields["path"], fields.get("move_to")
    match fields["type"]:
        case "create_file":
            return f"Created {path}"
        case "delete_file":
            return f"Deleted {path}"
        case _:
            return f"Updated {path}" if to is None else f"Updated {path}\nMoved {path} to {to}"


def _requests(fields: Fields) -> list[FileRequest]:
    path, verb = read_text(fields, "path", ""), fields["type"]
    if verb == "delete_file":
        return [DeleteFile(path)]
    if verb == "create_file":
        return [piece.request for piece in read_bare(read_text(fields, "diff", ""), path=path, create=True)]
    to = None if fields.get("move_to") is None else str(fields["move_to"])
    diff = read_text(fields, "diff", "") if to is None else str(fields.get("diff", ""))
    pieces = read_bare(diff, path=path, create=False) if diff.strip() or to is None else ()
    edits = tuple(edit for piece in pieces if isinstance(piece.request, EditFile) for edit in piece.request.edits)
    moves: list[FileRequest] = [] if to is None or to == path else [RenameFile(path, to)]
    return [*moves, *([EditFile(path if to is None else to, edits)] if edits or not moves else [])]
