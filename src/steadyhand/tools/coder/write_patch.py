"""`write_patch`: a raw unified diff of one file, and nothing else.

What stands around the diff is rejected before anything is applied, with the reason and a clean example; a fence, a tag
or a backtick that is part of a line of the diff is content. With `lenient` the wrapping is left out, and that is told.
"""

from __future__ import annotations

from steadyhand.dialects.formats.unified import DIALECT
from steadyhand.errors import EditError
from steadyhand.hints import Phrases, SendExample
from steadyhand.text.lines import split_bodies
from steadyhand.tools.call import Call
from steadyhand.tools.fields import FILE, REASON, reason_of
from steadyhand.tools.offers import offering
from steadyhand.tools.patching import DIFF, apply_diff, diff_of
from steadyhand.tools.result import CHANGED, failure, success
from steadyhand.tools.shape import Field, Flag, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_EXAMPLE = "send a diff like the one in example, and nothing else"

PARAMETERS = Object(
    (
        FILE,
        Field(
            "patch",
            Text(),
            "A unified diff of this file and nothing around it.",
            required=True,
            also=DIFF,
        ),
        Field("lenient", Flag(), "Leave out fences, tags and prose around the diff instead of refusing it."),
        REASON,
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Apply the diff, all of it or nothing."""
    path, diff, is_strict = str(fields["path"]), _headed(str(fields["patch"])), not fields.get("lenient")
    receipt = apply_diff(call, path, diff, reason=reason_of(fields), strict=is_strict)
    return success(receipt, path)


def _headed(text: str) -> str:
    """The diff, with a header where there is none above lines that take and give; a list, with one sign, is prose."""
    signs = {row[:1] for row in split_bodies(text)}
    is_bare = {"-", "+"} <= signs <= {"", " ", "-", "+", "\\"}
    return f"@@\n{text}" if is_bare and not any(row.startswith("--- ") for row in split_bodies(text)) else text


def _refused(error: EditError, phrases: Phrases) -> Result:
    """Every refusal has one kind, its own as the reason, and a diff as it should be."""
    details = offering(error, diff_of)
    details.pop("example", None)
    told = failure(error.advised(error.hints or _EXAMPLE, details), {**phrases, SendExample: lambda _: _EXAMPLE})
    return told | {"kind": "patch_error", "reason": str(error.kind), "example": DIALECT.example}


TOOL = Tool(
    name="write_patch",
    title="Apply a unified diff",
    summary=(
        "Apply a unified diff to one file: raw, without Markdown fences, tags or prose around it. "
        "Line numbers are hints; the quoted lines must stand in the file."
    ),
    parameters=PARAMETERS,
    result=CHANGED,
    examples=(
        Example(
            about="A minimal diff",
            files={"greet.py": 'def greet():\n    return "hi"\n'},
            arguments={
                "path": "greet.py",
                "patch": (
                    "--- a/greet.py\n+++ b/greet.py\n@@ -1,2 +1,2 @@\n"
                    ' def greet():\n-    return "hi"\n+    return "hello"\n'
                ),
            },
            result={"success": True, "lines": {"start": 2, "end": 2}},
            after={"greet.py": 'def greet():\n    return "hello"\n'},
        ),
        Example(
            about="A diff in a fence, with lenient",
            files={"a.txt": "one\ntwo\n"},
            arguments={"path": "a.txt", "patch": "```diff\n@@ -2 +2 @@\n-two\n+2\n```\n", "lenient": True},
            result={"success": True},
            after={"a.txt": "one\n2\n"},
        ),
        Example(
            about="A diff in a fence",
            files={"a.txt": "one\ntwo\n"},
            arguments={"path": "a.txt", "patch": "```diff\n@@ -2 +2 @@\n-two\n+2\n```\n"},
            result={"success": False, "kind": "patch_error", "reason": "malformed-patch"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "mode"}),
    rank=30,
    refused=_refused,
)
