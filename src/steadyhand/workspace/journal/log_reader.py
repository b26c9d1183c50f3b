"""The whole log from one end to the other: everything it holds, in order, whether all of it is sound, and a copy of it.

One walk in pages, for whoever looks at everything. Nothing is held between two pages but the records that are under
way at that place of the log. Reads only; repairs nothing.

1. What is returned is sound: checksum, chain, body and index agree. The rest is handed to `on_damage` and left out.
2. A record is returned once, at the row that settled it for good; records of one file come in the order in which they
   changed it.
3. A walk that begins after a row returns no record that was prepared before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import decode_record, unpack
from steadyhand.workspace.journal.database import Connection, Handle
from steadyhand.workspace.journal.index import note_of, reason_of
from steadyhand.workspace.journal.log import (
    GENESIS,
    Packed,
    Problem,
    Row,
    RowType,
    audit_rows,
    chain_bytes,
    heads_after,
    seal_problem,
)
from steadyhand.workspace.journal.record import Entry, Note, Record, State, is_record_id

if TYPE_CHECKING:
    from steadyhand.workspace.journal.store import Journal, OnDamage, Progress


_PAGE = 500
_LASTING = (RowType.COMMITTED.value, RowType.PARTIAL.value)
_NOTES = (RowType.NOTE.value, RowType.CHECKPOINT.value)


@dataclass(frozen=True, slots=True)
class LogItem:
    """A record or a note. `row` is the one that holds it, `settled` the one that says how the record ended."""

    what: Entry | Note
    row: Row
    settled: Row | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """What the index says of a record."""

    seq: int
    state: str
    settled: int | None
    undone_by: str | None


def walk(
    handle: Handle,
    *,
    after_seq: int = 0,
    since: str | None = None,
    on_damage: OnDamage | None = None,
    progress: Progress | None = None,
) -> Iterator[LogItem]:
    """Everything from after a row to the row that is last now, oldest first."""
    walker = _Walker(since, on_damage or _nobody, (GENESIS,) if after_seq <= 0 else None, max(after_seq, 0))
    last, end = max(after_seq, 0), handle.read(log.head)[0]
    while last < end:
        rows, held = handle.read(partial(_page, after=last, until=end))
        if not rows:
            return
        for row in rows:
            found = walker.step(row, held)
            if found is not None:
                yield found
        last = rows[-1].seq
        if progress is not None:
            progress(last - max(after_seq, 0), end - max(after_seq, 0))


class _Walker:
    """What is known on the way: the chain so far, and the records that were prepared and not yet settled."""

    def __init__(
        self, since: str | None, on_damage: Callable[[Problem], None], heads: tuple[bytes, ...] | None, after: int
    ) -> None:
        self._since = since
        self._damaged = on_damage
        self._heads = heads
        self._last = after
        self._open: dict[str, tuple[Row, Record]] = {}

    def step(self, row: Row, held: dict[str, _Held]) -> LogItem | None:
        if row.seq != self._last + 1:
            self._damaged(Problem(self._last + 1, "missing-row", f"rows before {row.seq} are missing"))
            self._heads = None
        self._last = row.seq
        if self._is_early(row):
            self._heads = (chain_bytes(row.chain),)
            return None
        broken = seal_problem(row, self._heads)
        self._heads = heads_after(row, self._heads) if broken else (row.chain,)
        found = broken or self._read(row, held)
        if isinstance(found, Problem):
            self._damaged(found)
            return None
        return found

    def _is_early(self, row: Row) -> bool:
        """Whether the row says something from before the time asked for; how a record ended is always looked at."""
        says = row.type == RowType.PREPARED.value or row.type in _NOTES
        return self._since is not None and says and isinstance(row.time, str) and row.time < self._since

    def _read(self, row: Row, held: dict[str, _Held]) -> LogItem | Problem | None:
        if row.type == RowType.PREPARED.value:
            return self._prepared(row)
        if row.type in _NOTES:
            note = note_of(row)
            return Problem(row.seq, "body", f"row {row.seq} cannot be read") if note is None else LogItem(note, row)
        name = row.record or ""
        if row.type in _LASTING and name in self._open:
            return self._settled(row, name, held.get(name))
        self._open.pop(name, None)
        return None

    def _prepared(self, row: Row) -> Problem | None:
        try:
            record = decode_record(unpack(row.codec, row.body))
        except ValueError as error:
            return Problem(row.seq, "body", f"row {row.seq} cannot be read: {error}")
        if record.id != row.record:
            return Problem(row.seq, "body", f"row {row.seq} holds record {record.id}, not {row.record}")
        self._open[record.id] = row, record
        return None

    def _settled(self, row: Row, name: str, held: _Held | None) -> LogItem | Problem | None:
        if held is not None and held.settled is not None and held.settled > row.seq:
            return None  # it was settled in part, and for good later
        prepared, record = self._open.pop(name)
        if held is None or (held.seq, held.state, held.settled) != (prepared.seq, row.type, row.seq):
            return Problem(prepared.seq, "index", f"the index does not say of record {name} what row {row.seq} says")
        if held.undone_by is not None and not is_record_id(held.undone_by):
            return Problem(prepared.seq, "index", f"the index cannot say by whom record {name} is undone")
        entry = Entry(prepared.seq, record, State(row.type), reason_of(row), held.undone_by)
        return LogItem(entry, prepared, row)


def _page(connection: Connection, after: int, until: int) -> tuple[list[Row], dict[str, _Held]]:
    rows = log.page(connection, after, until, _PAGE)
    names = [row.record for row in rows if row.type in _LASTING and isinstance(row.record, str)]
    return rows, _held(connection, names) if names else {}


def _held(connection: Connection, names: Sequence[str]) -> dict[str, _Held]:
    marks = ", ".join("?" * len(names))
    query = f"SELECT id, seq, state, settled, undone_by FROM records WHERE id IN ({marks})"
    return {found[0]: _Held(*found[1:]) for found in connection.execute(query, names).fetchall()}


def _nobody(_problem: Problem) -> None:
    return None


_STEP = 500


def problems(connection: Connection, progress: Progress | None = None) -> Iterator[Problem]:
    """Every problem that can be found, while the connection sees nothing that others write."""
    meter = _Meter(connection, progress)
    yield from _rows_and_index(connection, meter)
    yield from _images(connection, meter)
    meter.finish()


class _Meter:
    """Tells how far the check is, now and then."""

    def __init__(self, connection: Connection, progress: Progress | None) -> None:
        self._progress = progress
        self._done = 0
        counted = connection.execute("SELECT (SELECT count(*) FROM log) + (SELECT count(*) FROM images)")
        self._total = int(counted.fetchone()[0])

    def step(self) -> None:
        self._done += 1
        if self._progress is not None and self._done % _STEP == 0:
            self._progress(min(self._done, self._total), self._total)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self._total, self._total)


def _rows_and_index(connection: Connection, meter: _Meter) -> list[Problem]:
    """One walk over the log: each row is checked and entered in a second index to compare with."""
    from steadyhand.workspace.journal.sqlite_file import open_in_memory

    found: list[Problem] = []
    rebuilt = open_in_memory()
    try:
        rebuilt.execute("BEGIN")
        for row, problem in audit_rows(log.rows(connection)):
            if problem is not None:
                found.append(problem)
            if problem is None or problem.kind != "missing-row":  # after a gap the row comes once more
                index.enter(rebuilt, row)
                meter.step()
        if all(problem.kind == "chain" for problem in found):
            found += index.differences(connection, rebuilt)
    finally:
        rebuilt.close()
    return found


def _images(connection: Connection, meter: _Meter) -> Iterator[Problem]:
    for problem in log.audit_images(connection):
        meter.step()
        if problem is not None:
            yield problem


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


# Copying a journal to another store, row by row and byte by byte, and making sure of the copy.
#
# What is copied is history: the log and the images. What parties have seen and announced stays behind, since it speaks
# of the store where it was said.
#
# Invariants:
#
# 1. Numbers, checksums and chain of the copy are those of the source; nothing is sealed again.
# 2. A copy that was interrupted leaves the target empty.
# 3. A source with damage is copied only on demand, and then as damaged as it is.

T = TypeVar("T")

_REPORTED = 500
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds, and what was already wrong with its source."""

    rows: int
    images: int
    image_bytes: int
    head_seq: int
    head_chain: str
    problems: tuple[Problem, ...] = ()


