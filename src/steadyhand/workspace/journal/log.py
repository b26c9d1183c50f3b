"""What the journal keeps for good: the rows of the log, sealed and chained, and whole files by digest.

Knows no index. Append only inside a write transaction: the new row's number and chain come from the row that is last
then. Images of whole files are kept once, compressed, and checked whenever they are read; what to keep or to drop is
decided elsewhere.

Invariants:

1. `checksum` is the SHA-256 of all other fields but the chain, each tagged with its type and length, so that no two
   different rows have one encoding.
2. `chain` is the SHA-256 of the chain of the row before and this row's checksum; before the first row is `GENESIS`.
3. A row's `seq` is one more than that of the row before.
4. The audit reads rows and repairs nothing. One fault is one problem: after a broken link the walk goes on from every
   chain the row could have had.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Note, RunCommand
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.codec import decode_record, decode_staging, from_bytes, pack, unpack
from steadyhand.workspace.journal.database import Connection

GENESIS = bytes(32)

Field = int | str | bytes | None


class RowType(StrEnum):
    """What a row says: the state of a record, or something that is not a change."""

    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"
    PARTIAL = "partial"
    NOTE = "note"
    CHECKPOINT = "checkpoint"


class Row(NamedTuple):
    """A row as it is stored. Fields may hold anything when they come from a damaged file."""

    seq: int
    type: str
    record: str | None
    time: str
    codec: int
    body: bytes
    checksum: bytes
    chain: bytes

    @property
    def is_intact(self) -> bool:
        """Whether the row says what was written; tells nothing about its place in the chain."""
        return self.checksum == checksum_of(*self[:6])


_LARGE = 1 << 16  # bytes of a field


def checksum_of(*fields: Field) -> bytes:
    """SHA-256 over the fields with type and length.

    >>> checksum_of("ab", "c") == checksum_of("a", "bc")
    False
    """
    digest, parts = hashlib.sha256(), []
    for field in fields:
        if isinstance(field, bytes):
            tag, data = b"b", field
        elif isinstance(field, str):
            tag, data = b"s", field.encode("utf-8", "surrogatepass")
        else:
            tag, data = (b"n", b"") if field is None else (b"i", repr(field).encode())
        parts += [b"%s%d:" % (tag, len(data)), data]
        if len(data) > _LARGE:  # a whole file is not copied for it
            digest.update(b"".join(parts[:-1]))
            digest.update(data)
            parts.clear()
    digest.update(b"".join(parts))
    return digest.digest()


def link(previous: bytes, checksum: bytes) -> bytes:
    """The chain after a row with this checksum."""
    return hashlib.sha256(previous + checksum).digest()


def chain_bytes(value: object) -> bytes:
    """A stored chain as bytes, also when a damaged file holds something else in its place."""
    return value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")


COLUMNS = "seq, type, record, time, codec, body, checksum, chain"
_OF_LOG = ", ".join(f"l.{column}" for column in COLUMNS.split(", "))
_PAGE = 500
_END = (1 << 63) - 1  # no row has a larger number
_INSERT = f"INSERT INTO log ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
IS_LAST = "? = (SELECT chain FROM log ORDER BY seq DESC LIMIT 1)"
"""Whether the row with this chain is the last one; no two rows have the same."""
INSERT_AFTER = f"INSERT INTO log ({COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE {IS_LAST}"

Head = tuple[int, bytes]
"""Number and chain of the last row."""


def head(connection: Connection) -> Head:
    """The last row."""
    return head_of(connection.execute("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1").fetchone())


def head_of(found: Sequence[Any] | None) -> Head:
    """The same from what a query gave of the last row."""
    return (0, GENESIS) if found is None or found[0] is None else (found[0], chain_bytes(found[1]))


def append(
    connection: Connection,
    type: RowType,
    record: str | None,
    time: str,
    packed: tuple[int, bytes],
    *,
    known: Head | None = None,
) -> Row:
    """Add a row after the last one, sealed and chained. `known` is the row that was last when this process last looked:
    where it still is, which one that is need not be asked.
    """
    if known is not None:
        row = row_after(known, type, record, time, packed)
        if connection.execute(INSERT_AFTER, (*row, known[1])).rowcount == 1:
            return row
    row = row_after(head(connection), type, record, time, packed)
    connection.execute(_INSERT, row)
    return row


def row_after(head: Head, type: RowType, record: str | None, time: str, packed: tuple[int, bytes]) -> Row:
    """The row that comes after the last one."""
    seq, name, (codec, body) = head[0] + 1, type.value, packed
    checksum = checksum_of(seq, name, record, time, codec, body)
    return Row(seq, name, record, time, codec, body, checksum, link(head[1], checksum))


def row_and_head(connection: Connection, seq: int) -> tuple[Row, bytes | None] | None:
    """One row and the chain before it, None where the row before is missing."""
    found = connection.execute(
        f"SELECT {COLUMNS}, (SELECT chain FROM log WHERE seq = ?) FROM log WHERE seq = ?", (seq - 1, seq)
    ).fetchone()
    return None if found is None else _with_head(found)


def rows_and_heads(connection: Connection, seqs: Sequence[int]) -> dict[int, tuple[Row, bytes | None]]:
    """The same for several rows, by their numbers; one that is missing is left out."""
    marks = ", ".join("?" * len(seqs))
    query = f"SELECT {COLUMNS}, (SELECT b.chain FROM log b WHERE b.seq = log.seq - 1) FROM log WHERE seq IN ({marks})"
    return {found[0]: _with_head(found) for found in connection.execute(query, seqs).fetchall()}


def _with_head(found: Sequence[Any]) -> tuple[Row, bytes | None]:
    head = GENESIS if found[0] == 1 else None if found[8] is None else chain_bytes(found[8])
    return Row(*found[:8]), head


def rows(connection: Connection) -> Iterator[Row]:
    """Every row in order, in pages: no statement stays open between two of them."""
    last = -_END
    while found := page(connection, last, _END, _PAGE):
        yield from found
        last = found[-1].seq


def page(connection: Connection, after: int, until: int, size: int) -> list[Row]:
    """The next rows after one, up to another, oldest first."""
    return _selected(connection, "log WHERE seq > ? AND seq <= ? ORDER BY seq", (after, until, size))


def notes(connection: Connection, before: int, size: int) -> list[Row]:
    """Rows that are no record's, newest first, from before the row `before`."""
    which = "log WHERE type IN ('note', 'checkpoint') AND seq < ? ORDER BY seq DESC"
    return _selected(connection, which, (before, size))


