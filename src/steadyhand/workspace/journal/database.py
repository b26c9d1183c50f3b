"""What a store implements: a database for the journal's SQL with the journal's tables, and who is present at it.

One set of queries serves every store. The SQL is what SQLite and PostgreSQL both understand: `?` marks, `ON CONFLICT`,
no functions that only one has. Values are numbers, texts without NUL, bytes and None; whatever may hold any character
is kept as bytes.

The tables are made by numbered steps. A step, once released, is never changed; a new form is a new step. The steps are
written as SQLite reads them, and it keeps them word by word; for PostgreSQL the same text is rendered with its types.
The log holds everything that happened; the tables of `DERIVED` only say where to look and can be rebuilt from it.
Those of `MUTABLE` are no history: what parties have seen, what they announced, who holds what. Paths, tasks, actors
and other names are bytes (`codec.key`), because what is no text must be findable too and no index takes a long one.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint
from steadyhand.lazy import dataclass, lazy_pattern

T = TypeVar("T")

Room = Literal["admitted", "ordinary", "urgent"]
"""What a write may ask of the space kept for a full disk: it must be whole, it stays as it is, it may be given up."""


class Rows(Protocol):
    """What a query gave, or how many rows it changed."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """A database inside a transaction, or one statement at a time."""

    def execute(self, query: str, values: Sequence[object] = (), /) -> Rows: ...

    def executemany(self, query: str, rows: Iterable[Sequence[object]], /) -> object: ...


Work = Callable[[Connection], T]


class Statement(NamedTuple):
    """One write in the words of each store; the values are the same."""

    sqlite: str
    postgres: str


class Handle(Protocol):
    """One process's hold on a database: connection, transactions, forks, refusals of a named kind. Thread-safe."""

    @property
    def read_only(self) -> bool: ...

    @property
    def damage(self) -> str | None:
        """What was wrong with what was found at opening, which was set aside."""

    @property
    def is_in_place(self) -> bool:
        """Whether the database that was opened is still the one at its place."""

    def read(self, work: Work[T]) -> T:
        """Run `work` with the connection to itself."""

    def read_snapshot(self, work: Work[T]) -> T:
        """The same, while nothing that others write is seen."""

    def write(self, work: Work[T], *, durable: bool, room: Room = "ordinary") -> T:
        """Run `work` in one write transaction: all of it or nothing, nobody else writing meanwhile."""

    def write_one(
        self,
        statement: Statement,
        values: Sequence[object],
        *,
        row: tuple[int, bytes] | None = None,
        room: Room = "ordinary",
    ) -> int:
        """Run one statement that is a whole write by itself, not durable; how many rows it changed.

        `row` are number and chain of the row that it appends to the log, if it does.
        """

    def bulk(self) -> AbstractContextManager[None]:
        """Join all writes of the block to one transaction; an exception takes all of them back."""

    def vacuum(self) -> bool:
        """Give dropped room back; False where that cannot be done now."""

    def size(self) -> int:
        """What the database takes on its disk, in bytes."""

    def release_reserve(self) -> bool:
        """Free the space kept for undo and recovery on a full disk; False if there was none."""

    def close(self) -> None: ...


class Presence(Protocol):
    """This process among those that share a journal. Called inside the handle's `read` or `write`."""

    def holder(self, connection: Connection) -> str:
        """The name under which this process is seen as present from now on, until `leave` or its end.

        The same name every time; another one in a forked child.
        """

    def is_present(self, connection: Connection, holder: str) -> bool:
        """Whether a holder may still be there; False is final."""

    def clear(self, connection: Connection, holder: str) -> None:
        """Remove what a holder that is gone left behind; inside `write`."""

    def now(self, connection: Connection) -> int:
        """The store's clock, in milliseconds."""

    def leave(self) -> None:
        """Be present no more; what this process announced has ended."""


Dialect = Literal["sqlite", "postgres"]


@dataclass(frozen=True, slots=True)
class _Only:
    """A statement that one store alone understands."""

    dialect: Dialect
    text: str


def newer(where: object, version: int) -> EditError:
    """A journal this version must leave alone."""
    return EditError(
        Kind.JOURNAL_DAMAGED,
        f"the journal {where} was written by a newer Steadyhand (form {version}, this one knows {VERSION})",
        hint="update Steadyhand; nothing was changed",
        details={"version": version, "known": VERSION},
    )


