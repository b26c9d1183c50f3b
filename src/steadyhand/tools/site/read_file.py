"""`readFile`: a file's lines with their numbers, a stretch at a time, and its hash."""

from __future__ import annotations

from steadyhand.schema import Field, Flag, Number, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.reading import LINES_AT_ONCE, read_numbered
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("file", Text(), "The file, from the workspace root.", required=True),
        Field("start", Number(least=1), "First line, from 1."),
        Field("end", Number(least=1), "Last line, included."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("file", Text(), required=True),
        Field("content", Text(), "Numbered lines; the numbers are not part of the file.", required=True),
        Field("totalLines", Number(), required=True),
        Field("fileHash", Text(), "Send it as expectedHash.", required=True),
        Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Read; what is shown then counts as read by the task."""
    file, start, end = str(fields["file"]), fields.get("start"), fields.get("end")
    return {"success": True, "file": file, **read_numbered(call, file, start, end)}


TOOL = Tool(
    name="readFile",
    title="Read a file",
    summary=(
        "Read a file with numbered lines, and its hash. "
        f"At most {LINES_AT_ONCE} lines at once; start and end select a range."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A page",
            files={"index.html": "<h1>Hello</h1>\n<p>Text</p>\n"},
            arguments={"file": "index.html"},
            result={"success": True, "file": "index.html", "content": "1: <h1>Hello</h1>\n2: <p>Text</p>"},
        ),
        Example(
            about="A line that the file has not",
            files={"index.html": "<h1>Hello</h1>\n"},
            arguments={"file": "index.html", "start": 2},
            result={"success": False, "kind": "out-of-bounds"},
        ),
    ),
    run=run,
    rank=10,
)
