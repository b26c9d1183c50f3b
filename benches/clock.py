"""Timing two or more calls side by side, so that a busy machine slows all of them alike. Standard library only.

1. Calls take turns: each round runs every call once, the order rotates from round to round.
2. A ratio is taken within a round, never between two runs of the program.
3. A call that is over before the clock can tell is repeated within its turn; one that needs preparation is not.
4. A slow call gets fewer rounds, at least one; one that passes the limit is given up and the row says so.
"""

from __future__ import annotations

import gc
import signal
import statistics
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from types import FrameType

from benches.table import Row

_SHORTEST = 0.002


@dataclass(frozen=True, slots=True)
class Call:
    """One contestant. `prepare` runs before each turn and is not timed.

    `timed` takes the turn in another process: it is given the number of runs, and gives the seconds of all of them.
    """

    label: str
    run: Callable[[], object]
    prepare: Callable[[], object] | None = None
    remark: str = ""
    timed: Callable[[int], float] | None = None


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try: rounds at most, seconds a call may use up in all, and seconds one run may take."""

    rounds: int = 31
    seconds: float = 5.0
    limit: float = 60.0


class TooSlowError(Exception):
    """A run passed the limit."""


def compare(floor: Callable[[], object] | Call, calls: Sequence[Call], effort: Effort) -> list[Row]:
    """A row per call, each with its ratio to the floor."""
    base = floor if isinstance(floor, Call) else Call("floor", floor)
    turns = [_Turn(call, effort) for call in (base, *calls)]
    for number in range(effort.rounds):
        shift = number % len(turns)
        for turn in turns[shift:] + turns[:shift]:
            turn.take(number)
    return [_row(turn, turns[0], effort) for turn in turns[1:]]


class _Turn:
    """One call's samples, by round."""

    def __init__(self, call: Call, effort: Effort) -> None:
        self.call = call
        self.samples: dict[int, float] = {}
        self._limit = effort.limit
        self._repeats = 1
        first = self._time()  # fills caches; counts only where there will be no second
        self._rounds = 0
        if first is None:
            return
        if first > effort.seconds:
            self.samples[0] = first
            return
        if call.prepare is None and first < _SHORTEST:
            self._repeats = max(1, round(_SHORTEST / max(first, 1e-7)))
        self._rounds = max(1, min(effort.rounds, int(effort.seconds / max(first, _SHORTEST))))

    def take(self, number: int) -> None:
        if number < self._rounds and (seconds := self._time()) is not None:
            self.samples[number] = seconds

    def _time(self) -> float | None:
        if self.call.prepare is not None:
            self.call.prepare()
        gc.collect()
        repeats, run = range(self._repeats), self.call.run
        try:
            with _limited(self._limit):
                if self.call.timed is not None:
                    return self.call.timed(self._repeats) / self._repeats
                started = perf_counter()
                for _ in repeats:
                    run()
                return (perf_counter() - started) / len(repeats)
        except TooSlowError:
            return None


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Break off Python code that runs longer; only the main thread of a Unix process can."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _row(turn: _Turn, base: _Turn, effort: Effort) -> Row:
    call = turn.call
    floor = statistics.median(base.samples.values()) if base.samples else None
    if not turn.samples:
        return Row(call.label, None, floor, remark=f"given up after {effort.limit:.0f} s")
    value = statistics.median(turn.samples.values())
    if floor is None:
        remark = "; ".join(filter(None, (call.remark, f"the floor was given up after {effort.limit:.0f} s")))
        return Row(call.label, value, runs=len(turn.samples), remark=remark)
    ratios = [seconds / base.samples.get(number, floor) for number, seconds in turn.samples.items()]
    low, ratio, high = quartiles(ratios)
    return Row(call.label, value, floor, ratio, low, high, len(ratios), call.remark)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """A quarter of the values lies below the first, half below the second, three quarters below the third."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high
