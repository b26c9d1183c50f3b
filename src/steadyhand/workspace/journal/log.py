"""The log table: appending rows and reading them as they stand. Knows no record and no index.

Append only inside a write transaction: the new row's number and chain come from the row that is last then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from steadyhand.workspace.journal.codec import pack
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.row import GENESIS, Row, RowType, chain_bytes

COLUMNS = "seq, type, record, time, codec, body, checksum, chain"
_PAGE = 500
_INSERT = f"INSERT INTO log ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


def head(connection: Connection) -> tuple[int, bytes]:
    """Number and chain of the last row."""
    return head_of(connection.execute("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1").fetchone())


def head_of(found: Sequence[Any] | None) -> tuple[int, bytes]:
    """The same from what a query gave of the last row."""
    return (0, GENESIS) if found is None or found[0] is None else (found[0], chain_bytes(found[1]))


def append(connection: Connection, type: RowType, record: str | None, time: str, body: bytes) -> Row:
    """Add a row after the last one, sealed and chained."""
    return append_packed(connection, type, record, time, pack(body))


def append_packed(
    connection: Connection, type: RowType, record: str | None, time: str, packed: tuple[int, bytes]
) -> Row:
    """The same for a body that is packed already: a long one is not held unpacked while it is written."""
    return append_after(connection, head(connection), type, record, time, packed)


def append_after(
    connection: Connection,
    head: tuple[int, bytes],
    type: RowType,
    record: str | None,
    time: str,
    packed: tuple[int, bytes],
) -> Row:
    """The same for whoever has asked for the last row in this transaction."""
    seq, chain = head
    row = Row.make(seq + 1, type, record, time, packed, chain)
    connection.execute(_INSERT, row)
    return row


def row_and_head(connection: Connection, seq: int) -> tuple[Row, bytes | None] | None:
    """One row and the chain that stands before it, None where the row before is missing."""
    found = connection.execute(
        f"SELECT {COLUMNS}, (SELECT chain FROM log WHERE seq = ?) FROM log WHERE seq = ?", (seq - 1, seq)
    ).fetchone()
    return None if found is None else _with_head(found)


def rows_and_heads(connection: Connection, seqs: Sequence[int]) -> dict[int, tuple[Row, bytes | None]]:
    """The same for several rows, by their numbers; one that is missing is left out."""
    if not seqs:
        return {}
    marks = ", ".join("?" * len(seqs))
    query = f"SELECT {COLUMNS}, (SELECT b.chain FROM log b WHERE b.seq = log.seq - 1) FROM log WHERE seq IN ({marks})"
    return {found[0]: _with_head(found) for found in connection.execute(query, seqs).fetchall()}


def _with_head(found: Sequence[Any]) -> tuple[Row, bytes | None]:
    head = GENESIS if found[0] == 1 else None if found[8] is None else chain_bytes(found[8])
    return Row(*found[:8]), head


def rows(connection: Connection) -> Iterator[Row]:
    """Every row in order, in pages: no statement stays open between two of them."""
    last = -(1 << 62)
    while True:
        query = f"SELECT {COLUMNS} FROM log WHERE seq > ? ORDER BY seq LIMIT {_PAGE:d}"
        page = [Row(*found) for found in connection.execute(query, (last,)).fetchall()]
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].seq


def page(connection: Connection, after: int, until: int, size: int) -> list[Row]:
    """The next rows after one, up to another, oldest first."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", (after, until, size)
    )
    return [Row(*row) for row in found.fetchall()]


def notes(connection: Connection, before: int, size: int) -> list[Row]:
    """Rows that are no record's, newest first, from before the row `before`."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM log WHERE type IN ('note', 'checkpoint') AND seq < ? ORDER BY seq DESC LIMIT ?",
        (before, size),
    )
    return [Row(*row) for row in found.fetchall()]


def all_notes(connection: Connection) -> Iterator[Row]:
    """Every such row, in pages."""
    before = 1 << 62
    while page := notes(connection, before, _PAGE):
        yield from page
        before = page[-1].seq


def notes_of(connection: Connection, type: bytes, before: int, size: int) -> list[Row]:
    """The same for the notes of one type, as `note_types` knows them."""
    columns = ", ".join(f"l.{column}" for column in COLUMNS.split(", "))
    found = connection.execute(
        f"SELECT {columns} FROM note_types n CROSS JOIN log l"
        " WHERE l.seq = n.seq AND n.type = ? AND n.seq < ? ORDER BY n.seq DESC LIMIT ?",
        (type, before, size),
    )
    return [Row(*row) for row in found.fetchall()]


def news(connection: Connection, after: int, size: int) -> list[Row]:
    """Rows that say that something happened, oldest first, from after the row `after`."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM log WHERE seq > ? AND type IN ('committed', 'partial', 'note', 'checkpoint')"
        " ORDER BY seq LIMIT ?",
        (after, size),
    )
    return [Row(*row) for row in found.fetchall()]


def load(connection: Connection, rows: Iterable[Row]) -> None:
    """Add rows as they stand, seals and all."""
    left = iter(rows)
    while page := list(islice(left, _PAGE)):
        connection.executemany(_INSERT, page)


def is_empty(connection: Connection) -> bool:
    """Whether there is no row."""
    return connection.execute("SELECT seq FROM log LIMIT 1").fetchone() is None
