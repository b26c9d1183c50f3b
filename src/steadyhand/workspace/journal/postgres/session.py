"""One connection to the server, set up for one journal, that never waits longer than it may: where it leads, and what
its errors mean.

A password is in an address's `parameters` and nowhere else: not in `shown`, not in a refusal.
The SQL of the journal is written with `?`; psycopg wants `%s`. No other module sends it a statement.
The server's own timeouts do not help where the server does not run: a frozen backend answers nothing, and its kernel
keeps the connection alive. So every wait ends on this side, and then the socket is shut: whatever the backend still
sends is nobody's answer.

Invariants:

1. Only the journal's own schema is looked at, whatever else is in the database. That is a setting of the session, as
   the locks are: a pooler that hands sessions round is refused.
2. A write transaction holds the journal's writer lock before it reads or writes: the row that is last then stays last.
3. A commit waits for the disk where the transaction was begun as durable, and only there.
"""

from __future__ import annotations

import hashlib
import logging
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote

import psycopg
from psycopg import errors, sql
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.workspace.journal.database import VERSION, Rows, newer, not_writable, steps
from steadyhand.workspace.journal.index import catch_up

RV = TypeVar("RV")

# What psycopg ignores while it raises something else, it logs; where nobody listens that would go to stderr.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_LOOK = 0.05  # how often, in seconds, a wait looks at the clock


class PunctualConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose every exchange with the server ends within `patience` seconds."""

    patience: float = 10.0
    is_overdue: bool = False

    def wait(self, gen: PQGen[RV], interval: float = _LOOK, timeout: float | None = None) -> RV:
        """As psycopg's own, which resumes `gen` at least every `interval` seconds; there the clock is looked at."""
        if self.is_overdue:  # an answer that comes now would be that to an earlier question
            raise Overdue("the server did not answer in time")
        seconds = self.patience if timeout is None else min(timeout, self.patience)
        try:
            return super().wait(_until(gen, time.monotonic() + seconds), min(interval, _LOOK))
        except Overdue:
            self.is_overdue = True
            raise


def _until(gen: PQGen[RV], deadline: float) -> PQGen[RV]:
    try:
        waiting_for = next(gen)
        while True:
            ready = yield waiting_for
            waiting_for = gen.send(ready)
            if not ready and time.monotonic() >= deadline:
                raise Overdue("the server did not answer in time")
    except StopIteration as ended:
        result: RV = ended.value
        return result


class _Attempt:
    """One try to connect, in a thread of its own: looking up a name cannot be interrupted, only left behind.

    The connection is in autocommit mode; psycopg's errors are raised as they are, `Overdue` where it takes too long.
    """

    def __init__(self, parameters: Mapping[str, str | int]) -> None:
        self._parameters = parameters
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._left = False
        self._connection: PunctualConnection | None = None
        self._error: BaseException | None = None

    def within(self, seconds: float) -> PunctualConnection:
        threading.Thread(target=self._run, name="steadyhand-connect", daemon=True).start()
        self._over.wait(seconds)
        with self._lock:
            if self._error is not None:
                raise self._error
            if self._connection is None:
                self._left = True
                raise Overdue("the server did not accept a connection in time")
            return self._connection

    def _run(self) -> None:
        connection = None
        try:
            connection = PunctualConnection.connect(autocommit=True, **self._parameters)  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001 - whatever it was, it is raised where somebody waits
            self._error = error
        with self._lock:
            if connection is not None and self._left:
                connection.close()
            else:
                self._connection = connection
        self._over.set()


def cut(connection: PunctualConnection) -> None:
    """Close at once. Saying goodbye first could block on a server that no longer reads."""
    with suppress(psycopg.Error, OSError):
        with socket.socket(fileno=connection.fileno()) as shut:
            try:
                shut.shutdown(socket.SHUT_RDWR)
            finally:
                shut.detach()  # the descriptor is libpq's to close
    with suppress(psycopg.Error):
        connection.close()


_HEAD = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1"
_ALONE = "SELECT set_config('synchronous_commit', %s, true), pg_advisory_xact_lock(%s)"
_SECOND = 1000
# The server gives up first where it can: then the connection stays.
_LOCK_SHARE, _STATEMENT_SHARE = 0.8, 0.9
_IDLE_SHARE = 3  # of a transaction: everybody else waits meanwhile
# A machine that lost its power says no goodbye; its locks are free after about half a minute.
_SILENCE = {"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
_SILENT_CLIENT = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3}


class Head(NamedTuple):
    """Number and chain of the last row."""

    seq: int
    chain: bytes


