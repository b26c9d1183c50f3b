"""The journal in a SQLite file of a state folder, and the check of that file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.faults import is_damage
from steadyhand.workspace.journal.folder import JournalFolder
from steadyhand.workspace.journal.handle import SqliteHandle
from steadyhand.workspace.journal.holders import FileHolders
from steadyhand.workspace.journal.store import Progress
from steadyhand.workspace.journal.stored import StoredJournal

_MANY = 20


class SqliteJournal(StoredJournal):
    """A `Journal` in the state folder at `path`."""

    def __init__(self, path: Path, *, read_only: bool = False, timeout: float = 10.0) -> None:
        folder = JournalFolder(path.absolute())  # the working directory may change
        self._file = SqliteHandle(folder, read_only=read_only, timeout=timeout)
        super().__init__(self._file, FileHolders(folder.path), location=str(folder.path))

    def verify(self, progress: Progress | None = None) -> list[Problem]:
        return self._file.read_snapshot(lambda connection: check_file(connection, progress))

    def close(self) -> None:
        self._file.close()  # first: nobody can announce anything any more
        self._presence.leave()


def check_file(connection: sqlite3.Connection, progress: Progress | None = None) -> list[Problem]:
    """Every problem that can be found; where the file itself is broken, what was found until then and that."""
    from steadyhand.workspace.journal.check import problems

    found: list[Problem] = []
    try:
        for problem in _structure(connection):
            found.append(problem)
        for problem in problems(connection, progress):
            found.append(problem)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        found.append(Problem(None, "structure", f"the database file is broken: {error}"))
    return found


def _structure(connection: sqlite3.Connection) -> Iterator[Problem]:
    for (said,) in connection.execute(f"PRAGMA quick_check({_MANY:d})").fetchall():
        if said != "ok":
            yield Problem(None, "structure", f"the database file is broken: {said}")
