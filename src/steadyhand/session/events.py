"""Events as they come: those the journal has, and, for whoever follows, those that it gains.

Reads only. Following asks the journal again and again, for no store reports by itself.

1. Events come in the order of the journal, each once; the next call goes on after the `seq` of the last.
2. A journal that does not exist yet is waited for and not made.
3. A journal that is busy or cannot be reached is asked again for as long as somebody follows; without `follow` it
   refuses as it does everywhere.
4. A note may have been written by another version of Steadyhand: a field of an unexpected type counts as absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import Action, EditError, Kind
from steadyhand.hints import OpenForWriting, Say
from steadyhand.lazy import dataclass, field, replace
from steadyhand.schema import fields_as_json
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.session.conflicts import names_of
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.codec import record_from_json
from steadyhand.workspace.journal.record import HELD, Entry, FileChange, Happening, Note, State, pair, word

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import AnyStore


TYPES = tuple("edit undo redo held refusal conflict resolved outside lease lease-end task note".split())
"""The types of events; `note` is whatever else the journal holds, such as what recovery met."""

_OF_NOTES = {"conflict-resolved": "resolved", **{name: name for name in TYPES[4:] if name not in ("resolved", "note")}}
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
        return fields_as_json(self)


def event_of(happening: Happening) -> Event:
    """What those who watch see of a row."""
    if isinstance(happening.what, Entry):
        return _of_entry(happening, happening.what)
    return _of_note(happening, happening.what)


def ranges_of(value: object) -> tuple[tuple[int, int], ...]:
    """Line ranges as a note tells them: one pair, or several; anything else is none.

    >>> ranges_of([3, 5]), ranges_of([[1, 1], [4, 9]]), ranges_of("?")
    (((3, 5),), ((1, 1), (4, 9)), ())
    """
    found = pair(value)
    if found is not None:
        return (found,)
    parts = value if isinstance(value, list) else ()
    return tuple(each for item in parts if isinstance(item, list) for each in ranges_of(item))


def _of_entry(happening: Happening, entry: Entry) -> Event:
    record = entry.record
    lines = [edit.lines for change in record.files for edit in change.edits if edit.lines]
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
    return Event(
        happening.seq,
        happening.time,
        record.verb,
        record.actor,
        record.task,
        record.tool,
        record.paths,
        tuple(lines) if len(record.files) == 1 else (),
        record.reason or next((edit.reason for change in record.files for edit in change.edits if edit.reason), None),
        record.id,
        _done(entry),
        {"state": str(entry.state), "undoes": list(entry.record.undoes), "files": files},
    )


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


def _of_note(happening: Happening, note: Note) -> Event:
    body = note.body
    name = _OF_NOTES.get(note.type, "note")
    if note.type.startswith(HELD):
        return _of_held(happening, body)
    path = word(body, "path")
    taken = (*_WHO, "path", "lines", "reason", "id", "changes")  # what files hold stays out of events
    rest = {key: value for key, value in body.items() if key not in taken}
    return Event(
        happening.seq,
        happening.time,
        name,
        word(body, "actor"),
        word(body, "task"),
        word(body, "tool"),
        _named_in(body) if path is None else (path,),
        ranges_of(body.get("lines")),
        word(body, "reason"),
        word(body, "conflict") if name == "resolved" else word(body, "id"),
        _summary(name, note),
        {"note": note.type, **rest} if name == "note" else rest,
    )


def _named_in(body: Mapping[str, object]) -> tuple[str, ...]:
    """The files of a note about several changes, such as a decision of a review."""
    changes = body.get("changes")
    paths = [word(item, "path") for item in changes if isinstance(item, dict)] if isinstance(changes, list) else []
    return tuple(dict.fromkeys(path for path in paths if path is not None))


def _of_held(happening: Happening, body: Mapping[str, object]) -> Event:
    """What became of held work; what it says stays out of events."""
    try:
        record = record_from_json(body.get("record"))
    except ValueError:
        words = {"moved": "held work is decided", "emptied": "nothing is held now"}
        message = words.get(str(body.get("kind")), "see the journal")
        return Event(happening.seq, happening.time, "note", message=message, details={"group": body.get("group")})
    event = _of_entry(happening, Entry(happening.seq, record, State.COMMITTED))
    details = {**event.details, "state": "held", "verb": record.verb}
    return replace(event, type="held", message=f"held for review: {event.message}", details=details)


def _summary(type: str, note: Note) -> str:
    """A note in words; lines and the reason are shown beside it."""
    body = note.body
    match type:
        case "refusal":
            return f"{word(body, 'kind') or 'refused'}: {word(body, 'message') or ''}"
        case "conflict":
            others = body.get("with")
            named = [other for other in others if isinstance(other, dict)] if isinstance(others, list) else []
            return f"touches what {names_of(named)} changed"
        case "resolved":
            record = word(body, "record")
            return f"{word(body, 'how') or 'resolved'}{f' as {record}' if record else ''}"
        case "outside":
            return "changed outside the journal"
        case "lease":
            seconds = body.get("seconds")
            return "is about to work here" + (f" for {seconds:g} s" if isinstance(seconds, int | float) else "")
        case "lease-end":
            return "no longer works here"
        case "task":
            return word(body, "end") or "ended"
    return f"{note.type}: {word(body, 'message') or 'see the details'}"


T = TypeVar("T")

_PAGE = 200
_NAP = 0.2  # seconds after which `stop` is asked at the latest

Stop = Callable[[], bool]


def events(
    store: AnyStore,
    *,
    after: int | None = None,
    follow: bool = False,
    types: Sequence[str] | None = None,
    task: str | None = None,
    actor: str | None = None,
    path: AnyPath | None = None,
    poll: float = 0.2,
    stop: Stop | None = None,
) -> Iterator[Event]:
    """Edits, conflicts, refusals and the rest, oldest first; see `Workspace.events`."""
    wanted = _Wanted.of(store, types, task, actor, path)
    checks.amount(poll, "poll")
    if after is not None:
        checks.amount(checks.line_number(after), "after")
    if not follow:
        return _Watch(store, wanted, poll, _never).known(after or 0)
    if store.read_only and store.location.url is None:
        raise EditError(
            Kind.READ_ONLY,
            "a read-only workspace reads a copy of the journal, which does not grow",
            hint=(OpenForWriting(" to follow, which changes no file"), Say("ask without follow")),
        )
    watch = _Watch(store, wanted, poll, stop or _never)
    return watch.follow(watch.start() if after is None else after)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which events are asked for; None asks for nothing."""

    types: tuple[str, ...] | None = None
    task: str | None = None
    actor: str | None = None
    paths: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, store: AnyStore, types: Sequence[str] | None, task: str | None, actor: str | None, path: AnyPath | None
    ) -> _Wanted:
        names = None if types is None else checks.names(types, "types")
        for name in names or ():
            checks.one_of(name, "types", TYPES)
        paths = None if path is None else _spellings(store, checks.path_of(path))
        return cls(names, checks.remark(task, "task"), checks.remark(actor, "actor"), paths)

    def fits(self, event: Event) -> bool:
        return (
            (self.types is None or event.type in self.types)
            and (self.task is None or event.task == self.task)
            and (self.actor is None or event.actor == self.actor)
            and (self.paths is None or any(_lies_in(path, self.paths) for path in event.paths))
        )


