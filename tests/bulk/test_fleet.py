"""Promise: on a queue in PostgreSQL a job takes the same way as in a pool; lost workers, pauses and cancels included.

The full promise, with workers killed at random and servers restarted, is in `test_under_fire.py`.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from subprocess import Popen

import pytest

from steadyhand.bulk.fleet import Fleet
from steadyhand.bulk.job import read_jobs
from steadyhand.bulk.run_store import BulkSettings
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.run_database import split_url
from tests.bulk.ground import FULL_DISK, Ground, answer, children, command, kill_group, repository
from tests.concurrency.crew import wait_until
from tests.postgres.server import Server

Worker = Callable[..., Popen[str]]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.fixture
def queue(postgres_server: Server) -> str:
    """A queue that nobody had before."""
    return f"{postgres_server.url}&queue=q{os.urandom(5).hex()}"


@pytest.fixture
def fleet(queue: str) -> Iterator[Fleet]:
    found = Fleet(queue)
    yield found
    found.close()


@pytest.fixture
def worker(queue: str, ground: Ground) -> Iterator[Worker]:
    """Starts workers, which are ended with the test."""
    with ExitStack() as stack:

        def start(*words: str, prefix: tuple[str, ...] = ()) -> Popen[str]:
            given = ("worker", "--queue", queue, "--lost-after", "3", *words)
            process = command(*given, state=ground.state, prefix=prefix)
            stack.callback(lambda: process.poll() is None and kill_group(process))
            return process

        yield start


def enqueue(fleet: Fleet, ground: Ground, settings: BulkSettings | None = None) -> str:
    run = fleet.store.make_run(settings or BulkSettings(seconds=60, tries=1))
    fleet.store.add(run, list(read_jobs(json.dumps(job).encode() for job in ground.jobs)), fleet.ticketing)
    fleet.store.open_run(run)
    return run


def test_lost_workers_lose_no_job_and_a_pause_keeps_the_queue(ground: Ground, fleet: Fleet, worker: Worker) -> None:
    ground.appending(40, 5)
    run = enqueue(fleet, ground)
    first = worker("--jobs", "2")
    done = lambda: fleet.store.status(run).counts["done"]  # noqa: E731
    wait_until(lambda: done() > 4, "some jobs are done", pause=0.05)
    kill_group(first)
    fleet.store.pause(run)
    second = worker("--jobs", "2", "--until-idle")
    out, err = second.communicate(timeout=600)  # nothing is open
    assert second.returncode == 0, out + err
    at_pause = done()
    assert at_pause < 40
    fleet.resume(run)
    third = worker("--jobs", "2")
    wait_until(lambda: done() > at_pause, "it goes on", pause=0.05)
    for pid in children(third.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: fleet.store.status(run).left == 0, "the run is over", pause=0.05)
    third.terminate()
    out, err = third.communicate(timeout=600)
    assert third.returncode == 0, out + err
    assert fleet.store.status(run).counts["done"] == 40
    ground.check_effects([job["key"] for job in ground.jobs], "bulk-")
    left = fleet.store.database.read(lambda own: own.execute("SELECT count(*) FROM procrastinate_jobs").fetchone()[0])
    assert left == 0, "no ticket is left over"


def test_priorities_cancel_and_tickets_that_are_gone(ground: Ground, fleet: Fleet, worker: Worker) -> None:
    ground.appending(12, 3)
    other = Ground(ground.folder / "other")
    other.folder.mkdir()
    other.appending(4, 2)
    low, late = enqueue(fleet, ground), enqueue(fleet, other)
    high = enqueue(fleet, ground, BulkSettings(priority=7, tries=1))
    fleet.store.database.write(lambda own: own.execute("DELETE FROM procrastinate_jobs WHERE id % 2 = 0"))
    fleet.cancel(low)
    assert fleet.store.status(low).counts["cancelled"] == 12
    for run in (high, late):
        fleet.resume(run)  # gives a new ticket to whom lost it
    wait = worker("--jobs", "1", "--until-idle")  # of two, one may find that only trees at work are left
    out, err = wait.communicate(timeout=600)
    assert wait.returncode == 0, out + err
    assert fleet.store.status(high).counts["done"] == 12
    ground.check_effects([job["key"] for job in ground.jobs], f"bulk-{high}")
    other.check_effects([job["key"] for job in other.jobs], f"bulk-{late}")
    query = "SELECT run, min(begun), max(begun) FROM bulk_jobs GROUP BY run"
    spans = {run: span for run, *span in fleet.store.database.read(lambda own: own.execute(query).fetchall())}
    assert spans[high][1] <= spans[late][0], "what is more urgent begins first, though it came last"


def test_a_file_without_jobs_and_a_dry_run_leave_no_ticket(ground: Ground, fleet: Fleet, queue: str) -> None:
    assert answer("bulk", "run", ground.write_jobs(), "--queue", queue, state=ground.state)["jobs"] == []
    ground.appending(4, 2)
    words = ("bulk", "run", ground.write_jobs(), "--queue", queue, "--dry-run", "--sample", "1")
    assert answer(*words, state=ground.state)["counts"]["cancelled"] == 4
    assert fleet.store.database.read(lambda own: own.execute("SELECT * FROM procrastinate_jobs").fetchall()) == []


def test_a_ticket_that_only_the_queue_believes_in_hand_is_put_back(
    ground: Ground, fleet: Fleet, worker: Worker
) -> None:
    """As where the server is lost just when a ticket ends: its worker is alive, and the tree would stay locked."""
    ground.appending(6, 1)
    first = enqueue(fleet, ground)
    worker("--jobs", "1")
    wait_until(lambda: fleet.store.status(first).left == 0, "the worker is at work", pause=0.05)
    ground.jobs = []
    ground.appending(6, 1)
    second = fleet.store.make_run(BulkSettings(seconds=60, tries=1))
    fleet.store.add(second, list(read_jobs(json.dumps(job).encode() for job in ground.jobs)), fleet.ticketing)
    astray = "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT min(id) FROM procrastinate_workers)"
    fleet.store.database.write(lambda own: own.execute(f"{astray} WHERE id = (SELECT min(id) FROM procrastinate_jobs)"))
    fleet.store.open_run(second)
    wait_until(lambda: fleet.store.status(second).left == 0, "the run is over", pause=0.05)
    assert fleet.store.status(second).counts["done"] == 6


@pytest.mark.sweep
def test_a_worker_whose_disk_is_full_leaves_the_jobs_to_others(ground: Ground, fleet: Fleet, worker: Worker) -> None:
    ground.appending(16, 4)
    repo = repository(ground.folder / "cloned", {"a.md": "one\ntwo\n"})
    plan = {"files": [{"path": "a.md", "edits": [{"target": "two", "new": "2"}]}]}
    ground.jobs.insert(0, {"key": "clone", "repo": str(repo), "plan": plan, "result": "branch"})
    run = enqueue(fleet, ground, BulkSettings(seconds=60, tries=8))
    full = worker("--jobs", "1", prefix=FULL_DISK)
    tried = "SELECT max(tries) FROM bulk_jobs WHERE kind = 'disk-refused'"
    store = fleet.store
    wait_until(lambda: store.database.read(lambda own: own.execute(tried).fetchone()[0]), "it met its disk", pause=0.05)
    assert store.status(run).ends == 0
    worker("--jobs", "2")
    wait_until(lambda: store.status(run).left == 0, "the run is over", pause=0.05)
    assert full.poll() is None
    assert store.status(run).counts["done"] == 17
    ground.check_effects([job["key"] for job in ground.jobs], "bulk-")


def test_the_same_file_given_twice_at_once_is_one_run(ground: Ground, fleet: Fleet, queue: str) -> None:
    ground.appending(300, 3)
    lines = [json.dumps(job).encode() for job in ground.jobs]
    fleet.store.make_run(BulkSettings(), "r")

    def add(own: Fleet) -> None:
        for start in range(0, 300, 50):
            jobs = [(start + number, job) for number, job in read_jobs(lines[start : start + 50])]
            own.store.add("r", jobs, own.ticketing)

    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        list(pool.map(add, [stack.enter_context(closing(Fleet(queue))) for _ in range(4)]))
    assert fleet.store.status("r").counts["waiting"] == 300
    tickets = fleet.store.database.read(lambda own: own.execute("SELECT count(*) FROM procrastinate_jobs").fetchone())
    assert tickets[0] == 300


def test_an_attempt_that_comes_back_late_ends_nothing(ground: Ground, fleet: Fleet) -> None:
    from steadyhand.bulk.run_store import AttemptOutcome, Begun

    ground.appending(1, 1)
    run = enqueue(fleet, ground)
    row = fleet.store.database.read(lambda own: own.execute("SELECT ticket FROM bulk_jobs").fetchone())
    first = fleet.store.begin(run, 1, "one", ticket=row[0])
    assert isinstance(first, Begun)
    assert fleet.store.begin(run, 1, "three", ticket=row[0] + 1) is None
    second = fleet.store.begin(run, 1, "two", ticket=row[0])
    assert isinstance(second, Begun)
    assert second.lost == 1
    assert not fleet.store.end(first, AttemptOutcome("failed"))
    assert fleet.store.end(second, AttemptOutcome("done"))
    assert fleet.store.begin(run, 1, "four", ticket=row[0]) is None
    assert dict(fleet.store.status(run).counts)["done"] == 1


def test_limits_of_a_model_endpoint_hold_between_workers(ground: Ground, fleet: Fleet) -> None:
    from steadyhand.bulk.run_store import AttemptOutcome, Begun, Wait

    task = {"text": "x", "model": "openai:m"}
    ground.jobs = [{"key": f"k{number}", "root": f"/srv/{number}", "task": task} for number in range(3)]
    run = enqueue(fleet, ground, BulkSettings(model_jobs=1))
    tickets = fleet.store.database.read(lambda own: own.execute("SELECT number, ticket FROM bulk_jobs").fetchall())
    begun = [fleet.store.begin(run, number, f"a{number}", ticket=ticket) for number, ticket in tickets]
    assert [type(each) for each in begun] == [Begun, Wait, Wait]
    assert fleet.store.closed_endpoints() == {"openai"}
    assert isinstance(begun[0], Begun)
    fleet.store.put_back(begun[0], AttemptOutcome("failed", again=True, wait=60.0, is_away=True), 60.0)
    again = fleet.store.begin(run, 2, "b", ticket=dict(tickets)[2])
    assert isinstance(again, Wait)
    assert 50 < again.seconds <= 60


def test_so_many_jobs_begin_at_a_model_endpoint_in_a_minute(ground: Ground, fleet: Fleet) -> None:
    from steadyhand.bulk.run_store import Begun, Wait

    for model in ("openai:m", "openai:n", "anthropic:m"):
        task = {"text": "x", "model": model}
        ground.jobs.append({"key": model, "root": f"/srv/{model}", "task": task})
    run = enqueue(fleet, ground, BulkSettings(model_rate=0.5))
    tickets = fleet.store.database.read(lambda own: own.execute("SELECT number, ticket FROM bulk_jobs").fetchall())
    begun = [fleet.store.begin(run, number, f"a{number}", ticket=ticket) for number, ticket in sorted(tickets)]
    assert [type(each) for each in begun] == [Begun, Wait, Begun], "each endpoint for itself"
    assert isinstance(begun[1], Wait)
    assert 60 < begun[1].seconds <= 120
    assert fleet.store.closed_endpoints() == {"openai", "anthropic"}


@pytest.mark.sweep
def test_a_queue_embedded_is_the_same_with_one_command(ground: Ground) -> None:
    ground.appending(6, 2)
    words = ("run", ground.write_jobs(), "--queue", "embedded", "--workers", "2")
    document = answer("bulk", *words, state=ground.state)
    assert document["counts"]["done"] == 6
    assert answer("bulk", "status", "--queue", "embedded", state=ground.state)["runs"][0]["left"] == 0
    ground.check_effects([job["key"] for job in ground.jobs], "bulk-")


def test_a_url_names_a_queue_and_nothing_else() -> None:
    assert split_url("postgresql://h/d") == ("postgresql://h/d", "steadyhand_bulk")
    for url in ("postgresql://h/d?queue=a%22b", "postgresql://h/d?queue=a&queue=b", "postgresql://h/d?queue="):
        with pytest.raises(EditError) as refused:
            split_url(url)
        assert refused.value.kind is Kind.BAD_REQUEST
