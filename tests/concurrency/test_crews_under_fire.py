"""Processes that are killed and started again, a server that falls over under them: nothing acknowledged is lost.

`make stress` runs the full size (STEADYHAND_STRESS=all), `make sweep` a slice of it, `make test` a thinner one.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import steadyhand as sh
from tests.concurrency.crew import Worker, check_chain, check_sound, shared_root, wait_until
from tests.concurrency.fire import ALL_FILES, KINDS, paths_of
from tests.concurrency.worker import FIRST, LAST, SHARED, token
from tests.postgres.server import Server

IS_LONG = os.environ.get("STEADYHAND_STRESS") == "all"
MACHINES = ("north", "south")


@dataclass(frozen=True)
class Size:
    processes: int
    edits: int
    kills: int


SLICE, SLICE_ON_SERVER = Size(4, 40, 5), Size(4, 25, 3)
if IS_LONG:
    SLICE = SLICE_ON_SERVER = Size(8, 500, 60)

Blow = Callable[["Crew"], object]
"""Something that befalls a crew at work."""


@dataclass
class Crew:
    """Workers of fixed names; whoever dies is started again and goes on where its acknowledgements end."""

    root: Path
    size: Size
    journal: str | None = None
    workers: dict[str, Worker] = field(default_factory=dict)
    kills: int = 0

    @property
    def names(self) -> list[str]:
        return [f"w{number}" for number in range(self.size.processes)]

    @property
    def progress(self) -> int:
        """Turns that are over."""
        return sum(worker.has_said('"turn"') for worker in self.workers.values())

    def start(self, name: str) -> None:
        worker = self.workers.get(name)
        past = 0 if worker is None else worker.has_said('"turn"')
        number = int(name[1:])
        machine = None if self.journal is None else [*MACHINES, None][number % 3]
        given = [str(self.size.edits), str(past), *([self.journal] if self.journal else [])]
        self.workers[name] = Worker.of_module(self.root, "fire", name, given, machine=machine)

    def kill_somebody(self) -> None:
        running = [name for name, worker in self.workers.items() if worker.is_running]
        if running:
            name = random.choice(running)
            self.workers[name].kill()
            self.kills += 1
            self.start(name)

    def refusals(self) -> int:
        return sum(worker.has_said('"refused"') for worker in self.workers.values())

    def work(self, blows: list[Blow]) -> None:
        """Let everybody get through, each blow falling after an equal share of the work."""
        for name in self.names:
            self.start(name)
        share = self.size.processes * self.size.edits // (len(blows) + 1)
        for number, blow in enumerate(blows, 1):
            self.wait_for(number * share)
            blow(self)
        for worker in self.workers.values():
            worker.join()

    def wait_for(self, turns: int, *, refusals: float = math.inf) -> None:
        """Until so much is done, or so often somebody was refused, or all have ended."""
        wait_until(
            lambda: self.progress >= turns or self.refusals() >= refusals or self.is_over, "the crew works", pause=0.02
        )

    @property
    def is_over(self) -> bool:
        return not any(worker.is_running for worker in self.workers.values())


@contextlib.contextmanager
def crew_at(root: Path, size: Size, journal: str | None = None) -> Iterator[Crew]:
    """A crew; none of it outlives the block."""
    crew = Crew(root, size, journal)
    try:
        yield crew
    finally:
        for worker in crew.workers.values():
            worker.__exit__()


def _check_work(crew: Crew) -> None:
    """Every turn is there once, nothing else is, and the journal has one record for each: none twice."""
    turns = range(crew.size.edits)
    for path in SHARED:
        lines = (crew.root / path).read_text().splitlines(keepends=True)
        assert (lines[0], lines[-1]) == (FIRST, LAST), "no file is torn"
        found = Counter(line.rstrip("\n") for line in lines[1:-1] if not line.startswith("count "))
        expected = Counter(token(name, turn) for name in crew.names for turn in turns if path in paths_of(turn))
        assert found == expected
        counts = [int(line[6:]) for line in lines if line.startswith("count ")]
        turns_here = [turn for turn in turns if turn % KINDS == ALL_FILES - 1 and paths_of(turn) == (path,)]
        assert counts == [len(turns_here) * crew.size.processes]


def _check_journal(crew: Crew) -> None:
    said = [facts for worker in crew.workers.values() for facts in worker.said()]
    acknowledged = [facts["done"] for facts in said if "done" in facts]
    assert len(acknowledged) == len(set(acknowledged))
    with check_sound(crew.root, crew.journal) as ws:
        history = [entry.record.id for entry in ws.history()]
        assert set(acknowledged) <= set(history)
        assert len(history) == crew.size.processes * crew.size.edits
        for path in SHARED:
            check_chain(ws, path)


@pytest.mark.sweep
def test_a_crew_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    with shared_root(tmp_path) as root, crew_at(root, SLICE) as crew:
        crew.work([Crew.kill_somebody] * SLICE.kills)
        assert crew.kills == SLICE.kills
        _check_work(crew)
        _check_journal(crew)


def _settle_everywhere(root: Path, journal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is pending is settled when its machine opens the workspace again."""
    for machine in MACHINES:
        with monkeypatch.context() as patch:
            patch.setenv("STEADYHAND_MACHINE", machine)
            sh.Workspace(root, journal=journal, actor="witness").close()


def _restart(server: Server) -> Blow:
    return lambda _: server.restart_immediate()


def _terminate_one(server: Server) -> Blow:
    def blow(_: Crew) -> None:
        backends = server.backends()
        if backends:
            server.ask("SELECT pg_terminate_backend(%s)", random.choice(backends))

    return blow


def _freeze_one(server: Server) -> Blow:
    """Until somebody has noticed; where it serves nobody any more, until the others have gone on for a while."""

    def blow(crew: Crew) -> None:
        backends = server.backends()
        # One that has ended since it was listed was not frozen, and is not to be thawed.
        with contextlib.suppress(ProcessLookupError):
            if backends:
                with server.frozen(random.choice(backends)):
                    crew.wait_for(crew.progress + 10 * crew.size.processes, refusals=crew.refusals() + 1)

    return blow


@pytest.mark.sweep  # a server that is lost in the middle of a write is in tests/postgres/test_lost.py
def test_a_crew_whose_server_falls_over_and_freezes_loses_nothing(
    tmp_path: Path, postgres_server: Server, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blows = [
        *[Crew.kill_somebody] * SLICE_ON_SERVER.kills,
        *[make(postgres_server) for make in (_restart, _terminate_one, _freeze_one)] * (10 if IS_LONG else 1),
    ]
    random.shuffle(blows)
    with shared_root(tmp_path) as root, crew_at(root, SLICE_ON_SERVER, postgres_url) as crew:
        crew.work(blows)
        _settle_everywhere(root, postgres_url, monkeypatch)
        _check_work(crew)
        _check_journal(crew)


@pytest.mark.sweep
def test_machines_that_name_their_files_in_opposite_orders_do_not_wait_for_each_other_forever(
    tmp_path: Path, postgres_url: str
) -> None:
    count, names = 100 if IS_LONG else 8, ["q1", "q2", "q3", "q4"]
    with shared_root(tmp_path) as root, contextlib.ExitStack() as stack:
        started = [
            Worker(root, "transactions", name, count, journal=postgres_url, machine=f"machine of {name}")
            for name in names
        ]
        for worker in started:
            stack.enter_context(worker)
        for worker in started:
            worker.join()
        assert all(len(worker.done()) == count for worker in started)
        with check_sound(root, postgres_url) as ws:
            assert len(ws.history()) == len(names) * count
            for path in SHARED:
                check_chain(ws, path)
