"""Locks on names that hold across processes and threads, and vanish with their holder.

A lock never sits on the file it guards, since a rename would exchange that file under the lock.
Keys are spread over a fixed number of lock files, so two keys may share one; that costs waiting, never safety.

Invariants
1. Lock files are made when first needed and never removed by us; a lock counts only while its file is still the one
   under that name.
2. Every acquisition opens its own handle: threads exclude each other as processes do.
3. Lock files are taken in the order of their names; who cannot get one in time gives back all.
4. A thread never waits for itself: asking again for a key it holds is an error of the program.

A child made by fork while a lock is held shares it until the holder releases it, or until both have ended.
"""

from __future__ import annotations

import errno
import hashlib
import os
import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.refusal import refuse_os
from steadyhand.workspace.storage import CLOEXEC, DIRECTORY, NOFOLLOW, require_platform

try:
    import fcntl
except ImportError:  # Windows: require_platform() refuses before any use
    fcntl = None  # type: ignore[assignment]

__all__ = ["LockTable", "stripe_of"]

_FIRST_WAIT: Final = 0.0003
_LONGEST_WAIT: Final = 0.01
_LONGEST_WAIT_IN_GATE: Final = 0.0005
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
        self._held: dict[tuple[int, str], frozenset[str]] = {}

    @contextmanager
    def hold(self, keys: Iterable[str], *, timeout: float) -> Iterator[None]:
        """Hold the locks of all `keys` within the block. Refuses `busy` when that takes longer than `timeout` seconds.

        `timeout=0` tries once. A lock file this thread holds already for another key is not taken twice.
        """
        thread = threading.get_ident()
        wanted = self._wanted(thread, keys)
        taken: list[tuple[str, int]] = []
        deadline = time.monotonic() + timeout
        try:
            for stripe in sorted(wanted):
                taken.append((stripe, self._acquire(stripe, wanted[stripe], deadline, timeout)))
                with self._mutex:
                    self._held[thread, stripe] = wanted[stripe]
            yield
        finally:
            for stripe, fd in reversed(taken):
                with self._mutex:
                    self._held.pop((thread, stripe), None)
                _release(fd)

    def _wanted(self, thread: int, keys: Iterable[str]) -> Mapping[str, frozenset[str]]:
        wanted: dict[str, set[str]] = {}
        for key in keys:
            wanted.setdefault(stripe_of(key), set()).add(key)
        with self._mutex:
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
        return {stripe: frozenset(found) for stripe, found in wanted.items()}

    def _acquire(self, stripe: str, keys: frozenset[str], deadline: float, timeout: float) -> int:
        """The lock of one file, by way of its gate: whoever waits stands in the gate, and a holder that comes back
        for more has to pass it, so nobody takes the lock twice in a row over a waiter's head.
        """
        gate = self._poll(f"{stripe}.gate", deadline, _LONGEST_WAIT)
        if gate is None:
            raise _busy(keys, timeout)
        try:
            fd = self._poll(stripe, deadline, _LONGEST_WAIT_IN_GATE)
        finally:
            _release(gate)
        if fd is None:
            raise _busy(keys, timeout)
        return fd

    def _poll(self, name: str, deadline: float, longest: float) -> int | None:
        """Try until the deadline, at least once."""
        wait = _FIRST_WAIT
        while (fd := self._try(name)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            # Jitter keeps waiters from knocking in step.
            time.sleep(min(left, wait * random.uniform(0.5, 1.5)))
            wait = min(wait * 1.5, longest)
        return fd

    def _try(self, name: str) -> int | None:
        try:
            directory = self._open_directory()
            try:
                return _lock(name, directory)
            finally:
                os.close(directory)
        except OSError as error:
            raise refuse_os(error, "lock", "the state folder") from None

    def _open_directory(self) -> int:
        flags = os.O_RDONLY | DIRECTORY | NOFOLLOW | CLOEXEC
        try:
            return os.open(self._directory, flags)
        except FileNotFoundError:
            with suppress(FileExistsError):
                os.mkdir(self._directory, 0o700)
            return os.open(self._directory, flags)


def _lock(name: str, directory: int) -> int | None:
    """A handle that holds the lock, or None where somebody else does."""
    fd = os.open(name, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600, dir_fd=directory)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.stat(name, dir_fd=directory, follow_symlinks=False)):
            return fd
    except FileNotFoundError:
        pass  # somebody removed the lock file: the next try makes a new one
    except OSError as error:
        if error.errno not in _WOULD_BLOCK:
            os.close(fd)
            raise
    os.close(fd)
    return None


def _release(fd: int) -> None:
    # Unlocking before closing also frees the lock where a forked child still has the handle.
    with suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def _busy(keys: frozenset[str], timeout: float) -> EditError:
    names = sorted(keys)
    return EditError(
        Kind.BUSY,
        f"another process is working on {', '.join(names)}",
        hint="send the same call again in a moment",
        details={"keys": names, "waited_seconds": round(timeout, 3)},
    )
