"""Every disk that a power cut may leave: what was not synced is there, is not there, or is there in part.

    python -m tests.faults.power_images [story …] [--every N] [--seed S]

A recorder beneath a workspace notes each change of a file and of a directory, and what was synced. For each instant of
a transaction the legal disks are built from that, the workspace is opened on them as after a restart, and the promises
are checked: before or after, no temporary left, nothing lost that another program had saved, and a journal that agrees.

What is legal: a change that a sync covers is there. Of the others any may be missing, except that changes of one name
happen in order. Of a file's bytes any sectors may be old, new or zero, and its length old or new. The journal is as it
was when it was last synced (that `prepare` is durable, `test_durability.py` shows), or newer.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import sqlite3
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.journal.record import State
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import STORIES, Story, Tree, temporaries, tree_of

SECTOR = 512
DATABASE = ("journal.sqlite", "journal.sqlite-wal")
SAVED = "saved by another program\n"
Key = tuple[int, str]


@dataclass(frozen=True)
class Op:
    """A change of names or of one file's content or mode, that may be missing after a power cut unless it was synced.

    `names` are the names it changes, each with what it means afterwards (None: nothing).
    """

    names: dict[Key, int | None] = field(default_factory=dict)
    file: int | None = None
    data: bytes | None = None
    mode: int | None = None
    is_sync: bool = False
    is_of_all: bool = False
    is_others: bool = False


@dataclass
class Disk:
    """Directories as names, files as bytes and modes; the numbers are ours, since the system uses its own again."""

    names: dict[Key, int] = field(default_factory=dict)
    data: dict[int, bytes] = field(default_factory=dict)
    modes: dict[int, int] = field(default_factory=dict)
    directories: set[int] = field(default_factory=set)


Journal = tuple[bytes | None, ...]


class Recorder(Storage):
    """Carries everything out and notes it; `saves` are what another program does right before an exchange."""

    def __init__(self, root: Path, saves: tuple[str, ...] = ()) -> None:
        self.root, self.saves = root, list(saves)
        self.start = Disk()
        self.ops: list[Op] = []
        self.journals: list[Journal] = []
        self._numbers: dict[int, int] = {}
        self._count = 0
        self._scan(root, self._number(os.stat(root), is_new=True))

    def _number(self, found: os.stat_result, *, is_new: bool = False) -> int:
        if is_new or found.st_ino not in self._numbers:
            self._count += 1
            self._numbers[found.st_ino] = self._count
        number = self._numbers[found.st_ino]
        if stat.S_ISDIR(found.st_mode):
            self.start.directories.add(number)
        else:
            self.start.data.setdefault(number, b"")
            self.start.modes.setdefault(number, stat.S_IMODE(found.st_mode))
        return number

    def _scan(self, directory: Path, number: int) -> None:
        for entry in os.scandir(directory):
            if entry.name.startswith("journal.sqlite") or directory.name == "locks":
                continue
            child = self._number(entry.stat(follow_symlinks=False))
            self.start.names[number, entry.name] = child
            if entry.is_dir():
                self._scan(Path(entry.path), child)
            else:
                self.start.data[child] = Path(entry.path).read_bytes()

    def _key(self, dir_fd: int, name: str) -> Key:
        return self._number(os.fstat(dir_fd)), name

    def _means(self, dir_fd: int, name: str) -> int:
        return self._number(os.stat(name, dir_fd=dir_fd, follow_symlinks=False))

    def _note(self, op: Op) -> None:
        self.ops.append(op)
        self.journals.append(self.journal())

    def journal(self) -> Journal:
        """The journal's files as they are, read between two of its transactions."""
        return tuple(path.read_bytes() if (path := self.root / FOLDER / name).exists() else None for name in DATABASE)

    def _note_file(self, fd: int) -> None:
        found = os.fstat(fd)
        data = os.pread(fd, found.st_size, 0)
        self._note(Op(file=self._number(found), data=data, mode=stat.S_IMODE(found.st_mode)))

    def create(self, name: str, mode: int, *, dir_fd: int) -> int:
        fd = super().create(name, mode, dir_fd=dir_fd)
        self._note(Op({self._key(dir_fd, name): self._number(os.fstat(fd), is_new=True)}))
        return fd

    def write(self, fd: int, data: bytes) -> None:
        super().write(fd, data)
        self._note_file(fd)

    def write_at(self, fd: int, data: bytes | memoryview, offset: int) -> None:
        super().write_at(fd, data, offset)
        handle = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
        self._note_file(handle)
        os.close(handle)

    def ftruncate(self, fd: int, size: int) -> None:
        super().ftruncate(fd, size)
        handle = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
        self._note_file(handle)
        os.close(handle)

    def fchmod(self, fd: int, mode: int) -> None:
        super().fchmod(fd, mode)
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            self._note(Op(file=self._number(os.fstat(fd)), mode=mode))

    def fsync(self, fd: int) -> None:
        self._note(Op(file=self._number(os.fstat(fd)), is_sync=True))

    def fsync_dir(self, fd: int) -> None:
        self._note(Op(file=self._number(os.fstat(fd)), is_sync=True))

    def can_sync_all(self, fd: int) -> bool:
        return True

    def sync_all(self, fd: int) -> None:
        self._note(Op(is_sync=True, is_of_all=True))

    def mkdir(self, name: str, mode: int = 0o777, *, dir_fd: int) -> None:
        super().mkdir(name, mode, dir_fd=dir_fd)
        found = os.stat(name, dir_fd=dir_fd)
        self._note(Op({self._key(dir_fd, name): self._number(found, is_new=True)}))

    def rmdir(self, name: str, *, dir_fd: int) -> None:
        super().rmdir(name, dir_fd=dir_fd)
        self._note(Op({self._key(dir_fd, name): None}))

    def unlink(self, name: str, *, dir_fd: int) -> None:
        super().unlink(name, dir_fd=dir_fd)
        self._note(Op({self._key(dir_fd, name): None}))

    def link(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        super().link(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)
        self._note(Op({self._key(after_dir_fd, after): self._means(after_dir_fd, after)}))

    def rename(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        super().rename(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)
        self._note_rename(self._key(before_dir_fd, before), after_dir_fd, after)

    def rename_noreplace(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        super().rename_noreplace(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)
        self._note_rename(self._key(before_dir_fd, before), after_dir_fd, after)

    def _note_rename(self, before: Key, dir_fd: int, after: str) -> None:
        self._note(Op({before: None, self._key(dir_fd, after): self._means(dir_fd, after)}))

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        if self.saves:
            self._save(self.saves.pop(0), other, other_dir_fd)
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)
        sides = ((one_dir_fd, one), (other_dir_fd, other))
        self._note(Op({self._key(fd, name): self._means(fd, name) for fd, name in sides}))

    def _save(self, text: str, name: str, dir_fd: int) -> None:
        """What an editor does that saves by rename and syncs."""
        path = Path(f"/proc/self/fd/{dir_fd}", name)
        data = path.read_bytes() + text.encode()
        part = path.with_name(f"{name}.swp")
        part.write_bytes(data)
        part.rename(path)
        number = self._number(path.stat(), is_new=True)
        self._note(Op({self._key(dir_fd, name): number}, number, data, is_others=True))


class SyncingAll(Recorder):
    """The same where a few files are so many that their file system is synced instead."""

    SYNC_ALL_FROM = 2


class Restarted(Storage):
    """The machine after its next start. Nothing is synced: what recovery has done is looked at, not cut off again."""

    def boot(self) -> str:
        return "the next start"

    def fsync(self, fd: int) -> None:
        pass

    def fsync_dir(self, fd: int) -> None:
        pass


@dataclass(frozen=True)
class Choice:
    """One thing that the power cut decides, and what may come of it; the first is that nothing is lost."""

    op: int | None
    file: int | None
    data: tuple[bytes, ...] = ()
    modes: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return len(self.data) or len(self.modes) or 2


def torn(old: bytes, new: bytes) -> tuple[bytes, ...]:
    """What writing `new` over `old` may leave when it is not synced; first all of it."""

    def mixed(size: int, take: Callable[[int], bytes]) -> bytes:
        parts = (take(at)[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, size, SECTOR))
        return b"".join(parts)[:size]

    half = len(new) // 2 // SECTOR * SECTOR
    found = [new, old]
    for size in (len(new), len(old)):
        found += [
            mixed(size, lambda at: old),  # the length is there, the data is not
            mixed(size, lambda at: new),
            mixed(size, lambda at: new if at < half else old),
            mixed(size, lambda at: old if at < half else new),
            mixed(size, lambda at: new if at // SECTOR % 2 else old),
            mixed(size, lambda at: new if at < half else b""),  # blocks that were given to the file and never written
        ]
    return tuple(dict.fromkeys(data for data in found if min(len(old), len(new)) <= len(data)))


def choices(start: Disk, ops: list[Op]) -> tuple[list[bool], list[Choice]]:
    """Which changes are on the disk for sure after these, and what is open."""
    is_safe = [op.is_others for op in ops]
    for at, op in enumerate(ops):
        if op.is_sync:
            for earlier in range(at):
                names = {directory for directory, _ in ops[earlier].names}
                is_named = op.is_of_all or op.file in names or op.file == ops[earlier].file
                is_safe[earlier] = is_safe[earlier] or is_named
    for at in reversed(range(len(ops))):  # what a safe change of a name is built on is safe too
        if is_safe[at]:
            for earlier in range(at):
                is_safe[earlier] = is_safe[earlier] or bool(ops[earlier].names.keys() & ops[at].names.keys())
    found = [Choice(at, None) for at, op in enumerate(ops) if op.names and not is_safe[at]]
    for file in dict.fromkeys(op.file for op in ops if op.file is not None and not op.is_sync):
        mine = [(at, op) for at, op in enumerate(ops) if op.file == file and not op.is_sync]
        data = [start.data.get(file, b"")] + [op.data for at, op in mine if is_safe[at] and op.data is not None]
        now = [op.data for at, op in mine if not is_safe[at] and op.data is not None]
        if now and now[-1] != data[-1]:
            found.append(Choice(None, file, data=torn(data[-1], now[-1])))
        modes = [start.modes.get(file, 0o600)] + [op.mode for at, op in mine if is_safe[at] and op.mode is not None]
        later = [op.mode for at, op in mine if not is_safe[at] and op.mode is not None]
        if later and later[-1] != modes[-1]:
            found.append(Choice(None, file, modes=(later[-1], modes[-1])))
    return is_safe, found


def image(start: Disk, ops: list[Op], is_safe: list[bool], decided: dict[Choice, int]) -> Disk:
    """The disk that these decisions leave; a change whose earlier change of the same name is missing is missing too."""
    disk = Disk(dict(start.names), dict(start.data), dict(start.modes), start.directories)
    missing = {choice.op for choice, value in decided.items() if choice.op is not None and value}
    broken: set[Key] = set()
    for at, op in enumerate(ops):
        if op.names and not is_safe[at] and (at in missing or broken & op.names.keys()):
            broken |= op.names.keys()
            continue
        for key, number in op.names.items():
            if number is None:
                disk.names.pop(key, None)
            else:
                disk.names[key] = number
        if op.file is not None and not op.is_sync:
            disk.data[op.file] = op.data if op.data is not None else disk.data[op.file]
            disk.modes[op.file] = op.mode if op.mode is not None else disk.modes[op.file]
    for choice, value in decided.items():
        if choice.file is not None and choice.data:
            disk.data[choice.file] = choice.data[value]
        elif choice.file is not None:
            disk.modes[choice.file] = choice.modes[value]
    return disk


def decisions(open_: list[Choice], chance: random.Random) -> Iterator[dict[Choice, int]]:
    """All is there, nothing is, one thing is not, only one is, and a few at random."""
    lost = dict.fromkeys(open_, 1)
    yield {}
    yield lost
    for choice in open_:
        for value in range(1, choice.count):
            yield {choice: value}
            yield {**lost, choice: value}
        yield {**lost, choice: 0}
    for _ in range(len(open_)):
        yield {choice: chance.randrange(choice.count) for choice in open_}


def put(disk: Disk, journal: Journal, root: Path) -> None:
    """Make the tree what the disk says. The state folder stays the directory it is, as after a real restart."""
    state = root / FOLDER
    for path in root.iterdir():
        if path == state:
            for inner in state.iterdir():
                shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    made: dict[int, Path] = {1: root}
    while True:
        ready = [(key, number) for key, number in disk.names.items() if key[0] in made]
        ready = [
            (key, number) for key, number in ready if not os.path.lexists(made[key[0]] / key[1]) or number not in made
        ]
        if not ready:
            break
        for (directory, name), number in ready:
            path = made[directory] / name
            if number in disk.directories:
                path.mkdir(exist_ok=True)
            elif number in made:
                os.link(made[number], path)
            else:
                path.write_bytes(disk.data[number])
                path.chmod(disk.modes[number])
            made.setdefault(number, path)
    for name, data in zip(DATABASE, journal, strict=True):
        if data is not None:
            (state / name).write_bytes(data)


def is_prepared(journal: Journal) -> bool:
    """Whether a transaction is prepared in the journal, or was and is settled."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in zip(DATABASE, journal, strict=True):
            if data is not None:
                Path(folder, name).write_bytes(data)
        with contextlib.closing(sqlite3.connect(Path(folder, DATABASE[0]))) as connection:
            return bool(connection.execute("SELECT 1 FROM records WHERE state = 'prepared'").fetchall())


@dataclass(frozen=True)
class Case:
    """A story, and what another program saves in the middle of it."""

    story: Story
    saves: tuple[str, ...] = ()
    recorder: type[Recorder] = Recorder

    @property
    def name(self) -> str:
        how = "+sync-all" if self.recorder is SyncingAll else ""
        return f"{self.story.name}{how}+{len(self.saves)}-saves" if self.saves else self.story.name + how


def _shrink_linked(ws: sh.Workspace) -> object:
    policy = sh.Policy(hardlinks="in-place")
    return ws.edit("a.md", [sh.Replace("two\nthree\n", "", occurrence="all")], policy=policy)


def _five(root: Path) -> None:
    for n in range(5):
        (root / f"{n}.txt").write_bytes(b"one\ntwo\n")


def _edit_five(ws: sh.Workspace) -> object:
    """The note that names so many temporaries has several sectors, and may be torn itself."""
    with ws.transaction(reason="all at once") as tx:
        for n in range(5):
            tx.edit(f"{n}.txt", [sh.Replace("two", "2")])
    return tx.receipt


_LINKED = next(story for story in STORIES if story.name == "edit-hard-linked")
MORE = (Story("shrink-hard-linked", _LINKED.prepare, _shrink_linked), Story("edit-five", _five, _edit_five))
CASES = (
    *(Case(story) for story in (*STORIES, *MORE)),
    *(Case(story, recorder=SyncingAll) for story in (*STORIES[1:2], MORE[-1])),
    *(Case(story, saves) for story in STORIES[:2] for saves in ((f"1 {SAVED}",), (f"1 {SAVED}", f"2 {SAVED}"))),
)


@dataclass(frozen=True)
class Recording:
    """A transaction as it reached the disk, with the trees and the number of records before it."""

    before: Tree
    after: Tree
    records: int
    recorder: Recorder
    durable: list[Journal]


def record(case: Case, root: Path) -> Recording:
    case.story.prepare(root)
    with sh.Workspace(root, actor="before") as ws:
        if not ws.history():
            ws.create("seed.txt", "so that there is a journal\n")
        records = len(ws.history())
    before = tree_of(root)
    with contextlib.closing(sqlite3.connect(root / FOLDER / DATABASE[0])) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    recorder = case.recorder(root, case.saves)
    first = recorder.journal()
    with sh.Workspace(root, actor="child", storage=recorder) as ws:
        with contextlib.suppress(EditError) if case.saves else contextlib.nullcontext():
            case.story.act(ws)
        recorder._note(Op())
        after = tree_of(root)
    known: dict[Journal, bool] = {}
    durable, last = [], first
    for journal in recorder.journals:
        if journal not in known:
            known[journal] = is_prepared(journal)
        last = journal if known[journal] else last
        durable.append(last)
    return Recording(before, after, records, recorder, durable)


def check(case: Case, recording: Recording, done: list[Op], root: Path) -> None:
    """Open the disk as after a restart, use it, and compare."""
    room = root / FOLDER / "kept"
    kept_before = len(list(room.glob("*")))
    with sh.Workspace(root, actor="witness", storage=Restarted()) as ws:
        ws.files()
        tree = {path: found for path, found in tree_of(root).items() if TEMP_PREFIX not in path}
        entries = ws.history()
        report = ws.check()
        assert report.ok, report
        ws.create("next.txt", "the next change\n")
        ws.undo(last=True)
        assert temporaries(root) == [], "temporaries are left"
        assert tree_of(root) == tree, "what was left was not only removed"
        warnings = ws.warnings
    kept = [path.read_bytes() for path in room.glob("*")]
    assert len(kept) - kept_before <= len(warnings), "something was kept and not reported"
    if case.saves:
        check_saves(done, [data for _, data, _ in tree.values()] + kept)
        return
    assert not report.drifted, report
    assert all(entry.state is State.COMMITTED for entry in entries), [entry.state for entry in entries]
    assert tree in (recording.before, recording.after), "neither before nor after"
    assert len(entries) == recording.records + (tree == recording.after), "the journal does not know which"
    is_acknowledged = len(done) == len(recording.recorder.ops)
    assert tree == recording.after or not is_acknowledged, "an acknowledged change is lost"
    whole = {data for side in (recording.before, recording.after) for _, data, _ in side.values()}
    assert not whole.intersection(kept), "kept, though nobody else was at work"


def check_saves(done: list[Op], found: list[bytes]) -> None:
    """What another program has saved is in the tree, or kept."""
    texts = [op.data.decode() for op in done if op.is_others and op.data is not None]
    saved = {line for text in texts for line in text.splitlines(keepends=True) if line.endswith(SAVED)}
    everything = b"".join(found).decode()
    assert [line for line in saved if line not in everything] == [], "a save is lost"


def images(case: Case, root: Path, chance: random.Random) -> Iterator[tuple[int, Disk, Journal, Recording]]:
    """Every disk of a case, each once for an instant."""
    recording = record(case, root)
    recorder = recording.recorder
    for at in range(len(recorder.ops)):
        ops = recorder.ops[: at + 1]
        is_safe, open_ = choices(recorder.start, ops)
        journals = dict.fromkeys((recorder.journals[at], recording.durable[at]))
        seen: set[Any] = set()
        for decided in decisions(open_, chance):
            disk = image(recorder.start, ops, is_safe, decided)
            key = (
                frozenset(disk.names.items()),
                *(
                    frozenset((n, facts[n]) for n in set(disk.names.values()) if n in facts)
                    for facts in (disk.data, disk.modes)
                ),
            )
            if key not in seen:
                seen.add(key)
                for journal in journals:
                    yield at, disk, journal, recording


def sweep(case: Case, *, every: int = 1, seed: int = 1) -> tuple[int, list[str]]:
    """Check every n-th disk of a case: how many were checked, and what was wrong."""
    count, wrong = 0, []
    memory = Path("/dev/shm")  # SQLite's own syncs cost nothing there
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        root = Path(scratch, "root")
        root.mkdir()
        chance = random.Random(seed)
        for number, (at, disk, journal, recording) in enumerate(images(case, root, chance)):
            is_last = at == len(recording.recorder.ops) - 1
            if number % every != seed % every and not is_last:
                continue
            count += 1
            put(disk, journal, root)
            try:
                check(case, recording, recording.recorder.ops[: at + 1], root)
            except (AssertionError, EditError, OSError) as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                wrong.append(f"{case.name}: after call {at + 1}, disk {number}: {error} ({place.name}:{place.lineno})")
    return count, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stories", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--every", type=int, default=1, help="check every n-th disk")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    total, violations = 0, 0
    for case in CASES:
        if case.name in options.stories:
            count, wrong = sweep(case, every=options.every, seed=options.seed)
            total, violations = total + count, violations + len(wrong)
            print(f"{case.name}: {count} disks", *wrong[:20], sep="\n  ", flush=True)
    print(f"images {total}, violations {violations}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
