"""Opening the SQLite file of a journal: checked, migrated, or set aside when nobody can use it.

What may be wrong is told apart: out of reach for the moment (refused, the file stays), newer than this version
(refused, the file stays), no usable database (set aside and reported, a new one is begun).
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack
from urllib.parse import quote

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import to_bytes
from steadyhand.workspace.journal.faults import is_damage, is_full
from steadyhand.workspace.journal.folder import JournalFolder
from steadyhand.workspace.journal.record import utc_now
from steadyhand.workspace.journal.reserve import Reserve
from steadyhand.workspace.journal.row import RowType
from steadyhand.workspace.journal.schema import VERSION
from steadyhand.workspace.journal.shape import expected_shape, migrate, shape_of, version_of

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
        damage = _put_away(folder, "its write-ahead file is there, the database is gone")
    if folder.has_database:
        try:
            return bring_up(_connect_with_room(folder, timeout)), None
        except Unusable as error:
            damage = _put_away(folder, str(error))
            error.connection.close()
    folder.create_database()
    connection = bring_up(_connect_with_room(folder, timeout))
    if damage is not None:
        _report(connection, damage)
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
        raise newer(folder, version)
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
    return f"the journal {folder.database} was unusable ({cause}) and was set aside as {name}; a new one was begun"


def _report(connection: sqlite3.Connection, damage: str) -> None:
    body = to_bytes({"type": SET_ASIDE, "body": {"message": damage}})
    connection.execute("BEGIN IMMEDIATE")
    index.enter(connection, log.append(connection, RowType.NOTE, None, utc_now(), body))
    connection.execute("COMMIT")


def newer(folder: JournalFolder, version: int) -> EditError:
    """A journal this version must leave alone."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {folder.database} was written by a newer Steadyhand (form {version}, this one knows {VERSION})",
        hint="update Steadyhand; nothing was changed",
        details={"version": version, "known": VERSION},
    )


def _text(data: bytes) -> str:
    """Bytes that are no text come only from a damaged file; its checksum tells, so they must be readable here."""
    return data.decode("utf-8", "surrogateescape")