def copy_journal(
    source: Journal, target: Journal, progress: Progress | None = None, *, damaged: bool = False
) -> Copied:
    """Fill the empty `target` with everything `source` holds, then verify it.

    Refuses with `exists-already` a target that is not empty and with `journal-damaged` a source with problems, unless
    `damaged` says that they may be copied.
    """
    before = source.stats()
    _refuse_filled(target)
    found = tuple(source.verify(_part(progress, 0)))
    if found and not damaged:
        raise _unsound(source, found)
    seen = _Seen(_part(progress, 1), before.rows + before.images)
    source.export(lambda rows, images: target.load(seen.all_rows(rows), seen.all_images(images)))
    after = tuple(target.verify(_part(progress, 2)))
    _compare(seen, target.stats(), found, after, target)
    return Copied(seen.rows, seen.images, seen.image_bytes, seen.head_seq, seen.head_chain.hex(), found)


@dataclass(slots=True)
class _Seen:
    """What went by on its way."""

    progress: Progress
    total: int
    rows: int = 0
    images: int = 0
    image_bytes: int = 0
    head_seq: int = 0
    head_chain: bytes = field(default=GENESIS)

    def all_rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.rows += 1
            self.head_seq, self.head_chain = row.seq, chain_bytes(row.chain)
            yield self._counted(row)

    def all_images(self, images: Iterable[Packed]) -> Iterator[Packed]:
        for image in images:
            self.images += 1
            self.image_bytes += image.size if isinstance(image.size, int) else 0
            yield self._counted(image)

    def _counted(self, item: T) -> T:
        done = self.rows + self.images
        if done % _REPORTED == 0:
            self.progress(min(done, self.total), self.total)
        return item


