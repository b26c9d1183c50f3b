"""One process's hold on a journal in PostgreSQL: the session it has at the moment, and transactions that may be lost.

Knows nothing of records. What a write asks beyond the interface of every store (to run on one session, not to run
twice, to wait for the disk) is said around it by `under`, for this thread.

Invariants:

1. There is one session at a time, used under one lock, and none of an earlier generation is ever spoken on again.
   Nothing waits for the server longer than the journal's timeout at a time.
2. A session that did not answer in time is cut, not closed: it may not even read a goodbye.
3. A forked process never speaks on its parent's socket, and does not keep it open either: the parent's session, and
   with it the parent's locks, must end when the parent does.
4. A write is one transaction that holds the journal's writer lock, or nothing.
5. A read that lost its connection is tried once more on a new one; so is a write that surely was not committed.
   What got no answer in time is not tried again.
6. A commit that was sent and not answered is decided by looking for its last row while the writer lock is held: only
   a transaction that has ended lets go of that. What cannot be decided is refused as unknown.
7. A write of one statement is sent with its commit: whatever is lost on the way is a commit without an answer.
8. What depends on the locks of a session runs on that session or not at all.
9. Whatever psycopg raises leaves here as a refusal of a named kind.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import NamedTuple, TypeVar

import psycopg

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.database import Connection, Room, Statement, Work, in_children
from steadyhand.workspace.journal.postgres.session import (
    Address,
    Head,
    HoldLost,
    Overdue,
    PostgresSession,
    PunctualConnection,
    Undecided,
    bring_up,
    check_version,
    cut,
    is_passing,
    read_only,
    refusing,
)

_POLL = 0.03


class Link:
    """The way from one process to a journal's schema. Not thread-safe: the handle's lock is around every call."""

    def __init__(self, address: Address, *, read_only: bool, timeout: float) -> None:
        self.address = address
        self.on_connect: Callable[[PostgresSession], None] = _nothing
        self._read_only = read_only
        self._timeout = timeout
        self._generation = 0
        self._session: PostgresSession | None = None
        self._abandoned: list[PostgresSession] = []
        self._pid = os.getpid()
        self._use(self._connect_patiently(was_there=False))
        try:
            bring_up(self.live(), address, read_only=read_only)
        except BaseException:
            self.drop()
            raise
        in_children(self, Link.close_inherited)

    @property
    def has_session(self) -> bool:
        return self._session is not None

    @property
    def is_in_transaction(self) -> bool:
        return self._session is not None and self._session.in_transaction

    def live(self) -> PostgresSession:
        """The session there is, or a new one."""
        if self._session is None:
            session = self._connect_patiently(was_there=True)
            try:
                check_version(session, self.address, read_only=self._read_only)
            except BaseException:
                cut(session.raw)
                raise
            self._use(session)
        assert self._session is not None
        return self._session

    def of_generation(self, generation: int) -> PostgresSession:
        """The very session that something was locked on; refuses with `HoldLost` when that is gone."""
        if self._session is None or self._session.generation != generation:
            raise HoldLost
        return self._session

    def drop_if_lost(self) -> bool:
        """Let go of a session that cannot be used any more; whether there is none now."""
        if self._session is not None and self._session.is_lost:
            self.drop()
        return self._session is None

    def drop(self) -> None:
        """End the session without a word."""
        session, self._session = self._session, None
        if session is not None:
            self._forgotten.detach()
            cut(session.raw)

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._forgotten.detach()
            with suppress(psycopg.Error):
                session.raw.close()

    def leave_to_parent(self) -> None:
        """After a fork, before anything else: what was inherited is the parent's."""
        if os.getpid() == self._pid:
            return
        if self._session is not None:
            self._forgotten.detach()
            self._abandoned.append(self._session)  # freed, it would say goodbye in the parent's name
            self._session = None
        self._pid = os.getpid()

    def close_inherited(self) -> None:
        """In a child, right after the fork: give the copy of the socket back."""
        if self._session is not None:
            with suppress(OSError, psycopg.Error):
                os.close(self._session.raw.fileno())

    def _connect(self) -> PostgresSession:
        self._generation += 1
        return PostgresSession(
            self.address, patience=self._timeout, read_only=self._read_only, generation=self._generation
        )

    def _connect_patiently(self, *, was_there: bool) -> PostgresSession:
        """A server that is started again is out of reach for a moment, or lets nobody in."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                return self._connect()
            except psycopg.OperationalError as error:
                is_hopeless = isinstance(error, Overdue) or not (was_there or is_passing(error))
                if is_hopeless or time.monotonic() >= deadline:
                    raise
            time.sleep(_POLL)

    def _use(self, session: PostgresSession) -> None:
        # A workspace that nobody closed is closed when nobody can use it any more.
        self._forgotten = weakref.finalize(self, _close_own, session.raw, os.getpid())
        self._session = session
        self.on_connect(session)


def _nothing(_session: PostgresSession) -> None:
    return None


def _close_own(connection: PunctualConnection, pid: int) -> None:
    """Close a connection, unless a fork made it somebody else's."""
    if os.getpid() == pid:
        with suppress(psycopg.Error):
            connection.close()


