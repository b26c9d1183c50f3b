"""One file is replaced whole, with its mode, owner and attributes, or not at all."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.sandbox import FileImage, Place, Sandbox
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.files.writer import (
    check_writable,
    discard,
    is_torn,
    new_file_mode,
    stage,
    write_in_place,
)
from tests.faults.storage import FaultStorage
from tests.table import table

OLD = b"old content\n" * 400
NEW = b"new and longer content\n" * 400
TEMP = f"{TEMP_PREFIX}abc-0"
IS_ROOT = os.geteuid() == 0
# Another user than ourselves, to give files to; a process that is not root may give a file to itself only.
SOMEBODY = (12345, 23456) if IS_ROOT else (os.geteuid(), os.getegid())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_bytes(OLD)
    return tmp_path


@pytest.fixture
def box(root: Path) -> Iterator[Sandbox]:
    with Sandbox(root, storage=Storage()) as sandbox:
        yield sandbox


@pytest.fixture
def place(box: Sandbox) -> Iterator[Place]:
    with box.place("a.md", writing=True) as place:
        yield place


def become_nobody() -> None:
    if IS_ROOT:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def refusal_of(work: Callable[[], object]) -> EditError | None:
    try:
        work()
    except EditError as error:
        return error
    return None


def names(root: Path) -> list[str]:
    return sorted(os.listdir(root))


def commit(storage: Storage, place: Place, data: bytes, image: FileImage) -> tuple[str, ...]:
    notes = stage(storage, place.dir_fd, data, temp_name=TEMP, like=image, path=place.path)
    os.rename(TEMP, place.name, src_dir_fd=place.dir_fd, dst_dir_fd=place.dir_fd)
    return notes


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("torn", [False, True])
def test_an_error_at_any_call_of_staging_leaves_the_old_bytes_and_no_temporary(
    box: Sandbox, place: Place, root: Path, number: int, torn: bool
) -> None:
    os.setxattr(root / "a.md", "user.note", b"1")
    image = box.read(place)
    for at in range(1, 40):
        storage = FaultStorage(at=at, error=number, torn=torn)
        error = refusal_of(lambda storage=storage: commit(storage, place, NEW, image))  # type: ignore[misc]
        assert storage.calls.count("fsync") <= 1, "a refused fsync is final"
        if error is None:
            break
        assert error.kind is Kind.DISK_REFUSED
        assert (root / "a.md").read_bytes() == OLD
        assert names(root) == ["a.md"]
    assert (storage.faults, at > 5) == (0, True)
    assert (root / "a.md").read_bytes() == NEW


def test_a_temporary_that_cannot_be_removed_does_not_hide_the_cause(place: Place, root: Path) -> None:
    storage = FaultStorage(at=2, error=errno.ENOSPC, persistent=True)
    with pytest.raises(EditError) as caught:
        stage(storage, place.dir_fd, NEW, temp_name=TEMP, path="a.md")
    assert "ENOSPC" in caught.value.message
    assert names(root) == [TEMP, "a.md"]


def test_an_existing_temporary_or_link_is_not_written_over(place: Place, root: Path) -> None:
    (root / "victim").write_bytes(b"victim")
    (root / TEMP).symlink_to("victim")
    with pytest.raises(EditError) as caught:
        stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, path="a.md")
    assert caught.value.kind is Kind.EXISTS_ALREADY
    assert (root / "victim").read_bytes() == b"victim"
    assert (root / TEMP).is_symlink(), "what we did not make we do not remove"


def test_a_file_size_limit_of_the_system_is_a_refusal(root: Path) -> None:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            with Sandbox(root, storage=Storage()) as box, box.place("a.md", writing=True) as place:
                stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, path="a.md")
        except EditError as error:
            code = 0 if error.kind is Kind.DISK_REFUSED and "EFBIG" in error.message else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert names(root) == ["a.md"]
    assert (root / "a.md").read_bytes() == OLD


def test_metadata_that_cannot_be_carried_is_a_refusal_that_names_it(box: Sandbox, place: Place, root: Path) -> None:
    os.setxattr(root / "a.md", "user.note", b"1")
    image = box.read(place)

    class Stubborn(Storage):
        def fchown(self, fd: int, uid: int, gid: int) -> None:
            raise PermissionError(errno.EPERM, "")

        def setxattr(self, fd: int, name: str, value: bytes) -> None:
            raise OSError(errno.ENOTSUP, "")

        def fstat(self, fd: int) -> os.stat_result:
            found = list(super().fstat(fd))
            found[4], found[5] = 777, 888
            return os.stat_result(found)

    with pytest.raises(EditError) as caught:
        stage(Stubborn(), place.dir_fd, NEW, temp_name=TEMP, like=image, path="a.md")
    assert caught.value.kind is Kind.DISK_REFUSED
    assert caught.value.details["metadata"] == ["group", "owner", "user.note"]
    assert names(root) == ["a.md"]
    lose = ("owner", "group", "user.note")
    notes = stage(Stubborn(), place.dir_fd, NEW, temp_name=TEMP, like=image, path="a.md", may_lose=lose)
    assert len(notes) == 3


def test_rights_given_to_the_old_content_do_not_pass_to_the_new(box: Sandbox, place: Place, root: Path) -> None:
    os.chmod(root / "a.md", 0o6755)
    image = box.read(place)
    notes = commit(Storage(), place, NEW, image)
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o755
    assert any("set-user" in note for note in notes)
    stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, like=image, path="a.md", keep_special=True)
    assert stat.S_IMODE((root / TEMP).stat().st_mode) == 0o6755
    discard(Storage(), place.dir_fd, TEMP)
    stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, mode=0o4755, path="a.md")
    assert stat.S_IMODE((root / TEMP).stat().st_mode) == 0o755


def test_capabilities_and_content_hashes_are_dropped(box: Sandbox, place: Place) -> None:
    image = box.read(place)
    attributes = (("security.capability", b"\1\0\0\2" + b"\0" * 16), ("security.ima", b"hash"), ("user.kept", b"1"))
    dressed = FileImage(**{**{f: getattr(image, f) for f in image.__slots__}, "xattrs": attributes})
    notes = stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, like=dressed, path="a.md")
    fd = os.open(TEMP, os.O_RDONLY, dir_fd=place.dir_fd)
    assert [name for name in os.listxattr(fd) if name != "security.selinux"] == ["user.kept"]
    os.close(fd)
    assert any("capabilities" in note for note in notes)


def test_writing_in_place_refuses_another_file_under_the_same_name(box: Sandbox, place: Place, root: Path) -> None:
    image = box.read(place)
    (root / "other").write_bytes(b"somebody else's")
    os.rename(root / "other", root / "a.md")
    with pytest.raises(EditError) as caught:
        write_in_place(Storage(), place, NEW, image)
    assert caught.value.kind is Kind.STALE_SOURCE
    assert (root / "a.md").read_bytes() == b"somebody else's"
    os.unlink(root / "a.md")
    (root / "victim").write_bytes(b"victim")
    (root / "a.md").symlink_to("victim")
    with pytest.raises(EditError) as caught:
        write_in_place(Storage(), place, NEW, image)
    assert caught.value.kind is Kind.OUTSIDE_ROOT
    os.unlink(root / "a.md")
    os.mkfifo(root / "a.md")
    with pytest.raises(EditError) as caught:
        write_in_place(Storage(), place, NEW, image)
    assert caught.value.kind is Kind.NOT_TEXT
    assert (root / "victim").read_bytes() == b"victim"


def test_a_torn_write_in_place_says_so_and_is_new_text_then_old(box: Sandbox, place: Place, root: Path) -> None:
    image = box.read(place)
    seen = set()
    for at in range(1, 20):
        storage = FaultStorage(at=at, error=errno.EIO, torn=True)
        error = refusal_of(lambda storage=storage: write_in_place(storage, place, NEW, image))  # type: ignore[misc]
        assert storage.calls.count("fsync") <= 1
        if error is None:
            break
        now = (root / "a.md").read_bytes()
        seen.add(error.details.get("applied"))
        assert error.details.get("applied") == "unknown" or now == OLD
        cut = len(NEW) // 2
        assert now in (OLD, NEW, NEW[:cut] + OLD[cut:])
        (root / "a.md").write_bytes(OLD)
    assert seen == {None, "unknown"}
    assert (root / "a.md").read_bytes() == NEW


def test_a_file_that_may_not_be_written_is_reported_before_it_is_replaced(root: Path) -> None:
    os.chmod(root, 0o755)
    os.chmod(root / "a.md", 0o444)
    with Sandbox(root, storage=Storage()) as box:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                become_nobody()
                with box.place("a.md", writing=True) as place:
                    assert box.read(place).mode == 0o444
                    check_writable(Storage(), place)
            except EditError as error:
                code = 0 if error.kind is Kind.READ_ONLY else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_another_users_file_is_not_taken_over_by_replacing_it(root: Path) -> None:
    would_lose = ["group", "owner"] if IS_ROOT else None  # without root the file is our own, and nothing is lost
    os.chmod(root, 0o777)
    os.chmod(root / "a.md", 0o666)
    with Sandbox(root, storage=Storage()) as box:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                become_nobody()
                with box.place("a.md", writing=True) as place:
                    check_writable(Storage(), place)
                    stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, like=box.read(place), path="a.md")
                    discard(Storage(), place.dir_fd, TEMP)
                code = 0 if would_lose is None else 3
            except EditError as error:
                code = 0 if error.details.get("metadata") == would_lose else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert names(root) == ["a.md"]


def test_a_file_that_may_be_written_passes_and_stays(box: Sandbox, place: Place, root: Path) -> None:
    check_writable(Storage(), place)
    assert box.read(place).data == OLD


def test_a_new_version_carries_mode_owner_and_attributes(box: Sandbox, place: Place, root: Path) -> None:
    path = root / "a.md"
    os.chown(path, *SOMEBODY)
    os.chmod(path, 0o640)
    os.setxattr(path, "user.note", b"kept")
    os.setxattr(path, "user.empty", b"")
    image = box.read(place)
    assert commit(Storage(), place, NEW, image) == ()
    after = box.read(place)
    assert after.data == NEW
    assert after.digest == digest_of(NEW)
    assert (after.mode, after.uid, after.gid) == (0o640, *SOMEBODY)
    assert after.xattrs == image.xattrs
    assert after.ino != image.ino
    assert names(root) == ["a.md"]


def acl(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX access list as the kernel takes it: version 2, then tag, rights and id of each entry."""
    body = b"".join(
        tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + (who & 0xFFFFFFFF).to_bytes(4, "little")
        for tag, rights, who in entries
    )
    return (2).to_bytes(4, "little") + body


