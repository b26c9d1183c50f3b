"""A run on any number of machines: each job has a ticket on Procrastinate's queue, and workers take tickets.

Procrastinate knows which worker has which ticket, whose worker has gone silent, which tickets of a tree must wait, and
which come first. What a job is and how it ended, the run store knows, in the same database; a ticket is added in the
transaction that adds its job, so neither is there without the other. From the ticket on, a job takes the same way as in
a pool: `RunStore.begin`, `crew.attempt`.

1. A ticket counts only while it is the one that its job names; another is dropped when it comes up.
2. The tickets of a run that is paused, or of a model endpoint that takes no jobs now, stay untouched: each has a queue
   of its own, and a worker asks only for queues that are open.
3. A worker that is silent has lost its tickets; one worker at a time puts them back.
4. A worker that is alive puts back what the queue believes it has and it has not: Procrastinate gives a ticket up where
   the server is lost just when the ticket ends. Nobody else would find it, and its tree would be locked for ever.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from steadyhand.bulk.crew import Member, attempt
from steadyhand.bulk.execution import Given
from steadyhand.bulk.job import Job
from steadyhand.bulk.run_store import STEPS, BulkSettings, RunStore, Wait
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.workspace.journal.record import new_record_id
from steadyhand.workspace.run_database import PATIENCE, Connection, RunDatabase, check_fleet, split_url

if TYPE_CHECKING:
    from procrastinate import App


TASK = "steadyhand-job"
_LOCK = 0x51EAD  # of the worker that puts lost tickets back
_LOOK = 1.0  # seconds between two looks at which queues are open
_PAUSE = 1.0  # seconds after the queue was lost
_GONE = "NOT EXISTS (SELECT 1 FROM procrastinate_jobs p WHERE p.id = ticket AND p.status IN ('todo', 'doing'))"
_QUEUES = (
    "CREATE TABLE IF NOT EXISTS bulk_queues (run TEXT NOT NULL, endpoint TEXT NOT NULL, PRIMARY KEY (run, endpoint))"
)


class Fleet:
    """The queue of a PostgreSQL database. `is_patient`: a server that is away now is waited for."""

    def __init__(self, url: str, *, is_patient: bool = False) -> None:
        check_fleet()
        self.url, self.schema = split_url(url)
        first = {"first": PATIENCE} if is_patient else {}
        self.store = RunStore(RunDatabase(url, (*STEPS, _QUEUES), **first))
        self._app = _app(self.url, self.schema)
        self.store.database.write(self._make)

    def close(self) -> None:
        self.store.database.close()

    def ticketing(
        self, own: Connection, run: str, settings: BulkSettings, jobs: Sequence[tuple[int, Job]]
    ) -> list[int]:
        """Tickets for jobs, in the transaction of `own`; their numbers."""
        from procrastinate.jobs import Job as Ticket

        tickets = [
            Ticket(
                queue=queue_of(run, job.endpoint),
                priority=settings.priority,
                lock=_lock_of(job),
                queueing_lock=None,
                task_name=TASK,
                task_kwargs={"run": run, "number": number},
            )
            for number, job in jobs
        ]
        for endpoint in {job.endpoint or "" for _, job in jobs}:
            own.execute(
                "INSERT INTO bulk_queues (run, endpoint) VALUES (?, ?) ON CONFLICT (run, endpoint) DO NOTHING",
                (run, endpoint),
            )
        made = self._app.job_manager.batch_defer_jobs(tickets, connection=own.own)
        return [int(ticket.id or 0) for ticket in made]

    def resume(self, run: str) -> None:
        """Go on with a run; a job whose ticket is gone gets another."""
        self.store.resume(run)
        self.store.untaken(run, self.ticketing, _GONE)

    def cancel(self, run: str) -> None:
        """Cancel a run; the tickets of jobs that wait are taken off the queue."""
        self.store.cancel(run)
        query = "DELETE FROM procrastinate_jobs WHERE status = 'todo' AND split_part(queue_name, '/', 1) = ?"
        self.store.database.write(lambda own: own.execute(query, (run,)))

    def has_workers(self) -> bool:
        """Whether a worker of the queue gave a sign of life lately."""
        query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => 60)"
        return bool(self.store.database.read(lambda own: own.execute(query).fetchone()[0]))

    def repair(self, seconds: float) -> None:
        """Give a job that is running a new ticket where its own is gone: a worker that came back late has ended it."""
        query = f"SELECT DISTINCT run FROM bulk_jobs WHERE state = 'running' AND begun < ? AND {_GONE}"
        before = self.store.database.time() - int(seconds * 1000)
        for (run,) in self.store.database.read(lambda own: own.execute(query, (before,)).fetchall()):
            self.store.untaken(run, self.ticketing, f"state = 'running' AND begun < {before} AND {_GONE}")

    def _make(self, own: Connection) -> None:
        """Procrastinate's own tables, in the schema of the queue."""
        from procrastinate.schema import SchemaManager

        own.execute("SELECT pg_advisory_xact_lock(hashtext(?))", (self.schema,))
        if own.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()[0] is None:
            own.own.execute(SchemaManager.get_schema().encode())
            own.execute("CREATE INDEX steadyhand_jobs_by_lock ON procrastinate_jobs (lock)")


