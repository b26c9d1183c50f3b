"""Promise: workers are killed at random, the server restarts, one job is poisoned and one endless: every job ends once.

An oracle compares the trees. `make stress` runs 10,000 jobs by 8 workers, `make sweep` and CI a slice of that; what one
lost worker does to a run is in `test_fleet.py` and `test_pool.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest

from steadyhand.bulk.fleet import Fleet
from steadyhand.bulk.job import read_jobs
from steadyhand.bulk.run_store import BulkSettings
from tests.bulk.ground import Ground, children, command, kill_group, repository, wicked_git
from tests.concurrency.crew import wait_until
from tests.postgres.server import Server

IS_LONG = os.environ.get("STEADYHAND_STRESS") == "all"
DIGITS = {"files": [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}]}
WICKED = ("venom", "forever")


@dataclass(frozen=True)
class Size:
    jobs: int
    workers: int
    kills: int
    restarts: int


SIZE = Size(10_000, 8, 60, 2) if IS_LONG else Size(400, 4, 8, 2)


class Crew:
    """Workers of one queue; whoever dies is started again."""

    def __init__(self, url: str, state: Path, env: dict[str, str], stack: ExitStack) -> None:
        self._words = ("worker", "--queue", url, "--lost-after", "4", "--jobs", "1")
        self._state = state
        self._env = env
        self._running: list[Popen[str]] = []
        stack.callback(self.end)

    def start(self) -> None:
        self._running.append(command(*self._words, state=self._state, env=self._env))

    def kill_somebody(self) -> None:
        """A worker with all it has started, or only a process that carries a job out."""
        victim = random.choice(self._running)
        if random.random() < 0.5:
            self._running.remove(victim)
            kill_group(victim)
            self.start()
            return
        for pid in children(victim.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def check_alive(self) -> None:
        for worker in self._running:
            assert worker.poll() is None, worker.communicate()

    def end(self) -> None:
        for worker in self._running:
            kill_group(worker)


@pytest.mark.sweep
def test_every_job_ends_exactly_once_whatever_dies(tmp_path: Path, postgres_server: Server) -> None:
    ground = Ground(tmp_path)
    ground.appending(SIZE.jobs, max(SIZE.jobs // 20, 4))
    plain = [job["key"] for job in ground.jobs]
    for name in WICKED:
        repo = repository(tmp_path / name, {"a.md": "one\ntwo\n"})
        ground.jobs.insert(1, {"key": name, "repo": str(repo), "plan": DIGITS, "result": "branch"})
    url = f"{postgres_server.url}&queue=q{os.urandom(5).hex()}"
    with ExitStack() as stack:
        env = stack.enter_context(wicked_git(tmp_path / "bin"))
        fleet = Fleet(url)
        stack.callback(fleet.close)
        store = fleet.store
        run = store.make_run(BulkSettings(seconds=10, lost=4, tries=3))
        for start in range(0, len(ground.jobs), 500):
            lines = [json.dumps(job).encode() for job in ground.jobs[start : start + 500]]
            store.add(run, [(start + n, job) for n, job in read_jobs(lines)], fleet.ticketing)
        store.open_run(run)
        crew = Crew(url, ground.state, env, stack)
        for _ in range(SIZE.workers):
            crew.start()
        blows = [crew.kill_somebody] * SIZE.kills + [postgres_server.restart_immediate] * SIZE.restarts
        random.shuffle(blows)
        for number, blow in enumerate(blows, 1):
            due = SIZE.jobs * number // (len(blows) + 1)
            wait_until(lambda due=due: store.status(run).ends >= due, f"{due} jobs have ended", pause=0.05)  # type: ignore[misc]
            crew.check_alive()
            blow()
        wait_until(lambda: store.status(run).left == 0, "the run is over", pause=0.05)
        crew.check_alive()
        found = {job.key: job for job in store.jobs(run)}
        assert set(found) == {*plain, *WICKED}, "nothing is lost"
        assert {key: found[key].state for key in WICKED} == dict.fromkeys(WICKED, "failed")
        assert found["venom"].kind == "worker-died"
        assert found["forever"].kind in ("timed-out", "worker-died")
        wrong = {key: found[key].error for key in plain if found[key].state != "done"}
        assert wrong == {}
        assert store.status(run).state == "over"
    ground.check_effects(plain, f"bulk-{run}")
