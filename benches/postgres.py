"""A PostgreSQL server for the benches: the tests' own, set to be as durable as one that people rely on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "shared_buffers": "128MB"}


@contextlib.contextmanager
def durable_server() -> Iterator[str | None]:
    """The URL of a server for the length of the block, without a journal's name; None where none can be had."""
    try:
        from tests.postgres import server
    except ImportError:
        yield None
        return
    usual = dict(server._SETTINGS)
    server._SETTINGS.update(_DURABLE)
    try:
        with server.running_server() as running:
            yield running.url
    finally:
        server._SETTINGS.update(usual)