def lock_id(*names: str) -> int:
    """The number of an advisory lock: what is locked, hashed to the 64 bits the server has for it."""
    data = b"\0".join(name.encode("utf-8", "surrogatepass") for name in ("steadyhand", *names))
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big", signed=True)


@lru_cache(maxsize=512)
def translated(query: str) -> str:
    """The same statement with psycopg's marks; neither kind of mark is in a text of our SQL."""
    return query.replace("?", "%s")


class PostgresSession:
    """A live connection; `generation` tells it from those before it in this process."""

    def __init__(self, address: Address, *, patience: float, read_only: bool, generation: int) -> None:
        self.generation = generation
        self.in_transaction = False
        self._writer = lock_id("writer", address.schema)
        parameters: dict[str, str | int] = {"connect_timeout": max(2, int(patience) + 1), **_SILENT_CLIENT}
        parameters |= address.parameters
        parameters |= {"client_encoding": "UTF8", "application_name": "steadyhand"}
        self.raw: PunctualConnection = _Attempt(parameters).within(patience)
        self.raw.patience = patience
        try:
            self._set_up(address.schema, patience, read_only=read_only)
        except BaseException:
            self.raw.close()
            raise

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be asked any more."""
        return self.raw.closed or self.raw.is_overdue

    @property
    def is_overdue(self) -> bool:
        return self.raw.is_overdue

    def execute(self, query: str, values: Sequence[object] = (), /) -> Rows:
        return self.raw.execute(translated(query), values) if values else self.raw.execute(query)

    def executemany(self, query: str, rows: Iterable[Sequence[object]], /) -> None:
        left = iter(rows)
        first = list(islice(left, 2))
        if len(first) == 1:  # most often; a pipeline costs more than it saves then
            self.execute(query, first[0])
        elif first:
            with self.raw.cursor() as cursor:
                cursor.executemany(translated(query), chain(first, left))

    def begin(self, *, durable: bool, lock_wait: float | None = None) -> Head | None:
        """Begin to write, alone; the last row. Waits for other writers at most `lock_wait` seconds."""
        self.in_transaction = True
        wait = "" if lock_wait is None else f"SET LOCAL lock_timeout TO {int(lock_wait * _SECOND):d};"
        cursor = self.raw.execute(
            "BEGIN ISOLATION LEVEL READ COMMITTED;"
            f"SET LOCAL synchronous_commit TO {'on' if durable else 'off'}; {wait}"
            f"SELECT pg_advisory_xact_lock({self._writer:d}); {_HEAD}",
            prepare=False,
        )
        while cursor.nextset():
            pass
        return _head(cursor.fetchone())

    def write_at_once(self, query: str, values: Sequence[object], *, durable: bool) -> int:
        """A whole write transaction of one statement, in one round trip; how many rows the statement changed."""
        self.in_transaction = True
        with self.raw.pipeline():
            self.raw.execute("BEGIN ISOLATION LEVEL READ COMMITTED", prepare=False)
            # A statement of its own: what the next one sees is what is there once the lock is had.
            self.raw.execute(_ALONE, ("on" if durable else "off", self._writer))
            cursor = self.raw.execute(translated(query), values)
            self.raw.execute("COMMIT", prepare=False)
        self.in_transaction = False
        return cursor.rowcount

    def begin_schema_change(self, lock: int) -> None:
        """Begin to make or change tables, alone."""
        self.in_transaction = True
        self.raw.execute(f"BEGIN; SET LOCAL synchronous_commit TO on; SELECT pg_advisory_xact_lock({lock:d})")

    def begin_snapshot(self) -> None:
        """Begin to read what is there now."""
        self.in_transaction = True
        self.raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", prepare=False)

    def head(self) -> Head | None:
        return _head(self.raw.execute(_HEAD).fetchone())

    def has(self, row: Head) -> bool:
        """Whether this very row is in the log."""
        found = self.raw.execute("SELECT chain FROM log WHERE seq = %s", (row.seq,)).fetchone()
        return found is not None and found[0] == row.chain

    def commit(self) -> None:
        self.raw.execute("COMMIT", prepare=False)
        self.in_transaction = False

    def rollback(self) -> None:
        self.raw.execute("ROLLBACK", prepare=False)
        self.in_transaction = False

    def _set_up(self, schema: str, patience: float, *, read_only: bool) -> None:
        settings = {
            "search_path": f"{sql.Identifier(schema).as_string(self.raw)}, pg_temp",
            "lock_timeout": f"{_millis(patience * _LOCK_SHARE)}",
            "statement_timeout": f"{_millis(patience * _STATEMENT_SHARE)}",
            "idle_in_transaction_session_timeout": f"{_millis(patience * _IDLE_SHARE)}",
            "synchronous_commit": "off",
            **({"default_transaction_read_only": "on"} if read_only else {}),
            **_SILENCE,
        }
        asked = ", ".join("set_config(%s, %s, false)" for _ in settings)
        values = [part for pair in settings.items() for part in pair]
        found = self.raw.execute(f"SELECT pg_backend_pid(), {asked}", values).fetchone()
        if found is None or found[0] != self.raw.info.backend_pid:
            # Sessions that change between two statements keep neither locks nor settings.
            raise EditError(
                Kind.NOT_ALLOWED,
                "the server is behind a connection pooler, which cannot hold locks",
                hint="give the address of the server itself",
            )


def _millis(seconds: float) -> int:
    return max(1, min(int(seconds * _SECOND), (1 << 31) - 1))


def _head(found: tuple[Any, ...] | None) -> Head | None:
    return None if found is None else Head(int(found[0]), bytes(found[1]))


COMMON = "steadyhand"
"""The schema of what all journals of a database share; no journal's own."""