GUEST = acl((1, 6, -1), (2, 4, 4321), (4, 4, -1), (16, 4, -1), (32, 0, -1))


def test_an_access_list_is_carried_and_a_foreign_default_is_not_taken_on(
    box: Sandbox, place: Place, root: Path
) -> None:
    os.setxattr(root / "a.md", "system.posix_acl_access", GUEST)
    commit(Storage(), place, NEW, box.read(place))
    assert os.getxattr(root / "a.md", "system.posix_acl_access") == GUEST
    os.removexattr(root / "a.md", "system.posix_acl_access")
    os.chmod(root / "a.md", 0o600)
    os.setxattr(root, "system.posix_acl_default", GUEST)
    commit(Storage(), place, OLD, box.read(place))
    assert "system.posix_acl_access" not in os.listxattr(root / "a.md")
    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o600


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000, 0o027])
def test_a_new_file_gets_what_the_umask_leaves(place: Place, root: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        assert new_file_mode() == 0o666 & ~umask
        stage(Storage(), place.dir_fd, NEW, temp_name=TEMP, path="new.md")
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / TEMP).stat().st_mode) == 0o666 & ~umask


def test_a_temporary_is_private_until_it_is_complete(place: Place, root: Path) -> None:
    modes = []

    class Looks(Storage):
        def write(self, fd: int, data: bytes) -> None:
            modes.append(stat.S_IMODE(os.fstat(fd).st_mode))
            super().write(fd, data)

    stage(Looks(), place.dir_fd, NEW, temp_name=TEMP, mode=0o644, path="a.md")
    assert modes == [0o600]
    assert stat.S_IMODE((root / TEMP).stat().st_mode) == 0o644


