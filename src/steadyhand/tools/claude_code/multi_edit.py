"""Claude Code's MultiEdit: several edits of one file, each on what the ones before it left, all or none.

If the first has an empty old text, it makes the file that the others then edit. No edit may touch what an earlier
one of the call has written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError
from steadyhand.plan.edit import Replace
from steadyhand.plan.request import MAX_EDITS
from steadyhand.session.receipt import Receipt
from steadyhand.tools.answer import ANSWER, answer_refusal, worded
from steadyhand.tools.call import Call
from steadyhand.tools.claude_code.wording import said_of_one, tell_change
from steadyhand.tools.creation import create_or_fill
from steadyhand.tools.seen import check_read
from steadyhand.tools.shape import Field, Flag, Many, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

_EDIT = Object(
    (
        Field("old_string", Text(), "The text as it stands.", required=True),
        Field("new_string", Text(), "What stands there afterwards.", required=True),
        Field("replace_all", Flag(), "Every place, not the only one."),
    )
)
PARAMETERS = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("edits", Many(_EDIT, least=1, most=MAX_EDITS), "In the order in which they are made.", required=True),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Make the edits, or none of them."""
    shown, items = str(fields["file_path"]), cast("list[Mapping[str, object]]", fields["edits"])
    new = None if items[0]["old_string"] else str(items[0]["new_string"])
    edits = [_edit_of(item) for item in items[0 if new is None else 1 :]]
    with worded(said_of_one):
        path = call.path(shown)
        if new is not None:
            return tell_change(_create(call, path, new, edits), shown).to_json()
        check_read(call, path)
        return tell_change(call.workspace.edit(path, edits, reason=f"MultiEdit: {len(edits)} edits"), shown).to_json()


def _edit_of(item: Mapping[str, object]) -> Replace:
    everywhere = bool(item.get("replace_all"))
    return Replace(str(item["old_string"]), str(item["new_string"]), occurrence="all" if everywhere else "unique")


def _create(call: Call, path: str, text: str, edits: Sequence[Replace]) -> Receipt:
    with call.workspace.transaction(reason=f"MultiEdit: create and {len(edits)} edits") as batch:
        create_or_fill(batch, path, text)
        try:
            if edits:
                batch.edit(path, edits)
        except EditError as error:
            raise _counted_from_creation(error) from None
    return batch.receipt


def _counted_from_creation(error: EditError) -> EditError:
    """The refusal of an edit that stands one place later in the call than in the batch."""
    index = error.details.get("index")
    if not isinstance(index, int):
        return error
    return error.advised(error.hints, {**error.details, "index": index + 1})


TOOL = Tool(
    name="MultiEdit",
    title="Edit a file in several places",
    summary=(
        "Several edits of one file, each on what the ones before left, all or none. "
        "A first edit with an empty old_string makes the file."
    ),
    parameters=PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="Two places",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={
                "file_path": "a.md",
                "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}],
            },
            result={"is_error": False},
            after={"a.md": "1\ntwo\n3\n"},
        ),
        Example(
            about="The second is not there, so the first is not made either",
            files={"a.md": "one\ntwo\n"},
            arguments={
                "file_path": "a.md",
                "edits": [{"old_string": "one", "new_string": "1"}, {"old_string": "four", "new_string": "4"}],
            },
            result={"is_error": True, "kind": "no-match"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=30,
    refused=answer_refusal,
)
