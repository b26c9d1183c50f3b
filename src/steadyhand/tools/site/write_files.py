"""`writeFiles`: whole files, new or in the place of what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.tools.call import Call
from steadyhand.tools.result import failure, success
from steadyhand.tools.shape import Field, Flag, Many, Object, Text
from steadyhand.tools.site.answers import SUCCESS, overall
from steadyhand.tools.site.naming import check_apart, plain_path
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.writing import unread

MOST_FILES = 100

_FILE = Object(
    (
        Field("file", Text(), required=True),
        Field("content", Text(), "All of it.", required=True),
        Field("expectedHash", Text(), "fileHash of the version that it replaces."),
        Field("allow_shrink", Flag(), "It may lose most of its lines."),
    )
)
PARAMETERS = Object(
    (
        Field("files", Many(_FILE, least=1, most=MOST_FILES), "Each file once.", required=True),
        Field("reason", Text(), "Why, for all of them."),
    )
)
_WRITTEN = Object(
    (
        Field("success", Flag(), required=True),
        Field("file", Text(), required=True),
        Field("status", Text(choices=("created", "edited"))),
        Field("id", Text(), "Undo it by this."),
        Field("fileHash", Text(), "Of the file as it is now; send it as expectedHash."),
        Field("error", Text()),
        Field("kind", Text()),
    ),
    is_open=True,
)
RESULT = Object(
    (
        Field("success", SUCCESS, required=True),
        Field("results", Many(_WRITTEN), required=True),
        Field("error", Text()),
        Field("kind", Text()),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Write each file in a transaction of its own: one that is refused does not stop the others."""
    files = cast("Sequence[Mapping[str, object]]", fields["files"])
    check_apart(call, [str(each["file"]) for each in files], "files")
    results = [_write(call, each, cast("str | None", fields.get("reason"))) for each in files]
    said = overall(results)
    first = results[0] if said is False else {}
    told = {name: first[name] for name in ("error", "kind", "message", "hint", "details") if name in first}
    return told | {"success": said, "results": results}


def _write(call: Call, fields: Mapping[str, object], reason: str | None) -> Result:
    file, expect = str(fields["file"]), cast("str | None", fields.get("expectedHash"))
    try:
        path = call.path(file)
        receipt = call.workspace.write(
            path,
            str(fields["content"]),
            expect=expect,
            reason=reason,
            allow_shrink=bool(fields.get("allow_shrink")) or call.settings.allow_shrink,
            overwrite=call.settings.overwrite,
        )
    except EditError as error:
        call.workspace.note_refusal(error)
        return failure(_explained(call, error, file, expect)) | {"file": file}
    call.conversation.succeeded(plain_path(path))
    facts = success(receipt, path)
    written = next((each for each in receipt.files if each.path == receipt.outcomes[0].path), receipt.files[-1])
    return {"success": True, "file": file, "status": written.status, **_without_path(facts)}


def _without_path(facts: Result) -> Result:
    return {name: value for name, value in facts.items() if name not in ("success", "path")}


def _explained(call: Call, error: EditError, file: str, expect: str | None) -> EditError:
    """The refusal in the words of this tool; the hash of a file that was not read is not told."""
    if error.kind is not Kind.STALE_SOURCE:
        return error
    told = unread(call, call.path(file)) if expect is None else error
    hint = "read it with readFile, then write it with the fileHash that you get as expectedHash"
    return EditError(told.kind, told.message, hint=hint, details=told.details)


TOOL = Tool(
    name="writeFiles",
    title="Write whole files",
    summary=(
        "Write whole files: new ones, redesigns, and pages on which editFile failed twice. "
        "A file that exists must have been read, or expectedHash given. A file that fails does not stop the others."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A new page, and one in the place of what was read",
            files={"index.html": "<h1>Old</h1>\n"},
            arguments={
                "files": [
                    {"file": "about.html", "content": "<h1>About</h1>\n"},
                    {"file": "index.html", "content": "<h1>New</h1>\n", "expectedHash": "$hash:index.html"},
                ],
                "reason": "redesign",
            },
            result={"success": True, "results": [{"status": "created"}, {"file": "index.html", "status": "edited"}]},
            after={"about.html": "<h1>About</h1>\n", "index.html": "<h1>New</h1>\n"},
        ),
        Example(
            about="A page that was never read",
            files={"index.html": "<h1>Old</h1>\n"},
            arguments={"files": [{"file": "index.html", "content": "<h1>New</h1>\n"}]},
            result={"success": False, "kind": "stale-source", "results": [{"success": False}]},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=50,
)
