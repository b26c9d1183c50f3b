"""Locks that hold between machines, and the numbers that keep a late holder from writing.

On one machine the lock files exclude processes and threads; these locks exclude machines, and they belong to a
session: a holder that is killed, or cut off, has none. Whoever was only paused and lost its session meanwhile would
not know, so every hold has a number, and what is written under it is checked in its own transaction.

Invariants:

1. Locks are taken in the order of their numbers; who waits for one keeps only smaller ones.
2. A lock that somebody may have is known to this process, or the session is given up.
3. A hold belongs to the session it was taken on. A new session holds nothing, even if it belongs to the same process.
4. The number of a hold is larger than every number given before it, and stands with each of its keys until a later
   hold of that key replaces it.
5. Keys are spread over a fixed number of locks, since a server has room for some thousands; two keys that share one
   cost waiting, never safety.
6. Two holds of one key in one process (threads that share a session) both succeed; the earlier one is then outdated.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.index import key as key_of
from steadyhand.workspace.journal.party import Hold
from steadyhand.workspace.journal.postgres_faults import AGAIN, HoldLost
from steadyhand.workspace.journal.postgres_handle import PostgresHandle
from steadyhand.workspace.journal.postgres_session import lock_id

_FIRST_WAIT, _LONGEST_WAIT = 0.002, 0.015

_TRY = "SELECT id, pg_try_advisory_lock(id) FROM unnest(?::bigint[]) AS id"
_RELEASE = "SELECT pg_advisory_unlock(id) FROM unnest(?::bigint[]) AS id"
# Autocommitted, and not waited for: what is prepared under a number is later in the log of the server, and durable.
_DRAW = """WITH drawn AS (
        INSERT INTO counters AS c (name, number) VALUES ('fence', 1)
        ON CONFLICT (name) DO UPDATE SET number = c.number + 1 RETURNING c.number)
    INSERT INTO fences (key, number) SELECT key, drawn.number FROM drawn, unnest(?::bytea[]) AS key
    ON CONFLICT (key) DO UPDATE SET number = excluded.number RETURNING number"""
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
                generation = self._take(wanted, deadline)
                return generation, self._draw(keys, generation)
            except HoldLost:
                if time.monotonic() >= deadline:
                    raise _busy(keys[0]) from None
            except BaseException:
                if generation is not None:
                    self._release(sorted(wanted), generation)
                raise

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
