"""The tables of a journal in PostgreSQL: found sound, made, brought up, or left alone.

Three problems are distinguished: newer than this version, older and only to be read, not a journal at all. All three
are refused, and nothing is changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache

from psycopg import errors, sql

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.workspace.journal.database import VERSION, steps
from steadyhand.workspace.journal.index import catch_up
from steadyhand.workspace.journal.postgres.session import Address, Session, damaged, lock_id, newer

Shape = Mapping[str, tuple[str, ...]]
"""The columns of every table."""

_FORM = "form"
_TABLE = "CREATE TABLE "
_COLUMNS = """SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname, a.attnum"""
_TRIGGERS = """SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND NOT t.tgisinternal"""
_TRIGGER = lazy_pattern(r"CREATE TRIGGER (\w+) .* ON (\w+)\s")


def bring_up(session: Session, address: Address, *, read_only: bool) -> None:
    """See that the journal of this version is there, and make or migrate it where it is not."""
    version = _version(session, address)
    if version == VERSION:
        return
    if read_only and version == 0:
        _stand_in(session, address)
        return
    if read_only:
        raise _older(address, version)
    session.begin_making(lock_id("making", address.schema))
    try:
        _migrate(session, address)
        session.commit()
    except BaseException:
        if not session.is_lost:
            session.rollback()
        raise


def check_version(session: Session, address: Address, *, read_only: bool) -> None:
    """Refuse to go on with a journal that another program made newer, or took away, meanwhile."""
    if read_only:
        bring_up(session, address, read_only=True)
    elif _version(session, address) != VERSION:
        raise damaged(address.shown, "it was removed or replaced while it was in use")


def _version(session: Session, address: Address) -> int:
    """How many steps the journal has gone; 0 where there is none. Refuses what is no journal or too new."""
    shape = _shape(session, address.schema)
    if not shape:
        return 0
    if shape.get(_FORM) != ("version",):
        raise damaged(address.shown, "its schema holds the tables of another program")
    found = session.execute("SELECT version FROM form").fetchall()
    if len(found) != 1 or found[0][0] < 1:
        raise damaged(address.shown, "it does not say which form it has")
    version = int(found[0][0])
    if version > VERSION:
        raise newer(address.shown, version, VERSION)
    triggers = {(row[0], row[1]) for row in session.execute(_TRIGGERS, (address.schema,)).fetchall()}
    if shape != expected_shape(version) or triggers != expected_triggers(version):
        raise damaged(address.shown, "its tables are not those of a journal")
    return version


def _migrate(session: Session, address: Address) -> None:
    version = _version(session, address)  # somebody else may have been here first
    if version == VERSION:
        return
    if version == 0:
        schema = sql.Identifier(address.schema).as_string(session.raw)
        exists = session.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (address.schema,)).fetchone()
        if exists is None:  # asked first: who may not create a schema may still fill one that was made for them
            session.execute(f"CREATE SCHEMA {schema}")
        session.execute("CREATE TABLE form (version BIGINT NOT NULL)")
        session.execute("INSERT INTO form (version) VALUES (0)")
    for step in steps("postgres")[version:]:
        for statement in step:
            session.execute(statement)
    catch_up(session, version)
    session.execute("UPDATE form SET version = ?", (VERSION,))


def _shape(session: Session, schema: str) -> Shape:
    found: dict[str, tuple[str, ...]] = {}
    for table, column in session.execute(_COLUMNS, (schema,)).fetchall():
        found[table] = (*found.get(table, ()), column)
    return found


@cache
def expected_shape(version: int) -> Shape:
    """The tables of a version, read from a database that needs no server: the steps are the same."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in (statement for step in steps("sqlite")[:version] for statement in step):
            connection.execute(statement)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        columns = {name: connection.execute(f"SELECT name FROM pragma_table_info('{name}')") for (name,) in tables}
        return {name: tuple(row[0] for row in found) for name, found in columns.items()} | {_FORM: ("version",)}
    finally:
        connection.close()


@cache
def expected_triggers(version: int) -> frozenset[tuple[str, str]]:
    """Table and name of every trigger of a version."""
    statements = (" ".join(statement.split()) for step in steps("postgres")[:version] for statement in step)
    found = (_TRIGGER.match(statement) for statement in statements)
    return frozenset((match[2], match[1]) for match in found if match)


def _stand_in(session: Session, address: Address) -> None:
    """Empty tables that only this session sees, and only until there is a journal: its schema is looked at first."""
    tables = (statement for step in steps("postgres") for statement in step if statement.startswith(_TABLE))
    try:
        session.execute("BEGIN READ WRITE")
        for statement in tables:
            session.execute(statement.replace(_TABLE, "CREATE TEMPORARY TABLE ", 1))
        session.execute("COMMIT")
    except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"there is no journal {address.shown} yet",
            hint="it is made by the first workspace that is opened for writing",
        ) from error


def _older(address: Address, version: int) -> EditError:
    return EditError(
        Kind.READ_ONLY,
        f"the journal {address.shown} has the older form {version} and may only be read",
        hint="open it for writing once: that brings it up to date",
        details={"version": version, "known": VERSION},
    )
