"""The journal as everybody else sees it, and the one place that chooses an implementation.

Every store implements `Journal` and passes the same tests (tests/workspace/journal/test_contract.py).
Nobody outside this package names a store's class, writes SQL or opens the journal's file.

What every store promises:

1. The log is append-only. A state is a new row, an undo is a new record, `gc` appends a checkpoint.
2. Each row carries a checksum of itself and the chain of the row before it.
3. When `prepare` returns, the record, its staging and its images survive a power cut.
4. What cannot be read back as it was written is never returned: it is reported, and reading it refuses
   with `journal-damaged`.
5. A journal that is locked, full, read-only, missing or newer refuses before any file is touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.workspace.journal.index import Live
from steadyhand.workspace.journal.log import Packed, Problem, Row
from steadyhand.workspace.journal.log_reader import LogItem
from steadyhand.workspace.journal.record import (
    Entry,
    Happening,
    Hold,
    Lease,
    Note,
    Party,
    Record,
    Sight,
    Staging,
    State,
)

if TYPE_CHECKING:
    from steadyhand.workspace.journal.gc import GcReport
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with (done, total) now and then during long work."""

OnDamage = Callable[[Problem], None]
"""Called with each record that is left out because it is damaged."""

LASTING = (State.COMMITTED, State.PARTIAL)
"""The states of records that changed files."""

_URL = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JournalStats:
    """How much there is. `image_bytes` is the content, `stored_bytes` what it takes compressed."""

    rows: int
    records: int
    states: Mapping[str, int]
    images: int
    image_bytes: int
    stored_bytes: int
    file_bytes: int
    oldest: str | None
    newest: str | None
    head_seq: int
    head_chain: str


