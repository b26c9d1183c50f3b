"""A journal in a database: what each call of the interface reads or appends, over any store's handle.

Bytes are packed before a transaction begins, so that others wait as little as possible.

Invariants:

1. Every write of history appends to the log and brings the derived tables up in the same transaction.
2. `prepare` is durable when it returns; a settled state may follow with the next durable write.
3. What the log holds is returned only if it is sound; a damaged row refuses or is left out and reported.
4. What is no history (who was met, what they have seen, what they announced) appends nothing to the log, and nothing
   in the log rests on it. A damaged row of it is as good as none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import lazy_pattern
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
from steadyhand.workspace.journal.log_reader import LogItem, walk
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
    is_record_id,
    utc_now,
)
from steadyhand.workspace.journal.store import LASTING, JournalStats, OnDamage, Progress

if TYPE_CHECKING:
    from steadyhand.workspace.journal.gc import GcReport

AT_ONCE = 100  # files of one statement with four values for each


class PartyTables:
    """What a `Journal` knows of those who work with it."""

    def __init__(self, handle: Handle, presence: Presence) -> None:
        self._handle = handle
        self._presence = presence
        self._read = RecordsRead()
        self._sights_read = parties.SightsRead()
        self._thread = threading.local()

    def meet(self, party: Party) -> int:
        found = self._handle.read(lambda connection: parties.met(connection, party))
        if found is not None:
            return found
        if self._handle.read_only:
            return self._handle.read(lambda connection: log.head(connection)[0])
        return self._handle.write(lambda connection: parties.meet(connection, party), durable=False)

    def sights(self, party: Party, path: str) -> tuple[Sight, ...]:
        recalled: Recalled | None = getattr(self._thread, "recalled", None)
        if recalled is not None and path in recalled.paths and party == recalled.party:
            return recalled.sights(path)
        return self._handle.read(lambda connection: parties.sights(connection, party, path, self._sights_read))

    def readers(self, path: str) -> list[Party]:
        return self._handle.read(lambda connection: parties.readers(connection, path))

    def read_paths(self, party: Party) -> list[str]:
        return self._handle.read(lambda connection: parties.read_paths(connection, party))

    def see(self, party: Party, path: str, sights: Sequence[Sight], content: bytes | None = None) -> None:
        packed = parties.pack_version(sights, content)
        self._handle.write(
            lambda connection: parties.see(connection, party, path, sights, packed, self._sights_read), durable=False
        )

    def see_all(self, party: Party, sights: Mapping[str, Sequence[Sight]]) -> None:
        def work(connection: Connection) -> None:
            for page in pages(sights.items()):
                parties.see_all(connection, party, dict(page), self._sights_read)

        if len(sights) > AT_ONCE or not parties.see_at_once(self._handle, party, sights, self._sights_read):
            self._handle.write(work, durable=False)

    @contextmanager
    def recalling(
        self, paths: Iterable[str], *, party: Party | None = None, before_seq: int | None = None
    ) -> Iterator[None]:
        before = getattr(self._thread, "recalled", None)
        self._thread.recalled = Recalled(self._handle, self._read, self._sights_read, paths, party, before_seq)
        try:
            yield
        finally:
            self._thread.recalled = before

    def seen_version(self, path: str, digest: str) -> bytes | None:
        return self._handle.read(lambda connection: parties.version(connection, path, digest))

    def forget(self, party: Party) -> None:
        def work(connection: Connection) -> None:
            parties.forget(connection, party)
            parties.end_leases(connection, party)

        self._handle.write(work, durable=False)

    def keep_lease(self, lease: Lease) -> None:
        self._handle.write(lambda connection: parties.keep_lease(connection, lease, self._presence), durable=False)

    def leases(self, path: str | None = None) -> list[Lease]:
        found, over = self._handle.read(lambda db: parties.lasting_leases(db, self._presence, path=path))
        if over and not self._handle.read_only:
            with suppress(EditError):  # they have ended, whether or not they can be removed now
                self._handle.write(lambda db: parties.remove_ended_leases(db, self._presence), durable=False)
        return found

    def has_leases(self) -> bool:
        recalled: Recalled | None = getattr(self._thread, "recalled", None)
        if recalled is not None and recalled.paths:
            return recalled.has_leases()
        return self._handle.read(parties.has_leases)

    def end_lease(self, id: str) -> bool:
        return self._handle.write(lambda connection: parties.end_lease(connection, id, self._presence), durable=False)

    @contextmanager
    def hold(self, keys: Sequence[str], *, timeout: float) -> Iterator[Hold]:  # noqa: ARG002
        """Nothing to take: a store on one machine leaves this to the lock files."""
        yield Hold(0)

    def still_holds(self, hold: Hold, keys: Sequence[str]) -> bool:  # noqa: ARG002
        return True


T = TypeVar("T")
R = TypeVar("R", Row, Packed)

_PREFIX = lazy_pattern("[0-9a-f]{4,12}")
_LISTED = 10
_Form = tuple[type | tuple[type, ...], ...]
_TEXT = lazy_pattern("[^\0\ud800-\udfff]*")
_ROW_FORM: _Form = (int, str, (str, type(None)), str, int, bytes, bytes, bytes)
_IMAGE_FORM: _Form = (bytes, int, int, bytes, bytes)
_STATES = frozenset(state.value for state in State)
_NEXT = {
    State.PREPARED: {State.COMMITTED, State.ABORTED, State.PARTIAL},
    State.PARTIAL: {State.COMMITTED, State.ABORTED},
}


class StoredJournal(PartyTables):
    """A `Journal` over a handle; a store derives from it and adds what only it knows."""

    def __init__(self, handle: Handle, presence: Presence, *, location: str) -> None:
        super().__init__(handle, presence)
        self._location = location
        self._head: log.Head | None = None  # the row that was last when this process last wrote one

    @property
    def location(self) -> str:
        return self._location

    @property
    def read_only(self) -> bool:
        return self._handle.read_only

    @property
    def damage(self) -> str | None:
        return self._handle.damage

    @property
    def is_in_place(self) -> bool:
        return self._handle.is_in_place

    def prepare(self, record: Record, staging: Staging, images: Mapping[str, bytes], *, urgent: bool = False) -> int:
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

        row = None if packed or record.undoes else self._prepare_at_once(record, staging, body)
        if row is None:
            row = self._handle.write(work, durable=True, room="urgent" if urgent else "admitted")
        seq, self._head = row.seq, (row.seq, row.chain)
        self._handle.read(lambda _: self._read.wrote(seq, record, len(encoded)))
        return seq

    def _prepare_at_once(self, record: Record, staging: Staging, body: tuple[int, bytes]) -> Row | None:  # noqa: ARG002
        """The same in one statement, for a store that is far away; None where more is to be looked at."""
        return None

    def settle(self, record_id: str, state: State, note: str | None = None, *, urgent: bool = True) -> None:
        body = pack(to_bytes({} if note is None else {"note": note}))
        room: Room = "urgent" if urgent else "ordinary"

        def work(connection: Connection) -> Row | None:
            present, undoes, head = _to_settle(connection, record_id)
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
        def work(connection: Connection) -> list[tuple[Record, Staging] | Problem]:
            found = connection.execute("SELECT seq FROM records WHERE state = 'prepared' ORDER BY seq").fetchall()
            return [staged_at(connection, seq) for (seq,) in found]

        found = self._handle.read(work)
        if on_damage is not None:
            for problem in (item for item in found if isinstance(item, Problem)):
                on_damage(problem)
        return [item for item in found if not isinstance(item, Problem)]

    def staging(self, record_id: str) -> Staging:
        def work(connection: Connection) -> tuple[Record, Staging] | Problem:
            return staged_at(connection, _held(connection, record_id)[0])

        return _sound(self._handle.read(work))[1]

    def find(self, id_or_prefix: str) -> Entry:
        prefix = id_or_prefix.lower()
        if not _PREFIX.fullmatch(prefix):
            raise EditError(
                Kind.BAD_REQUEST,
                f"{id_or_prefix[:40]!r} is not a record id",
                hint="give 4 to 12 hex digits, as the history shows them",
            )
        found = self._handle.read(lambda connection: seqs_starting(connection, prefix, _LISTED + 1))
        if not found:
            raise _unknown(prefix)
        if len(found) > 1:
            raise _ambiguous(prefix, [record_id for _, record_id in found])
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
        left = None if limit is None else max(limit, 0)
        is_plain = (task, actor, after_seq, live) == (None,) * 4 and newest_first and states == LASTING
        recalled = self._recalled(path, before_seq) if is_plain and left != 0 else None
        if path is not None and recalled is not None:
            known = recalled.latest(path)
            if known is None:
                return
            before_seq = known.seq
            if isinstance(known.entry, Entry):
                left = None if left is None else left - 1
                yield known.entry
            elif on_damage is not None:
                on_damage(known.entry)
            else:
                self._met().add(known.entry)
            if not known.has_earlier:
                return
        asked = Filter(path, task, actor, before_seq, after_seq, newest_first, states, live)
        for seq in self._seqs(asked, PAGE if left is None else min(left + 1, PAGE)):
            if left == 0:
                return
            entry = self._handle.read(partial(entry_at, seq=seq, path=path, read=self._read))
            if isinstance(entry, Entry):
                left = None if left is None else left - 1
                yield entry
            elif on_damage is not None:
                on_damage(entry)
            else:
                self._met().add(entry)

    def damage_met(self) -> tuple[Problem, ...]:
        met: set[Problem] | None = getattr(self._thread, "met", None)
        if not met:
            return ()
        found = tuple(sorted(met, key=lambda problem: problem.seq or 0))
        met.clear()
        return found

    def latest(self, path: str) -> Entry | None:
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
        return self._handle.read(lambda connection: is_as_after(connection, path, seq))

    def image(self, digest: str) -> bytes | None:
        return self._handle.read(lambda connection: log.image_of(connection, digest))

    def has_image(self, digest: str) -> bool:
        return self._handle.read(lambda connection: log.has_image(connection, digest))

    def undone_by(self, record_id: str) -> str | None:
        return self._handle.read(lambda connection: _held(connection, record_id))[2]

    def append_note(self, type: str, body: Mapping[str, object]) -> int:
        packed = pack(to_bytes({"type": type, "body": body}))

        def work(connection: Connection) -> Row:
            row = log.append(connection, RowType.NOTE, None, utc_now(), packed, known=self._head)
            index.enter(connection, row)
            return row

        row = self._handle.write(work, durable=False)
        self._head = row.seq, row.chain
        return row.seq

    def notes(self, *, type: str | None = None, limit: int | None = None) -> Iterator[Note]:
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

    def head(self) -> int:
        return self._handle.read(log.head)[0]

    def happened(self, *, after_seq: int, limit: int) -> list[Happening]:
        found: list[Happening] = []
        last = max(0, min(after_seq, 1 << 62))
        while len(found) < limit and (page := self._handle.read(partial(log.news, after=last, size=min(limit, PAGE)))):
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
        return walk(self._handle, after_seq=after_seq, since=since, on_damage=on_damage, progress=progress)

    def verify(self, progress: Progress | None = None) -> list[Problem]:
        from steadyhand.workspace.journal.log_reader import problems

        return self._handle.read_snapshot(lambda connection: list(problems(connection, progress)))

    def reindex(self) -> None:
        self._handle.write(lambda connection: index.rebuild(connection, log.rows(connection)), durable=False)

    def gc(
        self,
        *,
        keep_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> GcReport:
        from steadyhand.workspace.journal.gc import GcReport, Retention, choose, collect

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
        return self._handle.read_snapshot(lambda connection: work(log.rows(connection), log.images(connection)))

    def load(self, rows: Iterable[Row], images: Iterable[Packed]) -> None:
        def work(connection: Connection) -> None:
            if not (log.is_empty(connection) and log.has_no_images(connection)):
                raise _not_empty(self.location)
            log.load(connection, map(_storable, rows))
            log.load_images(connection, map(_storable, images))
            index.rebuild(connection, log.rows(connection))

        self._handle.write(work, durable=True, room="admitted")

    def release_reserve(self) -> bool:
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


def _storable(given: R) -> R:
    """A row or an image that every store can keep as it is, damaged or not."""
    form = _ROW_FORM if isinstance(given, Row) else _IMAGE_FORM
    for field, kinds in zip(given, form, strict=True):
        if not isinstance(field, kinds) or (isinstance(field, str) and not _TEXT.fullmatch(field)):
            name = f"row {given.seq}" if isinstance(given, Row) else "an image"
            raise damaged(f"{name} is so damaged that it cannot be copied: one of its fields is of another kind")
    return given


def _held(connection: Connection, record_id: str) -> tuple[int, State, str | None]:
    """Row number, state and undo of a record; refuses an id that is not there."""
    found = _indexed(connection, record_id, "SELECT seq, state, undone_by FROM records WHERE id = ?")
    return int(found[0]), State(found[1]), None if found[2] is None else str(found[2])


def _to_settle(connection: Connection, record_id: str) -> tuple[State, bool, tuple[int, bytes]]:
    """A record's state, whether it undoes any, and the last row of the log, asked for together."""
    found = _indexed(
        connection,
        record_id,
        "SELECT r.seq, r.state, EXISTS (SELECT 1 FROM undos u WHERE u.seq = r.seq), l.seq, l.chain FROM records r"
        " LEFT JOIN (SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1) l ON 1 = 1 WHERE r.id = ?",
    )
    return State(found[1]), bool(found[2]), log.head_of(found[3:])


