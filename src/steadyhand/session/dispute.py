"""A conflict that was kept: both sides as the journal noted them, what became of it, and what stands there now.

Reads the journal only. A note may have been written by another version of Steadyhand: a field of an unexpected type
counts as absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import dataclass, replace
from steadyhand.session.conflicts import Writes, name_of
from steadyhand.session.reports import CONFLICT, RESOLVED
from steadyhand.text.diff import changes_between
from steadyhand.text.source import Source
from steadyhand.text.visible import sized
from steadyhand.workspace.file_history import Stop, recorded_text, stops_back, unwind, version_after
from steadyhand.workspace.journal.party import Party
from steadyhand.workspace.journal.record import Note
from steadyhand.workspace.journal.store import Journal

__all__ = ["Dispute", "Standing", "find_dispute", "is_untouched", "read_disputes", "rows_now", "version_then"]

State = Literal["open", "applied", "dropped", "edited", "answered"]
_RESOLVED: dict[object, State] = {"applied": "applied", "dropped": "dropped", "edited": "edited"}
_SHORTEST = 4  # digits of an id
_LISTED = 10


@sized("edit", "others", "yours", "corrected")
@dataclass(frozen=True, slots=True)
class Dispute:
    """An edit that was refused because it stood on the work of others.

    `edit` is the refused edit in its JSON form; None where the call wrote the whole file or the content is secret.
    `others` are the changes it stood on, `yours` what it would have replaced and written, `corrected` the edit that
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
        """The records of others it stood on; a change outside Steadyhand has none."""
        return tuple(dict.fromkeys(str(other["record"]) for other in self.others if other.get("record")))

    def named(self) -> str:
        """Who the others are."""
        return " and ".join(dict.fromkeys(name_of(dict(other)) for other in self.others)) or "others"

    def to_json(self) -> dict[str, object]:
        """The form programs are given."""
        return {
            "id": self.id,
            "seq": self.seq,
            "time": self.time,
            "actor": self.actor,
            "task": self.task,
            "tool": self.tool,
            "path": self.path,
            "lines": list(self.lines),
            "reason": self.reason,
            "edit": _plain(self.edit),
            "with": [dict(other) for other in self.others],
            "yours": _plain(self.yours),
            "corrected": _plain(self.corrected),
            "state": self.state,
            "record": self.record,
        }


@sized("text")
@dataclass(frozen=True, slots=True)
class Standing:
    """The lines that a conflict concerns as they are now, of the version `digest`; a last before the first: none."""

    path: str
    digest: str
    lines: tuple[int, int]
    text: str


def read_disputes(journal: Journal, fits: Callable[[Dispute], bool]) -> list[Dispute]:
    """The conflicts that were kept and fit, oldest first, with what became of them; `fits` does not know that yet."""
    ends: dict[str, Mapping[str, object]] = {}
    for note in journal.notes(type=RESOLVED):
        ends.setdefault(str(note.body.get("conflict")), note.body)
    found = [dispute for note in journal.notes(type=CONFLICT) if (dispute := _read(note)) is not None and fits(dispute)]
    return [_ended(journal, dispute, ends.get(dispute.id)) for dispute in reversed(found)]


def find_dispute(journal: Journal, id_or_prefix: str) -> Dispute:
    """The conflict with this id, or with the only id that starts so."""
    prefix = id_or_prefix.lower()
    if len(prefix) < _SHORTEST or not set(prefix) <= set("0123456789abcdef"):
        raise EditError(
            Kind.BAD_REQUEST, f"{id_or_prefix!r} is no id of a conflict", hint="give 4 to 12 hex digits, as listed"
        )
    found = read_disputes(journal, lambda dispute: dispute.id.startswith(prefix))
    if len(found) == 1:
        return found[0]
    if not found:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"the journal holds no conflict {prefix}",
            hint=RunCommand("conflicts", "lists the open ones"),
            details={"id": prefix},
        )
    ids = [dispute.id for dispute in found[:_LISTED]]
    raise EditError(
        Kind.AMBIGUOUS_MATCH,
        f"several conflicts start with {prefix}: {', '.join(ids)}",
        hint="give more digits of the id",
        details={"ids": ids},
    )


def is_untouched(journal: Journal, dispute: Dispute, present: Source) -> bool:
    """Whether the text is surely the one that was there when the edit was refused.

    What the rest of the same call did to other lines may have come to it, where that moved none of those rows.
    """
    stop = _stop_then(journal, dispute)
    if present.digest == _digest_then(dispute, stop):
        return True
    if stop is None or stop.change.after is None or stop.change.after.digest != present.digest:
        return False
    then = version_then(journal, dispute, present)
    rows = None if then is None else _rows_then(dispute, then.table.count)
    return then is not None and rows is not None and _carried(then, present, rows) == rows


