"""The journals of one database, so that clones of one repository find each other.

A table in a schema of its own, made when a journal first registers; who may not make or read it has no siblings.
"""

from __future__ import annotations

from psycopg import errors

from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.postgres_address import COMMON
from steadyhand.workspace.journal.postgres_session import lock_id

_EXISTS = "SELECT to_regclass(?) IS NOT NULL"
_TABLE = f"{COMMON}.journals"
_MAKE = (
    f"CREATE SCHEMA IF NOT EXISTS {COMMON}",
    f"""CREATE TABLE IF NOT EXISTS {_TABLE} (
        name TEXT COLLATE "C" NOT NULL PRIMARY KEY, repo TEXT COLLATE "C", label TEXT NOT NULL,
        made TIMESTAMPTZ NOT NULL DEFAULT now())""",
    f"CREATE INDEX IF NOT EXISTS journals_by_repo ON {_TABLE} (repo) WHERE repo IS NOT NULL",
)


def enter(connection: Connection, name: str, repo: str | None, label: str) -> None:
    """Say which repository and which root a journal belongs to; inside a write transaction."""
    if not _exists(connection):
        connection.execute(f"SELECT pg_advisory_xact_lock({lock_id('making', COMMON):d})")
        for statement in _MAKE:
            connection.execute(statement)
    connection.execute(
        f"INSERT INTO {_TABLE} (name, repo, label) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET repo = excluded.repo, label = excluded.label",
        (name, repo, label.replace("\0", "").encode("utf-8", "replace").decode()),
    )


def of_repository(connection: Connection, repo: str) -> list[str]:
    """The names of all journals of a repository, in order."""
    try:
        if not _exists(connection):
            return []
        found = connection.execute(f"SELECT name FROM {_TABLE} WHERE repo = ? ORDER BY name", (repo,)).fetchall()
    except errors.InsufficientPrivilege:
        return []
    return [name for (name,) in found]


def _exists(connection: Connection) -> bool:
    return bool(connection.execute(_EXISTS, (_TABLE,)).fetchone()[0])
