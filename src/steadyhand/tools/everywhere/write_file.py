"""`write_file`: the whole of a file, new or in the place of what was read."""

from __future__ import annotations

from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON
from steadyhand.tools.result import CHANGED
from steadyhand.tools.shape import Field, Flag, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.writing import write_all

PARAMETERS = Object(
    (
        FILE,
        Field("content", Text(), "All of its text.", required=True),
        REASON,
        Field("expectedHash", Text(), "fileHash of the version to replace."),
        Field("allow_shrink", Flag(), "Let a file lose most of its lines."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Write; the answer's lines are all there are, so that nothing stands around them."""
    return write_all(call, fields, "expectedHash")[0]


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
