"""Pipes and sockets: writing without waiting for a reader, and a port to listen on."""

from __future__ import annotations

import errno
import os
import select
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

__all__ = ["listening", "takes_more", "write_ready"]

_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


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


def listening(host: str, port: int, backlog: int) -> list[socket.socket]:
    """Sockets that listen on every address of a host (`localhost` may have two); port 0 is one that is free.

    Raises OSError where the port cannot be had.
    """
    import socket

    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    addresses = sorted({(family == socket.AF_INET6, str(address[0])) for family, _, _, _, address in found})
    listens: list[socket.socket] = []
    try:
        for is_v6, name in addresses:
            family = socket.AF_INET6 if is_v6 else socket.AF_INET
            try:
                listens.append(socket.create_server((name, port), family=family, backlog=backlog))
            except OSError as error:
                if error.errno in _NO_SUCH_ADDRESS and len(addresses) > 1:  # a machine without IPv6 may still list it
                    continue
                raise
            port = listens[0].getsockname()[1]
        if not listens:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    except OSError:
        for one in listens:
            one.close()
        raise
    return listens
