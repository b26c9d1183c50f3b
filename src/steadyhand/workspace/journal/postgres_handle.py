"""One process's hold on a journal in PostgreSQL, whichever thread or forked child asks.

Knows nothing of records. What a write asks beyond the interface of every store (to run on one session, not to run
twice, to wait for the disk) is said around it by `under`, for this thread.

Invariants:

1. One session, used under one lock; nothing waits for the server longer than the journal's timeout at a time.
2. Whatever psycopg raises leaves here as a refusal of a named kind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import psycopg

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.connection import Room, Work
from steadyhand.workspace.journal.postgres_address import Address
from steadyhand.workspace.journal.postgres_faults import HoldLost, read_only, refusing
from steadyhand.workspace.journal.postgres_link import Link
from steadyhand.workspace.journal.postgres_session import Session
from steadyhand.workspace.journal.postgres_transaction import Transactions, in_snapshot

T = TypeVar("T")

_SIZE = """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a thread asks for a while: only the session of a generation, no second try, nothing that is not durable."""

    generation: int | None = None
    once: bool = False
    durable: bool = False


_USUAL = Terms()


class PostgresHandle:
    """Reads and writes of one journal."""

    def __init__(self, address: Address, *, read_only: bool, timeout: float) -> None:
        self.address = address
        self.read_only = read_only
        self.damage: str | None = None
        self._is_closed = False
        self._locks: dict[int, threading.RLock] = {}
        self._thread = threading.local()
        with self._refusing():
            self.link = Link(address, read_only=read_only, timeout=timeout)
        self._transactions = Transactions(self.link)

    @property
    def is_in_place(self) -> bool:
        """A schema has one name; one that is dropped refuses by itself."""
        return True

    def read(self, work: Work[T]) -> T:
        with self._using():
            return self._transactions.read(work, again=not self._terms.once)

    def read_snapshot(self, work: Work[T]) -> T:
        return self.read(in_snapshot(work))

    def write(self, work: Work[T], *, durable: bool, room: Room = "ordinary") -> T:  # noqa: ARG002
        """Run `work` in one write transaction. How much room there is, the server knows."""
        with self._using():
            if self.link.is_in_transaction:
                return work(self.link.live())
            self._check_writable()
            terms = self._terms
            durable = durable or terms.durable
            if terms.generation is not None:
                return self._transactions.write_on(terms.generation, work, durable=durable)
            if terms.once:
                return self._transactions.write_once(work, durable=durable)
            return self._transactions.write(work, durable=durable)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        with self._using():
            self._check_writable()
            with self._transactions.writing():
                yield

    @contextmanager
    def under(self, terms: Terms) -> Iterator[None]:
        """Say something about what this thread reads and writes within the block."""
        before, self._thread.terms = self._terms, terms
        try:
            yield
        finally:
            self._thread.terms = before

    def on_session(self, work: Work[T], *, generation: int | None = None) -> tuple[int, T]:
        """Run `work` as it is, on the session of a generation or whichever there is; which one that was.

        A statement that fails half-way may leave locks behind that nobody knows of, so the session is given up then.
        """
        with self._using():
            if generation is None:
                return self._transactions.read(lambda _: self._on(self.link.live(), work), again=True)
            session = self.link.of_generation(generation)
            try:
                return self._on(session, work)
            except psycopg.Error as error:
                if session.is_overdue:
                    raise
                raise HoldLost from error

    def vacuum(self) -> bool:
        with self._using():
            try:
                self.link.live().execute("VACUUM images")
            except psycopg.Error:
                self.link.drop_if_lost()
                return False
            return True

    def size(self) -> int:
        return int(self.read(lambda connection: connection.execute(_SIZE, (self.address.schema,)).fetchone()[0]))

    def release_reserve(self) -> bool:
        """The server's disk is not ours to keep room on."""
        return False

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self.link.leave_to_parent()
            self.link.close()

    def _on(self, session: Session, work: Work[T]) -> tuple[int, T]:
        try:
            return session.generation, work(session)
        except BaseException:
            self.link.drop()
            raise

    @property
    def _terms(self) -> Terms:
        return getattr(self._thread, "terms", _USUAL)

    @property
    def _lock(self) -> threading.RLock:
        """This process's lock: one that a thread of the parent held at the fork would never be released here."""
        return self._locks.setdefault(os.getpid(), threading.RLock())

    @contextmanager
    def _using(self) -> Iterator[None]:
        with self._lock, self._refusing():
            self.link.leave_to_parent()
            if self._is_closed:
                raise EditError(Kind.INTERNAL, "the journal is closed", hint="open the workspace again")
            yield

    def _refusing(self) -> AbstractContextManager[None]:
        return refusing(self.address.shown, self.address.parameters.get("password"))

    def _check_writable(self) -> None:
        if self.read_only:
            raise read_only(self.address.shown)
