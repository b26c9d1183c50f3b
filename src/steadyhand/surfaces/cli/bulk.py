"""Bulk runs on the command line: the options that their commands share, and what is printed of a run."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from steadyhand.lazy import dataclass
from steadyhand.surfaces.cli.invocation import misused
from steadyhand.surfaces.cli.options import FILE, chain, option
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, pad, visible_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyhand.bulk.fleet import Fleet
    from steadyhand.bulk.job import Job
    from steadyhand.bulk.run_store import AttemptOutcome, Failure, JobReport, RunStatus, RunStore
    from steadyhand.surfaces.cli.invocation import Invocation

EMBEDDED = "embedded"
_QUEUE = "STEADYHAND_QUEUE"
FAILED = 1  # the exit code of a run in which a job was refused, failed or was cancelled
_SHOWN_FAILURES = 20
_STYLES = {"done": "good", "nothing": "dim", "refused": "warning", "failed": "error", "cancelled": "warning"}


# Where the state of runs is.
queue_options = chain(
    option(
        "--queue URL",
        "A PostgreSQL that workers share, postgresql://…; embedded starts one here (default: this machine).",
        variable=_QUEUE,
    ),
    option(
        "--state DIR",
        "The folder for runs, clones and working trees (default: in the user's state folder).",
        type=FILE,
        variable="STEADYHAND_BULK",
    ),
)


@contextmanager
def lines_of(invocation: Invocation, option: str, file: str) -> Iterator[Iterable[bytes]]:
    """The lines of a file of the caller's, one after another: it may be larger than the memory."""
    from steadyhand.bulk.job import read_lines

    if file == "-":
        invocation.take_stdin(option)
        yield read_lines(sys.stdin.buffer)
        return
    try:
        stream = open(file, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "not a file name"
        raise misused(f"the file of {option} cannot be read: {cause}", "check the name") from error
    with stream:
        yield read_lines(stream)


@dataclass(slots=True)
class Queue:
    """Where the runs are that a command is about; `fleet` where workers share them."""

    store: RunStore
    folder: str
    fleet: Fleet | None = None
    is_embedded: bool = False
    words: str = ""  # of another command about the same runs

    def cancel(self, run: str) -> None:
        self.store.cancel(run) if self.fleet is None else self.fleet.cancel(run)

    def resume(self, run: str) -> None:
        self.store.resume(run) if self.fleet is None else self.fleet.resume(run)

    def is_attended(self, run: str) -> bool:
        """Whether somebody carries the run out now: a process of this machine, or any worker of the queue."""
        from steadyhand.workspace.run_database import is_carried_out

        return is_carried_out(self.folder, run) if self.fleet is None else self.fleet.has_workers()

    @property
    def ticketing(self) -> Any:
        return None if self.fleet is None else self.fleet.ticketing


@contextmanager
def opened_queue(queue: str | None, state: str | None, *, is_patient: bool = False) -> Iterator[Queue]:
    """The runs of this machine, or of a queue; `is_patient`: of one whose server may be away for minutes."""
    from steadyhand.bulk.run_store import STEPS, RunStore
    from steadyhand.workspace.run_database import RunDatabase, bulk_folder, embedded_server

    folder = bulk_folder(state)
    with ExitStack() as stack:
        if queue is None:
            store = RunStore(RunDatabase(folder / "runs.db", STEPS))
            stack.callback(store.database.close)
            yield Queue(store, str(folder))
            return
        from steadyhand.bulk.fleet import Fleet

        if queue != EMBEDDED and not queue.startswith(("postgresql://", "postgres://")):
            raise misused("--queue is not a PostgreSQL URL", "postgresql://user@host/database, or embedded")
        url = stack.enter_context(embedded_server(folder)) if queue == EMBEDDED else queue
        fleet = Fleet(url, is_patient=is_patient)
        stack.callback(fleet.close)
        is_embedded = queue == EMBEDDED
        words = "" if os.environ.get(_QUEUE) == queue else f" --queue {EMBEDDED if is_embedded else 'URL'}"
        yield Queue(fleet.store, str(folder), fleet, is_embedded, words)


def scripts_read(invocation: Invocation) -> Callable[[Job], Job]:
    """Puts a script that stands for a model into the job itself, so that every worker has it."""
    from steadyhand.agents.script import read_script
    from steadyhand.lazy import replace
    from steadyhand.surfaces.cli.invocation import bytes_from, decode, parse_json

    known: dict[str, object] = {}

    def put_in(job: Job) -> Job:
        body = job.body
        model = body.get("model") if isinstance(body, Mapping) and job.asks_a_model else None
        if not isinstance(body, Mapping) or not str(model or "").startswith("script:"):
            return job
        name = str(model).removeprefix("script:")
        if name not in known:
            known[name] = read_script(
                parse_json(decode(bytes_from(invocation, "--model", name), "--model"), "the script")
            )
        return replace(job, body={**body, "script": known[name]})

    return put_in


def stop_rule(text: str | None) -> tuple[float | None, int | None]:
    """A stop rule: a share such as 5%, or a number of jobs."""
    if text is None:
        return None, None
    digits = text.removesuffix("%").strip()
    try:
        value = float(digits)
    except ValueError:
        value = -1.0
    if value < 0 or (not text.endswith("%") and (value != int(value) or value < 1)):
        raise misused(f"--stop-at-failures {text[:20]!r} is neither a share nor a number", "such as 5% or 10")
    return (value / 100, None) if text.endswith("%") else (None, int(value))


class Speed:
    """How fast a run goes, from its latest progress."""

    def __init__(self) -> None:
        self._seen: list[tuple[float, int]] = []

    def say(self, status: RunStatus, *, is_attended: bool = True) -> str:
        """What is behind a progress bar: what went wrong, jobs per second, and how long it will take."""
        now = time.monotonic()
        self._seen = [*(each for each in self._seen if now - each[0] < 30), (now, status.ends)]
        begun, ended = self._seen[0]
        rate = (status.ends - ended) / (now - begun) if now - begun > 0.5 else 0.0
        is_idle = is_attended and now > begun and not rate and status.state == "open" and not status.counts["running"]
        wrong = [f"{status.counts[name]:,} {name}" for name in ("refused", "failed") if status.counts[name]]
        facts = [
            *wrong,
            *([] if is_attended else ["no worker"]),
            *(["waiting to retry"] if is_idle else []),
            *rate_words(rate, status.left if status.state == "open" else 0),
            *([status.state] if status.state == "paused" else []),
        ]
        return "".join(f" · {fact}" for fact in facts)


def rate_words(rate: float, left: int) -> list[str]:
    """Throughput and expected end, where they can be known."""
    if rate <= 0:
        return []
    pace = f"{rate * 60:,.1f} jobs/min" if rate < 0.5 else f"{rate:,.{1 if rate < 100 else 0}f} jobs/s"
    return [pace, *([f"{_span(left / rate)} left"] if left else [])]


def status_json(status: RunStatus) -> dict[str, object]:
    """A run as `bulk status --json` has it."""
    seconds, rate = _speed_of(status)
    facts: dict[str, object] = {
        "id": status.id,
        "state": status.state,
        "counts": dict(status.counts),
        "total": status.total,
        "left": status.left,
        "seconds": round(seconds, 1),
        "jobsPerSecond": round(rate, 2),
    }
    if status.left and rate and status.state == "open":
        facts["secondsLeft"] = round(status.left / rate)
    return facts | ({"why": status.why} if status.why else {})


def status_lines(status: RunStatus, failures: Iterable[Failure], *, quiet: bool = False) -> Iterator[Line]:
    """A run for people: how far it is, how fast (unless `quiet`), and what went wrong, by kind with one example."""
    seconds, rate = _speed_of(status)
    share = f"{status.ends * 100 // status.total} %" if status.total else "no jobs"
    took = "" if quiet else f" in {_span(seconds)}"
    head = f"  {status.state}, {status.ends:,} of {status.total:,} ended ({share}){took}"
    yield (Piece(status.id, "id"), Piece(head))
    if status.why:
        yield (Piece("  stopped: ", "warning"), Piece(visible_line(status.why)))
    named = [Piece(f"{count:,} {name}", _STYLES.get(name, "plain")) for name, count in status.counts.items() if count]
    if named:
        yield (Piece("  "), *[piece for one in named for piece in (Piece(", "), one)][1:])
    words = rate_words(rate, status.left if status.state == "open" else 0)
    if words and not quiet:
        yield (Piece(f"  {', '.join(words)}", "dim"),)
    for failure in list(failures)[:_SHOWN_FAILURES]:
        yield (Piece(f"  {failure.count:,} × ", "dim"), Piece(f"{failure.state} {failure.kind}".strip(), "error"))
        yield (
            Piece("    for example "),
            Piece(visible_line(failure.key), "place"),
            Piece(f": {_first_line(failure.error)}"),
        )


def run_list_lines(runs: Iterable[RunStatus]) -> Iterator[Line]:
    """Runs, one a line."""
    for status in runs:
        wrong = f", {status.wrong:,} refused or failed" if status.wrong else ""
        said = f"  {status.state:9}  {status.ends:,} of {counted(status.total, 'job')} ended{wrong}"
        yield (Piece(status.id, "id"), Piece(said))


def job_lines(jobs: Iterable[JobReport]) -> Iterator[Line]:
    """What became of each job, one a line, and why where it went wrong."""
    for job in jobs:
        is_wrong = job.state in (
            "refused",
            "failed",
            "waiting",
        )  # a job that waits says why its last try came to nothing
        kind = f" {job.kind}" if job.kind and is_wrong else ""
        files = (
            f"  {', '.join(map(visible_line, job.files[:5]))}{' …' if len(job.files) > 5 else ''}" if job.files else ""
        )
        places = [str(job.facts[name]) for name in ("branch", "tree") if name in job.facts]
        places += [f"in {job.facts['clone']}"] if "clone" in job.facts else []
        places += ["held for review"] if "held" in job.facts else []
        yield (
            Piece(pad(job.state, 10), _STYLES.get(job.state, "dim")),
            Piece(visible_line(job.key), "place"),
            Piece(f"{kind}{files}{''.join(f'  {visible_line(place)}' for place in places)}"),
        )
        if job.error and is_wrong:
            yield (Piece(f"          {_first_line(job.error)}", "dim"),)


def sample_lines(found: Iterable[tuple[str, AttemptOutcome]]) -> Iterator[Line]:
    """What a dry run over some jobs found."""
    rows = list(found)
    column = max((cells(key) for key, _ in rows), default=0)
    for key, outcome in rows:
        is_wrong = outcome.state in ("refused", "failed")
        said = f"would change {counted(len(outcome.files), 'file')}" if outcome.files else "nothing to do"
        if is_wrong:
            said = "would be refused" if outcome.state == "refused" else "would fail"
        yield (
            Piece("  "),
            Piece(pad(visible_line(key), min(column, 40)), "place"),
            Piece(f"  {said}", _STYLES.get(outcome.state, "plain")),
            Piece(f"  {_first_line(outcome.error or '')}" if is_wrong else ""),
        )


def report_parts(status: RunStatus, jobs: Iterable[JobReport]) -> Iterator[str]:
    """A run with all of its jobs as JSON, in parts: a run may have more jobs than fit into the memory."""
    head = json.dumps({"ok": not status.wrong, "id": status.id, "state": status.state, "counts": dict(status.counts)})
    yield f'{head[:-1]}, "jobs": ['
    for number, job in enumerate(jobs):
        said = json.dumps(job.to_json()).replace("\x7f", "\\u007f")
        yield f"{',' if number else ''}\n{said}"
    yield "\n]}\n"


def _first_line(text: str) -> str:
    """The first line of a refusal; --json has all of it."""
    return visible_line(text.partition("\n")[0])[:400]


def _speed_of(status: RunStatus) -> tuple[float, float]:
    """How long a run has been under way, in seconds, and the jobs that it ended in one."""
    if status.begun is None:
        return 0.0, 0.0
    seconds = max(((status.ended or status.at) - status.begun) / 1000, 0.001)
    return seconds, status.ends / seconds


def _span(seconds: float) -> str:
    """A length of time as people say it.

    >>> _span(4.2), _span(90), _span(7300)
    ('4.2 s', '1 min 30 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60} min"
