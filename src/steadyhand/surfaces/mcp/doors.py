"""The connections of an HTTP server: whoever has not shown a token holds none for long, and none that others need.

uvicorn waits for the rest of a request for ever, and asyncio accepts for as long as there are descriptors; so a
neighbour that opens connections and says nothing would shut out everybody else, and keep files from being opened too.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from steadyhand.surfaces.mcp.guard import LET_IN

__all__ = ["Door", "most_connections"]

_MOST = 512
_WANTED = 4_096  # descriptors
_PATIENCE = 10.0  # seconds for a request to be complete, and between two of one connection


class Door(H11Protocol):
    """One connection. `limit_concurrency` is how many there may be; idle ones make room, the oldest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as it is above
        super().connection_made(transport)
        self._since = self.loop.time()
        self._over: object = None  # the request that was over when it was last looked at
        self._watch = self.loop.call_later(_PATIENCE, self._look)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)

    @property
    def is_at_work(self) -> bool:
        """Whether a request that was let in is being answered."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return not is_answered and LET_IN in self.scope

    def _look(self) -> None:
        """End a connection on which nothing came to an end since the last look."""
        if self.is_at_work:
            self._over = self
        elif self._over is self.cycle:
            self.transport.abort()
            return
        else:
            self._over = self.cycle
        self._watch = self.loop.call_later(_PATIENCE, self._look)

    def _make_room(self) -> None:
        while self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            others = [door for door in self.connections if isinstance(door, Door) and door is not self]
            idle = min((door for door in others if not door.is_at_work), key=lambda door: door._since, default=None)
            if idle is None:
                return  # it is told so when it asks for something
            self.connections.discard(idle)
            idle.transport.abort()


def most_connections() -> int:
    """How many connections there may be beside the files of the journals; asks the system for more of both."""
    try:
        import resource
    except ImportError:
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):
            pass  # then with what there is
    return _MOST if soft == resource.RLIM_INFINITY else max(min(_MOST, soft // 2), 8)