@dataclass(slots=True)
class _Later(Exception):
    """A ticket that comes up again after so many seconds."""

    seconds: float


class Worker:
    """Takes tickets, and carries their jobs out in processes of its own, so many at once."""

    def __init__(self, fleet: Fleet, jobs: int, given: Given, *, lost_after: float = 30.0) -> None:
        self._fleet = fleet
        self._store = fleet.store
        self._given = given
        self._jobs = jobs
        self._lost_after = lost_after
        self._app = _app(fleet.url, fleet.schema, most=jobs + 3)
        self._idle: list[Member] = [Member() for _ in range(jobs)]
        self._open: list[str] = ["-"]
        self._names: set[int] = set()  # what the queue has called this worker so far
        self._tickets: set[int] = set()  # that are in hand
        self._strays: set[int] = set()  # that were not in hand at the last look, and are this worker's by the queue
        self._running: set[str] = set()
        self._cancelled: set[str] = set()
        self._is_stopped = False
        self._is_hurried = False
        self._repaired = self._rests_until = 0
        self._error: Exception | None = None
        self._add_task()

    def work(self, until: Callable[[], bool] = lambda: False) -> None:
        """Work until `until` or `stop` says so; a server that restarts is waited for."""
        for name in ("procrastinate", "psycopg.pool"):  # what they report is dealt with here
            logger = logging.getLogger(name)
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
        try:
            asyncio.run(self._work(until))
        finally:
            for member in self._idle:
                member.close()
        if self._error is not None:
            raise self._error

    def stop(self, *, hurry: bool = False) -> None:
        """Take no more tickets, and come to an end when the jobs that run have, or, in a hurry, put them back."""
        self._is_stopped = True
        self._is_hurried = self._is_hurried or hurry

    async def _work(self, until: Callable[[], bool]) -> None:
        import procrastinate
        import psycopg

        # A thread for each job, and some to look around: the usual executor has as many as the machine is small.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._jobs + 4))
        while not self._is_stopped:
            try:
                async with self._app.open_async():
                    await self._look()
                    await self._serve(until)
            except (procrastinate.exceptions.ConnectorException, psycopg.Error, EditError) as error:
                if isinstance(error, EditError) and error.kind is not Kind.DISK_REFUSED:
                    raise
                await asyncio.sleep(
                    _PAUSE
                )  # the server is away: jobs that run go on, and note their end when it is back

    async def _serve(self, until: Callable[[], bool]) -> None:
        """Serve while the server is there."""
        serving = asyncio.create_task(
            self._app.run_worker_async(
                queues=self._open,  # asked for at every fetch, so what is changed here holds from then on
                concurrency=self._jobs,
                name=f"steadyhand-{new_record_id()}",
                fetch_job_polling_interval=_LOOK,
                update_heartbeat_interval=self._lost_after / 3,
                stalled_worker_timeout=self._lost_after,
                delete_jobs="always",
                listen_notify=False,  # queues open and close while the worker listens
                install_signal_handlers=False,
            )
        )
        try:
            while not serving.done():
                await asyncio.wait([serving], timeout=_LOOK)
                if self._is_stopped or until():
                    self._is_stopped = True
                    break
                await self._look()
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving

    async def _look(self) -> None:
        """Which queues are open, what was cancelled, and which tickets were lost."""
        names, self._cancelled = await asyncio.to_thread(self._read)
        self._open[:] = names
        await self._put_back()
        await self._put_strays_back()

    def _read(self) -> tuple[list[str], set[str]]:
        closed = self._store.closed_endpoints()
        query = (
            "SELECT q.run, q.endpoint FROM bulk_queues q JOIN bulk_runs r ON r.id = q.run"
            " WHERE r.state IN ('open', 'cancelled') AND r.ended IS NULL"
        )
        found = self._store.database.read(lambda own: own.execute(query).fetchall())
        names = [queue_of(run, endpoint or None) for run, endpoint in found if endpoint not in closed]
        now = self._store.database.time()
        if now - self._repaired > self._lost_after * 1000:
            self._repaired = now
            self._fleet.repair(self._lost_after)
        if now < self._rests_until:
            names = []
        return names or ["-"], self._store.stopped_runs(self._running)

    async def _put_back(self) -> None:
        """Put the tickets of silent workers back; one worker at a time, so that none is put back twice."""
        manager = self._app.job_manager
        lost = await manager.get_stalled_jobs(task_name=TASK, seconds_since_heartbeat=self._lost_after)
        if not list(lost):
            return

        def seize(own: Connection) -> bool:
            return bool(own.execute("SELECT pg_try_advisory_lock(?)", (_LOCK,)).fetchone()[0])

        if not await asyncio.to_thread(self._store.database.write, seize):
            return
        try:
            for job in await manager.get_stalled_jobs(task_name=TASK, seconds_since_heartbeat=self._lost_after):
                await manager.retry_job(job)
        finally:
            await asyncio.to_thread(
                self._store.database.write, lambda own: own.execute("SELECT pg_advisory_unlock(?)", (_LOCK,))
            )

    async def _put_strays_back(self) -> None:
        """Put tickets back that are said to be in hand at two looks, and are not."""
        from procrastinate.exceptions import ConnectorException

        names = ", ".join(str(name) for name in self._names) or "NULL"
        query = f"SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IN ({names})"
        rows = await asyncio.to_thread(self._store.database.read, lambda own: own.execute(query).fetchall())
        found = {int(ticket) for (ticket,) in rows} - self._tickets
        for ticket in found & self._strays:
            with suppress(ConnectorException):  # its end was only late: now it is there, and the ticket is gone
                await self._app.job_manager.retry_job_by_id_async(ticket, datetime.fromtimestamp(0, UTC))
        self._strays = found

    def _add_task(self) -> None:
        import psycopg
        from procrastinate import BaseRetryStrategy, RetryDecision
        from procrastinate.job_context import JobContext

        class Again(BaseRetryStrategy):
            def get_retry_decision(self, *, exception: BaseException, job: Any) -> RetryDecision | None:
                del job
                seconds = exception.seconds if isinstance(exception, _Later) else _PAUSE
                return RetryDecision(retry_in={"milliseconds": int(seconds * 1000)})

        @self._app.task(name=TASK, retry=Again(), pass_context=True)
        async def carry_out(context: JobContext, run: str, number: int) -> None:
            ticket = int(context.job.id or 0)
            self._names.add(int(context.job.worker_id or 0))
            self._tickets.add(ticket)
            try:
                await asyncio.to_thread(self._carry_out, run, number, ticket)
            except (_Later, psycopg.Error):
                raise
            except Exception as error:  # another try would end the same way: the worker says so, and ends
                self._error = error
                self.stop()
                raise
            finally:
                self._tickets.discard(ticket)

    def _carry_out(self, run: str, number: int, ticket: int) -> None:
        """One ticket; it comes up again by `_Later`, or where this raises anything else."""
        begun = self._store.begin(run, number, new_record_id(), ticket=ticket)
        if begun is None:
            return
        if isinstance(begun, Wait):
            raise _Later(begun.seconds)
        member = self._idle.pop()
        self._running.add(run)

        def wanted() -> bool:
            return run not in self._cancelled and not self._is_hurried

        try:
            pause = attempt(self._store, begun, member, self._given, is_wanted=wanted)
        finally:
            self._idle.append(member)
        if pause:
            # Others may have room on their disks: when the job comes up again, this worker must not be the first.
            self._rests_until = self._store.database.time() + int(2_000 * pause) + 1_000
            self._open[:] = ["-"]
        due = self._store.due(run, number)
        if due is not None:  # the job waits for another attempt
            raise _Later(due)


def queue_of(run: str, endpoint: str | None) -> str:
    """The queue of a run's jobs, or of those that ask one model endpoint.

    >>> queue_of("3f9c", None), queue_of("3f9c", "anthropic")
    ('3f9c', '3f9c/c70eca6b')
    """
    return run if endpoint is None else f"{run}/{_digest(endpoint)[:8]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _lock_of(job: Job) -> str | None:
    """Tickets with the same lock are taken one after another; a job with a tree of its own needs none."""
    return None if job.is_repo else _digest(job.tree)


def _app(url: str, schema: str, most: int = 2) -> App:
    from procrastinate import App, PsycopgConnector

    # The schema is in the URL's options where the server can be asked for it, which a pooler may not take.
    settings = {"options": f"-c search_path={schema}", "application_name": "steadyhand-bulk", "connect_timeout": 10}
    return App(connector=PsycopgConnector(conninfo=url, kwargs=settings, min_size=1, max_size=most, timeout=20))
