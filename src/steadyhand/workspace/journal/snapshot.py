"""A private copy of a journal, so that it can be read without a byte changing beside it.

SQLite cannot read a database with a write-ahead file without making a shared-memory file next to it; hence the
copy. Nothing is ever written under the folder copied from.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.folder import JournalFolder

_TRIES = 20
_WAL_HEADER = 32


def private_copy(folder: JournalFolder) -> JournalFolder:
    """Copy database and write-ahead file to a new temporary folder; the caller removes it.

    A checkpoint in the middle would tear the copy: it changes the database file or starts the
    write-ahead file anew, and then the copy is made again.
    """
    import shutil
    import tempfile

    home = Path(tempfile.mkdtemp(prefix="steadyhand-journal-", dir=_outside(folder.path)))
    copy = JournalFolder(home)
    try:
        for _ in range(_TRIES):
            before = _fingerprint(folder)
            _copy_database(folder.database, copy.database)
            _copy_wal(_wal(folder), _wal(copy))
            if _fingerprint(folder) == before:
                return copy
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    shutil.rmtree(home, ignore_errors=True)
    raise EditError(
        Kind.BUSY,
        "the journal is being written too quickly to be copied",
        hint="send the same call again in a moment",
    )


def _outside(folder: Path) -> str | None:
    """A temporary folder that is not inside the workspace; None where the usual one will do or none is better."""
    import tempfile

    root = os.path.realpath(folder.parent)
    for place in (tempfile.gettempdir(), "/dev/shm", "/var/tmp"):
        if os.path.isdir(place) and os.path.commonpath([root, os.path.realpath(place)]) != root:
            return place
    return None


def _wal(folder: JournalFolder) -> Path:
    return Path(f"{folder.database}-wal")


def _fingerprint(folder: JournalFolder) -> tuple[object, ...]:
    status = os.lstat(folder.database)
    return status.st_ino, status.st_size, status.st_mtime_ns, _head(_wal(folder))


def _head(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    try:
        return os.read(handle, _WAL_HEADER)
    finally:
        os.close(handle)


def _copy_database(source: Path, target: Path) -> None:
    """Copy the database file without ever closing it where this process may hold it open.

    POSIX drops every lock a process has on a file when the process closes any handle to it; a writer in
    this process would lose its hold, and the next process to close the journal would take the write-ahead
    file from under it. The shared-memory file is there while anybody has the journal open.
    """
    if _is_open(source):
        _copy_in_child(source, target)
        return
    target.unlink(missing_ok=True)
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    _write_out(handle, target)
    if not _is_open(source):  # opened meanwhile: a handle too many does less harm than a lock too few
        os.close(handle)


def _is_open(database: Path) -> bool:
    return os.path.lexists(f"{database}-shm")


def _copy_in_child(source: Path, target: Path) -> None:
    import shutil
    import subprocess

    command = [shutil.which("cp") or "", "-P", "--"]
    if not command[0]:
        command = [sys.executable, "-I", "-S", "-c", "import shutil, sys; shutil.copyfile(*sys.argv[1:])"]
    ended = subprocess.run([*command, source, target], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if ended.returncode:
        raise OSError(errno.EIO, ended.stderr.decode("utf-8", "replace").strip() or "the copy failed", str(source))


def _copy_wal(source: Path, target: Path) -> None:
    """Copy over what an earlier try left; a source that is missing leaves none. Nobody locks this file."""
    target.unlink(missing_ok=True)
    try:
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _write_out(handle, target)
    finally:
        os.close(handle)


def _write_out(handle: int, target: Path) -> None:
    import shutil

    with open(handle, "rb", closefd=False) as reader, open(target, "xb", opener=_private) as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
