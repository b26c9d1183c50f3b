"""The journal on a PostgreSQL server: what it adds to every stored journal is what several machines need.

That is: locks between machines, and numbers that keep a late holder from writing; who is present; and the register of
the journals of one database, so that clones of one repository find each other.

On one machine the lock files exclude processes and threads; these locks exclude machines, and they belong to a
session: a holder that is killed, or cut off, has none. Whoever was only paused and lost its session meanwhile would
not know, so every hold has a number, and what is written under it is checked in its own transaction.

Invariants:

1. Locks are taken in the order of their numbers; who waits for one keeps only smaller ones.
2. A lock that somebody may have is known to this process, or the session is given up.
3. A hold belongs to the session it was taken on. A new session holds nothing, even if it belongs to the same process.
4. The number of a hold is larger than every number given before it, and is kept with each of its keys until a later
   hold of that key replaces it.
5. Keys are spread over a fixed number of locks, since a server has room for some thousands; two keys that share one
   cost waiting, never safety.
6. Two holds of one key in one process (threads that share a session) both succeed; the earlier one is then outdated.
7. A process that is present keeps a lock that ends with its session. Nobody takes such a lock to see whether it is
   free: who looks would be taken for the holder by the next who looks.
"""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import psycopg
from psycopg import errors

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.codec import key
from steadyhand.workspace.journal.codec import key as key_of
from steadyhand.workspace.journal.database import Connection, Statement, Work
from steadyhand.workspace.journal.log import Packed, Row, RowType
from steadyhand.workspace.journal.postgres.handle import PostgresHandle, Terms
from steadyhand.workspace.journal.postgres.session import (
    AGAIN,
    COMMON,
    Address,
    HoldLost,
    PostgresSession,
    hold_lost,
    lock_id,
    undecided,
)
from steadyhand.workspace.journal.record import Hold, Record, Staging, State
from steadyhand.workspace.journal.store import Journal

_FIRST_WAIT, _LONGEST_WAIT = 0.002, 0.015

_TRY = "SELECT id, pg_try_advisory_lock(id) FROM unnest(?::bigint[]) AS id"
_RELEASE = "SELECT pg_advisory_unlock(id) FROM unnest(?::bigint[]) AS id"
# Autocommitted, and not waited for: what is prepared under a number is later in the log of the server, and durable.
_DRAW = """WITH drawn AS (
        INSERT INTO counters AS c (name, number) VALUES ('fence', 1)
        ON CONFLICT (name) DO UPDATE SET number = c.number + 1 RETURNING c.number)
    INSERT INTO fences (key, number) SELECT key, drawn.number FROM drawn, unnest(?::bytea[]) AS key
    ON CONFLICT (key) DO UPDATE SET number = excluded.number RETURNING number"""
# All locks and a number at once; nothing is drawn where one of the locks cannot be had.
_TAKE = """WITH got AS MATERIALIZED (SELECT id, pg_try_advisory_lock(id) AS is_ours FROM unnest(?::bigint[]) AS id),
    drawn AS (
        INSERT INTO counters AS c (name, number) SELECT 'fence', 1 WHERE (SELECT bool_and(is_ours) FROM got)
        ON CONFLICT (name) DO UPDATE SET number = c.number + 1 RETURNING c.number),
    fenced AS (
        INSERT INTO fences (key, number) SELECT key, drawn.number FROM drawn, unnest(?::bytea[]) AS key
        ON CONFLICT (key) DO UPDATE SET number = excluded.number)
    SELECT id, is_ours, (SELECT number FROM drawn) FROM got"""
_COUNT = "SELECT count(*) FROM fences WHERE key = ANY(?::bytea[]) AND number = ?"


