"""`write`: a new file, or all of one that was read."""

from __future__ import annotations

from steadyhand.schema import HASH, Field, Flag, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.core.told import FILE_CHANGED
from steadyhand.tools.fields import FILE, REASON
from steadyhand.tools.result import main_file
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.writing import write_all

PARAMETERS = Object(
    (
        FILE,
        Field("content", Text(), "All of its text.", required=True),
        Field("expect", Text(), "fileHash of the version that is replaced.", also=HASH),
        Field("allow_shrink", Flag(), "Allow it to lose most of its lines."),
        REASON,
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Create, or replace a version that this task knows."""
    told, receipt = write_all(call, fields, "expect")
    return told | {"status": main_file(receipt).status}


TOOL = Tool(
    name="write",
    title="Write a file",
    summary=("Create a file, or replace a whole file that you have read. To change parts of a file use edit."),
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