_LOOK = 0.5  # how long, in seconds, to wait for the end of a commit that has had its time already


class _InDoubt(Exception):
    """A commit that was sent and not answered. `row` is its last row, None where it appended none."""

    def __init__(self, row: Head | None, result: object, *, overdue: bool) -> None:
        super().__init__("a commit was not answered")
        self.row = row
        self.result = result
        self.overdue = overdue


class AtOnce(NamedTuple):
    """A write that is one statement, and the row that it appends, if it does."""

    query: str
    values: Sequence[object]
    row: Head | None


def in_snapshot(work: Work[T]) -> Work[T]:
    """The same work while nothing that others write is seen."""

    def within(session: Connection) -> T:
        assert isinstance(session, PostgresSession)
        if session.in_transaction:
            return work(session)
        session.begin_snapshot()
        try:
            return work(session)
        finally:
            # A rollback would make psycopg forget its prepared statements. What is lost has no transaction to end.
            try:
                session.commit()
            except psycopg.Error:
                session.in_transaction = False  # the next call finds that it is lost, and reconnects

    return within


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

    @property
    def is_in_place(self) -> bool:
        """A schema has one name; one that is dropped refuses by itself."""
        return True

    def read(self, work: Work[T]) -> T:
        with self._using():
            return self._read(work, again=not self._terms.once)

    def read_snapshot(self, work: Work[T]) -> T:
        return self.read(in_snapshot(work))

    def write(self, work: Work[T], *, durable: bool, room: Room = "ordinary") -> T:  # noqa: ARG002
        """Run `work` in one write transaction. How much room there is, the server knows."""
        with self._using():
            if self.link.is_in_transaction:
                return work(self.link.live())
            return self._write(work, durable=durable)

    def write_one(
        self,
        statement: Statement,
        values: Sequence[object],
        *,
        row: tuple[int, bytes] | None = None,
        room: Room = "ordinary",  # noqa: ARG002
    ) -> int:
        with self._using():
            if self.link.is_in_transaction:
                return self.link.live().execute(statement.postgres, values).rowcount
            work = AtOnce(statement.postgres, values, None if row is None else Head(*row))
            changed: int = self._write(work, durable=False)
            return changed

    @contextmanager
    def bulk(self) -> Iterator[None]:
        with self._using():
            self._check_writable()
            with self._writing():
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
                return self._read(lambda _: self._on(self.link.live(), work), again=True)
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

    def _write(self, work: Work[T] | AtOnce, *, durable: bool) -> T:
        self._check_writable()
        terms = self._terms
        durable = durable or terms.durable
        if terms.generation is not None:
            return self._write_on(terms.generation, work, durable=durable)
        if terms.once:
            return self._write_once(work, durable=durable)
        return self._write_again(work, durable=durable)

    def _read(self, work: Work[T], *, again: bool) -> T:
        """Run `work`; once more where the connection was lost and `again` allows it."""
        session = self.link.live()
        if session.in_transaction:
            return work(session)
        try:
            return work(session)
        except psycopg.Error:
            if not self.link.drop_if_lost() or session.is_overdue or not again:
                raise
        try:
            return work(self.link.live())
        except psycopg.Error:
            self.link.drop_if_lost()
            raise

    def _write_again(self, work: Work[T] | AtOnce, *, durable: bool) -> T:
        """Run `work` in a transaction; once more where it surely was not committed."""
        session = self.link.live()
        try:
            return self._transact(session, work, durable=durable)
        except _InDoubt as doubt:
            if self._has_landed(doubt):
                return doubt.result  # type: ignore[return-value]
        except psycopg.Error:
            if self.link.has_session or session.is_overdue:
                raise
        return self._write_once(work, durable=durable)

    def _write_once(self, work: Work[T] | AtOnce, *, durable: bool) -> T:
        """Run `work` in a transaction, and never again: what it reads from is used up."""
        try:
            return self._transact(self.link.live(), work, durable=durable)
        except _InDoubt as doubt:
            self._expect_landed(doubt)
            return doubt.result  # type: ignore[return-value]

    def _write_on(self, generation: int, work: Work[T] | AtOnce, *, durable: bool) -> T:
        """Run `work` in a transaction of one session; `HoldLost` where that is gone, before or on the way."""
        session = self.link.of_generation(generation)
        try:
            return self._transact(session, work, durable=durable)
        except _InDoubt as doubt:
            raise HoldLost(landed=self._has_landed(doubt)) from doubt
        except psycopg.Error as error:
            if self.link.has_session or session.is_overdue:
                raise
            raise HoldLost from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction around a block, which cannot be run again."""
        session = self.link.live()
        with self._begun(session, durable=True) as started:
            yield
            ended = session.head()
        try:
            self._commit(session, None if ended == started else ended, None)
        except _InDoubt as doubt:
            self._expect_landed(doubt)

    def _transact(self, session: PostgresSession, work: Work[T] | AtOnce, *, durable: bool) -> T:
        if isinstance(work, AtOnce):
            return self._at_once(session, work, durable=durable)  # type: ignore[return-value]
        with self._begun(session, durable=durable) as started:
            result = work(session)
            ended = session.head()
        self._commit(session, None if ended == started else ended, result)
        return result

    def _at_once(self, session: PostgresSession, work: AtOnce, *, durable: bool) -> int:
        try:
            return session.write_at_once(work.query, work.values, durable=durable)
        except psycopg.Error as error:
            if self.link.drop_if_lost():
                raise _InDoubt(work.row, 1, overdue=session.is_overdue) from error
            self._roll_back(session)
            raise
        except BaseException:
            self.link.drop()
            raise

    @contextmanager
    def _begun(
        self, session: PostgresSession, *, durable: bool, lock_wait: float | None = None
    ) -> Iterator[Head | None]:
        """A write transaction, rolled back by an exception and otherwise still open; the row that was last."""
        try:
            yield session.begin(durable=durable, lock_wait=lock_wait)
        except BaseException:
            self._roll_back(session)
            raise

    def _commit(self, session: PostgresSession, row: Head | None, result: object) -> None:
        try:
            session.commit()
        except psycopg.Error as error:
            if self.link.drop_if_lost():
                raise _InDoubt(row, result, overdue=session.is_overdue) from error
            self._roll_back(session)  # the server answered, and said no
            raise
        except BaseException:
            self.link.drop()  # interrupted in between
            raise

    def _roll_back(self, session: PostgresSession) -> None:
        if self.link.drop_if_lost():
            return
        try:
            session.rollback()
        except psycopg.Error:
            self.link.drop()

    def _expect_landed(self, doubt: _InDoubt) -> None:
        if doubt.row is None:
            raise Undecided from doubt
        if not self._has_landed(doubt):
            assert doubt.__cause__ is not None
            raise doubt.__cause__

    def _has_landed(self, doubt: _InDoubt) -> bool:
        """Whether a commit in doubt was done. Holding the writer lock means that it has ended, this way or that.

        One that appended nothing only replaced what it found, and may as well be done again.
        """
        try:
            session = self.link.live()
            with self._begun(session, durable=True, lock_wait=_LOOK if doubt.overdue else None):
                landed = doubt.row is not None and session.has(doubt.row)
                session.commit()
                return landed
        except (psycopg.Error, EditError) as error:
            raise Undecided from error

    def _on(self, session: PostgresSession, work: Work[T]) -> tuple[int, T]:
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
