"""What happens to a held file, in its order, and what all of it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet, settled
from steadyhand.workspace.held.notes import Carried
from steadyhand.workspace.journal.record import Entry, FileChange, State


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