def _part(progress: Progress | None, number: int) -> Progress:
    """Progress of the whole, reported by one of its three parts."""

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress(number * total + done, 3 * total)

    return tell


def _refuse_filled(target: Journal) -> None:
    """Refuse before the long work; `load` looks again, when nobody else can write."""
    held = target.stats()
    if held.rows or held.images:
        raise EditError(
            Kind.EXISTS_ALREADY,
            f"the journal {target.location} already holds {held.rows} rows and {held.images} images",
            hint="copy to a journal that is new or empty; nothing was changed",
            details={"rows": held.rows, "images": held.images},
        )


def _compare(
    seen: _Seen, held: JournalStats, before: tuple[Problem, ...], after: tuple[Problem, ...], target: Journal
) -> None:
    """Refuse a copy that is not what went by. An index of the source that was wrong has been rebuilt."""
    expected = [problem for problem in before if problem.kind not in ("index", "structure")]
    is_whole = (held.rows, held.images, held.head_seq) == (seen.rows, seen.images, seen.head_seq)
    if not is_whole or held.head_chain != seen.head_chain.hex() or list(after) != expected:
        raise EditError(
            Kind.JOURNAL_DAMAGED,
            f"the copy in {target.location} is not what was copied: {_listed(after) or 'its last row is another'}",
            hint="keep the source, throw this copy away and copy again",
            details={"rows": seen.rows, "copied_rows": held.rows},
        )


def _unsound(source: Journal, found: tuple[Problem, ...]) -> EditError:
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {source.location} is damaged: {_listed(found)}",
        hint="ask for the damaged rows to be copied as they are, or reindex where only an index is wrong",
        details={"problems": len(found)},
    )


def _listed(found: tuple[Problem, ...]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(problem.message for problem in found[:_SHOWN]) + more
