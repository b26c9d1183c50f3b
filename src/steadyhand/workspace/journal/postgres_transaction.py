"""Transactions on a session that may be lost at any moment, and what became of those that were.

Invariants:

1. A write is one transaction that holds the journal's writer lock, or nothing.
2. A read that lost its connection is tried once more on a new one; so is a write that surely was not committed.
   What got no answer in time is not tried again.
3. A commit that was sent and not answered is decided by looking for its last row while the writer lock is held: only
   a transaction that has ended lets go of that. What cannot be decided is refused as unknown.
4. What depends on the locks of a session runs on that session or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from steadyhand.errors import EditError
from steadyhand.workspace.journal.connection import Connection, Work
from steadyhand.workspace.journal.postgres_faults import HoldLost, Undecided
from steadyhand.workspace.journal.postgres_link import Link
from steadyhand.workspace.journal.postgres_session import Head, Session

T = TypeVar("T")

_LOOK = 0.5  # how long, in seconds, to wait for the end of a commit that has had its time already


class _InDoubt(Exception):
    """A commit that was sent and not answered. `row` is its last row, None where it appended none."""

    def __init__(self, row: Head | None, result: object, *, overdue: bool) -> None:
        super().__init__("a commit was not answered")
        self.row = row
        self.result = result
        self.overdue = overdue


class Transactions:
    """Reads and writes over a link. Not thread-safe: the handle's lock is around every call."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def read(self, work: Work[T], *, again: bool) -> T:
        """Run `work`; once more where the connection was lost and `again` allows it."""
        session = self._link.live()
        if session.in_transaction:
            return work(session)
        try:
            return work(session)
        except psycopg.Error:
            if not self._link.drop_if_lost() or session.is_overdue or not again:
                raise
        try:
            return work(self._link.live())
        except psycopg.Error:
            self._link.drop_if_lost()
            raise

    def write(self, work: Work[T], *, durable: bool) -> T:
        """Run `work` in a transaction; once more where it surely was not committed."""
        session = self._link.live()
        try:
            return self._transact(session, work, durable=durable)
        except _InDoubt as doubt:
            if self._has_landed(doubt):
                return doubt.result  # type: ignore[return-value]
        except psycopg.Error:
            if self._link.has_session or session.is_overdue:
                raise
        return self.write_once(work, durable=durable)

    def write_once(self, work: Work[T], *, durable: bool) -> T:
        """Run `work` in a transaction, and never again: what it reads from is used up."""
        try:
            return self._transact(self._link.live(), work, durable=durable)
        except _InDoubt as doubt:
            self._expect_landed(doubt)
            return doubt.result  # type: ignore[return-value]

    def write_on(self, generation: int, work: Work[T], *, durable: bool) -> T:
        """Run `work` in a transaction of one session; `HoldLost` where that is gone, before or on the way."""
        session = self._link.of_generation(generation)
        try:
            return self._transact(session, work, durable=durable)
        except _InDoubt as doubt:
            raise HoldLost(landed=self._has_landed(doubt)) from doubt
        except psycopg.Error as error:
            if self._link.has_session or session.is_overdue:
                raise
            raise HoldLost from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction around a block, which cannot be run again."""
        session = self._link.live()
        with self._begun(session, durable=True) as started:
            yield
            ended = session.head()
        try:
            self._commit(session, None if ended == started else ended, None)
        except _InDoubt as doubt:
            self._expect_landed(doubt)

    def _transact(self, session: Session, work: Work[T], *, durable: bool) -> T:
        with self._begun(session, durable=durable) as started:
            result = work(session)
            ended = session.head()
        self._commit(session, None if ended == started else ended, result)
        return result

    @contextmanager
    def _begun(self, session: Session, *, durable: bool, lock_wait: float | None = None) -> Iterator[Head | None]:
        """A write transaction, rolled back by an exception and otherwise still open; the row that was last."""
        try:
            yield session.begin(durable=durable, lock_wait=lock_wait)
        except BaseException:
            self._roll_back(session)
            raise

    def _commit(self, session: Session, row: Head | None, result: object) -> None:
        try:
            session.commit()
        except psycopg.Error as error:
            if self._link.drop_if_lost():
                raise _InDoubt(row, result, overdue=session.is_overdue) from error
            self._roll_back(session)  # the server answered, and said no
            raise
        except BaseException:
            self._link.drop()  # interrupted in between
            raise

    def _roll_back(self, session: Session) -> None:
        if self._link.drop_if_lost():
            return
        try:
            session.rollback()
        except psycopg.Error:
            self._link.drop()

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
            session = self._link.live()
            with self._begun(session, durable=True, lock_wait=_LOOK if doubt.overdue else None):
                landed = doubt.row is not None and session.has(doubt.row)
                session.commit()
                return landed
        except (psycopg.Error, EditError) as error:
            raise Undecided from error


def in_snapshot(work: Work[T]) -> Work[T]:
    """The same work while nothing that others write is seen."""

    def within(session: Connection) -> T:
        assert isinstance(session, Session)
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
