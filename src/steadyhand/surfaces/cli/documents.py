"""The JSON form of what the journal tells: records, origins of lines, reports.

Contents of files stay out of it; `diff` and `show` give those as a diff.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind

if TYPE_CHECKING:
    from steadyhand.workspace.file_history import Why
    from steadyhand.workspace.journal.gc import GcReport
    from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState
    from steadyhand.workspace.outside import CheckReport


def entry_document(entry: Entry) -> dict[str, object]:
    """One record, as `log` and `show` give it."""
    record = entry.record
    return {
        "id": record.id,
        "seq": entry.seq,
        "time": record.time,
        "actor": record.actor,
        "task": record.task,
        "tool": record.tool,
        "verb": record.verb,
        "state": str(entry.state),
        "note": entry.note,
        "reason": record.reason,
        "undoes": list(record.undoes),
        "undone_by": entry.undone_by,
        "files": [_change(change) for change in record.files],
    }


def _change(change: FileChange) -> dict[str, object]:
    return {
        "path": change.path,
        "status": change.status,
        "before": _state(change.before),
        "after": _state(change.after),
        "redacted": change.redacted,
        "edits": [_edit(edit) for edit in change.edits],
    }


def _state(state: FileState | None) -> dict[str, object] | None:
    return None if state is None else {"path": state.path, "digest": state.digest, "mode": f"{state.mode:04o}"}


def _edit(edit: EditNote) -> dict[str, object]:
    return {
        "reason": edit.reason,
        "tier": edit.tier,
        "similarity": edit.similarity,
        "lines": list(edit.lines) if edit.lines else None,
        "differs": list(edit.differs),
    }


def why_document(why: Why) -> dict[str, object]:
    """Where one line comes from."""
    record = why.origin.record if why.origin is not None else None
    by = record or why.outside
    return {
        "line": why.line,
        "text": why.text,
        "since": why.since,
        "record": record.id if record else None,
        "time": by.time if by else None,
        "actor": by.actor if by else None,
        "task": by.task if by else None,
        "reason": why.reason or (record.reason if record else None),
        "edit": why.edit_index,
        **({} if why.outside is None else {"outside": why.outside.id, "tool": why.outside.tool}),
        **({} if why.doubt is None else {"doubt": why.doubt}),
    }


def check_document(result: CheckReport) -> dict[str, object]:
    """What `check` found. Files changed by someone else are listed, and are not a fault of the journal."""
    document: dict[str, object] = {
        "ok": result.ok,
        "files_checked": result.files_checked,
        "records_checked": result.records_checked,
        "problems": [
            {"kind": str(problem.kind), "seq": problem.seq, "message": problem.message} for problem in result.problems
        ],
        "pending": list(result.pending),
        "drifted": [
            {"path": d.path, "state": d.state, "record": d.record, "expected": d.expected, "actual": d.actual}
            for d in result.drifted
        ],
        "notes": list(result.notes),
    }
    return document if result.ok else {**document, "error": check_error(result).to_json()}


def check_error(result: CheckReport) -> EditError:
    """A check that found something wrong, as a refusal."""
    wrong = len(result.problems) + len(result.pending)
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"{wrong} of the journal's entries cannot be relied on",
        hint="damaged records cannot be undone; keep a copy of .steadyhand and go on from the files as they are",
    )


def gc_document(result: GcReport) -> dict[str, object]:
    """What `gc` dropped and kept."""
    return {
        "ok": True,
        "dropped_images": result.dropped_images,
        "dropped_bytes": result.dropped_bytes,
        "kept_images": result.kept_images,
        "kept_bytes": result.kept_bytes,
        "preview": result.dry_run,
    }
