"""What SQLite and the operating system say, as refusals of a named kind. Knows no table."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameJournal, Note, RunCommand, Say

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_REFUSED = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOLFS}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

# A quota ends in a write error; a shared-memory file that cannot grow says only that.
_NO_ROOM = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMMAP,
}


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its extension; 0 where Python raised on its own."""
    code = getattr(error, "sqlite_errorcode", 0)
    return int(code) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is no sound database, as opposed to out of reach for the moment."""
    return primary_code(error) in _DAMAGED


def is_full(error: sqlite3.Error) -> bool:
    """Whether more room on the disk could help. A failed fsync is none of these: it is final."""
    return getattr(error, "sqlite_errorcode", 0) in _NO_ROOM


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn what SQLite or the system raises about the journal at `path` into an `EditError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise refusal(error, path) from error
    except UnicodeDecodeError as error:  # SQLite's complaint quotes bytes of the file that are no text
        raise damaged_file(path) from error
    except OSError as error:
        raise os_refusal(error, path) from error


def damaged_file(path: Path, said: str = "its schema is not text") -> EditError:
    """The file is no sound database."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {path} is damaged: {said}",
        hint=(RunCommand("check", "shows what is damaged"), Note("opening the workspace again sets it aside")),
    )


def refusal(error: sqlite3.Error, path: Path) -> EditError:
    """What SQLite said, by the kind that tells the caller what to do."""
    code = primary_code(error)
    if code in _BUSY:
        return EditError(
            Kind.BUSY, f"the journal {path} is locked by another process", hint="send the same call again in a moment"
        )
    if code in _READ_ONLY or (code == sqlite3.SQLITE_CANTOPEN and not _is_writable(path.parent)):
        return read_only(path)
    if code in _REFUSED:
        return EditError(
            Kind.DISK_REFUSED,
            f"the journal {path} could not be written or read: {error}",
            hint="free space on its disk and check that the disk is sound, then send the same call again",
        )
    if code in _DAMAGED:
        return damaged_file(path, str(error))
    if code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
        return EditError(Kind.TOO_LARGE, f"too large for the journal: {error}", hint="change less in one call")
    return EditError(Kind.INTERNAL, f"the journal {path} failed: {error}", details={"sqlite": code})


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def os_refusal(error: OSError, path: Path) -> EditError:
    """What the system said."""
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return read_only(path)
    return EditError(
        Kind.DISK_REFUSED,
        f"the journal {path} could not be reached: {error.strerror or error}",
        hint="free space or make the folder that is to hold the journal, then send the same call again",
    )


def read_only(path: Path) -> EditError:
    """The journal cannot be written, so nothing else may be."""
    return EditError(
        Kind.READ_ONLY,
        f"the journal {path} may only be read, and there is no edit without a journal",
        hint=(Say("make its folder writable"), NameJournal()),
    )


def moved(path: Path) -> EditError:
    """What is written now would be written to a file nobody finds again."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {path} was removed or replaced while it was in use",
        hint="open the workspace again; nothing was changed",
    )


def damaged(message: str, *, seq: int | None = None) -> EditError:
    """One row or image that is quarantined."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        message,
        hint=(
            Note("this record can be neither used nor undone"),
            RunCommand("check", "shows everything that is damaged"),
        ),
        details={"seq": seq},
    )
