"""The journal in a SQLite file: one process's hold on the database, and which processes are present at it.

No other module begins a transaction on the journal. Presence is a file that each process keeps locked: the lock ends
with the process, in whatever way it ends, and nobody needs a clock to see that.

Invariants:

1. One connection, used under one lock; no statement stays open between two calls.
2. A write is one BEGIN IMMEDIATE … COMMIT, one statement that commits by itself, or nothing.
3. Before each write the file at the journal's path is the one that was opened; otherwise nothing is written.
4. An admitted write needs the reserve to be whole; an urgent one may use it up.
5. A forked process opens the file again and never touches its parent's connection, whichever thread asks first.
6. Read-only: nothing is made or changed in the journal's folder. A private copy is read, since SQLite would make a
   shared-memory file beside a database with a write-ahead file.
7. A holder's name is given once; its file is made before anything names it, and a holder without a file is gone for
   good. A process holds it with a handle that no child keeps: a forked child lets go of it and is somebody else.
8. Asking who is present changes nothing. No name that comes from the database leads out of the folder of the holders,
   and no link is followed.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.workspace.files.storage import closing
from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.codec import key
from steadyhand.workspace.journal.database import Connection, Room, Statement, in_children
from steadyhand.workspace.journal.index import FOLLOWS_THE_LOG
from steadyhand.workspace.journal.log import Problem, Row
from steadyhand.workspace.journal.record import Record, Staging
from steadyhand.workspace.journal.sqlite_file import (
    JournalFolder,
    Reserve,
    Unusable,
    bring_up,
    connect,
    is_damage,
    is_full,
    moved,
    open_database,
    open_in_memory,
    primary_code,
    read_only,
    refusal,
)
from steadyhand.workspace.journal.store import Journal, Progress

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
            self._forgotten = weakref.finalize(self, _close_holder, own, self._path)
            in_children(self, FileHolders.let_go)
        return self._own.name

    def is_present(self, _connection: Connection, holder: str) -> bool:
        """Whether a holder's file is there and locked; one that cannot be looked at may be."""
        if not isinstance(holder, str) or not _NAME.fullmatch(holder):
            return False
        try:
            with _opened(self._path) as folder:
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
        with _opened(self._path) as folder:
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


def _opened(path: Path) -> closing:
    """A handle to a directory that is no link, for the length of a block."""
    return closing(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC))


def _unlink(name: str, path: Path) -> None:
    with suppress(OSError), _opened(path) as folder:
        os.unlink(name, dir_fd=folder)


def _close_holder(own: _Own, path: Path) -> None:
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
    """Whether a file is locked by its holder; those who ask do not block each other."""
    import fcntl

    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        # A link or a device is nobody's; a file that we may not open may be somebody's.
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    with closing(handle):
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


