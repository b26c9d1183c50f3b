"""What a transaction on very many files costs, in counted work: statements, syncs, handles and lock files."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import temporaries, tree_of
from tests.sampling import WHOLE
from tests.table import table

DIRECTORIES = 5


def names(count: int) -> list[str]:
    return [f"d{number % DIRECTORIES}/file_{number}.txt" for number in range(count)]


def lay_out(root: Path, count: int) -> None:
    for name in names(count):
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text(f"the first line\nthe name is {name}\n")


def diff(count: int, old: str = "first", new: str = "second") -> str:
    return "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n-the {old} line\n+the {new} line\n the name is {name}\n"
        for name in names(count)
    )


def statements_in(work: Callable[[], object]) -> int:
    """How many calls were made of the database."""
    count = 0

    def note(_: FrameType, event: str, argument: object) -> None:
        nonlocal count
        owner = getattr(argument, "__self__", None)
        name = getattr(argument, "__name__", "")
        count += event == "c_call" and isinstance(owner, sqlite3.Connection) and name in ("execute", "executemany")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def counted(root: Path, count: int) -> tuple[int, int]:
    """The statements of a patch on files that the journal does not know, and of one on files that it does."""
    lay_out(root, count)
    with sh.Workspace(root, actor="a") as ws:
        ws.write("other.txt", "the journal is there\n")
        return (
            statements_in(lambda: ws.patch(diff(count))),
            statements_in(lambda: ws.patch(diff(count, "second", "third"))),
        )


@pytest.mark.sampled
def test_the_journal_is_not_asked_for_each_file(tmp_path: Path) -> None:
    few, many = counted(tmp_path / "few", 8), counted(tmp_path / "many", 100)
    assert many == few
    more = counted(tmp_path / "more", 1_000 if WHOLE else 300)
    assert all(after <= before + 40 for before, after in zip(few, more, strict=True)), "a page holds 100 to 400 files"


class Counting(Storage):
    """Counts syncs by what they are about, and handles that are open."""

    def __init__(self, *, can_sync_all: bool = False) -> None:
        self.can = can_sync_all
        self.synced: Counter[str] = Counter()
        self.open_now = self.most_open = 0

    def _opened(self, fd: int) -> int:
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        return fd

    def open(self, name: str, flags: int, *, dir_fd: int | None = None) -> int:
        return self._opened(super().open(name, flags, dir_fd=dir_fd))

    def open_beneath(self, path: str, flags: int, *, dir_fd: int, resolve: int) -> int:
        return self._opened(super().open_beneath(path, flags, dir_fd=dir_fd, resolve=resolve))

    def create(self, name: str, mode: int, *, dir_fd: int) -> int:
        return self._opened(super().create(name, mode, dir_fd=dir_fd))

    def close(self, fd: int) -> None:
        self.open_now -= 1
        super().close(fd)

    def fsync(self, fd: int) -> None:
        self.synced[f"file {os.fstat(fd).st_ino}"] += 1
        super().fsync(fd)

    def fsync_dir(self, fd: int) -> None:
        self.synced[f"directory {os.fstat(fd).st_ino}"] += 1
        super().fsync_dir(fd)

    def can_sync_all(self, fd: int) -> bool:
        return self.can

    def sync_all(self, fd: int) -> None:
        self.synced["all"] += 1


def test_very_many_files_are_synced_by_one_call(tmp_path: Path) -> None:
    lay_out(tmp_path, 400)
    storage = Counting(can_sync_all=True)
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.write("other.txt", "the state folder is there\n")
        storage.synced.clear()
        receipt = ws.patch(diff(400))
    directories = {f"directory {(tmp_path / f'd{number}').stat().st_ino}": 1 for number in range(DIRECTORIES)}
    assert storage.synced == {"all": 1, **directories}
    assert receipt.durable


def test_a_few_files_are_synced_one_by_one_all_the_same(tmp_path: Path) -> None:
    lay_out(tmp_path, 20)
    storage = Counting(can_sync_all=True)
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.patch(diff(20))
    assert all(storage.synced[f"file {(tmp_path / name).stat().st_ino}"] == 1 for name in names(20))
    assert not storage.synced["all"]


def test_each_file_and_each_directory_is_synced_once(tmp_path: Path) -> None:
    lay_out(tmp_path, 400)
    storage = Counting()
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.write("other.txt", "the state folder is there\n")
        storage.synced.clear()
        ws.patch(diff(400))
    for name in names(400):
        assert storage.synced[f"file {(tmp_path / name).stat().st_ino}"] == 1
    for number in range(DIRECTORIES):
        assert storage.synced[f"directory {(tmp_path / f'd{number}').stat().st_ino}"] == 1
    assert storage.synced.total() <= 400 + DIRECTORIES + 3, "and the intent note"


def test_few_handles_are_open_at_once(tmp_path: Path) -> None:
    lay_out(tmp_path, 400)
    storage = Counting()
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.patch(diff(400))
        assert storage.most_open < 64 + DIRECTORIES + 10
    assert storage.open_now <= 0


def test_few_lock_files_are_made(tmp_path: Path) -> None:
    lay_out(tmp_path, 400)
    with sh.Workspace(tmp_path) as ws:
        ws.patch(diff(400))
    assert len(os.listdir(tmp_path / FOLDER / "locks")) == 4


class FailingSync(Storage):
    """Fails the n-th sync of a file, whichever thread asks for it."""

    def __init__(self) -> None:
        self.left: Iterator[int] = iter(())

    def fsync(self, fd: int) -> None:
        if next(self.left, 1) == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().fsync(fd)


@table("at", range(24), every=5)
def test_a_sync_that_fails_among_many_leaves_every_file_as_it_was(tmp_path: Path, at: int) -> None:
    lay_out(tmp_path, 24)
    storage = FailingSync()
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.write("other.txt", "the journal is there\n")
        before = tree_of(tmp_path)
        storage.left = iter(range(at, -1, -1))
        with pytest.raises(EditError) as caught:
            ws.patch(diff(24))
        assert caught.value.kind is Kind.DISK_REFUSED
        assert tree_of(tmp_path) == before
        assert ws.patch(diff(24)).durable
    assert temporaries(tmp_path) == []


class FailingSyncOfAll(Counting):
    """A medium that loses what is written, once."""

    def sync_all(self, fd: int) -> None:
        super().sync_all(fd)
        if self.synced["all"] == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_one_sync_for_all_that_fails_is_final_and_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    lay_out(tmp_path, 400)
    storage = FailingSyncOfAll(can_sync_all=True)
    with sh.Workspace(tmp_path, storage=storage) as ws:
        ws.write("other.txt", "the journal is there\n")
        before = tree_of(tmp_path)
        storage.synced.clear()
        with pytest.raises(EditError) as caught:
            ws.patch(diff(400))
        assert caught.value.kind is Kind.DISK_REFUSED
        assert (storage.synced["all"], tree_of(tmp_path)) == (1, before)
        assert not any(name.startswith("file") for name in storage.synced), "no second try by another call"
        assert ws.patch(diff(400)).durable
    assert temporaries(tmp_path) == []
