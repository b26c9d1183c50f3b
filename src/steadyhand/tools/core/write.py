"""`write`: a new file, or all of one that was read."""

from __future__ import annotations

from typing import cast

from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.core.told import FILE_CHANGED
from steadyhand.tools.result import success
from steadyhand.tools.shape import HASH, Field, Flag, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("path", Text(), "The file, from the workspace root.", required=True),
        Field("content", Text(), "All of its text.", required=True),
        Field("expect", Text(), "fileHash of the version that is replaced.", also=HASH),
        Field("allow_shrink", Flag(), "It is meant to lose most of its lines."),
        Field("reason", Text(), "Why; kept with the change."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Create, or replace a version that this task knows."""
    path, content = str(fields["path"]), str(fields["content"])
    receipt = call.workspace.write(
        call.path(path),
        content,
        expect=cast("str | None", fields.get("expect")),
        reason=cast("str | None", fields.get("reason")),
        allow_shrink=bool(fields.get("allow_shrink")) or call.settings.allow_shrink,
        overwrite=call.settings.overwrite,
    )
    lines = {"start": 1, "end": len(split_bodies(content))}
    told = success(receipt, path) | {"status": receipt.files[0].status}
    return told | {"lines": lines, "context": {"beforeLines": [], "afterLines": []}}


TOOL = Tool(
    name="write",
    title="Write a file",
    summary=(
        "Create a file, or replace all of one that you have read. "
        "To change parts of a file use edit: it is shorter and leaves the rest as it is."
    ),
    parameters=PARAMETERS,
    result=FILE_CHANGED,
    examples=(
        Example(
            about="A new file",
            arguments={"path": "docs/new.md", "content": "# New\n", "reason": "a page for it"},
            result={"success": True, "path": "docs/new.md", "status": "created"},
            after={"docs/new.md": "# New\n"},
        ),
        Example(
            about="A file that was read, by its hash",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n", "expect": "$hash:a.txt"},
            result={"success": True, "status": "edited"},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="A file that was never read",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "content": "1\n"},
            result={"success": False, "kind": "stale-source"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"write", "create"}),
    lasts=("modify",),
    rank=60,
)
