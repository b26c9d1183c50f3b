"""Patches and structured edits for coding agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.dialects.formats.unified import DIALECT
from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, SendExample
from steadyhand.lazy import replace
from steadyhand.plan.edit import MAX_EDITS, Replace
from steadyhand.schema import Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.structure.lines import Lines, find_overlap
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import clip_diff
from steadyhand.tools.file_tools import DIFF, apply_diff, diff_of
from steadyhand.tools.result import CHANGED, Offer, failure, offering, success
from steadyhand.tools.tool import FILE, REASON, Call, Example, Fields, Result, Tool, expected_version, reason_of

# `apply_edits`: ranges of lines, from 1 and both ends included, replaced in one file.
# All ranges mean the file as it was read, whatever their order in the call. `end = start - 1` inserts before `start`;
# `oldText`, where it is given, must be what is there.

_RANGE = Object.of(
    Field("start", Number(), "First line, from 1.", required=True),
    Field("end", Number(), "Last line, included; start - 1 inserts before start.", required=True),
    in_order=("start", "end"),
)
_EDIT = Object.of(
    Field("range", _RANGE, required=True),
    Field("oldText", Text(), "The current text of these lines; refused if it differs."),
    Field("newText", Text(), "The new lines; empty deletes them.", required=True),
    Field("reason", Text(), "Why."),
)


def _run_apply_edits(call: Call, fields: Fields) -> Result:
    """Make the edits, each on the file as it was read, all or none."""
    path = str(fields["path"])
    edits = [_edit_of(item, index) for index, item in enumerate(cast("list[Mapping[str, Any]]", fields["edits"]))]
    ranges = [target for _, target in edits]
    if (overlap := find_overlap(ranges)) is not None:
        first, second = (f"{ranges[index].start} to {ranges[index].end}" for index in overlap)
        raise EditError(
            Kind.OVERLAPPING_EDITS,
            f"edits {overlap[0]} and {overlap[1]} overlap: lines {first} and lines {second}",
            hint="merge them into one edit",
            details={"edits": list(overlap)},
        )
    try:
        receipt = call.workspace.edit(
            call.path(path),
            [edit for edit, _ in edits],
            expect=expected_version(fields),
            policy=replace(call.workspace.policy, batch="snapshot"),
            reason=reason_of(fields),
        )
    except EditError as error:
        raise _as_sent(call, error) from None
    spans = [outcome.lines for outcome in receipt.outcomes]
    places = [{"start": span[0], "end": span[1]} for span in spans if span is not None]
    return success(receipt, path) | {"diff": clip_diff(receipt.diff()), "edits": places}


def _edit_of(item: Mapping[str, Any], index: int) -> tuple[Replace, Lines]:
    start, end = item["range"]["start"], item["range"]["end"]
    if end < start - 1:
        hint = f"send start {end}, end {start}; to insert before line {start}, end {start - 1}"
        raise bad_request(f"edits[{index}].range", f"lines {start} to {end} run backwards", hint)
    target = Lines(start, end, item.get("oldText"))
    return Replace(target, item["newText"], reason=item.get("reason")), target


def _as_sent(call: Call, error: EditError) -> EditError:
    """The refusal with what to send instead in the tool's own form."""
    details = offering(error, lambda offer: _range_of(offer, call.host.source(str(error.details["path"]))))
    if details.get("corrected") is None:  # the file is another by now
        details.pop("corrected", None)
    match error.details.get("corrected"):
        case {"target": {"lines": {"start": start, "end": end, "text": text}}, "new": new}:
            details["corrected"] = {"range": {"start": start, "end": end}, "oldText": text, "newText": new}
    return error.advised(error.hints, details)


def _range_of(offer: Offer, source: Source) -> dict[str, object] | None:
    """The lines of the old text of an offer, if it is in the file."""
    at = source.text.find(offer.old)
    if at < 0:
        return None
    start, end = source.lines_of(Span(at, at + len(offer.old)))
    return {"range": {"start": start, "end": end}, "oldText": offer.old, "newText": offer.new}


_APPLY_EDITS_TOOL = Tool(
    name="apply_edits",
    title="Edit ranges of lines",
    summary=(
        "Replace, insert or delete ranges of lines in one file, all or none. "
        "Line numbers refer to the file as you read it; edits may be in any order."
    ),
    parameters=Object.of(
        FILE,
        Field("edits", Many(_EDIT, least=1, most=MAX_EDITS), "Line numbers refer to the file as read.", required=True),
        Field("expectedHash", Text(), "fileHash of the version that was read."),
        REASON,
    ),
    result=Object.of(
        *CHANGED.fields,
        Field("diff", Text(), "What changed, as a unified diff.", required=True),
        Field("edits", Many(_RANGE), "The new lines of each edit, in the order of the call.", required=True),
        is_open=True,
    ),
    examples=(
        Example(
            about="One line replaced, one inserted",
            files={"a.txt": "one\ntwo\nthree\n"},
            arguments={
                "path": "a.txt",
                "edits": [
                    {"range": {"start": 1, "end": 1}, "oldText": "one", "newText": "1"},
                    {"range": {"start": 3, "end": 2}, "newText": "two and a half"},
                ],
            },
            result={"success": True, "edits": [{"start": 1, "end": 1}, {"start": 3, "end": 3}]},
            after={"a.txt": "1\ntwo\ntwo and a half\nthree\n"},
        ),
        Example(
            about="The lines have other text",
            files={"a.txt": "one\ntwo\nthree\n"},
            arguments={
                "path": "a.txt",
                "edits": [{"range": {"start": 2, "end": 2}, "oldText": "three", "newText": "3"}],
            },
            result={"success": False, "kind": "stale-source", "details": {"now_at": [3]}},
        ),
    ),
    run=_run_apply_edits,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
)


# `write_patch`: a raw unified diff of one file, and nothing else.
# Anything around the diff is rejected before anything is applied, with the reason and a clean example; a fence, a
# tag or a backtick that is part of a line of the diff is content. With `lenient` the wrapping is left out, and that
# is reported.

_EXAMPLE = "send a diff like the one in example, and nothing else"


def _run_write_patch(call: Call, fields: Fields) -> Result:
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
    answer = failure(error.advised(error.hints or _EXAMPLE, details), {**phrases, SendExample: lambda _: _EXAMPLE})
    return answer | {"kind": "patch_error", "reason": str(error.kind), "example": DIALECT.example}


_WRITE_PATCH_TOOL = Tool(
    name="write_patch",
    title="Apply a unified diff",
    summary=(
        "Apply a unified diff to one file: raw, without Markdown fences, tags or prose around it. "
        "Line numbers are hints; the quoted lines must be in the file."
    ),
    parameters=Object.of(
        FILE,
        Field(
            "patch",
            Text(),
            "A unified diff of this file, with nothing around it.",
            required=True,
            also=DIFF,
        ),
        Field("lenient", Flag(), "Ignore fences, tags and prose around the diff instead of refusing it."),
        REASON,
    ),
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
    run=_run_write_patch,
    trust="destructive",
    verbs=frozenset({"edit", "create", "delete", "mode"}),
    rank=30,
    refused=_refused,
)


TOOLS = (
    _APPLY_EDITS_TOOL,
    _WRITE_PATCH_TOOL,
)
