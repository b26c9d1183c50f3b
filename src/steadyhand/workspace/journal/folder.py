"""The folder of a journal: where its files stand, made private, checked before use.

Invariants:

1. The folder is a real directory of ours that nobody else may write; its files are regular files of ours.
   Anything else is refused with `journal-damaged`, nothing is followed.
2. What is made here is made 0700 or 0600, whatever the umask.
3. A damaged database is renamed to a free name with its -wal and -shm; nothing is overwritten or removed.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass

DEFAULT_NAME = ".steadyhand"
_DATABASE = "journal.sqlite"
_SIDES = ("-wal", "-shm", "")  # the database last: until it moves, the set is still found damaged
_OURS = {".gitignore", "holders", "locks", "pending", "reserve"}
_POLL = 0.01


@dataclass(frozen=True, slots=True)
class JournalFolder:
    """The folder that holds the journal, its lock and its reserve."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / _DATABASE

    @property
    def has_database(self) -> bool:
        return os.path.lexists(self.database)

    @property
    def size(self) -> int:
        """What the database and its write-ahead file take, in bytes."""
        present = (self._side(side) for side in ("", "-wal"))
        return sum(os.lstat(path).st_size for path in present if os.path.lexists(path))

    @property
    def has_stray_wal(self) -> bool:
        """Whether the write-ahead file of a database that is gone still holds something."""
        wal = self._side("-wal")
        return not self.has_database and os.path.lexists(wal) and os.lstat(wal).st_size > 0

    def make(self) -> None:
        """Make the folder if it is missing, and refuse one that is not ours alone."""
        try:
            os.mkdir(self.path, 0o700)
        except FileExistsError:
            is_new = False
        else:
            is_new = True
            os.chmod(self.path, 0o700)
            sync_directory(self.path.parent)
        self.check()
        if is_new or self.path.name == DEFAULT_NAME or not self._has_strangers():
            self._ignore_for_git()

    def check(self) -> None:
        """Refuse a folder or a file in it that could be somebody else's."""
        status = os.lstat(self.path)
        if not stat.S_ISDIR(status.st_mode):
            raise _untrusted(f"{self.path} is no directory", f"move {self.path} away")
        _check_owner(self.path, status)
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            raise _untrusted(f"{self.path} can be written by other users", f"chmod 700 {self.path}")
        for side in _SIDES:
            self._check_file(self._side(side))

    def create_database(self) -> None:
        """An empty file for SQLite to fill; SQLite itself is never allowed to create one."""
        os.close(create_file(self.database))
        sync_directory(self.path)

    def set_aside(self) -> str:
        """Rename a database nobody can use, with what belongs to it; the new name."""
        number = 1
        while any(os.path.lexists(self._aside(number, side)) for side in _SIDES):
            number += 1
        for side in _SIDES:
            with suppress(FileNotFoundError):
                os.rename(self._side(side), self._aside(number, side))
        sync_directory(self.path)
        return self._aside(number, "").name

    @contextmanager
    def lock(self, timeout: float) -> Iterator[None]:
        """Hold the right to create, migrate or set aside; refuses with `busy` after `timeout` seconds."""
        import fcntl  # absent on some systems, where no workspace is opened either

        handle = os.open(self.path / "journal.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + timeout
        try:
            os.fchmod(handle, 0o600)
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise _locked(self.database) from None
                    time.sleep(_POLL)
            yield
        finally:
            os.close(handle)

    def identity(self) -> tuple[int, int] | None:
        """Which file the database is; None when it is gone."""
        try:
            status = os.lstat(f"{self.path}/{_DATABASE}")  # asked before every write: no path is put together for it
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_dev, status.st_ino

    def _side(self, side: str) -> Path:
        return self.path / (_DATABASE + side)

    def _aside(self, number: int, side: str) -> Path:
        return self.path / f"journal-damaged-{number}.sqlite{side}"

    def _check_file(self, path: Path) -> None:
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(status.st_mode):
            raise _untrusted(f"{path} is no regular file", f"move {path} away")
        _check_owner(path, status)

    def _has_strangers(self) -> bool:
        """Whether the folder also serves something else, so that its files are not ours to hide."""
        return any(name not in _OURS and not name.startswith("journal") for name in os.listdir(self.path))

    def _ignore_for_git(self) -> None:
        with suppress(FileExistsError):
            handle = create_file(self.path / ".gitignore")
            try:
                os.write(handle, b"*\n")
            finally:
                os.close(handle)


def create_file(path: Path) -> int:
    """A new file, 0600, opened for writing; FileExistsError if anything has the name."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_owner(path: Path, status: os.stat_result) -> None:
    if os.geteuid() not in (status.st_uid, 0):
        raise _untrusted(
            f"{path} belongs to user {status.st_uid}, not to {os.geteuid()}",
            "run as its owner, or give another place with journal=…",
        )


def _untrusted(message: str, hint: str) -> EditError:
    return EditError(Kind.JOURNAL_DAMAGED, f"the journal cannot be trusted: {message}", hint=hint)


def _locked(path: Path) -> EditError:
    return EditError(
        Kind.BUSY, f"another process is opening the journal {path}", hint="send the same call again in a moment"
    )
