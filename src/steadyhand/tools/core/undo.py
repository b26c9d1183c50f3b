"""`undo`: take back a change, all of a task's, or the last that this task made; by a change of its own."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Object, Text, bad_request
from steadyhand.tools.call import Call
from steadyhand.tools.core.told import CHANGES, tell
from steadyhand.tools.fields import REASON, reason_of
from steadyhand.tools.tool import Example, Fields, Result, Tool

_LOOKED_AT = 1_000  # records among which the last one is looked for

PARAMETERS = Object(
    (
        Field("id", Text(), "The id of a change, from edit, write or history."),
        Field("task", Text(), "Or: all changes of this task."),
        Field("last", Flag(), "Or: true takes back the last change you made here."),
        Field("dry_run", Flag(), "Show the diff, write nothing."),
        REASON,
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Take back; what others changed since stays, and is refused only where it changed the same text."""
    chosen = [name for name in ("id", "task", "last") if fields.get(name)]
    if len(chosen) != 1:
        said = f"{' and '.join(chosen)} were sent together" if chosen else "no change is named"
        raise bad_request("", f"undo: {said}", "send exactly one of 'id', 'task' and 'last'")
    is_dry = bool(fields.get("dry_run"))
    record = None if chosen == ["task"] else str(fields["id"]) if chosen == ["id"] else _last(call)
    task = str(fields["task"]) if chosen == ["task"] else None
    for file in call.workspace.undo(record, task=task, preview=True).files if _is_limited(call) else ():
        for name in {file.path, file.path_before or file.path}:
            call.path(name)
    receipt = call.workspace.undo(record, task=task, reason=reason_of(fields), preview=is_dry)
    return tell(receipt, is_dry=is_dry) | {"undoes": list(receipt.undoes)}


def _is_limited(call: Call) -> bool:
    """Whether the host left some files out, which taking back would reach without naming them."""
    return call.settings.article is not None or call.settings.extensions is not None


def _last(call: Call) -> str:
    """The latest record of this task and actor that was not undone; never that of somebody else."""
    workspace = call.workspace
    for entry in workspace.history(task=workspace.task_id, limit=_LOOKED_AT):
        record = entry.record
        is_own = (record.actor, record.task) == (workspace.actor, workspace.task_id)
        if is_own and record.verb != "undo" and entry.undone_by is None:
            return record.id
    raise EditError(
        Kind.CANNOT_UNDO,
        "none of the latest changes is yours and still in place",
        hint="find the change and its id with history",
    )


TOOL = Tool(
    name="undo",
    title="Undo a change",
    summary=(
        "Undo a change, even if later changes exist. "
        "Refused only where a later change touches the same lines. An undo can be undone by its id."
    ),
    parameters=PARAMETERS,
    result=CHANGES,
    examples=(
        Example(
            about="The last change",
            files={"a.txt": "one\n"},
            first=[("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]})],
            arguments={"last": True},
            result={"success": True, "path": "a.txt", "files": [{"path": "a.txt", "status": "edited"}]},
        ),
        Example(
            about="A record that there is not",
            files={"a.txt": "one\n"},
            first=[("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]})],
            arguments={"id": "ffffffffffff"},
            result={"success": False, "kind": "no-such-file"},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="Nothing was changed yet",
            files={"a.txt": "one\n"},
            arguments={"last": True},
            result={"success": False, "kind": "cannot-undo"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=70,
)
