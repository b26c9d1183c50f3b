"""Locks that hold across processes and threads, and vanish with their holder: on names, and on files.

The locks on names (`LockTable`) belong to one journal: they are fair, and they tell a dead transaction from a live one.
They never sit on the file they guard, since a rename would exchange that file under the lock.
Keys are spread over a fixed number of lock files, so two keys may share one; that costs waiting, never safety.
Whoever wants very many of them takes the one lock that all others share instead, and the lock file of one key.

Invariants
1. Lock files are made when first needed and never removed by us; a lock counts only while its file is still the one
   under that name.
2. Every acquisition opens its own handle: threads exclude each other as processes do.
3. The shared lock comes first, then lock files in the order of their names; who cannot get one in time gives back all.
4. A thread never waits for itself: asking again for a key it holds is an error of the program.
5. Nobody holds a key's lock file without the shared lock, in either way, so that whoever has it alone has every key.

The locks on files (`hold_files`) belong to nobody: whoever reaches the same file by another root, journal, hard link,
spelling or mount meets them. A file is locked only while its name means it; all files of a transaction are locked or
none, so that no two can wait for each other. They make others wait; what makes it safe is that a file is exchanged and
looked at (`transaction.py`), which is why a file system without locks, and a transaction with very many files, may do
without.

A child made by fork while a lock is held shares it until the holder releases it, or until both have ended.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.sandbox import FileImage, Place, Sandbox
from steadyhand.workspace.files.storage import (
    CLOEXEC,
    DIRECTORY,
    NOFOLLOW,
    NONBLOCK,
    Storage,
    refuse_os,
    require_platform,
    shut,
)

try:
    import fcntl
except ImportError:  # Windows: require_platform() refuses before any use
    fcntl = None  # type: ignore[assignment]


_FIRST_WAIT: Final = 0.0003
_LONGEST_WAIT: Final = 0.01
_LONGEST_WAIT_IN_GATE: Final = 0.0005
_LONGEST_WAIT_FOR_FILES: Final = 0.002
_ALL: Final = "all"  # no lock file of a key has this name
_MOST_STRIPES: Final = 256  # lock files that are taken one by one: each is made once, and opened each time
_MOST_FILES: Final = 256  # each lock is an open handle, and a process may have about a thousand
# NFS wants a handle that writes; others have no such locks at all.
_NO_LOCKS: Final = frozenset(
    {errno.EBADF, errno.ENOLCK, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY}
)
_WOULD_BLOCK: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK})


def stripe_of(key: str) -> str:
    """The lock file of a key: one of 4096, each with a gate beside it.

    >>> stripe_of("docs/a.md") == stripe_of("docs/a.md"), len(stripe_of("docs/a.md"))
    (True, 3)
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:3]