class Locks:
    """The holds of one process on one journal. Thread-safe."""

    def __init__(self, handle: PostgresHandle) -> None:
        self._handle = handle
        self._generations: dict[int, int] = {}  # no lock around it: a fork might find that taken

    @contextmanager
    def hold(self, keys: Sequence[str], timeout: float) -> Iterator[Hold]:
        """Hold the locks of all `keys` within the block; refuses with `busy` when that takes longer than `timeout`."""
        if not keys:
            yield Hold(0)
            return
        wanted = {lock_id("stripe", self._handle.address.schema, _stripe(key)): key for key in keys}
        generation, hold = self._take_all(wanted, keys, time.monotonic() + timeout)
        self._generations[hold.number] = generation
        try:
            yield hold
        finally:
            del self._generations[hold.number]
            self._release(sorted(wanted), generation)

    def generation_of(self, number: int) -> int:
        """The session of a hold; `HoldLost` where this process has no such hold."""
        found = self._generations.get(number)
        if found is None:
            raise HoldLost
        return found

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:
        """Ask on the session itself: who gets an answer there has its locks."""
        if hold.number == 0:
            return not keys
        try:
            generation = self.generation_of(hold.number)
            return self._handle.on_session(
                lambda connection: is_newest(connection, keys, hold.number), generation=generation
            )[1]
        except (HoldLost, EditError):  # who cannot ask does not know
            return False

    def _take_all(self, wanted: dict[int, str], keys: Sequence[str], deadline: float) -> tuple[int, Hold]:
        """All locks and a number, from one session; from the beginning where that was lost on the way."""
        while True:
            generation: int | None = None
            try:
                generation, number = self._take_at_once(sorted(wanted), keys)
                if number is not None:
                    return generation, Hold(number)
                generation = None
                generation = self._take(wanted, deadline)
                return generation, self._draw(keys, generation)
            except HoldLost:
                if time.monotonic() >= deadline:
                    raise _busy(keys[0]) from None
            except BaseException:
                if generation is not None:
                    self._release(sorted(wanted), generation)
                raise

    def _take_at_once(self, locks: list[int], keys: Sequence[str]) -> tuple[int, int | None]:
        """All locks and a number in one round trip; None where somebody has one of them, and then none is kept."""

        def work(connection: Connection) -> int | None:
            found = connection.execute(_TAKE, (locks, sorted({key_of(key) for key in keys}))).fetchall()
            if all(is_ours for _, is_ours, _ in found):
                return int(found[0][2])
            if got := [lock for lock, is_ours, _ in found if is_ours]:
                connection.execute(_RELEASE, (got,))
            return None

        return self._handle.on_session(work)

    def _take(self, wanted: dict[int, str], deadline: float) -> int:
        """The locks, and the session that has them now."""
        left, generation, wait = sorted(wanted), None, _FIRST_WAIT
        try:
            while True:
                generation, count = self._try(left, generation)
                left = left[count:]
                if not left:
                    return generation
                if time.monotonic() >= deadline:
                    raise _busy(wanted[left[0]])
                time.sleep(wait * random.uniform(0.5, 1))
                wait = min(wait * 2, _LONGEST_WAIT)
        except BaseException:
            if generation is not None:
                self._release(sorted(wanted)[: len(wanted) - len(left)], generation)
            raise

    def _draw(self, keys: Sequence[str], generation: int) -> Hold:
        named = sorted({key_of(key) for key in keys})

        def work(connection: Connection) -> int:
            return int(connection.execute(_DRAW, (named,)).fetchone()[0])

        return Hold(self._handle.on_session(work, generation=generation)[1])

    def _try(self, left: list[int], generation: int | None) -> tuple[int, int]:
        """Take as many as can be had without a gap: which session has them, and how many."""

        def work(connection: Connection) -> int:
            got = dict(connection.execute(_TRY, (left,)).fetchall())
            count = next((index for index, lock in enumerate(left) if not got[lock]), len(left))
            if beyond := [lock for lock in left[count:] if got[lock]]:
                connection.execute(_RELEASE, (beyond,))
            return count

        return self._handle.on_session(work, generation=generation)

    def _release(self, locks: list[int], generation: int) -> None:
        """A session that is gone has nothing left to release."""
        with suppress(HoldLost, EditError):
            self._handle.on_session(lambda db: db.execute(_RELEASE, (locks,)), generation=generation)


