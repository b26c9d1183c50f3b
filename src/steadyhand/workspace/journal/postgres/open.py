"""Opening a journal by a PostgreSQL URL. The one module of this store that can be imported without psycopg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra

if TYPE_CHECKING:
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal

_NAME = "main"


def open_postgres(
    url: str, *, name: str | None = None, read_only: bool = False, timeout: float = 10.0
) -> PostgresJournal:
    """The journal at `postgresql://user@host:port/database?journal=NAME`, made if missing.

    `name` is the journal's where the URL gives none. `timeout` bounds, in seconds, every single wait for the server.
    """
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise EditError(
            Kind.NOT_INSTALLED,
            "a journal on a PostgreSQL server needs the package psycopg",
            hint=InstallExtra("postgres"),
        ) from error
    from steadyhand.workspace.journal.postgres.address import parse_address
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal

    return PostgresJournal(parse_address(url, name or _NAME), read_only=read_only, timeout=timeout)