_AT_ONCE = "PRAGMA busy_timeout = 0"
_FIRST_WAIT = 0.0002  # seconds
_LONGEST_WAIT = 0.005
_SYNCHRONOUS = {True: "PRAGMA synchronous = FULL", False: "PRAGMA synchronous = NORMAL"}

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class SqliteHandle:
    """A `Handle`: reads and writes of one journal, whichever thread or forked child asks."""

    def __init__(self, folder: JournalFolder, *, read_only: bool, timeout: float) -> None:
        self.folder = folder
        self.read_only = read_only
        self.damage: str | None = None
        self.reserve = Reserve.of(folder.path)
        self._database = folder.database
        self._place = str(folder.database)  # looked at before every write
        self._timeout = timeout
        self._abandoned: list[sqlite3.Connection] = []
        self._connection: sqlite3.Connection | None = None
        self._prepares: sqlite3.Connection | None = None  # the one that has what `prepare_file` writes to
        self._remove_copy: Callable[[], object] = object  # nothing to remove yet
        self._locks: dict[int, threading.RLock] = {}
        self._is_durable: bool | None = None  # whether commits wait for the medium now; None: nobody has said
        self._open()

    @property
    def is_in_place(self) -> bool:
        try:
            found = os.lstat(self._place)
        except (FileNotFoundError, NotADirectoryError):
            return self._identity is None
        return (found.st_dev, found.st_ino) == self._identity

    def read(self, work: Work[T]) -> T:
        """Run `work` with the connection to itself; what SQLite or the system raises is refused by its kind."""
        pid = os.getpid()
        # A lock that a thread of the parent held at a fork would never be released here: each process has its own.
        with self._locks.get(pid) or self._locks.setdefault(pid, threading.RLock()):
            try:
                if pid != self._pid:
                    self._open_after_fork()
                if self._connection is None:
                    raise EditError(Kind.INTERNAL, "the journal is closed", hint="open the workspace again")
                try:
                    return work(self._connection)
                except sqlite3.OperationalError as error:
                    if self._connection.in_transaction or primary_code(error) != sqlite3.SQLITE_BUSY:
                        raise
                return self._read_again(self._connection, work)
            except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
                raise refusal(error, self._database) from error

    def _read_again(self, connection: sqlite3.Connection, work: Work[T]) -> T:
        """Run `work`, which has done nothing because others write, until they have written or the time is up.

        SQLite would sleep for milliseconds, and longer each time; a write is over in a part of one.
        """
        import random  # only who has to wait needs it

        deadline, wait = time.monotonic() + self._timeout, _FIRST_WAIT
        while True:
            time.sleep(wait * random.uniform(0.5, 1.5))
            wait = min(wait * 1.5, _LONGEST_WAIT)
            try:
                return work(connection)
            except sqlite3.OperationalError as error:
                is_busy = primary_code(error) == sqlite3.SQLITE_BUSY and not connection.in_transaction
                if not is_busy or time.monotonic() >= deadline:
                    raise

    @contextmanager
    def _waiting(self, connection: sqlite3.Connection) -> Iterator[None]:
        """A block in which SQLite itself waits for others, as what is given up in silence needs it."""
        connection.execute(f"PRAGMA busy_timeout = {round(self._timeout * 1000):d}")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                connection.execute(_AT_ONCE)

    def read_snapshot(self, work: Work[T]) -> T:
        """The same, while nothing that others write is seen."""

        def within(connection: sqlite3.Connection) -> T:
            if connection.in_transaction:
                return work(connection)
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.execute("ROLLBACK")

        return self.read(within)

    def write(self, work: Work[T], *, durable: bool, room: Room = "ordinary") -> T:
        """Run `work` in a write transaction; on a full disk urgent work gives up the reserve and runs once more."""

        def within(connection: sqlite3.Connection) -> T:
            if connection.in_transaction:
                return work(connection)
            self._check_writable()
            if room == "admitted":
                self.reserve.ensure()
            try:
                return self._transact(connection, work, durable=durable)
            except sqlite3.Error as error:
                if not self._makes_room(connection, error, room):
                    raise
            return self._transact(connection, work, durable=durable)

        return self.read(within)

    def write_one(
        self,
        statement: Statement,
        values: Sequence[object],
        *,
        row: tuple[int, bytes] | None = None,  # noqa: ARG002
        room: Room = "ordinary",
    ) -> int:
        """Run one statement, which SQLite commits by itself."""

        def within(connection: sqlite3.Connection) -> int:
            if not connection.in_transaction:
                self._check_writable()
                self._set_durable(connection, durable=False)
            try:
                return connection.execute(statement.sqlite, values).rowcount
            except sqlite3.Error as error:
                if connection.in_transaction or not self._makes_room(connection, error, room):
                    raise
            return connection.execute(statement.sqlite, values).rowcount

        return self.read(within)

    def prepare_file(self, values: Sequence[object]) -> bool:
        """Append a prepared record of one file, durably; it needs the reserve. False: another row is last by now, or
        this is inside a transaction.
        """

        def within(connection: sqlite3.Connection) -> bool:
            if connection.in_transaction:
                return False
            self._check_writable()
            self.reserve.ensure()
            if self._prepares is not connection:
                for statement in _PREPARES:
                    connection.execute(statement)
                self._prepares = connection
            self._set_durable(connection, durable=True)
            before = connection.total_changes
            try:
                connection.execute(_PREPARE, values)
            except sqlite3.Error as error:
                self._makes_room(connection, error, "admitted")
                raise
            return connection.total_changes > before

        return self.read(within)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """Join all writes of the block to one transaction; an exception takes all of them back."""
        with self._locks.setdefault(os.getpid(), threading.RLock()):
            self.read(self._begin_bulk)
            try:
                yield
                self.read(_commit)
            except BaseException:
                self.read(_roll_back)
                raise

    def _begin_bulk(self, connection: sqlite3.Connection) -> None:
        self._check_writable()
        self.reserve.ensure()
        self._begin(connection, durable=True)

    def vacuum(self) -> bool:
        """Give dropped room back to the disk; False when the disk is too full for that or others are reading."""

        def work(connection: sqlite3.Connection) -> bool:
            try:
                with self._waiting(connection):
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.OperationalError:
                return False
            return True

        return self.read(work)

    def size(self) -> int:
        """What the database and its write-ahead file take on the disk, in bytes."""
        return self.folder.size

    def release_reserve(self) -> bool:
        """Free the space kept for undo and recovery; False if there was none."""
        return not self.read_only and self.reserve.release()

    def close(self) -> None:
        with self._locks.setdefault(os.getpid(), threading.RLock()):
            if self._connection is None or os.getpid() != self._pid:
                return
            if not self.read_only:
                with suppress(OSError):
                    self.reserve.ensure()
            self._forgotten.detach()
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = self._prepares = None
            self._remove_copy()

    def _open(self) -> None:
        """Open, and only then say that this process has a connection of its own."""
        try:
            if self.read_only:
                connection = self._open_copy()
            else:
                connection, self.damage = open_database(self.folder, self._timeout)
                connection.execute(FOLLOWS_THE_LOG)
                connection.execute(_AT_ONCE)
        except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
            raise refusal(error, self._database) from error
        pid = os.getpid()
        self._is_durable = None
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
        if not self.folder.has_database:
            return open_in_memory()
        self.folder.check()
        copy = private_copy(self.folder)
        self._remove_copy = weakref.finalize(self, _remove, copy.path, os.getpid())
        try:
            return bring_up(connect(copy, self._timeout))
        except Unusable as error:
            error.connection.close()
            self.damage = f"the journal {self.folder.database} is unusable ({error}); it was left alone and not read"
            return open_in_memory()

    def _check_writable(self) -> None:
        if self.read_only:
            raise read_only(self.folder.database)
        if not self.is_in_place:
            raise moved(self.folder.database)

    def _transact(self, connection: sqlite3.Connection, work: Work[T], *, durable: bool) -> T:
        self._begin(connection, durable=durable)
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        return result

    def _begin(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        """Begin a write transaction."""
        self._set_durable(connection, durable=durable)
        connection.execute("BEGIN IMMEDIATE")

    def _set_durable(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        """Say whether the next commit waits for the medium, which can only be said outside of a transaction."""
        if durable is not self._is_durable:
            self._is_durable = None
            connection.execute(_SYNCHRONOUS[durable])
            self._is_durable = durable

    def _makes_room(self, connection: sqlite3.Connection, error: sqlite3.Error, room: Room) -> bool:
        """Whether what a full disk refused may be tried again: what a failed write left behind is given back first."""
        if not is_full(error):
            return False
        with suppress(sqlite3.Error), self._waiting(connection):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return room == "urgent" and self.reserve.release()


def _commit(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _remove(home: Path, pid: int) -> None:
    import shutil

    if os.getpid() == pid:  # a forked child must not take the copy from under its parent
        shutil.rmtree(home, ignore_errors=True)


def _close_own(connection: sqlite3.Connection, pid: int) -> None:
    """Close a connection, unless a fork made it somebody else's."""
    if os.getpid() == pid:
        with suppress(sqlite3.Error):
            connection.close()


_MANY = 20

_NEW_ROW = ", ".join(f"NEW.{column}" for column in log.COLUMNS.split(", "))
_PREPARES = (
    "CREATE TEMP VIEW IF NOT EXISTS prepared_files AS SELECT l.*, '' AS actor, '' AS task, '' AS path FROM main.log l",
    f"""CREATE TEMP TRIGGER IF NOT EXISTS prepare_a_file INSTEAD OF INSERT ON prepared_files BEGIN
        INSERT INTO log ({log.COLUMNS}) VALUES ({_NEW_ROW});
        INSERT INTO records (seq, id, state, time, actor, task)
            VALUES (NEW.seq, NEW.record, 'prepared', NEW.time, NEW.actor, NEW.task);
        INSERT INTO files (path, seq) VALUES (NEW.path, NEW.seq); END""",
)
_PREPARE = (
    f"INSERT INTO prepared_files ({log.COLUMNS}, actor, task, path) SELECT {', '.join('?' * 11)} WHERE {log.IS_LAST}"
)
"""Append a prepared record of one file and enter it, where the row with this chain is the last one: one statement,
which commits itself. What it writes to is made by each connection for itself, and is no part of the file; an interrupt
may leave half of it.
"""


class SqliteJournal(Journal):
    """A `Journal` in the state folder at `path`."""

    def __init__(self, path: Path, *, read_only: bool = False, timeout: float = 10.0) -> None:
        folder = JournalFolder(path.absolute())  # the working directory may change
        self._file = SqliteHandle(folder, read_only=read_only, timeout=timeout)
        super().__init__(self._file, FileHolders(folder.path), location=str(folder.path))

    def _prepare_at_once(self, record: Record, staging: Staging, body: tuple[int, bytes]) -> Row | None:  # noqa: ARG002
        """The same for a change of one file, where this process has written the last row."""
        head, paths = self._head, record.paths
        if head is None or len(paths) != 1:
            return None
        row = log.row_after(head, log.RowType.PREPARED, record.id, record.time, body)
        task = None if record.task is None else key(record.task)
        values = (*row, key(record.actor), task, key(paths[0]), head[1])
        return row if self._file.prepare_file(values) else None

    def verify(self, progress: Progress | None = None) -> list[Problem]:
        return self._file.read_snapshot(lambda connection: check_file(connection, progress))

    def close(self) -> None:
        self._file.close()  # first: nobody can announce anything any more
        self._presence.leave()


def check_file(connection: sqlite3.Connection, progress: Progress | None = None) -> list[Problem]:
    """Every problem that can be found; where the file itself is broken, what was found until then and that."""
    from steadyhand.workspace.journal.maintenance import problems

    found: list[Problem] = []
    try:
        for problem in _structure(connection):
            found.append(problem)
        for problem in problems(connection, progress):
            found.append(problem)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        found.append(Problem(None, "structure", f"the database file is broken: {error}"))
    return found


def _structure(connection: sqlite3.Connection) -> Iterator[Problem]:
    for (said,) in connection.execute(f"PRAGMA quick_check({_MANY:d})").fetchall():
        if said != "ok":
            yield Problem(None, "structure", f"the database file is broken: {said}")


_TRIES = 20
_WAL_HEADER = 32


def private_copy(folder: JournalFolder) -> JournalFolder:
    """Copy database and write-ahead file to a new temporary folder; the caller removes it.

    A checkpoint in the middle would tear the copy: it changes the database file or starts the
    write-ahead file over, and then the copy is made again.
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
    with closing(handle):
        return os.read(handle, _WAL_HEADER)


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
    with closing(handle):
        _write_out(handle, target)


def _write_out(handle: int, target: Path) -> None:
    import shutil

    with open(handle, "rb", closefd=False) as reader, open(target, "xb", opener=_private) as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
