"""What the journal keeps of a layer of held work: notes, read strictly.

The notes of a layer have a type of their own, which names whose layer it is, and are numbered, so that one that is
missing or damaged is noticed. There are three.

- `Held`: a change that a task (or, while it reviews, a person) made to the layer: a record like any other, with what
  has become of the disk in the meantime.
- `Moved`: what a record is about to do to the disk, and what that leaves of the layer. The note comes first, and counts
  if and only if its record was committed.
- `Emptied`: nothing is held any more. What is older is history.

What they say has happened to a held file, in its order, is a list of events; `net_change` is what all of it comes to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet, settled
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.codec import (
    Json,
    as_list,
    as_number,
    as_object,
    as_text,
    change_from_json,
    change_to_json,
    record_from_json,
    record_to_json,
    state_from_json,
    state_to_json,
)
from steadyhand.workspace.journal.record import HELD, Entry, FileChange, FileState, Note, Record, State, is_record_id

TASK: Final = "task:"
ACTOR: Final = "actor:"

Body = dict[str, object]


def group_of_party(actor: str, task: str | None) -> str:
    """Whose work it is: a task's or, without one, an actor's."""
    return f"{TASK}{task}" if task is not None else f"{ACTOR}{actor}"


def type_of(group: str) -> str:
    """The type of the notes of a group's layer."""
    return HELD + group


@dataclass(frozen=True, slots=True)
class By:
    """Who changed the disk under a layer, as far as one record says so."""

    seq: int
    record: Record  # without its files


