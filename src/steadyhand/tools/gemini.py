"""The Gemini command line's replace and write_file, and the names under which it reports why a tool failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.plan.edit import Replace
from steadyhand.schema import Field, Flag, Number, Object, Text
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import (
    ANSWER,
    Answer,
    Worded,
    answer_refusal,
    how_found,
    lines_now,
    replacements,
    tell,
    was_created,
    worded,
)
from steadyhand.tools.file_tools import UNREAD, WHOLE, created, write_whole
from steadyhand.tools.file_views import check_read
from steadyhand.tools.tool import Call, Example, Fields, Result, Tool

# The names under which the Gemini command line reports why a tool failed.

_CODES: Mapping[Kind, str] = {
    Kind.NO_MATCH: "edit_no_occurrence_found",
    Kind.LOW_CONFIDENCE: "edit_no_occurrence_found",
    Kind.DRIFT_CONFLICT: "edit_no_occurrence_found",
    Kind.ALREADY_APPLIED: "edit_no_occurrence_found",
    Kind.AMBIGUOUS_MATCH: "edit_expected_occurrence_mismatch",
    Kind.COUNT_MISMATCH: "edit_expected_occurrence_mismatch",
    Kind.NO_CHANGE: "edit_no_change",
    Kind.NO_SUCH_FILE: "file_not_found",
    Kind.EXISTS_ALREADY: "attempt_to_create_existing_file",
    Kind.TOO_LARGE: "file_too_large",
    Kind.READ_ONLY: "permission_denied",
    Kind.PROTECTED_PATH: "permission_denied",
    Kind.NOT_ALLOWED: "permission_denied",
    Kind.OUTSIDE_ROOT: "path_not_in_workspace",
    Kind.NOT_TEXT: "read_content_failure",
    Kind.BAD_REQUEST: "invalid_tool_params",
    Kind.DISK_REFUSED: "file_write_failure",
}


def code_of(kind: Kind) -> str:
    """Gemini's name for a kind of refusal."""
    return _CODES.get(kind, "edit_preparation_failure")


def refused(error: EditError, phrases: Phrases) -> dict[str, object]:
    """The answer for a refusal, which begins with its code also where no file is known."""
    return answer_refusal(error if isinstance(error, Worded) else Worded(error, f"{code_of(error.kind)}:"), phrases)


# Gemini's `replace`: one old text for one new text, in as many places as the model expects.
# An empty old text makes a new file. The model's instruction becomes the reason that the journal keeps.

_LONGEST_REASON = 2_000


def _run_replace(call: Call, fields: Fields) -> Result:
    """Edit the file, or make it."""
    shown, old, new = str(fields["file_path"]), str(fields["old_string"]), str(fields["new_string"])
    reason = str(fields.get("instruction") or "replace")[:_LONGEST_REASON]
    with worded(lambda error: f"{code_of(error.kind)}:"):
        path = call.path(shown)
        if not old:
            receipt = created(call, path, new, reason)
        else:
            check_read(call, path)
            receipt = call.workspace.edit(path, _edit_of(fields, old, new), reason=reason)
    return Answer(_rendered(receipt, shown)).to_json()


def _edit_of(fields: Fields, old: str, new: str) -> Replace:
    expected = cast("int | None", fields.get("expected_replacements"))
    if expected == 1 or (expected is None and not fields.get("allow_multiple")):
        return Replace(old, new, occurrence="unique")
    return Replace(old, new, occurrence="all", expected=expected)


def _rendered(receipt: Receipt, shown: str) -> str:
    if was_created(receipt):
        return tell(receipt, f"Created new file: {shown} with provided content.")
    count = replacements(receipt)
    times = "" if count is None else f" ({count} replacements)"
    head = f"Successfully modified file: {shown}{times}."
    return tell(receipt, head, how_found(receipt), lines_now(receipt, "cat"))


_REPLACE_TOOL = Tool(
    name="replace",
    title="Replace text in a file",
    summary=(
        "Replace old_string, which must match exactly one place unless allow_multiple is true. "
        "Include a few surrounding lines. An empty old_string creates a file."
    ),
    parameters=Object.of(
        Field("file_path", Text(), "The file.", required=True),
        Field("instruction", Text(), "What the change is and why; recorded."),
        Field("old_string", Text(), "Exact text to replace; empty for a new file.", required=True),
        Field("new_string", Text(), "The replacement.", required=True),
        Field("allow_multiple", Flag(), "Replace every match.", also=("replace_all",)),
        Field(
            "expected_replacements", Number(least=1), "Older than allow_multiple: exactly how many places to change."
        ),
    ),
    result=ANSWER,
    examples=(
        Example(
            about="Text that occurs once",
            files={"a.md": "one\ntwo\n"},
            arguments={
                "file_path": "a.md",
                "instruction": "Digits read faster.",
                "old_string": "two",
                "new_string": "2",
            },
            result={"is_error": False},
            after={"a.md": "one\n2\n"},
        ),
        Example(
            about="Text that occurs twice",
            files={"a.md": "one\none\n"},
            arguments={"file_path": "a.md", "instruction": "Digits.", "old_string": "one", "new_string": "1"},
            result={"is_error": True, "kind": "ambiguous-match"},
        ),
    ),
    run=_run_replace,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=20,
    refused=refused,
)


# Gemini's `write_file`: the whole text of a file.


def _run_write_file(call: Call, fields: Fields) -> Result:
    """Write the file."""
    shown = str(fields["file_path"])
    with worded(lambda error: f"{code_of(error.kind)}:"):
        receipt = write_whole(call, fields)
    done = "created and wrote to new" if was_created(receipt) else "overwrote"
    return Answer(tell(receipt, f"Successfully {done} file: {shown}.")).to_json()


_WRITE_FILE_TOOL = Tool(
    name="write_file",
    title="Write a file",
    summary="Write a whole file: a new one, or one you have read. Use replace to change a part.",
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
    run=_run_write_file,
    trust="destructive",
    verbs=frozenset({"create", "write"}),
    lasts=("modify",),
    rank=30,
    refused=refused,
)


TOOLS = (
    _REPLACE_TOOL,
    _WRITE_FILE_TOOL,
)
