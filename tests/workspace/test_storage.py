"""Each storage call does what its system call does, on handles only."""

from __future__ import annotations

import errno
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files import storage as system
from steadyhand.workspace.files.storage import NO_SUCH_RENAME, Storage, refuse_os
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.trees import temporaries
from tests.table import table


@pytest.fixture
def here(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def test_opening_never_creates_or_truncates(here: int) -> None:
    for flags in (os.O_CREAT, os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_EXCL):
        with pytest.raises(ValueError, match="neither"):
            Storage().open("x", flags, dir_fd=here)


def test_creating_takes_no_existing_file_and_no_link(here: int, tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "dangling").symlink_to("elsewhere")
    for name in ("there", "dangling"):
        with pytest.raises(FileExistsError):
            Storage().create(name, 0o600, dir_fd=here)
    assert (tmp_path / "there").read_bytes() == b"old"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("kernel", [True, False])
def test_a_rename_that_must_not_replace_does_not(
    here: int, tmp_path: Path, kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, "")

    if not kernel:
        monkeypatch.setattr(system, "_renameat2", unsupported)
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    with pytest.raises(FileExistsError):
        Storage().rename_noreplace("a", "b", before_dir_fd=here, after_dir_fd=here)
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"a", b"b")
    Storage().rename_noreplace("a", "c", before_dir_fd=here, after_dir_fd=here)
    assert sorted(os.listdir(tmp_path)) == ["b", "c"]
    assert (tmp_path / "c").stat().st_nlink == 1


def test_a_rename_by_links_that_fails_leaves_no_second_name(
    here: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, "")

    unlink = os.unlink

    def stubborn(name: str, *, dir_fd: int) -> None:
        if name == "a":
            raise PermissionError(errno.EPERM, "")
        unlink(name, dir_fd=dir_fd)

    (tmp_path / "a").write_bytes(b"a")
    monkeypatch.setattr(system, "_renameat2", unsupported)
    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", stubborn)
        with pytest.raises(PermissionError):
            Storage().rename_noreplace("a", "b", before_dir_fd=here, after_dir_fd=here)
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").stat().st_nlink == 1


class MacLibrary:
    """The C library of macOS as far as renames go: it has `renameatx_np`, and no `renameat2`."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def renameatx_np(self, *arguments: Any) -> int:
        self.calls.append(tuple(each.value for each in arguments))
        return 0


def test_on_macos_names_are_exchanged_and_given_by_its_own_call(monkeypatch: pytest.MonkeyPatch) -> None:
    library = MacLibrary()
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(system, "_libc", lambda: library)
    Storage().exchange("a", "b", one_dir_fd=3, other_dir_fd=4)
    Storage().rename_noreplace("a", "b", before_dir_fd=3, after_dir_fd=4)
    swap, exclusive = 0x2, 0x4  # RENAME_SWAP and RENAME_EXCL in <sys/stdio.h>
    assert library.calls == [(3, b"a", 4, b"b", swap), (3, b"a", 4, b"b", exclusive)]


def test_where_the_library_has_no_such_rename_it_is_said(here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")  # whose call this library does not have
    monkeypatch.setattr(system, "_libc", object)
    with pytest.raises(OSError, match=r".") as caught:
        Storage().exchange("a", "b", one_dir_fd=here, other_dir_fd=here)
    assert caught.value.errno in NO_SUCH_RENAME


WITHOUT_THE_SYMBOL = """
import os, sys
import steadyhand as sh
from steadyhand.workspace.files import storage as system
sys.platform = "darwin"
system._libc = object  # a C library without the calls that exchange names
with sh.Workspace(".") as ws:
    assert ws._store.sandbox.resolver == "walk"
    ws.edit("a.txt", [sh.Replace("one", "1")])
    ws.create("sub/b.txt", "new\\n")
    with ws.transaction() as tx:
        tx.rename("a.txt", "sub/c.txt")
        tx.delete("sub/b.txt")
        tx.edit("d.txt", [sh.Replace("one", "1")])
    print(open("sub/c.txt").read() + open("d.txt").read() + str(os.path.exists("a.txt")))
    ws.undo(last=True)
    print(open("a.txt").read() + open("sub/b.txt").read() + str(os.path.exists("sub/c.txt")))
    print(ws.check().ok)