def all_notes(connection: Connection) -> Iterator[Row]:
    """Every such row, in pages."""
    before = _END
    while page := notes(connection, before, _PAGE):
        yield from page
        before = page[-1].seq


def notes_of(connection: Connection, type: bytes, before: int, size: int) -> list[Row]:
    """The same for the notes of one type, as `note_types` knows them."""
    which = "note_types n CROSS JOIN log l WHERE l.seq = n.seq AND n.type = ? AND n.seq < ? ORDER BY n.seq DESC"
    return _selected(connection, which, (type, before, size), _OF_LOG)


def after_row(connection: Connection, after: int, size: int) -> list[Row]:
    """Rows that say that something happened, oldest first, from after the row `after`."""
    which = "log WHERE seq > ? AND type IN ('committed', 'partial', 'note', 'checkpoint') ORDER BY seq"
    return _selected(connection, which, (after, size))


def _selected(connection: Connection, which: str, values: Sequence[object], columns: str = COLUMNS) -> list[Row]:
    """Some rows; the last value is how many there are at most."""
    return [Row(*row) for row in connection.execute(f"SELECT {columns} FROM {which} LIMIT ?", values).fetchall()]


def newest_note(connection: Connection, type: bytes) -> int:
    """The row of the newest note of a type; 0 where there is none."""
    found = connection.execute("SELECT max(seq) FROM note_types WHERE type = ?", (type,)).fetchone()
    return 0 if found is None or found[0] is None else int(found[0])


def newest_notes(connection: Connection, prefix: bytes) -> list[Row]:
    """The newest note of each type that begins so."""
    found = connection.execute(
        "SELECT max(seq) FROM note_types WHERE type >= ? AND type < ? GROUP BY type", (prefix, prefix + b"\xff")
    ).fetchall()
    rows = (connection.execute(f"SELECT {COLUMNS} FROM log WHERE seq = ?", each).fetchone() for each in found)
    return [Row(*row) for row in rows if row is not None]


