"""What a store implements: a database for the journal's SQL, and who is present at it.

One set of queries serves every store. The SQL is what SQLite and PostgreSQL both understand: `?` marks, `ON CONFLICT`,
no functions that only one has. Values are numbers, texts without NUL, bytes and None; whatever may hold any character
is kept as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

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
