"""Pipes and sockets: writing without waiting for a reader, and a port to listen on."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

__all__ = ["listening", "takes_more", "write_ready"]


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


def listening(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free. Raises OSError where the port cannot be had."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=backlog)
