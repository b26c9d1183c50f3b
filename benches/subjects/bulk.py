"""Bulk runs: jobs in a second by 1 to 8 processes, what a job costs besides its edit, memory of the front end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.table import Row, Table
from steadyhand.bulk.execution import Given
from steadyhand.bulk.job import read_jobs
from steadyhand.bulk.pool import carry_out_run
from steadyhand.bulk.run_store import STEPS, RunSettings, RunStore
from steadyhand.workspace.run_database import RunDatabase

_TREES = 16
_ADD = """
import json, resource, sys
from pathlib import Path
from steadyhand.bulk.job import batches, read_jobs
from steadyhand.bulk.run_store import STEPS, RunSettings, RunStore
from steadyhand.workspace.run_database import RunDatabase
edit = {"target": "two", "new": "2"}
job = {"root": "/srv/tree", "plan": {"files": [{"path": "a.md", "edits": [edit]}]}}
lines = (json.dumps({"key": f"job-{number}", **job}).encode() for number in range(int(sys.argv[2])))
store = RunStore(RunDatabase(Path(sys.argv[1]), STEPS))
run = store.make_run(RunSettings())
for batch in batches(read_jobs(lines)):
    store.add(run, batch)
store.open_run(run)
assert store.status(run).total == int(sys.argv[2])
assert sum(1 for _ in store.jobs(run)) == int(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def run(setting: Setting) -> Iterator[Table]:
    is_tiny = setting.scale.name == "tiny"
    jobs, processes = (16, (1, 2)) if is_tiny else (800, (1, 2, 4, 8))
    yield _throughput(setting, jobs, processes)
    yield _memory(setting, (1_000, 2_000) if is_tiny else (1_000, 100_000, 1_000_000))


def _throughput(setting: Setting, count: int, processes: tuple[int, ...]) -> Table:
    setting.tell("jobs in a loop")
    lines = _ground(setting.folder / "loop", count)
    begun = time.perf_counter()
    for line in lines:
        job = json.loads(line)
        with sh.Workspace(job["root"], actor="bench", task=job["key"]) as workspace:
            workspace.apply(job["plan"], reason="bench")
    floor = (time.perf_counter() - begun) / count
    rows = []
    for number in processes:
        setting.tell(f"jobs by {number} processes")
        folder = setting.folder / f"by-{number}"
        jobs = list(read_jobs(line.encode() for line in _ground(folder, count)))
        store = RunStore(RunDatabase(folder / "runs.db", STEPS))
        run = store.make_run(RunSettings(actor="bench"))
        store.add(run, jobs)
        store.open_run(run)
        begun = time.perf_counter()
        carry_out_run(store, run, number, Given(run=run, folder=str(folder)))
        taken = time.perf_counter() - begun
        status = store.status(run)
        assert status.counts["done"] == count
        assert status.begun is not None
        assert status.ended is not None
        each = (status.ended - status.begun) / 1000 / count
        remark = f"{1 / each:,.0f} jobs/s; {taken - each * count:.1f} s to start and end the processes"
        rows.append(Row(f"{number} processes: wall time by jobs", each, floor, each / floor, runs=1, remark=remark))
        store.database.close()
    return Table(
        f"{count:,} jobs in {_TREES} trees, each a plan for one file",
        "the same plans in a loop: a workspace that is opened, an apply, a close",
        rows,
        "from the first job that begins to the last that ends",
    )


def _ground(folder: Path, count: int) -> list[str]:
    lines = []
    for number in range(count):
        tree = folder / f"tree-{number % _TREES}"
        tree.mkdir(parents=True, exist_ok=True)
        (tree / f"{number}.md").write_text("one\ntwo\n")
        plan = {"files": [{"path": f"{number}.md", "edits": [{"target": "two", "new": "2"}]}]}
        lines.append(json.dumps({"key": f"job-{number}", "root": str(tree), "plan": plan}))
    return lines


def _memory(setting: Setting, counts: tuple[int, ...]) -> Table:
    found: list[float] = []
    for count in counts:
        setting.tell(f"{count:,} jobs are added and listed")
        place = setting.folder / f"{count}.db"
        words = [sys.executable, "-c", _ADD, str(place), str(count)]
        found.append(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    rows = [
        Row(f"{count:,} jobs", peak, found[0], peak / found[0], runs=1, unit="B")
        for count, peak in zip(counts, found, strict=True)
    ]
    return Table("The most memory that a process has while it adds jobs and lists them", f"{counts[0]:,} jobs", rows)


BENCH = Bench("bulk", 85, run)
