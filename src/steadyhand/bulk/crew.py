"""Processes that run jobs, one at a time each, and what happens to a job whose process dies or hangs.

A job can take its process down: it may use all memory, crash an extension, or hang in a call that no signal interrupts.
So the process that holds the queue never runs a job itself. A crew member is one process that runs one job at a time;
it is killed if the job takes too long or is cancelled. The next attempt finds out what the job had done by then. Every
job goes through `attempt`, whichever queue it came from.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from steadyhand.bulk.execution import Given, carry_out
from steadyhand.bulk.job import Job
from steadyhand.bulk.run_store import LONGEST_WAIT, AttemptOutcome, Begun, RunStore
from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, replace

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


Wanted = Callable[[], bool]

_LOOK = 0.2  # seconds between two looks at whether a job is still wanted
_SETTLING = 120.0  # to find out what a lost process did
_BACKSTOP = 60  # seconds after its limit at which a process ends itself, should nobody else be there to do so
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_DIED = "worker-died"


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended before the job did."""

    why: str


@dataclass(frozen=True, slots=True)
class Late:
    """The job took too long."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """The job is no longer wanted."""


class Member:
    """One process that carries jobs out, started when it is first needed and again after it has died."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        self._pipe: Connection[Any, Any] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def run(
        self, job: Job, given: Given, *, seconds: float, is_wanted: Wanted = lambda: True
    ) -> AttemptOutcome | Died | Late | Unwanted:
        """What became of the job; whatever is no outcome has ended the process."""
        process, pipe = self._start()
        try:
            pipe.send((job.to_json(), given, seconds))
            left = seconds
            while True:
                if wait([pipe, process.sentinel], timeout=min(_LOOK, left)):
                    return self._answer(process, pipe)
                left -= _LOOK
                if left <= 0:
                    self.close()
                    return Late()
                if not is_wanted():
                    self.close()
                    return Unwanted()
        except (OSError, EOFError):
            return self._dead(process)

    def close(self) -> None:
        """End the process at once; what it does to a tree is whole or settled by the next."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def _start(self) -> tuple[SpawnProcess, Connection[Any, Any]]:
        if self._process is not None and self._pipe is not None and self._process.is_alive():
            return self._process, self._pipe
        self.close()
        context = multiprocessing.get_context("spawn")  # a fork would share locks, databases and pipes of its parent
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True, name="steadyhand-bulk")
        process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        return process, ours

    def _answer(self, process: SpawnProcess, pipe: Connection[Any, Any]) -> AttemptOutcome | Died:
        if not pipe.poll():
            return self._dead(process)
        outcome = pipe.recv()
        assert isinstance(outcome, AttemptOutcome)
        return outcome

    def _dead(self, process: SpawnProcess) -> Died:
        process.join(1.0)
        code = process.exitcode
        self.close()
        return Died(f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}")


def _serve(pipe: Connection[Any, Any]) -> None:
    """The life of a member: a job, its outcome, the next job, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked is interrupted too, and says what is to happen
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    while True:
        try:
            job, given, seconds = pipe.recv()
        except (EOFError, OSError):
            return
        signal.alarm(int(seconds) + _BACKSTOP)
        outcome = carry_out(Job.of_json(job), given)
        signal.alarm(0)
        try:
            pipe.send(outcome)
        except OSError:
            return


def attempt(store: RunStore, begun: Begun, member: Member, given: Given, *, is_wanted: Wanted = lambda: True) -> float:
    """Carry out a job that was begun, and note its end, or that it waits for another attempt.

    The seconds that this process should leave jobs alone: where its own disk refuses, others may have room.
    """
    job, settings = begun.job, begun.settings
    given = replace(given, run=begun.run, actor=given.actor or settings.actor, push=settings.push)
    # Not begun once more: the job has ended so many processes that it is the likely cause.
    if begun.lost >= settings.lost:
        error = f"{begun.lost} workers died or were lost during this job"
        store.end(begun, _settled(member, job, given, AttemptOutcome("failed", _DIED, error)))
        return 0.0
    found = member.run(job, given, seconds=settings.seconds, is_wanted=is_wanted)
    match found:
        case Died():
            outcome = AttemptOutcome("failed", _DIED, f"the worker ended {found.why}", again=True)
            if begun.lost + 1 < settings.lost:
                store.put_back(begun, outcome, _FIRST_WAIT, lost=True)
                return 0.0
            error = f"{begun.lost + 1} workers died at this job, the last {found.why}"
            store.end(begun, _settled(member, job, given, replace(outcome, error=error)))
            return 0.0
        case Late():
            error = f"the job was not done after {settings.seconds:g} seconds and was ended"
            store.end(begun, _settled(member, job, given, AttemptOutcome("failed", str(Kind.TIMED_OUT), error)))
            return 0.0
        # The process was ended in the middle, perhaps right after its commit: the journal says whether the job is done.
        case Unwanted():
            outcome = _settled(member, job, given, AttemptOutcome("cancelled", wait=0.0))
            if outcome.state == "done" or store.stopped_runs([begun.run]):
                store.end(begun, outcome)
            else:
                store.put_back(begun, outcome, 0.0)
            return 0.0
        case AttemptOutcome():
            return _note(store, begun, found)


def _note(store: RunStore, begun: Begun, outcome: AttemptOutcome) -> float:
    if outcome.again and outcome.wait is not None:
        waits = begun.waited / 1000 + outcome.wait
        if outcome.is_away and waits > LONGEST_WAIT:  # as one does whose quota is used up
            said = f"{outcome.error} (it asked to wait {waits:,.0f} seconds in all)"
            store.end(begun, replace(outcome, error=said))
        else:
            store.put_back(begun, outcome, outcome.wait)
        return 0.0
    if outcome.again and begun.tries + 1 < begun.settings.tries:
        pause = min(_FIRST_WAIT * 2**begun.tries, _LONGEST_WAIT)
        store.put_back(begun, outcome, pause)
        return pause if outcome.is_disk else 0.0
    store.end(begun, outcome)
    return 0.0


def _settled(member: Member, job: Job, given: Given, otherwise: AttemptOutcome) -> AttemptOutcome:
    """What a process that is gone did: all of the job after all, or what is said otherwise."""
    with suppress(OSError):
        found = member.run(job, replace(given, settle=True), seconds=_SETTLING)
        if isinstance(found, AttemptOutcome) and found.state == "done":
            return found
    return otherwise
