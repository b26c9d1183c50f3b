"""Calls for asyncio: each is done in a thread, and can be cancelled.

1. No call is waited for in the event loop: files, locks and databases are met in threads only.
2. A call that is cancelled before a thread has begun it is never begun.
3. A call that is cancelled later is asked to stop and waited for. It stops between edits and before anything is staged;
   once its files are being exchanged it is finished. The tree is as it was or as the call leaves it, and no thread
   works on, or holds a lock, when `CancelledError` arrives.
4. Cancelling never becomes an answer: the awaiting task always gets `CancelledError`, also where the change was made.

Callbacks that are handed to a method (`progress`, `stop`, `on_damage`) are called in its thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.tools.workspace import Workspace

__all__ = ["THREADS", "Call", "Threads"]

T = TypeVar("T")

THREADS = 8  # of one workspace; more calls wait for one of them


class Call:
    """Whether the call under way is still wanted; asked in its thread, answered in the event loop."""

    __slots__ = ("above", "is_cancelled")

    def __init__(self, above: Callable[[], None] | None = None) -> None:
        self.above = above
        self.is_cancelled = False

    def tick(self) -> None:
        if self.is_cancelled:
            raise EditError(Kind.CANCELLED, "the call was cancelled", hint="the change under way was not made")
        if self.above is not None:
            self.above()


class Threads:
    """An open workspace and its threads, which a workspace shares with those of its tasks."""

    def __init__(self, open_workspace: Callable[[], Workspace]) -> None:
        self._open = open_workspace
        self._guard = threading.Lock()
        self._workspace: Workspace | None = None
        self._pool = ThreadPoolExecutor(THREADS, "steadyhand-async")
        self._is_closed = False

    @property
    def workspace(self) -> Workspace:
        """The workspace, opened by the first who asks. Blocks: asked in threads only."""
        with self._guard:
            if self._is_closed:
                raise closed()
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    @property
    def opened(self) -> Workspace:
        """The workspace, if it is open. Never blocks for long."""
        if self._workspace is None:
            raise EditError(Kind.BAD_REQUEST, "the workspace is not open yet", hint="use it in an `async with`")
        return self._workspace

    async def run(self, work: Callable[[], T], call: Call, pool: ThreadPoolExecutor | None = None) -> T:
        """What `work` gives, done in a thread; the invariants of this module are kept here."""
        try:
            begun = (pool or self._pool).submit(work)
        except RuntimeError:
            raise closed() from None
        ending = asyncio.wrap_future(begun)
        try:
            return await asyncio.shield(ending)
        except asyncio.CancelledError:
            call.is_cancelled = True
            begun.cancel()
            await _end(ending)
            raise

    async def close(self) -> None:
        """Close the workspace after the calls that were begun; others are refused."""
        await self.run(self._close, Call())
        self._pool.shutdown(wait=False)

    def _close(self) -> None:
        with self._guard:
            self._is_closed = True
            if self._workspace is not None:
                self._workspace.close()


async def _end(ending: asyncio.Future[Any]) -> None:
    """Wait until a thread has ended, however often the waiting task is cancelled meanwhile."""
    while not ending.done():
        try:
            await asyncio.wait([ending])
        except asyncio.CancelledError:
            continue  # the caller of `run` raises it, once
    if not ending.cancelled():
        ending.exception()  # how it ended is nobody's answer any more


def closed() -> EditError:
    return EditError(Kind.BAD_REQUEST, "the workspace is closed", hint="open it again")