class LockTable:
    """The locks of one workspace, kept in a directory of their own. Thread-safe; costs nothing until used."""

    def __init__(self, directory: str | Path) -> None:
        require_platform()
        self._directory = os.fspath(directory)
        self._mutex = threading.Lock()
        self._held: dict[tuple[int, str], set[str]] = {}

    @contextmanager
    def hold(self, keys: Iterable[str], *, timeout: float, one_by_one: bool = False) -> Iterator[None]:
        """Hold the locks of all `keys` within the block. Refuses `busy` when that takes longer than `timeout` seconds.

        `timeout=0` tries once. A lock file this thread holds already for another key is not taken twice.
        `one_by_one` asks nobody to stop, however many keys there are: for whoever must not wait.
        """
        thread = threading.get_ident()
        wanted, is_first = self._wanted(thread, keys)
        alone = is_first and not one_by_one and len(wanted) > _MOST_STRIPES
        deadline = time.monotonic() + timeout
        taken: list[int] = []
        try:
            while wanted and not self._take(wanted, taken, deadline, timeout, shares=is_first, alone=alone):
                _release_all(taken)
            with self._mutex:
                for stripe, found in wanted.items():
                    self._held[thread, stripe] = found
            yield
        finally:
            with self._mutex:
                for stripe in wanted:
                    self._held.pop((thread, stripe), None)
            _release_all(taken)

    def _take(
        self,
        wanted: Mapping[str, set[str]],
        taken: list[int],
        deadline: float,
        timeout: float,
        *,
        shares: bool,
        alone: bool,
    ) -> bool:
        """Add the handles of all locks to `taken`; False where their directory was removed or replaced meanwhile."""
        names = sorted(wanted)
        try:
            directory = self._open_directory()
        except OSError as error:
            raise refuse_os(error, "lock", "the state folder") from None
        try:
            if shares:
                what = {"the workspace"} if alone else wanted[names[0]]
                taken.append(self._acquire(_ALL, what, directory, deadline, timeout, shared=not alone))
            # One key's file also tells a process that does not know of the shared lock that somebody is at work.
            for stripe in names[:1] if alone else names:
                taken.append(self._acquire(stripe, wanted[stripe], directory, deadline, timeout))
            return os.path.samestat(os.fstat(directory), os.lstat(self._directory))
        except FileNotFoundError:
            return False
        finally:
            os.close(directory)

    def _wanted(self, thread: int, keys: Iterable[str]) -> tuple[Mapping[str, set[str]], bool]:
        """The lock files to take, each with its keys, and whether this thread has none yet."""
        wanted: dict[str, set[str]] = {}
        for key in keys:
            wanted.setdefault(stripe_of(key), set()).add(key)
        with self._mutex:
            is_first = thread not in [holder for holder, _ in self._held]
            for stripe in list(wanted):
                mine = self._held.get((thread, stripe))
                if mine is None:
                    continue
                if again := mine & wanted[stripe]:
                    raise EditError(
                        Kind.INTERNAL,
                        f"this thread holds the lock of {min(again)} already",
                        hint="report this: a lock was asked for twice",
                    )
                del wanted[stripe]
        return wanted, is_first

    def _acquire(
        self, name: str, keys: set[str], directory: int, deadline: float, timeout: float, *, shared: bool = False
    ) -> int:
        """The lock of one file, by way of its gate: whoever waits holds the gate, and a holder that comes back
        for more has to pass it, so nobody takes the lock twice in a row over a waiter's head. Those who share a lock
        pass its gate side by side.
        """
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            gate = _lock(f"{name}.gate", directory, how, deadline, _LONGEST_WAIT, is_gate=True)
            if gate is not None:
                try:
                    fd = _lock(name, directory, how, deadline, _LONGEST_WAIT_IN_GATE)
                    if fd is not None:
                        return fd
                finally:
                    _release(gate)
        except FileNotFoundError:  # the directory is gone
            raise
        except OSError as error:
            raise refuse_os(error, "lock", "the state folder") from None
        names = sorted(keys)
        raise EditError(
            Kind.BUSY,
            f"another process is working on {', '.join(names)}",
            hint="send the same call again in a moment",
            details={"keys": names, "waited_seconds": round(timeout, 3)},
        )

    def _open_directory(self) -> int:
        flags = os.O_RDONLY | DIRECTORY | NOFOLLOW | CLOEXEC
        try:
            return os.open(self._directory, flags)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(self._directory, 0o700)
            return os.open(self._directory, flags)


