"""What the journal records of calls that changed nothing: refusals, and conflicts with the edit that was refused.

A report is worth a row, never a failure: where the journal cannot be written it is dropped. A workspace without a
journal gets none because of a refusal, unless a tool was called for a task: what is tried for one is recorded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from itertools import islice

from steadyhand.errors import EditError, Kind
from steadyhand.plan.outcome import Outcome
from steadyhand.session.conflicts import Conflict
from steadyhand.session.context import CallContext
from steadyhand.workspace.file_op import Header
from steadyhand.workspace.journal.record import new_record_id
from steadyhand.workspace.store import Store

CONFLICT, RESOLVED, REFUSAL = "conflict", "conflict-resolved", "refusal"
_LONGEST = 300  # characters of a message that is kept
_LATELY = 50  # notes among which the same one is looked for
_OF_FIELDS = (Kind.BAD_REQUEST, Kind.REASON_REQUIRED, Kind.TOO_LARGE)  # what a field of the call may be refused with


class Reports:
    """The reports of one workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def refused(self, header: Header, error: EditError, conflicts: Sequence[Conflict]) -> EditError:
        """Report a call that was refused; the refusal, with the names under which its conflicts are kept."""
        if header.trace is not None:
            header.trace.refusals += 1
        if error.kind is not Kind.CONFLICT or not conflicts:
            is_for_task = header.trace is not None and header.task is not None
            self._append(REFUSAL, _refusal(header, error, self._file(header, error)), may_begin=is_for_task)
            return error
        kept = self.kept(header, conflicts)
        return error.with_details(conflicts=kept) if kept else error

    def applied(self, header: Header, outcomes: Sequence[Outcome], conflicts: Sequence[Conflict]) -> None:
        """Report what a call that was applied in part has left out: its conflicts, and the files it did not change.

        An edit that was refused in a file that the call did change is part of the record.
        """
        self.kept(header, conflicts)
        told = {outcome.path for outcome in outcomes if outcome.applied}
        for outcome in outcomes:
            error = outcome.error
            if error is not None and outcome.path not in told and error.kind is not Kind.CONFLICT:
                self._append(REFUSAL, _refusal(header, error, outcome.path))
                told.add(outcome.path)

    def kept(self, header: Header, conflicts: Sequence[Conflict]) -> list[str]:
        """Keep conflicts for a person to resolve; their ids. One that is kept already is not kept twice."""
        return [name for conflict in conflicts if (name := self._keep(header, conflict)) is not None]

    def observe(self, context: CallContext, path: str) -> bool:
        """Note that something else changed a file since the journal last knew it; False where nothing did."""
        from steadyhand.workspace.file_op import Latest
        from steadyhand.workspace.outside import NOTE, note_of

        resolved, image = self._store.read(path)
        if self._store.read_only:
            return False
        journal = self._store.writable_journal()
        stop = Latest(journal).of(resolved)
        note = note_of(journal, resolved, image, stop, is_secret=self._store.is_secret(resolved))
        if note is None:
            return False
        who = {"actor": context.actor, "task": context.task, "tool": context.tool}
        journal.append_note(NOTE, {**note, **who})
        return True

    def _keep(self, header: Header, conflict: Conflict) -> str | None:
        body = {
            **_who(header), "reason": header.reason, "edit": conflict.edit, "actual": conflict.actual,
            **conflict.facts(),
        }  # fmt: skip
        if conflict.writes is not None:
            body["writes"] = {"lines": list(conflict.writes.lines), "text": conflict.writes.text}
        body.pop("index", None)
        same = self._same(body)
        if same is not None:
            return same
        name = new_record_id()
        return name if self._append(CONFLICT, {"id": name, **body}) else None

    def _same(self, body: dict[str, object]) -> str | None:
        """The id under which this very conflict is kept and not resolved, whatever changed elsewhere in the file."""
        wanted = _without_version(body)
        with contextlib.suppress(EditError):
            journal = self._store.journal
            resolved = {note.body.get("conflict") for note in islice(journal.notes(type=RESOLVED), _LATELY)}
            for note in islice(journal.notes(type=CONFLICT), _LATELY):
                told = _without_version(note.body)
                if told == wanted and note.body.get("id") not in resolved and not self._has_gone_on(body, note.seq):
                    return str(note.body.get("id"))
        return None

    def _has_gone_on(self, body: dict[str, object], seq: int) -> bool:
        """Whether the party has changed the file since a conflict was kept, which counts as its answer."""
        later = self._store.journal.entries(path=str(body["path"]), actor=str(body["actor"]), after_seq=seq)
        return any(entry.record.verb == "edit" and entry.record.task == body["task"] for entry in later)

    def _file(self, header: Header, error: EditError) -> str | None:
        """The file that was refused. The refusal may name a field instead: then the file that the call names."""
        told = error.details.get("path")
        if isinstance(told, str) and (error.kind not in _OF_FIELDS or self._is_there(told)):
            return told
        named = None if header.trace is None else header.trace.file
        return named if named is not None and self._is_there(named) else None

    def _is_there(self, path: str) -> bool:
        sandbox = self._store.sandbox
        with contextlib.suppress(EditError, OSError, ValueError), sandbox.place(path, writing=False) as place:
            return sandbox.stat(place) is not None
        return False

    def _append(self, type: str, body: dict[str, object], *, may_begin: bool = False) -> bool:
        """Whether it is in the journal now; `may_begin`: one may be made for it."""
        if self._store.read_only or not (may_begin or self._store.state.exists):
            return False
        try:
            self._store.writable_journal().append_note(type, body)
        except EditError:
            return False
        return True


def _without_version(body: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if name not in ("id", "actual", "call")}


def _who(header: Header) -> dict[str, object]:
    who: dict[str, object] = {"actor": header.actor, "task": header.task, "tool": header.tool}
    trace = header.trace
    if trace is None:
        return who
    call = {"id": trace.call.id, "toolset": trace.call.toolset, "conversation": trace.call.conversation}
    return {**who, "call": call, **({} if trace.model is None else {"model": trace.model})}


def _refusal(header: Header, error: EditError, path: str | None) -> dict[str, object]:
    message = error.message.split("\n")[0][:_LONGEST]
    return {
        **_who(header),
        "path": path,
        "kind": str(error.kind),
        "message": message,
        "reason": header.reason,
    }