def _spellings(store: AnyStore, path: str) -> tuple[str, ...]:
    """A path as it was given, as refusals tell it, and where it leads, as records do; the root holds everything."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts and not path.startswith("/"):
        return ("",)
    return tuple(dict.fromkeys(("/".join(parts), store.resolve(path.rstrip("/") or path))))


def _lies_in(path: str, places: Sequence[str]) -> bool:
    return any(not place or path == place or path.startswith(f"{place}/") for place in places)


@dataclass(frozen=True, slots=True)
class _Watch:
    """One caller's way through the journal."""

    store: AnyStore
    wanted: _Wanted
    poll: float
    stop: Stop

    def start(self) -> int | None:
        """The last row now; None where it cannot be known yet, and following begins when it can."""
        return _if_reached(lambda: self.store.journal.head() if self.store.state.exists else 0)

    def known(self, after: int) -> Iterator[Event]:
        """What the journal has."""
        while page := self._page(after):
            yield from (event for event in page if self.wanted.fits(event))
            after = page[-1].seq

    def follow(self, after: int | None) -> Iterator[Event]:
        """What it has after a row, and what it gains."""
        while not self.stop():
            after = self.start() if after is None else after
            page = None if after is None else _if_reached(partial(self._page, after))
            for event in page or ():
                after = event.seq
                if self.wanted.fits(event):
                    yield event
                    if self.stop():
                        return
            if not page:
                self._wait()

    def _page(self, after: int) -> list[Event]:
        if self.store.sandbox.is_closed:
            raise EditError(Kind.BAD_REQUEST, "the workspace is closed", hint="open it again")
        if not self.store.state.exists:
            return []
        return [event_of(found) for found in self.store.journal.happened(after_seq=after, limit=_PAGE)]

    def _wait(self) -> None:
        import time

        end = time.monotonic() + self.poll
        while (left := end - time.monotonic()) > 0 and not self.stop():
            time.sleep(min(left, _NAP))


def _if_reached(ask: Callable[[], T]) -> T | None:
    """What the journal answers; None where it may answer in a moment."""
    try:
        return ask()
    except EditError as error:
        if error.kind.action is not Action.RETRY_LATER:
            raise
        return None


def _never() -> bool:
    return False
