"""The layer of held work of one task: its files, what they were made of, and what the task sees of each.

A held file has a base, the version of the disk that it is about, and what is held in its place; either may be no file.
Whatever the disk gains in the meantime is brought into the held text, as long as nobody changed the same lines: then
the base is the version on the disk. Where somebody did, the base stays the one that both sides know.

1. The notes in the journal are the only record; everything here is computed from them.
2. The notes are numbered, and each change begins where the last one ended: what is damaged is noticed and refused.
3. A move counts if its record was committed. While that is yet to be seen, the disk decides: a file that is as the
   record would leave it was moved.
4. A held text is the base with the net change of the file, before and after everything that is done to either.
"""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.text.changeset import Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.merge import joined
from steadyhand.text.source import Source
from steadyhand.text.visible import sized
from steadyhand.workspace.files.sandbox import FileImage
from steadyhand.workspace.held.notes import (
    BaseMove,
    By,
    Carried,
    Emptied,
    Event,
    Held,
    Move,
    Moved,
    Origin,
    Rebase,
    Step,
    group_of_party,
    is_emptied,
    last_move,
    read_note,
    step_of,
    taken_out,
    type_of,
)
from steadyhand.workspace.history.file_history import LastUsed, replay
from steadyhand.workspace.journal.log import damaged
from steadyhand.workspace.journal.record import Entry, FileChange, FileState, Note, Record, State
from steadyhand.workspace.journal.store import Journal

_ROOM: Final = 32 << 20
_SNAPSHOT_AFTER: Final = 50  # changes that are replayed at most to have a held text


@sized("data")
@dataclass(frozen=True, slots=True)
class Seen:
    """A held file as its task sees it, with what the disk has. `carried` is what was brought in and is not noted yet.

    `is_clash`: the disk and the task changed the same; then the task sees its own.
    """

    data: bytes | None
    digest: str | None
    mode: int
    carried: Carried | None = None
    is_clash: bool = False


@dataclass(slots=True)
class HeldFile:
    """A file of the layer. `since` is the row that was last when it entered: what is newer on the disk is not its past.

    `depth` counts the changes since its text was last kept as a whole.
    """

    name: str
    base: FileState | None
    held: FileState | None
    since: int
    events: list[Event] = field(default_factory=list)
    depth: int = 0
    virtual: Step | None = None  # what was brought in when it was last looked at, and is not noted yet
    known: tuple[object, Seen] | None = None  # what was last seen of it, and of which disk

    @property
    def path(self) -> str:
        """Where it is in the layer; where it was, if it is gone there; empty where it is nowhere."""
        state = self.held or self.base
        return "" if state is None else state.path

    @property
    def is_clean(self) -> bool:
        """Whether nothing is held of it."""
        return _plain(self.base) == _plain(self.held)

    @property
    def steps(self) -> Iterator[Step]:
        """The changes of its text, oldest first."""
        for event in self.events:
            step = event.step if isinstance(event, Rebase) else event
            if isinstance(step, Step):
                yield step


