"""Bulk runs: jobs in a second by 1 to 8 processes or workers of a queue, what a job costs besides its edit, and the
memory of the front end.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.postgres import durable_server
from benches.table import Row, Table
from steadyhand.bulk.execution import Given
from steadyhand.bulk.fleet import Fleet
from steadyhand.bulk.job import read_jobs
from steadyhand.bulk.pool import carry_out_run
from steadyhand.bulk.run_store import STEPS, BulkSettings, RunStore
from steadyhand.workspace.run_database import RunDatabase

_TREES = 16
_ADD = """
import json, resource, sys
from pathlib import Path
from steadyhand.bulk.job import batches, read_jobs
from steadyhand.bulk.run_store import STEPS, BulkSettings, RunStore
from steadyhand.workspace.run_database import RunDatabase
edit = {"target": "two", "new": "2"}
job = {"root": "/srv/tree", "plan": {"files": [{"path": "a.md", "edits": [edit]}]}}
lines = (json.dumps({"key": f"job-{number}", **job}).encode() for number in range(int(sys.argv[2])))
if "://" in sys.argv[1]:
    from steadyhand.bulk.fleet import Fleet
    fleet = Fleet(sys.argv[1])
    store, ticketing = fleet.store, fleet.ticketing
else:
    store, ticketing = RunStore(RunDatabase(Path(sys.argv[1]), STEPS)), None
run = store.make_run(BulkSettings())
for batch in batches(read_jobs(lines)):
    store.add(run, batch, ticketing)
store.open_run(run)
assert store.status(run).total == int(sys.argv[2])
assert sum(1 for _ in store.jobs(run)) == int(sys.argv[2])
try:  # what `getrusage` says has the memory of the process that started this one
    rows = Path("/proc/self/status").read_text().splitlines()
    print(next(int(row.split()[1]) for row in rows if row.startswith("VmHWM:")) * 1024)
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def run(setting: Setting) -> Iterator[Table]:
    is_tiny = setting.scale.name == "tiny"
    jobs, processes = (16, (1, 2)) if is_tiny else (800, (1, 2, 4, 8))
    floor = _loop(setting, jobs)
    yield _throughput(setting, jobs, processes, floor)
    counts = (1_000, 2_000) if is_tiny else (1_000, 100_000, 1_000_000)
    yield _memory(setting, [(count, str(setting.folder / f"{count}.db")) for count in counts], "this machine's runs")
    with durable_server() as url:
        if url is not None:
            yield _queue(setting, jobs, processes, floor, url)
            places = [(count, f"{url}&queue=m{count}") for count in counts]
            yield _memory(setting, places, "a queue in PostgreSQL")


def _loop(setting: Setting, count: int) -> float:
    """Seconds for a job by the library alone."""
    setting.tell("jobs in a loop")
    lines = _ground(setting.folder / "loop", count)
    begun = time.perf_counter()
    for line in lines:
        job = json.loads(line)
        with sh.Workspace(job["root"], actor="bench", task=job["key"]) as workspace:
            workspace.apply(job["plan"], reason="bench")
    return (time.perf_counter() - begun) / count


def _throughput(setting: Setting, count: int, processes: tuple[int, ...], floor: float) -> Table:
    rows = []
    for number in processes:
        setting.tell(f"jobs by {number} processes")
        folder = setting.folder / f"by-{number}"
        jobs = list(read_jobs(line.encode() for line in _ground(folder, count)))
        store = RunStore(RunDatabase(folder / "runs.db", STEPS))
        run = store.make_run(BulkSettings(actor="bench"))
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


def _queue(setting: Setting, count: int, workers: tuple[int, ...], floor: float, url: str) -> Table:
    rows = []
    for number in workers:
        setting.tell(f"jobs by {number} workers of a queue")
        folder = setting.folder / f"queue-{number}"
        place = f"{url}&queue=t{number}"
        fleet = Fleet(place)
        run = fleet.store.make_run(BulkSettings(actor="bench"))
        fleet.store.add(run, list(read_jobs(line.encode() for line in _ground(folder, count))), fleet.ticketing)
        words = ["worker", "--queue", place, "--jobs", "1", "--until-idle", "--state", str(folder)]
        fleet.store.open_run(run)
        crew = [subprocess.Popen([sys.executable, "-m", "steadyhand", *words], stderr=DEVNULL) for _ in range(number)]
        codes = [worker.wait() for worker in crew]
        status = fleet.store.status(run)
        assert (status.counts["done"], set(codes)) == (count, {0})
        assert status.begun is not None
        assert status.ended is not None
        each = (status.ended - status.begun) / 1000 / count
        rows.append(
            Row(
                f"{number} workers: wall time by jobs",
                each,
                floor,
                each / floor,
                runs=1,
                remark=f"{1 / each:,.0f} jobs/s",
            )
        )
        fleet.close()
    return Table(
        f"{count:,} jobs in {_TREES} trees by workers of a queue in PostgreSQL",
        "the same plans in a loop: a workspace that is opened, an apply, a close",
        rows,
        "from the first job that begins to the last that ends; the server is set to lose nothing",
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


def _memory(setting: Setting, places: list[tuple[int, str]], what: str) -> Table:
    found: list[float] = []
    for count, place in places:
        setting.tell(f"{count:,} jobs are added to {what} and listed")
        words = [sys.executable, "-c", _ADD, place, str(count)]
        found.append(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    rows = [
        Row(f"{count:,} jobs", peak, found[0], peak / found[0], runs=1, unit="B")
        for (count, _), peak in zip(places, found, strict=True)
    ]
    title = f"The most memory that a process has while it adds jobs to {what} and lists them"
    return Table(title, f"{places[0][0]:,} jobs", rows)


BENCH = Bench("bulk", 85, run)
