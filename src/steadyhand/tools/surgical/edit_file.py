"""`edit_file`: one exact text for another, at the place that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from steadyhand.lazy import replace
from steadyhand.plan.edit import Replace
from steadyhand.text.match import Occurrence
from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON, reason_of
from steadyhand.tools.result import CHANGED, success
from steadyhand.tools.shape import Field, Number, Object, Text
from steadyhand.tools.surgical.refusal import refused
from steadyhand.tools.tool import Example, Fields, Result, Tool

_ALL, _LAST = 0, -1

PARAMETERS = Object(
    (
        FILE,
        Field("old_content", Text(), "The text as it stands, with 3 to 5 lines around it to be unique.", required=True),
        Field("new_content", Text(), "What stands there afterwards; empty deletes.", required=True),
        Field(
            "occurrence", Number(least=_LAST), "1 = first, n = nth, -1 = last, 0 = all. Leave out for a unique text."
        ),
        REASON,
    ),
    flags=(("replace_all", "occurrence", _ALL),),
)
RESULT = Object(
    (
        *CHANGED.fields,
        Field("replaced", Number(), "With occurrence 0: in how many places."),
        Field("note", Text(), "Where else the old text is."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Edit; where an occurrence is given, the answer names the lines of the others."""
    path, given = str(fields["path"]), cast("int | None", fields.get("occurrence"))
    occurrence: Occurrence = "unique" if given is None else "all" if given == _ALL else given
    edit = Replace(str(fields["old_content"]), str(fields["new_content"]), occurrence=occurrence)
    exact = replace(call.workspace.policy, tier="newline")  # an LF text is its CR LF twin; nothing else is overlooked
    receipt = call.workspace.edit(call.path(path), edit, reason=reason_of(fields), policy=exact)
    outcome = receipt.outcomes[0]
    result = success(receipt, path)
    if occurrence == "all":
        result["replaced"] = len(outcome.splices)
    if outcome.others:
        result["note"] = f"the text also stands in {_lines(outcome.others, outcome.more_others)}"
    return result


def _lines(lines: Sequence[int], more: int) -> str:
    rest = f" and {more} more place{'' if more == 1 else 's'}" if more else ""
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))}{rest}"


TOOL = Tool(
    name="edit_file",
    title="Edit a file",
    summary=(
        "Replace text in a file: old_content exactly as it stands, once. "
        "Refused if it is not found, or stands in several places and occurrence does not say which."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="A text that stands once",
            files={"app.py": "def run():\n    return 1\n"},
            arguments={"path": "app.py", "old_content": "return 1", "new_content": "return 2", "reason": "fixed"},
            result={"success": True, "path": "app.py", "lines": {"start": 2, "end": 2}},
            after={"app.py": "def run():\n    return 2\n"},
        ),
        Example(
            about="The last of several, which the answer names",
            files={"a.txt": "x = 1\ny\nx = 1\n"},
            arguments={"path": "a.txt", "old_content": "x = 1", "new_content": "x = 2", "occurrence": -1},
            result={"success": True, "lines": {"start": 3, "end": 3}, "note": "the text also stands in line 1"},
            after={"a.txt": "x = 1\ny\nx = 2\n"},
        ),
        Example(
            about="A text that stands twice, and nothing says which is meant",
            files={"a.txt": "x = 1\nx = 1\n"},
            arguments={"path": "a.txt", "old_content": "x = 1", "new_content": "x = 2"},
            result={"success": False, "kind": "ambiguous-match"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
    refused=refused,
)
