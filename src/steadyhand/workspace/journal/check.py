"""The whole check of a SQLite journal: structure, rows, chain, images, indexes. Reads only; repairs nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from steadyhand.workspace.journal import images, index, log
from steadyhand.workspace.journal.audit import Problem, audit_rows
from steadyhand.workspace.journal.database import open_in_memory
from steadyhand.workspace.journal.faults import is_damage
from steadyhand.workspace.journal.store import Progress

_STEP = 500
_MANY = 20


def check(connection: sqlite3.Connection, progress: Progress | None = None) -> list[Problem]:
    """Every problem that can be found; where the file itself is broken, what was found until then and that."""
    problems: list[Problem] = []
    try:
        problems += _structure(connection)
        meter = _Meter(connection, progress)
        problems += _rows_and_index(connection, meter)
        problems += _images(connection, meter)
        meter.finish()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        problems.append(Problem(None, "structure", f"the database file is broken: {error}"))
    return problems


class _Meter:
    """Tells how far the check is, now and then."""

    def __init__(self, connection: sqlite3.Connection, progress: Progress | None) -> None:
        self._progress = progress
        self._done = 0
        counted = connection.execute("SELECT (SELECT count(*) FROM log) + (SELECT count(*) FROM images)")
        self._total = int(counted.fetchone()[0])

    def step(self) -> None:
        self._done += 1
        if self._progress is not None and self._done % _STEP == 0:
            self._progress(min(self._done, self._total), self._total)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self._total, self._total)


def _structure(connection: sqlite3.Connection) -> Iterator[Problem]:
    for (said,) in connection.execute(f"PRAGMA quick_check({_MANY:d})").fetchall():
        if said != "ok":
            yield Problem(None, "structure", f"the database file is broken: {said}")


def _rows_and_index(connection: sqlite3.Connection, meter: _Meter) -> list[Problem]:
    """One walk over the log: each row is checked and entered in a second index to compare with."""
    problems: list[Problem] = []
    rebuilt = open_in_memory()
    try:
        rebuilt.execute("BEGIN")
        for row, problem in audit_rows(log.rows(connection)):
            if problem is not None:
                problems.append(problem)
            if problem is None or problem.kind != "missing-row":  # after a gap the row comes once more
                index.enter(rebuilt, row)
                meter.step()
        if all(problem.kind == "chain" for problem in problems):
            problems += index.differences(connection, rebuilt)
    finally:
        rebuilt.close()
    return problems


def _images(connection: sqlite3.Connection, meter: _Meter) -> Iterator[Problem]:
    for problem in images.audit(connection):
        meter.step()
        if problem is not None:
            yield problem
