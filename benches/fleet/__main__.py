"""`python -m benches.fleet`: let simulated agents loose on a tree and ask the oracle whether every promise was kept."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benches.fleet.report import render
from benches.fleet.running import run_fleet
from benches.fleet.settings import MISBEHAVIOUR, Fleet

_HOME = Path(__file__).resolve().parents[2]
_GROWTH = (10, 100, 1_000)
_FILES_PER_AGENT = 0.4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 0 when the oracle has nothing to say."""
    options = _parser().parse_args(arguments)
    chosen = frozenset() if options.misbehave == "none" else frozenset(options.misbehave.split(","))
    fleet = Fleet(
        options.agents, options.files, options.tasks, options.overlap, options.store, options.seed, chosen,
        options.processes, options.kills,
    )  # fmt: skip
    runs = []
    for each in _grown(fleet) if options.grow else [fleet]:
        print(f"… {each.agents} agents, seed {each.seed}", file=sys.stderr, flush=True)
        with _folder(options.folder) as home:
            runs.append(run_fleet(each, home))
    if options.json:
        print(
            json.dumps(
                {"fleet": {**fleet.to_json(), "store": fleet.store_name}, "runs": [run.to_json() for run in runs]}
            )
        )
    else:
        print(render(runs), end="")
    return int(any(run.disagreements for run in runs))


def _grown(fleet: Fleet) -> list[Fleet]:
    """The same fleet ever larger, with files in proportion."""
    return [replace(fleet, agents=agents, files=max(2, round(agents * _FILES_PER_AGENT))) for agents in _GROWTH]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benches.fleet", description=__doc__)
    parser.add_argument("--agents", type=int, default=12)
    parser.add_argument("--files", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=2, help="tasks of each agent, one after the other")
    parser.add_argument("--overlap", type=float, default=0.4, help="how often an agent goes where all go, 0 to 1")
    parser.add_argument("--store", default="sqlite", help="sqlite (default) or postgresql://…")
    parser.add_argument("--seed", type=int, default=1, help="the same seed is the same schedule in one process")
    parser.add_argument(
        "--misbehave", default=",".join(MISBEHAVIOUR), help=f"some of {', '.join(MISBEHAVIOUR)}, or none"
    )
    parser.add_argument("--processes", type=int, default=0, help="worker processes; 0: agents take turns in this one")
    parser.add_argument("--kills", type=int, default=3, help="how often each worker process dies")
    parser.add_argument("--grow", action="store_true", help="10, 100 and 1,000 agents, and how each figure grows")
    parser.add_argument("--folder", type=Path, help="where the tree is made (default: .bench, a real disk)")
    parser.add_argument("--json", action="store_true")
    return parser


@contextlib.contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    home = given or _HOME / ".bench"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix="fleet-") as made:
        yield Path(made)


if __name__ == "__main__":
    raise SystemExit(main())
