"""Claude Code's MultiEdit: several edits of one file, each on what the ones before it left, all or none.

If the first has an empty old text, it makes the file that the others then edit. No edit may touch what an earlier
one of the call has written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.plan.request import MAX_EDITS
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.structure.fields import bad_request, check_list, read_flag, read_text
from steadyhand.tools.answer import Answer
from steadyhand.tools.arguments import read_arguments
from steadyhand.tools.claude_code.wording import answer_edit, tell_change
from steadyhand.tools.creation import create_or_fill
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.seen import check_read

__all__ = ["run"]


def run(
    workspace: Workspace, arguments: Mapping[str, object], *, prefix: str | None = None, require_read: bool = False
) -> Answer:
    """Carry out one call. `require_read`: only a file whose present version this task has read may be edited."""
    try:
        fields = read_arguments(arguments, ("file_path", "edits"))
        shown = read_text(fields, "file_path", "")
        path, workspace = resolve_path(workspace, shown, prefix), workspace.as_tool("MultiEdit")
        new, edits = _read_edits(fields.get("edits"))
        if require_read and new is None:
            check_read(workspace, path)
        receipt = _edit(workspace, path, new, edits)
    except EditError as error:
        return answer_edit(error, names_edit=True)
    return Answer(tell_change(receipt, shown))


def _read_edits(value: object) -> tuple[str | None, list[Replace]]:
    """The text of a new file, if the first edit makes one, and the other edits."""
    if value is None:
        raise bad_request("edits", "the field is missing", "give a list of edits")
    items = check_list(value, "edits")
    if not 0 < len(items) <= MAX_EDITS:
        raise bad_request("edits", f"there are {len(items)} edits", f"give from 1 to {MAX_EDITS}")
    texts = [_read_edit(item, f"edits[{index}]") for index, item in enumerate(items)]
    new = texts[0][1] if not texts[0][0] else None
    edits = [
        Replace(old, text, occurrence="all" if everywhere else "unique")
        for old, text, everywhere in texts[0 if new is None else 1 :]
    ]
    return new, edits


def _read_edit(item: object, path: str) -> tuple[str, str, bool]:
    fields = read_arguments(item, ("old_string", "new_string", "replace_all"), path)
    old, new = read_text(fields, "old_string", path), read_text(fields, "new_string", path)
    return old, new, read_flag(fields, "replace_all", path)


def _edit(workspace: Workspace, path: str, new: str | None, edits: Sequence[Replace]) -> Receipt:
    policy = replace(workspace.policy, batch="sequential", partial=False)
    if new is None:
        return workspace.edit(path, edits, policy=policy, reason=f"MultiEdit: {len(edits)} edits")
    with workspace.transaction(reason=f"MultiEdit: create and {len(edits)} edits") as batch:
        create_or_fill(batch, path, new)
        try:
            if edits:
                batch.edit(path, edits, policy=policy)
        except EditError as error:
            raise _counted_from_creation(error) from None
    return batch.receipt


def _counted_from_creation(error: EditError) -> EditError:
    """The refusal of an edit that stands one place later in the call than in the batch."""
    index = error.details.get("index")
    if not isinstance(index, int):
        return error
    return EditError(error.kind, error.message, hint=error.hint, details={**error.details, "index": index + 1})
