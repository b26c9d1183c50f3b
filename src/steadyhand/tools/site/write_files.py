"""`writeFiles`: whole files, new or in the place of what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Many, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.fields import expected_version, reason_of
from steadyhand.tools.result import AROUND, LINES, failure, main_file
from steadyhand.tools.site.answers import SUCCESS, overall
from steadyhand.tools.site.naming import check_apart, plain_path
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.writing import tell_written, unread, write_under_settings

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
        Field("lines", LINES),
        Field("context", AROUND),
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
    reason = reason_of(fields)
    results = [_write(call, each, f"files[{index}]", reason) for index, each in enumerate(files)]
    said = overall(results)
    first = results[0] if said is False else {}
    told = {name: first[name] for name in ("error", "kind", "message", "hint", "details") if name in first}
    return told | {"success": said, "results": results}


def _write(call: Call, fields: Mapping[str, object], place: str, reason: str | None) -> Result:
    file, expect = str(fields["file"]), None
    try:
        path, expect = call.path(file), expected_version(fields, place=place)
        content, may_shrink = str(fields["content"]), bool(fields.get("allow_shrink"))
        receipt = write_under_settings(call, path, content, expect=expect, reason=reason, allow_shrink=may_shrink)
    except EditError as error:
        call.workspace.note_refusal(error)
        return failure(_explained(call, error, file, expect), call.toolset.phrases) | {"file": file}
    call.conversation.succeeded(plain_path(path))
    facts = {name: fact for name, fact in tell_written(receipt, path, content).items() if name != "path"}
    return facts | {"file": file, "status": main_file(receipt).status}


def _explained(call: Call, error: EditError, file: str, expect: str | None) -> EditError:
    """The refusal in the words of this tool; the hash of a file that was not read is not shown."""
    if error.kind is not Kind.STALE_SOURCE:
        return error
    told = unread(call, call.path(file)) if expect is None else error
    hint = "read it with readFile, then write it with the fileHash that you get as expectedHash"
    return told.advised(hint)


TOOL = Tool(
    name="writeFiles",
    title="Write whole files",
    summary=(
        "Write whole files: new ones, redesigns, and pages on which editFile failed twice. "
        "Read an existing file first, or send expectedHash. A file that fails does not stop the others."
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
