"""After a crash: finish each transaction that got far enough, take back the others, touch nothing unknown.

1. Recovery acts only while it holds every lock of the transaction, here and between machines: a live owner holds
   them, and so does a session whose last words the server has yet to hear; a held lock means "not ours to touch".
   And it acts only on the machine that staged the transaction.
2. Not prepared: no file has changed. Its temporaries and empty directories go.
3. Prepared, every name as before: taken back. Every name as after: committed.
4. Prepared, mixed: forward if everything still missing is staged; else back, from the old file kept
   beside it or from the journal.
5. A file whose digest is neither side is somebody else's work: it is reported and left alone. The one
   exception is a file being written in place, whose parts are all from one side or the other, or never written.
6. A file that came out of an exchange and is neither side gets its name back, and the transaction is taken back:
   the crash came before the look. Recovery itself exchanges and looks too. Nothing that is neither side is removed;
   what cannot have its name back is kept.
7. Every step may be interrupted and done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.sandbox import Place, Sandbox
from steadyhand.workspace.files.storage import NOFOLLOW, Storage, closing, refuse_os
from steadyhand.workspace.files.writer import (
    exchange,
    identity,
    is_torn,
    put_back,
    remove_empty_directory,
    stage,
    stale,
    unless_unreachable,
    write_in_place,
)
from steadyhand.workspace.history.file_history import unwind
from steadyhand.workspace.journal.log import Problem
from steadyhand.workspace.journal.record import Entry, FileChange, FileState, Hold, Record, State
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.locks import LockTable, hold_files
from steadyhand.workspace.state import BACK, IN_PLACE, Intent, StateFolder, this_machine
from steadyhand.workspace.transaction import BESIDE

Side = Literal["before", "after", "both", "torn", "unknown"]
_FRONT = 4096
_OTHERS_FINISH = 1.0  # seconds until somebody who works on the same files by another journal is done
_SESSION_ENDS = 1.0  # seconds until a server has noticed that a client is dead


@dataclass(slots=True)
class _Name:
    """One name a transaction was to change, as it is found."""

    path: str
    before: FileState | None
    after: FileState | None
    change: FileChange
    temp: str
    side: Side = "unknown"

    @property
    def is_replaced(self) -> bool:
        """Whether the name is to mean another file afterwards, and means one before."""
        return (
            self.before is not None
            and self.after is not None
            and self.before.digest != self.after.digest
            and not self.temp.endswith(IN_PLACE)
        )

    @property
    def known(self) -> set[str]:
        return {each.digest for each in (self.before, self.after) if each is not None}


class Recovery:
    """Settles what dead processes left behind. Safe to run at any time, by several processes at once."""

    def __init__(
        self, sandbox: Sandbox, storage: Storage, journal: Journal, state: StateFolder, locks: LockTable
    ) -> None:
        self._sandbox = sandbox
        self._storage = storage
        self._journal = journal
        self._state = state
        self._locks = locks

    def run(self, *, touching: Sequence[str] | None = None) -> tuple[str, ...]:
        """Settle everything whose owner is gone; `touching` narrows to transactions on these lock keys.

        Gives a sentence for each thing a person should know.
        """
        reports: list[str] = []
        for intent in self._left_over(reports):
            if touching is not None and not set(touching) & set(intent.lock_keys):
                continue
            if intent.machine != this_machine():
                reports.append(f"transaction {intent.id} is pending on another machine and was left alone")
                continue
            try:
                with (
                    self._locks.hold(intent.lock_keys, timeout=0, one_by_one=True),
                    self._journal.hold(intent.lock_keys, timeout=_SESSION_ENDS),
                    hold_files(
                        self._sandbox, [path for path, _ in intent.temps], timeout=_OTHERS_FINISH, required=False
                    ),
                ):
                    reports.extend(self._finish(intent))
            except EditError as error:
                if error.kind is not Kind.BUSY:
                    reports.append(f"transaction {intent.id} could not be recovered: {error.message}")
            except OSError as error:
                cause = refuse_os(error, "recover", ", ".join(path for path, _ in intent.temps))
                reports.append(f"transaction {intent.id} could not be recovered: {cause.message}")
        return tuple(reports)

    def touches(self, keys: Sequence[str], hold: Hold) -> bool:
        """Whether a left-over transaction has a claim on one of these locks, which the caller has under `hold`."""
        found = [intent for intent in self._state.intents() if set(keys) & set(intent.lock_keys)]
        if any(not self._is_outdated(intent, hold) for intent in found):
            return True
        return hold.number > 0 and self._is_prepared_elsewhere(set(keys))

    def _is_prepared_elsewhere(self, keys: set[str]) -> bool:
        """Whether another machine's record claims one of these; its note may not be seen here yet."""
        unsettled = (staging for _, staging in self._journal.unsettled())
        return any(staging.machine != this_machine() and keys & set(staging.lock_keys) for staging in unsettled)

    def _is_outdated(self, intent: Intent, hold: Hold) -> bool:
        """Whether another machine's transaction can change no file any more: it was settled, or is not prepared.

        What is not prepared under an earlier number is refused; its temporaries are still its machine's to remove.
        """
        if hold.number == 0 or intent.machine == this_machine():
            return False
        entry = self._entry(intent)
        return entry is None or entry.state is not State.PREPARED

    def _left_over(self, reports: list[str]) -> list[Intent]:
        def damaged(problem: Problem) -> None:
            reports.append(f"a pending transaction cannot be read and was left alone: {problem.message}")

        intents = {intent.id: intent for intent in self._state.intents()}
        for record, staging in self._journal.unsettled(on_damage=damaged):
            made = tuple(path for change in record.files for path in change.made_dirs)
            known = Intent(record.id, staging.machine, staging.pid, staging.temps, staging.lock_keys, made)
            intents.setdefault(record.id, known)
        return list(intents.values())

    def _finish(self, intent: Intent) -> list[str]:
        entry = self._entry(intent)
        reports: list[str] = []
        if entry is not None and entry.state is State.PREPARED:
            reports = self._settle(intent, entry.record)
            entry = self._journal.find(intent.id)
        names = [] if entry is None else _names_of(entry.record, dict(intent.temps))
        reports += self._keep_strangers(intent.id, names)
        self._clean(intent, kept=entry is not None and entry.state in (State.COMMITTED, State.PARTIAL))
        return reports

    def _keep_strangers(self, id: str, names: Sequence[_Name]) -> list[str]:
        """Keep what lies beside a name and is neither side of it, before everything else that does is removed."""
        reports = []
        for name in names:
            with unless_unreachable(), self._sandbox.place(name.path, writing=True, known_name=True) as place:
                for left in _beside(name):
                    if not place.missing and name.temp and self._is_stranger(name, place, left):
                        kept = self._state.keep(left, dir_fd=place.dir_fd, label=f"{id}-{place.name}")
                        reports.append(
                            f"transaction {id}: what another program saved as {name.path} was kept as {kept} next to "
                            "the journal"
                        )
        return reports

    def _is_stranger(self, name: _Name, place: Place, left: str) -> bool:
        """Whether something lies under that name which this transaction neither found nor made."""
        try:
            self._storage.stat(left, dir_fd=place.dir_fd)
        except FileNotFoundError:
            return False
        return self._digest(place, left) not in name.known

    def _entry(self, intent: Intent) -> Entry | None:
        try:
            return self._journal.find(intent.id)
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            return None

    def _settle(self, intent: Intent, record: Record) -> list[str]:
        temps = dict(intent.temps)
        names = [self._examine(name) for name in _names_of(record, temps)]
        strangers = [name.path for name in names if name.side == "unknown"]
        ours = [name for name in names if name.side not in ("unknown", "both")]
        forward = self._goes_forward(names, ours)
        for name in ours if forward else reversed(ours):
            if forward:
                self._forward(name)
            else:
                self._back(name)
        if not strangers:
            self._journal.settle(record.id, State.COMMITTED if forward else State.ABORTED, "recovered")
            return []
        report = f"transaction {record.id}: {', '.join(strangers)} changed since the crash and was left alone"
        self._journal.settle(record.id, State.PARTIAL if forward else State.ABORTED, report)
        return [report]

    def _goes_forward(self, names: list[_Name], ours: list[_Name]) -> bool:
        if any(name.side == "unknown" and (name.after is None or self._staged(name)) for name in names):
            return False  # somebody else's file is where one of our changes was to go: all or nothing
        if any(name.side == "torn" for name in ours):
            return all(self._can_forward(name) for name in ours)
        done = [name for name in ours if name.side == "after"]
        applied_to_stranger = any(name.side == "unknown" and name.after and not self._staged(name) for name in names)
        if not done and not applied_to_stranger:
            return not ours and all(name.side == "both" for name in names)
        return all(self._can_forward(name) for name in ours)

    def _can_forward(self, name: _Name) -> bool:
        return name.side == "after" or name.after is None or self._staged(name)

    def _examine(self, name: _Name) -> _Name:
        digest, mode = self._present(name.path)
        if digest in (None, name.after.digest if name.after else None) and self._return_stranger(name):
            digest, mode = self._present(name.path)
        if name.before and name.after and name.before.digest == name.after.digest:
            if digest == name.before.digest:
                name.side = _side_by_mode(mode, name.before.mode, name.after.mode)
            return name
        if digest == (name.before.digest if name.before else None):
            name.side = "before"
        elif digest == (name.after.digest if name.after else None):
            name.side = "after"
        elif name.temp.endswith(IN_PLACE) and self._is_torn(name):
            name.side = "torn"
        return name

    def _return_stranger(self, name: _Name) -> bool:
        """Give a file its name back that came out when the name changed, and that nobody has looked at."""
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            if place.missing or not name.temp:
                return False
            aside = next((left for left in _beside(name) if self._is_stranger(name, place, left)), None)
            if aside is None:
                return False
            if self._sandbox.stat(place) is None:
                self._give_name(place, aside)
            elif name.is_replaced:
                mine, data = identity(self._storage, place.dir_fd, place.name), self._content(place, place.name)
                spare = self._spare(name, place, aside)
                put_back(self._storage, place.dir_fd, aside, place.name, mine, data, spare=spare)
                self._storage.fsync_dir(place.dir_fd)
            return True

    def _spare(self, name: _Name, place: Place, used: str) -> str:
        """A name beside a name that is free, or has something we know on it and so can be made free."""
        free = next(left for left in reversed(_beside(name)) if left != used)
        if not self._is_stranger(name, place, free):
            with contextlib.suppress(FileNotFoundError):
                self._storage.unlink(free, dir_fd=place.dir_fd)
        return free

    def _give_name(self, place: Place, aside: str) -> None:
        self._storage.rename_noreplace(aside, place.name, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
        self._storage.fsync_dir(place.dir_fd)

    def _present(self, path: str) -> tuple[str | None, int | None]:
        with self._sandbox.place(path, writing=True, known_name=True) as place:
            try:
                image = self._sandbox.read(place)
            except EditError as error:
                if error.kind is Kind.NO_SUCH_FILE:
                    return None, None
                raise
            return image.digest, image.mode

    def _staged(self, name: _Name) -> bool:
        """Whether the new content lies beside the name, whole. A change of mode needs nothing beside it."""
        if name.before and name.after and name.before.digest == name.after.digest:
            return True
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            return name.after is not None and self._digest(place, name.temp) == name.after.digest

    def _forward(self, name: _Name) -> None:
        if name.side == "after":
            self._finish_mode(name)
            return
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            if name.after is None:
                self._take_away(name, place, name.before)
            elif name.before and name.before.digest == name.after.digest:
                self._chmod(place, name.after.mode)
            elif name.temp.endswith(IN_PLACE):
                write_in_place(self._storage, place, self._content(place, name.temp), None)
                self._chmod(place, name.after.mode)
            elif name.before is None:
                self._give_name(place, name.temp)
            else:
                self._exchange(name, place, name.temp, name.before)
            self._storage.fsync_dir(place.dir_fd)

    def _take_away(self, name: _Name, place: Place, known: FileState | None) -> None:
        """Remove a name, if it still means what was found there."""
        aside = self._spare(name, place, name.temp)
        self._storage.rename_noreplace(place.name, aside, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
        if known is None or self._digest(place, aside) != known.digest:
            self._give_name(place, aside)
            raise stale(name.path)

    def _exchange(self, name: _Name, place: Place, temp: str, known: FileState | None) -> None:
        """Give a name another file, if it still means what was found there."""
        mine, data = identity(self._storage, place.dir_fd, temp), self._content(place, temp)
        aside = exchange(self._storage, place.dir_fd, temp, place.name, spare=self._spare(name, place, temp))
        if aside and (known is None or self._digest(place, aside) != known.digest):
            spare = self._spare(name, place, aside)
            put_back(self._storage, place.dir_fd, aside, place.name, mine, data, spare=spare)
            raise stale(name.path)

    def _finish_mode(self, name: _Name) -> None:
        """A file written in place gets its mode after its content; the crash may have come between the two."""
        if name.temp.endswith(IN_PLACE) and name.after is not None:
            with self._sandbox.place(name.path, writing=True, known_name=True) as place:
                self._chmod(place, name.after.mode)

    def _back(self, name: _Name) -> None:
        if name.side == "before":
            return
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            old = next((left for left in _beside(name) if self._is_before(name, place, left)), None)
            if name.before is None:
                self._take_away(name, place, name.after)
            elif name.after and name.before.digest == name.after.digest:
                self._chmod(place, name.before.mode)
            elif old is None or name.temp.endswith(IN_PLACE):
                self._rebuild(name, place)
            elif name.after is None:
                self._give_name(place, old)
            else:
                self._exchange(name, place, old, name.after)
            self._storage.fsync_dir(place.dir_fd)

    def _is_before(self, name: _Name, place: Place, left: str) -> bool:
        return name.before is not None and self._digest(place, left) == name.before.digest

    def _rebuild(self, name: _Name, place: Place) -> None:
        """Put the old content back from the journal."""
        assert name.before is not None
        data = self._journal.image(name.before.digest)
        present = None
        if name.after is not None and name.side == "after":
            present = self._sandbox.read(place)
        if data is None and present is not None:
            data = unwind(name.change, present.data)
        elif data is None and name.change.after is not None:
            with self._sandbox.place(name.change.after.path, writing=True, known_name=True) as moved:
                data = unwind(name.change, self._sandbox.read(moved).data)
        if data is None or hashlib.sha256(data).hexdigest() != name.before.digest:
            raise EditError(Kind.JOURNAL_DAMAGED, f"the old content of {name.path} cannot be rebuilt")
        if name.temp.endswith(IN_PLACE):
            write_in_place(self._storage, place, data, None, keep_special=True)
            self._chmod(place, name.before.mode)
            return
        with contextlib.suppress(FileNotFoundError):
            self._storage.unlink(name.temp + BACK, dir_fd=place.dir_fd)
        stage(
            self._storage, place.dir_fd, data,
            temp_name=name.temp + BACK, like=present, mode=name.before.mode, path=name.path, keep_special=True,
        )  # fmt: skip
        if name.after is None:
            self._give_name(place, name.temp + BACK)
        else:
            self._exchange(name, place, name.temp + BACK, name.after)

    def _is_torn(self, name: _Name) -> bool:
        """Whether only our own write can have made the file what it is."""
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            if name.after is None or self._digest(place, name.temp) != name.after.digest:
                return False
            new = self._content(place, name.temp)
            old: bytes | None
            try:
                old = unwind(name.change, new)
            except EditError:
                old = self._journal.image(name.before.digest) if name.before else None
            present = self._sandbox.read(place).data
        if old is None:  # a file with secrets: what it was is not kept, but its front is what we were writing
            return bool(present) and present[:_FRONT] == new[: min(_FRONT, len(present))]
        return is_torn(present, old, new)

    def _chmod(self, place: Place, mode: int) -> None:
        flags = os.O_RDONLY | NOFOLLOW | os.O_NONBLOCK
        with closing(self._storage.open(place.name, flags, dir_fd=place.dir_fd), self._storage) as fd:
            self._storage.fchmod(fd, mode)
            self._storage.fsync(fd)

    def _digest(self, place: Place, name: str) -> str | None:
        with contextlib.suppress(FileNotFoundError, EditError):
            return hashlib.sha256(self._content(place, name)).hexdigest()
        return None

    def _content(self, place: Place, name: str) -> bytes:
        return self._sandbox.read(replace(place, name=name)).data

    def _clean(self, intent: Intent, *, kept: bool) -> None:
        for path, temp in intent.temps:
            name = temp.rsplit("/", 1)[-1]
            if not name.startswith(f"{TEMP_PREFIX}{intent.id}-"):
                continue  # a forged note names something that is not ours
            with unless_unreachable(), self._sandbox.place(path, writing=True, known_name=True) as place:
                if place.missing:
                    continue
                for left in (name + ending for ending in BESIDE):
                    with contextlib.suppress(FileNotFoundError):
                        self._storage.stat(left, dir_fd=place.dir_fd)  # a read-only disk refuses even what is not there
                        self._storage.unlink(left, dir_fd=place.dir_fd)
        for directory in intent.prune if kept else reversed(intent.made_dirs):
            remove_empty_directory(self._sandbox, self._storage, directory)
        self._state.withdraw(intent.id)


def _names_of(record: Record, temps: dict[str, str]) -> list[_Name]:
    """The record's files as single names; a name that one file leaves and another takes is one name."""
    names: dict[str, _Name] = {}
    for change in record.files:
        for side in dict.fromkeys(change.paths):
            temp = temps.get(side, "").rsplit("/", 1)[-1]
            name = names.setdefault(side, _Name(side, None, None, change, temp))
            if change.before is not None and change.before.path == side:
                name.before = change.before
            if change.after is not None and change.after.path == side:
                name.after, name.change = change.after, change
    return sorted(names.values(), key=lambda name: (name.after is None, name.path))


def _beside(name: _Name) -> list[str]:
    """Every name under which something may lie beside a name."""
    return [name.temp + ending for ending in BESIDE]


def _side_by_mode(mode: int | None, before: int, after: int) -> Side:
    if before == after:
        return "both"  # the same file on both sides: nothing to tell, nothing to do
    return "before" if mode == before else "after" if mode == after else "unknown"
