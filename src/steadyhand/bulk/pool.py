"""A run on one machine: the processes of a pool take its jobs from the store until none is left.

The pool can be killed at any moment. Resuming the run puts the jobs back that it had begun; only one pool at a time
works on a run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from steadyhand.bulk.crew import Member, attempt
from steadyhand.bulk.execution import Given
from steadyhand.bulk.run_store import AttemptOutcome, Begun, RunStore, Wait
from steadyhand.errors import Kind
from steadyhand.workspace.journal.record import new_record_id
from steadyhand.workspace.run_database import alone

_LOOK = 0.5  # seconds between two looks at whether the run was stopped, or a job may begin now


def carry_out_run(
    store: RunStore, run: str, processes: int, given: Given, watch: Callable[[], None] = lambda: None
) -> None:
    """Carry out the jobs of a run until none may begin. `watch` is called now and then, by the thread that waits.

    Refuses with `busy` where another pool is at work on the run. An interrupt stops what runs and puts it back.
    """
    with ExitStack() as stack:
        stack.enter_context(alone(given.folder, run))
        # Jobs that are running now belong to a pool that died: no other one can be at this run.
        store.release(run)
        pool = _Pool(store, run, given)
        # A thread for each process: it only waits, so a job that hangs, or takes its process along, holds up no other.
        threads = [threading.Thread(target=pool.work, name=f"bulk {number}") for number in range(processes)]
        stack.callback(pool.stop, threads)
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            threads[0].join(_LOOK)
            pool.look()
            watch()
    if pool.error is not None:
        raise pool.error


class _Pool:
    """What the threads of a pool share."""

    def __init__(self, store: RunStore, run: str, given: Given) -> None:
        self.error: BaseException | None = None
        self._store = store
        self._run = run
        self._given = given
        self._turn = threading.Condition()
        self._trees: set[str] = set()
        self._is_wanted = True
        self._is_over = False

    def work(self) -> None:
        """The life of one thread, with one process of its own."""
        member = Member()
        try:
            while (begun := self._next()) is not None:
                try:
                    pause = attempt(self._store, begun, member, self._given, is_wanted=lambda: self._is_wanted)
                finally:
                    with self._turn:
                        self._trees.discard(begun.job.tree)
                        self._turn.notify_all()
                if pause:
                    with self._turn:
                        self._turn.wait_for(lambda: self._is_over, timeout=pause)
        # Raised again by `carry_out_run`; the other threads begin nothing more on a store that may be broken.
        except BaseException as error:
            self.error = error
            self._is_over = True
        finally:
            member.close()

    def look(self) -> None:
        """Stop what runs where the run was cancelled."""
        if self._store.stopped_runs([self._run]):
            self._is_wanted = False

    def stop(self, threads: Sequence[threading.Thread]) -> None:
        """End the pool; what still runs then is cancelled, or put back by whoever goes on."""
        with self._turn:
            self._is_over = True
            self._turn.notify_all()
        self._is_wanted = False
        for thread in threads:
            thread.join()

    def _next(self) -> Begun | None:
        """A job that was begun; None where nothing is left to begin."""
        with self._turn:
            while not self._is_over:
                # Jobs of one tree would only wait for each other's locks, each in a process that others could use.
                found = self._store.take(self._run, self._trees)
                # While any job runs it may yet be put back, and then somebody has to be there to take it.
                if found is None and not self._trees:
                    return None
                if isinstance(found, int):
                    begun = self._store.begin(self._run, found, new_record_id())
                    if isinstance(begun, Begun):
                        self._trees.add(begun.job.tree)
                        return begun
                    found = begun.seconds if isinstance(begun, Wait) else 0.0
                self._turn.wait(min(_LOOK, found or _LOOK))
            return None


def try_sample(store: RunStore, run: str, count: int, processes: int, given: Given) -> list[tuple[str, AttemptOutcome]]:
    """What some jobs of a run would do, by their keys; nothing is written, and the jobs wait as before."""
    numbers = store.sample(run, count)
    seconds = store.status(run).settings.seconds
    found: list[tuple[str, AttemptOutcome] | None] = [None] * len(numbers)
    places = iter(enumerate(numbers))
    turn = threading.Lock()

    def work() -> None:
        member = Member()
        try:
            while True:
                with turn:
                    place, number = next(places, (-1, 0))
                if place < 0:
                    return
                job = store.job(run, number)
                assert job is not None
                ended = member.run(job, given, seconds=seconds)
                if not isinstance(ended, AttemptOutcome):
                    ended = AttemptOutcome("failed", str(Kind.TIMED_OUT), f"the job did not finish: {ended}")
                found[place] = (job.key, ended)
        finally:
            member.close()

    threads = [threading.Thread(target=work) for _ in range(min(processes, len(numbers)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [each for each in found if each is not None]
