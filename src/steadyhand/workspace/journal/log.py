"""The log table: appending rows and reading them as they stand. Knows no record and no index.

Append only inside a write transaction: the new row's number and chain come from the row that is last then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from steadyhand.workspace.journal.codec import pack
from steadyhand.workspace.journal.row import GENESIS, Row, RowType, chain_bytes

COLUMNS = "seq, type, record, time, codec, body, checksum, chain"
_PAGE = 500


def head(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """Number and chain of the last row."""
    found = connection.execute("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1").fetchone()
    return (0, GENESIS) if found is None else (found[0], chain_bytes(found[1]))


def append(connection: sqlite3.Connection, type: RowType, record: str | None, time: str, body: bytes) -> Row:
    """Add a row after the last one, sealed and chained."""
    seq, chain = head(connection)
    row = Row.make(seq + 1, type, record, time, pack(body), chain)
    connection.execute(f"INSERT INTO log ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return row


def row_and_head(connection: sqlite3.Connection, seq: int) -> tuple[Row, bytes | None] | None:
    """One row and the chain that stands before it, None where the row before is missing."""
    found = connection.execute(
        f"SELECT {COLUMNS}, (SELECT chain FROM log WHERE seq = ?) FROM log WHERE seq = ?", (seq - 1, seq)
    ).fetchone()
    if found is None:
        return None
    head = GENESIS if seq == 1 else None if found[8] is None else chain_bytes(found[8])
    return Row(*found[:8]), head


def rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """Every row in order, in pages: no statement stays open between two of them."""
    last = -(1 << 62)
    while True:
        query = f"SELECT {COLUMNS} FROM log WHERE seq > ? ORDER BY seq LIMIT {_PAGE:d}"
        page = [Row(*found) for found in connection.execute(query, (last,))]
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].seq


def notes(connection: sqlite3.Connection, before: int, size: int) -> list[Row]:
    """Rows that are no record's, newest first, from before the row `before`."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM log WHERE type IN ('note', 'checkpoint') AND seq < ? ORDER BY seq DESC LIMIT ?",
        (before, size),
    )
    return [Row(*row) for row in found]
