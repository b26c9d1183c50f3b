"""One process's hold on a SQLite file: the connection, its lock, transactions, forks and a full disk.

Knows nothing of records; no other module begins a transaction on the journal.

Invariants:

1. One connection, used under one lock; no statement stays open between two calls.
2. A write is one BEGIN IMMEDIATE … COMMIT, or nothing.
3. Before each write the file at the journal's path is the one that was opened; otherwise nothing is written.
4. An admitted write needs the reserve to be whole; an urgent one may use it up.
5. A forked process opens the file anew and never touches its parent's connection, whichever thread asks first.
6. Read-only: nothing is made or changed in the journal's folder.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.connection import Room
from steadyhand.workspace.journal.database import Unusable, bring_up, connect, open_database, open_in_memory
from steadyhand.workspace.journal.faults import is_full, moved, read_only, refusing
from steadyhand.workspace.journal.folder import JournalFolder
from steadyhand.workspace.journal.reserve import Reserve

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class SqliteHandle:
    """A `Handle`: reads and writes of one journal, whichever thread or forked child asks."""

    def __init__(self, folder: JournalFolder, *, read_only: bool, timeout: float) -> None:
        self.folder = folder
        self.read_only = read_only
        self.damage: str | None = None
        self.reserve = Reserve.of(folder.path)
        self._timeout = timeout
        self._abandoned: list[sqlite3.Connection] = []
        self._connection: sqlite3.Connection | None = None
        self._remove_copy: Callable[[], object] = _nothing
        self._locks: dict[int, threading.RLock] = {}
        self._open()

    @property
    def is_in_place(self) -> bool:
        return self.folder.identity() == self._identity

    def read(self, work: Work[T]) -> T:
        """Run `work` with the connection to itself."""
        with self._using() as connection:
            return work(connection)

    def read_snapshot(self, work: Work[T]) -> T:
        """The same, while nothing that others write is seen."""
        with self._using() as connection:
            if connection.in_transaction:
                return work(connection)
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.execute("ROLLBACK")

    def write(self, work: Work[T], *, durable: bool, room: Room = "ordinary") -> T:
        """Run `work` in a write transaction; on a full disk urgent work gives up the reserve and runs once more."""
        with self._using() as connection:
            if connection.in_transaction:
                return work(connection)
            self._check_writable()
            if room == "admitted":
                self.reserve.ensure()
            try:
                return self._transact(connection, work, durable=durable)
            except sqlite3.Error as error:
                if not is_full(error):
                    raise
                self._shrink(connection)
                if room != "urgent" or not self.reserve.release():
                    raise
            return self._transact(connection, work, durable=durable)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Join all writes of the block to one transaction; an exception takes all of them back."""
        with self._using() as connection:
            self._check_writable()
            self.reserve.ensure()
            self._set_durable(connection, durable=True)
            with _transaction(connection):
                yield

    def vacuum(self) -> bool:
        """Give dropped room back to the disk; False when the disk is too full for that or others are reading."""
        with self._using() as connection:
            try:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.OperationalError:
                return False
            return True

    def size(self) -> int:
        """What the database and its write-ahead file take on the disk, in bytes."""
        return self.folder.size

    def release_reserve(self) -> bool:
        """Free the space kept for undo and recovery; False if there was none."""
        return not self.read_only and self.reserve.release()

    def close(self) -> None:
        with self._lock:
            if self._connection is None or os.getpid() != self._pid:
                return
            if not self.read_only:
                with suppress(OSError):
                    self.reserve.ensure()
            self._forgotten.detach()
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
            self._remove_copy()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock, refusing(self.folder.database):
            if os.getpid() != self._pid:
                self._open_after_fork()
            if self._connection is None:
                raise EditError(Kind.INTERNAL, "the journal is closed", hint="open the workspace again")
            yield self._connection

    @property
    def _lock(self) -> threading.RLock:
        """This process's lock: one that a thread of the parent held at the fork would never be released here."""
        return self._locks.setdefault(os.getpid(), threading.RLock())

    def _open(self) -> None:
        """Open, and only then say that this process has a connection of its own."""
        with refusing(self.folder.database):
            if self.read_only:
                connection = self._open_copy()
            else:
                connection, self.damage = open_database(self.folder, self._timeout)
        pid = os.getpid()
        self._is_durable: bool | None = None
        self._identity = self.folder.identity()
        # A workspace that nobody closed is closed when nobody can use it any more.
        self._forgotten = weakref.finalize(self, _close_own, connection, pid)
        self._connection = connection
        self._pid = pid

    def _open_after_fork(self) -> None:
        # Closing the inherited connection would act on the parent's locks and files; it is only kept from being freed.
        inherited = self._connection
        if inherited is not None:
            self._open()
            self._abandoned.append(inherited)
        self._pid = os.getpid()

    def _open_copy(self) -> sqlite3.Connection:
        from steadyhand.workspace.journal.snapshot import private_copy

        if not self.folder.has_database:
            return open_in_memory()
        self.folder.check()
        copy = private_copy(self.folder)
        self._remove_copy = weakref.finalize(self, _remove, copy.path, os.getpid())
        try:
            return bring_up(connect(copy, self._timeout))
        except Unusable as error:
            error.connection.close()
            self.damage = f"the journal {self.folder.database} is unusable ({error}); it was left as it is and not read"
            return open_in_memory()

    def _check_writable(self) -> None:
        if self.read_only:
            raise read_only(self.folder.database)
        if not self.is_in_place:
            raise moved(self.folder.database)

    def _transact(self, connection: sqlite3.Connection, work: Work[T], *, durable: bool) -> T:
        self._set_durable(connection, durable=durable)
        with _transaction(connection):
            return work(connection)

    def _set_durable(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        """Whether the next commits wait for the medium; must be said outside a transaction."""
        if durable is not self._is_durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._is_durable = durable

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Give back what a write that failed left in the write-ahead file."""
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _remove(home: Path, pid: int) -> None:
    import shutil

    if os.getpid() == pid:  # a forked child must not take the copy from under its parent
        shutil.rmtree(home, ignore_errors=True)


def _nothing() -> None:
    return None


def _close_own(connection: sqlite3.Connection, pid: int) -> None:
    """Close a connection, unless a fork made it somebody else's."""
    if os.getpid() == pid:
        with suppress(sqlite3.Error):
            connection.close()
