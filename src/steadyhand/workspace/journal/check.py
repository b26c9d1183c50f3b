"""The whole check of a journal: rows, chain, images, indexes. Reads only; repairs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from steadyhand.workspace.journal import images, index, log
from steadyhand.workspace.journal.audit import Problem, audit_rows
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.database import open_in_memory
from steadyhand.workspace.journal.store import Progress

_STEP = 500


def problems(connection: Connection, progress: Progress | None = None) -> Iterator[Problem]:
    """Every problem that can be found, while the connection sees nothing that others write."""
    meter = _Meter(connection, progress)
    yield from _rows_and_index(connection, meter)
    yield from _images(connection, meter)
    meter.finish()


class _Meter:
    """Tells how far the check is, now and then."""

    def __init__(self, connection: Connection, progress: Progress | None) -> None:
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


def _rows_and_index(connection: Connection, meter: _Meter) -> list[Problem]:
    """One walk over the log: each row is checked and entered in a second index to compare with."""
    found: list[Problem] = []
    rebuilt = open_in_memory()
    try:
        rebuilt.execute("BEGIN")
        for row, problem in audit_rows(log.rows(connection)):
            if problem is not None:
                found.append(problem)
            if problem is None or problem.kind != "missing-row":  # after a gap the row comes once more
                index.enter(rebuilt, row)
                meter.step()
        if all(problem.kind == "chain" for problem in found):
            found += index.differences(connection, rebuilt)
    finally:
        rebuilt.close()
    return found


def _images(connection: Connection, meter: _Meter) -> Iterator[Problem]:
    for problem in images.audit(connection):
        meter.step()
        if problem is not None:
            yield problem
