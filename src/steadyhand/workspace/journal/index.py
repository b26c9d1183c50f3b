"""Where to look: the tables derived from the log, kept up row by row and rebuilt from nothing by the same steps.

Invariants:

1. Everything here follows from the log; `rebuild` gives the same tables.
2. A record is undone iff a later committed record undoes it that is not itself undone.
3. A damaged prepared row keeps its place in `records`, so that reading it refuses instead of finding nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from steadyhand.workspace.journal import log
from steadyhand.workspace.journal.codec import decode_note, decode_record, unpack
from steadyhand.workspace.journal.connection import Connection, Statement
from steadyhand.workspace.journal.log import Problem, Row, RowType
from steadyhand.workspace.journal.record import Record, State, is_record_id
from steadyhand.workspace.journal.schema import DERIVED

LONGEST = 1024  # PostgreSQL refuses an index entry of about 2700 bytes, and some have two keys
_NOTES = {RowType.NOTE.value, RowType.CHECKPOINT.value}
_SETTLED = {RowType.COMMITTED.value, RowType.ABORTED.value, RowType.PARTIAL.value}


_SETTLED_ROW = (
    f"INSERT INTO log ({log.COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM records"
    f" WHERE id = ? AND state = 'prepared' AND {log.IS_LAST}"
)
SETTLE: Final = Statement(
    sqlite=_SETTLED_ROW,
    postgres=f"WITH row AS ({_SETTLED_ROW} RETURNING seq, type, record)"
    " UPDATE records SET state = row.type, settled = row.seq FROM row WHERE id = row.record",
)
"""Append how a prepared record ended and enter it: the values of the row, the record's id, the chain of the row that is
last. Changes nothing where another one is. In SQLite `FOLLOWS_THE_LOG` enters it.
"""
FOLLOWS_THE_LOG: Final = """CREATE TEMP TRIGGER index_follows_the_log AFTER INSERT ON main.log
    WHEN NEW.type IN ('committed', 'aborted', 'partial')
    BEGIN UPDATE records SET state = NEW.type, settled = NEW.seq WHERE id = NEW.record; END"""
"""For a connection that writes: SQLite has no statement that writes to two tables."""


def key(text: str) -> bytes:
    """A path, task, actor or other name as the tables hold it; no two texts share a key, and none is too long.

    >>> key("docs/a.md"), len(key("x" * 5000))
    (b'docs/a.md', 1057)
    """
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return data
    return data[:LONGEST] + b"\xff" + hashlib.sha256(data).digest()  # a byte that is in no text: no short key is alike


def add_record(connection: Connection, seq: int, record: Record) -> None:
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


def settle(connection: Connection, row: Row, *, undoes: bool = True) -> None:
    """Enter how a record ended, and what that makes undone or live again; `undoes`: it may undo others."""
    connection.execute("UPDATE records SET state = ?, settled = ? WHERE id = ?", (row.type, row.seq, row.record))
    if undoes and row.type == State.COMMITTED:
        found = connection.execute(
            "SELECT undone FROM undos WHERE seq = (SELECT seq FROM records WHERE id = ?)", (row.record,)
        )
        _refresh(connection, [undone for (undone,) in found.fetchall()])


def rebuild(connection: Connection, rows: Iterable[Row]) -> None:
    """Rebuild the derived tables from the log; inside a write transaction."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")
    for row in rows:
        enter(connection, row)


def enter(connection: Connection, row: Row) -> None:
    """Enter one row of the log, whatever it says."""
    if row.type in _SETTLED and row.is_intact:
        settle(connection, row)
    if row.type in _NOTES:
        _enter_note(connection, row)
    if row.type != RowType.PREPARED:
        return
    try:
        if not row.is_intact:
            raise ValueError("damaged")
        record = decode_record(unpack(row.codec, row.body))
    except ValueError:
        _enter_damaged(connection, row)
        return
    connection.execute("DELETE FROM records WHERE id = ?", (record.id,))  # a damaged row may have claimed this id
    add_record(connection, row.seq, record)


def differences(kept: Connection, rebuilt: Connection) -> Iterator[Problem]:
    """At most one problem for each derived table that is not what the log says."""
    for table in DERIVED:
        if _content(kept, table) != _content(rebuilt, table):
            message = f"the index {table} does not say what the log says; it can be rebuilt from the log"
            yield Problem(None, "index", message)


def _content(connection: Connection, table: str) -> list[object]:
    columns = "*" if table != "records" else "seq, id, state, settled, undone_by, time, actor, task"
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()


def catch_up(connection: Connection, version: int) -> None:
    """Fill what steps after `version` made, from a log that was there before them; inside their transaction."""
    if version != 1:  # an empty log, or nothing to fill
        return
    if _has_longer_keys(connection):
        rebuild(connection, log.rows(connection))
        return
    for row in log.all_notes(connection):
        _enter_note(connection, row)


def _has_longer_keys(connection: Connection) -> bool:
    """Whether the tables hold names that have a shorter key by now."""
    query = (
        "SELECT 1 FROM files WHERE length(path) > ? UNION ALL"
        " SELECT 1 FROM records WHERE length(actor) > ? OR length(task) > ? LIMIT 1"
    )
    return connection.execute(query, (LONGEST, LONGEST, LONGEST)).fetchone() is not None


def _enter_note(connection: Connection, row: Row) -> None:
    try:
        name, _ = decode_note(unpack(row.codec, row.body)) if row.is_intact else (None, {})
    except ValueError:
        return
    if name is not None:
        connection.execute("INSERT INTO note_types (type, seq) VALUES (?, ?)", (key(name), row.seq))


def _enter_damaged(connection: Connection, row: Row) -> None:
    if isinstance(row.record, str) and is_record_id(row.record):
        connection.execute(
            "INSERT INTO records (seq, id, state, time, actor) VALUES (?, ?, 'prepared', ?, ?) ON CONFLICT DO NOTHING",
            (row.seq, row.record, "", b""),
        )


def _refresh(connection: Connection, ids: list[str]) -> None:
    """Update by whom these records are undone; a change goes on to the records that they undo."""
    waiting = list(ids)
    while waiting:
        changed = _refresh_one(connection, waiting.pop())
        if changed is not None:
            found = connection.execute("SELECT undone FROM undos WHERE seq = ?", (changed,))
            waiting.extend(undone for (undone,) in found.fetchall())


def _refresh_one(connection: Connection, record_id: str) -> int | None:
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
