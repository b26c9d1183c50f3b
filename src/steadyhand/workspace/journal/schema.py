"""The tables of the SQLite journal and the numbered steps that make them.

A step, once released, is never changed; a new form is a new step. The log holds everything; `records`,
`files` and `undos` only say where to look and can be rebuilt from it. Paths, tasks and actors are blobs,
because bytes that are no text must be findable too.
"""

from __future__ import annotations

import sqlite3
from functools import cache

APPLICATION_ID = 0x53744864

_STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE log (
            seq INTEGER PRIMARY KEY, type TEXT NOT NULL, record TEXT, time TEXT NOT NULL,
            codec INTEGER NOT NULL, body BLOB NOT NULL, checksum BLOB NOT NULL, chain BLOB NOT NULL)""",
        """CREATE TRIGGER log_is_never_updated BEFORE UPDATE ON log
            BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
        """CREATE TRIGGER log_is_never_deleted BEFORE DELETE ON log
            BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
        """CREATE TABLE images (
            key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, codec INTEGER NOT NULL, size INTEGER NOT NULL,
            checksum BLOB NOT NULL, last_seq INTEGER NOT NULL, data BLOB NOT NULL)""",
        """CREATE TABLE records (
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, settled INTEGER,
            time TEXT NOT NULL, actor BLOB NOT NULL, task BLOB, undone_by TEXT)""",
        "CREATE INDEX records_by_task ON records (task, seq) WHERE task IS NOT NULL",
        "CREATE INDEX records_by_actor ON records (actor, seq)",
        "CREATE INDEX records_unsettled ON records (seq) WHERE state = 'prepared'",
        "CREATE TABLE files (path BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (path, seq)) WITHOUT ROWID",
        "CREATE TABLE undos (undone TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (undone, seq)) WITHOUT ROWID",
        "CREATE INDEX undos_by_seq ON undos (seq)",
        "CREATE INDEX notes ON log (seq) WHERE type IN ('note', 'checkpoint')",
    ),
)
VERSION = len(_STEPS)

DERIVED = ("records", "files", "undos")


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps the database has gone."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Take the open transaction's database from its version to this one."""
    for number in range(version_of(connection), VERSION):
        for statement in _STEPS[number]:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION:d}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")


def shape_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str, str | None]]:
    """Every table, index and trigger with its definition."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return frozenset((row[0], row[1], row[2], row[3]) for row in found if not row[1].startswith("sqlite_stat"))


@cache
def expected_shape() -> frozenset[tuple[str, str, str, str | None]]:
    """The shape of a journal of this version; a foreign trigger or a missing table is not ours to open."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection)
        return shape_of(connection)
    finally:
        connection.close()
