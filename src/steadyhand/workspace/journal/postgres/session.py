"""One connection to the server, set up for one journal, that never waits longer than it may.

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
import socket
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

import psycopg
from psycopg import sql
from psycopg.abc import PQGen

from steadyhand.workspace.journal.connection import Rows
from steadyhand.workspace.journal.postgres.address import Address
from steadyhand.workspace.journal.postgres.faults import Overdue, pooled

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
    """One try to connect, in a thread of its own: looking up a name cannot be interrupted, only left behind."""

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


def connect(parameters: Mapping[str, str | int], patience: float) -> PunctualConnection:
    """A connection in autocommit mode; raises psycopg's errors, `Overdue` after `patience` seconds."""
    connection = _Attempt(parameters).within(patience)
    connection.patience = patience
    return connection


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


class Session:
    """A live connection; `generation` tells it from those before it in this process."""

    def __init__(self, address: Address, *, patience: float, read_only: bool, generation: int) -> None:
        self.generation = generation
        self.in_transaction = False
        self._writer = lock_id("writer", address.schema)
        parameters: dict[str, str | int] = {"connect_timeout": max(2, int(patience) + 1), **_SILENT_CLIENT}
        parameters |= address.parameters
        parameters |= {"client_encoding": "UTF8", "application_name": "steadyhand"}
        self.raw: PunctualConnection = connect(parameters, patience)
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

    def begin_making(self, lock: int) -> None:
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
            raise pooled()


def _millis(seconds: float) -> int:
    return max(1, min(int(seconds * _SECOND), (1 << 31) - 1))


def _head(found: tuple[Any, ...] | None) -> Head | None:
    return None if found is None else Head(int(found[0]), bytes(found[1]))
