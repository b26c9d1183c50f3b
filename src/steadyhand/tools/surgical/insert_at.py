"""`insert_at`: lines put into a file by number, which means the lines as the task was last shown them."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Insert
from steadyhand.plan.place import Old, Place
from steadyhand.structure.fields import bad_request
from steadyhand.structure.lines import Lines
from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON, reason_of
from steadyhand.tools.result import CHANGED, success
from steadyhand.tools.shape import Field, Number, Object, Text
from steadyhand.tools.surgical.refusal import refused
from steadyhand.tools.tool import Example, Fields, Result, Tool

_START, _END = 0, -1

PARAMETERS = Object(
    (
        FILE,
        Field(
            "line", Number(least=_END), "0 = before the first line, n = after line n, -1 = at the end.", required=True
        ),
        Field("content", Text(), "Whole lines; the last newline may be left out.", required=True, also=("text",)),
        REASON,
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Insert; a last line that has no newline gets one first."""
    path, line, content = str(fields["path"]), cast("int", fields["line"]), str(fields["content"])
    if not content:
        raise bad_request("content", "it is empty", "send the lines to insert; a newline alone is a blank line")
    place: Place = Old("", at_end=True) if line == _END else Lines(line + 1, line)
    edit = Insert(place, content, where="before")
    try:
        receipt = call.workspace.edit(call.path(path), edit, reason=reason_of(fields))
    except EditError as error:
        raise _beyond(error, path, line) from None
    return success(receipt, path)


def _beyond(error: EditError, path: str, line: int) -> EditError:
    """A refusal of a line that there is not, with the numbers that this tool takes."""
    if error.kind is not Kind.OUT_OF_BOUNDS:
        return error
    count = error.details.get("line_count", 0)
    return EditError(
        error.kind,
        f"{path} has {count} line{'' if count == 1 else 's'}, there is no line {line}",
        hint=f"send a line from {_START} to {count}, or {_END} for the end",
        details=error.details,
    )


TOOL = Tool(
    name="insert_at",
    title="Insert lines",
    summary=(
        "Insert whole lines by line number, as the last read_file showed it: "
        "0 before the first line, n after line n, -1 at the end."
    ),
    parameters=PARAMETERS,
    result=CHANGED,
    examples=(
        Example(
            about="After a line",
            files={"a.txt": "one\nthree\n"},
            arguments={"path": "a.txt", "line": 1, "content": "two\n"},
            result={
                "success": True,
                "lines": {"start": 2, "end": 2},
                "context": {"beforeLines": ["one"], "afterLines": ["three"]},
            },
            after={"a.txt": "one\ntwo\nthree\n"},
        ),
        Example(
            about="At the end of a file whose last line has no newline",
            files={"a.txt": "one\ntwo"},
            arguments={"path": "a.txt", "line": -1, "content": "three\n"},
            result={"success": True},
            after={"a.txt": "one\ntwo\nthree\n"},
        ),
        Example(
            about="A line that the file does not have",
            files={"a.txt": "one\n"},
            arguments={"path": "a.txt", "line": 7, "content": "two"},
            result={"success": False, "kind": "out-of-bounds"},
        ),
    ),
    run=run,
    trust="write",
    verbs=frozenset({"edit"}),
    rank=40,
    refused=refused,
)
