"""What was decided, as the journal's notes have it: which decisions are in force, and about which changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from steadyhand.lazy import dataclass, field, replace
from steadyhand.session.review.change import Feedback, ReviewChange, State
from steadyhand.session.review.hunks import Hunk, Status
from steadyhand.workspace.held.notes import group_of_party
from steadyhand.workspace.journal.record import Entry, Note, Record, word

TOOLSET = "review"


@dataclass(frozen=True, slots=True)
class Said:
    """A note of a review. `items` has what was known of each change then."""

    seq: int
    time: str
    id: str
    state: str
    group: str
    by: str
    remark: str | None
    items: tuple[Mapping[str, object], ...]
    of: str | None = None  # the decision that this one takes back
    whole: str | None = None  # the decision that this is one task's part of
    held: bool = False  # what it is about was held


def group_of(record: Record) -> str:
    """Whose work a record is: a task's or, without one, an actor's. A reviewer's record is part of what it is about."""
    if record.call is not None and record.call.toolset == TOOLSET:
        return record.call.conversation
    return group_of_party(record.actor, record.task)


def is_review(record: Record) -> bool:
    """Whether a reviewer made the record."""
    return record.call is not None and record.call.toolset == TOOLSET


@dataclass(slots=True)
class Verdicts:
    """What was decided about the changes of one group, oldest first."""

    said: list[Said]
    records: Mapping[str, Entry]
    _last: dict[str, Said] = field(default_factory=dict)
    _comments: dict[str, list[str]] = field(default_factory=dict)
    _known: dict[str, set[tuple[str, str]]] = field(default_factory=dict)  # by record, what was decided: id and before
    _texts: set[tuple[object, object]] = field(default_factory=set)  # of what was rejected

    def __post_init__(self) -> None:
        for said in self.said:
            for item in said.items:
                name = str(item.get("id"))
                if said.state == "commented":
                    self._comments.setdefault(name, []).append(said.remark or "")
                    continue
                self._last[name] = said
                if said.state == "rejected":
                    self._texts.add((item.get("before"), item.get("after")))
                for record in self._made_by(said, item):
                    self._known.setdefault(record, set()).add((name, word(item, "before") or ""))

    def _made_by(self, said: Said, item: Mapping[str, object]) -> list[str]:
        """The records of the text that was decided for."""
        if said.state == "amended":
            return [self.records[said.id].record.id]
        records = item.get("records")
        return list(map(str, records)) if isinstance(records, list) and said.state == "accepted" else []

    def on(self, change: ReviewChange, entries: Sequence[Entry], present: AbstractSet[str]) -> ReviewChange:
        """The change with what was decided about it; `entries` had a hand in it, oldest first.

        `present` are the ids of all changes that there are: what was decided about one of them was not about this one.
        """
        change = replace(change, comments=tuple(self._comments.get(change.id, ())))
        if change.held:  # what is decided about is held no more
            return change
        said = self._last.get(change.id)
        if said is not None and said.state == "accepted":
            return replace(change, state="accepted", by=said.by, remark=said.remark)
        for entry in reversed(entries):
            if not is_review(entry.record):
                break
            call = entry.record.call
            said = next((each for each in self.said if call is not None and each.id == call.id), None)
            if said is not None and said.state == "rejected":  # it only brought text back, here or beside it
                continue
            state: State = "accepted" if said is not None and said.state == "accepted" else "amended"
            by = entry.record.actor if said is None else said.by
            return replace(change, state=state, by=by, remark=None if said is None else said.remark)
        known = {each for entry in entries for each in self._known.get(entry.record.id, ())}
        if len(entries) > 1 and any(name not in present and before in change.before for name, before in known):
            return replace(change, flags=(*change.flags, "changed"))
        return change

    def happened(self, hunk: Hunk) -> Iterator[str]:
        """What happened to a hunk that matters to whoever decides about it."""
        if hunk.is_overlapped:
            yield "overlapped"
        if (hunk.before, hunk.after) in self._texts:
            yield "again"

    def rejected(self, path: str | None, since: str | None) -> Iterator[ReviewChange]:
        """What was taken back, as it was then."""
        for said in self.said:
            for item in said.items if said.state == "rejected" and said.id in self.records else ():
                place = word(item, "path") or ""
                if path is not None and place != path and not place.startswith(f"{path}/"):
                    continue
                if since is None or said.time >= since:
                    yield _rejected(said, item)


def item_of(change: ReviewChange) -> dict[str, object]:
    """What a note keeps of a change that was decided about."""
    facts = change.to_json()
    return {
        name: facts[name]
        for name in ("id", "path", "status", "lines", "before", "after", "reason", "actor", "task", "tool", "model",
                     "tier", "time", "records")
    }  # fmt: skip


def read_note(note: Note) -> Said | None:
    """A note of another version may lack a field or have one of another type: then it counts for nothing."""
    body = note.body
    name, state, group = (word(body, key) for key in ("decision", "state", "group"))
    items = body.get("changes")
    if name is None or state is None or group is None or not isinstance(items, list):
        return None
    kept = tuple(item for item in items if isinstance(item, dict))
    return Said(
        note.seq, note.time, name, state, group, word(body, "actor") or "", word(body, "remark"), kept,
        word(body, "of"), word(body, "whole"), body.get("held") is True,
    )  # fmt: skip


def _rejected(said: Said, item: Mapping[str, object]) -> ReviewChange:
    records = item.get("records")
    return ReviewChange(
        word(item, "id") or "", word(item, "path") or "", _status(item), None,
        word(item, "before") or "", word(item, "after") or "", word(item, "reason"), word(item, "actor") or "",
        word(item, "task"), word(item, "tool") or "", word(item, "model"), word(item, "tier"),
        word(item, "time") or said.time, tuple(map(str, records)) if isinstance(records, list) else (),
        state="rejected", by=said.by, remark=said.remark,
    )  # fmt: skip


def _status(item: Mapping[str, object]) -> Status:
    known: dict[str, Status] = {
        "created": "created", "deleted": "deleted", "renamed": "renamed", "mode": "mode", "binary": "binary",
        "hidden": "hidden",
    }  # fmt: skip
    return known.get(word(item, "status") or "", "edited")


def _lines(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
        case _:
            return None


def feedback_of(said: Said, item: Mapping[str, object], here: ReviewChange | None, made: Entry | None) -> Feedback:
    """What a task hears of a decision. `here` is the change as it is now, `made` the record of the decision."""
    lines = here.lines if here is not None else _lines(item.get("lines"))
    return Feedback(
        word(item, "id") or "", word(item, "path") or "" if here is None else here.path, lines, said.state,
        said.remark, word(item, "before") or "", word(item, "after") or "",
        here.after if here is not None and made is not None else None, word(item, "reason"), said.by, said.time,
    )  # fmt: skip