_NAME = lazy_pattern("[a-z0-9_-]{1,48}")
_SHOWN = ("host", "port")


@dataclass(frozen=True, slots=True)
class Address:
    """A server, a database and a journal in it."""

    parameters: Mapping[str, str] = field(repr=False)
    name: str

    @property
    def schema(self) -> str:
        return f"{COMMON}_{self.name}"

    @property
    def shown(self) -> str:
        """As a URL that opens the same journal for whoever needs no password, or has it elsewhere."""
        known = self.parameters
        user = f"{quote(known['user'], safe='')}@" if "user" in known else ""
        asked = [f"{key}={quote(known[key], safe='/,')}" for key in _SHOWN if key in known]
        query = "&".join([*asked, f"journal={self.name}"])
        return f"postgresql://{user}/{quote(known.get('dbname', ''), safe='')}?{query}"

    def sibling(self, name: str) -> Address:
        """Another journal of the same database."""
        return Address(self.parameters, checked_name(name))


def parse_address(url: str, name: str) -> Address:
    """The address a URL gives; `name` is the journal's where the URL names none."""
    plain, given = _without_journal(url)
    if _misplaced_at(plain):
        raise _no_url()
    try:
        parameters = conninfo_to_dict(plain)
    except psycopg.Error:  # what libpq says quotes the URL, and so the password
        raise _no_url() from None
    return Address({key: str(value) for key, value in parameters.items()}, checked_name(given or name))


def checked_name(name: str) -> str:
    """A name that a schema can carry; anything else is refused."""
    if not _NAME.fullmatch(name):
        raise EditError(
            Kind.BAD_REQUEST,
            f"{name!r} is not a name for a journal",
            hint="use 1 to 48 lower-case letters, digits, _ and -",
        )
    return name


def _misplaced_at(url: str) -> bool:
    """Whether a password with a bare `/`, `?` or `@` would be taken for a host, a port or a database, and shown."""
    place, _, rest = re.sub("[/?]", "\n", url.partition("://")[2], count=1).partition("\n")
    return place.count("@") > 1 or "@" in rest


def _no_url() -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        "the URL of the journal is not one that PostgreSQL understands",
        hint="write postgresql://user@host:port/database?journal=name, with %-codes for special characters",
    )


def _without_journal(url: str) -> tuple[str, str | None]:
    """The URL as libpq may see it, and the journal's name taken off it."""
    place, mark, query = url.partition("?")
    parts = [part for part in query.split("&") if part]
    names = [unquote(part.partition("=")[2]) for part in parts if part.partition("=")[0] == "journal"]
    if len(names) > 1:
        raise EditError(Kind.BAD_REQUEST, "the URL names the journal twice", hint="give journal=NAME once")
    rest = "&".join(part for part in parts if part.partition("=")[0] != "journal")
    return f"{place}{mark}{rest}" if rest else place, names[0] if names else None


AGAIN = "send the same call again in a moment"

_BUSY = {"55P03", "40P01", "40001", "53300", "55006"}
_READ_ONLY = {"25006", "42501"}
_LATE = {"57014"}
_NOT_LET_IN = ("authentication failed", "no password supplied", "pg_hba.conf", 'role "')
_PASSING = ("starting up", "shutting down", "recovery mode", "too many clients", "remaining connection slots")
_REFUSED = {"53000", "53100", "53200", "58000", "58030"}
_DAMAGED = {"XX001", "XX002", "42P01", "42703", "3F000", "0A000"}
_TOO_LARGE = {"54000", "22001", "22003", "53400"}


