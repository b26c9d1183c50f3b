"""The dullest workspace there could be: files with numbered slots, and a log that is replayed from the start.

A file is a header line and a fixed number of slots; a slot holds some whole lines or nothing. Every line ever
written is unique, so a slot tells by itself who filled it. An edit fills one slot and remembers what was there.
Taking records back is replaying the log without them: where that makes no sense there is no answer (`None`), and the
real workspace must refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class File:
    """A file under one identity, whatever it is called now; `path` None: deleted or not yet there."""

    path: str | None
    newline: str
    slots: tuple[str, ...]
    mode: int

    @property
    def text(self) -> str:
        return "".join(self.slots)

    @property
    def data(self) -> bytes:
        return self.text.encode()


World = Mapping[int, File]


@dataclass(frozen=True)
class Fill:
    id: int
    slot: int
    old: str
    new: str


@dataclass(frozen=True)
class Mode:
    id: int
    old: int
    new: int


@dataclass(frozen=True)
class Move:
    id: int
    old: str
    new: str


@dataclass(frozen=True)
class Born:
    id: int
    file: File


@dataclass(frozen=True)
class Gone:
    id: int


Step = Fill | Mode | Move | Born | Gone


@dataclass
class Event:
    """A record of the journal, or (`record` None) something that happened outside it."""

    record: str | None
    steps: tuple[Step, ...] = ()
    undoes: tuple[str, ...] = ()
    task: str | None = None
    is_undo: bool = False


@dataclass
class Model:
    """What the tree and the journal should be."""

    start: dict[int, File]
    log: list[Event] = field(default_factory=list)

    @property
    def records(self) -> list[Event]:
        return [event for event in self.log if event.record is not None]

    def standing(self, without: Iterable[str] = ()) -> set[str]:
        """Records that no standing record takes back; `without` are treated as taken back."""
        gone = set(without)
        found: set[str] = set()
        for event in reversed(self.log):
            if event.record is not None and event.record not in gone:
                found.add(event.record)
                gone.update(event.undoes)
        return found

    def replay(self, without: Iterable[str] = ()) -> World | None:
        """The tree without these records; None where what is left does not fit together."""
        standing = self.standing(without)
        world: dict[int, File] = dict(self.start)
        for event in self.log:
            if event.record is None or event.record in standing:
                for step in event.steps:
                    if not _do(world, step):
                        return None
        paths = [file.path for file in world.values() if file.path is not None]
        return world if len(paths) == len(set(paths)) else None

    def touched(self, event: Event) -> set[int]:
        """The files an event is about, also through what it takes back."""
        found = {step.id for step in event.steps}
        for undone in self.records:
            if undone.record in event.undoes:
                found |= self.touched(undone)
        return found

    def names_of(self, number: int | None) -> set[str | None]:
        """Every name a file has ever had."""
        steps = [step for event in self.log for step in event.steps if step.id == number]
        moves = {step.new for step in steps if isinstance(step, Move)}
        births = {step.file.path for step in steps if isinstance(step, Born)}
        return moves | births | {file.path for key, file in self.start.items() if key == number}

    def is_newest_everywhere(self, ids: Iterable[str]) -> bool:
        """Whether nothing has happened to the files of these records since."""
        wanted = set(ids)
        first = next(row for row, event in enumerate(self.log) if event.record in wanted)
        files = set().union(*(self.touched(event) for event in self.log if event.record in wanted))
        later = [event for event in self.log[first:] if event.record not in wanted]
        return not any(files & self.touched(event) for event in later)


def _do(world: dict[int, File], step: Step) -> bool:
    """Carry out one step; False where it makes no sense."""
    if isinstance(step, Born):
        world[step.id] = step.file
        return True
    file = world.get(step.id)
    if file is None or file.path is None:
        return not isinstance(step, Fill)  # a name or a mode of nothing is nothing
    match step:
        case Fill():
            if file.slots[step.slot] != step.old:
                return False
            slots = (*file.slots[: step.slot], step.new, *file.slots[step.slot + 1 :])
            world[step.id] = replace(file, slots=slots)
        case Mode():
            if file.mode != step.old:
                return False
            world[step.id] = replace(file, mode=step.new)
        case Move():
            if file.path != step.old:
                return False
            world[step.id] = replace(file, path=step.new)
        case Gone():
            world[step.id] = replace(file, path=None)
    return True
