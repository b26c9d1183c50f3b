"""A process that commits as fast as it can: `python -m benches.fleet.committing`, its errand on the command line.

It says `ready` when it is, waits for a line, makes its changes, and says how many seconds they took.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import steadyhand as sh
from benches.by_hand import write_file


def main(arguments: list[str]) -> int:
    """Make so many changes of one line of one file, by hand or through a workspace."""
    errand = json.loads(arguments[0])
    root, path, count = Path(errand["root"]), errand["path"], errand["count"]
    row, name = errand["row"], errand["name"]
    if errand["store"] == "by hand":
        _say_ready()
        started = perf_counter()
        for _ in range(count):
            write_file(root / f"{name}.md", (root / path).read_bytes())
        print(perf_counter() - started, flush=True)
        return 0
    journal = None if errand["store"] == "sqlite" else errand["store"]
    with sh.Workspace(root, actor=name, journal=journal, lock_timeout=120) as ws:
        ws.edit(path, [sh.Replace(sh.Lines(row, row), f"{name} is ready\n")])
        _say_ready()
        started = perf_counter()
        for number in range(count):
            ws.edit(path, [sh.Replace(sh.Lines(row, row), f"{name} was here {number}\n")])
        print(perf_counter() - started, flush=True)
    return 0


def _say_ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
