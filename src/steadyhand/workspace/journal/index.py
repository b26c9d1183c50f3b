"""Where to look: the tables derived from the log, kept up row by row and rebuilt from nothing by the same steps.

Invariants:

1. Everything here follows from the log; `rebuild` gives the same tables.
2. A record is undone iff a later committed record undoes it that is not itself undone.
3. A damaged prepared row keeps its place in `records`, so that reading it refuses instead of finding nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from steadyhand.workspace.journal import images
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.codec import decode_record, unpack
from steadyhand.workspace.journal.record import Record, State, is_record_id
from steadyhand.workspace.journal.row import Row, RowType
from steadyhand.workspace.journal.schema import DERIVED

_SETTLED = {RowType.COMMITTED.value, RowType.ABORTED.value, RowType.PARTIAL.value}


def key(text: str) -> bytes:
    """A path, task or actor as the tables hold it; no two texts share a key."""
    return text.encode("utf-8", "surrogatepass")


def add_record(connection: sqlite3.Connection, seq: int, record: Record) -> None:
    """Enter a prepared record."""
    task = None if record.task is None else key(record.task)
    connection.execute(
        "INSERT INTO records (seq, id, state, time, actor, task) VALUES (?, ?, 'prepared', ?, ?, ?)",
        (seq, record.id, record.time, key(record.actor), task),
    )
    connection.executemany("INSERT INTO files (path, seq) VALUES (?, ?)", [(key(path), seq) for path in record.paths])
    if record.undoes:
        rows = [(undone, seq) for undone in dict.fromkeys(record.undoes)]
        connection.executemany("INSERT INTO undos (undone, seq) VALUES (?, ?)", rows)


def settle(connection: sqlite3.Connection, row: Row) -> None:
    """Enter how a record ended, and what that makes undone or live again."""
    connection.execute("UPDATE records SET state = ?, settled = ? WHERE id = ?", (row.type, row.seq, row.record))
    if row.type == State.COMMITTED:
        found = connection.execute(
            "SELECT undone FROM undos WHERE seq = (SELECT seq FROM records WHERE id = ?)", (row.record,)
        )
        _refresh(connection, [undone for (undone,) in found.fetchall()])


def rebuild(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Make the derived tables anew from the log; inside a write transaction."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE images SET last_seq = 0")
    for row in rows:
        record = enter(connection, row)
        if record is not None:
            images.note_use(connection, record.digests, row.seq)


def enter(connection: sqlite3.Connection, row: Row) -> Record | None:
    """Enter one row of the log, whatever it says; the record, if it is a sound prepared row."""
    if row.type in _SETTLED and row.is_intact:
        settle(connection, row)
    if row.type != RowType.PREPARED:
        return None
    try:
        if not row.is_intact:
            raise ValueError("damaged")
        record = decode_record(unpack(row.codec, row.body))
    except ValueError:
        _enter_damaged(connection, row)
        return None
    connection.execute("DELETE FROM records WHERE id = ?", (record.id,))  # a damaged row may have claimed this id
    add_record(connection, row.seq, record)
    return record


def differences(kept: sqlite3.Connection, rebuilt: sqlite3.Connection) -> Iterator[Problem]:
    """At most one problem for each derived table that is not what the log says."""
    for table in DERIVED:
        if _content(kept, table) != _content(rebuilt, table):
            message = f"the index {table} does not say what the log says; it can be rebuilt from the log"
            yield Problem(None, "index", message)


def _content(connection: sqlite3.Connection, table: str) -> list[object]:
    columns = "*" if table != "records" else "seq, id, state, settled, undone_by, time, actor, task"
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()


def _enter_damaged(connection: sqlite3.Connection, row: Row) -> None:
    if isinstance(row.record, str) and is_record_id(row.record):
        connection.execute(
            "INSERT OR IGNORE INTO records (seq, id, state, time, actor) VALUES (?, ?, 'prepared', ?, ?)",
            (row.seq, row.record, "", b""),
        )


def _refresh(connection: sqlite3.Connection, ids: list[str]) -> None:
    """Say anew by whom these records are undone; a change goes on to the records that they undo."""
    waiting = list(ids)
    while waiting:
        changed = _refresh_one(connection, waiting.pop())
        if changed is not None:
            found = connection.execute("SELECT undone FROM undos WHERE seq = ?", (changed,))
            waiting.extend(undone for (undone,) in found.fetchall())


def _refresh_one(connection: sqlite3.Connection, record_id: str) -> int | None:
    """The record's row number if it went from undone to live or back."""
    held = connection.execute("SELECT seq, undone_by FROM records WHERE id = ?", (record_id,)).fetchone()
    if held is None:
        return None
    seq, before = held
    found = connection.execute(
        "SELECT r.id FROM undos u JOIN records r ON r.seq = u.seq WHERE u.undone = ? AND u.seq > ?"
        " AND r.state = 'committed' AND r.undone_by IS NULL ORDER BY u.seq DESC LIMIT 1",
        (record_id, seq),
    ).fetchone()
    after = None if found is None else found[0]
    connection.execute("UPDATE records SET undone_by = ? WHERE seq = ?", (after, seq))
    return int(seq) if (before is None) != (after is None) else None
