"""After a crash: finish each transaction that got far enough, take back the others, touch nothing unknown.

1. Recovery acts only while it holds every lock of the transaction, here and between machines: a live owner holds
   them, and so does a session whose last words the server has yet to hear; a held lock means "not ours to touch".
   And it acts only on the machine that staged the transaction.
2. Not prepared: no file has changed. Its temporaries and empty directories go.
3. Prepared, every name as before: taken back. Every name as after: committed.
4. Prepared, mixed: forward if everything still missing is staged; else back, from the old file kept
   beside it or from the journal.
5. A file whose digest is neither side is somebody else's work: it is reported and left alone. The one
   exception is a file being written in place, whose blocks are all from one side or the other.
6. Every step may be interrupted and done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.directories import remove_empty_directory, unless_unreachable
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.party import Hold
from steadyhand.workspace.journal.record import Entry, FileChange, FileState, Record, State
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.lineage import unwind
from steadyhand.workspace.locks import LockTable
from steadyhand.workspace.sandbox import Place, Sandbox
from steadyhand.workspace.state import Intent, StateFolder, this_machine
from steadyhand.workspace.storage import NOFOLLOW, Storage
from steadyhand.workspace.transaction import IN_PLACE, OLD
from steadyhand.workspace.writer import TEMP_PREFIX, refuse_os, stage, write_in_place

Side = Literal["before", "after", "both", "torn", "unknown"]
_BLOCK = 4096
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
                    self._locks.hold(intent.lock_keys, timeout=0),
                    self._journal.hold(intent.lock_keys, timeout=_SESSION_ENDS),
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
        self._clean(intent, kept=entry is not None and entry.state in (State.COMMITTED, State.PARTIAL))
        return reports

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
                self._storage.rename(place.name, name.temp + OLD, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
            elif name.before and name.before.digest == name.after.digest:
                self._chmod(place, name.after.mode)
            elif name.temp.endswith(IN_PLACE):
                write_in_place(self._storage, place, self._content(place, name.temp), None)
                self._chmod(place, name.after.mode)
            else:
                self._storage.rename(name.temp, place.name, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
            self._storage.fsync_dir(place.dir_fd)

    def _finish_mode(self, name: _Name) -> None:
        """A file written in place gets its mode after its content; the crash may have come between the two."""
        if name.temp.endswith(IN_PLACE) and name.after is not None:
            with self._sandbox.place(name.path, writing=True, known_name=True) as place:
                self._chmod(place, name.after.mode)

    def _back(self, name: _Name) -> None:
        if name.side == "before":
            return
        with self._sandbox.place(name.path, writing=True, known_name=True) as place:
            if name.before is None:
                self._storage.unlink(place.name, dir_fd=place.dir_fd)
            elif name.after and name.before.digest == name.after.digest:
                self._chmod(place, name.before.mode)
            elif self._digest(place, name.temp + OLD) == name.before.digest:
                self._storage.rename(name.temp + OLD, place.name, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)
            else:
                self._rebuild(name, place)
            self._storage.fsync_dir(place.dir_fd)

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
            self._storage.unlink(name.temp + OLD, dir_fd=place.dir_fd)
        stage(
            self._storage, place.dir_fd, data,
            temp_name=name.temp + OLD, like=present, mode=name.before.mode, path=name.path, keep_special=True,
        )  # fmt: skip
        self._storage.rename(name.temp + OLD, place.name, before_dir_fd=place.dir_fd, after_dir_fd=place.dir_fd)

    def _is_torn(self, name: _Name) -> bool:
        """Whether every block is from one side or the other, so that only our own write can have made the file."""
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
            return bool(present) and present[:_BLOCK] == new[: min(_BLOCK, len(present))]
        return _is_mixture(present, old, new)

    def _chmod(self, place: Place, mode: int) -> None:
        fd = self._storage.open(place.name, os.O_RDONLY | NOFOLLOW | os.O_NONBLOCK, dir_fd=place.dir_fd)
        try:
            self._storage.fchmod(fd, mode)
            self._storage.fsync(fd)
        finally:
            self._storage.close(fd)

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
                for left in (name, name + OLD):
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


def _side_by_mode(mode: int | None, before: int, after: int) -> Side:
    if before == after:
        return "both"  # the same file on both sides: nothing to tell, nothing to do
    return "before" if mode == before else "after" if mode == after else "unknown"


def _is_mixture(present: bytes, old: bytes, new: bytes) -> bool:
    for start in range(0, max(len(present), 1), _BLOCK):
        block, was, becomes = (data[start : start + _BLOCK] for data in (present, old, new))
        if block in (was, becomes):
            continue
        cut = next(
            (i for i, (a, b) in enumerate(zip(block, becomes, strict=False)) if a != b), min(len(block), len(becomes))
        )
        if block[cut:] != was[cut : len(block)] and block[cut:] != was[cut:]:
            return False
    return True
