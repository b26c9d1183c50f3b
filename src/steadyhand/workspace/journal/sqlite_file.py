"""The files of a journal in SQLite: the folder, the database in it, the space kept for a full disk; what errors mean.

Problems with the database are distinguished: out of reach for the moment (refused, the file stays), newer than
this version (refused, the file stays), no usable database (set aside and reported, a new one is begun).

Invariants:

1. The folder is a real directory of ours that nobody else may write; its files are regular files of ours. Anything
   else is refused with `journal-damaged`, nothing is followed.
2. What is made here is made 0700 or 0600, whatever the umask.
3. A damaged database is renamed to a free name with its -wal and -shm; nothing is overwritten or removed.
4. Ordinary edits are not admitted without the reserve; undo and recovery give it up and go on.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cache, partial
from pathlib import Path
from urllib.parse import quote

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameJournal, Note, RunCommand, Say
from steadyhand.lazy import dataclass
from steadyhand.workspace.files.storage import alone_with, closing, create_private, sync_directory
from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import pack, to_bytes
from steadyhand.workspace.journal.database import VERSION, newer, not_writable, steps
from steadyhand.workspace.journal.index import catch_up
from steadyhand.workspace.journal.log import RowType
from steadyhand.workspace.journal.record import utc_now

DEFAULT_NAME = ".steadyhand"
_DATABASE = "journal.sqlite"
_SIDES = ("-wal", "-shm", "")  # the database last: until it moves, the set is still found damaged
_OURS = {".gitignore", "holders", "locks", "pending", "reserve"}


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
            with suppress(FileExistsError):
                with closing(create_private(self.path / ".gitignore")) as handle:
                    os.write(handle, b"*\n")

    def check(self) -> None:
        """Refuse a folder or a file in it that could be somebody else's."""
        status = os.lstat(self.path)
        if not stat.S_ISDIR(status.st_mode):
            raise _untrusted(f"{self.path} is not a directory", f"move {self.path} away")
        _check_owner(self.path, status)
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            raise _untrusted(f"{self.path} can be written by other users", f"chmod 700 {self.path}")
        for side in _SIDES:
            self._check_file(self._side(side))

    def create_database(self) -> None:
        """An empty file for SQLite to fill; SQLite itself is never allowed to create one."""
        os.close(create_private(self.database))
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

    def lock(self, timeout: float) -> AbstractContextManager[None]:
        """Hold the right to create, migrate or set aside; refuses with `busy` after `timeout` seconds."""
        return alone_with(self.path / "journal.lock", timeout, partial(_locked, self.database))

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
            raise _untrusted(f"{path} is not a regular file", f"move {path} away")
        _check_owner(path, status)

    def _has_strangers(self) -> bool:
        """Whether the folder also serves something else, so that its files are not ours to hide."""
        return any(name not in _OURS and not name.startswith("journal") for name in os.listdir(self.path))


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


SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Reserve:
    """The reserve of one state folder."""

    path: Path
    size: int = SIZE

    @classmethod
    def of(cls, folder: Path) -> Reserve:
        return cls(folder / "reserve", SIZE)

    def ensure(self) -> None:
        """Make it if it is missing; OSError when the disk has no room for it."""
        try:
            if os.lstat(self.path).st_size >= self.size:
                return
        except FileNotFoundError:
            pass
        self.release()
        try:
            with closing(create_private(self.path)) as handle:
                # Random bytes: zeros would take no room on a file system that compresses.
                left = memoryview(os.urandom(self.size))
                while left:
                    left = left[os.write(handle, left) :]
                os.fsync(handle)
        except FileExistsError:  # another process makes it this moment
            return
        except OSError:
            self.release()
            raise

    def release(self) -> bool:
        """Give the room back; False if there was nothing to give."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)
            return True
        return False


APPLICATION_ID = 0x53744864

Shape = frozenset[tuple[str, str, str, str | None]]


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps the database has gone."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, *, to: int = VERSION, fill: bool = True) -> None:
    """Take the open transaction's database from its version to this one; `fill` the new tables from the log."""
    found = version_of(connection)
    for step in steps("sqlite")[found:to]:
        for statement in step:
            connection.execute(statement)
    if fill and to == VERSION:
        catch_up(connection, found)
    connection.execute(f"PRAGMA user_version = {to:d}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")


def shape_of(connection: sqlite3.Connection) -> Shape:
    """Every table, index and trigger with its definition."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return frozenset((row[0], row[1], row[2], row[3]) for row in found if not row[1].startswith("sqlite_stat"))


@cache
def expected_shape(version: int) -> Shape:
    """The shape of a journal of a version; a foreign trigger or a missing table is not ours to open."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, to=version)
        return shape_of(connection)
    finally:
        connection.close()


# Bytes that are no text come only from a damaged file; its checksum tells, so they must be readable here.
_text = partial(str, encoding="utf-8", errors="surrogateescape")

SET_ASIDE = "set-aside"
_SMALL = 1 << 20  # a file up to this size is checked page by page at every opening
_WAL_LIMIT = 4 << 20
_CACHED = 512  # KiB of pages held in memory: SQLite's own 2 MB fill slowly, as a growing process would


class Unusable(Exception):
    """The file is no journal of ours, or no longer one.

    Its connection is still open: closed before the file is moved away, it would write back and remove the
    write-ahead file; closed after that, SQLite sees that the file has moved and leaves everything alone.
    """

    def __init__(self, cause: str, connection: sqlite3.Connection) -> None:
        super().__init__(cause)
        self.connection = connection