def rows_now(journal: Journal, dispute: Dispute, present: Source) -> tuple[int, int]:
    """The rows (half-open) of the present text that a conflict concerns: those of the edit and of the others."""
    then = version_then(journal, dispute, present)
    if then is None:
        raise EditError(
            Kind.STALE_SOURCE,
            f"it cannot be told which lines of {dispute.path} the conflict is about: that version is not kept",
            hint="edit the file itself, then drop the conflict",
            details={"path": dispute.path, "conflict": dispute.id},
        )
    return _carried(then, present, _rows_then(dispute, then.table.count))


def version_then(journal: Journal, dispute: Dispute, present: Source) -> Source | None:
    """The text as it stood there when the edit was refused; None where it cannot be had."""
    stop = _stop_then(journal, dispute)
    digest = _digest_then(dispute, stop)
    if digest == present.digest:
        return present
    sides = (None, None) if stop is None else (stop.change.before, stop.change.after)
    if stop is None or all(side is None or side.digest != digest for side in sides):
        return None  # something outside the journal had changed it
    try:
        after = version_after(journal, stop)
        is_after = stop.change.after is not None and stop.change.after.digest == digest
        return recorded_text(stop.change, after if is_after else unwind(stop.change, after))
    except EditError:
        return None


def _digest_then(dispute: Dispute, stop: Stop | None) -> str | None:
    if dispute.actual is not None or stop is None or stop.change.after is None:
        return dispute.actual
    return stop.change.after.digest


def _rows_then(dispute: Dispute, count: int) -> tuple[int, int]:
    told = [dispute.lines, *(pair for other in dispute.others if (pair := _pair(other.get("lines"))) is not None)]
    first, last = min(pair[0] for pair in told), max(pair[1] for pair in told)
    return min(max(first - 1, 0), count), min(max(last, 0), count)


def _carried(then: Source, present: Source, rows: tuple[int, int]) -> tuple[int, int]:
    """Rows of one version in another: where their text stands, in whole lines."""
    if then.text == present.text:
        return rows
    changes = changes_between(then.text, present.text)
    start = changes.map_position(then.table.start(rows[0]), assoc=-1)
    end = changes.map_position(then.table.start(rows[1]), assoc=1)
    table = present.table
    first = table.count if start >= len(present.text) else table.row_at(start)
    last = first if end <= start else table.row_at(end - 1) + 1
    return first, max(first, last)


def _stop_then(journal: Journal, dispute: Dispute) -> Stop | None:
    """The change that made the version that stood there when the edit was refused."""
    stop = next(iter(stops_back(journal, dispute.path, before_seq=dispute.seq)), None)
    return None if stop is None or stop.change.after is None else stop


def _read(note: Note) -> Dispute | None:
    """A conflict as it was noted; None for a note that does not say which file it is about."""
    body, others = note.body, note.body.get("with")
    name, path, lines = _text(body, "id"), _text(body, "path"), _pair(body.get("lines"))
    if name is None or path is None:
        return None
    return Dispute(
        name,
        note.seq,
        note.time,
        _text(body, "actor") or "unknown",
        _text(body, "task"),
        _text(body, "tool"),
        path,
        lines or (1, 1),
        _text(body, "reason"),
        _mapping(body, "edit"),
        tuple(other for other in others if isinstance(other, dict)) if isinstance(others, list) else (),
        _mapping(body, "yours"),
        _mapping(body, "corrected"),
        actual=_text(body, "actual"),
        writes=_writes(_mapping(body, "writes")),
    )


def _ended(journal: Journal, dispute: Dispute, end: Mapping[str, object] | None) -> Dispute:
    if end is not None:
        return replace(dispute, state=_RESOLVED.get(end.get("how"), "dropped"), record=_text(end, "record"))
    answer = _answer(journal, dispute)
    return dispute if answer is None else replace(dispute, state="answered", record=answer)


def _answer(journal: Journal, dispute: Dispute) -> str | None:
    """The first change of the file that the refused party made afterwards."""
    later = journal.entries(
        path=dispute.path, task=dispute.task, actor=dispute.actor, after_seq=dispute.seq, newest_first=False
    )
    found = (entry.record for entry in later if entry.record.verb == "edit" and entry.record.task == dispute.task)
    record = next(found, None)
    return None if record is None else record.id


def _text(body: Mapping[str, object], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None


def _mapping(body: Mapping[str, object], name: str) -> Mapping[str, object] | None:
    value = body.get(name)
    return value if isinstance(value, dict) else None


def _writes(body: Mapping[str, object] | None) -> Writes | None:
    lines, text = (None, None) if body is None else (_pair(body.get("lines")), body.get("text"))
    return Writes(lines, text) if lines is not None and isinstance(text, str) else None


def _pair(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
    return None


def _plain(value: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if value is None else dict(value)
