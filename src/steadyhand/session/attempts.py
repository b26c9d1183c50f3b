"""Calls as the journal tells them: what one call changed, what of it was refused, and by whom it was made.

Pure, over records and notes in the order of the log. Several rows may tell of one call: a tool's call has an id that
they share; without one, a record or a refusal is a call by itself, and conflicts that were kept right behind it belong
to it. A note may have been written by another version of Steadyhand: a field of an unexpected type counts as absent.

Only so many calls are kept open; one whose rows lie further apart than that counts as two.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, field
from steadyhand.session.reports import CONFLICT, REFUSAL
from steadyhand.workspace.journal.record import Entry, FileChange, Note, Record, word

__all__ = ["Attempt", "Attempts", "Change", "Refused", "spelled"]

_OPEN = 2_000
_NEAR = 4  # rows: a record is two, and what was found to have changed outside may stand behind it


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a call left a file as it was."""

    kind: str
    message: str
    tool: str
    time: str

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "message": self.message, "tool": self.tool, "time": self.time}


@dataclass(frozen=True, slots=True)
class Change:
    """How a call changed one file: `edited` in places, `rewritten` as a whole, or the status of the change."""

    path: str
    how: str
    tiers: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Attempt:
    """One call. `conversation` names the series of calls it is part of; where none is known, its party does."""

    actor: str | None
    task: str | None
    tool: str
    time: str
    model: str | None = None
    conversation: str | None = None
    changes: list[Change] = field(default_factory=list)
    refused: dict[str | None, Refused] = field(default_factory=dict)
    undone: int = 0

    @property
    def series(self) -> tuple[str | None, ...]:
        return (self.conversation,) if self.conversation is not None else (self.actor, self.task)

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.path for change in self.changes)

    @property
    def paths(self) -> frozenset[str]:
        """Every file it was about, changed or not."""
        return self.changed | {path for path in self.refused if path is not None}

    @property
    def is_applied(self) -> bool:
        return bool(self.changes)

    @property
    def kinds(self) -> Counter[str]:
        """What was refused: of files, and of single edits in files that were changed all the same."""
        changed = self.changed
        whole = Counter(refused.kind for path, refused in self.refused.items() if path not in changed)
        return whole + Counter(kind for change in self.changes for kind in change.left)


class Attempts:
    """Puts rows together to calls, which come out in the order of their first rows."""

    def __init__(self, room: int = _OPEN) -> None:
        self._room = room
        self._open: OrderedDict[str, Attempt] = OrderedDict()
        self._last: tuple[int, str] = 0, ""

    def add(self, what: Entry | Note, position: int) -> Iterator[Attempt]:
        """Take the next record or note, told in the row `position`; the calls that nothing can be added to any more."""
        if isinstance(what, Entry):
            self._add_record(what, position)
        elif what.type in (REFUSAL, CONFLICT):
            self._add_refusal(what, position)
        while len(self._open) > self._room:
            yield self._open.popitem(last=False)[1]

    def rest(self) -> Iterator[Attempt]:
        """The calls that are left when there are no more rows."""
        while self._open:
            yield self._open.popitem(last=False)[1]

    def _add_record(self, entry: Entry, position: int) -> None:
        record = entry.record
        call = record.call
        name = call.id if call is not None else f"row {entry.seq}"
        made = Attempt(record.actor, record.task, record.tool, record.time, record.model)
        made.conversation = None if call is None else call.conversation
        attempt = self._open.setdefault(name, made)
        attempt.changes += [_change(record, change) for change in record.files]
        attempt.undone += entry.undone_by is not None
        self._last = position, name

    def _add_refusal(self, note: Note, position: int) -> None:
        body = note.body
        call = body.get("call")
        about: Mapping[str, object] = call if isinstance(call, dict) else {}
        made = Attempt(
            word(body, "actor"), word(body, "task"), word(body, "tool") or "", note.time, word(body, "model")
        )
        made.conversation = word(about, "conversation")
        name = word(about, "id") or self._behind(note, made, position) or f"row {note.seq}"
        attempt = self._open.setdefault(name, made)
        kind = str(Kind.CONFLICT) if note.type == CONFLICT else word(body, "kind") or "unknown"
        message = word(body, "message") or ("stands on what others changed" if note.type == CONFLICT else "")
        path = word(body, "path")
        refused = Refused(kind, message, attempt.tool, note.time)
        attempt.refused[None if path is None else spelled(path)] = refused
        self._last = position, name

    def _behind(self, note: Note, made: Attempt, position: int) -> str | None:
        """The call without an id that a conflict was kept for, if its row is the one right before."""
        at, name = self._last
        last = self._open.get(name)
        if note.type != CONFLICT or last is None or position - at > _NEAR or not name.startswith("row "):
            return None
        return name if (last.actor, last.task, last.tool) == (made.actor, made.task, made.tool) else None


def spelled(path: str) -> str:
    """A path as records spell it, as far as that can be told without looking.

    >>> spelled("./docs//a.md")
    'docs/a.md'
    """
    if path.startswith("/"):
        return path
    return "/".join(part for part in path.split("/") if part not in ("", ".")) or path


def _change(record: Record, change: FileChange) -> Change:
    tiers = tuple(edit.tier for edit in change.edits if edit.tier is not None)
    left = tuple(edit.kind for edit in change.left if edit.outcome == "refused" and edit.kind is not None)
    return Change(change.path, _how(record, change), tiers, left)


def _how(record: Record, change: FileChange) -> str:
    """A whole-file write leaves a note without tier and lines; of a secret file nothing is known."""
    if change.status != "edited" or change.redacted:
        return change.status
    if record.verb != "edit":
        return record.verb
    return "rewritten" if any(edit.tier is None and edit.lines is None for edit in change.edits) else "edited"
