"""A `steadyhand` whose modules are loaded: the pages run it some hundred times, and most of that time is loading.

A server has the modules; the command hands it its streams, its folder, its environment and its words, and a fork of the
server runs them. What a start from nothing does, tests/surfaces/test_process.py and tests/test_startup.py look at.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_LONGEST = 1 << 18
_CLIENT = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
    door.connect(sys.argv[1])
    said = json.dumps([os.getcwd(), dict(os.environ), sys.argv[2:]]).encode()
    socket.send_fds(door, [said], [0, 1, 2])
    os._exit(int(door.recv(16) or 1))
"""


@contextmanager
def warm_command(folder: Path) -> Iterator[str]:
    """The text of a program that is `steadyhand`, for the length of the block."""
    door, client = folder / "door", folder / "client.py"
    client.write_text(_CLIENT, encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.warm_command", str(door)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"},
        stdout=subprocess.PIPE,
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield f'#!/bin/sh\nexec "{sys.executable}" -I -S "{client}" "{door}" "$@"\n'
    finally:
        server.kill()
        server.communicate()


def _load() -> None:
    """Every command's module, and what an edit, its undo and a look at them load."""
    from click.testing import CliRunner

    from steadyhand.surfaces.cli import commands
    from steadyhand.surfaces.cli.main import cli

    for found in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        importlib.import_module(found.name)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"a.md": "# One\n\none\n", "a.py": "one = 1\n", "a.toml": "one = 1\n"}.items():
            file = Path(folder, name)
            file.write_text(text, encoding="utf-8")
            for words in (["outline", str(file)], ["edit", str(file), "--old", "one", "--new", "two", "--first"]):
                CliRunner().invoke(cli, ["--root", folder, *words])
        for words in (["log"], ["why", f"{folder}/a.md:3"], ["undo", "--last"], ["--json", "log"]):
            CliRunner().invoke(cli, ["--root", folder, *words])


def _serve(path: str) -> None:
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who answer
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(path)
        listening.listen(64)
        os.write(1, b"ready\n")
        while True:
            door, _ = listening.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _answer(door)
            door.close()


def _answer(door: socket.socket) -> None:
    said, streams, *_ = socket.recv_fds(door, _LONGEST, 3)
    child = os.fork()
    if child == 0:
        door.close()
        _run(streams, *json.loads(said))
    _, status = os.waitpid(child, 0)
    door.send(str(os.waitstatus_to_exitcode(status) & 0xFF).encode())
    os._exit(0)


def _run(streams: list[int], folder: str, environment: dict[str, str], words: list[str]) -> None:
    """What a new Python would do before the first line of the program."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = ["steadyhand", *words]
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)
    code = 1
    try:
        from steadyhand.surfaces.cli.main import cli

        cli.main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
