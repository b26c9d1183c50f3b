"""Calls of one process work on a bounded amount of text at the same time."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand import Workspace
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.budget import Budget
from tests.faults.fork_server import exit_code_of


def test_what_calls_have_claimed_never_exceeds_the_budget_and_everybody_gets_a_turn() -> None:
    budget = Budget(100, free=9, patience=300)
    guard = threading.Lock()
    held, most, done = [0], [0], []

    def work(number: int) -> None:
        for turn in range(50):
            size = 10 + (number * 7 + turn * 13) % 80
            with budget.sharing():
                budget.claim("a", size)
                with guard:
                    held[0] += size
                    most[0] = max(most[0], held[0])
                with guard:
                    held[0] -= size
        done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(8))
    assert most[0] <= 100


def test_a_call_that_does_not_fit_is_refused_and_fits_when_the_others_have_ended() -> None:
    budget = Budget(100, free=9, patience=0)
    has, may_end = threading.Event(), threading.Event()

    def other() -> None:
        with budget.sharing():
            budget.claim("a", 60)
            has.set()
            may_end.wait()

    thread = threading.Thread(target=other)
    thread.start()
    has.wait()
    with budget.sharing():
        budget.claim("small", 9)
        with pytest.raises(EditError) as refused:
            budget.claim("b", 41)
    assert refused.value.kind is Kind.BUSY
    may_end.set()
    thread.join()
    with budget.sharing(), budget.sharing():
        budget.claim("b", 1_000)  # alone it may be larger than the budget
        budget.claim("c", 50)  # what has claimed something never waits
        budget.claim("b", 1_000)
    with budget.sharing():
        budget.claim("b", 100)


CHILD = """
import os, resource, sys, threading
import steadyhand as sh
if os.fork():  # what a process takes at its peak is also what its parent took when it was started
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
with sh.Workspace(sys.argv[1]) as ws:
    kit = ws.tools("core")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kinds = []
    def miss(number):
        try:
            ws.edit("big.log", [sh.Replace(f"line {number} of nothing that there is\\n", "x\\n")])
        except sh.EditError as error:
            kinds.append(str(error.kind))
    threads = [threading.Thread(target=miss, args=(number,)) for number in range(int(sys.argv[2]))]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert set(kinds) <= {"no-match", "busy"} and "no-match" in kinds, kinds
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.sweep
def test_many_misses_in_a_large_file_take_the_memory_of_a_few(tmp_path: Path) -> None:
    with (tmp_path / "big.log").open("w") as log:
        log.writelines(f"line {number} of a log that goes on and on\n" for number in range(600_000))

    def peak(threads: int) -> int:
        child = [sys.executable, "-c", CHILD, str(tmp_path), str(threads)]
        # Else the C library keeps what each thread has freed, for that thread: some 50 MB.
        environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "1000000"}
        run = subprocess.run(child, capture_output=True, text=True, check=True, env=environment)
        return int(run.stdout)

    assert peak(8) <= 3.5 * peak(1)


def texts_held(size: int) -> int:
    """How many texts of at least that size the objects of this process refer to, garbage included."""
    held = (held for each in gc.get_objects() for held in gc.get_referents(each) if isinstance(held, (bytes, str)))
    return len({id(text) for text in held if len(text) >= size})


def test_a_call_holds_no_text_of_its_file_once_it_has_ended_however_it_ended(tmp_path: Path) -> None:
    (tmp_path / "big.log").write_text("🙂\n" + "".join(f"line {number} of a log\n" for number in range(500_000)))
    # In a small process: every object is looked at, again and again.
    assert exit_code_of(stop_at_every_tick, root=str(tmp_path)) == 0


def stop_at_every_tick(root: str) -> None:
    ends: list[str] = []
    held: list[int] = []
    with Workspace(root) as workspace:
        kit = workspace.tools()
        gc.collect()
        gc.disable()  # what waits for the next collection counts
        try:
            while "applied" not in ends:
                stop_at = len(ends)  # the call is stopped at its first look at the clock, then at its second …
                ticks = iter(range(1_000))

                def tick(ticks: Iterator[int] = ticks, stop_at: int = stop_at) -> None:
                    if next(ticks) == stop_at:
                        raise EditError(Kind.TIMED_OUT, "the time is up")

                edits = [{"target": "line 99 of a log\n", "new": "changed\n"}]
                answer = kit.call("edit", {"path": "big.log", "edits": edits}, tick=tick)
                ends.append("applied" if answer["success"] else str(answer["kind"]))
                held.append(texts_held(1 << 20))
            for target in ("there is no such line\n", "of a log\n"):
                answer = kit.call("edit", {"path": "big.log", "edits": [{"target": target, "new": "changed\n"}]})
                ends.append(str(answer["kind"]))
                held.append(texts_held(1 << 20))
        finally:
            gc.enable()
    assert ends[:2] == ["timed-out"] * 2
    assert ends[-3:] == ["applied", "no-match", "ambiguous-match"]
    assert not any(held), (ends, held)