class FileLocks:
    """Files that are locked, each with the handle that holds its lock, and where they are. For one thread; release it
    in the end. Where locks are waived it only knows the places. Places in one directory share its handle; `count` is
    how many places there will be, if that is known.
    """

    def __init__(self, storage: Storage, count: int = 0) -> None:
        self._storage = storage
        self._is_one = count == 1  # there is no other place to share a directory with
        self._handles: dict[tuple[int, int], tuple[int, os.stat_result]] = {}
        self._places: dict[str, Place] = {}
        self._directories: dict[tuple[int, int], int] = {}
        self.is_waived = False

    def add(self, place: Place) -> bool:
        """Lock what is at a place, if it is a regular file; False where somebody else has it or the name moved.

        The place is ours from then on.
        """
        self._share_directory(place)
        self._places[place.path] = place
        if place.missing or self.is_waived:
            return True
        try:
            found = place.found
            if found is None or not stat.S_ISREG(found.st_mode) or (found.st_dev, found.st_ino) in self._handles:
                return True
            is_locked, locked = self.add_file(place.name, dir_fd=place.dir_fd)
            # Whoever had it before may have put another file under the name.
            return is_locked and os.path.samestat(locked, self._storage.stat(place.name, dir_fd=place.dir_fd))
        except FileNotFoundError:
            return True

    def _share_directory(self, place: Place) -> None:
        if self._is_one:
            self._directories[0, 0] = place.dir_fd
            return
        try:
            found = self._storage.fstat(place.dir_fd)
        except OSError:
            place.close()
            raise
        known = self._directories.setdefault((found.st_dev, found.st_ino), place.dir_fd)
        if known != place.dir_fd:
            own, place.dir_fd = place.dir_fd, known
            shut(self._storage, own)

    def add_file(self, name: str, *, dir_fd: int) -> tuple[bool, os.stat_result]:
        """Lock a file that only we know of yet. Whether that was possible, and which file it is."""
        fd = self._storage.open(name, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd)
        is_locked = False
        try:
            found = self._storage.fstat(fd)
            key = found.st_dev, found.st_ino
            if key not in self._handles:
                try:
                    is_locked = self._storage.lock(fd)
                except OSError as error:
                    if error.errno not in _NO_LOCKS:
                        raise
                    is_locked = True
            if is_locked:
                self._handles[key] = fd, found
        finally:
            if not is_locked:
                shut(self._storage, fd)
        return is_locked, found

    def find(self, image: FileImage) -> tuple[int, os.stat_result] | None:
        """The handle of a file that is locked, and what it was when it was."""
        return self._handles.get((image.dev, image.ino))

    def cover(self, images: Iterable[FileImage]) -> bool:
        """Whether all of these are locked, or none needs to be."""
        return self.is_waived or {(image.dev, image.ino) for image in images} <= self._handles.keys()

    def place(self, path: str) -> Place | None:
        """Where a path led when its file was locked; still ours to close."""
        return self._places.get(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        self._places.clear()
        while self._directories:
            shut(self._storage, self._directories.popitem()[1])
        for fd, _ in self._handles.values():
            # Unlocking before closing also frees the lock where a forked child still has the handle.
            try:
                fcntl.flock(fd, fcntl.LOCK_UN)
            except OSError:
                pass
            shut(self._storage, fd)
        self._handles.clear()


def _jitter() -> float:
    """Keeps waiters from knocking in step."""
    import random  # only who has to wait needs it

    return random.uniform(0.5, 1.5)


def hold_files(sandbox: Sandbox, paths: Collection[str], *, timeout: float, required: bool = True) -> FileLocks:
    """The locks of the files at these paths, held from now on until the end of the block that this is for. Refuses
    `busy` like `LockTable.hold`.

    Where they are not `required`, it goes on without them when the time is up. A path that leads nowhere, or no longer
    where it may, is passed over: whoever looks at it again is refused there.
    """
    locks = FileLocks(sandbox.storage, len(paths))
    locks.is_waived = len(paths) > _MOST_FILES
    deadline, wait = time.monotonic() + timeout, _FIRST_WAIT
    try:
        while (taken := _lock_all(sandbox, paths, locks)) is not None:
            locks.release()
            left = deadline - time.monotonic()
            if left <= 0 and not required:
                locks.is_waived = True
                continue
            if left <= 0:
                raise EditError(
                    Kind.BUSY,
                    f"another program holds a lock on {taken}",
                    hint="send the same call again in a moment",
                    details={"path": taken, "waited_seconds": round(timeout, 3)},
                )
            time.sleep(min(left, wait * _jitter()))
            wait = min(wait * 1.5, _LONGEST_WAIT_FOR_FILES)
    except BaseException:
        locks.release()
        raise
    return locks


def _lock_all(sandbox: Sandbox, paths: Collection[str], locks: FileLocks) -> str | None:
    """Lock each of the files; the path of the first that cannot be had, or None."""
    for path in paths:
        try:
            place = sandbox.place(path, writing=True, known_name=True)
        except EditError:
            continue
        if not locks.add(place):
            return path
    return None


def _lock(name: str, directory: int, how: int, deadline: float, longest: float, *, is_gate: bool = False) -> int | None:
    """A handle that holds the lock of a file; None where somebody else has it until the deadline. Tries at least once.

    Waits at most `longest` seconds between two tries. Only the order of those who wait depends on a gate: whether it is
    still the one under its name is not asked.
    """
    wait = _FIRST_WAIT
    while True:
        fd = os.open(name, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600, dir_fd=directory)
        try:
            fcntl.flock(fd, how | fcntl.LOCK_NB)
            if is_gate or os.path.samestat(os.fstat(fd), os.stat(name, dir_fd=directory, follow_symlinks=False)):
                return fd
        except FileNotFoundError:
            pass  # somebody removed the lock file: the next try makes a new one
        except OSError as error:
            if error.errno not in _WOULD_BLOCK:
                os.close(fd)
                raise
        os.close(fd)
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(left, wait * _jitter()))
        wait = min(wait * 1.5, longest)


def _release(fd: int) -> None:
    # Unlocking before closing also frees the lock where a forked child still has the handle.
    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:
        pass
    os.close(fd)


def _release_all(taken: list[int]) -> None:
    while taken:
        _release(taken.pop())
