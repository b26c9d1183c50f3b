"""Children that may die in the middle of their work, forked from a small process.

A fork copies the page tables of the whole process, and a worker of the test run has some hundred megabytes: it would
cost forty times what it costs here. The server imports a module when it is first asked for a function of it.

    exit_code_of(act, root=str(root), at=3)     # 0, or what the child gave `os._exit`, or 1 with a traceback
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def exit_code_of(function: Callable[..., object], **given: str | int | bool | None) -> int:
    """Call a function of a module in a child of the server; how the child ended."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps([function.__module__, function.__qualname__, given]) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, f"the fork server ended with {server.wait()}"
    return int(answer)


@functools.cache
def _server() -> subprocess.Popen[str]:
    path = f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.fork_server"],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    server.communicate()


def _warm_up() -> None:
    """Load what an edit, a transaction and an undo load, so that each child need not."""
    import steadyhand as sh

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.md").write_text("one\n")
        with sh.Workspace(folder) as ws:
            ws.edit("a.md", [sh.Replace("one", "two")])
            with ws.transaction() as batch:
                batch.create("b.md", "new\n")
                batch.rename("a.md", "c.md")
            ws.undo(last=True)


def _serve() -> None:
    _warm_up()
    for line in sys.stdin:
        module, name, given = json.loads(line)
        function = getattr(importlib.import_module(module), name)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                function(**given)
                code = 0
            except BaseException:  # noqa: BLE001 - whatever it is, it must not run the loop of the server
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
