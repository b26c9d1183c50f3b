"""The state of a run and of each of its jobs, and every transition a job can make.

    waiting ─begin▶ running ─end▶ done | nothing | refused | failed | cancelled
       ◀─put back───┘                └─────retry──▶ waiting

1. A job is begun for one attempt, which has a name nobody else has. Only that attempt can end it or put it back, so a
   worker that was taken for lost and comes back late changes nothing here; what it does to the tree is guarded there
   (`execution.py`).
2. A step is one transaction: the job and the counts of its run change together.
3. A step may be run twice, because a server can be lost while it answers: the second time finds it done.
4. Nothing is held in memory that grows with the jobs of a run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, cast

from steadyhand.bulk.job import BadLine, Job, name_of_line
from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import dataclass, field, fields, replace
from steadyhand.workspace.journal.record import new_record_id
from steadyhand.workspace.run_database import Connection, RunDatabase

End = Literal["done", "nothing", "refused", "failed", "cancelled"]
ENDS: tuple[End, ...] = ("done", "nothing", "refused", "failed", "cancelled")
STATES = ("waiting", "running", *ENDS)
_COUNTS = ", ".join(f"n_{state}" for state in STATES)
RunState = Literal["adding", "open", "paused", "cancelled", "over"]

_PAGE = 500
_LEAST_ENDED = 20  # jobs that must have ended before a share of failures says anything
_LONGEST_ERROR = 2_000
_NO_LIMIT = 1 << 30
LONGEST_WAIT = 3_600.0  # seconds for which a job or an endpoint is put off, at most
_FARTHEST = int(LONGEST_WAIT * 1000)
_MIXED = "number * 2654435761 % 4294967296"  # jobs of a kind may follow each other at any fixed distance
_BRIEF = 5.0  # seconds until a job that cannot begin now is looked at again

STEPS = (
    """CREATE TABLE IF NOT EXISTS bulk_runs (
        id TEXT PRIMARY KEY, made INTEGER NOT NULL, settings TEXT NOT NULL, state TEXT NOT NULL, why TEXT,
        begun INTEGER, ended INTEGER, n_waiting INTEGER NOT NULL, n_running INTEGER NOT NULL, n_done INTEGER NOT NULL,
        n_nothing INTEGER NOT NULL, n_refused INTEGER NOT NULL, n_failed INTEGER NOT NULL,
        n_cancelled INTEGER NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS bulk_jobs (
        run TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, tree TEXT, endpoint TEXT, body TEXT,
        state TEXT NOT NULL, due INTEGER NOT NULL, attempt TEXT, ticket INTEGER, tries INTEGER NOT NULL,
        lost INTEGER NOT NULL, waited INTEGER NOT NULL, begun INTEGER, ended INTEGER, kind TEXT, error TEXT,
        facts TEXT, diff BLOB, PRIMARY KEY (run, number))""",
    "CREATE UNIQUE INDEX IF NOT EXISTS bulk_jobs_by_key ON bulk_jobs (run, key)",
    "CREATE INDEX IF NOT EXISTS bulk_jobs_waiting ON bulk_jobs (run, number) WHERE state = 'waiting'",
    "CREATE INDEX IF NOT EXISTS bulk_jobs_running ON bulk_jobs (endpoint) WHERE state = 'running'",
    "CREATE INDEX IF NOT EXISTS bulk_jobs_wrong ON bulk_jobs (run, number) WHERE state IN ('refused', 'failed')",
    "CREATE TABLE IF NOT EXISTS bulk_endpoints (name TEXT PRIMARY KEY, closed_until INTEGER NOT NULL)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkSettings:
    """How the jobs of a run are carried out.

    `tries`: how often a job is tried that is refused with a kind that may pass; `lost`: how many workers it may take
    with it. `stop_share` and `stop_count` pause the run at so many refused and failed jobs. `model_jobs` and
    `model_rate` limit the jobs that one model endpoint has at once, and those that begin there in a minute.
    `seen`: how many jobs had ended, and how many of them badly, when somebody let the run go on; only the rest counts.
    """

    actor: str | None = None
    seconds: float = 600.0
    tries: int = 5
    lost: int = 3
    priority: int = 0
    stop_share: float | None = None
    stop_count: int | None = None
    model_jobs: int | None = None
    model_rate: float | None = None
    push: bool = False
    seen: Sequence[int] = (0, 0)

    def to_json(self) -> dict[str, object]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """How an attempt at a job ended. `again`: it may go through later; with `wait`, after so many seconds, and it does
    not count as a try. `is_away`: nobody should ask the model endpoint before. `is_disk`: the disk of whoever carried
    the job out refused; others may have room.

    `diff` is what was changed, or would have been; `facts` are further fields of the report, such as the branch.
    """

    state: End
    kind: str | None = None
    error: str | None = None
    files: tuple[str, ...] = ()
    diff: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    again: bool = False
    wait: float | None = None
    is_away: bool = False
    is_disk: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """An attempt that may go on; `tries`, `lost` and `waited` (milliseconds, for a model) are those before it."""

    run: str
    number: int
    attempt: str
    job: Job
    settings: BulkSettings
    tries: int
    lost: int
    waited: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """The job cannot begin now; ask again after so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run as it is at a moment. Times are milliseconds since 1970."""

    id: str
    state: RunState
    why: str | None
    settings: BulkSettings
    counts: Mapping[str, int]
    made: int
    begun: int | None
    ended: int | None
    at: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def left(self) -> int:
        return self.counts["waiting"] + self.counts["running"]

    @property
    def ends(self) -> int:
        return self.total - self.left

    @property
    def wrong(self) -> int:
        return self.counts["refused"] + self.counts["failed"]


@dataclass(frozen=True, slots=True)
class JobReport:
    """What became of one job."""

    number: int
    key: str
    state: str
    kind: str | None
    error: str | None
    files: tuple[str, ...]
    facts: Mapping[str, object]

    def to_json(self) -> dict[str, object]:
        data: dict[str, object] = {"key": self.key, "state": self.state}
        optional = {"kind": self.kind, "files": list(self.files), "error": self.error, **self.facts}
        return data | {name: value for name, value in optional.items() if value}


@dataclass(frozen=True, slots=True)
class Failure:
    """The jobs of a run that ended badly for one reason, and one of them."""

    state: str
    kind: str
    count: int
    key: str
    error: str


Ticketing = Callable[[Connection, str, BulkSettings, Sequence[tuple[int, Job]]], Sequence[int]]
"""Puts jobs on a queue inside the transaction that adds them; the numbers of their tickets."""


class RunStore:
    """All runs of one database."""

    def __init__(self, database: RunDatabase) -> None:
        self.database = database

    def make_run(self, settings: BulkSettings, name: str | None = None) -> str:
        """Begin a run, to which jobs are added; its id. A run of that name that is there is gone on with."""
        run = name or new_record_id()[:8]
        if not run.replace("-", "").replace("_", "").isalnum() or len(run) > 40:
            raise EditError(Kind.BAD_REQUEST, f"{run[:40]!r} cannot name a run", hint="use letters, digits, - and _")
        query = (
            f"INSERT INTO bulk_runs (id, made, settings, state, {_COUNTS})"
            " VALUES (?, ?, ?, 'adding', 0, 0, 0, 0, 0, 0, 0) ON CONFLICT (id) DO NOTHING"
        )
        self.database.write(lambda own: own.execute(query, (run, own.time, json.dumps(settings.to_json()))))
        return run

    def add(self, run: str, jobs: Sequence[tuple[int, Job | BadLine]], ticketing: Ticketing | None = None) -> None:
        """Add jobs by their lines. A key that the run has already is the same job, or a refusal of the line."""
        if jobs:
            self.database.write(lambda own: self._add(own, run, jobs, ticketing))

    def _add(
        self, own: Connection, run: str, jobs: Sequence[tuple[int, Job | BadLine]], ticketing: Ticketing | None
    ) -> None:
        own.execute("UPDATE bulk_runs SET made = made WHERE id = ?", (run,))  # whoever adds to the run waits here
        numbers = [number for number, _ in jobs]
        names = [*(each.key for _, each in jobs if isinstance(each, Job)), *map(name_of_line, numbers)]
        query = f"SELECT key, number, body FROM bulk_jobs WHERE run = ? AND key IN ({', '.join('?' * len(names))})"
        known = {key: (number, body) for key, number, body in own.execute(query, (run, *names)).fetchall()}
        query = f"SELECT count(*) FROM bulk_jobs WHERE run = ? AND number IN ({', '.join('?' * len(numbers))})"
        shift = 0
        if own.execute(query, (run, *numbers)).fetchone()[0]:  # jobs are added to a run that has some
            shift = int(own.execute("SELECT max(number) FROM bulk_jobs WHERE run = ?", (run,)).fetchone()[0])
        good: list[tuple[int, Job, str]] = []
        refused: list[tuple[object, ...]] = []
        for line, each in jobs:
            if isinstance(each, Job):
                body = json.dumps(each.to_json())
                number, before = known.setdefault(each.key, (line + shift, ""))
                if before == "":
                    known[each.key] = (number, body)
                    good.append((number, each, body))
                if before in ("", body):
                    continue
                said = f"the key {each.key!r} is already used in line {number} for another job"
                error = EditError(Kind.BAD_REQUEST, said, hint="keys name one job each")
            else:
                error = each.error
            if (name := name_of_line(line)) not in known:
                known[name] = (line, "")
                refused.append((run, line + shift, name, own.time, str(error.kind), error.message))
        own.execute_many(
            "INSERT INTO bulk_jobs (run, number, key, state, due, tries, lost, waited, ended, kind, error)"
            " VALUES (?, ?, ?, 'refused', 0, 0, 0, 0, ?, ?, ?)",
            refused,
        )
        tickets: Sequence[int | None] = [None] * len(good)
        if ticketing is not None and good:
            tickets = ticketing(own, run, self._settings(own, run), [(number, job) for number, job, _ in good])
        own.execute_many(
            "INSERT INTO bulk_jobs (run, number, key, tree, endpoint, body, ticket, state, due, tries, lost, waited)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, 0, 0, 0)",
            [
                (run, number, job.key, job.tree, job.endpoint, body, ticket)
                for (number, job, body), ticket in zip(good, tickets, strict=True)
            ],
        )
        query = "UPDATE bulk_runs SET n_waiting = n_waiting + ?, n_refused = n_refused + ? WHERE id = ?"
        own.execute(query, (len(good), len(refused), run))
        if good:
            own.execute("UPDATE bulk_runs SET state = 'open', ended = NULL WHERE id = ? AND state = 'over'", (run,))

    def open_run(self, run: str) -> None:
        """All jobs are added: from now on the run can be over."""

        def work(own: Connection) -> None:
            own.execute("UPDATE bulk_runs SET state = 'open' WHERE id = ? AND state = 'adding'", (run,))
            _finish(own, run)

        self.database.write(work)

    def take(self, run: str, trees: Collection[str]) -> int | float | None:
        """The number of a job that could begin now, on none of those trees.

        A float: none can, but one may after so many seconds. None: no job may begin.
        """

        def work(own: Connection) -> int | float | None:
            row = own.execute("SELECT state, n_waiting FROM bulk_runs WHERE id = ?", (run,)).fetchone()
            if row is None or row[0] != "open" or not row[1]:
                return None
            without = f" AND tree NOT IN ({', '.join('?' * len(trees))})" if trees else ""
            span = (own.time, own.time + _FARTHEST)
            found = own.execute(
                "SELECT number FROM bulk_jobs j WHERE run = ? AND state = 'waiting'"
                f" AND (due <= ? OR due > ?){without} AND (endpoint IS NULL OR ("
                " endpoint NOT IN (SELECT name FROM bulk_endpoints WHERE closed_until > ? AND closed_until <= ?)"
                " AND ? > (SELECT count(*) FROM bulk_jobs r WHERE r.state = 'running' AND r.endpoint = j.endpoint)))"
                " ORDER BY number LIMIT 1",
                (run, *span, *trees, *span, self._settings(own, run).model_jobs or _NO_LIMIT),
            ).fetchone()
            return int(found[0]) if found else _BRIEF / 10

        return self.database.read(work)

    def begin(self, run: str, number: int, attempt: str, *, ticket: int | None = None) -> Begun | Wait | None:
        """Begin a job. None: there is nothing to do, because it has ended, or is another ticket's.

        A job that is running is taken over: whoever asks knows that its worker is gone.
        """
        return self.database.write(lambda own: self._begin(own, run, number, attempt, ticket))

    def _begin(self, own: Connection, run: str, number: int, attempt: str, ticket: int | None) -> Begun | Wait | None:
        row = own.execute(
            "SELECT state, due, attempt, ticket, tries, lost, waited, body, endpoint FROM bulk_jobs"
            " WHERE run = ? AND number = ?",
            (run, number),
        ).fetchone()
        if row is None or row[0] not in ("waiting", "running") or row[3] != ticket:
            return None
        state, due, before, _, tries, lost, waited, body, endpoint = row
        state_of_run = own.execute("SELECT state FROM bulk_runs WHERE id = ?", (run,)).fetchone()[0]
        settings = self._settings(own, run)
        if state == "running" and before == attempt:
            return Begun(run, number, attempt, Job.of_json(json.loads(body)), settings, tries, lost, waited)
        if state_of_run == "cancelled":
            _move(own, run, number, state, "cancelled")
            _finish(own, run)
            return None
        if state_of_run != "open" and state == "waiting":
            return Wait(_BRIEF)
        if left := _until(due, own.time):
            return Wait(left / 1000)
        if state == "waiting" and endpoint is not None:
            wait = _admission(own, endpoint, settings)
            if wait is not None:
                return Wait(wait)
        if state == "running":
            lost += 1
        changed = own.execute(
            "UPDATE bulk_jobs SET state = 'running', attempt = ?, lost = ?, begun = ?"
            " WHERE run = ? AND number = ? AND state = ? AND coalesce(attempt, '') = ?",
            (attempt, lost, own.time, run, number, state, before or ""),
        ).rowcount
        if not changed:
            return Wait(_BRIEF)  # somebody else was faster
        own.execute("UPDATE bulk_runs SET begun = ? WHERE id = ? AND begun IS NULL", (own.time, run))
        if state == "waiting":
            own.execute(
                "UPDATE bulk_runs SET n_waiting = n_waiting - 1, n_running = n_running + 1 WHERE id = ?", (run,)
            )
        return Begun(run, number, attempt, Job.of_json(json.loads(body)), settings, tries, lost, waited)

    def end(self, begun: Begun, outcome: AttemptOutcome) -> bool:
        """Note how an attempt ended the job; False where the attempt has it no more."""

        def work(own: Connection) -> bool:
            if not self._has(own, begun):
                return False
            error = None if outcome.error is None else _kept(outcome.error)
            facts = json.dumps({"files": list(outcome.files), **outcome.facts})
            diff = zlib.compress(outcome.diff.encode("utf-8", "surrogatepass")) if outcome.diff else None
            _move(own, begun.run, begun.number, "running", outcome.state)
            own.execute(
                "UPDATE bulk_jobs SET kind = ?, error = ?, facts = ?, diff = ? WHERE run = ? AND number = ?",
                (outcome.kind, error, facts, diff, begun.run, begun.number),
            )
            self._check_stop(own, begun.run)
            _finish(own, begun.run)
            return True

        return self.database.write(work)

    def put_back(self, begun: Begun, outcome: AttemptOutcome, seconds: float, *, lost: bool = False) -> None:
        """Let the job wait for its next attempt. `lost`: the worker died with it."""

        def work(own: Connection) -> None:
            if not self._has(own, begun):
                return
            own.execute(
                "UPDATE bulk_jobs SET state = 'waiting', due = ?, tries = tries + ?, lost = lost + ?,"
                " waited = waited + ?, kind = ?, error = ? WHERE run = ? AND number = ?",
                (
                    *(own.time + int(seconds * 1000), int(not lost and outcome.wait is None), int(lost)),
                    *(int(seconds * 1000) if outcome.is_away else 0, outcome.kind),
                    *(None if outcome.error is None else _kept(outcome.error), begun.run, begun.number),
                ),
            )
            own.execute(
                "UPDATE bulk_runs SET n_waiting = n_waiting + 1, n_running = n_running - 1 WHERE id = ?", (begun.run,)
            )
            endpoint = begun.job.endpoint
            if outcome.is_away and endpoint is not None:
                _close(own, endpoint, own.time + int(seconds * 1000))

        self.database.write(work)

    def due(self, run: str, number: int) -> float | None:
        """After how many seconds a job that waits may begin; None where it has ended."""
        query = "SELECT state, due FROM bulk_jobs WHERE run = ? AND number = ?"
        row = self.database.read(lambda own: own.execute(query, (run, number)).fetchone())
        return _until(row[1], self.database.time()) / 1000 if row is not None and row[0] == "waiting" else None

    def release(self, run: str) -> int:
        """Put back the jobs of a pool that is gone; how many there were."""

        def work(own: Connection) -> int:
            count = int(
                own.execute(
                    "UPDATE bulk_jobs SET state = 'waiting', lost = lost + 1 WHERE run = ? AND state = 'running'",
                    (run,),
                ).rowcount
            )
            if count:
                own.execute(
                    "UPDATE bulk_runs SET n_waiting = n_waiting + ?, n_running = n_running - ? WHERE id = ?",
                    (count, count, run),
                )
            return count

        return self.database.write(work)

    def pause(self, run: str) -> None:
        """Begin no more jobs of the run; those that run go on to their end."""
        query = "UPDATE bulk_runs SET state = 'paused', why = NULL WHERE id = ? AND state IN ('adding', 'open')"
        self.database.write(lambda own: own.execute(query, (run,)))

    def resume(self, run: str) -> None:
        """Let a run that was paused go on; its stop rule counts from here."""

        def work(own: Connection) -> None:
            query = "UPDATE bulk_runs SET state = 'open', why = NULL WHERE id = ? AND state IN ('adding', 'paused')"
            if own.execute(query, (run,)).rowcount:
                self._count_from_here(own, run)

        self.database.write(work)

    def cancel(self, run: str) -> None:
        """End every job that waits; those that run are stopped by whoever carries them out."""

        def work(own: Connection) -> None:
            own.execute("UPDATE bulk_runs SET state = 'cancelled', why = NULL WHERE id = ? AND state <> 'over'", (run,))
            count = own.execute(
                "UPDATE bulk_jobs SET state = 'cancelled', ended = ? WHERE run = ? AND state = 'waiting'",
                (own.time, run),
            ).rowcount
            own.execute(
                "UPDATE bulk_runs SET n_waiting = n_waiting - ?, n_cancelled = n_cancelled + ? WHERE id = ?",
                (count, count, run),
            )
            _finish(own, run)

        self.database.write(work)

    def retry(self, run: str, states: Collection[End], ticketing: Ticketing | None = None) -> int:
        """Let jobs that ended so be tried again; how many."""
        total = 0
        own_states = [state for state in states if state not in ("done", "nothing")]
        marks = ", ".join("?" * len(own_states))

        def page(own: Connection) -> int:
            found = own.execute(
                f"SELECT number, state, body FROM bulk_jobs WHERE run = ? AND state IN ({marks}) AND body IS NOT NULL"
                f" ORDER BY number LIMIT {_PAGE}",
                (run, *own_states),
            ).fetchall()
            jobs = [(int(number), Job.of_json(json.loads(body))) for number, _, body in found]
            tickets: Sequence[int | None] = [None] * len(jobs)
            if ticketing is not None and jobs:
                tickets = ticketing(own, run, self._settings(own, run), jobs)
            own.execute_many(
                "UPDATE bulk_jobs SET state = 'waiting', due = 0, tries = 0, lost = 0, waited = 0, kind = NULL,"
                " error = NULL, ended = NULL, ticket = ? WHERE run = ? AND number = ?",
                [(ticket, run, number) for (number, _), ticket in zip(jobs, tickets, strict=True)],
            )
            for _, state, _ in found:
                own.execute(
                    f"UPDATE bulk_runs SET n_{state} = n_{state} - 1, n_waiting = n_waiting + 1 WHERE id = ?", (run,)
                )
            if found:
                own.execute("UPDATE bulk_runs SET state = 'open', why = NULL, ended = NULL WHERE id = ?", (run,))
                self._count_from_here(own, run)
            return len(found)

        while count := self.database.write(page):
            total += count
        return total

    def run_named(self, name: str) -> RunStatus:
        """A run by its id or the first letters of it. Refuses with `no-such-file` where there is none."""
        found = [each for each in self.runs(most=1_000) if each.id.startswith(name)]
        exact = [each for each in found if each.id == name]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            raise EditError(Kind.BAD_REQUEST, f"{len(found)} runs begin with {name[:40]!r}", hint="give more of the id")
        raise EditError(
            Kind.NO_SUCH_FILE, f"there is no run {name[:40]!r}", hint=RunCommand("bulk status", "lists them")
        )

    def status(self, run: str) -> RunStatus:
        return next(iter(self._statuses("WHERE id = ?", (run,))), None) or self.run_named(run)

    def runs(self, most: int = 20) -> list[RunStatus]:
        """The runs, newest first."""
        return self._statuses(f"ORDER BY made DESC, id LIMIT {most}", ())

    def stopped_runs(self, runs: Collection[str]) -> set[str]:
        """Which of some runs were cancelled."""
        query = f"SELECT id FROM bulk_runs WHERE state = 'cancelled' AND id IN ({', '.join('?' * len(runs))})"
        if not runs:
            return set()
        return {str(run) for (run,) in self.database.read(lambda own: own.execute(query, tuple(runs)).fetchall())}

    def closed_endpoints(self) -> set[str]:
        """The model endpoints where no job can begin now: they asked to wait, or have as many jobs as they may."""

        def work(own: Connection) -> set[str]:
            query = "SELECT name FROM bulk_endpoints WHERE closed_until > ? AND closed_until <= ?"
            found = own.execute(query, (own.time, own.time + _FARTHEST)).fetchall()
            open_runs = own.execute("SELECT settings FROM bulk_runs WHERE state = 'open'").fetchall()
            limits = [most for (text,) in open_runs if (most := json.loads(text)["model_jobs"]) is not None]
            query = (
                "SELECT endpoint FROM bulk_jobs WHERE state = 'running' AND endpoint IS NOT NULL"
                " GROUP BY endpoint HAVING count(*) >= ?"
            )
            full = own.execute(query, (min(limits),)).fetchall() if limits else []
            return {str(name) for (name,) in (*found, *full)}

        return self.database.read(work)

    def jobs(self, run: str, states: Collection[str] = STATES) -> Iterator[JobReport]:
        """What became of each job, in the order of their lines; read page by page."""
        last = 0
        marks = ", ".join("?" * len(states))
        query = (
            "SELECT number, key, state, kind, error, facts FROM bulk_jobs"
            f" WHERE run = ? AND number > ? AND state IN ({marks}) ORDER BY number LIMIT {_PAGE}"
        )
        while True:
            given = (run, last, *states)
            rows = self.database.read(lambda own, given=given: own.execute(query, given).fetchall())  # type: ignore[misc]
            for number, key, state, kind, error, text in rows:
                facts = json.loads(text) if text else {}
                files = tuple(map(str, facts.pop("files", ())))
                yield JobReport(int(number), key, state, kind, error, files, facts)
                last = int(number)
            if len(rows) < _PAGE:
                return

    def job(self, run: str, number: int) -> Job | None:
        """The job of a number; None where its line was none."""
        query = "SELECT body FROM bulk_jobs WHERE run = ? AND number = ?"
        row = self.database.read(lambda own: own.execute(query, (run, number)).fetchone())
        return Job.of_json(json.loads(row[0])) if row and row[0] else None

    def diff(self, run: str, number: int) -> str:
        """What a job changed, or would have changed, as a unified diff."""
        query = "SELECT diff FROM bulk_jobs WHERE run = ? AND number = ?"
        row = self.database.read(lambda own: own.execute(query, (run, number)).fetchone())
        return zlib.decompress(bytes(row[0])).decode("utf-8", "surrogatepass") if row and row[0] else ""

    def failures(self, run: str) -> list[Failure]:
        """What went wrong, by kind, the most frequent first, each with one example."""
        query = (
            "SELECT w.state, w.kind, w.count, j.key, j.error FROM (SELECT state, kind, count(*) AS count,"
            " min(number) AS first FROM bulk_jobs WHERE run = ? AND state IN ('refused', 'failed')"
            " GROUP BY state, kind) w JOIN bulk_jobs j ON j.run = ? AND j.number = w.first"
            " ORDER BY w.count DESC, w.kind"
        )
        rows = self.database.read(lambda own: own.execute(query, (run, run)).fetchall())
        return [Failure(state, kind or "", int(count), key, error or "") for state, kind, count, key, error in rows]

    def sample(self, run: str, count: int) -> list[int]:
        """The numbers of some of the jobs that wait: of each of so many equal parts one, the same one every time."""
        total = max(self.status(run).counts["waiting"], 1)
        parts = (
            f"SELECT number, (row_number() OVER (ORDER BY number) - 1) * {count} / {total} AS part FROM bulk_jobs"
            " WHERE run = ? AND state = 'waiting'"
        )
        turns = f"SELECT number, row_number() OVER (PARTITION BY part ORDER BY {_MIXED}) AS turn FROM ({parts}) p"
        query = f"SELECT number FROM ({turns}) t WHERE turn = 1 ORDER BY number"
        return [int(number) for (number,) in self.database.read(lambda own: own.execute(query, (run,)).fetchall())]

    def untaken(self, run: str, ticketing: Ticketing, is_gone: str) -> int:
        """Give a new ticket to each job that waits and whose ticket is no more; how many. `is_gone` says so in SQL."""

        def page(own: Connection) -> int:
            found = own.execute(
                f"SELECT number, body FROM bulk_jobs WHERE run = ? AND state IN ('waiting', 'running') AND {is_gone}"
                f" ORDER BY number LIMIT {_PAGE}",
                (run,),
            ).fetchall()
            jobs = [(int(number), Job.of_json(json.loads(body))) for number, body in found]
            if jobs:
                tickets = ticketing(own, run, self._settings(own, run), jobs)
                own.execute_many(
                    "UPDATE bulk_jobs SET ticket = ? WHERE run = ? AND number = ?",
                    [(ticket, run, number) for (number, _), ticket in zip(jobs, tickets, strict=True)],
                )
            return len(jobs)

        total = 0
        while count := self.database.write(page):
            total += count
        return total

    def _statuses(self, rest: str, values: Sequence[object]) -> list[RunStatus]:
        query = f"SELECT id, state, why, settings, made, begun, ended, {_COUNTS} FROM bulk_runs {rest}"
        rows = self.database.read(lambda own: own.execute(query, values).fetchall())
        return [
            RunStatus(
                run, cast("RunState", state), why, BulkSettings(**json.loads(settings)),
                dict(zip(STATES, map(int, counts), strict=True)), int(made), begun, ended, self.database.time(),
            )
            for run, state, why, settings, made, begun, ended, *counts in rows
        ]  # fmt: skip

    def _settings(self, own: Connection, run: str) -> BulkSettings:
        row = own.execute("SELECT settings FROM bulk_runs WHERE id = ?", (run,)).fetchone()
        return BulkSettings(**json.loads(row[0]))

    def _check_stop(self, own: Connection, run: str) -> None:
        """Pause a run that has more failures than its stop rule allows."""
        settings = self._settings(own, run)
        share, most = settings.stop_share, settings.stop_count
        if share is None and most is None:
            return
        ended, wrong = (now - before for now, before in zip(_ended(own, run), settings.seen, strict=True))
        if (most is not None and wrong >= most) or (
            share is not None and ended >= _LEAST_ENDED and wrong > share * ended
        ):
            why = f"{wrong:,} of {ended:,} jobs were refused or failed"
            own.execute("UPDATE bulk_runs SET state = 'paused', why = ? WHERE id = ? AND state = 'open'", (why, run))

    def _count_from_here(self, own: Connection, run: str) -> None:
        """Let the stop rule of a run, whose row is locked, forget what has ended so far."""
        settings = replace(self._settings(own, run), seen=_ended(own, run))
        own.execute("UPDATE bulk_runs SET settings = ? WHERE id = ?", (json.dumps(settings.to_json()), run))

    def _has(self, own: Connection, begun: Begun) -> bool:
        query = "SELECT attempt, state FROM bulk_jobs WHERE run = ? AND number = ?"
        row = own.execute(query, (begun.run, begun.number)).fetchone()
        return row is not None and tuple(row) == (begun.attempt, "running")


def _move(own: Connection, run: str, number: int, before: str, after: str) -> None:
    """A job from one state to its end, and the counts with it."""
    own.execute(
        "UPDATE bulk_jobs SET state = ?, ended = ? WHERE run = ? AND number = ?", (after, own.time, run, number)
    )
    own.execute(f"UPDATE bulk_runs SET n_{before} = n_{before} - 1, n_{after} = n_{after} + 1 WHERE id = ?", (run,))


def _finish(own: Connection, run: str) -> None:
    """A run without jobs that wait or run is over, unless more are being added."""
    own.execute(
        "UPDATE bulk_runs SET state = CASE WHEN state = 'cancelled' THEN state ELSE 'over' END, ended = ?"
        " WHERE id = ? AND n_waiting = 0 AND n_running = 0 AND ended IS NULL AND state <> 'adding'",
        (own.time, run),
    )


def _ended(own: Connection, run: str) -> tuple[int, int]:
    """How many jobs of a run have ended, and how many of them were refused or failed."""
    row = own.execute(f"SELECT {_COUNTS} FROM bulk_runs WHERE id = ?", (run,)).fetchone()
    counts = dict(zip(STATES, row, strict=True))
    return sum(counts[state] for state in ENDS), counts["refused"] + counts["failed"]


def _admission(own: Connection, endpoint: str, settings: BulkSettings) -> float | None:
    """How long a job must wait until its model endpoint takes it; None: it may begin now, which is noted."""
    own.execute(  # until the transaction ends, nobody else decides about this endpoint
        "INSERT INTO bulk_endpoints (name, closed_until) VALUES (?, 0) ON CONFLICT (name) DO UPDATE"
        " SET closed_until = bulk_endpoints.closed_until",
        (endpoint,),
    )
    until = int(own.execute("SELECT closed_until FROM bulk_endpoints WHERE name = ?", (endpoint,)).fetchone()[0])
    if wait := _until(until, own.time):
        return wait / 1000
    if settings.model_jobs is not None:
        query = "SELECT count(*) FROM bulk_jobs WHERE endpoint = ? AND state = 'running'"
        if own.execute(query, (endpoint,)).fetchone()[0] >= settings.model_jobs:
            return _BRIEF / 5
    if settings.model_rate is not None:
        _close(own, endpoint, own.time + int(60_000 / settings.model_rate))
    return None


def _close(own: Connection, endpoint: str, until: int) -> None:
    own.execute(
        "INSERT INTO bulk_endpoints (name, closed_until) VALUES (?, ?) ON CONFLICT (name) DO UPDATE"
        " SET closed_until = CASE WHEN bulk_endpoints.closed_until BETWEEN excluded.closed_until AND ?"
        " THEN bulk_endpoints.closed_until ELSE excluded.closed_until END",
        (endpoint, until, own.time + _FARTHEST),
    )


def _until(then: int, at: int) -> int:
    """The milliseconds until a time; 0 where it is past, or farther away than anything is put off: a clock was set."""
    return then - at if at < then <= at + _FARTHEST else 0


def _kept(error: str) -> str:
    return error.replace("\0", "").encode("utf-8", "replace").decode()[:_LONGEST_ERROR]
