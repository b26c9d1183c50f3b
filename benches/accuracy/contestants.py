"""Who takes part: Steadyhand, the floor, and every peer that takes cases; and how each is put to all the cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from queue import SimpleQueue

import steadyhand
from benches.accuracy.cases import Case
from benches.accuracy.score import USUAL, Verdict, judge
from benches.accuracy.ways import LEFT_OUT, WAYS, Way
from benches.accuracy.worker import Worker
from benches.peers import PEERS, Peer, interpreter_of

_HOME = Path(__file__).resolve().parent.parent.parent
_PACKAGE_HOME = Path(steadyhand.__file__).resolve().parent.parent
OURS = "steadyhand"
FLOOR = "strfind"
_PROGRAMS = (("git apply", "git_apply"), ("GNU patch", "gnu_patch"))


@dataclass(frozen=True, slots=True)
class Contestant:
    """A name for tables, the module in `adapters/`, and the package it comes from; None: this interpreter runs it.

    `way` is another way than the usual one to ask Steadyhand.
    """

    name: str
    module: str
    peer: Peer | None = None
    way: Way | None = None

    def command(self) -> list[str]:
        """How its process is started. Raises `Unavailable` for a peer that cannot be had."""
        python = sys.executable if self.peer is None else str(interpreter_of(self.peer))
        ask = [] if self.way is None else [self.way.name]
        return [python, "-m", f"benches.accuracy.adapters.{self.module}", *ask]

    def environment(self) -> dict[str, str]:
        """A peer sees this repository's benches and never Steadyhand."""
        homes = [_HOME] if self.peer is not None else [_HOME, _PACKAGE_HOME]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STEADYHAND"))}
        return {**kept, "PYTHONPATH": os.pathsep.join(map(str, homes)), "PYTHONUTF8": "1"}


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant's verdicts in the order of the cases, and the cases of kinds it does not take."""

    name: str
    version: str
    verdicts: tuple[Verdict, ...]
    not_asked: tuple[Case, ...] = ()


def contestants(*, with_peers: bool) -> tuple[Contestant, ...]:
    """Steadyhand first, the floor last; between them packages, and programs that a system has or has not."""
    peers = [Contestant(peer.package, peer.module, peer) for peer in PEERS if "accuracy" in peer.topics]
    peers += [Contestant(name, module) for name, module in _PROGRAMS]
    return (Contestant(OURS, "steadyhand"), *(peers if with_peers else ()), Contestant(FLOOR, "strfind"))


def ways_to_ask(names: Sequence[str] = ()) -> tuple[Contestant, ...]:
    """Steadyhand under every other policy and through its tools; `names` are patterns of some of those ways."""
    return _asked(way for way in WAYS if not names or any(fnmatchcase(way.name, name) for name in names))


def ways_without(names: Sequence[str] = ()) -> tuple[Contestant, ...]:
    """Steadyhand without one rule, for each of them; `names` are patterns of some of the rules."""
    return _asked(way for way in LEFT_OUT if not names or any(fnmatchcase(way.without, name) for name in names))


def _asked(ways: Iterable[Way]) -> tuple[Contestant, ...]:
    return tuple(Contestant(way.name, "tools" if way.tool else "steadyhand", way=way) for way in ways)


def run_cases(
    contestant: Contestant,
    cases: Sequence[Case],
    *,
    folder: Path,
    jobs: int,
    limit: float,
    tell: Callable[[int, int], None],
) -> Standing:
    """Every case of a kind the contestant takes, by `jobs` processes. Raises `Unavailable`."""
    command, environment = contestant.command(), contestant.environment()
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(command, environment, limit, folder)) for _ in range(max(1, jobs))]
        greeting = workers[0].greet()
        way, rules = contestant.way, USUAL if contestant.way is None else contestant.way.rules
        taken = [case for case in cases if case.kind in greeting.kinds and (way is None or way.takes(case))]
        free: SimpleQueue[Worker] = SimpleQueue()
        for worker in workers:
            free.put(worker)

        def judged(case: Case) -> Verdict:
            worker = free.get()
            try:
                return judge(case, worker.ask(case.question), rules)
            finally:
                free.put(worker)

        with ThreadPoolExecutor(len(workers)) as pool:
            verdicts = []
            for verdict in pool.map(judged, taken):
                verdicts.append(verdict)
                tell(len(verdicts), len(taken))
    asked = {id(case) for case in taken}
    rest = tuple(case for case in cases if id(case) not in asked)
    return Standing(contestant.name, greeting.name, tuple(verdicts), rest)
