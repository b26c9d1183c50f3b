"""`write_file`: the whole of a file, new or in the place of what was read."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.structure.fields import bad_request
from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.result import CHANGED, success
from steadyhand.tools.shape import Field, Flag, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_WITH_HASH = ("modify",)  # the modes in which having read a file is not enough

PARAMETERS = Object(
    (
        Field("path", Text(), "The file, from the workspace root.", required=True),
        Field("content", Text(), "All of its text.", required=True),
        Field("reason", Text(), "Why; kept with the change."),
        Field("expectedHash", Text(), "fileHash of the version to replace."),
        Field("allow_shrink", Flag(), "Let a file lose most of its lines."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Write; the answer's lines are all there are, so that nothing stands around them."""
    path, content = str(fields["path"]), str(fields["content"])
    where, expect = call.path(path), cast("str | None", fields.get("expectedHash"))
    _check_hash(call, where, expect)
    try:
        receipt = call.workspace.write(
            where,
            content,
            expect=expect,
            reason=cast("str | None", fields.get("reason")),
            allow_shrink=bool(fields.get("allow_shrink")) or call.settings.allow_shrink,
            overwrite=call.settings.overwrite,
        )
    except EditError as error:
        raise (_unread(call, where) if expect is None and error.kind is Kind.STALE_SOURCE else error) from None
    lines = {"start": 1, "end": len(split_bodies(content))}
    return success(receipt, path) | {"lines": lines, "context": {"beforeLines": [], "afterLines": []}}


def _unread(call: Call, path: str) -> EditError:
    """The refusal of a file that was not read; its hash is not told, or it would be sent instead of reading."""
    seen, present = call.workspace.last_read(path)
    how = {None: "was never read by this task", present: "was read by this task only in part"}
    return EditError(
        Kind.STALE_SOURCE,
        f"{path} is there already and {how.get(seen, 'changed since this task read it')}",
        hint="read all of it, then write it if that is still meant; to change some lines, edit them instead",
        details={"path": path},
    )


def _check_hash(call: Call, path: str, expect: str | None) -> None:
    """Refuse with `bad-request` to replace a file without its hash, in the modes that ask for one."""
    if expect is not None or call.mode not in _WITH_HASH:
        return
    try:
        call.workspace.last_read(path)
    except EditError:  # the write itself tells what is wrong with the path
        return
    raise bad_request(
        "expectedHash",
        f"mode {call.mode} replaces a whole file only with its hash",
        "edit the lines that change instead; or read all of the file and send the fileHash of that answer",
    )


TOOL = Tool(
    name="write_file",
    title="Write a whole file",
    summary=(
        "Create a file, or replace all of it: for new files and rewrites. "
        "An existing file must have been read, or its fileHash sent as expectedHash. Edit it to change some lines."
    ),
    parameters=PARAMETERS,
    result=CHANGED,
    examples=(
        Example(
            about="A new file, in a directory that is made with it",
            arguments={"path": "notes/today.md", "content": "# Today\n\nRain.\n", "reason": "asked for"},
            result={"success": True, "path": "notes/today.md", "lines": {"start": 1, "end": 3}},
            after={"notes/today.md": "# Today\n\nRain.\n"},
        ),
        Example(
            about="A file that was read, by its hash",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n", "expectedHash": "$hash:a.txt"},
            result={"success": True, "context": {"beforeLines": [], "afterLines": []}},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="A file that is there and was never read",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n"},
            result={"success": False, "kind": "stale-source"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    toolsets=("article", "surgical", "coder"),
    rank=60,
)
