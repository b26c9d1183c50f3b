"""The audit trail: one flat object for each record and each note of the journal, with the seal of the row it stands in.

Pure but for the patches, which are rebuilt from the journal. The content of a file with secrets is in none of them, and
neither is the text of an edit that was refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import Kind
from steadyhand.session.history import History
from steadyhand.session.reports import CONFLICT, REFUSAL
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, Note, ToolCall, word
from steadyhand.workspace.journal.row import Row
from steadyhand.workspace.journal.told import Told

__all__ = ["facts_of", "paths_of", "task_of"]

Facts = dict[str, object]


def facts_of(told: Told, history: History) -> Facts:
    """What is told of one row, as a JSON object."""
    if isinstance(told.what, Entry):
        return _transaction(told, told.what, history)
    if told.what.type in (REFUSAL, CONFLICT):
        return _refusal(told, told.what)
    note = told.what
    return {**_head("note", told), "note": note.type, "body": dict(note.body), **_seal(told.row)}


def task_of(told: Told) -> str | None:
    """The task that a row is about."""
    return told.what.record.task if isinstance(told.what, Entry) else word(told.what.body, "task")


def paths_of(told: Told) -> tuple[str, ...]:
    """The files that a row is about, as it spells them."""
    if isinstance(told.what, Entry):
        return told.what.record.paths
    path = word(told.what.body, "path")
    return () if path is None else (path,)


def _transaction(told: Told, entry: Entry, history: History) -> Facts:
    record = entry.record
    many = len(record.files) > 1
    return {
        **_head("transaction", told),
        "id": record.id,
        "actor": record.actor,
        "task": record.task,
        "model": record.model,
        "tool": record.tool,
        **_call(record.call),
        "arguments": record.arguments,
        "durationMs": record.duration_ms,
        "verb": record.verb,
        "state": str(entry.state),
        "note": entry.note,
        "reason": record.reason,
        "undoes": list(record.undoes),
        "undoneBy": entry.undone_by,
        "files": [_file(entry, change, history, many=many) for change in record.files],
        **_seal(told.row),
        "settled": None if told.settled is None else {"seq": told.settled.seq, **_seal(told.settled)},
    }


def _file(entry: Entry, change: FileChange, history: History, *, many: bool) -> Facts:
    before, after = change.before, change.after
    return {
        "path": change.path,
        "pathBefore": before.path if before is not None and before.path != change.path else None,
        "status": change.status,
        "before": None if before is None else before.digest,
        "after": None if after is None else after.digest,
        "modeBefore": None if before is None else f"{before.mode:04o}",
        "modeAfter": None if after is None else f"{after.mode:04o}",
        "redacted": change.redacted,
        "patch": history.file_diff(entry, change, git=many),
        "edits": [_edit(edit) for edit in (*change.edits, *change.left)],
    }


def _edit(edit: EditNote) -> Facts:
    return {
        "outcome": edit.outcome,
        "kind": edit.kind,
        "tier": edit.tier,
        "similarity": edit.similarity,
        "lines": None if edit.lines is None else list(edit.lines),
        "reason": edit.reason,
        "differs": list(edit.differs),
        "forced": list(edit.forced),
    }


def _refusal(told: Told, note: Note) -> Facts:
    body = note.body
    call = body.get("call")
    given: Mapping[str, object] = call if isinstance(call, dict) else {}
    is_conflict = note.type == CONFLICT
    facts: Facts = {
        **_head("conflict" if is_conflict else "refusal", told),
        "id": word(body, "id"),
        **{name: word(body, name) for name in ("actor", "task", "model", "tool")},
        "toolset": word(given, "toolset"),
        "conversation": word(given, "conversation"),
        "call": word(given, "id"),
        "path": word(body, "path"),
        "kind": str(Kind.CONFLICT) if is_conflict else word(body, "kind"),
        "message": word(body, "message"),
        "reason": word(body, "reason"),
    }
    if is_conflict:
        facts |= {"lines": body.get("lines"), "with": _records(body.get("with"))}
    return {**facts, **_seal(told.row)}


def _records(others: object) -> list[object]:
    """The records that an edit stood on; a change outside Steadyhand has none."""
    return [other.get("record") for other in others if isinstance(other, dict)] if isinstance(others, list) else []


def _head(type: str, told: Told) -> Facts:
    time = told.what.record.time if isinstance(told.what, Entry) else told.what.time
    return {"type": type, "seq": told.row.seq, "time": time}


def _call(call: ToolCall | None) -> Facts:
    if call is None:
        return {"toolset": None, "conversation": None, "call": None}
    return {"toolset": call.toolset, "conversation": call.conversation, "call": call.id}


def _seal(row: Row) -> Facts:
    return {"checksum": row.checksum.hex(), "chain": row.chain.hex()}
