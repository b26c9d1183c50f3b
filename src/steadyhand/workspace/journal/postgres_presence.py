"""Which processes are present at a journal on a server: each keeps a lock that ends with its session.

Nobody takes such a lock to see whether it is free: who looks would be taken for the holder by the next who looks.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

import psycopg

from steadyhand.errors import EditError
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.postgres_faults import HoldLost
from steadyhand.workspace.journal.postgres_handle import PostgresHandle
from steadyhand.workspace.journal.postgres_session import Session, lock_id

_HALF = (1 << 32) - 1
_IS_HELD = """SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ?::bigint::oid AND objid = ?::bigint::oid"""
_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"


class SessionHolders:
    """This process among the holders at a journal; present again as soon as it is connected again."""

    def __init__(self, handle: PostgresHandle) -> None:
        self._handle = handle
        self._name: str | None = None
        self._pid = os.getpid()
        self._generation = 0
        handle.link.on_connect = self._rejoin

    def holder(self, connection: Connection) -> str:
        """The name under which this process is seen as present from now on."""
        if self._name is None or self._pid != os.getpid():
            self._name, self._pid, self._generation = secrets.token_hex(16), os.getpid(), 0
        self._join(connection)
        return self._name

    def is_present(self, connection: Connection, holder: str) -> bool:
        """Whether a session holds that name's lock, or this process has it."""
        if holder == self._name and self._pid == os.getpid():
            return True
        lock = self._lock_of(holder)
        return bool(connection.execute(_IS_HELD, (lock >> 32 & _HALF, lock & _HALF)).fetchone()[0])

    def clear(self, connection: Connection, holder: str) -> None:
        """Nothing is left of a session."""

    def now(self, connection: Connection) -> int:
        """The server's clock: the same for all who share it."""
        return int(connection.execute(_NOW).fetchone()[0])

    def leave(self) -> None:
        """Be present no more."""
        name, self._name = self._name, None
        if name is None or self._pid != os.getpid():
            return
        with suppress(EditError, HoldLost):
            self._handle.on_session(
                lambda connection: connection.execute("SELECT pg_advisory_unlock(?)", (self._lock_of(name),)),
                generation=self._generation,
            )

    def _rejoin(self, session: Session) -> None:
        if self._name is not None and self._pid == os.getpid():
            with suppress(psycopg.Error):  # what is wrong with the session shows with its first use
                self._join(session)

    def _join(self, connection: Connection) -> None:
        """Take the lock on this session; an old one that lingers has it still, and the next call tries again."""
        assert isinstance(connection, Session)
        assert self._name is not None
        if connection.generation != self._generation:
            query = "SELECT pg_try_advisory_lock(?)"
            if connection.execute(query, (self._lock_of(self._name),)).fetchone()[0]:
                self._generation = connection.generation

    def _lock_of(self, holder: str) -> int:
        return lock_id("holder", self._handle.address.schema, holder)
