"""`read` and `outline`, what is in files; `history` and `undo`, what was changed, by changes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.schema import Either, Field, Flag, Many, Number, Object, Text, bad_request
from steadyhand.structure.format import format_of
from steadyhand.text.visible import WIDEST, clip
from steadyhand.tools.core import CHANGES, cut_diff, tell
from steadyhand.tools.file_views import LINES_AT_ONCE, read_numbered, room_for
from steadyhand.tools.result import answer_of, failure
from steadyhand.tools.tool import FILE, REASON, Call, Example, Fields, Result, Tool, reason_of
from steadyhand.workspace.files.protection import classify
from steadyhand.workspace.history.file_history import Why
from steadyhand.workspace.journal.record import Entry, Record

# `outline`: what of a file can be addressed, with the addresses that `edit` takes.

_MOST_ENTRIES = 300
_WIDEST = 400


def _run_outline(call: Call, fields: Fields) -> Result:
    """Outline; the deepest entries are left out first where there are too many."""
    path = call.path(str(fields["path"]))
    if format_of(path) is None:
        call.host.source(path)  # a file that is not there is refused as such
        hint = "read it, then edit by the old text, or by lines:3-5 or an anchor"
        raise EditError(Kind.BAD_REQUEST, f"{path} has no known structure", hint=hint, details={"path": path})
    within, depth = cast("str | None", fields.get("within")), cast("int | None", fields.get("depth"))
    found = call.workspace.outline(path, within=within, depth=depth, limit=_MOST_ENTRIES)
    entries = []
    for entry in found.entries:
        start, end = found.lines_of(entry)
        entries.append({"address": entry.address, "kind": entry.kind, "startLine": start, "endLine": end})
    shown = [entry for entry in entries if len(str(entry["address"])) <= _WIDEST]
    answer: Result = {
        "success": True,
        "path": str(fields["path"]),
        "format": found.format,
        "fileHash": found.source.digest[:16],
        "totalLines": found.source.table.count,
        "entries": shown,
    }
    hidden = found.total - len(shown)
    if hidden:
        answer["leftOut"] = f"{hidden} of {found.total} entries: give within, an address, or another depth"
    if found.gap is not None:
        answer["warnings"] = [
            f"line {found.gap.line} does not parse ({found.gap.message}): entries may be missing there"
        ]
    return answer


_OUTLINE_TOOL = Tool(
    name="outline",
    title="Outline a file",
    summary=(
        "List the addresses in a file that edit takes: headings, tables and code blocks of Markdown, elements of HTML, "
        "symbols of code, keys of JSON, YAML, TOML and INI, cells of notebooks."
    ),
    parameters=Object.of(
        FILE,
        Field("within", Text(), "An address: only what is inside it.", also=("at",)),
        Field("depth", Number(least=0), "Levels to show below the top."),
    ),
    result=answer_of(
        Field("path", Text(), required=True),
        Field("format", Text(), required=True),
        Field("fileHash", Text(), "Send it as expect.", required=True),
        Field("totalLines", Number(), required=True),
        Field(
            "entries",
            Many(
                Object.of(
                    Field("address", Text(), "Send it as target, {at: address}.", required=True),
                    Field("kind", Text(), required=True),
                    Field("startLine", Number(), required=True),
                    Field("endLine", Number(), required=True),
                    is_open=True,
                )
            ),
            required=True,
        ),
        Field("leftOut", Text(), "What is not shown, and how to get it."),
        Field("warnings", Many(Text())),
    ),
    examples=(
        Example(
            about="The sections of a page",
            files={"guide.md": "# Guide\n\n## Setup\n\nRun it.\n"},
            arguments={"path": "guide.md"},
            result={
                "success": True,
                "format": "markdown",
                "entries": [
                    {"address": "heading:Guide", "kind": "section", "startLine": 1, "endLine": 5},
                    {"address": "heading:Guide > Setup", "kind": "section", "startLine": 3, "endLine": 5},
                ],
            },
        ),
        Example(
            about="A file without a known structure",
            files={"notes.txt": "one\n"},
            arguments={"path": "notes.txt"},
            result={"success": False, "kind": "bad-request"},
        ),
    ),
    run=_run_outline,
    rank=30,
)


# `read`: one file or several, or stretches of them, with numbered lines and the hash of each.

_MOST_FILES = 50

_START = Field("start", Number(least=1), "First line, from 1.")
_END = Field("end", Number(least=1), "Last line, included.")
_FILE = Object.of(Field("path", Text(), required=True), replace(_START, about=""), replace(_END, about=""))

_READ = (
    Field("path", Text()),
    Field("content", Text(), "Numbered lines."),
    Field("totalLines", Number()),
    Field("fileHash", Text(), "Send it as expect."),
    Field("leftOut", Text(), "Which lines are not shown, and how to get them."),
)


def _run_read(call: Call, fields: Fields) -> Result:
    """Read; a file of several that cannot be read is reported in its place, and the others are read all the same."""
    files, has_anchors = fields.get("files"), bool(fields.get("anchors"))
    if isinstance(files, list) and "path" not in fields:
        for name in ("start", "end"):
            if name in fields:
                raise bad_request(name, "it belongs next to a path", f"send {name!r} in each of 'files'")
        return _several(call, files, has_anchors=has_anchors)
    if files is not None or "path" not in fields:
        said = "both 'path' and 'files' are given" if files is not None else "'path' or 'files' is missing"
        raise bad_request("path", said, "send 'path' for one file, 'files' for several")
    return {"success": True, **_one(call, fields, "", has_anchors=has_anchors)}


def _several(call: Call, files: list[object], *, has_anchors: bool) -> Result:
    answer: list[dict[str, object]] = []
    refusals: list[EditError] = []
    room = room_for(call)  # of all files together
    for index, file in enumerate(files):
        wanted = file if isinstance(file, Mapping) else {"path": file}
        if room <= 0:
            answer.append({"path": wanted["path"], "leftOut": "all of it; read this file alone"})
            continue
        try:
            read = _one(call, wanted, f"files[{index}]", has_anchors=has_anchors, room=room)
        except EditError as error:
            refusals.append(error)
            answer.append(
                {
                    "path": wanted["path"],
                    "kind": str(error.kind),
                    "error": failure(error, call.toolset.phrases)["error"],
                }
            )
            continue
        room -= len(str(read["content"]))
        answer.append(read)
    if len(refusals) == len(files):
        raise refusals[0]
    return {"success": "partial" if refusals else True, "files": answer}


def _one(call: Call, wanted: Fields, place: str, *, has_anchors: bool, room: int | None = None) -> dict[str, object]:
    path, start, end = str(wanted["path"]), wanted.get("start"), wanted.get("end")
    return {"path": path, **read_numbered(call, path, start, end, anchors=has_anchors, room=room, place=place)}


_READ_TOOL = Tool(
    name="read",
    title="Read files",
    summary=(
        "Read text files with numbered lines, and their hashes. "
        f"At most {LINES_AT_ONCE} lines of a file per call; leftOut says how to read on."
    ),
    parameters=Object.of(
        Field("path", Text(), "One file, from the workspace root."),
        _START,
        _END,
        Field("files", Many(Either((_FILE, Text())), least=1, most=_MOST_FILES), "Several files, instead of path."),
        Field("anchors", Flag(), "Lines as 12#a3f: TEXT; 12#a3f is an address that detects a changed line."),
    ),
    result=Object.of(
        Field("success", Either((Flag(), Text(("partial",)))), required=True),
        *_READ,
        Field("files", Many(Object.of(*_READ, Field("kind", Text()), Field("error", Text()), is_open=True))),
        is_open=True,
    ),
    examples=(
        Example(
            about="Part of one file",
            files={"notes.md": "one\ntwo\nthree\n"},
            arguments={"path": "notes.md", "start": 2},
            result={"success": True, "path": "notes.md", "content": "2: two\n3: three", "totalLines": 3},
        ),
        Example(
            about="Two files, one of which does not exist",
            files={"a.md": "one\n"},
            arguments={"files": [{"path": "a.md"}, {"path": "b.md"}]},
            result={
                "success": "partial",
                "files": [{"path": "a.md", "content": "1: one"}, {"path": "b.md", "kind": "no-such-file"}],
            },
        ),
        Example(
            about="A file that does not exist",
            files={"notes.md": "one\n"},
            arguments={"path": "note.md"},
            result={"success": False, "kind": "no-such-file"},
        ),
    ),
    run=_run_read,
    rank=10,
)


# `history`: who changed what and why; the patch of one change; why a line is as it is.

_USUALLY = 20
_AT_MOST = 200
_NAMED = 10  # files of a record, and reasons of its edits
_SINCE = {
    "record": "it was written by this change",
    "outside": "it was changed by another program",
    "before-journal": "it is older than the history",
}


_ENTRY = Object.of(
    Field("id", Text(), required=True),
    Field("time", Text(), required=True),
    Field("actor", Text(), required=True),
    Field("files", Many(Text()), required=True),
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
        return _one_change(call, str(fields["id"]))
    return _log(call, fields, path)


def _log(call: Call, fields: Fields, path: str | None) -> Result:
    most, skip = cast("int", fields.get("max", _USUALLY)), cast("int", fields.get("skip", 0))
    task = cast("str | None", fields.get("task"))
    found = call.workspace.history(path, task=task, limit=skip + most + 1)
    if not found and path is not None and task is None:
        call.host.source(path)  # one that never was is a slip, and refused as such
    shown = found[skip : skip + most]
    answer: Result = {"success": True, "entries": [_entry(entry) for entry in shown]}
    return answer | ({"more": f"there are older ones: skip {skip + most}"} if len(found) > skip + most else {})


def _one_change(call: Call, id: str) -> Result:
    entry = call.workspace.show(id)
    for path in entry.record.paths:
        call.check_ending(path)
    return {"success": True, "entry": _entry(entry), **cut_diff(call.workspace.diff_of(entry.record.id))}


def _line(call: Call, path: str, line: int) -> Result:
    source = call.host.source(path)
    why = call.workspace.why(path, line)
    is_secret = classify(path).secret
    if (
        not is_secret
        and len(why.text) <= WIDEST
        and why.line <= source.table.count
        and source.table.text(why.line - 1) == why.text
    ):
        call.host.saw(source, (line, line))
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
    title="Show what changed",
    summary=(
        "The recorded changes, newest first: who, when, why, and the id that undo takes. "
        "With path and line: who last changed that line, and why. With id: the patch of that change."
    ),
    parameters=Object.of(
        Field("path", Text(), "Only changes of this file, under any name it had."),
        Field("line", Number(least=1), "With path: who last changed this line, and why."),
        Field("task", Text(), "Only changes of this task."),
        Field("id", Text(), "One change, with its patch."),
        Field("max", Number(least=1, most=_AT_MOST), f"Limit on the records; default: {_USUALLY}.", also=("limit",)),
        Field("skip", Number(least=0, most=100_000), "Skip this many of the newest."),
    ),
    result=answer_of(
        Field("entries", Many(_ENTRY), "Newest first."),
        Field("more", Text(), "How to see older ones."),
        Field("entry", _ENTRY),
        Field("diff", Text(), "The patch of one change."),
        Field("why", Object.of(Field("line", Number()), Field("text", Text()), Field("since", Text()), is_open=True)),
    ),
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
            about="Why a line changed",
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
        "none of the latest changes is yours and still in effect",
        hint="find the change and its id with history",
    )


_UNDO_TOOL = Tool(
    name="undo",
    title="Undo a change",
    summary=(
        "Undo a change, even if later changes exist. "
        "Refused only if a later change touches the same lines. An undo can itself be undone by its id."
    ),
    parameters=Object.of(
        Field("id", Text(), "The id of a change, from edit, write or history."),
        Field("task", Text(), "Or: all changes of this task."),
        Field("last", Flag(), "Or: true undoes your last change here."),
        Field("dry_run", Flag(), "Show the diff; write nothing."),
        REASON,
    ),
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
            about="A record that does not exist",
            files={"a.txt": "one\n"},
            first=[("edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1"}]})],
            arguments={"id": "ffffffffffff"},
            result={"success": False, "kind": "no-such-file"},
            after={"a.txt": "1\n"},
        ),
        Example(
            about="Nothing has changed yet",
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


TOOLS = (_HISTORY_TOOL, _OUTLINE_TOOL, _READ_TOOL, _UNDO_TOOL)