def _indexed(connection: Connection, record_id: str, query: str) -> Sequence[Any]:
    """What the index says of a record, its row and its state first; refuses an id that is not there."""
    found: Sequence[Any] | None = (
        connection.execute(query, (record_id,)).fetchone() if is_record_id(record_id) else None
    )
    if found is None:
        raise _unknown(record_id)
    if found[1] not in _STATES:
        raise damaged(f"the index cannot say what became of record {record_id}", seq=found[0])
    return found


def _unknown(record_id: str) -> EditError:
    return EditError(
        Kind.NO_SUCH_FILE,
        f"the journal holds no record {record_id}",
        hint=RunCommand("log", "lists the records of this workspace"),
        details={"id": record_id},
    )


def _ambiguous(prefix: str, ids: list[str]) -> EditError:
    listed = ", ".join(ids[:_LISTED]) + (", …" if len(ids) > _LISTED else "")
    return EditError(
        Kind.AMBIGUOUS_MATCH,
        f"several records start with {prefix}: {listed}",
        hint="give more digits of the id",
        details={"ids": ids[:_LISTED]},
    )


def _not_empty(location: str) -> EditError:
    return EditError(
        Kind.EXISTS_ALREADY,
        f"the journal {location} already holds something",
        hint="copy to a journal that is new or empty; nothing was changed",
        details={"location": location},
    )


def _silent(_done: int, _total: int) -> None:
    return None


# A sum is a number of another kind in PostgreSQL.
_IMAGES = """SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT), CAST(coalesce(sum(length(data)), 0) AS BIGINT)
    FROM images"""


def stats_of(connection: Connection, file_bytes: int) -> JournalStats:
    """Count records, images and rows; `file_bytes` is what the store says that all of it takes."""
    states = dict(connection.execute("SELECT state, count(*) FROM records GROUP BY state").fetchall())
    images, image_bytes, stored_bytes = connection.execute(_IMAGES).fetchone()
    oldest, newest = (
        connection.execute(f"SELECT time FROM records ORDER BY seq {order} LIMIT 1").fetchone()
        for order in ("ASC", "DESC")
    )
    seq, chain = log.head(connection)
    return JournalStats(
        rows=int(connection.execute("SELECT count(*) FROM log").fetchone()[0]),
        records=sum(states.values()),
        states=states,
        images=images,
        image_bytes=image_bytes,
        stored_bytes=stored_bytes,
        file_bytes=file_bytes,
        oldest=oldest[0] if oldest else None,
        newest=newest[0] if newest else None,
        head_seq=seq,
        head_chain=chain.hex(),
    )
