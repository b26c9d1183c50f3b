"""Three tasks, one file: threads of one process, processes of one machine, machines that share a journal."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from tests.concurrency.story import FILE, NAMES, act, check, prepare

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    home = tmp_path / "tree"
    prepare(home)
    return home


def test_three_tasks_of_one_process(root: Path) -> None:
    together = threading.Barrier(len(NAMES))

    def run(ws: sh.Workspace, name: str) -> dict[str, object]:
        with ws.task(name) as task:
            return act(task, name, lambda: together.wait(300))

    with sh.Workspace(root, actor="planner", lock_timeout=300) as ws, ThreadPoolExecutor(len(NAMES)) as pool:
        answer = [ended.result(300) for ended in [pool.submit(run, ws, name) for name in NAMES]]
    check(root, answer)


@pytest.mark.sweep  # with a database below, in every run
def test_three_processes(root: Path) -> None:
    check(root, _processes(root))


def test_three_clients_of_one_database(root: Path, postgres_url: str) -> None:
    answer = _processes(root, postgres_url, machines=True)
    check(root, answer, postgres_url)
    assert not list((root / ".steadyhand").glob("*.sqlite")), "the journal is in the database"


def _processes(root: Path, journal: str | None = None, *, machines: bool = False) -> list[dict[str, object]]:
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(_started(root, name, journal, machines=machines)) for name in NAMES]
        answer = []
        for process in running:
            out, err = process.communicate(timeout=300)
            assert process.returncode == 0, err.decode()[-2000:]
            answer.append(json.loads(out))
        return answer


@contextlib.contextmanager
def _started(root: Path, name: str, journal: str | None, *, machines: bool) -> Iterator[subprocess.Popen[bytes]]:
    """A task in a process; as if on a machine of its own, whose lock files nobody else sees."""
    environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}"}
    if machines:
        environment["STEADYHAND_MACHINE"] = f"machine of {name}"
    command = [sys.executable, "-m", "tests.concurrency.story", str(root), name, *([journal] if journal else [])]
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


TEN = "".join(f"line {number} of thirty\n" for number in range(1, 31))


def _interleaved(ws: sh.Workspace) -> dict[str, str]:
    """Ten tasks, three edits each, taking turns on one file; what the file would be without each of them."""
    for turn in range(3):
        for task in range(10):
            with ws.task(f"T{task}") as bound:
                bound.edit("a.txt", [sh.Replace(sh.Lines(turn * 10 + task + 1), f"task {task}, turn {turn}\n")])
    present = host_of(ws).source("a.txt").text
    originals = TEN.splitlines(keepends=True)
    without = {}
    for task in range(10):
        rows = present.splitlines(keepends=True)
        for turn in range(3):
            rows[turn * 10 + task] = originals[turn * 10 + task]
        without[f"T{task}"] = "".join(rows)
    return without


def test_undoing_one_of_ten_interleaved_tasks_restores_exactly_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="host") as ws:
        without = _interleaved(ws)
        before = host_of(ws).source("a.txt").text
        for task, expected in without.items():
            ws.undo(task=task)
            assert host_of(ws).source("a.txt").text == expected
            ws.redo()
            assert host_of(ws).source("a.txt").text == before


def test_undoing_a_task_that_others_built_on_names_the_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="host") as ws:
        _interleaved(ws)
        with ws.task("late") as late:
            late.read("a.txt")
            late.edit("a.txt", [sh.Replace("task 4, turn 1", "late")])
        before = host_of(ws).source("a.txt").text
        with pytest.raises(EditError) as caught:
            ws.undo(task="T4")
        assert (caught.value.kind, caught.value.details["lines"]) == (Kind.CANNOT_UNDO, [15])
        assert host_of(ws).source("a.txt").text == before
        ws.undo(task="late")
        assert ws.undo(task="T4").ok


def test_the_story_file_is_as_long_as_it_was_that_day(root: Path) -> None:
    assert len((root / FILE).read_text().splitlines()) == 361