class Layer:
    """What one group holds. Thread-safe; `refresh` takes in what others have noted."""

    def __init__(self, journal: Journal, group: str) -> None:
        self.journal = journal
        self.group = group
        self._guard = threading.RLock()
        self._type = type_of(group)
        self._kept = LastUsed(_ROOM)
        self.seq = 0
        self.number = 0
        self.pending: Moved | None = None
        self._empty()

    def _empty(self) -> None:
        self.files: dict[str, HeldFile] = {}
        self._entries: dict[str, Entry] = {}
        self._at: dict[str, str] = {}
        self._from: dict[str, str] = {}
        self._steps: dict[str, list[Step]] = {}
        self._since: dict[str, int] = {}
        self._undoers: dict[str, list[str]] = {}
        self._made: dict[str, FileChange] = {}

    # What the journal says

    def refresh(self) -> None:
        """Take in what the journal has gained. Refuses with `journal-damaged` what cannot be read."""
        with self._guard:
            newest = self.journal.newest_note(self._type)
            if newest > self.seq:
                for note in self._new_notes():
                    self._take(note)
                if self.seq < newest:  # it may be more: others go on while the notes are read
                    raise _damaged(newest)
            if self.pending is not None:
                self._decide(is_last=True)

    def _new_notes(self) -> list[Note]:
        """The notes that are not known yet, oldest first, from where nothing was held."""
        size = 8
        while True:
            found: list[Note] = []
            for note in self.journal.notes(type=self._type, limit=size):
                if note.seq <= self.seq:
                    return found[::-1]
                found.append(note)
                if is_emptied(note):
                    return found[::-1]
            if len(found) < size:
                return found[::-1]
            size *= 8

    def _take(self, note: Note) -> None:
        try:
            known = read_note(note)
        except ValueError:
            raise _damaged(note.seq) from None
        if self.pending is not None:
            self._decide(is_last=False)
        if known.number != self.number + 1 and not isinstance(known, Emptied):
            raise _damaged(note.seq)
        match known:
            case Held():
                self._hold(known)
            case Moved():
                self.pending = known
            case Emptied():
                self._empty()
        self.seq, self.number = note.seq, known.number

    def _decide(self, *, is_last: bool) -> None:
        """Whether a move counts; one behind which there are notes is decided in any case."""
        moved = self.pending
        assert moved is not None
        state = None
        try:
            state = self.journal.find(moved.id).state
        except EditError as error:
            if error.kind is Kind.JOURNAL_DAMAGED:
                raise
        if state in (State.COMMITTED, State.PARTIAL):
            self.pending = None
            self._move(moved)
        elif state is State.ABORTED or not is_last:
            self.pending = None

    def _hold(self, held: Held) -> None:
        record = held.record
        entry = Entry(held.seq, record, State.COMMITTED)
        for change, facts in zip(record.files, held.facts, strict=True):
            if facts.entered:
                entered = self.files[facts.name] = HeldFile(facts.name, facts.base, facts.base, facts.since)
                self._begin_all(entered, change)
            file = self.files.get(facts.name)
            if file is None:
                raise _damaged(held.seq)
            if facts.carried is not None:
                self._carry(file, facts.carried, held.seq)
            if _plain(change.before) != _plain(file.held):
                raise _damaged(held.seq)
            self._add(file, Step(entry, change))
            self._place(file, change.after)
        self._record(record, entry)

    def _record(self, record: Record, entry: Entry) -> None:
        self._entries[record.id] = entry
        for undone in record.undoes:
            self._undoers.setdefault(undone, []).append(record.id)

    def _carry(self, file: HeldFile, carried: Carried, seq: int) -> None:
        if _plain(carried.base.before) != _plain(file.base):
            raise _damaged(seq)
        step = step_of(carried)
        file.events.append(Rebase(carried, step))
        self._derive(carried.base)
        if carried.held is not None:
            self._derive(carried.held)
        if step is not None:
            self._note(file, step)
        self._rebase(file, carried.base.after)
        if carried.held is not None:
            self._place(file, carried.held.after)

    def _move(self, moved: Moved) -> None:
        for number, move in enumerate(moved.moves):
            if move.entering is not None:
                self._enter(move, moved.seq)
            file = self.files.get(move.name)
            if file is None:
                raise _damaged(moved.seq)
            if move.carried is not None:
                self._carry(file, move.carried, moved.seq)
            if moved.step is not None and number == 0:
                entry = Entry(moved.seq, moved.step, State.COMMITTED)
                for change in moved.step.files:
                    self._add(file, Step(entry, change))
                    self._place(file, change.after, is_kept=True)
                self._record(moved.step, entry)
            if _plain(file.base) != _plain(move.base.before):
                raise _damaged(moved.seq)
            file.events.append(BaseMove(move.base))
            self._derive(move.base)
            self._rebase(file, move.base.after)
            self._begin_all(file, move.base)

    def _begin_all(self, file: HeldFile, change: FileChange) -> None:
        for path in change.paths:
            self._begin(path, file)

    def _enter(self, move: Move, seq: int) -> None:
        """A file of which nothing was held: what the record takes back on the disk is held again."""
        before, record = move.base.before, move.entering
        assert record is not None
        file = self.files[move.name] = HeldFile(move.name, before, before, move.since)
        file.events += [Origin(Entry(seq, record, State.COMMITTED), change) for change in record.files]
        self._place(file, before, is_kept=True)
        self._begin_all(file, move.base)

    def _add(self, file: HeldFile, step: Step) -> None:
        file.events.append(step)
        self._note(file, step)

    def _note(self, file: HeldFile, step: Step) -> None:
        file.virtual = None
        file.depth += 1
        self._derive(step.change)
        self._index(file, step)

    def _index(self, file: HeldFile, step: Step) -> None:
        for path in step.change.paths:
            insort(self._steps.setdefault(path, []), step, key=lambda each: each.entry.seq)
            self._begin(path, file)

    def _begin(self, path: str, file: HeldFile) -> None:
        self._since[path] = min(self._since.get(path, file.since), file.since)

    def _derive(self, change: FileChange) -> None:
        if change.after is not None and change.before is not None and change.changes is not None:
            self._made.setdefault(change.after.digest, change)

    def _place(self, file: HeldFile, state: FileState | None, *, is_kept: bool = False) -> None:
        if file.held is not None and self._at.get(file.held.path) == file.name:
            del self._at[file.held.path]
        file.held = None if state is None else FileState(state.path, state.digest, state.mode)
        if file.held is not None:
            self._at[file.held.path] = file.name
        if file.base is not None:
            self._from[file.base.path] = file.name
        if file.base is None and file.held is None and not is_kept:
            self.files.pop(file.name, None)

    def _rebase(self, file: HeldFile, state: FileState | None) -> None:
        if file.base is not None and self._from.get(file.base.path) == file.name:
            del self._from[file.base.path]
        file.base = None if state is None else FileState(state.path, state.digest, state.mode)
        if file.base is not None:
            self._from[file.base.path] = file.name

    # What the task sees

    @property
    def state(self) -> tuple[int, bool]:
        """What differs where anything of the layer does."""
        return self.seq, self.pending is None

    @property
    def waiting(self) -> list[HeldFile]:
        """The files of which something is held, by path."""
        with self._guard:
            return sorted((file for file in self.files.values() if not file.is_clean), key=lambda file: file.path)

    def at(self, path: str) -> HeldFile | None:
        """The file that the layer has at a path."""
        with self._guard:
            name = self._at.get(path)
            return None if name is None else self.files[name]

    def based_at(self, path: str) -> HeldFile | None:
        """The file whose base is at a path."""
        with self._guard:
            name = self._from.get(path)
            return None if name is None else self.files[name]

    def gone_from(self, path: str) -> HeldFile | None:
        """The file that was at a path and is elsewhere in the layer, or nowhere."""
        with self._guard:
            name = self._from.get(path)
            return None if name is None or path in self._at else self.files[name]

    def returning_to(self, path: str, undoes: Sequence[str]) -> HeldFile | None:
        """The file that is there again when one is made at a path: what was deleted there, unless it is another one.

        What is undone may have taken a file away that came to this path after the deletion.
        """
        with self._guard:
            file = self.gone_from(path)
            if file is None or file.held is not None:
                return None
            own = {event.entry.record.id for event in file.events if isinstance(event, Step | Origin)}
            undone = [self._entries[name].record for name in undoes if name in self._entries and name not in own]
            is_other = any(change.is_delete and change.path == path for record in undone for change in record.files)
            return None if is_other and own.isdisjoint(undoes) else file

    @property
    def paths(self) -> tuple[set[str], set[str]]:
        """The paths where the layer has a file, and those where it has none and the disk has one.

        A file of which nothing is held is where the disk has it, and in neither.
        """
        with self._guard:
            held = {path for path, name in self._at.items() if not self.files[name].is_clean}
            return held, set(self._from) - set(self._at)

    def see(self, file: HeldFile, disk: FileImage | None) -> Seen:
        """A file as its task sees it, where the disk has that in the place of its base."""
        with self._guard:
            facts = (file.base, file.held, self.pending, None if disk is None else (disk.digest, disk.mode))
            if file.known is None or file.known[0] != facts:
                seen = self._see(file, disk)
                if seen.carried is not None:
                    seen = replace(seen, carried=replace(seen.carried, by=self._author(file)))
                file.known = facts, seen
                file.virtual = None if seen.carried is None else step_of(seen.carried)
            return file.known[1]

    def _author(self, file: HeldFile) -> By | None:
        """Who changed the disk beneath a file: the newest record of somebody else, or of anybody."""
        if file.base is None:
            return None
        known = [step.entry.seq for step in file.steps if not step.is_own]
        found: Entry | None = None
        for entry in self.journal.entries(path=file.base.path, after_seq=max([file.since, *known])):
            found = found or entry
            if group_of_party(entry.record.actor, entry.record.task) != self.group:
                found = entry
                break
        return None if found is None else By(found.seq, replace(found.record, files=(), undoes=()))

    def _see(self, file: HeldFile, disk: FileImage | None) -> Seen:
        base, held = file.base, file.held
        mine = Seen(None, None, 0) if held is None else Seen(self.bytes_of(held.digest), held.digest, held.mode)
        if self._is_moved(file, disk):
            return mine
        if base is None:
            if disk is not None and held is not None and self._from.get(held.path) not in (None, file.name):
                return mine  # what the disk has there is another file of the layer, which is elsewhere in it
            if disk is None or held is None:
                return replace(mine, is_clash=disk is not None)
            if disk.digest != held.digest:
                return replace(mine, is_clash=True)
            return replace(mine, carried=Carried(FileChange(None, FileState(held.path, disk.digest, disk.mode)), None))
        if disk is None:
            if held is not None and file.is_clean:  # nothing is held of it: it is gone, as on the disk
                return Seen(None, None, 0, Carried(FileChange(base, None), FileChange(held, None)))
            return replace(mine, is_clash=held is not None)
        if (disk.digest, disk.mode) == (base.digest, base.mode):
            return mine
        there = FileState(base.path, disk.digest, disk.mode)
        if held is None:
            if disk.digest != base.digest:
                return replace(mine, is_clash=True)
            return replace(mine, carried=Carried(FileChange(base, there), None))
        mode = disk.mode if held.mode == base.mode else held.mode
        if disk.digest in (base.digest, held.digest) or held.digest == base.digest:
            return self._whole(base, held, there, disk, mode)
        found = self._joined(base, held, disk, mode) or self._restored(file, disk, mode)
        return found or replace(mine, is_clash=True)

    def _is_moved(self, file: HeldFile, disk: FileImage | None) -> bool:
        """Whether a move that is not decided yet has been made to the disk."""
        if self.pending is None or all(move.name != file.name for move in self.pending.moves):
            return False
        after = dict(self.pending.disk)
        path = file.base.path if file.base is not None else file.path
        return path in after and after[path] == (None if disk is None else disk.digest)

    def _whole(self, base: FileState, held: FileState, there: FileState, disk: FileImage, mode: int) -> Seen:
        """Where only one of the two has changed the text, or both did the same."""
        changes = encoding = None
        if there.digest != base.digest:
            known = self._texts(self.bytes_of(base.digest), disk.data)
            if known is not None:
                changes, encoding = changes_between(known[0].text, known[1].text), known[0].encoding
        moved = FileChange(base, there, changes, encoding)
        if held.digest != base.digest:  # the disk has the base's text, or the held one
            after = FileState(held.path, held.digest, mode)
            own = None if mode == held.mode else FileChange(held, after)
            return Seen(self.bytes_of(held.digest), held.digest, mode, Carried(moved, own))
        after = FileState(held.path, there.digest, mode)
        return Seen(disk.data, disk.digest, mode, Carried(moved, FileChange(held, after, changes, encoding)))

    def _joined(self, base: FileState, held: FileState, disk: FileImage, mode: int) -> Seen | None:
        """Both changes in one text; None where they concern the same lines, or the file is no text."""
        texts = self._texts(self.bytes_of(base.digest), self.bytes_of(held.digest), disk.data)
        if texts is None:
            return None
        version, mine, theirs = texts
        since = changes_between(version.text, theirs.text)
        moved = joined(version, changes_between(version.text, mine.text), since)
        if isinstance(moved, Clash):
            return None
        after = mine.apply(moved)
        data = after.to_bytes()
        digest = after.digest
        there = FileState(base.path, disk.digest, disk.mode)
        own = FileChange(held, FileState(held.path, digest, mode), moved, version.encoding)
        self.keep(digest, data)
        return Seen(data, digest, mode, Carried(FileChange(base, there, since, version.encoding), own))

    def _restored(self, file: HeldFile, disk: FileImage, mode: int) -> Seen | None:
        """Where the disk is as it was before the base moved last: what is held, on that base; None where it is not so.

        Texts do not say which comes first, the lines that are back or what is held beside them; what was done does.
        """
        base, held = file.base, file.held
        assert base is not None and held is not None
        move = last_move(file.events)
        if move is None or move.before is None or move.after is None or move.changes is None:
            return None
        texts = self._texts(disk.data, self.bytes_of(held.digest))
        if texts is None or (move.before.digest, move.after.digest) != (disk.digest, base.digest):
            return None
        version, mine = texts
        try:
            back = taken_out(move.changes, file.events, version.text, mine.text)
            is_read_alike = version.apply(move.changes).digest == base.digest
        except (EditError, ValueError):
            return None
        if not is_read_alike:
            return None
        after = mine.apply(back)
        data, digest = after.to_bytes(), after.digest
        self.keep(digest, data)
        moved = FileChange(base, FileState(base.path, disk.digest, disk.mode), move.changes.invert(), version.encoding)
        own = FileChange(held, FileState(held.path, digest, mode), back, version.encoding)
        return Seen(data, digest, mode, Carried(moved, own))

    def _texts(self, *sides: bytes) -> list[Source] | None:
        """The sides as text in one encoding; None where one of them is none."""
        first = Source.of_bytes(sides[0])
        try:
            found = [first, *(Source.in_encoding(side, first.encoding) for side in sides[1:])]
        except UnicodeError:
            return None
        return None if any(source.is_binary for source in found) else found

    # What the texts are

    def bytes_of(self, digest: str) -> bytes:
        """A version of a held file. Refuses with `journal-damaged` where it is lost."""
        with self._guard:
            pending: list[FileChange] = []
            found = self._find(digest)
            at: str = digest
            while found is None:
                change = self._made.get(at)
                if change is None or change.before is None or len(pending) > len(self._made):
                    raise damaged(f"a version of held work, {digest[:16]}, is lost")
                pending.append(change)
                at = change.before.digest
                found = self._find(at)
            for change in reversed(pending):
                found = replay(change, found)
            if pending:
                self.keep(digest, found)
            return found

    def _find(self, digest: str) -> bytes | None:
        kept = self._kept.get(digest)
        return kept if kept is not None else self.journal.image(digest)

    def keep(self, digest: str, data: bytes) -> None:
        """Remember a version."""
        with self._guard:
            self._kept.keep(digest, data)

    def wants_snapshot(self, file: HeldFile) -> bool:
        """Whether its text is to be kept as a whole with the next change."""
        return (file.depth + 1) % _SNAPSHOT_AFTER == 0

    def encoding_of(self, file: HeldFile) -> Encoding | None:
        """In which encoding its changes were made."""
        read = (step.change.encoding for step in reversed(list(file.steps)) if step.change.encoding is not None)
        return next(read, None)

    # What happened

    def entry(self, id: str) -> Entry | None:
        """A change of the layer by its id."""
        with self._guard:
            found = self._entries.get(id)
            return None if found is None else replace(found, undone_by=self.undone_by(id))

    @property
    def entries(self) -> list[Entry]:
        """The changes of the layer, oldest first."""
        with self._guard:
            return [replace(entry, undone_by=self.undone_by(name)) for name, entry in self._entries.items()]

    def was_decided(self, id: str) -> bool:
        """Whether a change was in the layer and nothing of it is any more."""
        notes = self.journal.notes(type=self._type)
        return any(note.body.get("id") == id for note in notes if note.body.get("kind") == "held")

    def undone_by(self, id: str) -> str | None:
        """By which change of the layer a record is undone."""
        return last_undoer(self._undoers, id)

    def touching(self, path: str) -> Iterator[Entry]:
        """The changes that touched a path, newest first, and what was brought in there."""
        with self._guard:
            steps = list(self._steps.get(path, ()))
            file = self.at(path)
            if file is not None and file.virtual is not None:
                steps.append(file.virtual)
        for step in reversed(steps):
            record = step.entry.record
            if not step.is_own:
                yield replace(step.entry, record=replace(record, files=(step.change,)))
            else:
                by = self.undone_by(record.id)
                yield step.entry if by is None else replace(step.entry, undone_by=by)

    def since(self, path: str) -> int | None:
        """The last row that belongs to the past of a path beneath the layer; None where the layer does not have it."""
        return self._since.get(path)


def last_undoer(undoers: Mapping[str, Sequence[str]], id: str) -> str | None:
    """The change that undoes another and is not undone itself; `undoers` are those of each change, oldest first."""
    return next((by for by in reversed(undoers.get(id, ())) if last_undoer(undoers, by) is None), None)


def _plain(state: FileState | None) -> tuple[str, str, int] | None:
    return None if state is None else (state.path, state.digest, state.mode)


def _damaged(seq: int) -> EditError:
    return damaged(f"held work cannot be read: row {seq} does not follow from what is known before it", seq=seq)
