"""OpenAI's apply_patch: calls with an operation, or with a whole patch in its own grammar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from steadyhand.dialects.formats.v4a import read_bare
from steadyhand.dialects.patch import renamed
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.request import DeleteFile, EditFile, FileRequest, RenameFile, Requests
from steadyhand.schema import Field, Object, Text, bad_request, read_object, read_text
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import ANSWER, NOT_FOUND, Answer, answer_refusal, how_found, tell, worded
from steadyhand.tools.file_tools import apply_patch, diff_of, patch_from, refused_part
from steadyhand.tools.file_views import check_read
from steadyhand.tools.tool import Call, Example, Fields, Result, Settings, Tool

# The grammar of a patch in its envelope, for APIs that hold a model to one while it writes.
# In Lark's syntax, without lookarounds or lazy repetition, which such APIs do not take.

GRAMMAR = r"""
start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

file: added | deleted | updated
added: "*** Add File: " TEXT LF new_row+
deleted: "*** Delete File: " TEXT LF
updated: "*** Update File: " TEXT LF (moved part* | part+)
moved: "*** Move to: " TEXT LF

part: place+ row+ last? | row+ last?
place: "@@" LF | "@@ " TEXT LF
row: /[ +-]/ TEXT? LF
new_row: "+" TEXT? LF
last: "*** End of File" LF

TEXT: /[^\n]+/

%import common.LF
""".lstrip()


# The operation of one `apply_patch_call`: a file is created, updated or deleted, and may get another name.

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


# OpenAI's `apply_patch`: the operations of the Responses API, one file each, and the free-form tool with its
# envelope.
# A call has one or the other; the host's `version` says which of the two the Responses API is given. Either is all
# or nothing, also over several files. A file is never created over another nor moved onto one.

_LETTERS = {"created": "A", "edited": "M", "renamed": "M", "mode": "M", "deleted": "D"}
_SUMMARY = (
    "Create, update, delete or move files with a patch. Send one operation on one file: type, path and, except to "
    "delete, diff; or a whole patch for any number of files as input. All of it applies, or none."
)
_FREE_FORM = (
    "Create, update, delete or move files by one patch, from *** Begin Patch to *** End Patch. "
    "All of it is applied or nothing."
)


def _run_apply_patch(call: Call, fields: Fields) -> Result:
    """Carry out one operation, or a whole patch."""
    with worded(_said):
        return (_patch(call, fields) if "input" in fields else _operation(call, fields)).to_json()


def _operation(call: Call, fields: Fields) -> Answer:
    requests = read_operation(call, fields)
    _check_read(call, requests)
    try:
        receipt = call.workspace.apply(Requests(tuple(requests)), reason=f"apply_patch: {fields['type']}")
    except EditError as error:
        parts = sum(len(request.edits) for request in requests if isinstance(request, EditFile))
        raise refused_part(error, parts) from None
    return Answer(tell(receipt, tell_operation(fields), how_found(receipt)))


def _patch(call: Call, fields: Fields) -> Answer:
    """The free-form tool, whose whole input is a patch in its envelope."""
    read_object(fields, "", ("input",))
    shown: dict[str, str] = {}

    def resolve(path: str) -> str:
        resolved = call.path(path)
        shown.setdefault(resolved, path)
        return resolved

    found = patch_from(call, str(fields["input"]), format="v4a").mapped(resolve)
    _check_read(call, found.files)
    receipt = apply_patch(call, found, reason="apply_patch: patch")
    return Answer(tell(receipt, _tell_files(receipt, shown), how_found(receipt)))


def _check_read(call: Call, requests: Iterable[FileRequest]) -> None:
    for request in requests:
        if isinstance(request, EditFile):
            check_read(call, request.path)


def _tell_files(receipt: Receipt, shown: Mapping[str, str]) -> str:
    rows = sorted(f"{_LETTERS[file.status]} {shown.get(file.path, file.path)}" for file in receipt.files)
    return "\n".join(["Success. Updated the following files:", *sorted(rows, key=lambda row: "AMD".index(row[0]))])


def _said(error: EditError) -> str | None:
    path = error.details.get("path")
    if error.kind is Kind.MALFORMED_PATCH:
        return "Invalid patch."
    return f"Failed to find expected lines in {path}." if error.kind in NOT_FOUND and path is not None else None


def _fitted(tool: Tool, settings: Settings) -> Tool:
    """The tool in the form that the host chose. Refuses with `bad-request` one that there is not."""
    version = settings.version or "operations"
    if version not in ("operations", "freeform"):
        hint = "operations, or freeform for a custom tool with a grammar"
        raise bad_request("version", f"apply_patch has no form {version[:40]!r}", hint)
    return tool if version == "operations" else replace(tool, native=_by_styles(_CUSTOM))


def _by_styles(schema: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    return {"openai-responses": schema, "openai-responses-strict": schema}


_CUSTOM: Mapping[str, object] = {
    "type": "custom",
    "name": "apply_patch",
    "description": _FREE_FORM,
    "format": {"type": "grammar", "syntax": "lark", "definition": GRAMMAR},
}

_APPLY_PATCH_TOOL = Tool(
    name="apply_patch",
    title="Apply a patch",
    summary=_SUMMARY,
    parameters=Object.of(
        Field("type", Text(tuple(OPERATIONS)), "What to do with the file."),
        Field("path", Text(), "The file."),
        Field("diff", Text(), "create_file: all lines with + before them. update_file: @@, then lines with a sign."),
        Field("move_to", Text(), "update_file: the file's new path."),
        Field(
            "input",
            Text(),
            "A whole patch, from *** Begin Patch to *** End Patch, instead of the other fields.",
            also=("patch", "patch_text"),
        ),
        text="input",
        within="operation",
    ),
    result=ANSWER,
    examples=(
        Example(
            about="A file is updated",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={"type": "update_file", "path": "a.md", "diff": "@@\n one\n-two\n+2\n"},
            result={"is_error": False, "content": "Updated a.md"},
            after={"a.md": "one\n2\nthree\n"},
        ),
        Example(
            about="A patch of two files",
            files={"a.md": "one\ntwo\n"},
            arguments={
                "input": (
                    "*** Begin Patch\n*** Update File: a.md\n@@\n-two\n+2\n*** Add File: b.md\n+new\n*** End Patch\n"
                )
            },
            result={"is_error": False, "content": "Success. Updated the following files:\nA b.md\nM a.md"},
            after={"a.md": "one\n2\n", "b.md": "new\n"},
        ),
        Example(
            about="Lines that the file does not have",
            files={"a.md": "one\ntwo\n"},
            arguments={"type": "update_file", "path": "a.md", "diff": "@@\n-four\n+4\n"},
            result={"is_error": True, "kind": "no-match"},
        ),
    ),
    run=_run_apply_patch,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "rename"}),
    rank=10,
    refused=lambda error, phrases: answer_refusal(error, phrases, diff_of),
    native=_by_styles({"type": "apply_patch"}),
    fitted=_fitted,
)


TOOLS = (_APPLY_PATCH_TOOL,)
