"""One simulated agent: it reads, thinks while others act, asks for a change and looks at the answer. Never a thread.

An agent is a generator that gives up its turn at every `yield`; whoever runs it decides who comes next. What it does
follows from its random numbers and the answers it gets, and all of it goes to the ledger.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from typing import Protocol

import steadyhand as sh
from benches.fleet.choosing import Situation, choose_move
from benches.fleet.leasing import outlive_a_lease
from benches.fleet.ledger import Ledger
from benches.fleet.meter import Meter
from benches.fleet.moves import Move, perform
from benches.fleet.settings import Fleet
from benches.fleet.tree import PARTS, name_of, task_of
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.text.source import Source

WORKS = 3  # changes an agent tries for in one task
_TRIES = 3
_SKEW_DAYS = 400


class Doom(Protocol):
    """Whoever lets some moves be made by processes that die over them."""

    def is_due(self) -> bool:
        """Whether this move is one of them."""

    def carry_out(self, ws: sh.Workspace, move: Move) -> dict[str, object] | None:
        """What the process answered, or None when it was gone before."""


class Agent:
    """An agent and everything it remembers. `life` counts how often its process was started."""

    def __init__(
        self, number: int, fleet: Fleet, ws: sh.Workspace, ledger: Ledger, meter: Meter, *, life: int, doom: Doom | None
    ) -> None:
        self.number = number
        self._fleet = fleet
        self._ws = ws
        self._ledger = ledger
        self._meter = meter
        self._doom = doom
        self._random = random.Random(f"{fleet.seed}/{number}/{life}")
        self.days = self._random.randint(-_SKEW_DAYS, _SKEW_DAYS) if fleet.misbehaves("skew") else 0
        self._task, self._step = 0, 0
        self._remembered: dict[str, Source] = {}
        self._own: list[str] = []

    def live(self, task: int = 0, step: int = 0) -> Iterator[None]:
        """All its tasks from `task` on, the first of them from `step`."""
        self._step = step
        for number in range(task, self._fleet.tasks):
            self._task = number
            self._remembered, self._own = {}, []
            head = self._ws._store.head()
            with self._ws.task(task_of(self.number, self._task)) as bound:
                self._say(bound, "begin", head=head, head_after=bound._store.head())
                for _ in range(WORKS):
                    yield from self._work(bound)
                    self._step += 1
                self._say(bound, "end")
            self._step = 0
            yield

    def _work(self, ws: sh.Workspace) -> Iterator[None]:
        """One change, tried until it goes through or is given up."""
        path, part = self._goal()
        move: Move | None = None
        for _ in range(_TRIES):
            source = yield from self._look(ws, path, part)
            if source is None:
                return
            yield from self._think(ws, path)
            if move is None:
                situation = Situation(self._random, source, part, self._fleet.files, tuple(self._own))
                move = choose_move(situation, self.number, self._task, self._step)
            error = self._ask(ws, move)
            yield
            if error is None or error.kind in (Kind.CANNOT_UNDO, Kind.EXISTS_ALREADY):
                return
            move = self._corrected(error, move)
            if move is None:
                self._remembered.pop(path, None)
                self._step += 1

    def _goal(self) -> tuple[str, int]:
        """Where everybody goes, or where hardly anybody does."""
        if self._random.random() < self._fleet.overlap:
            return name_of(self._random.randrange(max(1, self._fleet.files // 8))), PARTS // 2
        return name_of((self.number + self._task) % self._fleet.files), self.number % PARTS

    def _look(self, ws: sh.Workspace, path: str, part: int) -> Generator[None, None, Source | None]:
        """Read the file or a part of it; a stale one trusts its memory."""
        if path in self._remembered and self._fleet.misbehaves("stale") and self._random.random() < 0.7:
            return self._remembered[path]
        head = ws._store.head()
        is_slow = self._fleet.misbehaves("stale") and self._random.random() < 0.2
        rows: tuple[int, int] | None = None
        try:
            with self._meter.reading():
                source = host_of(ws).source(path)
            if is_slow:  # what is shown may be old before it is shown
                yield
            rows = self._rows(source, part)
            with self._meter.reading():
                if is_slow:
                    host_of(ws).saw(source, rows)
                else:
                    source = ws.read(path, lines=rows)
        except EditError as error:
            self._say(ws, "unread", path=path, kind=str(error.kind))
            return None
        shown = None if rows is None or rows == (1, source.table.count) else rows
        self._say(ws, "saw", path=path, digest=source.digest, lines=shown, head=head, head_after=ws._store.head())
        self._remembered[path] = source
        return source

    def _rows(self, source: Source, part: int) -> tuple[int, int] | None:
        if self._random.random() < 0.6:
            return None
        first = source.text[: max(source.text.find(f"## Part {part}\n"), 0)].count("\n") + 1
        return first, min(first + 9, source.table.count)

    def _think(self, ws: sh.Workspace, path: str) -> Iterator[None]:
        turns = self._random.randint(0, 2)
        if self._fleet.misbehaves("stale") and self._random.random() < 0.2:
            turns += 8
        for _ in range(turns):
            yield
        if self._fleet.misbehaves("pause") and self._random.random() < 0.05:
            yield from outlive_a_lease(ws, path)

    def _ask(self, ws: sh.Workspace, move: Move) -> EditError | None:
        """Ask, and write down what was asked and answered; the refusal, if it was one."""
        self._say(ws, "ask", move=move.to_json(), head=ws._store.head())
        if self._doom is not None and move.call != "undo" and self._doom.is_due():
            answer = self._doom.carry_out(ws, move)
            if answer is None:
                self._say(ws, "died")
            else:
                self._say(ws, str(answer.pop("what")), head=ws._store.head(), **answer)
            return None
        try:
            with self._meter.changing():
                receipt = perform(ws, move)
        except EditError as error:
            self._say(ws, "refused", head=ws._store.head(), **answer_of(error))
            return error
        self._say(ws, "done", id=receipt.id, head=ws._store.head())
        assert receipt.id is not None
        self._own.append(receipt.id)
        for file in receipt.files:
            self._remembered.pop(file.path, None)
        return None

    def _corrected(self, error: EditError, move: Move) -> Move | None:
        """The edit that a refusal offers, where the agent takes it."""
        given = error.details.get("corrected")
        if error.kind is not Kind.CONFLICT or not isinstance(given, dict) or self._random.random() < 0.5:
            return None
        target = given.get("target")
        quoted = str(target["lines"].get("text")) if isinstance(target, dict) and "lines" in target else str(target)
        return Move("edit", move.path, (given,), tokens=move.tokens, quotes={move.path: quoted})

    def _say(self, ws: sh.Workspace, what: str, **facts: object) -> None:
        where = {"agent": self.number, "task": self._task, "step": self._step}
        self._ledger.say(what, **where, party=[ws.actor, ws.task_id], **facts)


def answer_of(error: EditError) -> dict[str, object]:
    """What the ledger keeps of a refusal."""
    kept = {
        name: error.details[name]
        for name in ("path", "lines", "with", "index", "actual", "moved")
        if name in error.details
    }
    return {"kind": str(error.kind), "message": error.message, "corrected": "corrected" in error.details, **kept}
