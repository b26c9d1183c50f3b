"""A worker that is shot at: `python -m tests.concurrency.fire ROOT NAME COUNT PAST [JOURNAL]`.

It may be killed at any moment and is started again under the same name, until it has done all its turns: those before
PAST are acknowledged or found already. A turn is
over when its edit was acknowledged, or is found to be there because an earlier life, or a call whose end nobody could
tell, had got that far. Every turn leaves exactly one token in each file it concerns, and one record in the journal.
"""

from __future__ import annotations

import os
import sys
import time

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.concurrency.worker import FIRST, FORCE, LAST, PATIENCE, SHARED, say, token

SHORT = 1.5  # how long, in seconds, a server is waited for: one that is frozen is meant to be noticed
PASSING = frozenset({Kind.BUSY, Kind.TIMED_OUT, Kind.DISK_REFUSED})
OUTRUN = frozenset({Kind.STALE_SOURCE, Kind.CONFLICT, Kind.NO_MATCH, Kind.ALREADY_APPLIED})
ALL_FILES = 4  # each turn of this kind is a transaction over every shared file
KINDS = 5


def paths_of(turn: int) -> tuple[str, ...]:
    """The files that a turn concerns."""
    return SHARED if turn % KINDS == ALL_FILES else (SHARED[turn % len(SHARED)],)


class Turn:
    """One edit, sent again until it is made."""

    def __init__(self, ws: sh.Workspace, name: str, number: int, *, is_unsure: bool) -> None:
        self._ws = ws
        self._number = number
        self._name = name
        self.mine = token(name, number)
        self._is_unsure = is_unsure
        self._tries = 0

    def run(self) -> dict[str, object]:
        """What is known then: `done` is the id of an acknowledged edit, `found` one that nobody acknowledged."""
        while True:
            self._tries += 1
            try:
                sources = [self._ws.read(path) for path in paths_of(self._number)]
                if self._is_unsure and all(self.mine in source.text for source in sources):
                    return {"found": self.mine}
                receipt = self._send(sources)
            except EditError as error:
                self._refused(error)
                continue
            return {"done": receipt.id, "durable": receipt.durable, "tries": self._tries}

    def _refused(self, error: EditError) -> None:
        """Nothing was done, or nobody knows; anything else is a failure."""
        if error.kind in PASSING:
            say(refused=str(error.kind), state=error.details.get("state"), message=error.message)
        elif error.kind not in OUTRUN:
            raise error
        if error.details.get("state") == "unknown":
            self._is_unsure = True
        elif not self._is_unsure:
            for path in paths_of(self._number):
                with open(os.path.join(self._ws.root, path), encoding="utf-8") as file:
                    assert self.mine not in file.read(), f"refused and done all the same: {error!r}"

    def _send(self, sources: list[sh.Source]) -> sh.Receipt:
        ws, mine = self._ws, self.mine + "\n"
        path, seen = sources[0].path or "", [source.digest if self._is_unsure else None for source in sources]
        match self._number % KINDS:
            case 0 | 1:
                return ws.edit(path, [sh.Insert(FIRST, mine)], expect=seen[0], policy=FORCE)
            case 2:
                return ws.edit(path, [sh.Insert(LAST, mine, where="before")], expect=seen[0])
            case 3:
                line = next(line for line in sources[0].text.splitlines() if line.startswith("count "))
                counted = sh.Replace(line + "\n", f"count {int(line[6:]) + 1}\n{mine}")
                return ws.edit(path, [counted], expect=seen[0])  # forced, it would write over who counted meanwhile
            case _:
                return self._send_all(mine, dict(zip(SHARED, seen, strict=True)))

    def _send_all(self, mine: str, seen: dict[str, str | None]) -> sh.Receipt:
        """All files at once; half of the workers name them backwards."""
        paths = SHARED if sum(map(ord, self._name)) % 2 else tuple(reversed(SHARED))
        with self._ws.transaction() as tx:
            for path in paths:
                tx.edit(path, [sh.Insert(FIRST, mine)], expect=seen[path], policy=FORCE)
        return tx.receipt


def opened(root: str, name: str, journal: str | None) -> sh.Workspace:
    """The workspace, as soon as it can be opened."""
    patience = PATIENCE if journal is None else SHORT
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return sh.Workspace(root, actor=name, task=f"task of {name}", journal=journal, lock_timeout=patience)
        except EditError as error:
            if error.kind not in PASSING or time.monotonic() > deadline:
                raise


def main() -> None:
    root, name, count, past, *journal = sys.argv[1:]
    with opened(root, name, journal[0] if journal else None) as ws:
        for number in range(int(past), int(count)):
            began = time.monotonic()
            facts = Turn(ws, name, number, is_unsure=number == int(past)).run()
            say(turn=number, waited=time.monotonic() - began, **facts)
    say(ended=name)


if __name__ == "__main__":
    main()
