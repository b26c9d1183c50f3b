"""The part of a journal that is no history: who was met, what they have seen, what they announced, who holds what.

Invariants:

1. Nothing here appends to the log, and nothing in the log rests on it.
2. A row that is damaged is as good as none; no call fails because of it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from steadyhand.errors import EditError
from steadyhand.workspace.journal import leases, log, seen
from steadyhand.workspace.journal.connection import Connection, Handle
from steadyhand.workspace.journal.party import Hold, Lease, Party, Sight
from steadyhand.workspace.journal.presence import Presence
from steadyhand.workspace.journal.query import RecordsRead
from steadyhand.workspace.journal.recalled import Recalled, pages

_NOTHING = Recalled()


class PartyTables:
    """What a `Journal` knows of those who work with it."""

    def __init__(self, handle: Handle, presence: Presence) -> None:
        self._handle = handle
        self._presence = presence
        self._read = RecordsRead()
        self._sights_read = seen.SightsRead()
        self._thread = threading.local()

    def meet(self, party: Party) -> int:
        found = self._handle.read(lambda connection: seen.met(connection, party))
        if found is not None:
            return found
        if self._handle.read_only:
            return self._handle.read(lambda connection: log.head(connection)[0])
        return self._handle.write(lambda connection: seen.meet(connection, party), durable=False)

    def sights(self, party: Party, path: str) -> tuple[Sight, ...]:
        recalled = self._recalled()
        if recalled.has_sights(party, path):
            return recalled.sights(self._handle, path, self._sights_read)
        return self._handle.read(lambda connection: seen.sights(connection, party, path, self._sights_read))

    def readers(self, path: str) -> list[Party]:
        return self._handle.read(lambda connection: seen.readers(connection, path))

    def read_paths(self, party: Party) -> list[str]:
        return self._handle.read(lambda connection: seen.read_paths(connection, party))

    def see(self, party: Party, path: str, sights: Sequence[Sight], content: bytes | None = None) -> None:
        packed = seen.pack_version(sights, content)
        self._handle.write(
            lambda connection: seen.see(connection, party, path, sights, packed, self._sights_read), durable=False
        )

    def see_all(self, party: Party, sights: Mapping[str, Sequence[Sight]]) -> None:
        def work(connection: Connection) -> None:
            for page in pages(sights.items()):
                seen.see_all(connection, party, dict(page), self._sights_read)

        self._handle.write(work, durable=False)

    @contextmanager
    def recalling(
        self, paths: Iterable[str], *, party: Party | None = None, before_seq: int | None = None
    ) -> Iterator[None]:
        before = self._recalled()
        self._thread.recalled = Recalled(frozenset(paths), party, before_seq)
        try:
            yield
        finally:
            self._thread.recalled = before

    def _recalled(self) -> Recalled:
        """What this thread has asked for at once."""
        found: Recalled = getattr(self._thread, "recalled", _NOTHING)
        return found

    def seen_version(self, path: str, digest: str) -> bytes | None:
        return self._handle.read(lambda connection: seen.version(connection, path, digest))

    def forget(self, party: Party) -> None:
        def work(connection: Connection) -> None:
            seen.forget(connection, party)
            leases.end_all(connection, party)

        self._handle.write(work, durable=False)

    def keep_lease(self, lease: Lease) -> None:
        self._handle.write(lambda connection: leases.keep(connection, lease, self._presence), durable=False)

    def leases(self, path: str | None = None) -> list[Lease]:
        found, over = self._handle.read(lambda connection: leases.lasting(connection, self._presence, path=path))
        if over and not self._handle.read_only:
            with suppress(EditError):  # they have ended, whether or not they can be removed now
                self._handle.write(lambda connection: leases.remove_ended(connection, self._presence), durable=False)
        return found

    def end_lease(self, id: str) -> bool:
        return self._handle.write(lambda connection: leases.end(connection, id, self._presence), durable=False)

    @contextmanager
    def hold(self, keys: Sequence[str], *, timeout: float) -> Iterator[Hold]:  # noqa: ARG002
        """Nothing to take: a store on one machine leaves this to the lock files."""
        yield Hold(0)

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:  # noqa: ARG002
        return True
