"""How long a commit takes when several processes commit at once: on files of their own, or all on one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import steadyhand as sh
from benches.child import environment, python

_HOMES = (Path(sh.__file__).resolve().parents[1], Path(__file__).resolve().parents[2])
_LINES = 60


def seconds_per_commit(root: Path, store: str, *, processes: int, commits: int, is_shared: bool) -> float:
    """Wall time of the whole crew by commits; `store` is `by hand`, `sqlite` or a URL. The tree is made in `root`."""
    root.mkdir()
    paths = ["shared.md"] * processes if is_shared else [f"file-{number}.md" for number in range(processes)]
    for path in set(paths):
        (root / path).write_text("".join(f"line {line} of a file\n" for line in range(_LINES)), encoding="utf-8")
    with contextlib.ExitStack() as stack:
        crew = [stack.enter_context(_process(root, store, path, number, commits)) for number, path in enumerate(paths)]
        for process in crew:
            _heard(process)
        started = perf_counter()
        for process in crew:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in crew:
            _heard(process)
        return (perf_counter() - started) / (commits * processes)


@contextlib.contextmanager
def _process(root: Path, store: str, path: str, number: int, commits: int) -> Iterator[subprocess.Popen[str]]:
    """One of the crew; each has a line of its own, so that all of them may land."""
    errand = {
        "root": str(root), "store": store, "path": path, "name": f"p{number}", "row": 5 * number + 2, "count": commits,
    }  # fmt: skip
    process = subprocess.Popen(
        python("-m", "benches.fleet.committing", json.dumps(errand)), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**environment(), "PYTHONPATH": os.pathsep.join(map(str, _HOMES))},
    )  # fmt: skip
    try:
        with process:
            yield process
    finally:
        process.kill()
        process.wait()


def _heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"a process of the crew ended with {process.wait()}")
    return line