def not_writable(where: object, *hints: Hint) -> EditError:
    """The journal cannot be written, so nothing else may be."""
    return EditError(
        Kind.READ_ONLY, f"the journal {where} is read-only, and no edit is made without a journal", hint=hints
    )


def in_children(owner: T, call: Callable[[T], None]) -> None:
    """Call this for an object, for as long as there is one, in every child that is forked from now on."""
    known = weakref.ref(owner)  # what is registered stays for good

    def run() -> None:
        found = known()
        if found is not None:
            call(found)

    os.register_at_fork(after_in_child=run)


_STEPS: tuple[tuple[str | _Only, ...], ...] = (
    (
        """CREATE TABLE log (
            seq INTEGER PRIMARY KEY, type TEXT NOT NULL, record TEXT, time TEXT NOT NULL,
            codec INTEGER NOT NULL, body BLOB NOT NULL, checksum BLOB NOT NULL, chain BLOB NOT NULL)""",
        _Only(
            "sqlite",
            """CREATE TRIGGER log_is_never_updated BEFORE UPDATE ON log
            BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
        ),
        _Only(
            "sqlite",
            """CREATE TRIGGER log_is_never_deleted BEFORE DELETE ON log
            BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
        ),
        _Only(
            "postgres",
            """CREATE FUNCTION log_is_append_only() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$""",
        ),
        _Only(
            "postgres",
            """CREATE TRIGGER log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
            FOR EACH STATEMENT EXECUTE FUNCTION log_is_append_only()""",
        ),
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
    (
        "CREATE TABLE note_types (type BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (type, seq)) WITHOUT ROWID",
        "CREATE TABLE parties (party BLOB NOT NULL PRIMARY KEY, seq INTEGER NOT NULL)",
        """CREATE TABLE sights (
            party BLOB NOT NULL, path BLOB NOT NULL, body BLOB NOT NULL, checksum BLOB NOT NULL, version BLOB,
            PRIMARY KEY (party, path))""",
        "CREATE INDEX sights_by_version ON sights (path, version) WHERE version IS NOT NULL",
        """CREATE TABLE versions (
            path BLOB NOT NULL, digest BLOB NOT NULL, codec INTEGER NOT NULL, size INTEGER NOT NULL,
            checksum BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (path, digest))""",
        """CREATE TABLE leases (
            id BLOB NOT NULL PRIMARY KEY, number INTEGER NOT NULL, party BLOB NOT NULL, path BLOB NOT NULL,
            holder TEXT NOT NULL, expires INTEGER, body BLOB NOT NULL, checksum BLOB NOT NULL)""",
        "CREATE INDEX leases_by_path ON leases (path, number)",
        "CREATE INDEX leases_by_party ON leases (party)",
        "CREATE TABLE fences (key BLOB NOT NULL PRIMARY KEY, number INTEGER NOT NULL)",
        "CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL)",
    ),
)
VERSION = len(_STEPS)

DERIVED = ("records", "files", "undos", "note_types")
MUTABLE = ("parties", "sights", "versions", "leases", "fences", "counters")
TABLES = ("log", "images", *DERIVED, *MUTABLE)

# Texts are compared byte by byte, as SQLite does, whatever the language of the server.
_TO_POSTGRES = (
    (lazy_pattern(r"\bkey INTEGER PRIMARY KEY\b"), "key BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
    (lazy_pattern(r"\bINTEGER\b"), "BIGINT"),
    (lazy_pattern(r"\bBLOB\b"), "BYTEA"),
    (lazy_pattern(r"\bTEXT\b"), 'TEXT COLLATE "C"'),
    (lazy_pattern(r" WITHOUT ROWID$"), ""),
)


def steps(dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """The statements of each step, the first step first; every one without values."""
    return tuple(
        tuple(
            _render(statement, dialect)
            for statement in step
            if isinstance(statement, str) or statement.dialect == dialect
        )
        for step in _STEPS
    )


def _render(statement: str | _Only, dialect: Dialect) -> str:
    if isinstance(statement, _Only):
        return statement.text
    if dialect == "postgres":
        for pattern, text in _TO_POSTGRES:
            statement = pattern.sub(text, statement)
    return statement
