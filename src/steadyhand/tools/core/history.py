"""`history`: who changed what and why; the patch of one change; why a line is as it is."""

from __future__ import annotations

from typing import cast

from steadyhand.schema import Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.text.visible import WIDEST, clip
from steadyhand.tools.call import Call
from steadyhand.tools.core.told import cut_diff
from steadyhand.tools.tool import Example, Fields, Result, Tool
from steadyhand.workspace.file_history import Why
from steadyhand.workspace.journal.record import Entry, Record
from steadyhand.workspace.protection import classify

_USUALLY = 20
_AT_MOST = 200
_NAMED = 10  # files of a record, and reasons of its edits
_SINCE = {
    "record": "it was written by this change",
    "outside": "it was changed by another program",
    "before-journal": "it was there before the history began",
}

PARAMETERS = Object(
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
RESULT = Object(
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


def run(call: Call, fields: Fields) -> Result:
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
        call.workspace.source(path)  # one that never was is a slip, and refused as such
    shown = found[skip : skip + most]
    told: Result = {"success": True, "entries": [_entry(entry) for entry in shown]}
    return told | ({"more": f"there are older ones: skip {skip + most}"} if len(found) > skip + most else {})


def _one(call: Call, id: str) -> Result:
    entry = call.workspace.show(id)
    for path in entry.record.paths:
        call.check_ending(path)
    return {"success": True, "entry": _entry(entry), **cut_diff(call.workspace.diff_of(entry.record.id))}


def _line(call: Call, path: str, line: int) -> Result:
    source = call.workspace.source(path)
    why = call.workspace.why(path, line)
    is_secret = classify(path).secret
    if (
        not is_secret
        and len(why.text) <= WIDEST
        and why.line <= source.table.count
        and source.table.text(why.line - 1) == why.text
    ):
        call.workspace.saw(source, (line, line))
    return {"success": True, "path": path, "why": _origin(why, is_secret=is_secret)}


def _origin(why: Why, *, is_secret: bool) -> Result:
    """Where a line comes from; of a file with secrets without its text."""
    told: Result = {"line": why.line, **({} if is_secret else {"text": clip(why.text)}), "since": _SINCE[why.since]}
    if why.doubt is not None:
        told["doubt"] = why.doubt
    if why.origin is None:
        return told
    record = why.origin.record
    reason = why.reason or record.reason
    return told | _who(record) | ({"reason": reason} if reason else {})


def _entry(entry: Entry) -> Result:
    record = entry.record
    told: Result = {**_who(record), "files": list(record.paths[:_NAMED])}
    if len(record.paths) > _NAMED:
        told["moreFiles"] = len(record.paths) - _NAMED
    if record.verb != "edit":
        told |= {"verb": record.verb, "undoes": list(record.undoes)}
    reasons = dict.fromkeys(edit.reason for change in record.files for edit in change.edits if edit.reason)
    if record.reason or reasons:
        told["reason"] = record.reason or "; ".join(list(reasons)[:_NAMED])
    if entry.undone_by is not None:
        told["undoneBy"] = entry.undone_by
    return told


def _who(record: Record) -> Result:
    told: Result = {"id": record.id, "time": record.time, "actor": record.actor, "tool": record.tool}
    return told | ({"task": record.task} if record.task else {})


TOOL = Tool(
    name="history",
    title="See what was changed",
    summary=(
        "The recorded changes, newest first: who, when, why, and the id that undo takes. "
        "With path and line: who last changed that line, and why. With id: the patch of that change."
    ),
    parameters=PARAMETERS,
    result=RESULT,
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
    run=run,
    rank=80,
)
