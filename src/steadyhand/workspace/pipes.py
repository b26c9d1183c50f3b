"""Writing to a pipe or a socket without waiting for a reader."""

from __future__ import annotations

import os
import select
import time

__all__ = ["takes_more", "write_ready"]


def takes_more(descriptor: int, seconds: float = 0) -> bool:
    """Whether `select.PIPE_BUF` bytes can be written without waiting for a reader, now or within some seconds."""
    polled = select.poll()
    polled.register(descriptor, select.POLLOUT)
    return bool(polled.poll(seconds * 1_000))


def write_ready(descriptor: int, data: memoryview, seconds: float = 0) -> memoryview:
    """Write what is taken at once, or within some seconds; what is left. Raises OSError if nobody will ever read."""
    until = time.monotonic() + seconds
    while data and takes_more(descriptor, max(until - time.monotonic(), 0)):
        data = data[os.write(descriptor, data[: select.PIPE_BUF]) :]
    return data
