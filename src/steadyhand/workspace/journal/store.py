"""The journal: what each call of it reads or appends, over any store's handle, and the one place that chooses a store.

SQLite and PostgreSQL pass the same tests (tests/workspace/journal/test_contract.py). Nobody outside this package names
a store's class, writes SQL or opens the journal's file. Bytes are packed before a transaction begins, so that others
wait as little as possible.

Invariants:

1. The log is append-only: a state is a new row, an undo is a new record, `gc` appends a checkpoint. Each row carries a
   checksum of itself and the chain of the row before it.
2. Every write of history appends to the log and brings the derived tables up in the same transaction.
3. When `prepare` returns, the record, its staging and its images survive a power cut; a settled state may follow with
   the next durable write.
4. What cannot be read back as it was written is never returned: it is reported, and reading it refuses with
   `journal-damaged`.
5. A journal that is locked, full, read-only, missing or newer refuses before any file is touched.
6. What is no history (who was met, what they have seen, what they announced) appends nothing to the log, and nothing
   in the log rests on it. A damaged row of it is as good as none.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.workspace.journal import index, log, parties
from steadyhand.workspace.journal.codec import encode_prepared, key, pack, to_bytes
from steadyhand.workspace.journal.database import Connection, Handle, Presence, Room
from steadyhand.workspace.journal.index import (
    PAGE,
    Filter,
    Live,
    Recalled,
    RecordsRead,
    entry_at,
    happening_of,
    is_as_after,
    note_of,
    pages,
    seqs_starting,
    staged_at,
)
from steadyhand.workspace.journal.log import Packed, Problem, Row, RowType, damaged
from steadyhand.workspace.journal.maintenance import JournalStats, LogItem, stats_of, walk
from steadyhand.workspace.journal.record import (
    Entry,
    Happening,
    Hold,
    Lease,
    Note,
    Party,
    Record,
    SeenVersion,
    Staging,
    State,
    utc_now,
)

if TYPE_CHECKING:
    from steadyhand.workspace.journal.maintenance import GcReport
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal

Progress = Callable[[int, int], None]
"""Called with (done, total) now and then during long work."""

OnDamage = Callable[[Problem], None]
"""Called with each record that is left out because it is damaged."""

LASTING = (State.COMMITTED, State.PARTIAL)
"""The states of records that changed files."""

_URL = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)

T = TypeVar("T")

_PREFIX = lazy_pattern("[0-9a-f]{4,12}")
_LISTED = 10
_NEXT = {
    State.PREPARED: {State.COMMITTED, State.ABORTED, State.PARTIAL},
    State.PARTIAL: {State.COMMITTED, State.ABORTED},
}
_WITHOUT_NOTE = pack(to_bytes({}))
AT_ONCE = 100  # files of one statement with four values for each


class Journal:
    """The append-only record of every change. Thread-safe; usable after a fork; closed by `close` or `with`.

    A store derives from it and adds what only it knows.
    """

    def __init__(self, handle: Handle, presence: Presence, *, location: str) -> None:
        self._location = location
        self._handle = handle
        self._presence = presence
        self._read = RecordsRead()
        self._decoded_versions = parties.DecodedVersions()
        self._thread = threading.local()
        self._head: log.Head | None = None  # the row that was last when this process last wrote one

    @property
    def location(self) -> str:
        """The folder or URL it was opened from."""
        return self._location

    @property
    def read_only(self) -> bool:
        """Whether writing methods refuse with `read-only`."""
        return self._handle.read_only

    @property
    def damage(self) -> str | None:
        """What was wrong with the journal found at opening, which was set aside; None: nothing."""
        return self._handle.damage

    @property
    def is_in_place(self) -> bool:
        """Whether what was opened is still what its location means; else it was removed, moved or replaced."""
        return self._handle.is_in_place

    def prepare(self, record: Record, staging: Staging, images: Mapping[str, bytes], *, urgent: bool = False) -> int:
        """Append `record` as prepared and keep the images; durable when it returns. Gives the row's number.

        `images` are whole files by digest, each kept once. `urgent` (undo, recovery) may use up the
        reserve kept for a full disk.
        """
        encoded = encode_prepared(record, staging)
        body = pack(encoded)
        packed = [Packed.of(digest, content) for digest, content in images.items()]

        def work(connection: Connection) -> Row:
            self._admit(connection, staging)
            row = log.append(connection, RowType.PREPARED, record.id, record.time, body, known=self._head)
            index.add_record(connection, row.seq, record)
            if packed:
                log.keep_images(connection, packed, row.seq)
            return row

        row = None if packed or record.undoes or urgent else self._prepare_at_once(record, staging, body)
        if row is None:
            row = self._handle.write(work, durable=True, room="urgent" if urgent else "admitted")
        seq, self._head = row.seq, (row.seq, row.chain)
        self._handle.read(lambda _: self._read.wrote(seq, record, len(encoded)))
        return seq

    def _prepare_at_once(self, record: Record, staging: Staging, body: tuple[int, bytes]) -> Row | None:  # noqa: ARG002
        """The same in one statement; None where more is to be looked at, or the store has none for it."""
        return None

    def settle(self, record_id: str, state: State, note: str | None = None, *, urgent: bool = True) -> None:
        """Append how a prepared record ended: committed, aborted or partial. May become durable a little later.

        Settling the same way twice is nothing; a partial record may still become committed or aborted.
        """
        body = _WITHOUT_NOTE if note is None else pack(to_bytes({"note": note}))
        room: Room = "urgent" if urgent else "ordinary"

        def work(connection: Connection) -> Row | None:
            present, undoes, head = index.to_settle(connection, record_id)
            if present == state:
                return None
            if state not in _NEXT.get(present, ()):
                raise EditError(Kind.INTERNAL, f"record {record_id} is {present} and cannot become {state}")
            row = log.append(connection, RowType(state.value), record_id, utc_now(), body, known=head)
            index.settle(connection, row, undoes=undoes)
            return row

        row = self._settle_at_once(record_id, state, body, room)
        if row is None:
            row = self._handle.write(work, durable=False, room=room)
        if row is not None:
            settled = row
            self._head = row.seq, row.chain
            self._handle.read(lambda _: self._read.ended(settled.seq, record_id, state, note))

    def _settle_at_once(self, record_id: str, state: State, body: tuple[int, bytes], room: Room) -> Row | None:
        """Settle the record that this process has just prepared, in one statement; None where more is to be looked at.

        That is where another row is last by now, the record is not prepared, or it undoes others.
        """
        last, head = self._read.last, self._head  # read once: other threads write rows too
        if head is None or last is None or last.id != record_id or last.undoes:
            return None
        row = log.row_after(head, RowType(state.value), record_id, utc_now(), body)
        values = (*row, record_id, head[1])
        changed = self._handle.write_one(index.SETTLE, values, row=(row.seq, row.chain), room=room)
        return row if changed else None

    def unsettled(self, *, on_damage: OnDamage | None = None) -> list[tuple[Record, Staging]]:
        """Records that were prepared and never settled, oldest first; a damaged one is handed to `on_damage`."""

        def work(connection: Connection) -> list[tuple[Record, Staging] | Problem]:
            found = connection.execute("SELECT seq FROM records WHERE state = 'prepared' ORDER BY seq").fetchall()
            return [staged_at(connection, seq) for (seq,) in found]

        found = self._handle.read(work)
        if on_damage is not None:
            for problem in (item for item in found if isinstance(item, Problem)):
                on_damage(problem)
        return [item for item in found if not isinstance(item, Problem)]

    def staging(self, record_id: str) -> Staging:
        """What was staged for a record, whatever became of it."""

        def work(connection: Connection) -> tuple[Record, Staging] | Problem:
            return staged_at(connection, index.held(connection, record_id)[0])

        return _sound(self._handle.read(work))[1]

    def find(self, id_or_prefix: str) -> Entry:
        """The record with this id, or with the only id that starts so (at least 4 hex digits)."""
        prefix = id_or_prefix.lower()
        if not _PREFIX.fullmatch(prefix):
            raise EditError(
                Kind.BAD_REQUEST,
                f"{id_or_prefix[:40]!r} is not a record id",
                hint="give 4 to 12 hex digits, as the history shows them",
            )
        found = self._handle.read(lambda connection: seqs_starting(connection, prefix, _LISTED + 1))
        if not found:
            raise index.unknown(prefix)
        if len(found) > 1:
            ids = [record_id for _, record_id in found]
            listed = ", ".join(ids[:_LISTED]) + (", …" if len(ids) > _LISTED else "")
            raise EditError(
                Kind.AMBIGUOUS_MATCH,
                f"several records start with {prefix}: {listed}",
                hint="give more digits of the id",
                details={"ids": ids[:_LISTED]},
            )
        return _sound(self._handle.read(lambda connection: entry_at(connection, found[0][0], read=self._read)))

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
        left = None if limit is None else max(limit, 0)
        if left == 0:
            return
        is_plain = (task, actor, after_seq, live) == (None,) * 4 and newest_first and states == LASTING
        recalled = self._recalled(path, before_seq) if is_plain else None
        asked = Filter(path, task, actor, before_seq, after_seq, newest_first, states, live)
        for found in self._found(asked, recalled, PAGE if left is None else min(left + 1, PAGE)):
            if isinstance(found, Problem):
                (on_damage or self._met().add)(found)
                continue
            yield found
            left = None if left is None else left - 1
            if left == 0:
                return

    def _found(self, asked: Filter, recalled: Recalled | None, size: int) -> Iterator[Entry | Problem]:
        """The records that are asked for, so many at once; the newest may be known."""
        if recalled is not None and asked.path is not None:
            known = recalled.latest(asked.path)
            if known is None:
                return
            yield known.entry
            if not known.has_earlier:
                return
            asked = replace(asked, before_seq=known.seq)
        for seq in self._seqs(asked, size):
            yield self._handle.read(partial(entry_at, seq=seq, path=asked.path, read=self._read))

    def damage_met(self) -> tuple[Problem, ...]:
        """The damaged records that this thread's questions have left out since it last asked this, oldest first."""
        met: set[Problem] | None = getattr(self._thread, "met", None)
        if not met:
            return ()
        found = tuple(sorted(met, key=lambda problem: problem.seq or 0))
        met.clear()
        return found

    def latest(self, path: str) -> Entry | None:
        """The newest lasting record that touched `path`; refuses with `journal-damaged` if that one is damaged."""

        def work(connection: Connection) -> Entry | Problem | None:
            found = Filter(path=path, states=LASTING).page(connection, None, 1)
            return entry_at(connection, found[0], path, read=self._read) if found else None

        recalled = self._recalled(path, None)
        if recalled is not None:
            known = recalled.latest(path)
            entry = None if known is None else known.entry
        else:
            entry = self._handle.read(work)
        if isinstance(entry, Problem):
            self._met().add(entry)
            raise damaged(entry.message, seq=entry.seq)
        return entry

    def _recalled(self, path: str | None, before_seq: int | None) -> Recalled | None:
        """The questions of this thread that the latest record of a path before a row is one of."""
        recalled: Recalled | None = getattr(self._thread, "recalled", None)
        is_asked = recalled is not None and path in recalled.paths and before_seq == recalled.before_seq
        return recalled if is_asked else None

    def is_as_after(self, path: str, seq: int) -> bool:
        """Whether all later records that touched `path` cancel each other by undo: it is as that row left it."""
        return self._handle.read(lambda connection: is_as_after(connection, path, seq))

    def image(self, digest: str) -> bytes | None:
        """A whole file by digest; None when it was never kept or was dropped. Refuses a damaged one."""
        return self._handle.read(lambda connection: log.image_of(connection, digest))

    def has_image(self, digest: str) -> bool:
        return self._handle.read(lambda connection: log.has_image(connection, digest))

    def undone_by(self, record_id: str) -> str | None:
        """The committed undo of this record that has not itself been undone."""
        return self._handle.read(lambda connection: index.held(connection, record_id))[2]

    def append_note(
        self,
        type: str,
        body: Mapping[str, object],
        *,
        images: Mapping[str, bytes] | None = None,
        durable: bool = False,
    ) -> int:
        """Append a report that is no change (`body` must be JSON-able); gives the row's number.

        `images` are whole files that it speaks of, by digest. `durable`: it survives a power cut when this returns.
        """
        packed = pack(to_bytes({"type": type, "body": body}))
        kept = [Packed.of(digest, content) for digest, content in (images or {}).items()]

        def work(connection: Connection) -> Row:
            row = log.append(connection, RowType.NOTE, None, utc_now(), packed, known=self._head)
            index.enter(connection, row)
            if kept:
                log.keep_images(connection, kept, row.seq)
            return row

        row = self._handle.write(work, durable=durable, room="admitted" if durable else "ordinary")
        self._head = row.seq, row.chain
        return row.seq

    def newest_notes(self, prefix: str) -> list[Note]:
        """The newest note of each type that begins so; a damaged one is left out."""
        rows = self._handle.read(partial(log.newest_notes, prefix=key(prefix)))
        return [note for row in rows if (note := note_of(row)) is not None]

    def notes(self, *, type: str | None = None, limit: int | None = None) -> Iterator[Note]:
        """Reports, newest first."""
        left, last = None if limit is None else max(limit, 0), 1 << 62
        read = log.notes if type is None else partial(log.notes_of, type=key(type))
        while left != 0:
            page = self._handle.read(partial(read, before=last, size=PAGE if left is None else min(left, PAGE)))
            if not page:
                return
            for note in map(note_of, page):
                if left == 0:
                    return
                if note is not None and type in (None, note.type):
                    left = None if left is None else left - 1
                    yield note
            last = page[-1].seq

    def newest_note(self, type: str) -> int:
        """The row of the newest note of a type; 0 where there is none."""
        return self._handle.read(partial(log.newest_note, type=key(type)))

    def head(self) -> int:
        """The number of the last row; 0 for an empty journal."""
        return self._handle.read(log.head)[0]

    def happened(self, *, after_seq: int, limit: int) -> list[Happening]:
        """What the journal gained after a row, oldest first: records settled as committed or partial, and notes.

        A damaged row is passed over; `limit` counts what is returned.
        """
        found: list[Happening] = []
        last = max(0, min(after_seq, 1 << 62))
        while len(found) < limit and (
            page := self._handle.read(partial(log.after_row, after=last, size=min(limit, PAGE)))
        ):
            happened = (self._handle.read(partial(happening_of, row=row, read=self._read)) for row in page)
            found += [happening for happening in happened if happening is not None]
            last = page[-1].seq
        return found[: max(limit, 0)]

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
        return walk(self._handle, after_seq=after_seq, since=since, on_damage=on_damage, progress=progress)

    def meet(self, party: Party) -> int:
        """The row that was last when this party was first met; now, if it never was."""
        found = self._handle.read(lambda connection: parties.met(connection, party))
        if found is not None:
            return found
        if self._handle.read_only:
            return self._handle.read(lambda connection: log.head(connection)[0])
        return self._handle.write(lambda connection: parties.meet(connection, party), durable=False)

    def seen_versions(self, party: Party, path: str) -> tuple[SeenVersion, ...]:
        """What this party has seen of a file, oldest first."""
        recalled: Recalled | None = getattr(self._thread, "recalled", None)
        if recalled is not None and path in recalled.paths and party == recalled.party:
            return recalled.seen_versions(path)
        return self._handle.read(
            lambda connection: parties.seen_versions(connection, party, path, self._decoded_versions)
        )

    def readers(self, path: str) -> list[Party]:
        """The parties that are known to have seen all of a file."""
        return self._handle.read(lambda connection: parties.readers(connection, path))

    def read_paths(self, party: Party) -> list[str]:
        """The files that a party has seen all of."""
        return self._handle.read(lambda connection: parties.read_paths(connection, party))

    def see(self, party: Party, path: str, seen_versions: Sequence[SeenVersion], content: bytes | None = None) -> None:
        """Keep these in place of what the party had seen of a file. May become durable a little later.

        `content` is the version of the last one, where no record could bring it back.
        """
        packed = parties.pack_version(seen_versions, content)
        self._handle.write(
            lambda connection: parties.see(connection, party, {path: seen_versions}, self._decoded_versions, packed),
            durable=False,
        )

    def see_all(self, party: Party, seen_versions: Mapping[str, Sequence[SeenVersion]]) -> None:
        """The same for several files at once, of versions that records bring back."""

        def work(connection: Connection) -> None:
            for page in pages(seen_versions.items()):
                parties.see(connection, party, dict(page), self._decoded_versions)

        if len(seen_versions) > AT_ONCE or not parties.see_at_once(
            self._handle, party, seen_versions, self._decoded_versions
        ):
            self._handle.write(work, durable=False)

    def recalling(self, paths: Iterable[str], *, party: Party | None = None, before_seq: int | None = None) -> Recalled:
        """Ask about many files at once: inside the block this thread's questions for the latest records of these
        paths, before a row where one is given, and for what `party` has seen of them are answered as of the first one;
        so they are inside a later block of the same.
        """
        known = self._read, self._decoded_versions
        return Recalled(self._handle, self._thread, *known, paths, party, before_seq)

    def has_recalled(self, known: Recalled) -> bool:
        return known.handle is self._handle

    def seen_content(self, path: str, digest: str) -> bytes | None:
        """A version of a file whose digest starts so, if its content was kept because some party has seen it."""
        return self._handle.read(lambda connection: parties.version(connection, path, digest))

    def forget(self, party: Party) -> None:
        """Drop what a party has seen and announced, and that it was met."""

        def work(connection: Connection) -> None:
            parties.forget(connection, party)
            parties.end_leases(connection, party)

        self._handle.write(work, durable=False)

    def keep_lease(self, lease: Lease) -> None:
        """Announce a lease: it lasts until it is ended, its seconds are over by the store's clock, the journal is
        closed, or this process ends in whatever way.
        """
        self._handle.write(lambda connection: parties.keep_lease(connection, lease, self._presence), durable=False)

    def leases(self, path: str | None = None) -> list[Lease]:
        """The leases that last, oldest first, of one file or all."""
        found, over = self._handle.read(lambda db: parties.lasting_leases(db, self._presence, path=path))
        if over and not self._handle.read_only:
            with suppress(EditError):  # they have ended, whether or not they can be removed now
                self._handle.write(lambda db: parties.remove_ended_leases(db, self._presence), durable=False)
        return found

    def has_leases(self) -> bool:
        """Whether there may be a lease that lasts; False is certain. Quicker than to ask which."""
        recalled: Recalled | None = getattr(self._thread, "recalled", None)
        if recalled is not None and recalled.paths:
            return recalled.has_leases()
        return self._handle.read(parties.has_leases)

    def end_lease(self, id: str) -> bool:
        """End a lease; False when there is none of that name."""
        return self._handle.write(lambda connection: parties.end_lease(connection, id, self._presence), durable=False)

    def hold(self, keys: Sequence[str], *, timeout: float) -> AbstractContextManager[Hold]:  # noqa: ARG002
        """Nothing to take: a store on one machine leaves this to the lock files."""
        return nullcontext(Hold(0))

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:  # noqa: ARG002
        return True

    def verify(self, progress: Progress | None = None) -> list[Problem]:
        """Check every row, the chain, every image and the indexes; an empty list means sound."""
        from steadyhand.workspace.journal.maintenance import problems

        return self._handle.read_snapshot(lambda connection: list(problems(connection, progress)))

    def reindex(self) -> None:
        """Rebuild the indexes from the log; what to do when `verify` finds only problems of kind `index`."""
        self._handle.write(lambda connection: index.rebuild(connection, log.rows(connection)), durable=False)

    def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        """Drop images that no retention rule keeps, oldest first, and append a checkpoint that says so."""
        from steadyhand.workspace.journal.maintenance import GcReport, Retention, choose, collect

        retention = Retention(keep_days, keep_bytes)
        tell = progress or _silent
        tell(0, 2)
        if dry_run:
            return GcReport.of(
                *self._handle.read_snapshot(lambda db: choose(db, retention)), dry_run=True, vacuumed=False
            )
        images, dropped = self._handle.write(lambda db: collect(db, retention), durable=True)
        tell(1, 2)
        vacuumed = self._handle.vacuum()
        tell(2, 2)
        return GcReport.of(images, dropped, dry_run=False, vacuumed=vacuumed)

    def stats(self) -> JournalStats:
        return self._handle.read_snapshot(lambda connection: stats_of(connection, self._handle.size()))

    def export(self, work: Callable[[Iterator[Row], Iterator[Packed]], T]) -> T:
        """Run `work` over every row and every image as stored, sound or not, while nothing else is seen."""
        return self._handle.read_snapshot(lambda connection: work(log.rows(connection), log.images(connection)))

    def load(self, rows: Iterable[Row], images: Iterable[Packed]) -> None:
        """Fill an empty journal with what another exported, indexes included: all of it or nothing.

        Refuses with `exists-already` one that holds a row or an image.
        """

        def work(connection: Connection) -> None:
            if not log.is_empty(connection):
                raise EditError(
                    Kind.EXISTS_ALREADY,
                    f"the journal {self.location} already holds something",
                    hint="copy to a journal that is new or empty; nothing was changed",
                    details={"location": self.location},
                )
            log.load(connection, rows)
            log.load_images(connection, images)
            index.rebuild(connection, log.rows(connection))

        self._handle.write(work, durable=True, room="admitted")

    def release_reserve(self) -> bool:
        """Free the space kept for undo and recovery on a full disk; False if there was none."""
        return self._handle.release_reserve()

    def bulk(self) -> AbstractContextManager[None]:
        """Join the writes of a block to one transaction, for loading many records at once."""
        return self._handle.bulk()

    def close(self) -> None:
        self._presence.leave()
        self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _met(self) -> set[Problem]:
        """Damage that this thread has come across: calls of other threads have not."""
        if not hasattr(self._thread, "met"):
            self._thread.met = set()
        met: set[Problem] = self._thread.met
        return met

    def _admit(self, connection: Connection, staging: Staging) -> None:
        """Refuse in the transaction of `prepare` what must not be prepared any more; lock files need no such look."""

    def _seqs(self, asked: Filter, size: int) -> Iterator[int]:
        last: int | None = None
        while True:
            page = self._handle.read(partial(asked.page, last=last, size=size))
            yield from page
            if len(page) < size:
                return
            last = page[-1]


def _sound(found: T | Problem) -> T:
    if isinstance(found, Problem):
        raise damaged(found.message, seq=found.seq)
    return found


def _silent(_done: int, _total: int) -> None:
    return None


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
