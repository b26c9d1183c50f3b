"""Which processes on this machine are present at a journal: each keeps a file in its folder locked.

The lock ends with the process, in whatever way it ends, and nobody needs a clock to see that.

Invariants:

1. A name is given once; its file is made before anything names it, and a holder without a file is gone for good.
2. A process holds its file with a handle that no child keeps: a forked child lets go of it and is somebody else.
3. Asking changes nothing in the folder. No name that comes from the database leads out of it, and no link is followed.
"""

from __future__ import annotations

import os
import stat
import time
import weakref
from contextlib import suppress
from pathlib import Path

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.workspace.journal.connection import Connection

_FOLDER = "holders"
_NAME = lazy_pattern("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class _Own:
    name: str
    handle: int
    pid: int


class FileHolders:
    """This process among the holders at a journal's folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FOLDER
        self._own: _Own | None = None

    def holder(self, _connection: Connection) -> str:
        """The name under which this process is seen as present from now on."""
        self.let_go()
        if self._own is None:
            self._own = own = self._enter()
            self._forgotten = weakref.finalize(self, _close_own, own, self._path)
            _let_go_after_fork(self)
        return self._own.name

    def is_present(self, _connection: Connection, holder: str) -> bool:
        """Whether a holder's file is there and locked; one that cannot be looked at may be."""
        if not isinstance(holder, str) or not _NAME.fullmatch(holder):
            return False
        try:
            with _Folder(self._path) as folder:
                return _is_locked(holder, folder)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return not self._path.is_symlink()

    def clear(self, _connection: Connection, holder: str) -> None:
        """Remove the file of a holder that is gone."""
        if _NAME.fullmatch(holder):
            _unlink(holder, self._path)

    def now(self, _connection: Connection) -> int:
        """The machine's clock, in milliseconds."""
        return time.time_ns() // 1_000_000

    def leave(self) -> None:
        """Be present no more."""
        self.let_go()
        if self._own is not None:
            self._own = None
            self._forgotten()

    def let_go(self) -> None:
        """In a forked child: close the parent's handle, which would keep the parent present after its end."""
        own = self._own
        if own is not None and own.pid != os.getpid():
            self._own = None
            self._forgotten.detach()
            os.close(own.handle)

    def _enter(self) -> _Own:
        """Make a file of our own and lock it; whoever clears up meanwhile may have taken it for a stranger's."""
        with suppress(FileExistsError):
            os.mkdir(self._path, 0o700)
            os.chmod(self._path, 0o700)
        with _Folder(self._path) as folder:
            self._sweep(folder)
            while True:
                name = os.urandom(16).hex()
                handle = _make_locked(name, folder)
                if handle is not None:
                    return _Own(name, handle, os.getpid())

    def _sweep(self, folder: int) -> None:
        """Remove what killed processes left that announced nothing that lasts."""
        for name in filter(_NAME.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                if not _is_locked(name, folder):
                    os.unlink(name, dir_fd=folder)


class _Folder:
    """A handle to a directory that is no link, for the length of a block."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> int:
        self._handle = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        return self._handle

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _unlink(name: str, path: Path) -> None:
    with suppress(OSError), _Folder(path) as folder:
        os.unlink(name, dir_fd=folder)


def _close_own(own: _Own, path: Path) -> None:
    """Remove and close a file, unless a fork made it somebody else's."""
    if own.pid == os.getpid():
        _unlink(own.name, path)
        os.close(own.handle)


def _make_locked(name: str, folder: int) -> int | None:
    """A new file, locked; None if somebody removed it before it was locked."""
    import fcntl  # absent on some systems, where no workspace is opened either

    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        os.fchmod(handle, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.samestat(os.fstat(handle), os.stat(name, dir_fd=folder, follow_symlinks=False)):
            return handle
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _is_locked(name: str, folder: int) -> bool:
    """Whether a file is locked by its holder; those who ask do not stand in each other's way."""
    import fcntl

    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        # A link or a device is nobody's; a file that we may not open may be somebody's.
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return False
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _let_go_after_fork(holders: FileHolders) -> None:
    known = weakref.ref(holders)  # what is registered stays for good

    def let_go() -> None:
        found = known()
        if found is not None:
            found.let_go()

    os.register_at_fork(after_in_child=let_go)
