"""One file, durably: a new version beside it, carrying everything the old one had, or over it where it must stay.

What a transaction is made of; nothing here knows of several files, journals or locks.
A temporary is complete and on the medium before anybody renames it; a failure removes it and changes nothing. Many
are written first and then waited for together; very many by one sync of their file system.
A version takes its name by exchange, so that whatever had the name meanwhile comes out and can be put back.
An fsync comes last, once, and is never repeated.

Mode, owner, group, extended attributes and access lists are carried over; what cannot be is a refusal that names it,
never a silent loss. Rights that were given to the old content (set-user, set-group, capabilities) do not pass to new
content by themselves. The order matters: owner before attributes before mode, since a change of owner clears mode bits
and a change of an access list moves them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.sandbox import FileImage, Place, Sandbox
from steadyhand.workspace.files.storage import (
    NO_SUCH_RENAME,
    NOFOLLOW,
    NONBLOCK,
    Storage,
    closing,
    holds,
    refuse_os,
    shown,
    shut,
)

Identity = tuple[int, int]
"""Which file it is, whatever its name: device and inode."""

_SECTOR: Final = 512
_FEW: Final = 3  # handles that are synced one after the other: threads would cost more than they save
_QUICK: Final = 0.0005  # seconds of a sync for which no thread is started
_MOST_AT_ONCE: Final = 8
_OPEN_AT_ONCE: Final = 64  # temporaries
_PUT_BACK_TRIES: Final = 100
_A_SAVE_TAKES: Final = 0.1  # seconds until whoever has a file open for writing is taken for one that will keep it open
_LOOKS_AGAIN: Final = 0.002
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def stage(
    storage: Storage,
    dir_fd: int,
    data: bytes,
    *,
    temp_name: str,
    like: FileImage | None = None,
    mode: int | None = None,
    path: str = "",
    keep_special: bool = False,
    may_lose: Collection[str] = (),
) -> tuple[str, ...]:
    """Write `data` to a new temporary beside its destination, with the metadata of `like`, on the medium.

    `mode` wins over the mode of `like`; a new file gets what the umask leaves of 0666. Set-user and set-group bits and
    capabilities are carried over with `keep_special` only. Refuses `disk-refused` where metadata cannot be carried
    over, unless `may_lose` names it ("owner", "group", "acl", "mode", or an attribute's name).
    Returns what was left behind, in words; on a refusal the temporary is gone.
    """
    written, notes = write_temporary(
        storage, dir_fd, data,
        temp_name=temp_name, like=like, mode=mode, path=path, keep_special=keep_special, may_lose=may_lose,
    )  # fmt: skip
    confirm(storage, [written])
    return notes


class Written(NamedTuple):
    """A temporary that is complete and still open: nobody knows yet whether it is on the medium."""

    fd: int
    dir_fd: int
    name: str
    path: str


def write_temporary(
    storage: Storage,
    dir_fd: int,
    data: bytes,
    *,
    temp_name: str,
    like: FileImage | None = None,
    mode: int | None = None,
    path: str = "",
    keep_special: bool = False,
    may_lose: Collection[str] = (),
) -> tuple[Written, tuple[str, ...]]:
    """The first half of `stage`; `confirm` is the second, for many temporaries at once."""
    try:
        fd = storage.create(temp_name, 0o600, dir_fd=dir_fd)
    except OSError as error:
        raise refuse_os(error, "write", path or temp_name) from None
    try:
        storage.write(fd, data)
        notes = dress(storage, fd, like, mode, path=path or temp_name, keep_special=keep_special, may_lose=may_lose)
    except BaseException as error:
        shut(storage, fd)
        discard(storage, dir_fd, temp_name)
        if isinstance(error, OSError):
            raise refuse_os(error, "write", path or temp_name) from None
        raise
    return Written(fd, dir_fd, temp_name, path or temp_name), notes


def confirm(storage: Storage, written: Sequence[Written]) -> None:
    """Wait until these temporaries are on the medium, and close them. On a refusal all of them are gone."""
    errors: dict[int, BaseException] = {}
    try:
        errors = sync_each(storage.fsync, [each.fd for each in written])
    finally:
        for each in written:
            try:
                storage.close(each.fd)
            except OSError as error:
                errors.setdefault(each.fd, error)
    if not errors:
        return
    failed = next(each for each in written if each.fd in errors)
    for each in written:
        discard(storage, each.dir_fd, each.name)
    cause = errors[failed.fd]
    raise (refuse_os(cause, "write", failed.path) if isinstance(cause, OSError) else cause) from None


class Unconfirmed:
    """Temporaries that are complete, until they are known to be on the medium. `count` is how many there will be.

    Few are synced one by one, in groups. Of very many, on a file system that can sync all of it and report errors, only
    the first stays open: it was opened before any of them was written, so its sync reports the error of each.
    """

    def __init__(self, storage: Storage, count: int) -> None:
        self._storage = storage
        self._is_many = count >= storage.SYNC_ALL_FROM
        self._open: list[Written] = []
        self._firsts: dict[int, Written | None] = {}  # by device; None where each file has to be synced

    def add(self, written: Written) -> None:
        """Take a temporary over: it is closed here."""
        self._open.append(written)
        if self._is_many:
            try:
                self._add_to_device(written)
            except OSError as error:
                raise refuse_os(error, "write", written.path) from None
        if len(self._open) == _OPEN_AT_ONCE:
            self._confirm_open()

    def _add_to_device(self, written: Written) -> None:
        device = self._storage.fstat(written.fd).st_dev
        if device not in self._firsts:
            self._firsts[device] = written if self._storage.can_sync_all(written.fd) else None
            if self._firsts[device] is written:
                self._open.pop()
        elif self._firsts[device] is not None:
            self._open.pop()
            self._storage.close(written.fd)

    def confirm(self) -> None:
        """Wait for all that is left. On a refusal what was written may be anywhere; the caller removes it."""
        self._confirm_open()
        for device, first in self._firsts.items():
            if first is not None:
                try:
                    self._storage.sync_all(first.fd)
                    self._firsts[device] = None
                    self._storage.close(first.fd)
                except OSError as error:
                    raise refuse_os(error, "write", first.path) from None

    def _confirm_open(self) -> None:
        some, self._open = self._open, []
        confirm(self._storage, some)

    def close(self) -> None:
        """Let go of what was not confirmed."""
        for each in (*self._open, *self._firsts.values()):
            if each is not None:
                shut(self._storage, each.fd)


def sync_directories(storage: Storage, fds: Sequence[int]) -> list[BaseException]:
    """Sync the names in these directories, each once; the errors of those that could not be."""
    if len(fds) >= storage.SYNC_ALL_FROM and _are_on_one_device(storage, fds):
        try:
            storage.sync_all(fds[0])
        except OSError as error:
            return [error]
        return []
    return list(sync_each(storage.fsync_dir, fds).values())


def _are_on_one_device(storage: Storage, fds: Sequence[int]) -> bool:
    try:
        return storage.can_sync_all(fds[0]) and len({storage.fstat(fd).st_dev for fd in fds}) == 1
    except OSError:
        return False


def sync_each(sync: Callable[[int], None], fds: Sequence[int]) -> dict[int, BaseException]:
    """Sync each of these handles, each once; the errors of those that could not be.

    A sync is a wait for the medium, which serves several that wait at the same time in about the time of one. On a
    medium that is quicker than a thread is started they wait in turn, until one of them takes longer.
    """
    errors: dict[int, BaseException] = {}
    took = 0.0
    while len(fds) > _FEW and took < _QUICK:
        started_at = time.monotonic()
        _sync_in_turn(sync, fds[:1], errors)
        fds, took = fds[1:], time.monotonic() - started_at
    if len(fds) <= _FEW:
        _sync_in_turn(sync, fds, errors)
        return errors
    import threading

    count = min(_MOST_AT_ONCE, len(fds) // 2)
    parts = [fds[part::count] for part in range(count)]
    started: list[threading.Thread] = []
    try:
        with suppress(RuntimeError):  # no more threads: what is left waits in this one
            while len(parts) > 1:
                thread = threading.Thread(target=_sync_in_turn, args=(sync, parts[-1], errors))
                thread.start()
                started.append(thread)
                parts.pop()
        for part in parts:
            _sync_in_turn(sync, part, errors)
    finally:
        for thread in started:
            thread.join()
    return errors


def _sync_in_turn(sync: Callable[[int], None], fds: Sequence[int], errors: dict[int, BaseException]) -> None:
    for fd in fds:
        try:
            sync(fd)
        except BaseException as error:  # noqa: BLE001  # whoever waits for it raises it, in its own thread
            errors[fd] = error


def write_in_place(
    storage: Storage, place: Place, data: bytes, expected: FileImage | None, *, keep_special: bool = False
) -> None:
    """Write over the file itself, for a file with several names. Old-or-new then holds only after recovery.

    Refuses `stale-source` before the first byte where the file is not the one `expected` was read from. A refusal
    after that has `details["applied"] == "unknown"`: put the old bytes back.
    """
    begun = False
    try:
        fd = storage.open(place.name, os.O_WRONLY | NOFOLLOW | NONBLOCK, dir_fd=place.dir_fd)
        try:
            _check_same(storage.fstat(fd), place, expected)
            begun = True
            _overwrite(storage, fd, data, keep_special=keep_special)
        finally:
            storage.close(fd)
    except OSError as error:
        refusal = refuse_os(error, "write", place.path)
        raise (refusal.with_details(applied="unknown") if begun else refusal) from None


def check_writable(storage: Storage, place: Place) -> None:
    """Refuse `read-only` where the file itself may not be written, though a rename could replace it."""
    try:
        fd = storage.open(place.name, os.O_WRONLY | NOFOLLOW | NONBLOCK, dir_fd=place.dir_fd)
    except OSError as error:
        if error.errno == errno.ETXTBSY:  # a running program can be replaced by rename
            return
        raise refuse_os(error, "write", place.path) from None
    shut(storage, fd)


def discard(storage: Storage, dir_fd: int, temp: str) -> None:
    """Remove a temporary if it is there; what cannot be removed now is left to recovery."""
    with suppress(OSError):
        storage.unlink(temp, dir_fd=dir_fd)


def identity(storage: Storage, dir_fd: int, name: str) -> Identity:
    """Which file a name means, links not followed."""
    found = storage.stat(name, dir_fd=dir_fd)
    return found.st_dev, found.st_ino


def exchange(
    storage: Storage,
    dir_fd: int,
    temp: str,
    name: str,
    *,
    spare: str,
    expected: FileImage | None = None,
    mtime_ns: int | None = None,
    path: str = "",
) -> str:
    """Swap the two names: `name` means the new file, and `temp` whatever `name` meant in that very instant.

    Gives the name under which the old file is found. Where the kernel cannot exchange, it gets the name `spare` first,
    and what somebody saves between that and the rename is lost; a crash may leave it there. Without links it is gone
    ("" is given), so that it is compared with `expected`, byte by byte because times are coarse where links are
    missing, and with the time of its last change if that is known, right before; refuses `stale-source` then.
    """
    try:
        storage.exchange(temp, name, one_dir_fd=dir_fd, other_dir_fd=dir_fd)
        return temp
    except OSError as error:
        if error.errno not in NO_SUCH_RENAME:
            raise
    try:
        storage.link(name, spare, before_dir_fd=dir_fd, after_dir_fd=dir_fd)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        found = storage.stat(name, dir_fd=dir_fd)
        is_touched = mtime_ns is not None and found.st_mtime_ns != mtime_ns
        if is_touched or (expected is not None and not expected.is_of(found)):
            raise stale(path) from None
        if expected is not None and not has_only(storage, dir_fd, name, expected.data):
            raise stale(path) from None
        storage.rename(temp, name, before_dir_fd=dir_fd, after_dir_fd=dir_fd)
        return ""
    storage.rename(temp, name, before_dir_fd=dir_fd, after_dir_fd=dir_fd)
    with suppress(OSError):
        storage.rename(spare, temp, before_dir_fd=dir_fd, after_dir_fd=dir_fd)
        return temp
    return spare


def put_back(storage: Storage, dir_fd: int, aside: str, name: str, mine: Identity, data: bytes, *, spare: str) -> str:
    """Give the file at `aside` its name back, which `mine`, with `data`, has now. Gives "" where that is done.

    Where somebody has saved a file over `mine`, or written to it, the newest of theirs keeps the name; then the name of
    an older file is given, and the caller has to know whose that is.
    """
    older = None
    for _ in range(_PUT_BACK_TRIES):
        putting = identity(storage, dir_fd, aside)
        try:
            found = exchange(storage, dir_fd, aside, name, spare=spare)
        except FileNotFoundError:  # somebody removed it
            with suppress(FileExistsError):
                storage.rename_noreplace(aside, name, before_dir_fd=dir_fd, after_dir_fd=dir_fd)
                return ""
            continue
        if not found:
            return ""
        if found == spare:
            aside, spare = spare, aside
        came_out = identity(storage, dir_fd, aside)
        if came_out == mine and has_only(storage, dir_fd, aside, data):
            return ""
        if came_out == older:
            return aside
        older = putting
    return aside


def has_only(storage: Storage, dir_fd: int, name: str, data: bytes) -> bool:
    """Whether a regular file has these bytes, and nobody has it open who could still change that."""
    if not stat.S_ISREG(storage.stat(name, dir_fd=dir_fd).st_mode):
        return False
    with closing(storage.open(name, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd), storage) as fd:
        return not wait_for_writers(storage, fd) and holds(storage, fd, data)


def wait_for_writers(storage: Storage, fd: int) -> bool | None:
    """Whether somebody has a file open for writing, and not just for a save; None where nobody can tell."""
    deadline = time.monotonic() + _A_SAVE_TAKES
    while (found := storage.has_writer(fd)) and time.monotonic() < deadline:
        time.sleep(_LOOKS_AGAIN)
    return found


def stale(path: str) -> EditError:
    """The refusal of a file that is not the one that was read."""
    return EditError(
        Kind.STALE_SOURCE,
        f"another program changed {shown(path)} at the same time; nothing was changed here",
        hint="read it again and send the edit for its current text",
        details={"path": path},
    )


def open_elsewhere(path: str) -> EditError:
    """A refusal of a file that another program would go on writing to under its old name."""
    return EditError(
        Kind.BUSY,
        f"another program has {shown(path)} open for writing, and would continue writing to the old file",
        hint="send the same call again when that program has closed it",
        details={"path": path},
    )


def is_torn(present: bytes, old: bytes, new: bytes) -> bool:
    """Whether only our own writing over `old` can have made a file: each part is of one side, or was never written.

    After a power cut a file may have its new length and zeros where data was to come.
    """
    if not min(len(old), len(new)) <= len(present) <= max(len(old), len(new)):
        return False
    for start in range(0, len(present), _SECTOR):
        part = present[start : start + _SECTOR]
        was, becomes = (data[start : start + len(part)].ljust(len(part), b"\0") for data in (old, new))
        if part in (was, becomes):
            continue
        cut = next((i for i, (a, b) in enumerate(zip(part, becomes, strict=True)) if a != b), len(part))
        if part[cut:] != was[cut:] and part[cut:].strip(b"\0"):
            return False
    return True


def _check_same(found: os.stat_result, place: Place, expected: FileImage | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise EditError(Kind.NOT_TEXT, f"{shown(place.path)} is not a regular file", hint="name a regular file")
    if expected is not None and (found.st_dev, found.st_ino) != (expected.dev, expected.ino):
        raise EditError(
            Kind.STALE_SOURCE,
            f"{shown(place.path)} was replaced since it was read",
            hint="read it again and send the edit for its current text",
            details={"path": place.path},
        )


def _overwrite(storage: Storage, fd: int, data: bytes, *, keep_special: bool) -> None:
    # From the front, in order: a torn file is then new text followed by old, which recovery can recognise.
    storage.write_at(fd, data, 0)
    storage.ftruncate(fd, len(data))
    mode = stat.S_IMODE(storage.fstat(fd).st_mode)
    if mode & SPECIAL_BITS and not keep_special:
        storage.fchmod(fd, mode & ~SPECIAL_BITS)
    storage.fsync(fd)


SPECIAL_BITS: Final = stat.S_ISUID | stat.S_ISGID
_CAPABILITY: Final = "security.capability"
# Hashes and signatures of the content: carried to other content they would be false.
_OF_CONTENT: Final = frozenset({"security.ima", "security.evm"})
_ACLS: Final = frozenset({"system.posix_acl_access"})
# Some file systems show attributes of their own that can be read but not set; losing those loses nothing.
_CARRIED: Final = ("user.", "security.", "trusted.", "system.posix_acl_")
_UMASK_MUTEX: Final = threading.Lock()


def new_file_mode() -> int:
    """The mode a new file gets: what the process's umask leaves of 0666."""
    return 0o666 & ~_umask()


def dress(
    storage: Storage,
    fd: int,
    like: FileImage | None,
    mode: int | None,
    *,
    path: str,
    keep_special: bool,
    may_lose: Collection[str],
) -> tuple[str, ...]:
    """Give the file behind `fd` its metadata; returns what was left behind, in words.

    Refuses `disk-refused`, naming what cannot be carried over, unless `may_lose` names it.
    """
    wanted = mode if mode is not None else like.mode if like is not None else new_file_mode()
    wanted = wanted if keep_special else wanted & ~SPECIAL_BITS
    lost: list[str] = []
    if like is not None:
        lost = _carry_owner(storage, fd, like) + _carry_xattrs(storage, fd, like, keep_special=keep_special)
    storage.fchmod(fd, wanted)
    if stat.S_IMODE(storage.fstat(fd).st_mode) != wanted:
        lost.append("mode")
    if refused := sorted(set(lost) - set(may_lose), key=lost.index):
        raise EditError(
            Kind.DISK_REFUSED,
            f"the new version of {shown(path)} would lose the file's {', '.join(refused)}",
            hint="run as the file's owner, or ask the host to allow the loss",
            details={"path": path, "metadata": refused},
        )
    notes = [f"the file's {what} was not copied" for what in lost] if lost else []
    if like is not None and not keep_special:
        if mode is None and like.mode & SPECIAL_BITS:
            notes.append("the set-user or set-group bit was dropped, since the content changed")
        if _CAPABILITY in dict(like.xattrs):
            notes.append("the file's capabilities were dropped, since the content changed")
    return tuple(notes)


def _umask() -> int:
    """The process's umask, read where the system shows it: setting it, even for an instant, is seen by all threads."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("Umask:"):
                    return int(line.split()[1], 8)
    except (OSError, ValueError, IndexError):
        pass
    with _UMASK_MUTEX:
        found = os.umask(0o077)  # a file made by another thread in this instant is too private, not too open
        os.umask(found)
    return found


def _carry_owner(storage: Storage, fd: int, like: FileImage) -> list[str]:
    lost = []
    found = storage.fstat(fd)
    for what, uid, gid in (("group", -1, like.gid), ("owner", like.uid, -1)):
        if (uid in (-1, found.st_uid)) and (gid in (-1, found.st_gid)):
            continue
        try:
            storage.fchown(fd, uid, gid)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
                raise
            lost.append(what)
    return lost


def _carry_xattrs(storage: Storage, fd: int, like: FileImage, *, keep_special: bool) -> list[str]:
    present = set(storage.listxattr(fd))
    if not present and not like.xattrs:
        return []
    dropped = _OF_CONTENT if keep_special else _OF_CONTENT | {_CAPABILITY}
    wanted = {name: value for name, value in like.xattrs if name not in dropped}
    lost = [name for name, value in wanted.items() if not _set_xattr(storage, fd, name, value, present)]
    # A directory's default access list dresses the temporary in one the old file did not have.
    for name in sorted(present & _ACLS - wanted.keys()):
        storage.removexattr(fd, name)
    return ["acl" if name in _ACLS else name for name in lost]


def _set_xattr(storage: Storage, fd: int, name: str, value: bytes, present: set[str]) -> bool:
    """Whether the temporary has the attribute afterwards, or it is one nobody misses."""
    if name in present:
        with suppress(OSError):
            if storage.getxattr(fd, name) == value:
                return True
    try:
        storage.setxattr(fd, name, value)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ERANGE):
            return not name.startswith(_CARRIED)
        raise
    return True


@contextlib.contextmanager
def unless_unreachable() -> Iterator[None]:
    """Pass over a path that can no longer be reached; only a disk that refuses is worth coming back for."""
    try:
        yield
    except EditError as error:
        if error.kind is Kind.DISK_REFUSED:
            raise


def remove_empty_directory(sandbox: Sandbox, storage: Storage, path: str) -> None:
    """Remove a directory we once made, if it is empty and still there. A disk that refuses is not passed over."""
    with unless_unreachable(), sandbox.place(path, writing=True, known_name=True) as place:
        if place.missing:
            return
        try:
            storage.rmdir(place.name, dir_fd=place.dir_fd)
            storage.fsync_dir(place.dir_fd)  # the note that names it goes next, and nothing else would find it again
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                raise


def missing_directories(place: Place) -> tuple[str, ...]:
    """Root-relative paths of the parent directories a place lacks, outermost first."""
    if not place.missing:
        return ()
    parents = place.path.split("/")[:-1]
    return tuple("/".join(parents[: len(parents) - len(place.missing) + i + 1]) for i in range(len(place.missing)))
