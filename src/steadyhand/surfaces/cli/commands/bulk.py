"""`bulk` and `worker`: many jobs in many trees, carried out by the processes of this machine or by workers anywhere."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import Registry
from steadyhand.surfaces.cli.bulk import (
    FAILED,
    Queue,
    Speed,
    job_lines,
    lines_of,
    opened_queue,
    queue_options,
    report_parts,
    run_list_lines,
    sample_lines,
    scripts_read,
    status_json,
    status_lines,
    stop_rule,
)
from steadyhand.surfaces.cli.group import command, family
from steadyhand.surfaces.cli.invocation import Invocation, bytes_from, decode, misused, parse_json
from steadyhand.surfaces.cli.options import FILE, flag, option
from steadyhand.surfaces.cli.output import CommandResult, writing
from steadyhand.surfaces.cli.render import progress
from steadyhand.surfaces.terminal import Piece, counted

if TYPE_CHECKING:
    from steadyhand.bulk.execution import Given
    from steadyhand.bulk.job import BadLine, Job
    from steadyhand.bulk.run_store import RunStatus

_workers_option = option(
    "--workers N", "Processes of this machine (default: its cores; 0 with --queue URL).", least=0, most=256
)
_wait_option = flag("--wait", "With --queue URL: wait until the run is over.")
_patches_option = option("--patches DIR", "Write the diff of each job to this folder.", type=FILE)
_LOOK = 1.0
_SECTION = "Bulk runs"
_MEMBERS = Registry(
    "steadyhand.surfaces.cli.commands",
    "{}_command",
    "cancel=bulk pause=bulk report=bulk resume=bulk retry=bulk run=bulk status=bulk watch=bulk",
)


def _on_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """RUN, --queue and --state, given to the command as the open `queue`, and as `run`, the whole id of a run in it."""

    @wraps(function)
    def command(*args: Any, run: str, queue: str | None, state: str | None, **options: Any) -> Any:
        with opened_queue(queue, state) as found:
            return function(*args, queue=found, run=found.store.run_named(run).id, **options)

    return click.argument("run", metavar="RUN")(queue_options(command))


@family(
    "bulk",
    section=_SECTION,
    examples="""
    steadyhand bulk run jobs.jsonl
    steadyhand bulk run --plan fix.json --repos repos.txt --result branch --sample 20
    steadyhand bulk run jobs.jsonl --queue embedded
    steadyhand bulk status
    steadyhand bulk report 3f9c1a --patches patches
    """,
    members=_MEMBERS,
)
def bulk_command() -> None:
    """Run many jobs, each exactly once.

    A job is one JSON object a line: key, where (root, or repo and ref), what (plan, patch, act, task or impact), and
    optionally policy, result (leave, hold, patch, branch) and reason. run carries them out with the processes of this
    machine, or puts them on a queue in PostgreSQL from which any number of workers take them (steadyhand worker). A
    run that was stopped or killed goes on with resume; no job is done twice.
    """


@command(
    "run",
    section=_SECTION,
    examples="""
    steadyhand bulk run jobs.jsonl --workers 8
    steadyhand bulk run jobs.jsonl --sample 20 --stop-at-failures 5%
    steadyhand bulk run --plan fix.json --repos repos.txt --result branch --reason 'drop Python 3.10'
    steadyhand bulk run jobs.jsonl --queue postgresql://ci@db/fleet --wait --json
    """,
)
@click.argument("jobs", metavar="[JOBS.jsonl|-]", required=False, type=FILE)
@option("--plan FILE", "Instead of JOBS: a JSON plan or a patch in any format.", type=FILE)
@option("--repos FILE", "With --plan: the trees, one per line: a directory, or a repository and a ref.", type=FILE)
@option(
    "--result", "With --plan: what to do with the result.", choices=["leave", "hold", "patch", "branch"], usual="leave"
)
@option("--reason TEXT", "With --plan: why; also the message of a commit.")
@option(
    "--run name NAME", "The id of the run; an existing run gets the missing jobs and continues with its own options."
)
@_workers_option
@option(
    "--sample N", "Dry-run N jobs first; start the run only if none fails, or no more than --stop-at-failures.", least=1
)
@flag("--dry-run", "Only the dry run: of --sample jobs, or of 20.")
@option(
    "--stop-at-failures N|N%",
    "Pause the run when this many jobs, or this share of the ended jobs, were refused or failed.",
)
@option("--seconds", "End a job that takes longer.", usual=600.0, least=0.1)
@option("--tries", "How often to try a job whose refusal may be temporary.", least=1, usual=5)
@option("--lost", "Give up on a job that killed this many workers.", least=1, usual=3)
@option("--priority", "On a queue: jobs with a higher priority run first.", usual=0, type=int)
@option("--model NAME", "The model for tasks and impact runs that name none.", variable="STEADYHAND_MODEL")
@option("--base-url URL", "Its OpenAI-compatible server.", variable="STEADYHAND_BASE_URL")
@option("--model-jobs N", "Limit on jobs running at once against one model endpoint.", least=1)
@option("--model-rate N", "Limit on jobs started per minute against one model endpoint.", least=0.02)
@flag("--push", "Push branches to the repository that was cloned.")
@_wait_option
@_patches_option
@queue_options
def run_command(invocation: Invocation, **options: Any) -> int:
    """Run the jobs of a file, or one plan on many trees.

    Jobs are read line by line; a line that is not a job is reported with its number, and the others still run. The run
    is kept in a database, so bulk resume can continue it if it is killed. Each job ends as done, nothing (nothing to
    do), refused, failed or cancelled, and keeps its diff. With --queue postgresql://… the jobs are put on a queue for
    steadyhand worker, on any number of machines; --queue embedded starts PostgreSQL and workers on this machine. Exit
    codes: 0 if every job is done or had nothing to do, otherwise 1.
    """
    from steadyhand.bulk.job import batches
    from steadyhand.bulk.run_store import BulkSettings

    share, count = stop_rule(options["stop_at_failures"])
    settings = BulkSettings(
        actor=invocation.settings.actor or invocation.config.actor, stop_share=share, stop_count=count,
        **{name: options[name] for name in (
            "seconds", "tries", "lost", "priority", "model_jobs", "model_rate", "push",
        )},
    )  # fmt: skip
    with opened_queue(options["queue"], options["state"]) as queue:
        parts = batches(_prepared(invocation, options))
        first = next(parts, [])  # a file that cannot be read leaves no run
        run = queue.store.make_run(settings, options["name"])
        if queue.store.status(run).state == "cancelled":
            hint = RunCommand(f"bulk retry {run}{queue.words}", "runs its jobs again; --run gives a run another name")
            raise misused(f"the run {run} was cancelled", hint)
        with progress(invocation.output, "reading jobs") as shown:
            total = 0
            for batch in chain([first], parts):
                queue.store.add(run, batch, queue.ticketing)
                total += len(batch)
                shown(total)
                if queue.store.status(run).state == "cancelled":
                    queue.cancel(run)  # also what was added meanwhile
                    return _report(invocation, queue, run, None, is_brief=True)
        if options["sample"] or options["dry_run"]:
            code = _try(invocation, queue, run, options)
            if code is not None:
                return code
        queue.store.open_run(run)
        queue.resume(run)
        return _carry_on(invocation, queue, run, options)


def _prepared(invocation: Invocation, options: dict[str, Any]) -> Iterator[tuple[int, Job | BadLine]]:
    """The jobs that the options mean, with the model of the run and absolute places."""
    from steadyhand.bulk.job import BadLine, Job, with_model
    from steadyhand.lazy import replace

    put_in = scripts_read(invocation)
    model, url = options["model"], options["base_url"]
    for number, job in _read(invocation, options):
        if isinstance(job, Job):
            try:
                job = put_in(with_model(job, model, url))
            except EditError as error:
                yield number, BadLine(number, job.key, error)
                continue
            is_path = not job.is_repo or ("://" not in job.place and "@" not in job.place)
            if is_path:
                job = replace(job, place=os.path.realpath(job.place))
        yield number, job


def _read(invocation: Invocation, options: dict[str, Any]) -> Iterator[tuple[int, Job | BadLine]]:
    from steadyhand.bulk.job import jobs_for, read_jobs

    plan, repos, file = options["plan"], options["repos"], options["jobs"]
    if (plan is None) != (repos is None) or (plan is None) == (file is None):
        raise misused("no jobs are named", "give JOBS.jsonl, or --plan FILE and --repos FILE")
    if plan is None:
        with lines_of(invocation, "JOBS", file) as lines:
            yield from read_jobs(lines)
        return
    text = decode(bytes_from(invocation, "--plan", plan), "--plan")
    is_plan = text.lstrip().startswith("{") and '"files"' in text
    body = parse_json(text, "the plan") if is_plan else text
    with lines_of(invocation, "--repos", repos) as lines:
        yield from jobs_for(
            lines, "plan" if is_plan else "patch", body, result=options["result"], reason=options["reason"]
        )


def _try(invocation: Invocation, queue: Queue, run: str, options: dict[str, Any]) -> int | None:
    """The dry run over a sample; an exit code where the run does not begin."""
    from steadyhand.bulk.pool import try_sample
    from steadyhand.lazy import replace

    output = invocation.output
    count = options["sample"] or 20
    given = replace(_given(invocation, queue, run), preview=True)
    found = try_sample(queue.store, run, count, _workers(options["workers"], queue) or _cores(), given)
    wrong = [(key, outcome) for key, outcome in found if outcome.state in ("refused", "failed")]
    share, most = stop_rule(options["stop_at_failures"])
    allowed = most - 1 if most is not None else int((share or 0.0) * len(found))
    status = queue.store.status(run)
    bad = f"; {counted(status.wrong, 'line')} refused already" if status.wrong else ""
    output.print([(Piece(f"dry run of {len(found)} of {counted(status.total, 'job')}{bad}", "heading"),)])
    output.print(sample_lines(found))
    if len(wrong) <= allowed and not options["dry_run"]:
        return None
    if options["dry_run"]:
        queue.cancel(run)
    else:
        queue.store.pause(run)
        words = f"steadyhand bulk resume {run}{queue.words}"
        output.print([(Piece(f"the run has not started; {words} starts it anyway", "hint"),)])
    output.document(
        {
            "ok": not wrong,
            "id": run,
            "counts": dict(queue.store.status(run).counts),
            "sample": [
                {
                    "key": key,
                    "state": outcome.state,
                    "kind": outcome.kind,
                    "files": list(outcome.files),
                    "error": outcome.error,
                }
                for key, outcome in found
            ],
        }
    )
    return FAILED if wrong else 0


def _carry_on(invocation: Invocation, queue: Queue, run: str, options: dict[str, Any]) -> int:
    """Carry the run out as far as this process does that, and report."""
    store, output = queue.store, invocation.output
    workers, given = _workers(options["workers"], queue), _given(invocation, queue, run)
    speed = Speed()
    invocation.after_interrupt = f"steadyhand bulk resume {run}{queue.words} goes on"
    with progress(output, run) as shown:

        def watch() -> None:
            status = store.status(run)
            is_attended = queue.fleet is None or bool(workers) or queue.is_attended(run)
            shown(status.ends, status.total, speed.say(status, is_attended=is_attended))

        if queue.fleet is None:
            from steadyhand.bulk.pool import carry_out_run

            carry_out_run(store, run, workers, given, watch)
        elif workers:
            from steadyhand.bulk.fleet import Worker

            def is_over() -> bool:
                watch()
                return _has_ended(store.status(run))

            with _signals(worker := Worker(queue.fleet, workers, given)):
                worker.work(is_over)
        elif options["wait"]:
            while not _has_ended(store.status(run)):
                time.sleep(_LOOK)
                watch()
    return _report(invocation, queue, run, options.get("patches"), is_brief=True)


def _has_ended(status: RunStatus) -> bool:
    return status.left == 0 or (status.state == "paused" and not status.counts["running"])


def _report(
    invocation: Invocation, queue: Queue, run: str, patches: str | None, *, is_brief: bool, states: tuple[str, ...] = ()
) -> int:
    """What became of a run, in words or as the document with every job."""
    from steadyhand.bulk.run_store import STATES

    store, output = queue.store, invocation.output
    status = store.status(run)
    if patches is not None:
        _write_patches(invocation, queue, run, patches)
    if output.json:
        for part in report_parts(status, store.jobs(run, states or STATES)):
            output.plain(part)
    else:
        if not is_brief:
            output.print(job_lines(store.jobs(run, states or STATES)))
        failures = store.failures(run) if is_brief else []  # the jobs said so already
        output.print(status_lines(status, failures, quiet=output.quiet))
        if status.left and not output.quiet:
            is_watched = status.state == "open" and (queue.fleet is not None or queue.is_attended(run))
            idle = "" if is_watched or status.state != "open" else "no process is running it; "
            said = f"{idle}steadyhand bulk {'watch' if is_watched else 'resume'} {run}{queue.words}"
            output.print([(Piece(said, "hint"),)])
        elif is_brief and status.total and not output.quiet:
            output.print([(Piece(f"steadyhand bulk report {run}{queue.words} shows every job", "hint"),)])
    wrong = status.wrong + status.counts["cancelled"]
    return FAILED if wrong or (status.left and status.state == "paused") else 0


def _write_patches(invocation: Invocation, queue: Queue, run: str, folder: str) -> None:
    from steadyhand.bulk.job import short_name

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise EditError(
            Kind.DISK_REFUSED, f"the folder of --patches cannot be created: {error.strerror}", hint="check the name"
        ) from error
    for job in queue.store.jobs(run, ("done", "failed")):
        diff = queue.store.diff(run, job.number)
        if diff:
            with writing(invocation, "--patches", os.path.join(folder, f"{short_name(job.key)}.patch")) as write:
                write(diff.encode("utf-8", "surrogateescape"))


def _given(invocation: Invocation, queue: Queue, run: str) -> Given:
    from steadyhand.bulk.execution import Given

    return Given(run=run, folder=queue.folder, journal=invocation.journal, api_key=os.environ.get("STEADYHAND_API_KEY"))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workers(asked: int | None, queue: Queue) -> int:
    if asked is not None:
        return max(asked, 1) if queue.fleet is None else asked
    return 0 if queue.fleet is not None and not queue.is_embedded else _cores()


@contextmanager
def _signals(worker: Any) -> Iterator[None]:
    """SIGTERM lets running jobs end; SIGINT puts them back."""
    with ExitStack() as stack:
        for number, hurry in ((signal.SIGTERM, False), (signal.SIGINT, True)):
            before = signal.signal(number, lambda *_, hurry=hurry: worker.stop(hurry=hurry))
            stack.callback(signal.signal, number, before)
        yield


@command(
    "status",
    section=_SECTION,
    examples="""
    steadyhand bulk status
    steadyhand bulk status 3f9c1a
    steadyhand bulk status 3f9c1a --json
    """,
)
@click.argument("run", metavar="[RUN]", required=False)
@queue_options
def status_command(invocation: Invocation, run: str | None, queue: str | None, state: str | None) -> CommandResult:
    """List the runs, or show the progress of one.

    For one run: how its jobs ended, jobs per second, what is left, the expected end, and what went wrong, grouped by
    kind with one example each. RUN is an id or its first characters.
    """
    with opened_queue(queue, state) as found:
        if run is None:
            runs = found.store.runs()
            return CommandResult({"runs": [status_json(status) for status in runs]}, run_list_lines(runs))
        status = found.store.run_named(run)
        failures = found.store.failures(status.id)
    groups = [
        {"state": each.state, "kind": each.kind, "count": each.count, "example": {"key": each.key, "error": each.error}}
        for each in failures
    ]
    lines = status_lines(status, failures, quiet=invocation.output.quiet)
    return CommandResult({**status_json(status), "failures": groups}, lines)


@command("watch", section=_SECTION, examples="steadyhand bulk watch 3f9c1a\nsteadyhand bulk watch 3f9c1a --queue $URL")
@_on_run
def watch_command(invocation: Invocation, queue: Queue, run: str) -> int:
    """Watch a run until it is over or paused.

    Shows a progress bar, jobs per second and the expected end. Watching changes nothing; stop at any time. The exit
    code is that of bulk run.
    """
    speed, was_attended = Speed(), True
    with progress(invocation.output, run) as shown:
        while not _has_ended(status := queue.store.status(run)):
            is_attended = queue.is_attended(run)
            if not is_attended and not was_attended and queue.fleet is None:
                break  # the process that carried it out is gone; on a queue, a worker may come at any time
            shown(status.ends, status.total, speed.say(status, is_attended=is_attended))
            was_attended = is_attended
            time.sleep(_LOOK)
    return _report(invocation, queue, run, None, is_brief=True)


@command(
    "report",
    section=_SECTION,
    examples="""
    steadyhand bulk report 3f9c1a
    steadyhand bulk report 3f9c1a --only failed --only refused
    steadyhand bulk report 3f9c1a --patches patches
    steadyhand bulk report 3f9c1a --json > report.json
    """,
)
@option(
    "--only states",
    "Only jobs in this state; may be repeated.",
    choices=["waiting", "running", "done", "nothing", "refused", "failed", "cancelled"],
    multiple=True,
)
@_patches_option
@_on_run
def report_command(invocation: Invocation, queue: Queue, run: str, states: tuple[str, ...], patches: str | None) -> int:
    """Report the result of every job of a run.

    --json gives {"id", "counts", "jobs": [{"key", "state", "kind", "files", "error"}]}. --patches writes what each job
    changed, or, for the result patch, would change, as one file that git apply takes.
    """
    return _report(invocation, queue, run, patches, is_brief=False, states=states)


@command("pause", section=_SECTION, examples="steadyhand bulk pause 3f9c1a")
@_on_run
def pause_command(invocation: Invocation, queue: Queue, run: str) -> CommandResult:
    """Pause a run: start no more of its jobs.

    Running jobs finish. bulk resume continues the run.
    """
    queue.store.pause(run)
    return _say(invocation, queue, run)


@command("cancel", section=_SECTION, examples="steadyhand bulk cancel 3f9c1a")
@_on_run
def cancel_command(invocation: Invocation, queue: Queue, run: str) -> CommandResult:
    """Cancel a run; finished jobs stay done.

    Waiting jobs are cancelled and running jobs are stopped. A stopped job leaves its tree as it was, unless it had
    already finished. bulk retry runs cancelled jobs again.
    """
    queue.cancel(run)
    return _say(invocation, queue, run)


@command(
    "resume",
    section=_SECTION,
    examples="""
    steadyhand bulk resume 3f9c1a
    steadyhand bulk resume 3f9c1a --queue postgresql://ci@db/fleet --wait
    """,
)
@_workers_option
@_wait_option
@_on_run
def resume_command(invocation: Invocation, queue: Queue, run: str, **options: Any) -> int:
    """Continue a run that was paused or killed.

    Also after an interrupt, or after its stop rule paused it. On one machine this process runs the remaining jobs; on a
    queue the workers do. A job whose worker was lost is inspected first: what it did is not done again.
    """
    queue.resume(run)
    return _carry_on(invocation, queue, run, options)


@command(
    "retry",
    section=_SECTION,
    examples="""
    steadyhand bulk retry 3f9c1a
    steadyhand bulk retry 3f9c1a --only failed
    """,
)
@option(
    "--only states",
    "Only jobs that ended this way; may be repeated.",
    choices=["refused", "failed", "cancelled"],
    multiple=True,
)
@_workers_option
@_wait_option
@_on_run
def retry_command(invocation: Invocation, queue: Queue, run: str, states: tuple[Any, ...], **options: Any) -> int:
    """Retry jobs that were refused, failed or cancelled.

    Each job starts over, with all its tries.
    """
    queue.store.retry(run, states or ("refused", "failed", "cancelled"), queue.ticketing)
    queue.resume(run)
    return _carry_on(invocation, queue, run, options)


def _say(invocation: Invocation, queue: Queue, run: str) -> CommandResult:
    status = queue.store.status(run)
    return CommandResult(status_json(status), status_lines(status, [], quiet=invocation.output.quiet))


@command(
    "worker",
    section=_SECTION,
    examples="""
    steadyhand worker --queue postgresql://ci@db/fleet
    steadyhand worker --queue postgresql://ci@db/fleet --jobs 8
    STEADYHAND_QUEUE=postgresql://ci@db/fleet steadyhand worker --until-idle
    """,
)
@option("--jobs N", "Jobs at once (default: the machine's cores).", least=1, most=256)
@flag("--until-idle", "Exit when no open run has a job left.")
@option(
    "--lost-after SECONDS",
    "Give the jobs of a worker to others after it has been silent this long; use the same value for all workers.",
    usual=30.0,
    type=click.FloatRange(min=1),
)
@queue_options
def worker_command(
    invocation: Invocation, jobs: int | None, until_idle: bool, lost_after: float, queue: str | None, state: str | None
) -> CommandResult:
    """Run the jobs of a queue until stopped.

    Any number of workers on any number of machines share a queue. A job with a root needs that tree on the worker's
    machine; repositories are cloned. A job that crashes its process does not affect others, and the jobs of a worker
    that dies return to the queue. SIGTERM lets running jobs finish; Ctrl-C puts them back. API keys of models come from
    the worker's environment. Needs the extra fleet.
    """
    from steadyhand.bulk.fleet import Worker

    if queue is None:
        raise misused("no queue is named", "give --queue postgresql://…, or STEADYHAND_QUEUE")
    from steadyhand.workspace.location import shown_url

    place = queue if "://" not in queue else shown_url(queue)
    invocation.output.tell([(Piece(f"connecting to {place} …", "dim"),)])
    with opened_queue(queue, state, is_patient=True) as found:
        assert found.fleet is not None
        worker = Worker(found.fleet, jobs or _cores(), _given(invocation, found, ""), lost_after=lost_after)
        invocation.output.tell([(Piece(f"working on {found.store.database.shown}; Ctrl-C ends it", "dim"),)])

        def is_idle() -> bool:
            return until_idle and not any(status.left for status in found.store.runs(1_000) if status.state == "open")

        with _signals(worker):
            worker.work(is_idle)
    return CommandResult({})
