"""`TextPatch`: replace, insert or delete by lines, heading or code block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError
from steadyhand.schema import Field, Number, Object, Text
from steadyhand.tools.call import Call
from steadyhand.tools.fields import REASON, expected_version, reason_of
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.tools.vault.answer import CHANGED, changed_rows, preview, refused, tell_change
from steadyhand.tools.vault.file import EXPECTED, FILE, file_source
from steadyhand.tools.vault.patching import OPERATION, TARGET, edit_of
from steadyhand.tools.vault.places import check_markdown, told_target

PARAMETERS = Object(
    (
        FILE,
        Field("operation", OPERATION, "What to do there.", required=True),
        Field("target", TARGET, "Exactly one place; a heading may have nth too.", required=True),
        Field("content", Text(), "The text to write; not for delete."),
        EXPECTED,
        REASON,
    )
)
RESULT = Object(
    (
        *CHANGED,
        Field("operation", Text(), required=True),
        Field("target", Object(is_open=True), required=True),
        Field("linesChanged", Number(), "How many lines went or came, whichever is more."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Patch; the place is looked up in the file as it is under the lock."""
    path, operation = str(fields["filePath"]), str(fields["operation"])
    target = cast("Mapping[str, object]", fields["target"])
    content, reason = cast("str | None", fields.get("content")), reason_of(fields)
    edit, expect = edit_of(operation, target, content), expected_version(fields)
    check_markdown(file_source(call, path), target)
    try:
        receipt = call.workspace.edit(call.path(path), edit, expect=expect, reason=reason)
    except EditError as error:
        raise told_target(error, target, operation) from None
    rows = changed_rows(receipt)
    told = tell_change(receipt, path, rows) | {"operation": operation, "target": dict(target)}
    if rows is None:
        return told
    told["linesChanged"] = rows.count
    if operation != "insert":
        told["preview"] = preview("\n".join(rows.before), "\n".join(rows.after))
    notes = receipt.outcomes[0].notes
    return told | ({"note": "; ".join(notes)} if notes else {})


TOOL = Tool(
    name="TextPatch",
    title="Patch by place",
    summary=(
        "Change a file at a place: replace or delete lines, a Markdown section or the code of a code block; "
        "insert before a line, before a heading or at the end of a section. "
        "Replacing a section keeps its heading unless the content starts with one. "
        "For a change of wording use TextReplace."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="Added at the end of a section, before the next heading",
            files={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n\n## Usage\n\nStart it.\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "insert",
                "target": {"appendToSection": "Setup"},
                "content": "Then configure it.",
            },
            result={
                "status": "success",
                "operation": "insert",
                "target": {"appendToSection": "Setup"},
                "context": {"beforeLines": ["## Setup", "", "Unpack it."], "afterLines": ["", "## Usage", ""]},
            },
            after={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n\nThen configure it.\n\n## Usage\n\nStart it.\n"},
        ),
        Example(
            about="A section's text replaced under its heading",
            files={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "replace",
                "target": {"heading": "Guide > Setup"},
                "content": "Run the installer.",
                "expectedHash": "$hash:guide.md",
            },
            result={"status": "success", "affectedLines": {"start": 5, "end": 5}, "linesChanged": 1},
            after={"guide.md": "# Guide\n\n## Setup\n\nRun the installer.\n"},
        ),
        Example(
            about="A heading that there is twice",
            files={"guide.md": "# A\n\n## Notes\n\n1\n\n# B\n\n## Notes\n\n2\n"},
            arguments={"filePath": "guide.md", "operation": "delete", "target": {"heading": "Notes"}},
            result={"status": "error", "kind": "ambiguous-match"},
        ),
        Example(
            about="A target of former times",
            files={"guide.md": "# A\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "replace",
                "target": {"text": "A"},
                "content": "B",
            },
            result={
                "status": "error",
                "kind": "bad-request",
                "hint": "call TextReplace with the text as oldText",
            },
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=30,
    refused=refused,
)
