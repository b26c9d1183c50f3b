"""OpenAI's `apply_patch`: the operations of the Responses API, one file each, and the free-form tool with its envelope.

Either is all or nothing, also over several files. A file is never created over another nor moved onto one.
"""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.dialects.formats.v4a import read_bare
from steadyhand.dialects.front import read_patch
from steadyhand.dialects.patch import renamed
from steadyhand.errors import EditError, Kind
from steadyhand.plan.request import DeleteFile, EditFile, FileRequest, RenameFile, Requests
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, check_text, nearest_name, read_optional_text, read_text
from steadyhand.tools.answer import NOT_FOUND, Answer, answer_refusal
from steadyhand.tools.arguments import Fields, read_arguments
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.told import how_found

__all__ = ["output_item", "run", "run_envelope"]

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "create_file": ("path", "diff"),
    "update_file": ("path", "diff", "move_to"),
    "delete_file": ("path",),
}
_LETTERS = {"created": "A", "edited": "M", "renamed": "M", "mode": "M", "deleted": "D"}


def run(workspace: Workspace, arguments: Mapping[str, object], *, prefix: str | None = None) -> Answer:
    """Carry out the `operation` of one `apply_patch_call`; `output_item` makes the reply for the API of the answer."""
    try:
        verb, fields = _read_operation(arguments)
        requests = tuple(
            renamed(request, lambda path: resolve_path(workspace, path, prefix)) for request in _requests(verb, fields)
        )
        receipt = workspace.as_tool("apply_patch").apply(Requests(requests), reason=f"apply_patch: {verb}")
    except EditError as error:
        return _failure(error)
    return _answer(receipt, _done(verb, fields))


def run_envelope(workspace: Workspace, text: str, *, prefix: str | None = None) -> Answer:
    """Carry out a call of the free-form tool, whose whole input is a patch in its envelope."""
    shown: dict[str, str] = {}

    def resolve(path: str) -> str:
        resolved = resolve_path(workspace, path, prefix)
        shown.setdefault(resolved, path)
        return resolved

    try:
        found = read_patch(check_text(text, "input"), format="v4a").mapped(resolve)
        receipt = workspace.as_tool("apply_patch").apply(Requests(found.files), reason="apply_patch: patch")
    except EditError as error:
        return _failure(error)
    rows = sorted(f"{_LETTERS[file.status]} {shown.get(file.path, file.path)}" for file in receipt.files)
    by_letter = sorted(rows, key=lambda row: "AMD".index(row[0]))
    return _answer(receipt, "\n".join(["Success. Updated the following files:", *by_letter]))


def output_item(call_id: str, answer: Answer) -> dict[str, object]:
    """The item that answers an `apply_patch_call`; the API wants one for every call.

    >>> output_item("call_1", Answer("Created a.md"))["status"]
    'completed'
    """
    status = "failed" if answer.is_error else "completed"
    return {"type": "apply_patch_call_output", "call_id": call_id, "status": status, "output": answer.content}


def _read_operation(arguments: object) -> tuple[str, Fields]:
    verb = read_text(read_arguments(arguments, ("type", "path", "diff", "move_to")), "type", "")
    if verb not in _FIELDS:
        near = nearest_name(verb[:80], _FIELDS)
        hint = f"did you mean {near!r}?" if near else f"one of {', '.join(_FIELDS)}"
        raise bad_request("type", f"there is no operation {verb[:80]!r}", hint)
    return verb, read_arguments(arguments, ("type", *_FIELDS[verb]))


def _requests(verb: str, fields: Fields) -> list[FileRequest]:
    """What an operation asks for, with paths as the model has them."""
    path, to = read_text(fields, "path", ""), read_optional_text(fields, "move_to", "")
    if verb == "delete_file":
        return [DeleteFile(path)]
    if verb == "create_file":
        return [piece.request for piece in read_bare(read_text(fields, "diff", ""), path=path, create=True)]
    diff = read_text(fields, "diff", "") if to is None else read_optional_text(fields, "diff", "") or ""
    pieces = read_bare(diff, path=path, create=False) if diff.strip() or to is None else ()
    edits = tuple(edit for piece in pieces if isinstance(piece.request, EditFile) for edit in piece.request.edits)
    moves: list[FileRequest] = [] if to is None or to == path else [RenameFile(path, to)]
    return [*moves, *([EditFile(path if to is None else to, edits)] if edits or not moves else [])]


def _done(verb: str, fields: Fields) -> str:
    path, to = fields["path"], fields.get("move_to")
    if verb == "update_file":
        return f"Updated {path}" if to is None else f"Updated {path}\nMoved {path} to {to}"
    return f"Created {path}" if verb == "create_file" else f"Deleted {path}"


def _answer(receipt: Receipt, said: str) -> Answer:
    """What was done, or, where the host's policy let a part go through, what was not."""
    error = receipt.error
    if error is not None:
        changed = ", ".join(file.path for file in receipt.files)
        return answer_refusal(error, f"Failed in part. Only some of the edits were made, in {changed}.")
    found = how_found(receipt)
    return Answer(said if found is None else f"{said}\n{found}")


def _failure(error: EditError) -> Answer:
    path = error.details.get("path")
    if error.kind is Kind.MALFORMED_PATCH:
        return answer_refusal(error, "Invalid patch.")
    if error.kind in NOT_FOUND and path is not None:
        return answer_refusal(error, f"Failed to find expected lines in {path}.")
    return answer_refusal(error)
