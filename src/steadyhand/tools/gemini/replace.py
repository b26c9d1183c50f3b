"""Gemini's `replace`: one old text for one new text, in as many places as the model expects.

An empty old text makes a new file. The model's instruction becomes the reason that the journal keeps.
"""

from __future__ import annotations

from typing import cast

from steadyhand.plan.edit import Replace
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import ANSWER, Answer, worded
from steadyhand.tools.call import Call
from steadyhand.tools.creation import created
from steadyhand.tools.gemini.codes import refused, said_of
from steadyhand.tools.seen import check_read
from steadyhand.tools.shape import Field, Flag, Number, Object, Text
from steadyhand.tools.told import how_found, lines_now, replacements, tell, was_created
from steadyhand.tools.tool import Example, Fields, Result, Tool

_LONGEST_REASON = 2_000

PARAMETERS = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("instruction", Text(), "What the change is and why; kept with it."),
        Field("old_string", Text(), "The text as it stands; empty for a new file.", required=True),
        Field("new_string", Text(), "What stands there afterwards.", required=True),
        Field("allow_multiple", Flag(), "Every place, not the only one.", also=("replace_all",)),
        Field("expected_replacements", Number(least=1), "The older way to say it: exactly so many places."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Edit the file, or make it."""
    shown, old, new = str(fields["file_path"]), str(fields["old_string"]), str(fields["new_string"])
    reason = str(fields.get("instruction") or "replace")[:_LONGEST_REASON]
    with worded(lambda error: said_of(error, shown)):
        path = call.path(shown)
        if not old:
            receipt = created(call, path, new, reason)
        else:
            check_read(call, path)
            receipt = call.workspace.edit(path, _edit_of(fields, old, new), reason=reason)
    return Answer(_told(receipt, shown)).to_json()


def _edit_of(fields: Fields, old: str, new: str) -> Replace:
    expected = cast("int | None", fields.get("expected_replacements"))
    if expected == 1 or (expected is None and not fields.get("allow_multiple")):
        return Replace(old, new, occurrence="unique")
    return Replace(old, new, occurrence="all", expected=expected)


def _told(receipt: Receipt, shown: str) -> str:
    if was_created(receipt):
        return tell(receipt, f"Created new file: {shown} with provided content.")
    count = replacements(receipt)
    times = "" if count is None else f" ({count} replacements)"
    head = f"Successfully modified file: {shown}{times}."
    return tell(receipt, head, how_found(receipt), lines_now(receipt, "cat"))


TOOL = Tool(
    name="replace",
    title="Replace text in a file",
    summary=(
        "Replace old_string, which must stand in exactly one place unless allow_multiple is true. "
        "Quote a few lines around it. An empty old_string makes a new file."
    ),
    parameters=PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="A text that stands once",
            files={"a.md": "one\ntwo\n"},
            arguments={
                "file_path": "a.md", "instruction": "Digits read faster.", "old_string": "two", "new_string": "2",
            },
            result={"is_error": False},
            after={"a.md": "one\n2\n"},
        ),
        Example(
            about="A text that stands twice",
            files={"a.md": "one\none\n"},
            arguments={"file_path": "a.md", "instruction": "Digits.", "old_string": "one", "new_string": "1"},
            result={"is_error": True, "kind": "ambiguous-match"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=20,
    refused=refused,
)  # fmt: skip