class Overdue(psycopg.OperationalError):
    """The server did not answer in time; the connection cannot be used any more."""


class HoldLost(Exception):
    """The session that held the locks is gone; `landed`: what was to be written under them is there all the same."""

    def __init__(self, *, landed: bool = False) -> None:
        super().__init__("the session that held the locks has ended")
        self.landed = landed


class Undecided(Exception):
    """Whether a write was done could not be found out."""


def is_passing(error: psycopg.Error) -> bool:
    """Whether a server that let us in not now may do so in a moment; there is no code for that, only a text."""
    return any(text in str(error) for text in _PASSING)


@contextmanager
def refusing(where: str, password: str | None) -> Iterator[None]:
    """Turn what psycopg raises about the journal at `where` into an `EditError`."""
    try:
        yield
    except Undecided as error:
        raise undecided(where) from error
    except psycopg.Error as error:
        raise refusal(error, where, password) from error
    except UnicodeEncodeError as error:
        raise EditError(Kind.BAD_REQUEST, "only text can be kept here", hint="leave it out") from error


def refusal(error: psycopg.Error, where: str, password: str | None) -> EditError:
    """What the server said, by the kind that tells the caller what to do."""
    code = error.sqlstate or ""
    if isinstance(error, Overdue) or code in _LATE:
        return EditError(Kind.TIMED_OUT, f"the journal {where} did not answer in time", hint=AGAIN)
    if code in _BUSY:
        return EditError(Kind.BUSY, f"the journal {where} is in use by others", hint=AGAIN)
    if code in _READ_ONLY:
        return read_only(where)
    said = _said(error, password)
    if code in _DAMAGED:
        return damaged(where, said)
    if code in _TOO_LARGE or isinstance(error, psycopg.DataError):
        return EditError(Kind.TOO_LARGE, f"too large for the journal: {said}", hint="change less in one call")
    if code in _REFUSED or isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return _unreachable(where, said)
    return EditError(Kind.INTERNAL, f"the journal {where} failed: {said}", details={"sqlstate": code})


def _unreachable(where: str, said: str) -> EditError:
    """A server that lets nobody in gives no code for the reason, only a text."""
    if any(text in said for text in _NOT_LET_IN):
        return EditError(
            Kind.NOT_ALLOWED,
            f"the server of the journal {where} refused the login: {said}",
            hint="check user and password in the URL, PGPASSWORD or the password file",
        )
    if 'database "' in said and "does not exist" in said:
        return EditError(Kind.NO_SUCH_FILE, f"there is no database for the journal {where}", hint="create it first")
    return EditError(
        Kind.DISK_REFUSED,
        f"the journal {where} could not be reached: {said}",
        hint="check that the server runs and can be reached, then send the same call again",
    )


