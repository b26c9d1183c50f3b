"""Which version a SQLite file has, whether its tables are those of that version, and the way to the next one."""

from __future__ import annotations

import sqlite3
from functools import cache

from steadyhand.workspace.journal.index import catch_up
from steadyhand.workspace.journal.schema import VERSION, steps

APPLICATION_ID = 0x53744864

Shape = frozenset[tuple[str, str, str, str | None]]


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps the database has gone."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, *, to: int = VERSION, fill: bool = True) -> None:
    """Take the open transaction's database from its version to this one; `fill` the new tables from the log."""
    found = version_of(connection)
    for step in steps("sqlite")[found:to]:
        for statement in step:
            connection.execute(statement)
    if fill and to == VERSION:
        catch_up(connection, found)
    connection.execute(f"PRAGMA user_version = {to:d}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")


def shape_of(connection: sqlite3.Connection) -> Shape:
    """Every table, index and trigger with its definition."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return frozenset((row[0], row[1], row[2], row[3]) for row in found if not row[1].startswith("sqlite_stat"))


@cache
def expected_shape(version: int) -> Shape:
    """The shape of a journal of a version; a foreign trigger or a missing table is not ours to open."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, to=version)
        return shape_of(connection)
    finally:
        connection.close()