"""


def test_where_the_symbol_is_missing_every_change_works_the_other_way(tmp_path: Path) -> None:
    for name in ("a.txt", "d.txt"):
        (tmp_path / name).write_text("one\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_SYMBOL], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "1\n1\nFalse\n1\nnew\nFalse\nTrue\n", done.stderr
    assert temporaries(tmp_path) == []


def test_the_kernels_resolver_keeps_beneath(here: int, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "abs").symlink_to("/")
    rules = system.BENEATH | system.NO_MAGICLINKS
    paths = ["..", "up", "abs", "/", "in/../.."]
    if system.has_openat2(here):
        os.close(Storage().open_beneath("in", os.O_RDONLY, dir_fd=here, resolve=rules))
    else:
        paths.append("in")
    for path in paths:
        with pytest.raises(OSError, match=r".") as caught:
            os.close(Storage().open_beneath(path, os.O_RDONLY, dir_fd=here, resolve=rules))
        assert caught.value.errno == errno.EXDEV or not system.has_openat2(here)


def test_handles_do_not_pass_to_child_programs(here: int, tmp_path: Path) -> None:
    storage = Storage()
    fds = [storage.create("x", 0o600, dir_fd=here), storage.open(".", os.O_RDONLY, dir_fd=here)]
    if system.has_openat2(here):
        fds.append(storage.open_beneath(".", os.O_RDONLY, dir_fd=here, resolve=system.BENEATH))
    for fd in fds:
        assert not os.get_inheritable(fd)
        os.close(fd)


def test_writing_and_reading_go_through_whole(here: int) -> None:
    storage = Storage()
    data = os.urandom(300_000)
    fd = storage.create("x", 0o600, dir_fd=here)
    storage.write(fd, data)
    storage.write_at(fd, b"12345", 10)
    os.lseek(fd, 0, os.SEEK_SET)
    assert storage.read(fd, 1_000_000) == data[:10] + b"12345" + data[15:]
    os.lseek(fd, 0, os.SEEK_SET)
    assert len(storage.read(fd, 1000)) == 1000
    storage.close(fd)


def test_a_directory_is_listed_up_to_the_limit_by_several_at_once(here: int, tmp_path: Path) -> None:
    for n in range(30):
        (tmp_path / f"f{n}").write_bytes(b"")
    storage = Storage()
    assert len(storage.listdir(here, limit=7)) == 7
    assert len(storage.listdir(here, limit=100)) == 30
    assert {entry.kind for entry in storage.listdir(here, limit=100)} == {"file"}


def test_every_method_is_known_as_mutating_or_reading() -> None:
    methods = {name for name, _ in inspect.getmembers(Storage, inspect.isfunction) if not name.startswith("_")}
    assert methods == Storage.MUTATING | Storage.READING
    assert not Storage.MUTATING & Storage.READING


def test_a_fault_comes_once_or_from_then_on(here: int) -> None:
    once = FaultStorage(at=2, error=errno.ENOSPC)
    once.stat(".", dir_fd=here)
    with pytest.raises(OSError, match="No space"):
        once.stat(".", dir_fd=here)
    once.stat(".", dir_fd=here)
    assert (once.count, once.faults) == (3, 1)
    always = FaultStorage(at=2, persistent=True)
    always.stat(".", dir_fd=here)
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output"):
            always.stat(".", dir_fd=here)


def test_only_watched_calls_are_counted(here: int) -> None:
    storage = FaultStorage(at=1, watch="mutating")
    storage.stat(".", dir_fd=here)
    with pytest.raises(OSError, match="Input/output"):
        storage.mkdir("d", dir_fd=here)
    assert storage.calls == ["stat", "mkdir"]
    assert storage.mutations == ["mkdir"]


def test_a_torn_write_leaves_half(here: int, tmp_path: Path) -> None:
    storage = FaultStorage(at=2, torn=True)
    fd = storage.create("x", 0o600, dir_fd=here)
    with pytest.raises(OSError, match="Input/output"):
        storage.write(fd, b"12345678")
    storage.close(fd)
    assert (tmp_path / "x").read_bytes() == b"1234"


def test_a_deadly_fault_ends_the_process(here: int) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            FaultStorage(at=1, exit=True).stat(".", dir_fd=here)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == EXIT_CODE


CAUSES = {
    errno.ENOSPC: Kind.DISK_REFUSED,
    errno.EDQUOT: Kind.DISK_REFUSED,
    errno.EFBIG: Kind.DISK_REFUSED,
    errno.EIO: Kind.DISK_REFUSED,
    errno.EMFILE: Kind.DISK_REFUSED,
    errno.EROFS: Kind.READ_ONLY,
    errno.EACCES: Kind.READ_ONLY,
    errno.EPERM: Kind.READ_ONLY,
    errno.ELOOP: Kind.OUTSIDE_ROOT,
    errno.EXDEV: Kind.OUTSIDE_ROOT,
    errno.ENOENT: Kind.NO_SUCH_FILE,
    errno.EEXIST: Kind.EXISTS_ALREADY,
    errno.EISDIR: Kind.NOT_TEXT,
    errno.ENAMETOOLONG: Kind.BAD_REQUEST,
    errno.EPROTO: Kind.DISK_REFUSED,
}


@table(("number", "kind"), CAUSES.items(), ids=[errno.errorcode[n] for n in CAUSES])
def test_a_system_error_becomes_a_refusal_with_its_cause_and_no_foreign_path(number: int, kind: Kind) -> None:
    error = refuse_os(OSError(number, "secret words", "/etc/outside", None, "/etc/other"), "write", "docs/a.md")
    assert error.kind is kind
    assert errno.errorcode[number] in error.message
    assert '"docs/a.md"' in error.message
    assert error.hint
    assert "/etc" not in str(error.to_json())
    assert "secret" not in str(error.to_json())


def test_the_room_imports_where_fcntl_is_missing_and_refuses_to_work_there(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["fcntl"] = None
import os
for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_PATH"):
    if hasattr(os, name):
        delattr(os, name)
from steadyhand.errors import EditError, Kind
from steadyhand.workspace import locks
from steadyhand.workspace.files import listing, protection, sandbox, storage, writer
for work in (lambda: sandbox.Sandbox(".", storage=storage.Storage()), lambda: locks.LockTable("locks")):
    try:
        work()
    except EditError as error:
        assert error.kind is Kind.NOT_INSTALLED, error
    else:
        raise SystemExit("worked")
import steadyhand as sh
try:
    sh.Workspace(".")
except sh.EditError as error:
    assert error.kind is sh.Kind.NOT_INSTALLED, error
    assert "WSL" in error.hint and "steadyhand.edit" in error.hint and "steadyhand.patch" in error.hint, error.hint
else:
    raise SystemExit("opened")
assert sh.edit("one two", [sh.Replace("two", "2")]).text == "one 2"
assert sh.patch("a\\n", "<<<<<<< SEARCH\\na\\n=======\\nb\\n>>>>>>> REPLACE\\n").text == "b\\n"
assert sh.outline("# One\\n", path="a.md").entries[0].label
"""
    source = Path(sys.modules["steadyhand"].__file__ or "").parent.parent
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(tmp_path) == []


def test_the_platform_here_is_enough() -> None:
    from steadyhand.workspace.files.storage import require_platform

    try:
        require_platform()
    except EditError as error:
        pytest.fail(str(error))


def test_a_whole_file_system_is_synced_through_a_handle(here: int) -> None:
    Storage().sync_all(here)
    with pytest.raises(OSError, match="Bad file descriptor"):
        Storage().sync_all(-1)
    assert not Storage().can_sync_all(-1)