def load(connection: Connection, rows: Iterable[Row]) -> None:
    """Add rows unchanged, seals and all."""
    left = map(_storable, rows)
    while page := list(islice(left, _PAGE)):
        connection.executemany(_INSERT, page)


def is_empty(connection: Connection) -> bool:
    """Whether there is neither a row nor an image."""
    return all(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None for table in ("log", "images"))


Trouble = Literal["checksum", "chain", "missing-row", "body", "image", "index", "structure", "set-aside"]

_HEADS = 8  # a log that is broken row after row is not worth more guesses


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the journal that is not as it was written. `seq` is the row, None for what is no row."""

    seq: int | None
    kind: Trouble
    message: str


def audit_rows(rows: Iterable[Row]) -> Iterator[tuple[Row, Problem | None]]:
    """Each row of a log, in the order of `seq`, with what is wrong with it; a gap is reported with the row after it."""
    expected = 1
    heads: tuple[bytes, ...] | None = (GENESIS,)
    for row in rows:
        if row.seq != expected:
            yield row, Problem(expected, "missing-row", _missing(expected, row.seq - 1))
            heads = None  # what came before is gone: any chain may follow
        expected = row.seq + 1
        broken = seal_problem(row, heads)
        yield row, broken or _body_problem(row)
        heads = heads_after(row, heads) if broken else (row.chain,)


def seal_problem(row: Row, heads: tuple[bytes, ...] | None) -> Problem | None:
    """Whether checksum or chain is broken; `heads` are the chains that may be before the row, None: unknown."""
    if not row.is_intact:
        return Problem(row.seq, "checksum", f"row {row.seq} is not what was written: its checksum is wrong")
    if heads is not None and all(row.chain != link(head, row.checksum) for head in heads):
        return Problem(row.seq, "chain", f"row {row.seq} does not follow from the rows before it")
    return None


def heads_after(row: Row, heads: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    """The chain as stored and, should that be the fault, as it must have been."""
    after = [chain_bytes(row.chain)]
    for head in (heads or ())[:_HEADS]:
        after += link(head, checksum_of(*row[:6])), link(head, chain_bytes(row.checksum))
    return tuple(dict.fromkeys(after))


def _body_problem(row: Row) -> Problem | None:
    try:
        _read_body(row)
    except ValueError as error:
        return Problem(row.seq, "body", f"row {row.seq} cannot be read: {error}")
    return None


def _read_body(row: Row) -> None:
    body = unpack(row.codec, row.body)
    if row.type != RowType.PREPARED:
        from_bytes(body)
        return
    record = decode_record(body)
    decode_staging(body)
    if record.id != row.record:
        raise ValueError(f"it holds record {record.id}, not {row.record}")


def _missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"


def damaged(message: str, *, seq: int | None = None) -> EditError:
    """One row or image that is quarantined."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        message,
        hint=(
            Note("this record can be neither used nor undone"),
            RunCommand("check", "shows everything that is damaged"),
        ),
        details={"seq": seq},
    )


_DIGEST = lazy_pattern("[0-9a-f]{64}")
_IMAGES_TOGETHER = 100  # images that are looked up in one statement: each may be long
_IMAGE = "digest, codec, size, checksum, data"


class Packed(NamedTuple):
    """An image as it is stored. Fields may hold anything when they come from a damaged file."""

    digest: bytes
    codec: int
    size: int
    checksum: bytes
    data: bytes

    @classmethod
    def of(cls, digest: str, content: bytes) -> Packed:
        if digest_of(content) != digest:
            raise EditError(Kind.INTERNAL, f"the image given for {digest[:16]} has other content")
        key = bytes.fromhex(digest)
        codec, data = pack(content)
        return cls(key, codec, len(content), checksum_of(key, codec, len(content), data), data)

    @property
    def is_intact(self) -> bool:
        return self.checksum == checksum_of(self.digest, self.codec, self.size, self.data)

    def content(self) -> bytes:
        """The file; ValueError when it is not what was kept."""
        if not self.is_intact:
            raise ValueError("its checksum is wrong")
        content = unpack(self.codec, self.data, self.size + 1)
        if digest_of(content) != self.digest.hex():
            raise ValueError("its content has another digest")
        return content


