"""Gemini's `write_file`: the whole text of a file."""

from __future__ import annotations

from steadyhand.tools.answer import ANSWER, Answer, worded
from steadyhand.tools.call import Call
from steadyhand.tools.gemini.codes import refused, said_of
from steadyhand.tools.told import tell, was_created
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.whole import UNREAD, WHOLE, write_whole


def run(call: Call, fields: Fields) -> Result:
    """Write the file."""
    shown = str(fields["file_path"])
    with worded(lambda error: said_of(error, shown)):
        receipt = write_whole(call, fields)
    done = "created and wrote to new" if was_created(receipt) else "overwrote"
    return Answer(tell(receipt, f"Successfully {done} file: {shown}.")).to_json()


TOOL = Tool(
    name="write_file",
    title="Write a file",
    summary="Write the whole text of a file, new or known as it is now. Use replace to change a part of one.",
    parameters=WHOLE,
    result=ANSWER,
    examples=(
        Example(
            about="A new file",
            arguments={"file_path": "docs/a.md", "content": "# A\n"},
            result={"is_error": False, "content": "Successfully created and wrote to new file: docs/a.md."},
            after={"docs/a.md": "# A\n"},
        ),
        UNREAD,
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=30,
    refused=refused,
)
