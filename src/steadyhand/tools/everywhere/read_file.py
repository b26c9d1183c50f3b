"""`read_file`: a file's lines with their numbers, a stretch at a time, and its hash."""

from __future__ import annotations

from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE
from steadyhand.tools.reading import LINES_AT_ONCE, read_numbered
from steadyhand.tools.shape import Field, Flag, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        FILE,
        Field("start", Number(least=1), "First line, from 1."),
        Field("end", Number(least=1), "Last line, included."),
        Field("anchors", Flag(), "Print each line as 12#a3f: its number and a mark of its text."),
    )
)
RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("path", Text(), required=True),
        Field("content", Text(), "Numbered lines.", required=True),
        Field("totalLines", Number(), required=True),
        Field("fileHash", Text(), "Send it as expectedHash.", required=True),
        Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Read; what is shown then counts as read by the task."""
    path, start, end = str(fields["path"]), fields.get("start"), fields.get("end")
    read = read_numbered(call, path, start, end, anchors=bool(fields.get("anchors")))
    return {"success": True, "path": path, **read}


TOOL = Tool(
    name="read_file",
    title="Read a file",
    summary=(
        "Read a text file with numbered lines, and its hash. "
        f"At most {LINES_AT_ONCE} lines come at once; start and end choose a stretch."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A stretch of a file",
            files={"notes.md": "one\ntwo\nthree\n"},
            arguments={"path": "notes.md", "start": 2},
            result={"success": True, "content": "2: two\n3: three", "totalLines": 3},
        ),
        Example(
            about="A file that is not there",
            files={"notes.md": "one\n"},
            arguments={"path": "note.md"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=run,
    toolsets=("article", "surgical", "coder"),
    rank=10,
)
