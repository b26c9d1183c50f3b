"""Calls at work: a few threads do them, in the order they came, and whoever waits may give up at any time.

1. A call that was not begun when its caller gave up, or the server ended, is never begun.
2. A call that was begun is asked to stop and is waited for: it ends with its change made or not made, and says which.
3. What waits is bounded in number and in size; more is refused with `busy`, at once.
4. No call is begun while its client takes no answers: they would only pile up.
5. A deadline is asked by the thread that works and set by the one that listens; neither waits for the other there.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.mcp.options import USUAL
from steadyhand.workspace.budget import BUDGET, trim_memory

_THREADS = 8
_MOST = 4_096
_HEAVIEST = 64_000_000  # characters of arguments in flight
_QUEUED = 60.0  # seconds after which a call that was not begun is given up
_GRACE = 2.5  # seconds that a call is waited for after it was asked to stop
_LOOK = 0.05  # seconds after which a thread that waits for room looks whether it still should
_TRIMS = 5.0  # seconds, at least, between two times that freed memory is given back
_Done = TypeVar("_Done")
HARDEST = 30.0  # seconds after which a call is answered whatever it is doing


class Calls:
    """The calls of one server. `before` is run by each thread before its first call; `room`: answers are taken."""

    def __init__(self, before: Callable[[], None] | None = None, room: threading.Event | None = None) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, "steadyhand-call", initializer=before)
        self._room = room
        self._at_work: dict[Future[Any], Deadline] = {}
        self._guard = threading.Lock()
        self._taken = self._weight = 0
        self._ending: str | None = None
        self._patience = float("inf")
        self._trimmed = time.monotonic()

    @contextmanager
    def taken(self, weight: int = 0) -> Iterator[None]:
        """Hold a request of that weight until it is answered. Refuses with `busy` what cannot be held as well."""
        if self._taken >= _MOST or (self._taken and self._weight + weight > _HEAVIEST):
            raise EditError(
                Kind.BUSY,
                f"{self._taken} calls are in flight, and no more are taken",
                hint="wait for answers, then send the same call again",
            )
        self._taken, self._weight = self._taken + 1, self._weight + weight
        try:
            yield
        finally:
            self._taken, self._weight = self._taken - 1, self._weight - weight

    async def run(self, work: Callable[[Deadline], _Done], deadline: Deadline) -> _Done:
        """What `work` gives, done in a thread. Refuses with `busy`, `cancelled` or `timed-out`."""
        loop, done = asyncio.get_running_loop(), anyio.Event()

        def begin() -> _Done:
            while self._room is not None and not self._room.wait(_LOOK):
                deadline.tick()
            deadline.start()
            with BUDGET.sharing():  # until the answer is written: a receipt holds the text of its files
                return work(deadline)

        future = self._submit(begin, deadline)
        future.add_done_callback(lambda _: _wake(loop, done))
        queued = time.monotonic()
        try:
            while not done.is_set():
                left = _left(deadline, queued)
                if left <= 0:
                    raise _overdue(future, deadline)
                with anyio.move_on_after(left):
                    await done.wait()
        except anyio.get_cancelled_exc_class():
            await self._give_up(future, deadline, done)
            raise
        if future.cancelled():
            raise EditError(Kind.CANCELLED, "the server ends; the call was not begun", hint="nothing was changed by it")
        return future.result()

    @property
    def is_answering(self) -> bool:
        """Whether a request is held that was not answered yet."""
        return self._taken > 0

    @property
    def is_busy(self) -> bool:
        """Whether a call is waiting or at work."""
        return bool(self._at_work)

    def prepare(self, work: Callable[[], object]) -> None:
        """Do something that calls will need, while no call waits for it; how it ends is seen when they need it."""
        with self._guard:
            if self._ending is None:
                self._threads.submit(work)

    def end(self, why: str) -> None:
        """Begin no further call, and ask those at work to stop: they are waited for a little longer, all together."""
        with self._guard:
            self._ending = self._ending or why
            self._patience = min(self._patience, time.monotonic() + _GRACE)
            running = list(self._at_work.items())
        for future, deadline in running:
            deadline.cancel(why)
            future.cancel()

    async def ended(self) -> bool:
        """Wait until no call is at work, for a while; whether that came to pass."""
        with anyio.move_on_after(self._left()):
            while self.is_busy:
                await anyio.sleep(0.01)
        return not self.is_busy

    def close(self) -> None:
        self.end("the server ends")
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _submit(self, begin: Callable[[], _Done], deadline: Deadline) -> Future[_Done]:
        with self._guard:
            if self._ending is not None:
                raise EditError(Kind.CANCELLED, f"the call was not begun: {self._ending}", hint="nothing was changed")
            future = self._threads.submit(begin)
            self._at_work[future] = deadline
        future.add_done_callback(self._forget)
        return future

    def _forget(self, future: Future[_Done]) -> None:
        """Let go of a call that has ended; when it was the last, what it took is given back, now and then."""
        with self._guard:
            self._at_work.pop(future, None)
            is_idle = not self._at_work and self._ending is None
            if is_idle and time.monotonic() - self._trimmed > _TRIMS:
                self._trimmed = time.monotonic()
                self._threads.submit(trim_memory)

    async def _give_up(self, future: Future[_Done], deadline: Deadline, done: anyio.Event) -> None:
        """The caller is gone: drop what was not begun, stop what was, and see it end."""
        deadline.cancel("the caller took it back or went away")
        if not future.cancel():
            with anyio.move_on_after(self._left(), shield=True):
                await done.wait()

    def _left(self) -> float:
        """Seconds for which a call that was asked to stop is still waited for: all that end together share them."""
        return max(min(self._patience - time.monotonic(), _GRACE), 0.0)


def _left(deadline: Deadline, queued: float) -> float:
    """Seconds for which a call is waited for before it is looked at again; none are left where its time is up."""
    ends = queued + _QUEUED if deadline.began is None else deadline.began + HARDEST
    return min(ends - time.monotonic(), HARDEST)


def _overdue(future: Future[_Done], deadline: Deadline) -> EditError:
    """The answer to a call that is no longer waited for."""
    if future.cancel() or not deadline.cancel("its time was up"):
        return EditError(
            Kind.BUSY,
            f"the server had no time for the call within {_QUEUED:g} seconds",
            hint="nothing was changed by it; send it again when others have been answered",
        )
    return EditError(
        Kind.TIMED_OUT,
        f"the call did not end within {HARDEST:g} seconds; it was asked to stop and is no longer waited for",
        hint="look at the history before you repeat it: its change may have been made",
        details={"applied": "unknown"},
    )


def _wake(loop: asyncio.AbstractEventLoop, done: anyio.Event) -> None:
    try:
        loop.call_soon_threadsafe(done.set)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more


def weight_of(arguments: object) -> int:
    """About how many characters a call's arguments hold."""
    level, weight = [arguments], 0
    while level:
        below: list[object] = []
        for value in level:
            match value:
                case str():
                    weight += len(value)
                case Mapping():
                    below += value.keys()
                    below += value.values()
                case list():
                    below += value
                case _:
                    weight += 8
        level = below
    return weight


class Deadline:
    """The end of one call. The clock runs from `start`, not from the moment the call was queued."""

    __slots__ = ("_guard", "_why", "began", "seconds")

    def __init__(self, seconds: float = USUAL) -> None:
        self.seconds = min(seconds, HARDEST)
        self.began: float | None = None
        self._why: str | None = None
        self._guard = threading.Lock()

    def start(self) -> None:
        """Begin, unless the call was stopped before: then it refuses with `cancelled`."""
        with self._guard:
            self.tick()
            self.began = time.monotonic()

    def cancel(self, why: str) -> bool:
        """Stop the call where it next asks; the first reason stays. Whether it had begun."""
        with self._guard:
            self._why = self._why or why
            return self.began is not None

    def tick(self) -> None:
        """Go on, or refuse with `cancelled` or `timed-out`: nothing is then changed."""
        if self._why is not None:
            raise EditError(
                Kind.CANCELLED, f"the call was stopped: {self._why}", hint="the change under way was not made"
            )
        if self.began is not None and time.monotonic() > self.began + self.seconds:
            raise EditError(
                Kind.TIMED_OUT,
                f"the call did not end within {self.seconds:g} seconds and was stopped",
                hint="the change under way was not made; ask for less at once: fewer files, a narrower search",
            )
