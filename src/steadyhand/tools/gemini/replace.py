"""Gemini's `replace`: one old text for one new text, in as many places as the model expects.

An empty old text makes a new file. The model's instruction becomes the reason that the journal keeps.
"""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, read_flag, read_optional_text, read_text
from steadyhand.tools.answer import Answer
from steadyhand.tools.arguments import Fields, cut_reason, read_arguments, read_number
from steadyhand.tools.creation import create_or_fill
from steadyhand.tools.gemini.codes import answer_failure
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.told import how_found, lines_now, replacements, was_created

__all__ = ["run"]

_FIELDS = ("file_path", "instruction", "old_string", "new_string", "allow_multiple", "expected_replacements")


def run(workspace: Workspace, arguments: Mapping[str, object], *, prefix: str | None = None) -> Answer:
    """Carry out one call. `expected_replacements` is the older name for what `allow_multiple` now says."""
    shown = ""
    try:
        fields = read_arguments(arguments, _FIELDS)
        shown = read_text(fields, "file_path", "")
        old, new = read_text(fields, "old_string", ""), read_text(fields, "new_string", "")
        reason = cut_reason(read_optional_text(fields, "instruction", "") or "replace")
        edit = _edit_of(fields, old, new)
        path, workspace = resolve_path(workspace, shown, prefix), workspace.as_tool("replace")
        receipt = workspace.edit(path, edit, reason=reason) if old else _create(workspace, path, new, reason)
    except EditError as error:
        return answer_failure(error, shown)
    return Answer(_told(receipt, shown))


def _edit_of(fields: Fields, old: str, new: str) -> Replace:
    expected = read_number(fields, "expected_replacements")
    if expected is not None and expected < 1:
        raise bad_request("expected_replacements", "it counts from 1")
    if expected == 1 or (expected is None and not read_flag(fields, "allow_multiple", "")):
        return Replace(old, new, occurrence="unique")
    return Replace(old, new, occurrence="all", expected=expected)


def _create(workspace: Workspace, path: str, text: str, reason: str) -> Receipt:
    with workspace.transaction(reason=reason) as batch:
        create_or_fill(batch, path, text)
    return batch.receipt


def _told(receipt: Receipt, shown: str) -> str:
    if was_created(receipt):
        return f"Created new file: {shown} with provided content."
    count = replacements(receipt)
    times = "" if count is None else f" ({count} replacements)"
    told = (f"Successfully modified file: {shown}{times}.", how_found(receipt), lines_now(receipt, "cat"))
    return "\n".join(part for part in told if part)
