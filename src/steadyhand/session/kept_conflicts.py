"""Conflicts that were kept: both sides as the journal noted them, what became of each, and deciding one.

1. A conflict is resolved once, by a note that follows the change it is about; a change that is refused leaves it open.
2. What is applied after all is the text that was refused, in place of the lines that it was refused for, and is
   recorded as forced, over the records it was refused for. Where those lines have changed since, it is refused again.
3. An edit that was given by line numbers is applied only to the version it was refused for.

A note may have been written by another version of Steadyhand: a field of an unexpected type counts as absent.
Two people who resolve one conflict at the same moment may both read that they did; the second of two equal edits
then meets the text of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import dataclass, replace
from steadyhand.schema import fields_as_json
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.session.conflicts import CONFLICT, RESOLVED, Writes, names_of, records_of
from steadyhand.text.diff import changes_between
from steadyhand.text.source import Source
from steadyhand.text.visible import sized
from steadyhand.workspace.history.file_history import Version, recorded_text, unwind, version_after, versions_back
from steadyhand.workspace.journal.record import Note, Party, pair, word
from steadyhand.workspace.journal.store import Journal

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.receipt import Receipt


State = Literal["open", "applied", "dropped", "edited", "answered"]
_RESOLVED: dict[object, State] = {"applied": "applied", "dropped": "dropped", "edited": "edited"}
_SHORTEST = 4  # digits of an id
_LISTED = 10


@sized("edit", "others", "yours", "corrected")
@dataclass(frozen=True, slots=True)
class KeptConflict:
    """An edit that was refused because it touches the work of others.

    `edit` is the refused edit in its JSON form; None where the call wrote the whole file or the content is secret.
    `others` are the changes it touches, `yours` what it would have replaced and written, `corrected` the edit that
    keeps both. `lines` are those of the file as it was then, the version `actual`. `state`: `answered` means that its
    party has changed the file since by itself; `record` is the record that ended it, if one did. `writes` are lines of
    the version `actual` and what the edit would have left in their place; None where that was not kept.
    """

    id: str
    seq: int
    time: str
    actor: str
    task: str | None
    tool: str | None
    path: str
    lines: tuple[int, int]
    reason: str | None
    edit: Mapping[str, object] | None
    others: tuple[Mapping[str, object], ...]
    yours: Mapping[str, object] | None
    corrected: Mapping[str, object] | None
    state: State = "open"
    record: str | None = None
    actual: str | None = None
    writes: Writes | None = None

    @property
    def party(self) -> Party:
        return Party(self.actor, self.task)

    @property
    def records(self) -> tuple[str, ...]:
        """The records of others it touches; a change outside Steadyhand has none."""
        return records_of(self.others)

    def named(self) -> str:
        """Who the others are."""
        return names_of(self.others)

    def to_json(self) -> dict[str, object]:
        """The form programs are given."""
        facts = fields_as_json(self, "actual", "writes")
        return {"with" if name == "others" else name: value for name, value in facts.items()}


@sized("text")
@dataclass(frozen=True, slots=True)
class PresentText:
    """The lines that a conflict concerns as they are now, of the version `digest`; a last before the first: none."""

    path: str
    digest: str
    lines: tuple[int, int]
    text: str


def read_kept(journal: Journal, fits: Callable[[KeptConflict], bool]) -> list[KeptConflict]:
    """The conflicts that were kept and fit, oldest first, with what became of them; `fits` does not know that yet."""
    ends: dict[str, Mapping[str, object]] = {}
    for note in journal.notes(type=RESOLVED):
        ends.setdefault(str(note.body.get("conflict")), note.body)
    found = [kept for note in journal.notes(type=CONFLICT) if (kept := _read(note)) is not None and fits(kept)]
    return [_ended(journal, kept, ends.get(kept.id)) for kept in reversed(found)]


def find_kept(journal: Journal, id_or_prefix: str) -> KeptConflict:
    """The conflict with this id, or with the only id that starts so."""
    prefix = id_or_prefix.lower()
    if len(prefix) < _SHORTEST or not set(prefix) <= set("0123456789abcdef"):
        raise EditError(
            Kind.BAD_REQUEST, f"{id_or_prefix!r} is not the id of a conflict", hint="give 4 to 12 hex digits, as listed"
        )
    found = read_kept(journal, lambda kept: kept.id.startswith(prefix))
    if len(found) == 1:
        return found[0]
    if not found:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"the journal holds no conflict {prefix}",
            hint=RunCommand("conflicts", "lists the open ones"),
            details={"id": prefix},
        )
    ids = [kept.id for kept in found[:_LISTED]]
    raise EditError(
        Kind.AMBIGUOUS_MATCH,
        f"several conflicts start with {prefix}: {', '.join(ids)}",
        hint="give more digits of the id",
        details={"ids": ids},
    )


def is_untouched(journal: Journal, kept: KeptConflict, present: Source) -> bool:
    """Whether the text is surely the one that was there when the edit was refused.

    What the rest of the same call did to other lines may have come to it, where that moved none of those rows.
    """
    version = _version_then(journal, kept)
    if present.digest == _digest_then(kept, version):
        return True
    if version is None or version.change.after is None or version.change.after.digest != present.digest:
        return False
    then = version_then(journal, kept, present)
    rows = None if then is None else _rows_then(kept, then.table.count)
    return then is not None and rows is not None and _carried(then, present, rows) == rows


def rows_now(journal: Journal, kept: KeptConflict, present: Source) -> tuple[int, int]:
    """The rows (half-open) of the present text that a conflict concerns: those of the edit and of the others."""
    then = version_then(journal, kept, present)
    if then is None:
        raise EditError(
            Kind.STALE_SOURCE,
            f"it is unclear which lines of {kept.path} the conflict is about: that version was not kept",
            hint="edit the file itself, then drop the conflict",
            details={"path": kept.path, "conflict": kept.id},
        )
    return _carried(then, present, _rows_then(kept, then.table.count))


def version_then(journal: Journal, kept: KeptConflict, present: Source) -> Source | None:
    """The text as it was there when the edit was refused; None where it cannot be had."""
    version = _version_then(journal, kept)
    digest = _digest_then(kept, version)
    if digest == present.digest:
        return present
    sides = (None, None) if version is None else (version.change.before, version.change.after)
    if version is None or all(side is None or side.digest != digest for side in sides):
        return None  # something outside the journal had changed it
    try:
        after = version_after(journal, version)
        is_after = version.change.after is not None and version.change.after.digest == digest
        return recorded_text(version.change, after if is_after else unwind(version.change, after))
    except EditError:
        return None


def _digest_then(kept: KeptConflict, version: Version | None) -> str | None:
    if kept.actual is not None or version is None or version.change.after is None:
        return kept.actual
    return version.change.after.digest


def _rows_then(kept: KeptConflict, count: int) -> tuple[int, int]:
    ranges = [kept.lines, *(found for other in kept.others if (found := pair(other.get("lines"))) is not None)]
    first, last = min(start for start, _ in ranges), max(end for _, end in ranges)
    return min(max(first - 1, 0), count), min(max(last, 0), count)


def _carried(then: Source, present: Source, rows: tuple[int, int]) -> tuple[int, int]:
    """Rows of one version in another: where their text is, in whole lines."""
    if then.text == present.text:
        return rows
    changes = changes_between(then.text, present.text)
    start = changes.map_position(then.table.start(rows[0]), assoc=-1)
    end = changes.map_position(then.table.start(rows[1]), assoc=1)
    table = present.table
    first = table.count if start >= len(present.text) else table.row_at(start)
    last = first if end <= start else table.row_at(end - 1) + 1
    return first, max(first, last)


def _version_then(journal: Journal, kept: KeptConflict) -> Version | None:
    """The change that made the version that was there when the edit was refused."""
    version = next(iter(versions_back(journal, kept.path, before_seq=kept.seq)), None)
    return None if version is None or version.change.after is None else version


def _read(note: Note) -> KeptConflict | None:
    """A conflict as it was noted; None for a note that does not say which file it is about."""
    body, others = note.body, note.body.get("with")
    name, path, lines = word(body, "id"), word(body, "path"), pair(body.get("lines"))
    if name is None or path is None:
        return None
    return KeptConflict(
        name,
        note.seq,
        note.time,
        word(body, "actor") or "unknown",
        word(body, "task"),
        word(body, "tool"),
        path,
        lines or (1, 1),
        word(body, "reason"),
        _mapping(body, "edit"),
        tuple(other for other in others if isinstance(other, dict)) if isinstance(others, list) else (),
        _mapping(body, "yours"),
        _mapping(body, "corrected"),
        actual=word(body, "actual"),
        writes=_writes(_mapping(body, "writes")),
    )


def _ended(journal: Journal, kept: KeptConflict, end: Mapping[str, object] | None) -> KeptConflict:
    if end is not None:
        return replace(kept, state=_RESOLVED.get(end.get("how"), "dropped"), record=word(end, "record"))
    later = journal.entries(path=kept.path, task=kept.task, actor=kept.actor, after_seq=kept.seq, newest_first=False)
    found = (entry.record for entry in later if entry.record.verb == "edit" and entry.record.task == kept.task)
    answer = next(found, None)  # the first change of the file that the refused party made afterwards
    return kept if answer is None else replace(kept, state="answered", record=answer.id)


def _mapping(body: Mapping[str, object], name: str) -> Mapping[str, object] | None:
    value = body.get(name)
    return value if isinstance(value, dict) else None


def _writes(body: Mapping[str, object] | None) -> Writes | None:
    lines, text = (None, None) if body is None else (pair(body.get("lines")), body.get("text"))
    return Writes(lines, text) if lines is not None and isinstance(text, str) else None


WAYS = ("apply", "drop", "edit")
_DONE = {"apply": "applied", "drop": "dropped", "edit": "edited"}
_WHAT = {
    "applied": "was applied",
    "dropped": "was dropped",
    "edited": "was settled by hand",
    "answered": "was answered: its task has changed the file since",
}


class KeptConflicts:
    """Conflicts that wait for somebody to decide."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store

    def conflicts(
        self, *, open_only: bool = True, path: AnyPath | None = None, task: str | None = None
    ) -> list[KeptConflict]:
        """See `Workspace.conflicts`."""
        if not self._store.state.exists:
            return []
        wanted = None if path is None else self._store.resolve(checks.path_of(path))
        task = checks.remark(task, "task")
        found = read_kept(self._store.journal, lambda kept: wanted in (None, kept.path) and task in (None, kept.task))
        return [kept for kept in found if not open_only or kept.state == "open"]

    def conflict(self, id: str) -> KeptConflict:
        """See `Workspace.conflict`."""
        return find_kept(self._store.journal, checks.record_id(id) or "")

    def resolve(
        self,
        id: str,
        how: str,
        *,
        text: str | None = None,
        expect: str | None = None,
        reason: str | None = None,
    ) -> Receipt | None:
        """See `Workspace.resolve`; the lines that `edit` replaces are those of `present_text`."""
        checks.one_of(how, "how", WAYS)
        if (how == "edit") != (text is not None):
            raise EditError(
                Kind.BAD_REQUEST, "`text` is for `edit` only, and required there", hint="give both or neither"
            )
        kept = self.conflict(id)
        if kept.state != "open":
            record = f" (record {kept.record})" if kept.record else ""
            raise EditError(
                Kind.BAD_REQUEST,
                f"the conflict {kept.id} is not open: it {_WHAT[kept.state]}{record}",
                hint="nothing needs to be done; to revert a record: undo",
                details={"conflict": kept.id, "state": kept.state, "record": kept.record},
            )
        given = checks.remark(reason, "reason")
        receipt: Receipt | None = None
        if text is not None:
            why = given or f"settled the conflict {kept.id} by hand"
            receipt = self._put(kept, text, checks.digest_of_version(expect), why)
        elif how == "apply":
            receipt = self._apply(kept, given or kept.reason)
        return self._note(kept, _DONE[how], receipt, reason)

    def present_text(self, kept: KeptConflict) -> PresentText:
        if self._store.is_secret(kept.path):
            raise EditError(
                Kind.PROTECTED_PATH,
                f"{kept.path} holds secrets, and its lines are not shown",
                hint="edit the file itself, then drop the conflict",
                details={"path": kept.path, "conflict": kept.id},
            )
        path, image = self._store.read(kept.path)
        source = self._store.text_of(path, image)
        first, last = rows_now(self._store.journal, kept, source)
        text = source.text[source.table.start(first) : source.table.start(last)]
        return PresentText(kept.path, image.digest, (first + 1, last), text)

    def _put(self, kept: KeptConflict, text: str, expect: str | None, reason: str | None) -> Receipt:
        from steadyhand.plan.edit import Replace
        from steadyhand.plan.request import EditFile
        from steadyhand.session.transaction_builder import make_changes
        from steadyhand.structure.lines import Lines

        now = self.present_text(kept)
        if expect is not None and not now.digest.startswith(expect):
            raise EditError(
                Kind.STALE_SOURCE,
                f"{kept.path} has changed since these lines were shown",
                hint="look at the current text and decide again",
                details={"path": kept.path, "expected": expect, "actual": now.digest},
            )
        request = EditFile(kept.path, (Replace(Lines(*now.lines), checks.text_of(text)),), now.digest)
        return make_changes(self._session, [request], self._session.context.policy, reason=reason)

    def _apply(self, kept: KeptConflict, reason: str | None) -> Receipt:
        from steadyhand.plan.edit import edit_from_json
        from steadyhand.plan.request import EditFile
        from steadyhand.session.transaction_builder import make_changes

        if kept.edit is None:
            raise EditError(
                Kind.BAD_REQUEST,
                f"the refused edit of {kept.path} was not kept: the call wrote the whole file, or it holds secrets",
                hint="drop the conflict, or settle it by hand with `edit`",
                details={"path": kept.path, "conflict": kept.id},
            )
        policy = replace(self._session.context.policy, on_conflict="force")
        request = EditFile(kept.path, (edit_from_json(kept.edit),))
        return make_changes(self._session, [request], policy, reason=reason, override=kept)

    def _note(self, kept: KeptConflict, how: str, receipt: Receipt | None, reason: str | None) -> Receipt | None:
        """Note the end; a change that is made stays made where that cannot be noted."""
        body = {
            "conflict": kept.id,
            "how": how,
            "record": None if receipt is None else receipt.id,
            "actor": self._session.context.actor,
            "task": self._session.context.task,
            "path": kept.path,
            "reason": reason,
        }
        try:
            self._store.writable_journal().append_note(RESOLVED, body)
        except EditError as error:
            if receipt is None:
                raise
            warning = f"the conflict {kept.id} could not be noted as {how}: {error.message}"
            return replace(receipt, warnings=(*receipt.warnings, warning))
        return receipt