def damaged(where: str, cause: str) -> EditError:
    """Something is there that is not a sound journal."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {where} cannot be used: {cause}",
        hint="give another name with journal=NAME in the URL; nothing was changed",
    )


def read_only(where: str) -> EditError:
    """The journal cannot be written, so nothing else may be."""
    return not_writable(where, Say("open it for writing, as a role that may create and change its tables"))


def hold_lost() -> EditError:
    """Somebody else may have the files by now."""
    return EditError(
        Kind.BUSY,
        "the locks on these files were lost with the connection to the journal",
        hint="nothing was changed; read the files again and resend the call",
    )


def undecided(where: str) -> EditError:
    """The connection was lost while the server was asked to commit, and it cannot be asked what became of that."""
    return EditError(
        Kind.TIMED_OUT,
        f"the journal {where} was lost in the middle of a write, and it is unknown whether the write was made",
        hint=(
            Say("check the history before sending the same call again"),
            RunCommand("log", "shows it"),
        ),
        details={"state": "unknown"},
    )


def _said(error: psycopg.Error, password: str | None) -> str:
    text = " ".join(str(error.diag.message_primary or error).split()) or type(error).__name__
    return text.replace(password, "***") if password else text


# The tables of a journal in PostgreSQL: found sound, made, brought up, or left alone.
#
# Three problems are distinguished: newer than this version, older and only to be read, not a journal at all. All three
# are refused, and nothing is changed.

Shape = Mapping[str, tuple[str, ...]]
"""The columns of every table."""

_FORM = "form"
_TABLE = "CREATE TABLE "
_COLUMNS = """SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname, a.attnum"""
_TRIGGERS = """SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND NOT t.tgisinternal"""
_TRIGGER = lazy_pattern(r"CREATE TRIGGER (\w+) .* ON (\w+)\s")


def bring_up(session: PostgresSession, address: Address, *, read_only: bool) -> None:
    """See that the journal of this version is there, and make or migrate it where it is not."""
    version = _version(session, address)
    if version == VERSION:
        return
    if read_only and version == 0:
        _set_up_substitute(session, address)
        return
    if read_only:
        raise EditError(
            Kind.READ_ONLY,
            f"the journal {address.shown} has the older form {version} and is read-only",
            hint="open it for writing once to update it",
            details={"version": version, "known": VERSION},
        )
    session.begin_schema_change(lock_id("making", address.schema))
    try:
        _migrate(session, address)
        session.commit()
    except BaseException:
        if not session.is_lost:
            session.rollback()
        raise


def check_version(session: PostgresSession, address: Address, *, read_only: bool) -> None:
    """Refuse to go on with a journal that another program made newer, or took away, meanwhile."""
    if read_only:
        bring_up(session, address, read_only=True)
    elif _version(session, address) != VERSION:
        raise damaged(address.shown, "it was removed or replaced while it was in use")


def _version(session: PostgresSession, address: Address) -> int:
    """How many steps the journal has gone; 0 where there is none. Refuses what is no journal or too new."""
    shape = _shape(session, address.schema)
    if not shape:
        return 0
    if shape.get(_FORM) != ("version",):
        raise damaged(address.shown, "its schema holds the tables of another program")
    found = session.execute("SELECT version FROM form").fetchall()
    if len(found) != 1 or found[0][0] < 1:
        raise damaged(address.shown, "its form is unknown")
    version = int(found[0][0])
    if version > VERSION:
        raise newer(address.shown, version)
    triggers = {(row[0], row[1]) for row in session.execute(_TRIGGERS, (address.schema,)).fetchall()}
    if shape != expected_shape(version) or triggers != expected_triggers(version):
        raise damaged(address.shown, "its tables are not those of a journal")
    return version


def _migrate(session: PostgresSession, address: Address) -> None:
    version = _version(session, address)  # somebody else may have been here first
    if version == VERSION:
        return
    if version == 0:
        schema = sql.Identifier(address.schema).as_string(session.raw)
        exists = session.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (address.schema,)).fetchone()
        if exists is None:  # asked first: who may not create a schema may still fill one that was made for them
            session.execute(f"CREATE SCHEMA {schema}")
        session.execute("CREATE TABLE form (version BIGINT NOT NULL)")
        session.execute("INSERT INTO form (version) VALUES (0)")
    for step in steps("postgres")[version:]:
        for statement in step:
            session.execute(statement)
    catch_up(session, version)
    session.execute("UPDATE form SET version = ?", (VERSION,))


def _shape(session: PostgresSession, schema: str) -> Shape:
    found: dict[str, tuple[str, ...]] = {}
    for table, column in session.execute(_COLUMNS, (schema,)).fetchall():
        found[table] = (*found.get(table, ()), column)
    return found


@cache
def expected_shape(version: int) -> Shape:
    """The tables of a version, read from a database that needs no server: the steps are the same."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in (statement for step in steps("sqlite")[:version] for statement in step):
            connection.execute(statement)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        columns = {name: connection.execute(f"SELECT name FROM pragma_table_info('{name}')") for (name,) in tables}
        return {name: tuple(row[0] for row in found) for name, found in columns.items()} | {_FORM: ("version",)}
    finally:
        connection.close()


@cache
def expected_triggers(version: int) -> frozenset[tuple[str, str]]:
    """Table and name of every trigger of a version."""
    statements = (" ".join(statement.split()) for step in steps("postgres")[:version] for statement in step)
    found = (_TRIGGER.match(statement) for statement in statements)
    return frozenset((match[2], match[1]) for match in found if match)


def _set_up_substitute(session: PostgresSession, address: Address) -> None:
    """Empty tables that only this session sees, and only until there is a journal: its schema is looked at first."""
    tables = (statement for step in steps("postgres") for statement in step if statement.startswith(_TABLE))
    try:
        session.execute("BEGIN READ WRITE")
        for statement in tables:
            session.execute(statement.replace(_TABLE, "CREATE TEMPORARY TABLE ", 1))
        session.execute("COMMIT")
    except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"there is no journal {address.shown} yet",
            hint="the first workspace opened for writing creates it",
        ) from error
