"""Other processes: how to start Python so that it finds this Steadyhand, and how much memory one took at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import steadyhand

_PACKAGE_HOME = str(Path(steadyhand.__file__).resolve().parent.parent)
_HOME = str(Path(__file__).resolve().parent.parent)

# A process is charged with the memory of whoever started it until it is its own: so a small one starts it.
_LAUNCHER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss]))
"""
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def environment() -> dict[str, str]:
    """This environment, with the package on the path and without what would make start-up differ."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STEADYHAND"))}
    return {**kept, "PYTHONPATH": _PACKAGE_HOME}


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def run(command: Sequence[str], *, cwd: Path | None = None) -> None:
    """Run to the end; an exit code other than 0 is an error of the bench."""
    subprocess.run(command, check=True, env=environment(), cwd=cwd, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def answer(command: Sequence[str], *, limit: float) -> str | None:
    """What a module of the benches prints; None where it is not done within the limit and was ended."""
    homes = {"PYTHONPATH": os.pathsep.join((_PACKAGE_HOME, _HOME))}
    try:
        done = subprocess.run(
            command, check=True, env={**environment(), **homes}, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout


def peak_memory(command: Sequence[str], *, cwd: Path | None = None) -> int:
    """The most bytes that were resident at once while the command ran."""
    launched = subprocess.run(
        python("-S", "-c", _LAUNCHER, *command), check=True, env=environment(), cwd=cwd, capture_output=True, text=True
    )
    code, peak = json.loads(launched.stdout)
    if code:
        raise RuntimeError(f"exit code {code}: {launched.stderr.strip()[-500:]}")
    return int(peak) * _RSS_UNIT
