"""Starting workers, hearing what they say, and telling from the journal what must be true."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import steadyhand as sh
from steadyhand.workspace.location import FOLDER
from tests.concurrency.worker import SHARED, START
from tests.faults.trees import temporaries

REPOSITORY = Path(__file__).resolve().parents[2]
FAST = Path("/dev/shm")
LONGEST = 300.0
THREADS = 8


class Worker:
    """A process and everything it has said; what it says goes to a file, so it never waits for us."""

    def __init__(
        self, root: Path, role: str, name: str, count: int, *, journal: str | None = None, machine: str | None = None
    ) -> None:
        given = [role, str(root), name, str(count), *([journal] if journal else [])]
        self._start(root, name, ["tests.concurrency.worker", *given], machine)

    @classmethod
    def of_module(
        cls, root: Path, module: str, name: str, arguments: Sequence[str], *, machine: str | None = None
    ) -> Self:
        """A process of another program: `python -m MODULE ROOT NAME ARGUMENTS…`, as if on a machine of that name."""
        worker = cls.__new__(cls)
        worker._start(root, name, [f"tests.concurrency.{module}", str(root), name, *arguments], machine)
        return worker

    def _start(self, root: Path, name: str, command: Sequence[str], machine: str | None = None) -> None:
        self.name = name
        self.log = root.parent / f"{name}.jsonl"
        self._errors = root.parent / f"{name}.err"
        named = {} if machine is None else {"STEADYHAND_MACHINE": machine}
        with self.log.open("ab") as out, self._errors.open("ab") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=REPOSITORY,
                env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}", **named},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would: no handler, no clean-up."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def join(self) -> None:
        """Wait until it has ended well."""
        code = self._process.wait(LONGEST)
        assert code == 0, f"{self.name} ended with {code}: {self._errors.read_text()[-2000:]}"

    def said(self) -> list[dict[str, Any]]:
        """Every whole line so far."""
        lines = self.log.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def has_said(self, word: str) -> int:
        """How many lines so far hold this word; cheap enough to ask all the time."""
        return self.log.read_bytes().count(word.encode())

    def done(self) -> list[dict[str, Any]]:
        return [facts for facts in self.said() if "done" in facts]


@contextlib.contextmanager
def shared_root(tmp_path: Path) -> Iterator[Path]:
    """A tree on the fastest disk there is: many processes waiting for one medium would measure the medium."""
    fast = FAST if os.access(FAST, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(prefix="steadyhand-test-", dir=fast) as home:
        root = Path(home) / "root"
        root.mkdir()
        for path in SHARED:
            (root / path).write_text(START)
        yield root


@contextlib.contextmanager
def crew(root: Path, role: str, names: list[str], count: int) -> Iterator[list[Worker]]:
    """Several workers of one role, started together; none outlives the block."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Worker(root, role, name, count)) for name in names]


def wait_until(condition: Any, what: str, *, pause: float = 0.0005) -> None:
    """Ask again and again; a condition that never comes true is a failure, not a hang.

    `pause` is longer where asking costs more than a moment: those who are waited for need the processors.
    """
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(pause)


def in_the_middle(root: Path, worker: Worker) -> bool:
    """Whether a transaction of this process is under way, as its note in the state folder tells."""
    for note in (root / FOLDER / "pending").glob("*"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            if json.loads(note.read_bytes())["pid"] == worker.pid:
                return True
    return False


def check_sound(root: Path, journal: str | None = None) -> sh.Workspace:
    """Open the tree and assert that the journal is whole, the files are as it says, and nothing lies about."""
    ws = sh.Workspace(root, actor="witness", journal=journal)
    report = ws.check()
    assert report.ok, report
    assert report.drifted == ()
    assert temporaries(root) == []
    return ws


def digests_in_journal(ws: sh.Workspace, path: str) -> set[str]:
    """Every version of a file that the journal has ever known."""
    changes = [change for entry in ws.history() for change in entry.record.files]
    sides = [side for change in changes for side in (change.before, change.after) if side and side.path == path]
    return {side.digest for side in sides}


def check_chain(ws: sh.Workspace, path: str) -> None:
    """Each record starts from the version the one before it left: nobody wrote over what he had not seen."""
    last: str | None = None
    for entry in reversed(ws.history(path)):
        change = entry.record.file(path)
        assert change is not None
        assert change.before is not None
        assert change.after is not None
        assert last in (None, change.before.digest), f"{entry.record.id} did not start from what was there"
        last = change.after.digest
    assert last in (None, ws.read(path).digest)


def together(work: Callable[[int], None]) -> None:
    """Run `work(n)` in every thread at once; the first failure is the test's failure."""
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        start.wait(300)
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        for ended in [pool.submit(run, number) for number in range(THREADS)]:
            ended.result(timeout=300)
