"""HTTP for this machine: how a server may be called, and which connections it keeps.

Of every connection: whoever has not shown a token holds none for long, and none that others need. uvicorn waits for the
rest of a request for ever, and asyncio accepts for as long as there are descriptors; so a neighbour that opens
connections and says nothing would shut out everybody else, and keep files from being opened too. No ASGI application
sees such a connection: so a protocol of our own, uvicorn's option `http`, is around the one that speaks HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from uvicorn import Config, Server
    from uvicorn.server import ServerState


LOOPBACK = ("127.0.0.1", "localhost", "::1")
BACKLOG = 128  # asyncio accepts so many at once
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SAME = ("same-origin", "none")
_GRACEFUL = 1  # seconds for answers that are on their way
_MOST = 512
_WANTED = 4_096  # descriptors
_PATIENCE = 10.0  # seconds for a request to be complete, and between two of one connection

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[str, list[str]]


def hosts_of(names: Iterable[str], port: int) -> list[str]:
    """How a server on a port may be called: on this machine, and by further names, with or without a port.

    >>> hosts_of(["box", "box:443"], 8000)[3:]
    ['box:8000', 'box:443']
    """
    hosts = [name if _has_port(name) else f"{name}:{port}" for name in (*_NAMES, *map(str.lower, names))]
    return hosts + ([host.removesuffix(":80") for host in hosts] if port == 80 else [])


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and not name.endswith("]")


def headers_of(scope: Scope) -> Headers:
    """The headers of a request by their names in lower case."""
    headers: Headers = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def is_same_origin(headers: Headers) -> bool:
    """Whether a browser would say that the page which sends a request is of this server, or that there is none."""
    origins, sites = headers.get("origin", []), headers.get("sec-fetch-site", [])
    return len(origins) <= 1 and "" not in origins and all(site.lower() in _SAME for site in sites)


def server_of(app: App, connections: Connections, most: int, *, lifespan: Literal["on", "off"]) -> Server:
    """Uvicorn's server, which leaves signals to its caller: calls at work are to end before connections do."""
    import contextlib
    from collections.abc import Generator

    import uvicorn

    class Unsignalled(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    return Unsignalled(
        uvicorn.Config(
            app,
            loop="asyncio",
            http=connections.protocol,  # type: ignore[arg-type]  # whatever makes a protocol
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=most + 1,
            lifespan=lifespan,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACEFUL,
        )
    )


class Connections:
    """The application for those who were let in, and a bound on all connections: idle ones make room, oldest first."""

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        self._open: dict[tuple[str, int], _Connection] = {}  # by the client's address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = self._open.get(scope.get("client"))  # type: ignore[arg-type]  # None is no key
        if connection is None:
            await self._app(scope, receive, send)
            return
        connection.requests += 1
        try:
            await self._app(scope, receive, send)
        finally:
            connection.requests -= 1
            connection.since = connection.loop.time()

    def protocol(self, config: Config, server_state: ServerState, app_state: dict[str, Any], **_: Any) -> _Connection:
        """What uvicorn makes for each connection that it accepts."""
        from uvicorn.protocols.http.h11_impl import H11Protocol

        return _Connection(self, H11Protocol(config, server_state, app_state))

    def opened(self, connection: _Connection) -> None:
        """Take a connection in; where that is one too many and all others are at work, uvicorn answers 503."""
        while len(self._open) >= self._most and (idle := next(filter(_is_idle, self._open.values()), None)):
            self.closed(idle)
            idle.transport.abort()
        self._open[connection.client] = connection

    def closed(self, connection: _Connection) -> None:
        if self._open.get(connection.client) is connection:
            del self._open[connection.client]


class _Connection(asyncio.Protocol):
    """One connection: everything goes to the protocol that speaks HTTP, and an idle one is ended."""

    def __init__(self, connections: Connections, http: asyncio.Protocol) -> None:
        self._connections, self._http = connections, http
        self.loop = asyncio.get_running_loop()
        self.since = self.loop.time()  # when it was opened, or last answered somebody who was let in
        self.requests = 0  # that were let in and are not answered

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        host, port, *_ = transport.get_extra_info("peername") or ("", 0)
        self.client = (str(host), int(port))
        self._watch = self.loop.call_later(_PATIENCE, self._look)
        self._connections.opened(self)
        self._http.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        self._connections.closed(self)
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._http.data_received(data)

    def eof_received(self) -> bool | None:
        return self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    def _look(self) -> None:
        left = _PATIENCE if self.requests else self.since + _PATIENCE - self.loop.time()
        if left <= 0:
            self.transport.abort()
        else:
            self._watch = self.loop.call_later(left, self._look)


def _is_idle(connection: _Connection) -> bool:
    return not connection.requests


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
