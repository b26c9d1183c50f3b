"""Trees, repositories and jobs for bulk runs, the command line as a process, and what must be true in the end.

A tree has one file for each of its jobs, with one line that the job changes. A job that was done twice, or half,
leaves another text than one that was done once; the journal must have one record for each.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.bulk.execution import Given
from steadyhand.bulk.job import read_jobs
from steadyhand.bulk.pool import carry_out_run
from steadyhand.bulk.run_store import STEPS, BulkSettings, RunStore
from steadyhand.workspace.run_database import RunDatabase

MARK = "one more\n"


class Ground:
    """A folder with trees and the state of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.jobs: list[dict[str, Any]] = []

    def appending(self, count: int, trees: int) -> None:
        """Jobs that each add a line to a file of its own: done twice, it would have two."""
        for number in range(len(self.jobs), len(self.jobs) + count):
            tree = self.folder / f"tree-{number % trees}"
            tree.mkdir(exist_ok=True)
            (tree / f"{number}.md").write_text(f"file {number}\ncount: \nend\n")
            insert = {"target": {"lines": [2, 2]}, "insert": MARK, "where": "after"}
            plan = {"files": [{"path": f"{number}.md", "edits": [insert]}]}
            self.jobs.append({"key": f"job-{number}", "root": str(tree), "plan": plan, "reason": "to count"})

    def write_jobs(self) -> str:
        place = self.folder / "jobs.jsonl"
        place.write_text("".join(json.dumps(job) + "\n" for job in self.jobs))
        return str(place)

    def store(self) -> RunStore:
        return RunStore(RunDatabase(self.state / "runs.db", STEPS))

    def given(self, run: str) -> Given:
        return Given(run=run, folder=str(self.state))

    def carry_out(self, *, settings: BulkSettings | None = None, processes: int = 2) -> tuple[RunStore, str]:
        """A run of all jobs by a pool of this process."""
        store = self.store()
        run = store.make_run(settings or BulkSettings(seconds=60, tries=1))
        store.add(run, list(read_jobs([json.dumps(job).encode() for job in self.jobs])))
        store.open_run(run)
        carry_out_run(store, run, processes, self.given(run))
        return store, run

    def check_effects(self, done: Sequence[str], task: str) -> None:
        """The oracle: what is done is done once, what is not done left no trace."""
        for job in self.jobs:
            if "plan" not in job or not job["key"].startswith("job-") or "root" not in job:
                continue
            number = job["key"].removeprefix("job-")
            text = (Path(job["root"]) / f"{number}.md").read_text()
            after = f"file {number}\ncount: \n{MARK}end\n"
            before = f"file {number}\ncount: \nend\n"
            assert text == (after if job["key"] in done else before), job["key"]
        for root in {job["root"] for job in self.jobs if "root" in job and Path(job["root"]).is_dir()}:
            with sh.Workspace(root) as workspace:
                assert workspace.check().ok
                tasks = [entry.record.task for entry in workspace.history() if str(entry.record.task).startswith(task)]
                assert len(tasks) == len(set(tasks)), f"a job has two records in {root}"


def git(place: Path, *words: str) -> str:
    """What git answers, without anybody's settings."""
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(place), *who, *words], check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout


def repository(place: Path, files: dict[str, str]) -> Path:
    """A repository with one commit."""
    place.mkdir(parents=True)
    git(place, "init", "-q")
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "begin")
    return place


FULL_DISK = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")


def command(
    *words: str, state: Path, env: dict[str, str] | None = None, prefix: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """A command of bulk runs as a process of its own group; with `FULL_DISK` before it, one that can write nothing."""
    given = {**os.environ, "STEADYHAND_BULK": str(state), **(env or {})}
    return subprocess.Popen(
        [*prefix, sys.executable, "-m", "steadyhand", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=given,
        start_new_session=True,
    )


def answer(*words: str, state: Path, code: int | None = 0, env: dict[str, str] | None = None) -> dict[str, Any]:
    """The document of a command."""
    process = command(*words, "--json", state=state, env=env)
    out, err = process.communicate(timeout=900)
    assert code is None or process.returncode == code, out + err
    document = json.loads(out)
    assert isinstance(document, dict)
    return document


def kill_group(process: subprocess.Popen[str]) -> None:
    """End a process with all that it started, as a machine that fails would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def children(pid: int) -> list[int]:
    """The processes that carry jobs out for a process."""
    asked = ["ps", "-o", "pid=,args=", "--ppid", str(pid)]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
    return [int(row.split()[0]) for row in found if "spawn_main" in row]


@contextmanager
def wicked_git(folder: Path) -> Iterator[dict[str, str]]:
    """A PATH whose git kills whoever asks it to clone `venom`, and never answers about `forever`."""
    folder.mkdir()
    script = folder / "git"
    real = next(place for part in os.get_exec_path() if (place := Path(part) / "git").exists())
    script.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        "  *clone*/venom*) kill -9 $PPID; exit 1;;\n"
        "  *clone*/forever*) exec sleep 100000;;\n"
        "esac\n"
        f'exec {real} "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    yield {"PATH": f"{folder}:{os.environ['PATH']}"}
