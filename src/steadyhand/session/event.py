"""What happened in a workspace, as one flat value for those who watch: made from a row of the journal.

Pure. A note may have been written by another version of Steadyhand: a field of an unexpected type counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steadyhand.lazy import dataclass, field
from steadyhand.session.conflicts import name_of
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.party import Happening
from steadyhand.workspace.journal.record import Entry, FileChange, Note, Record, State

__all__ = ["TYPES", "Event", "event_of", "ranges_of"]

TYPES = ("edit", "undo", "redo", "refusal", "conflict", "resolved", "outside", "lease", "lease-end", "task", "note")
"""The types of events; `note` is whatever else the journal was told, such as what recovery met."""

_OF_NOTES = {"conflict-resolved": "resolved", **{name: name for name in TYPES[3:] if name not in ("resolved", "note")}}
_WHO = ("actor", "task", "tool")
_NAMED = 3  # files that a message names


@sized("details")
@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `seq` orders events, and is what `after` takes.

    `id` names the record, the conflict or the lease; `reason` is the record's, else that of its first edit that has
    one. `lines` are the ranges concerned, where they are those of one file. `details` holds what only this type has:
    files and edits with their reasons, both sides of a conflict, the kind of a refusal.
    """

    seq: int
    time: str
    type: str
    actor: str | None = None
    task: str | None = None
    tool: str | None = None
    paths: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    reason: str | None = None
    id: str | None = None
    message: str = ""
    details: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The form programs are given; every field is there, an absent one as null or empty."""
        return {
            "seq": self.seq,
            "time": self.time,
            "type": self.type,
            "actor": self.actor,
            "task": self.task,
            "tool": self.tool,
            "paths": list(self.paths),
            "lines": [list(lines) for lines in self.lines],
            "reason": self.reason,
            "id": self.id,
            "message": self.message,
            "details": dict(self.details),
        }


def event_of(happening: Happening) -> Event:
    """What those who watch are told of a row."""
    if isinstance(happening.what, Entry):
        return _of_entry(happening, happening.what)
    return _of_note(happening, happening.what)


def ranges_of(value: object) -> tuple[tuple[int, int], ...]:
    """Line ranges as a note tells them: one pair, or several; anything else is none.

    >>> ranges_of([3, 5]), ranges_of([[1, 1], [4, 9]]), ranges_of("?")
    (((3, 5),), ((1, 1), (4, 9)), ())
    """
    match value:
        case [int(first), int(last)]:
            return ((first, last),)
        case list():
            return tuple(pair for item in value if isinstance(item, list) for pair in ranges_of(item))
    return ()


def _of_entry(happening: Happening, entry: Entry) -> Event:
    record = entry.record
    lines = [edit.lines for change in record.files for edit in change.edits if edit.lines]
    return Event(
        happening.seq,
        happening.time,
        record.verb,
        record.actor,
        record.task,
        record.tool,
        record.paths,
        tuple(lines) if len(record.files) == 1 else (),
        record.reason or next(_edit_reasons(record), None),
        record.id,
        _done(entry),
        _details(entry),
    )


def _edit_reasons(record: Record) -> Iterator[str]:
    return (edit.reason for change in record.files for edit in change.edits if edit.reason)


def _done(entry: Entry) -> str:
    """What a record did, in a few words."""
    record = entry.record
    names = ", ".join(_shown(change) for change in record.files[:_NAMED])
    more = f" and {len(record.files) - _NAMED} more" if len(record.files) > _NAMED else ""
    back = f"took back {', '.join(record.undoes)}: " if record.undoes else ""
    doubt = f"; not all of it: {entry.note or 'some files were left alone'}" if entry.state is State.PARTIAL else ""
    return f"{back}{names}{more}{doubt}"


def _shown(change: FileChange) -> str:
    if change.is_rename and change.before is not None:
        return f"renamed {change.before.path} to {change.path}"
    return f"changed the mode of {change.path}" if change.status == "mode" else f"{change.status} {change.path}"


def _details(entry: Entry) -> dict[str, object]:
    files = [
        {
            "path": change.path,
            "status": change.status,
            "path_before": change.before.path if change.before is not None else None,
            "edits": [
                {"reason": edit.reason, "lines": list(edit.lines) if edit.lines else None, "forced": list(edit.forced)}
                for edit in change.edits
            ],
        }
        for change in entry.record.files
    ]
    return {"state": str(entry.state), "undoes": list(entry.record.undoes), "files": files}


def _of_note(happening: Happening, note: Note) -> Event:
    body = note.body
    name = _OF_NOTES.get(note.type, "note")
    path = _text(body, "path")
    taken = (*_WHO, "path", "lines", "reason", "id")
    rest = {key: value for key, value in body.items() if key not in taken}
    return Event(
        happening.seq,
        happening.time,
        name,
        _text(body, "actor"),
        _text(body, "task"),
        _text(body, "tool"),
        () if path is None else (path,),
        ranges_of(body.get("lines")),
        _text(body, "reason"),
        _text(body, "conflict") if name == "resolved" else _text(body, "id"),
        _told(name, note),
        {"note": note.type, **rest} if name == "note" else rest,
    )


def _told(type: str, note: Note) -> str:
    """A note in words; what is said of lines and of the reason stands beside it."""
    body = note.body
    match type:
        case "refusal":
            return f"{_text(body, 'kind') or 'refused'}: {_text(body, 'message') or ''}"
        case "conflict":
            return f"stands on what {_others(body)} changed"
        case "resolved":
            record = _text(body, "record")
            return f"{_text(body, 'how') or 'resolved'}{f' as {record}' if record else ''}"
        case "outside":
            return "changed outside Steadyhand"
        case "lease":
            seconds = body.get("seconds")
            return "is about to work here" + (f" for {seconds:g} s" if isinstance(seconds, int | float) else "")
        case "lease-end":
            return "no longer works here"
        case "task":
            return _text(body, "end") or "ended"
    return f"{note.type}: {_text(body, 'message') or 'see the details'}"


def _others(body: Mapping[str, object]) -> str:
    others = body.get("with")
    names = [name_of(other) for other in others if isinstance(other, dict)] if isinstance(others, list) else []
    return " and ".join(dict.fromkeys(names)) or "others"


def _text(body: Mapping[str, object], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None
