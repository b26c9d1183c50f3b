"""The whole log from one end to the other: everything it holds, in order, whether all of it is sound, a copy of it, and
which whole images may go.

One walk in pages, for whoever looks at everything. Nothing is held between two pages but the records that are under
way at that place of the log. It reads only and repairs nothing.

1. What is returned is sound: checksum, chain, body and index agree. The rest is handed to `on_damage` and left out.
2. A record is returned once, at the row that settled it for good; records of one file come in the order in which they
   changed it.
3. A walk that begins after a row returns no record that was prepared before it.

Records are never dropped, so history stays readable; only whole images go, and with them the undo of the records that
need them. A record needs the images of its own versions and the one from which they are rebuilt splice by splice, so
an image is as young as the youngest record that rests on it. Age is counted by row number: the first record young
enough bounds what is old, so a clock that jumped can keep too much but never drop what came later. A checkpoint says
which images went.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import decode_record, key, pack, to_bytes, unpack
from steadyhand.workspace.journal.database import Connection, Handle
from steadyhand.workspace.journal.index import Indexed, note_of, reason_of, staged_at
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
from steadyhand.workspace.journal.record import (
    HELD,
    Entry,
    FileChange,
    Note,
    Record,
    State,
    is_record_id,
    utc_now,
    utc_text,
)

if TYPE_CHECKING:
    from steadyhand.workspace.journal.store import Journal, OnDamage, Progress

_PAGE = 500
_LASTING = (RowType.COMMITTED.value, RowType.PARTIAL.value)
_NOTES = (RowType.NOTE.value, RowType.CHECKPOINT.value)
_NOTES_TOGETHER: Final = 100


@dataclass(frozen=True, slots=True)
class LogItem:
    """A record or a note. `row` is the one that holds it, `settled` the one that says how the record ended."""

    what: Entry | Note
    row: Row
    settled: Row | None = None


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

    def step(self, row: Row, held: dict[str, Indexed]) -> LogItem | None:
        if row.seq != self._last + 1:
            self._damaged(Problem(self._last + 1, "missing-row", f"rows before {row.seq} are missing"))
            self._heads = None
        self._last = row.seq
        # How a record ended is always looked at.
        says = row.type == RowType.PREPARED.value or row.type in _NOTES
        if self._since is not None and says and isinstance(row.time, str) and row.time < self._since:
            self._heads = (chain_bytes(row.chain),)
            return None
        broken = seal_problem(row, self._heads)
        self._heads = heads_after(row, self._heads) if broken else (row.chain,)
        found = broken or self._read(row, held)
        if isinstance(found, Problem):
            self._damaged(found)
            return None
        return found

    def _read(self, row: Row, held: dict[str, Indexed]) -> LogItem | Problem | None:
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

    def _settled(self, row: Row, name: str, held: Indexed | None) -> LogItem | Problem | None:
        if held is not None and held.settled is not None and held.settled > row.seq:
            return None  # it was settled in part, and for good later
        prepared, record = self._open.pop(name)
        if held is None or (held.seq, held.state, held.settled) != (prepared.seq, row.type, row.seq):
            return Problem(prepared.seq, "index", f"the index does not say of record {name} what row {row.seq} says")
        if held.undone_by is not None and not is_record_id(held.undone_by):
            return Problem(prepared.seq, "index", f"the index cannot say by whom record {name} is undone")
        entry = Entry(prepared.seq, record, State(row.type), reason_of(row), held.undone_by)
        return LogItem(entry, prepared, row)


def _page(connection: Connection, after: int, until: int) -> tuple[list[Row], dict[str, Indexed]]:
    rows = log.page(connection, after, until, _PAGE)
    names = [row.record for row in rows if row.type in _LASTING and isinstance(row.record, str)]
    return rows, _held(connection, names) if names else {}


def _held(connection: Connection, names: Sequence[str]) -> dict[str, Indexed]:
    marks = ", ".join("?" * len(names))
    query = f"SELECT {index.INDEXED} FROM records r WHERE r.id IN ({marks})"
    return {found[1]: Indexed(*found) for found in connection.execute(query, names).fetchall()}


def _nobody(_problem: Problem) -> None:
    return None


_STEP = 500


def problems(connection: Connection, progress: Progress | None = None) -> Iterator[Problem]:
    """Every problem that can be found, while the connection sees nothing that others write."""
    counted = connection.execute("SELECT (SELECT count(*) FROM log) + (SELECT count(*) FROM images)")
    meter = _Meter(progress, int(counted.fetchone()[0]))
    yield from _rows_and_index(connection, meter)
    for problem in log.audit_images(connection):
        meter.step()
        if problem is not None:
            yield problem
    meter.finish()


class _Meter:
    """Tells how far the work is, now and then."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._done = 0
        self._total = total

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
    # Before the long work; `load` looks again, when nobody else can write.
    held = target.stats()
    if held.rows or held.images:
        raise EditError(
            Kind.EXISTS_ALREADY,
            f"the journal {target.location} already holds {held.rows} rows and {held.images} images",
            hint="copy to a journal that is new or empty; nothing was changed",
            details={"rows": held.rows, "images": held.images},
        )
    found = tuple(source.verify(_part(progress, 0)))
    if found and not damaged:
        raise EditError(
            Kind.JOURNAL_DAMAGED,
            f"the journal {source.location} is damaged: {_listed(found)}",
            hint="ask for the damaged rows to be copied as they are; an index that is wrong is rebuilt in the copy",
            details={"problems": len(found)},
        )
    seen = _Seen(_Meter(_part(progress, 1), before.rows + before.images))
    source.export(lambda rows, images: target.load(seen.all_rows(rows), seen.all_images(images)))
    after = tuple(target.verify(_part(progress, 2)))
    _compare(seen, target.stats(), found, after, target)
    return Copied(seen.rows, seen.images, seen.image_bytes, seen.head_seq, seen.head_chain.hex(), found)


