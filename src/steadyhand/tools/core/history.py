"""`history` and `undo`: who changed what and why, and changes taken back by changes of their own."""

from __future__ import annotations

from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.schema import Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.session.host import host_of
from steadyhand.text.visible import WIDEST, clip
from steadyhand.tools.core.edit import CHANGES, cut_diff, tell
from steadyhand.tools.tool import REASON, Call, Example, Fields, Result, Tool, reason_of
from steadyhand.workspace.files.protection import classify
from steadyhand.workspace.history.file_history import Why
from steadyhand.workspace.journal.record import Entry, Record

# `history`: who changed what and why; the patch of one change; why a line is as it is.

_USUALLY = 20
_AT_MOST = 200
_NAMED = 10  # files of a record, and reasons of its edits
_SINCE = {
    "record": "it was written by this change",
    "outside": "it was changed by another program",
    "before-journal": "it was there before the history began",
}

_HISTORY_PARAMETERS = Object(
    (
        Field("path", Text(), "Only changes of this file, under any name it had."),
        Field("line", Number(least=1), "With path: who last changed this line, and why."),
        Field("task", Text(), "Only changes of this task."),
        Field("id", Text(), "One change, with its patch."),
        Field("max", Number(least=1, most=_AT_MOST), f"At most so many ({_USUALLY}).", also=("limit",)),
        Field("skip", Number(least=0, most=100_000), "Leave out so many of the newest."),
    )
)
_ENTRY = Object(
    (
        Field("id", Text(), required=True),
        Field("time", Text(), required=True),
        Field("actor", Text(), required=True),
        Field("files", Many(Text()), required=True),
    ),
    is_open=True,
)
_HISTORY_RESULT = Object(
    (
        Field("success", Flag(), required=True),
        Field("entries", Many(_ENTRY), "Newest first."),
        Field("more", Text(), "How to see older ones."),
        Field("entry", _ENTRY),
        Field("diff", Text(), "The patch of one change."),
        Field("why", Object((Field("line", Number()), Field("text", Text()), Field("since", Text())), is_open=True)),
    ),
    is_open=True,
)


def _run_history(call: Call, fields: Fields) -> Result:
    """Look into the journal; nothing of it is changed."""
    path = call.path(str(fields["path"])) if "path" in fields else None
    if "line" in fields:
        if path is None or "id" in fields or "task" in fields:
            raise bad_request("line", "it needs 'path', and nothing else", "send path and line")
        return _line(call, path, cast("int", fields["line"]))
    if "id" in fields:
        return _one(call, str(fields["id"]))
    return _log(call, fields, path)


def _log(call: Call, fields: Fields, path: str | None) -> Result:
    most, skip = cast("int", fields.get("max", _USUALLY)), cast("int", fields.get("skip", 0))
    task = cast("str | None", fields.get("task"))
    found = call.workspace.history(path, task=task, limit=skip + most + 1)
    if not found and path is not None and task is None:
        host_of(call.workspace).source(path)  # one that never was is a slip, and refused as such
    shown = found[skip : skip + most]
    answer: Result = {"success": True, "entries": [_entry(entry) for entry in shown]}
    return answer | ({"more": f"there are older ones: skip {skip + most}"} if len(found) > skip + most else {})


def _one(call: Call, id: str) -> Result:
    entry = call.workspace.show(id)
    for path in entry.record.paths:
        call.check_ending(path)
    return {"success": True, "entry": _entry(entry), **cut_diff(call.workspace.diff_of(entry.record.id))}


def _line(call: Call, path: str, line: int) -> Result:
    source = host_of(call.workspace).source(path)
    why = call.workspace.why(path, line)
    is_secret = classify(path).secret
    if (
        not is_secret
        and len(why.text) <= WIDEST
        and why.line <= source.table.count
        and source.table.text(why.line - 1) == why.text
    ):
        host_of(call.workspace).saw(source, (line, line))
    return {"success": True, "path": path, "why": _origin(why, is_secret=is_secret)}


def _origin(why: Why, *, is_secret: bool) -> Result:
    """Where a line comes from; of a file with secrets without its text."""
    answer: Result = {"line": why.line, **({} if is_secret else {"text": clip(why.text)}), "since": _SINCE[why.since]}
    if why.doubt is not None:
        answer["doubt"] = why.doubt
    if why.origin is None:
        return answer
    record = why.origin.record
    reason = why.reason or record.reason
    return answer | _who(record) | ({"reason": reason} if reason else {})


def _entry(entry: Entry) -> Result:
    record = entry.record
    answer: Result = {**_who(record), "files": list(record.paths[:_NAMED])}
    if len(record.paths) > _NAMED:
        answer["moreFiles"] = len(record.paths) - _NAMED
    if record.verb != "edit":
        answer |= {"verb": record.verb, "undoes": list(record.undoes)}
    reasons = dict.fromkeys(edit.reason for change in record.files for edit in change.edits if edit.reason)
    if record.reason or reasons:
        answer["reason"] = record.reason or "; ".join(list(reasons)[:_NAMED])
    if entry.undone_by is not None:
        answer["undoneBy"] = entry.undone_by
    return answer


def _who(record: Record) -> Result:
    answer: Result = {"id": record.id, "time": record.time, "actor": record.actor, "tool": record.tool}
    return answer | ({"task": record.task} if record.task else {})


_HISTORY_TOOL = Tool(
    name="history",
    title="See what was changed",
    summary=(
        "The recorded changes, newest first: who, when, why, and the id that undo takes. "
        "With path and line: who last changed that line, and why. With id: the patch of that change."
    ),
    parameters=_HISTORY_PARAMETERS,
    result=_HISTORY_RESULT,
    examples=(
        Example(
            about="The changes of a file",
            files={"a.txt": "one\n"},
            first=[("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}], "reason": "digits"})],
            arguments={"path": "a.txt"},
            result={"success": True, "entries": [{"files": ["a.txt"], "reason": "digits", "tool": "edit"}]},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="Why a line is as it is",
            files={"a.txt": "one\ntwo\n"},
            first=[("edit", {"path": "a.txt", "edits": [{"target": "two", "new": "2", "reason": "digits"}]})],
            arguments={"path": "a.txt", "line": 2},
            result={"success": True, "why": {"line": 2, "text": "2", "reason": "digits", "tool": "edit"}},
            after={"a.txt": "one\n2\n"},
        ),
        Example(
            about="A line without its file",
            arguments={"line": 3},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=_run_history,
    rank=80,
)


# `undo`: take back a change, all of a task's, or the last that this task made; by a change of its own.

_LOOKED_AT = 1_000  # records among which the last one is looked for

_UNDO_PARAMETERS = Object(
    (
        Field("id", Text(), "The id of a change, from edit, write or history."),
        Field("task", Text(), "Or: all changes of this task."),
        Field("last", Flag(), "Or: true undoes your last change here."),
        Field("dry_run", Flag(), "Show the diff, write nothing."),
        REASON,
    )
)


def _run_undo(call: Call, fields: Fields) -> Result:
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


_UNDO_TOOL = Tool(
    name="undo",
    title="Undo a change",
    summary=(
        "Undo a change, even if later changes exist. "
        "Refused only where a later change touches the same lines. An undo can be undone by its id."
    ),
    parameters=_UNDO_PARAMETERS,
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
    run=_run_undo,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=70,
)


TOOLS = (
    _HISTORY_TOOL,
    _UNDO_TOOL,
)
