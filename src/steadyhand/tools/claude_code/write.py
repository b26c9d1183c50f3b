"""Claude Code's Write: the whole text of a file, new or read before in its present version."""

from __future__ import annotations

from steadyhand.tools.answer import ANSWER, answer_refusal, worded
from steadyhand.tools.call import Call
from steadyhand.tools.claude_code.wording import said_of, tell_change
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.whole import UNREAD, WHOLE, write_whole


def run(call: Call, fields: Fields) -> Result:
    """Write the file."""
    with worded(said_of):
        return tell_change(write_whole(call, fields), str(fields["file_path"])).to_json()


TOOL = Tool(
    name="Write",
    title="Write a file",
    summary="Write the whole text of a file. One that exists must have been read first; Edit changes a part of it.",
    parameters=WHOLE,
    result=ANSWER,
    examples=(
        Example(
            about="A new file",
            arguments={"file_path": "docs/a.md", "content": "# A\n"},
            result={"is_error": False, "content": "File created successfully at: docs/a.md"},
            after={"docs/a.md": "# A\n"},
        ),
        Example(
            about="A file that exists, after it was read",
            files={"a.md": "# A\n"},
            first=[("Read", {"file_path": "a.md"})],
            arguments={"file_path": "a.md", "content": "# B\n"},
            result={"is_error": False},
            after={"a.md": "# B\n"},
        ),
        UNREAD,
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=40,
    refused=answer_refusal,
)