@pytest.mark.parametrize("data", [b"", b"x", NEW, OLD[:-1]], ids=["empty", "short", "longer", "shorter"])
def test_writing_in_place_keeps_the_inode_and_all_names(box: Sandbox, place: Place, root: Path, data: bytes) -> None:
    os.link(root / "a.md", root / "b.md")
    os.chmod(root / "a.md", 0o640)
    image = box.read(place)
    assert image.nlink == 2
    write_in_place(Storage(), place, data, image)
    after = box.read(place)
    assert (root / "b.md").read_bytes() == data
    assert (after.ino, after.mode, after.nlink) == (image.ino, 0o640, 2)


def torn_files(old: bytes, new: bytes) -> Iterator[bytes]:
    """What a kill or a power cut may leave of `new` written over `old`: per page one of them or zeros."""
    page = 4096
    for length in {len(old), len(new), (len(old) + len(new)) // 2}:
        for sides in product((old, new, b""), repeat=-(-length // page)):
            parts = (side[i * page : (i + 1) * page] for i, side in enumerate(sides))
            yield b"".join(part.ljust(page, b"\0") for part in parts)[:length]
    for cut in range(0, len(new), 97):
        yield new[:cut] + old[cut:]


@table(("old", "new"), [(OLD, NEW), (NEW, OLD), (OLD, OLD.replace(b"c", b"C")), (b"x\n", NEW), (NEW, b"")])
def test_what_a_crash_leaves_of_writing_in_place_is_known_and_what_others_write_is_not(old: bytes, new: bytes) -> None:
    for left in torn_files(old, new):
        assert is_torn(left, old, new)
    text = max(old, new, key=len)
    for foreign in (text + b"more\n", b"mine\n" + text[5:], text[:-3] + b"me\n", text.replace(b"o", b"0")):
        assert not is_torn(foreign, old, new)


def test_the_order_of_staging_is_write_metadata_fsync(box: Sandbox, place: Place) -> None:
    storage = FaultStorage()
    commit(storage, place, NEW, box.read(place))
    assert storage.mutations == ["create", "write", "fchmod", "fsync"]