class Journal(Protocol):
    """The append-only record of every change. Thread-safe; usable after a fork; closed by `close` or `with`."""

    @property
    def location(self) -> str:
        """The folder or URL it was opened from."""

    @property
    def read_only(self) -> bool:
        """Whether writing methods refuse with `read-only`."""

    @property
    def damage(self) -> str | None:
        """What was wrong with the journal found at opening, which was set aside; None: nothing."""

    @property
    def is_in_place(self) -> bool:
        """Whether what was opened is still what its location means; else it was removed, moved or replaced."""

    def prepare(self, record: Record, staging: Staging, images: Mapping[str, bytes], *, urgent: bool = False) -> int:
        """Append `record` as prepared and keep the images; durable when it returns. Gives the row's number.

        `images` are whole files by digest, each kept once. `urgent` (undo, recovery) may use up the
        reserve kept for a full disk.
        """

    def settle(self, record_id: str, state: State, note: str | None = None, *, urgent: bool = True) -> None:
        """Append how a prepared record ended: committed, aborted or partial. May become durable a little later.

        Settling the same way twice is nothing; a partial record may still become committed or aborted.
        """

    def unsettled(self, *, on_damage: OnDamage | None = None) -> list[tuple[Record, Staging]]:
        """Records that were prepared and never settled, oldest first; a damaged one is handed to `on_damage`."""

    def staging(self, record_id: str) -> Staging:
        """What was staged for a record, whatever became of it."""

    def find(self, id_or_prefix: str) -> Entry:
        """The record with this id, or with the only id that starts so (at least 4 hex digits)."""

    def entries(
        self,
        *,
        path: str | None = None,
        task: str | None = None,
        actor: str | None = None,
        before_seq: int | None = None,
        after_seq: int | None = None,
        limit: int | None = None,
        newest_first: bool = True,
        states: tuple[State, ...] = LASTING,
        live: Live | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Entry]:
        """Records that fit every filter, streamed. `path` is either side of a change; the seq bounds are exclusive.

        `live` leaves out what was undone, and undos of edits (`edits`) or all that undoes nothing (`undos`).
        A damaged record is left out and handed to `on_damage`.
        """

    def damage_met(self) -> tuple[Problem, ...]:
        """The damaged records that this thread's questions have left out since it last asked this, oldest first."""

    def latest(self, path: str) -> Entry | None:
        """The newest lasting record that touched `path`; refuses with `journal-damaged` if that one is damaged."""

    def is_as_after(self, path: str, seq: int) -> bool:
        """Whether all later records that touched `path` cancel each other by undo: it is as that row left it."""

    def image(self, digest: str) -> bytes | None:
        """A whole file by digest; None when it was never kept or was dropped. Refuses a damaged one."""

    def has_image(self, digest: str) -> bool: ...

    def undone_by(self, record_id: str) -> str | None:
        """The committed undo of this record that has not itself been undone."""

    def append_note(self, type: str, body: Mapping[str, object]) -> int:
        """Append a report that is no change (`body` must be JSON-able); gives the row's number."""

    def notes(self, *, type: str | None = None, limit: int | None = None) -> Iterator[Note]:
        """Reports, newest first."""

    def head(self) -> int:
        """The number of the last row; 0 for an empty journal."""

    def happened(self, *, after_seq: int, limit: int) -> list[Happening]:
        """What the journal gained after a row, oldest first: records settled as committed or partial, and notes.

        A damaged row is passed over; `limit` counts what is returned.
        """

    def read_log(
        self,
        *,
        after_seq: int = 0,
        since: str | None = None,
        on_damage: OnDamage | None = None,
        progress: Progress | None = None,
    ) -> Iterator[LogItem]:
        """Everything the journal holds now, oldest first and in pages: each record where it was settled, each note.

        `since`: only what has this time, as `utc_text` writes it, or a later one. What is damaged is left out and
        handed to `on_damage`.
        """

    def meet(self, party: Party) -> int:
        """The row that was last when this party was first met; now, if it never was."""

    def sights(self, party: Party, path: str) -> tuple[Sight, ...]:
        """What this party has seen of a file, oldest first."""

    def readers(self, path: str) -> list[Party]:
        """The parties whose sights are kept and that have seen all of a file."""

    def read_paths(self, party: Party) -> list[str]:
        """The files that a party has seen all of."""

    def see(self, party: Party, path: str, sights: Sequence[Sight], content: bytes | None = None) -> None:
        """Keep these in place of what the party had seen of a file. May become durable a little later.

        `content` is the version of the last one, where no record could bring it back.
        """

    def see_all(self, party: Party, sights: Mapping[str, Sequence[Sight]]) -> None:
        """The same for several files at once, of versions that records bring back."""

    def recalling(
        self, paths: Iterable[str], *, party: Party | None = None, before_seq: int | None = None
    ) -> AbstractContextManager[None]:
        """Ask about many files at once: inside the block this thread's questions for the latest records of these
        paths, before a row where one is given, and for what `party` has seen of them are answered as of the first one.
        """

    def seen_version(self, path: str, digest: str) -> bytes | None:
        """A version of a file whose digest starts so, if some party's sight of it was kept with its content."""

    def forget(self, party: Party) -> None:
        """Drop what a party has seen and announced, and that it was met."""

    def keep_lease(self, lease: Lease) -> None:
        """Announce a lease: it lasts until it is ended, its seconds are over by the store's clock, the journal is
        closed, or this process ends in whatever way.
        """

    def leases(self, path: str | None = None) -> list[Lease]:
        """The leases that last, oldest first, of one file or all."""

    def has_leases(self) -> bool:
        """Whether there may be a lease that lasts; False is certain. Quicker than to ask which."""

    def end_lease(self, id: str) -> bool:
        """End a lease; False when there is none of that name."""

    def hold(self, keys: Sequence[str], *, timeout: float) -> AbstractContextManager[Hold]:
        """Keep other machines from changing these; on one machine the lock files do. Refuses with `busy`.

        Inside, `prepare` refuses with `busy` a staging whose `fence` is no longer the newest number of its keys.
        """

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:
        """Whether nobody can have taken these meanwhile; asked before files are changed."""

    def verify(self, progress: Progress | None = None) -> list[Problem]:
        """Check every row, the chain, every image and the indexes; an empty list means sound."""

    def reindex(self) -> None:
        """Rebuild the indexes from the log; what to do when `verify` finds only problems of kind `index`."""

    def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        """Drop images that no retention rule keeps, oldest first, and append a checkpoint that says so."""

    def stats(self) -> JournalStats: ...

    def export(self, work: Callable[[Iterator[Row], Iterator[Packed]], T]) -> T:
        """Run `work` over every row and every image as stored, sound or not, while nothing else is seen."""

    def load(self, rows: Iterable[Row], images: Iterable[Packed]) -> None:
        """Fill an empty journal with what another exported, indexes included: all of it or nothing.

        Refuses with `exists-already` one that holds a row or an image.
        """

    def release_reserve(self) -> bool:
        """Free the space kept for undo and recovery on a full disk; False if there was none."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


def open_journal(
    location: str | os.PathLike[str], *, read_only: bool = False, timeout: float = 10.0, name: str | None = None
) -> Journal:
    """Open the journal in a state folder (made if missing) or at a URL.

    `timeout` is how long, in seconds, to wait for another process before refusing with `busy`. With
    `read_only` nothing is created or changed at `location`: a private copy is read. `name` is the journal's
    name in a store that holds several, where the URL gives none.
    """
    given = os.fspath(location)
    url = _URL.fullmatch(given)
    if url is None or url[1].lower() == "sqlite":
        from steadyhand.workspace.journal.sqlite import SqliteJournal

        return SqliteJournal(Path(given if url is None else url[2]), read_only=read_only, timeout=timeout)
    if url[1].lower() in ("postgresql", "postgres"):
        return open_postgres(given, name=name, read_only=read_only, timeout=timeout)
    raise EditError(
        Kind.NOT_INSTALLED,
        f"no journal store for {url[1]}:// is installed",
        hint="give a folder for the journal, or leave it out to keep it under the workspace root",
    )


_UNNAMED = "main"


def open_postgres(
    url: str, *, name: str | None = None, read_only: bool = False, timeout: float = 10.0
) -> PostgresJournal:
    """The journal at `postgresql://user@host:port/database?journal=NAME`, made if missing.

    `name` is the journal's where the URL gives none. `timeout` bounds, in seconds, every single wait for the server.
    """
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise EditError(
            Kind.NOT_INSTALLED,
            "a journal on a PostgreSQL server needs the package psycopg",
            hint=InstallExtra("postgres"),
        ) from error
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal
    from steadyhand.workspace.journal.postgres.session import parse_address

    return PostgresJournal(parse_address(url, name or _UNNAMED), read_only=read_only, timeout=timeout)