def keep_images(connection: Connection, kept: Sequence[Packed], seq: int) -> None:
    """Keep what is not there yet or is there damaged."""
    for start in range(0, len(kept), _IMAGES_TOGETHER):
        page = kept[start : start + _IMAGES_TOGETHER]
        query = f"SELECT {_IMAGE} FROM images WHERE digest IN ({', '.join('?' * len(page))})"
        held = [Packed(*found) for found in connection.execute(query, [image.digest for image in page]).fetchall()]
        if damaged := [(image.digest,) for image in held if not image.is_intact]:
            connection.executemany("DELETE FROM images WHERE digest = ?", damaged)
        intact = {image.digest for image in held if image.is_intact}
        if rows := [(*image, seq) for image in page if image.digest not in intact]:
            connection.executemany(f"INSERT INTO images ({_IMAGE}, last_seq) VALUES (?, ?, ?, ?, ?, ?)", rows)


def image_of(connection: Connection, digest: str) -> bytes | None:
    """The content; None when it is not kept. Refuses a damaged one."""
    held = _held_image(connection, bytes.fromhex(digest)) if _DIGEST.fullmatch(digest) else None
    if held is None:
        return None
    try:
        return held.content()
    except ValueError as error:
        raise damaged(f"the kept image {digest[:16]} is damaged: {error}") from None


def has_image(connection: Connection, digest: str) -> bool:
    """Whether an image is kept; it is not read."""
    if not _DIGEST.fullmatch(digest):
        return False
    query = "SELECT 1 FROM images WHERE digest = ?"
    return connection.execute(query, (bytes.fromhex(digest),)).fetchone() is not None


def audit_images(connection: Connection) -> Iterator[Problem | None]:
    """One item for each image: what is wrong with it, or None."""
    for image in images(connection):
        yield _image_problem(image)


def images(connection: Connection) -> Iterator[Packed]:
    """Every image as it is stored, one at a time."""
    keys = [found[0] for found in connection.execute("SELECT key FROM images ORDER BY key").fetchall()]
    for key in keys:
        found = connection.execute(f"SELECT {_IMAGE} FROM images WHERE key = ?", (key,)).fetchone()
        if found is not None:
            yield Packed(*found)


def load_images(connection: Connection, kept: Iterable[Packed]) -> None:
    """Add images unchanged, which nobody needs yet."""
    for image in map(_storable, kept):
        connection.execute(f"INSERT INTO images ({_IMAGE}, last_seq) VALUES (?, ?, ?, ?, ?, 0)", image)


def _held_image(connection: Connection, key: bytes) -> Packed | None:
    found = connection.execute(f"SELECT {_IMAGE} FROM images WHERE digest = ?", (key,)).fetchone()
    return None if found is None else Packed(*found)


def _image_problem(image: Packed) -> Problem | None:
    try:
        image.content()
    except ValueError as error:
        name = image.digest.hex()[:16] if isinstance(image.digest, bytes) else repr(image.digest)
        return Problem(None, "image", f"the kept image {name} is damaged: {error}")
    return None


R = TypeVar("R", Row, Packed)
_Form = tuple[type | tuple[type, ...], ...]
_TEXT = lazy_pattern("[^\0\ud800-\udfff]*")
_ROW_FORM: _Form = (int, str, (str, type(None)), str, int, bytes, bytes, bytes)
_IMAGE_FORM: _Form = (bytes, int, int, bytes, bytes)


def _storable(given: R) -> R:
    """A row or an image that every store can keep as it is, damaged or not."""
    form = _ROW_FORM if isinstance(given, Row) else _IMAGE_FORM
    for field, kinds in zip(given, form, strict=True):
        if not isinstance(field, kinds) or (isinstance(field, str) and not _TEXT.fullmatch(field)):
            name = f"row {given.seq}" if isinstance(given, Row) else "an image"
            raise damaged(f"{name} is so damaged that it cannot be copied: one of its fields is of another kind")
    return given
