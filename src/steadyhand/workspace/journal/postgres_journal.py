"""The journal on a PostgreSQL server: what it adds to every stored journal is what several machines need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from steadyhand.errors import EditError
from steadyhand.workspace.journal import postgres_register as register
from steadyhand.workspace.journal.connection import Connection, Work
from steadyhand.workspace.journal.images import Packed
from steadyhand.workspace.journal.party import Hold
from steadyhand.workspace.journal.postgres_address import Address
from steadyhand.workspace.journal.postgres_faults import HoldLost, hold_lost, undecided
from steadyhand.workspace.journal.postgres_handle import PostgresHandle, Terms
from steadyhand.workspace.journal.postgres_locks import Locks, is_newest
from steadyhand.workspace.journal.postgres_presence import SessionHolders
from steadyhand.workspace.journal.record import Record, Staging, State
from steadyhand.workspace.journal.row import Row
from steadyhand.workspace.journal.stored import StoredJournal

T = TypeVar("T")


class PostgresJournal(StoredJournal):
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
            with self._server.under(Terms(generation=self._locks.generation_of(staging.fence))):
                return super().prepare(record, staging, images, urgent=urgent)
        except HoldLost as lost:
            if lost.landed:
                self._take_back(record)
            raise hold_lost() from lost

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
        self._server.write(lambda connection: register.enter(connection, self.name, repo, label), durable=False)

    def siblings(self, repo: str) -> list[str]:
        """The names of the other journals of a repository in this database."""
        found = self._server.read(lambda connection: register.of_repository(connection, repo))
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
