"""How far a call is, from the thread that works to the client that asked. What comes too fast is passed over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio

__all__ = ["Progress", "forwarded"]

Progress = Callable[[int, int], None]
_AHEAD = 8  # steps that may wait to be sent


@asynccontextmanager
async def forwarded(context: Any) -> AsyncIterator[Progress | None]:
    """Whom a worker tells; None where the client of the request did not ask."""
    if not context.meta or context.meta.get("progress_token") is None:
        yield None
        return
    loop = asyncio.get_running_loop()
    steps, taken = anyio.create_memory_object_stream[tuple[int, int]](_AHEAD)

    def put(done: int, total: int) -> None:
        try:
            steps.send_nowait((done, total))
        except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    def tell(done: int, total: int) -> None:
        try:
            loop.call_soon_threadsafe(put, done, total)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    async def forward() -> None:
        async with taken:
            async for done, total in taken:
                await context.session.report_progress(done, total)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        try:
            yield tell
        finally:
            steps.close()
