"""Dropping whole images: which ones may go, and the checkpoint that says which went.

Records are never dropped, so history stays readable; only whole images go, and with them the undo of the records that
need them. A record needs the images of its own versions and the one from which they are rebuilt splice by splice, so
an image is as young as the youngest record that rests on it. Age is counted by row number: the first record young
enough bounds what is old, so a clock that jumped can keep too much but never drop what came later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.workspace.journal import index, log
from steadyhand.workspace.journal.codec import decode_record, key, pack, to_bytes, unpack
from steadyhand.workspace.journal.database import Connection
from steadyhand.workspace.journal.index import note_of, staged_at
from steadyhand.workspace.journal.log import Problem, RowType
from steadyhand.workspace.journal.record import HELD, FileChange, Note, Record, State, utc_now, utc_text

_NOTES_TOGETHER: Final = 100


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
    uses = _uses(connection)
    if uses and (retention.keep_days is not None or retention.keep_bytes is not None):
        uses = _with_dependents(connection, uses)
    since = retention.keep_since()
    young = None if since is None else _first_since(connection, since)
    return uses, choose_dropped(uses, pinned=_pinned(connection), young_seq=young, keep_bytes=retention.keep_bytes)


def collect(connection: Connection, retention: Retention) -> tuple[list[ImageUse], list[ImageUse]]:
    """Drop what may go and append the checkpoint, inside a write transaction."""
    uses, dropped = choose(connection, retention)
    if dropped:
        _drop(connection, dropped)
        _append_checkpoint(connection, dropped)
    return uses, dropped


def _uses(connection: Connection) -> list[ImageUse]:
    """What each image takes, and the record that it was kept for."""
    found = connection.execute("SELECT digest, length(data), last_seq FROM images").fetchall()
    return [ImageUse(digest.hex(), stored, last_seq) for digest, stored, last_seq in found if isinstance(digest, bytes)]


def _drop(connection: Connection, images: Iterable[ImageUse]) -> None:
    """Remove the images; the checkpoint is the caller's."""
    connection.executemany("DELETE FROM images WHERE digest = ?", [(bytes.fromhex(use.digest),) for use in images])


def _with_dependents(connection: Connection, uses: list[ImageUse]) -> list[ImageUse]:
    """The same, each as young as the last record whose versions are rebuilt from it."""
    needed = last_needed({use.digest for use in uses}, _history(connection))
    return [replace(use, last_seq=max(use.last_seq, needed.get(use.digest, 0))) for use in uses]


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
    return unsettled | held_images(connection)


def held_images(connection: Connection) -> frozenset[str]:
    """Images that held work needs: those of its notes since it was last emptied."""
    return frozenset(digest for note in held_notes(connection) for digest in _images_of(note))


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


def _images_of(note: Note) -> Iterator[str]:
    images = note.body.get("images")
    yield from (digest for digest in (images if isinstance(images, list) else ()) if isinstance(digest, str))


def _first_since(connection: Connection, time: str) -> int:
    """The first record that is not older than `time`; past the end when all are."""
    query = "SELECT seq FROM records WHERE time >= ? ORDER BY seq LIMIT 1"
    found = connection.execute(query, (time,)).fetchone()
    return log.head(connection)[0] + 1 if found is None else int(found[0])