@sized("base", "held")
@dataclass(frozen=True, slots=True)
class Carried:
    """The disk changed under a held file: its base is another version, and the held text has the change too.

    `base` leads from the base to the version on the disk, `held` from the held version to the one that has both.
    """

    base: FileChange
    held: FileChange | None
    by: By | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a change of the layer says of one of its files.

    `name` is the file's in the layer. `entered`: it was not in the layer before; then `base` is what the disk had, None
    where nothing was, and `since` the row that was the last one then.
    """

    name: str
    entered: bool = False
    base: FileState | None = None
    since: int = 0
    carried: Carried | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A change of the layer; `facts` are those of the record's files, in their order."""

    seq: int
    number: int
    record: Record
    facts: tuple[Facts, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """What a record does to the base of a held file, which stays as it is otherwise.

    `base` is that change; `carried` what the disk had gained before. `entering`: the file was not in the layer, and
    `base` takes away what this record had put on the disk; it is held again.
    """

    name: str
    base: FileChange
    carried: Carried | None = None
    entering: Record | None = None
    since: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """What the record `id` does to the disk, for the layer. `step` is what it changes in the layer, if anything."""

    seq: int
    number: int
    id: str
    moves: tuple[Move, ...]
    disk: tuple[tuple[str, str | None], ...]  # the files on the disk after it, by path
    step: Record | None = None


@dataclass(frozen=True, slots=True)
class Emptied:
    """Nothing is held."""

    seq: int
    number: int


AnyNote = Held | Moved | Emptied


def held_body(group: str, number: int, record: Record, facts: Sequence[Facts], images: Sequence[str]) -> Body:
    """The body of a `Held`; `images` are the whole files that it needs, by digest."""
    return {
        "group": group, "number": number, "kind": "held", **_who(record), "path": record.files[0].path,
        "record": record_to_json(record), "files": [_facts(each) for each in facts], "images": list(images),
    }  # fmt: skip


def moved_body(
    group: str,
    number: int,
    id: str,
    moves: Sequence[Move],
    disk: Sequence[tuple[str, str | None]],
    step: Record | None,
    images: Sequence[str],
) -> Body:
    """The body of a `Moved`."""
    return {
        "group": group, "number": number, "kind": "moved", "id": id, "moves": [_move(each) for each in moves],
        "disk": [list(each) for each in disk], "step": None if step is None else record_to_json(step),
        "images": list(images),
    }  # fmt: skip


def emptied_body(group: str, number: int) -> Body:
    """The body of an `Emptied`."""
    return {"group": group, "number": number, "kind": "emptied", "images": []}


def read_note(note: Note) -> AnyNote:
    """The inverse; ValueError on anything else."""
    body = note.body
    number = _number(body.get("number"))
    match body.get("kind"):
        case "held":
            record, facts = record_from_json(body.get("record")), tuple(map(_read_facts, as_list(body.get("files"))))
            if len(facts) != len(record.files):
                raise ValueError("a held change does not say where each of its files is")
            return Held(note.seq, number, record, facts)
        case "moved":
            name, step = body.get("id"), body.get("step")
            if not isinstance(name, str) or not is_record_id(name):
                raise ValueError("a move of held work names no record")
            return Moved(
                note.seq, number, name, tuple(map(_read_move, as_list(body.get("moves")))),
                tuple(map(_read_disk, as_list(body.get("disk")))), None if step is None else record_from_json(step),
            )  # fmt: skip
        case "emptied":
            return Emptied(note.seq, number)
    raise ValueError("not a note of held work")


def is_emptied(note: Note) -> bool:
    """Whether a note says that nothing is held."""
    return note.body.get("kind") == "emptied"


def _who(record: Record) -> Body:
    return {"id": record.id, "actor": record.actor, "task": record.task, "tool": record.tool, "reason": record.reason}


def _facts(facts: Facts) -> Body:
    said: Body = {"name": facts.name}
    if facts.entered:
        said |= {"entered": True, "since": facts.since, "base": state_to_json(facts.base)}
    if facts.carried is not None:
        said["carried"] = _carried(facts.carried)
    return said


def _carried(carried: Carried) -> Body:
    by = carried.by
    return {
        "base": change_to_json(carried.base),
        "held": None if carried.held is None else change_to_json(carried.held),
        "by": None if by is None else {"seq": by.seq, "record": record_to_json(by.record)},
    }


def _move(move: Move) -> Body:
    said: Body = {"name": move.name, "base": change_to_json(move.base)}
    if move.carried is not None:
        said["carried"] = _carried(move.carried)
    if move.entering is not None:
        said |= {"entering": record_to_json(move.entering), "since": move.since}
    return said


def _read_facts(value: object) -> Facts:
    said = as_object(value)
    base, carried = said.get("base"), said.get("carried")
    return Facts(
        as_text(said.get("name")), said.get("entered") is True, None if base is None else state_from_json(base),
        _number(said.get("since", 0)), None if carried is None else _read_carried(as_object(carried)),
    )  # fmt: skip


def _read_carried(said: Json) -> Carried:
    held, by = said.get("held"), said.get("by")
    who = None if by is None else as_object(by)
    return Carried(
        change_from_json(said.get("base")),
        None if held is None else change_from_json(held),
        None if who is None else By(_number(who.get("seq")), record_from_json(who.get("record"))),
    )


def _read_move(value: object) -> Move:
    said = as_object(value)
    entering, carried = said.get("entering"), said.get("carried")
    return Move(
        as_text(said.get("name")), change_from_json(said.get("base")),
        None if carried is None else _read_carried(as_object(carried)),
        None if entering is None else record_from_json(entering), _number(said.get("since", 0)),
    )  # fmt: skip


def _read_disk(value: object) -> tuple[str, str | None]:
    match value:
        case [str(path), (str() | None) as digest]:
            return path, digest
    raise ValueError("not a file of the disk")


def _number(value: object) -> int:
    number = as_number(value)
    if number < 0:
        raise ValueError("a number is not negative")
    return number


@dataclass(frozen=True, slots=True)
class Step:
    """A change of a held text: the task's or its reviewer's own, or one of the disk that was brought in."""

    entry: Entry
    change: FileChange
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class Origin:
    """A change on the disk that was taken back there and is held again."""

    entry: Entry
    change: FileChange


@dataclass(frozen=True, slots=True)
class Rebase:
    """The base became another version, and the held text was changed alike; `step` is that as somebody's change."""

    carried: Carried
    step: Step | None


@dataclass(frozen=True, slots=True)
class BaseMove:
    """The base became another version, and the held text stayed as it was."""

    base: FileChange


Event = Step | Origin | Rebase | BaseMove


def step_of(carried: Carried) -> Step | None:
    """What was brought into a held text, as a change of whoever is known to have made it on the disk."""
    if carried.held is None or carried.by is None:
        return None
    record = replace(carried.by.record, files=(carried.held,))
    return Step(Entry(carried.by.seq, record, State.COMMITTED), carried.held, is_own=False)


def net_change(events: Iterable[Event]) -> ChangeSet:
    """What leads from the base of a file to what is held, as it was made. ValueError where that is not known."""
    pending: list[ChangeSet] = []
    net = ChangeSet()
    for event in events:
        match event:
            case Step():
                pending.append(_known(event.change))
            case Origin():
                continue
            case BaseMove():
                net = _without(net.compose(_composed(pending)), event.base)
                pending = []
            case Rebase():
                net = net.compose(_composed(pending))
                pending = []
                over = _known(event.carried.base)
                held = ChangeSet() if event.carried.held is None else _known(event.carried.held)
                moved = net.rebase(over) if held else over.invert().compose(net)
                net = moved if isinstance(moved, ChangeSet) else over.invert().compose(net).compose(held)
    return settled(net.compose(_composed(pending))).trim()


def last_move(events: Sequence[Event]) -> FileChange | None:
    """What the base became when it moved last and the held text stayed as it was."""
    return next((event.base for event in reversed(events) if isinstance(event, BaseMove)), None)


def taken_out(moved: ChangeSet, events: Sequence[Event], version: str, held: str) -> ChangeSet:
    """What takes the last move of the base out of the held text, from `version`, the base before it.

    ValueError where that is not a part by itself of what leads from there to the held text.
    """
    last = max(at for at, event in enumerate(events) if isinstance(event, BaseMove))
    net = net_change([*events[:last], *events[last + 1 :]])
    sides = zip(net.splices, net.invert().splices, strict=True)
    back = ChangeSet(tuple(there for here, there in sides if here in moved.splices))
    if len(back.splices) < len(moved.splices) or net.apply(version) != held:
        raise ValueError("the held text is made of something else")
    return back


def _without(net: ChangeSet, base: FileChange) -> ChangeSet:
    """A net change from another base, to the same text: what the base has of it is no part of it."""
    moved = _known(base)
    rest = [splice for splice in net.splices if splice not in moved.splices]
    if len(rest) + len(moved.splices) == len(net.splices):
        over = ChangeSet(tuple(rest)).rebase(moved)
        if isinstance(over, ChangeSet):
            return over
    return settled(moved.invert().compose(net))


def _composed(changes: Sequence[ChangeSet]) -> ChangeSet:
    if not changes:
        return ChangeSet()
    if len(changes) == 1:
        return changes[0]
    middle = len(changes) // 2
    return _composed(changes[:middle]).compose(_composed(changes[middle:]))


def _known(change: FileChange) -> ChangeSet:
    if change.before is not None and change.after is not None and change.before.digest == change.after.digest:
        return ChangeSet()
    if change.changes is None:
        raise ValueError("no splices say what was done")
    return change.changes
