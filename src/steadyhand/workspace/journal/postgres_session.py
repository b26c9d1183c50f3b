"""One connection to the server, set up for one journal, with the statements of a transaction.

The SQL of the journal is written with `?`; psycopg wants `%s`. No other module sends it a statement.

Invariants:

1. Only the journal's own schema is looked at, whatever else is in the database. That is a setting of the session, as
   the locks are: a pooler that hands sessions round is refused.
2. A write transaction holds the journal's writer lock from its first statement: the row that is last then stays last.
3. A commit waits for the disk where the transaction was begun as durable, and only there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from psycopg import sql

from steadyhand.workspace.journal.connection import Rows
from steadyhand.workspace.journal.postgres_address import Address
from steadyhand.workspace.journal.postgres_deadline import PunctualConnection, connect
from steadyhand.workspace.journal.postgres_faults import pooled

_HEAD = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1"
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
    """The same statement with psycopg's marks; neither kind of mark stands in a text of our SQL."""
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
        """Whether this very row stands in the log."""
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
