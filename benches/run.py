"""`python -m benches.run`: measure every subject and print its tables; progress goes to standard error."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import steadyhand as sh
from benches.bench import SCALES, Setting, benches
from benches.figures import record
from benches.floors import check_floors, read_floors, remeasured
from benches.table import Table

_HOME = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the subjects asked for; 0 when every one of them came to its end."""
    options = _parser().parse_args(arguments)
    chosen = {bench.name: bench for bench in benches() if not options.only or bench.name in options.only}
    before = _load()
    with _folder(options.folder and options.folder.absolute()) as folder:

        def measure(name: str) -> list[Table]:
            setting = Setting(
                SCALES[options.scale], Path(tempfile.mkdtemp(dir=folder, prefix=f"{name}-")), not options.no_peers
            )
            setting.tell(f"{name} (load {_load()})")
            tables = []
            for table in chosen[name].run(setting):
                tables.append(table)
                if not options.json:
                    print(table.render(), flush=True)
            return tables

        by_subject = {name: measure(name) for name in chosen}
        machine = {**_machine(), "load_before": before, "load_after": _load()}
        if options.json:
            tables = [table.to_json() for some in by_subject.values() for table in some]
            print(json.dumps({"machine": machine, "tables": tables}, indent=1))
        else:
            print(_in_words(machine))
        if options.record:
            record(by_subject, version=sh.__version__, date=f"{datetime.now(UTC):%Y-%m-%d}", machine=_in_words(machine))
        if not options.check:
            return 0
        check = partial(check_floors, read_floors(), with_peers=not options.no_peers, is_full=options.scale == "full")
        broken = list(remeasured(check, by_subject, measure))
    for what in broken:
        print(f"broken: {what}", file=sys.stderr)
    if not broken:
        print("every floor holds", file=sys.stderr)
    return int(bool(broken))


def _in_words(machine: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in machine.items())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benches.run", description=__doc__)
    names = [bench.name for bench in benches()]
    parser.add_argument("--only", nargs="+", metavar="SUBJECT", choices=names, help=f"some of: {', '.join(names)}")
    parser.add_argument(
        "--scale",
        choices=sorted(SCALES),
        default="full",
        help="tiny: only whether everything runs; slice: two minutes for --check",
    )
    parser.add_argument("--no-peers", action="store_true", help="install and measure nothing but Steadyhand")
    parser.add_argument("--folder", type=Path, help="where files are written; should be a real disk (default: .bench)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a floor of floors.json is broken")
    parser.add_argument("--record", action="store_true", help="write figures.json, which README and docs quote")
    return parser


@contextlib.contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """A new folder beneath the repository: the system's folder for temporary files often is no disk at all."""
    home = given or _HOME / ".bench"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix="run-") as made:
        yield Path(made)


def _machine() -> dict[str, object]:
    return {
        "system": platform.system(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def _load() -> float | None:
    """Processes that wanted to run in the last minute; None where the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


if __name__ == "__main__":
    raise SystemExit(main())
