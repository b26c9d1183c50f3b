"""In which order a transaction reaches the disk, seen from the storage beneath a workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

import steadyhand as sh
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.storage import Storage


class Step(NamedTuple):
    """A call that matters for durability, and the file or directory it was about, relative to the root."""

    call: str
    path: str
    handle: int = 0


class Recording(Storage):
    """Notes what is created, written, synced and renamed; a handle gets a number of its own at each opening."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.steps: list[Step] = []
        self._opened: dict[int, int] = {}
        self._count = 0

    def where(self, fd: int, name: str = "") -> str:
        return os.path.relpath(os.path.join(os.readlink(f"/proc/self/fd/{fd}"), name), self.root)

    def note(self, call: str, path: str, fd: int | None = None) -> None:
        if not path.startswith(".steadyhand/"):
            self.steps.append(Step(call, path, 0 if fd is None else self._number(fd)))

    def _number(self, fd: int) -> int:
        if fd not in self._opened:
            self._count += 1
            self._opened[fd] = self._count
        return self._opened[fd]

    def close(self, fd: int) -> None:
        self._opened.pop(fd, None)
        super().close(fd)

    def fsync(self, fd: int) -> None:
        self.note("fsync", self.where(fd), fd)
        super().fsync(fd)

    def fsync_dir(self, fd: int) -> None:
        self.note("fsync_dir", self.where(fd), fd)
        super().fsync_dir(fd)

    def write(self, fd: int, data: bytes) -> None:
        self.note("write", self.where(fd))
        super().write(fd, data)

    def write_at(self, fd: int, data: bytes | memoryview, offset: int) -> None:
        self.note("write_at", self.where(fd))
        super().write_at(fd, data, offset)

    def mkdir(self, name: str, mode: int = 0o777, *, dir_fd: int) -> None:
        self.note("mkdir", self.where(dir_fd, name))
        super().mkdir(name, mode, dir_fd=dir_fd)

    def rename(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        self.note("rename", self.where(after_dir_fd, after))
        super().rename(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)

    def rename_noreplace(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        self.note("rename", self.where(after_dir_fd, after))
        super().rename_noreplace(before, after, before_dir_fd=before_dir_fd, after_dir_fd=after_dir_fd)

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        self.note("rename", self.where(other_dir_fd, other))
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)


@pytest.fixture
def storage(tmp_path: Path) -> Recording:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_bytes(b"one\ntwo\n")
    (tmp_path / "b.md").write_bytes(b"one\n")
    return Recording(tmp_path)


@pytest.fixture
def ws(storage: Recording) -> sh.Workspace:
    """A workspace whose state folder is there already."""
    ws = sh.Workspace(storage.root, storage=storage)
    ws.edit("b.md", [sh.Replace("one", "1")])
    storage.steps.clear()
    return ws


def order(storage: Recording) -> list[tuple[str, str]]:
    """Calls and paths; a temporary is shown as such."""
    return [(step.call, "TEMP" if TEMP_PREFIX in step.path else step.path) for step in storage.steps]


def assert_no_sync_twice(storage: Recording) -> None:
    """A second fsync of one handle may report success for pages that the first one lost."""
    synced = [step.handle for step in storage.steps if step.call == "fsync"]
    assert len(synced) == len(set(synced))


def test_an_edit_is_on_the_medium_before_its_name_and_its_name_before_the_answer(
    ws: sh.Workspace, storage: Recording
) -> None:
    ws.edit("d/a.md", [sh.Replace("two", "2")])
    assert order(storage) == [("write", "TEMP"), ("fsync", "TEMP"), ("rename", "d/a.md"), ("fsync_dir", "d")]
    assert_no_sync_twice(storage)


def test_every_new_directory_is_durable_in_its_parent_before_anything_is_renamed_into_it(
    ws: sh.Workspace, storage: Recording
) -> None:
    ws.create("d/x/y/new.md", "fresh\n")
    assert order(storage) == [
        ("mkdir", "d/x"), ("fsync_dir", "d"),
        ("mkdir", "d/x/y"), ("fsync_dir", "d/x"),
        ("write", "TEMP"), ("fsync", "TEMP"), ("rename", "d/x/y/new.md"), ("fsync_dir", "d/x/y"),
    ]  # fmt: skip
    assert_no_sync_twice(storage)


def test_a_directory_is_synced_once_for_all_names_that_change_in_it(ws: sh.Workspace, storage: Recording) -> None:
    with ws.transaction() as tx:
        for number in range(8):
            tx.create(f"d/{number}.md", "fresh\n")
        tx.edit("d/a.md", [sh.Replace("two", "2")])
        tx.edit("b.md", [sh.Replace("1", "one")])
    assert sorted(path for call, path in order(storage) if call == "fsync_dir") == [".", "d"]


def test_a_file_with_two_names_is_written_over_only_when_its_new_content_can_be_found_after_a_power_cut(
    ws: sh.Workspace, storage: Recording
) -> None:
    os.link(storage.root / "d" / "a.md", storage.root / "same.md")
    ws.edit("d/a.md", [sh.Replace("two", "2")], policy=sh.Policy(hardlinks="in-place"))
    seen = order(storage)
    first = seen.index(("write_at", "d/a.md"))
    assert seen[:first] == [("write", "TEMP"), ("fsync", "TEMP"), ("fsync_dir", "d")]
    assert seen[first + 1] == ("fsync", "d/a.md")
    assert_no_sync_twice(storage)


def test_in_a_transaction_every_new_content_is_on_the_medium_before_the_first_name_changes(
    ws: sh.Workspace, storage: Recording
) -> None:
    with ws.transaction() as tx:
        tx.edit("d/a.md", [sh.Replace("two", "2")])
        tx.edit("b.md", [sh.Replace("1", "one")])
        tx.create("e/c.md", "fresh\n")
    calls = [call for call, _ in order(storage)]
    first, last = calls.index("rename"), len(calls) - 1 - calls[::-1].index("rename")
    assert calls[:first].count("fsync") == 3
    assert "fsync" not in calls[first:]
    assert {path for call, path in order(storage)[last:] if call == "fsync_dir"} == {"d", ".", "e"}
    assert_no_sync_twice(storage)
