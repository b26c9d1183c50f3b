"""Worker processes that really run at once: started, killed at random moments, started again until all are done."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import steadyhand as sh
from benches.child import environment, python
from benches.fleet.dying import EXIT_CODE
from benches.fleet.ledger import Ledger
from benches.fleet.meter import Meter
from benches.fleet.settings import Fleet
from benches.fleet.worker import ledger_of

_HOMES = (Path(sh.__file__).resolve().parents[1], Path(__file__).resolve().parents[2])
_LONGEST = 1800.0
_POLL = 0.02
_MOMENT = (0.4, 1.6)  # seconds between two kills


class Life:
    """One process of a worker, and what it said at its end."""

    def __init__(self, root: Path, fleet: Fleet, worker: int, number: int) -> None:
        self.worker, self.number = worker, number
        self._errors = root.parent / f"worker-{worker}.{number}.err"
        self.out = root.parent / f"worker-{worker}.{number}.out"
        with self._errors.open("wb") as err, self.out.open("wb") as out:
            self.process = subprocess.Popen(
                python(
                    "-m", "benches.fleet.worker", str(root), json.dumps(fleet.to_json()), str(worker), str(number)
                ),
                env={**environment(), "PYTHONPATH": ":".join(map(str, _HOMES))},
                stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            )  # fmt: skip

    @property
    def has_died(self) -> bool:
        """Killed, or ended by its storage; any other end but a good one is an error of the simulator."""
        code = self.process.returncode
        if code not in (0, EXIT_CODE, -signal.SIGKILL):
            raise RuntimeError(f"worker {self.worker} ended with {code}: {self._errors.read_text()[-3000:]}")
        return code != 0

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run_crew(root: Path, fleet: Fleet, meter: Meter) -> int:
    """All agents to their end in several processes; how many of those processes were killed or died."""
    chance = random.Random(f"{fleet.seed}/kills")
    deaths = 0
    with _crew(root, fleet) as lives:
        running = list(lives)
        left = fleet.kills * fleet.processes if fleet.misbehaves("crash") else 0
        next_kill = time.monotonic() + chance.uniform(*_MOMENT)
        deadline = time.monotonic() + _LONGEST
        while running:
            if time.monotonic() > deadline:
                raise RuntimeError("the fleet did not come to its end")
            if left and time.monotonic() > next_kill:
                chance.choice(running).process.kill()
                left, next_kill = left - 1, time.monotonic() + chance.uniform(*_MOMENT)
            for life in [life for life in running if life.process.poll() is not None]:
                running.remove(life)
                if life.has_died:
                    deaths += 1
                    _mark(root, life.worker)
                    lives.append(Life(root, fleet, life.worker, life.number + 1))
                    running.append(lives[-1])
                else:
                    _add(meter, life)
            time.sleep(_POLL)
    return deaths


def _mark(root: Path, worker: int) -> None:
    """Say in a worker's ledger that it died here, on a line of its own whatever it was about to say."""
    path = ledger_of(root, worker)
    if path.exists() and path.read_bytes()[-1:] not in (b"", b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")
    ledger = Ledger(path)
    ledger.say("killed", agent=-1, task=0, step=0, party=["", None])
    ledger.close()


@contextlib.contextmanager
def _crew(root: Path, fleet: Fleet) -> Iterator[list[Life]]:
    """The first life of every worker; none of any life outlives the block."""
    lives = [Life(root, fleet, worker, 0) for worker in range(fleet.processes)]
    try:
        yield lives
    finally:
        for life in lives:
            life.end()


def _add(meter: Meter, life: Life) -> None:
    """What the last life measured; those that were killed took their figures with them."""
    spent = json.loads(life.out.read_text())
    meter.changes += spent["changes"]
    meter.reads += spent["reads"]
    meter.checks += spent["checks"]