def open_database(folder: JournalFolder, timeout: float) -> tuple[sqlite3.Connection, str | None]:
    """A connection to a sound journal of this version, and what was set aside to get there.

    Raises sqlite3.Error or OSError when the journal is out of reach.
    """
    folder.make()
    with ExitStack() as afterwards:
        if folder.has_database:
            try:
                connection = _connect_with_room(folder, timeout)
            except Unusable as error:
                afterwards.callback(error.connection.close)
            except sqlite3.OperationalError as error:
                # Another process may be setting it aside just now: look again once it is done.
                if error.sqlite_errorcode != sqlite3.SQLITE_CANTOPEN:
                    raise
            else:
                if version_of(connection) == VERSION:
                    return connection, None
                connection.close()
        with folder.lock(timeout):
            return _open_alone(folder, timeout)


def open_in_memory() -> sqlite3.Connection:
    """An empty journal that leaves no trace."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.text_factory = _text
    migrate(connection)
    return connection


def connect(folder: JournalFolder, timeout: float) -> sqlite3.Connection:
    """A connection to a file that is a journal of this version or an older one; `Unusable` otherwise."""
    uri = f"file:{quote(os.fsencode(folder.database))}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = _text
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "fullfsync = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT:d}")
        connection.execute(f"PRAGMA cache_size = {-_CACHED:d}")
        _probe(connection, folder)
    except UnicodeDecodeError as error:  # even SQLite's complaint quotes bytes that are no text
        raise Unusable("its schema is damaged", connection) from error
    except sqlite3.Error as error:
        if is_damage(error):
            raise Unusable(str(error), connection) from error
        connection.close()
        raise
    except EditError:
        connection.close()
        raise
    return connection


def _open_alone(folder: JournalFolder, timeout: float) -> tuple[sqlite3.Connection, str | None]:
    """Create, migrate or set aside; nobody else does so meanwhile."""
    damage = None
    if folder.has_stray_wal:
        damage = _put_away(folder, "its write-ahead file exists, but the database is missing")
    if folder.has_database:
        try:
            return bring_up(_connect_with_room(folder, timeout)), None
        except Unusable as error:
            damage = _put_away(folder, str(error))
            error.connection.close()
    folder.create_database()
    connection = bring_up(_connect_with_room(folder, timeout))
    if damage is not None:
        body = to_bytes({"type": SET_ASIDE, "body": {"message": damage}})
        connection.execute("BEGIN IMMEDIATE")
        index.enter(connection, log.append(connection, RowType.NOTE, None, utc_now(), pack(body)))
        connection.execute("COMMIT")
    return connection, damage


def _connect_with_room(folder: JournalFolder, timeout: float) -> sqlite3.Connection:
    """Connect; on a full disk, where not even the shared-memory file can be made, at the cost of the reserve."""
    try:
        return connect(folder, timeout)
    except sqlite3.Error as error:
        if not is_full(error) or not Reserve.of(folder.path).release():
            raise
    return connect(folder, timeout)


def bring_up(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Make the tables of this version where they are missing; a reader may be there already, a writer not."""
    try:
        if version_of(connection) == VERSION:
            return connection
        connection.execute("PRAGMA journal_mode = WAL")
        try:
            _migrate_alone(connection, fill=True)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            # The log cannot be read to its end: new tables stay empty, `verify` tells, and the rest is still of use.
            _migrate_alone(connection, fill=False)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate_alone(connection: sqlite3.Connection, *, fill: bool) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrate(connection, fill=fill)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _probe(connection: sqlite3.Connection, folder: JournalFolder) -> None:
    """Read a little of everything that must be readable."""
    version = version_of(connection)
    if version > VERSION:
        raise newer(folder.database, version)
    shape = shape_of(connection)
    if version == 0 and shape:
        raise Unusable("it is the database of another program", connection)
    if version > 0 and shape != expected_shape(version):
        raise Unusable("its tables are not those of a journal", connection)
    if os.path.getsize(folder.database) <= _SMALL:
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise Unusable(said, connection)
    if version > 0:
        log.head(connection)


def _put_away(folder: JournalFolder, cause: str) -> str:
    name = folder.set_aside()
    return f"the journal {folder.database} was unusable ({cause}) and was set aside as {name}; a new one was started"


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


def damaged_file(path: Path, said: str = "its schema is not text") -> EditError:
    """The file is no sound database."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {path} is damaged: {said}",
        hint=(RunCommand("check", "shows what is damaged"), Note("opening the workspace again sets it aside")),
    )


def refusal(error: sqlite3.Error | UnicodeDecodeError | OSError, path: Path) -> EditError:
    """What SQLite or the system said about the journal at `path`, by the kind that tells the caller what to do."""
    if isinstance(error, OSError):
        return os_refusal(error, path)
    if isinstance(error, UnicodeDecodeError):  # SQLite's complaint quotes bytes of the file that are no text
        return damaged_file(path)
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
        hint="free space, or create the folder for the journal, then send the same call again",
    )


def read_only(path: Path) -> EditError:
    """The journal cannot be written, so nothing else may be."""
    return not_writable(path, Say("make its folder writable"), NameJournal())


def moved(path: Path) -> EditError:
    """What is written now would be written to a file nobody finds again."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {path} was removed or replaced while it was in use",
        hint="open the workspace again; nothing was changed",
    )
