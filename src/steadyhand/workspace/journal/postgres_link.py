"""The session a process has with the server at the moment: made, lost, made again, left to the parent after a fork.

Invariants:

1. There is one session at a time, and none of an earlier generation is ever spoken on again.
2. A session that did not answer in time is cut, not closed: it may not even read a goodbye.
3. A forked process never speaks on its parent's socket, and does not keep it open either: the parent's session, and
   with it the parent's locks, must end when the parent does.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from contextlib import suppress

import psycopg

from steadyhand.workspace.journal.postgres_address import Address
from steadyhand.workspace.journal.postgres_deadline import Overdue, PunctualConnection, cut
from steadyhand.workspace.journal.postgres_faults import HoldLost, is_passing
from steadyhand.workspace.journal.postgres_schema import bring_up, check_version
from steadyhand.workspace.journal.postgres_session import Session

_POLL = 0.03


class Link:
    """The way from one process to a journal's schema. Not thread-safe: the handle's lock is around every call."""

    def __init__(self, address: Address, *, read_only: bool, timeout: float) -> None:
        self.address = address
        self.on_connect: Callable[[Session], None] = _nothing
        self._read_only = read_only
        self._timeout = timeout
        self._generation = 0
        self._session: Session | None = None
        self._abandoned: list[Session] = []
        self._pid = os.getpid()
        self._use(self._connect_patiently(was_there=False))
        try:
            bring_up(self.live(), address, read_only=read_only)
        except BaseException:
            self.drop()
            raise
        _close_in_children(self)

    @property
    def has_session(self) -> bool:
        return self._session is not None

    @property
    def is_in_transaction(self) -> bool:
        return self._session is not None and self._session.in_transaction

    def live(self) -> Session:
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

    def of_generation(self, generation: int) -> Session:
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

    def _connect(self) -> Session:
        self._generation += 1
        return Session(self.address, patience=self._timeout, read_only=self._read_only, generation=self._generation)

    def _connect_patiently(self, *, was_there: bool) -> Session:
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

    def _use(self, session: Session) -> None:
        # A workspace that nobody closed is closed when nobody can use it any more.
        self._forgotten = weakref.finalize(self, _close_own, session.raw, os.getpid())
        self._session = session
        self.on_connect(session)


def _nothing(_session: Session) -> None:
    return None


def _close_own(connection: PunctualConnection, pid: int) -> None:
    """Close a connection, unless a fork made it somebody else's."""
    if os.getpid() == pid:
        with suppress(psycopg.Error):
            connection.close()


def _close_in_children(link: Link) -> None:
    reference = weakref.ref(link)

    def close() -> None:
        found = reference()
        if found is not None:
            found.close_inherited()

    os.register_at_fork(after_in_child=close)