def _stripe(key: str) -> str:
    return hashlib.sha256(key_of(key)).hexdigest()[:3]


def is_newest(connection: Connection, keys: Sequence[str], number: int) -> bool:
    """Whether no later hold of one of these was given out."""
    asked = sorted({key_of(key) for key in keys})
    return bool(connection.execute(_COUNT, (asked, number)).fetchone()[0] == len(asked))


def _busy(key: str) -> EditError:
    return EditError(Kind.BUSY, f"another machine is changing {key}", hint=AGAIN, details={"path": key})


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

    def _rejoin(self, session: PostgresSession) -> None:
        if self._name is not None and self._pid == os.getpid():
            with suppress(psycopg.Error):  # what is wrong with the session shows with its first use
                self._join(session)

    def _join(self, connection: Connection) -> None:
        """Take the lock on this session; an old one that lingers has it still, and the next call tries again."""
        assert isinstance(connection, PostgresSession)
        assert self._name is not None
        if connection.generation != self._generation:
            query = "SELECT pg_try_advisory_lock(?)"
            if connection.execute(query, (self._lock_of(self._name),)).fetchone()[0]:
                self._generation = connection.generation

    def _lock_of(self, holder: str) -> int:
        return lock_id("holder", self._handle.address.schema, holder)


_EXISTS = "SELECT to_regclass(?) IS NOT NULL"
_TABLE = f"{COMMON}.journals"
_MAKE = (
    f"CREATE SCHEMA IF NOT EXISTS {COMMON}",
    f"""CREATE TABLE IF NOT EXISTS {_TABLE} (
        name TEXT COLLATE "C" NOT NULL PRIMARY KEY, repo TEXT COLLATE "C", label TEXT NOT NULL,
        made TIMESTAMPTZ NOT NULL DEFAULT now())""",
    f"CREATE INDEX IF NOT EXISTS journals_by_repo ON {_TABLE} (repo) WHERE repo IS NOT NULL",
)


def enter_journal(connection: Connection, name: str, repo: str | None, label: str) -> None:
    """Say which repository and which root a journal belongs to; inside a write transaction."""
    if not _exists(connection):
        connection.execute(f"SELECT pg_advisory_xact_lock({lock_id('making', COMMON):d})")
        for statement in _MAKE:
            connection.execute(statement)
    connection.execute(
        f"INSERT INTO {_TABLE} (name, repo, label) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET repo = excluded.repo, label = excluded.label",
        (name, repo, label.replace("\0", "").encode("utf-8", "replace").decode()),
    )


def journals_of(connection: Connection, repo: str) -> list[str]:
    """The names of all journals of a repository, in order."""
    try:
        if not _exists(connection):
            return []
        found = connection.execute(f"SELECT name FROM {_TABLE} WHERE repo = ? ORDER BY name", (repo,)).fetchall()
    except errors.InsufficientPrivilege:
        return []
    return [name for (name,) in found]


def _exists(connection: Connection) -> bool:
    return bool(connection.execute(_EXISTS, (_TABLE,)).fetchone()[0])


T = TypeVar("T")

_PREPARE = Statement(
    sqlite="",  # it is at hand, and the statements of `Journal.prepare` cost nothing there
    postgres=f"WITH row AS ({log.INSERT_AFTER}"
    " AND (SELECT count(*) FROM fences WHERE key = ANY(?::bytea[]) AND number = ?) = ? RETURNING seq),"
    " entered AS (INSERT INTO records (seq, id, state, time, actor, task)"
    " SELECT seq, ?, 'prepared', ?, ?::bytea, ?::bytea FROM row)"
    " INSERT INTO files (path, seq) SELECT path, row.seq FROM row, unnest(?::bytea[]) AS path",
)
"""Append a prepared record and enter it, where the row before it is still last and its locks are still ours."""


