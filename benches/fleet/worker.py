"""A process with some of the agents, started again when killed: `python -m benches.fleet.worker`.

It goes on where its ledger says it was. In every life but the last it dies at some storage call of its own, if it is
not killed before.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from benches.fleet.agent import Agent
from benches.fleet.dying import DyingStorage
from benches.fleet.ledger import Ledger, read_ledger
from benches.fleet.meter import Meter
from benches.fleet.schedule import open_workspaces, take_turns, where_it_was
from benches.fleet.settings import Fleet
from steadyhand.workspace.files.storage import Storage

_FEWEST_CALLS, _MOST_CALLS = 100, 600


def ledger_of(root: Path, worker: int) -> Path:
    return root.parent / f"worker-{worker}.jsonl"


def main(arguments: list[str]) -> int:
    """Live one life."""
    root, fleet = Path(arguments[0]), Fleet.from_json(json.loads(arguments[1]))
    worker, life = int(arguments[2]), int(arguments[3])
    said = read_ledger([ledger_of(root, worker)]) if life else []
    chance = random.Random(f"{fleet.seed}/worker/{worker}/{life}")
    is_doomed = fleet.misbehaves("crash") and life < fleet.kills
    storage = DyingStorage(chance.randint(_FEWEST_CALLS, _MOST_CALLS)) if is_doomed else Storage()
    ledger, meter = Ledger(ledger_of(root, worker)), Meter()
    crew = fleet.crew_of(worker)
    with open_workspaces(root, fleet, crew, storage) as spaces:
        alive = []
        for number in crew:
            agent = Agent(number, fleet, spaces[fleet.actor_of(number)], ledger, meter, life=life, doom=None)
            alive.append((agent, agent.live(*where_it_was(said, number))))
        take_turns(alive, chance, meter)
    ledger.close()
    print(json.dumps(meter.to_json()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
