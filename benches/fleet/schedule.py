"""Agents that take turns in one process, as a seed says: the same seed is the same schedule."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import steadyhand as sh
from benches.fleet.agent import WORKS, Agent
from benches.fleet.doomed import in_a_doomed_process
from benches.fleet.ledger import Ledger, Said
from benches.fleet.meter import Meter, metered_checks
from benches.fleet.moves import Move
from benches.fleet.settings import Fleet
from benches.fleet.skew import skewed_clock
from steadyhand.workspace.files.storage import Storage

_MOST_CALLS = 12  # storage calls among which a doomed process dies
_SHARE = 0.2


class FewDooms:
    """Lets some moves be made by processes that die over them, no more than so many: each costs a start of Python."""

    def __init__(self, root: Path, fleet: Fleet) -> None:
        self._root = root
        self._fleet = fleet
        self._left = max(3, fleet.agents // 50)
        self._random = random.Random(f"{fleet.seed}/doom")

    def is_due(self) -> bool:
        return self._left > 0 and self._random.random() < _SHARE

    def carry_out(self, ws: sh.Workspace, move: Move) -> dict[str, Any] | None:
        self._left -= 1
        at = self._random.randint(1, _MOST_CALLS)
        return in_a_doomed_process(self._root, self._fleet.journal, ws, move, at)


def run_here(root: Path, fleet: Fleet, ledger: Ledger, meter: Meter) -> None:
    """Every agent to its end, in this process; crashes happen in processes started for them."""
    doom = FewDooms(root, fleet) if fleet.misbehaves("crash") else None
    with open_workspaces(root, fleet, range(fleet.agents)) as spaces:
        agents = [
            Agent(number, fleet, spaces[fleet.actor_of(number)], ledger, meter, life=0, doom=doom)
            for number in range(fleet.agents)
        ]
        chance = random.Random(f"{fleet.seed}/turns")
        take_turns([(agent, agent.live()) for agent in agents], chance, meter)


@contextlib.contextmanager
def open_workspaces(
    root: Path, fleet: Fleet, agents: Sequence[int], storage: Storage | None = None
) -> Iterator[dict[str, sh.Workspace]]:
    """A workspace for each actor among these agents."""
    with contextlib.ExitStack() as stack:
        yield {
            actor: stack.enter_context(
                sh.Workspace(root, actor=actor, journal=fleet.journal, lock_timeout=60, storage=storage)
            )
            for actor in sorted({fleet.actor_of(agent) for agent in agents})
        }


def take_turns(alive: list[tuple[Agent, Iterator[None]]], chance: random.Random, meter: Meter) -> None:
    """One step of one agent after another until all have come to their end."""
    with skewed_clock() as skew, metered_checks(meter):
        while alive:
            place = chance.randrange(len(alive))
            agent, life = alive[place]
            skew.days = agent.days
            try:
                next(life)
            except StopIteration:
                alive[place] = alive[-1]
                alive.pop()


def where_it_was(said: Sequence[Said], agent: int) -> tuple[int, int]:
    """Task and step with which an agent goes on after its process was ended: nothing is tried under an old token."""
    own = [line for line in said if line["agent"] == agent]
    if not own:
        return 0, 0
    task, step = own[-1]["task"], own[-1]["step"]
    return (task + 1, 0) if own[-1]["what"] == "end" else (task, step + WORKS)