@dataclass(slots=True)
class _Seen:
    """What went by on its way."""

    meter: _Meter
    rows: int = 0
    images: int = 0
    image_bytes: int = 0
    head_seq: int = 0
    head_chain: bytes = field(default=GENESIS)

    def all_rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.rows += 1
            self.head_seq, self.head_chain = row.seq, chain_bytes(row.chain)
            self.meter.step()
            yield row

    def all_images(self, images: Iterable[Packed]) -> Iterator[Packed]:
        for image in images:
            self.images += 1
            self.image_bytes += image.size if isinstance(image.size, int) else 0
            self.meter.step()
            yield image


def _part(progress: Progress | None, number: int) -> Progress:
    """Progress of the whole, reported by one of its three parts."""

    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress(number * total + done, 3 * total)

    return tell


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
            hint="keep the source, discard this copy and copy again",
            details={"rows": seen.rows, "copied_rows": held.rows},
        )


def _listed(found: tuple[Problem, ...]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(problem.message for problem in found[:_SHOWN]) + more


@dataclass(frozen=True, slots=True)
class ImageUse:
    """A kept image: what it takes as stored, and the last record that needs it."""

    digest: str
    stored: int
    last_seq: int


@dataclass(frozen=True, slots=True)
class Retention:
    """How much to keep: by the age of the record that last needs an image, by room taken, or both; None: no limit."""

    keep_days: float | None = None
    keep_bytes: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("keep_days", self.keep_days), ("keep_bytes", self.keep_bytes)):
            if value is not None and not value >= 0:
                raise EditError(Kind.BAD_REQUEST, f"{name} cannot be {value}", hint=f"give {name} as 0 or more")

    def keep_since(self) -> str | None:
        """The oldest record time to keep, as the journal writes times; None: age does not matter."""
        if self.keep_days is None:
            return None
        try:
            return utc_text(datetime.now(UTC) - timedelta(days=self.keep_days))
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class GcReport:
    """What `gc` dropped, or with `dry_run` would drop. Bytes are as stored."""

    dropped_images: int
    dropped_bytes: int
    kept_images: int
    kept_bytes: int
    dry_run: bool
    vacuumed: bool

    @classmethod
    def of(cls, images: list[ImageUse], dropped: list[ImageUse], *, dry_run: bool, vacuumed: bool) -> GcReport:
        total, gone = (sum(image.stored for image in group) for group in (images, dropped))
        return cls(len(dropped), gone, len(images) - len(dropped), total - gone, dry_run, vacuumed)


def last_needed(kept: Collection[str], history: Iterable[tuple[int, Record]]) -> dict[str, int]:
    """The last record that rests on each kept image. `history`: records that changed files, with row numbers, in order.

    A version rests on its own image, else on what the version before it rests on, as long as splices lead on.
    """
    needed: dict[str, int] = {}
    resting: dict[str, _Version] = {}  # the last version at each path
    for seq, record in history:
        arrived: dict[str, _Version] = {}
        for change in record.files:
            before, after = _versions(change, kept, resting)
            for version in (before, after):
                if version is not None and version.image is not None:
                    needed[version.image] = seq
            if change.after is not None and after is not None:
                arrived[change.after.path] = after
        for path in record.paths:
            resting.pop(path, None)
        resting |= arrived
    return needed


class _Version(NamedTuple):
    """What was at a path, and the image it can be rebuilt from."""

    digest: str
    image: str | None


def _versions(
    change: FileChange, kept: Collection[str], resting: Mapping[str, _Version]
) -> tuple[_Version | None, _Version | None]:
    before = after = None
    if change.before is not None:
        digest, known = change.before.digest, resting.get(change.before.path)
        inherited = known.image if known is not None and known.digest == digest else None
        before = _Version(digest, digest if digest in kept else inherited)
    if change.after is not None:
        digest = change.after.digest
        leads_on = before is not None and (change.changes is not None or before.digest == digest)
        inherited = before.image if before is not None and leads_on else None
        after = _Version(digest, digest if digest in kept else inherited)
    return before, after


