"""A process that stops itself in the middle of a commit: `python -m tests.concurrency.paused ROOT NAME POINT JOURNAL`.

It says so first. Whoever started it lets it go on, or kills it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Literal, get_args

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.storage import Storage
from tests.concurrency.worker import SHARED, say

Point = Literal["locked", "noted", "prepared", "sure", "between"]
"""The locks are taken; the note is there and nothing is staged; the record is prepared; the locks were asked for once
more and no name has changed; one name of two has changed."""

POINTS: tuple[Point, ...] = get_args(Point)
OLD, NEW = "count 0\n", "changed by {}\n"
PATIENCE = 5.0


def stop(point: str) -> None:
    say(stopped=point)
    os.kill(os.getpid(), signal.SIGSTOP)


class StoppingStorage(Storage):
    """Stops the process before a call that tells how far the commit is."""

    def __init__(self, point: Point) -> None:
        self._point = point
        self._exchanges = 0

    def create(self, name: str, mode: int, *, dir_fd: int) -> int:
        if (self._point == "locked" and name.endswith(".part")) or (
            self._point == "noted" and name.startswith(TEMP_PREFIX)
        ):
            stop(self._point)
        return super().create(name, mode, dir_fd=dir_fd)

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        self._exchanges += 1
        if (self._point, self._exchanges) in (("sure", 1), ("between", 2)):
            stop(self._point)
        super().exchange(one, other, one_dir_fd=one_dir_fd, other_dir_fd=other_dir_fd)


def stop_when_asked(ws: sh.Workspace) -> None:
    """Between the record and the last question about the locks no file is touched, so the question itself stops."""
    journal = ws._store.writable_journal()
    ask = journal.still_holds

    def still_holds(*given: object, **named: object) -> bool:
        stop("prepared")
        return ask(*given, **named)  # type: ignore[arg-type]

    journal.still_holds = still_holds  # type: ignore[method-assign]


def change(ws: sh.Workspace, name: str, *, files: int) -> sh.Receipt:
    """What both sides want: the same line of a file, or of two."""
    with ws.transaction(reason=name) as tx:
        for path in SHARED[:files]:
            tx.edit(path, [sh.Replace(OLD, NEW.format(name))])
    return tx.receipt


def main() -> None:
    root, name, point, journal = sys.argv[1:]
    storage = StoppingStorage(point)  # type: ignore[arg-type]  # what the test gives is one of them
    with sh.Workspace(root, actor=name, journal=journal, lock_timeout=PATIENCE, storage=storage) as ws:
        if point == "prepared":
            stop_when_asked(ws)
        try:
            say(done=change(ws, name, files=2 if point == "between" else 1).id)
        except EditError as error:
            say(refused=str(error.kind), hint=error.hint)


if __name__ == "__main__":
    main()