class PostgresJournal(Journal):
    """A `Journal` in a schema of its own."""

    def __init__(self, address: Address, *, read_only: bool, timeout: float) -> None:
        self._server = PostgresHandle(address, read_only=read_only, timeout=timeout)
        self._locks = Locks(self._server)
        super().__init__(self._server, SessionHolders(self._server), location=address.shown)

    @property
    def name(self) -> str:
        """What this journal is called among those of its database."""
        return self._server.address.name

    def prepare(self, record: Record, staging: Staging, images: Mapping[str, bytes], *, urgent: bool = False) -> int:
        if staging.fence == 0:
            return super().prepare(record, staging, images, urgent=urgent)
        try:
            with self._server.under(Terms(generation=self._locks.generation_of(staging.fence), durable=True)):
                return super().prepare(record, staging, images, urgent=urgent)
        except HoldLost as lost:
            if lost.landed:
                self._take_back(record)
            raise hold_lost() from lost

    def _prepare_at_once(self, record: Record, staging: Staging, body: tuple[int, bytes]) -> Row | None:
        head = self._head  # read once: other threads write rows too
        if head is None or not staging.fence:
            return None
        row = log.row_after(head, RowType.PREPARED, record.id, record.time, body)
        keys = sorted({key(name) for name in staging.lock_keys})
        task = None if record.task is None else key(record.task)
        paths = [key(path) for path in record.paths]
        values = (
            *row, head[1], keys, staging.fence, len(keys),
            record.id, record.time, key(record.actor), task, paths,
        )  # fmt: skip
        changed = self._server.write_one(_PREPARE, values, row=(row.seq, row.chain))
        return row if changed else None

    def _take_back(self, record: Record) -> None:
        """No file was changed under it. Who cannot say so leaves it to recovery, and must not go on meanwhile."""
        try:
            self.settle(record.id, State.ABORTED, "its locks were lost before a file was changed")
        except EditError as error:
            raise undecided(self.location) from error

    def settle(self, record_id: str, state: State, note: str | None = None, *, urgent: bool = True) -> None:
        # A server that falls over takes no client with it: others would go on with files whose last change the
        # journal no longer knows as done, and recovery could not tell that change from theirs.
        with self._server.under(Terms(durable=True)):
            super().settle(record_id, state, note, urgent=urgent)

    def export(self, work: Callable[[Iterator[Row], Iterator[Packed]], T]) -> T:
        with self._server.under(Terms(once=True)):
            return super().export(work)

    def load(self, rows: Iterable[Row], images: Iterable[Packed]) -> None:
        with self._server.under(Terms(once=True)):
            super().load(rows, images)

    @contextmanager
    def hold(self, keys: Sequence[str], *, timeout: float) -> Iterator[Hold]:
        with self._locks.hold(keys, timeout) as hold:
            yield hold

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:
        return self._locks.still_holds(hold, keys)

    def register(self, repo: str | None, label: str) -> None:
        """Say which repository this journal's root is a clone of, and what the root is called for people."""
        self._server.write(lambda connection: enter_journal(connection, self.name, repo, label), durable=False)

    def siblings(self, repo: str) -> list[str]:
        """The names of the other journals of a repository in this database."""
        found = self._server.read(lambda connection: journals_of(connection, repo))
        return [name for name in found if name != self.name]

    def ask_sibling(self, name: str, work: Work[T]) -> T:
        """Run queries over another journal of this database, on this one's connection: `work` calls no journal."""
        path = f'"{self._server.address.sibling(name).schema}", pg_temp'  # a name that was checked

        def within(connection: Connection) -> T:
            connection.execute("SELECT set_config('search_path', ?, true)", (path,))
            return work(connection)

        return self._server.read_snapshot(within)

    def _admit(self, connection: Connection, staging: Staging) -> None:
        if staging.fence and not is_newest(connection, staging.lock_keys, staging.fence):
            raise HoldLost