def choose_dropped(
    images: Iterable[ImageUse], *, pinned: frozenset[str], young_seq: int | None, keep_bytes: int | None
) -> list[ImageUse]:
    """The images to drop, oldest first.

    `young_seq` is the first record that is too young to lose its images; None: none is too old. `pinned`
    are never dropped: a record that is not settled needs them.
    """
    oldest_first = sorted(images, key=lambda image: (image.last_seq, image.digest))
    total = sum(image.stored for image in oldest_first)
    dropped = []
    for image in oldest_first:
        is_old = young_seq is not None and image.last_seq < young_seq
        is_too_much = keep_bytes is not None and total > keep_bytes
        if image.digest not in pinned and (is_old or is_too_much):
            dropped.append(image)
            total -= image.stored
    return dropped


def choose(connection: Connection, retention: Retention) -> tuple[list[ImageUse], list[ImageUse]]:
    """All images, and those to drop."""
    found = connection.execute("SELECT digest, length(data), last_seq FROM images").fetchall()
    uses = [ImageUse(digest.hex(), stored, last_seq) for digest, stored, last_seq in found if isinstance(digest, bytes)]
    if uses and (retention.keep_days is not None or retention.keep_bytes is not None):
        # An image is as young as the last record whose versions are rebuilt from it.
        needed = last_needed({use.digest for use in uses}, _history(connection))
        uses = [replace(use, last_seq=max(use.last_seq, needed.get(use.digest, 0))) for use in uses]
    since = retention.keep_since()
    young = None if since is None else _first_since(connection, since)
    return uses, choose_dropped(uses, pinned=_pinned(connection), young_seq=young, keep_bytes=retention.keep_bytes)


def collect(connection: Connection, retention: Retention) -> tuple[list[ImageUse], list[ImageUse]]:
    """Drop what may go and append the checkpoint, inside a write transaction."""
    uses, dropped = choose(connection, retention)
    if dropped:
        connection.executemany("DELETE FROM images WHERE digest = ?", [(bytes.fromhex(use.digest),) for use in dropped])
        _append_checkpoint(connection, dropped)
    return uses, dropped


def _history(connection: Connection) -> Iterator[tuple[int, Record]]:
    """Every sound record that was not taken back before it was settled, oldest first."""
    aborted = connection.execute("SELECT seq FROM records WHERE state = ?", (State.ABORTED.value,)).fetchall()
    passed_over = {seq for (seq,) in aborted}
    for row in log.rows(connection):
        if row.type == RowType.PREPARED and row.seq not in passed_over and row.is_intact:
            try:
                yield row.seq, decode_record(unpack(row.codec, row.body))
            except ValueError:
                continue  # nothing is rebuilt through a damaged record


def _append_checkpoint(connection: Connection, dropped: list[ImageUse]) -> None:
    seq, chain = log.head(connection)
    body = {
        "after_seq": seq,
        "chain": chain.hex(),
        "dropped_images": len(dropped),
        "dropped_bytes": sum(image.stored for image in dropped),
        "dropped_through_seq": max(image.last_seq for image in dropped),
        "dropped_sha256": hashlib.sha256("".join(sorted(image.digest for image in dropped)).encode()).hexdigest(),
    }
    packed = pack(to_bytes({"type": "checkpoint", "body": body}))
    index.enter(connection, log.append(connection, RowType.CHECKPOINT, None, utc_now(), packed))


def _pinned(connection: Connection) -> frozenset[str]:
    """Images of records that recovery may still need."""
    found = connection.execute("SELECT seq FROM records WHERE state IN ('prepared', 'partial')").fetchall()
    staged = [staged_at(connection, seq) for (seq,) in found]
    unsettled = frozenset(digest for held in staged if not isinstance(held, Problem) for digest in held[0].digests)
    return unsettled.union(*map(_images_of, held_notes(connection)))


def held_notes(connection: Connection) -> Iterator[Note]:
    """The notes of every layer of held work, each layer's newest first, back to where it was last emptied."""
    for newest in log.newest_notes(connection, key(HELD)):
        note = note_of(newest)
        name, last = None if note is None else note.type, newest.seq + 1
        while name is not None and (page := log.notes_of(connection, key(name), last, _NOTES_TOGETHER)):
            for found in map(note_of, page):
                if found is not None and found.body.get("kind") == "emptied":
                    name = None
                    break
                if found is not None:
                    yield found
            last = page[-1].seq


def _images_of(note: Note) -> list[str]:
    """The images that held work needs."""
    images = note.body.get("images")
    return [digest for digest in images if isinstance(digest, str)] if isinstance(images, list) else []


def _first_since(connection: Connection, time: str) -> int:
    """The first record that is not older than `time`; past the end when all are."""
    query = "SELECT seq FROM records WHERE time >= ? ORDER BY seq LIMIT 1"
    found = connection.execute(query, (time,)).fetchone()
    return log.head(connection)[0] + 1 if found is None else int(found[0])
