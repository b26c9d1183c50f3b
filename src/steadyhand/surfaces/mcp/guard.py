"""Who is let in over HTTP, and how many connections there are.

Of every request, before anything else, and before its body is read:

1. The request names this server as its host, and no page of another origin sends it. The SDK decides that; it is asked
   here, so that the answer comes before the body is read and has a hint. A browser's word for it counts too.
2. An origin is named once or not at all; a request without one comes from no page.
3. Every request shows the token, compared in constant time.
4. Only JSON is posted, only POST changes anything, and nothing here ever allows another origin to read an answer.
5. What is posted at the same time is bounded together: more is refused before it is read.

Of every connection: whoever has not shown a token holds none for long, and none that others need. uvicorn waits for the
rest of a request for ever, and asyncio accepts for as long as there are descriptors; so a neighbour that opens
connections and says nothing would shut out everybody else, and keep files from being opened too. No ASGI application
sees such a connection: so a protocol of our own, uvicorn's option `http`, is around the one that speaks HTTP.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request

from steadyhand.surfaces.mcp.messages import LONGEST

if TYPE_CHECKING:
    from uvicorn import Config
    from uvicorn.server import ServerState

__all__ = ["PATH", "Connections", "Guard", "hosts_of", "most_connections"]

PATH = "/mcp"
_METHODS = ("POST", "GET", "DELETE")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SAME = ("same-origin", "none")
_MOST_POSTED = 128_000_000  # bytes
_UNSAID = 1_000_000  # bytes of a request that does not say how many it has
_LONG = 20  # digits

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[str, list[str]]
_MOST = 512
_WANTED = 4_096  # descriptors
_PATIENCE = 10.0  # seconds for a request to be complete, and between two of one connection


class _Refusal(NamedTuple):
    status: int
    message: str
    hint: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


def hosts_of(names: Iterable[str], port: int) -> list[str]:
    """How a server on a port may be called: on this machine, and by further names, with or without a port.

    >>> hosts_of(["box", "box:443"], 8000)[3:]
    ['box:8000', 'box:443']
    """
    hosts = [name if _has_port(name) else f"{name}:{port}" for name in (*_LOOPBACK, *map(str.lower, names))]
    return hosts + ([host.removesuffix(":80") for host in hosts] if port == 80 else [])


class Guard:
    """The application behind it sees only what was let in. `hosts`: how the server may be called, port and all."""

    def __init__(self, app: App, token: str, hosts: Iterable[str]) -> None:
        from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings

        self._app = app
        self._token = token.encode()
        known = list(hosts)
        settings = TransportSecuritySettings(allowed_hosts=known, allowed_origins=[f"http://{host}" for host in known])
        self._security = TransportSecurityMiddleware(settings)
        self._posted = 0  # bytes of the requests that are being answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = _headers(scope)
            refusal = await self._refusal(headers, scope)
            if refusal is not None:
                await _refuse(refusal, send)
                return
            size = _size(headers, scope)
            self._posted += size
            try:
                await self._app(scope, receive, send)
            finally:
                self._posted -= size

    async def _refusal(self, headers: Headers, scope: Scope) -> _Refusal | None:
        return (
            await self._misled(scope)
            or _foreign(headers)
            or _unknown(scope)
            or self._unproven(headers)
            or _not_json(headers, scope)
            or _too_long(headers, scope)
            or self._too_much(headers, scope)
        )

    async def _misled(self, scope: Scope) -> _Refusal | None:
        """What the SDK refuses: another host, another origin."""
        refused = await self._security.validate_request(Request(scope))
        if refused is None:
            return None
        if refused.status_code == _FOREIGN.status:
            return _FOREIGN
        return _Refusal(
            refused.status_code, "this server does not go by that name", "send the Host that it printed at its start"
        )

    def _unproven(self, headers: Headers) -> _Refusal | None:
        given = headers.get("authorization", [])
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode("latin-1"), self._token):
            return None
        return _Refusal(
            401,
            "the token is missing or wrong",
            "send Authorization: Bearer TOKEN, the token that was given or printed at the server's start",
            ((b"www-authenticate", b"Bearer"),),
        )

    def _too_much(self, headers: Headers, scope: Scope) -> _Refusal | None:
        if not self._posted or self._posted + _size(headers, scope) <= _MOST_POSTED:
            return None
        again = ((b"retry-after", b"1"),)
        return _Refusal(503, "too much is being asked at once", "wait for answers, then send it again", again)


_FOREIGN = _Refusal(403, "requests from pages of other origins are refused", "use an MCP client, not a page")


def _foreign(headers: Headers) -> _Refusal | None:
    origins, sites = headers.get("origin", []), headers.get("sec-fetch-site", [])
    is_plain = len(origins) <= 1 and "" not in origins and all(site.lower() in _SAME for site in sites)
    return None if is_plain else _FOREIGN


def _headers(scope: Scope) -> Headers:
    headers: Headers = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _size(headers: Headers, scope: Scope) -> int:
    """Bytes that a request brings, by its own word; the SDK counts those of one that does not say."""
    if scope["method"] != "POST":
        return 0
    said = headers.get("content-length", [""])[0]
    return int(said[:_LONG]) if said.isascii() and said.isdigit() else _UNSAID


def _too_long(headers: Headers, scope: Scope) -> _Refusal | None:
    if _size(headers, scope) <= LONGEST:
        return None
    return _Refusal(413, "the request is too long", f"send less at once: {LONGEST:,} bytes at most")


def _unknown(scope: Scope) -> _Refusal | None:
    if scope["path"] != PATH:
        return _Refusal(404, "there is nothing here", f"the server answers at {PATH}")
    if scope["method"] not in _METHODS:
        allowed = ", ".join(_METHODS)
        return _Refusal(405, "that method is not served", f"one of {allowed}", ((b"allow", allowed.encode()),))
    return None


def _not_json(headers: Headers, scope: Scope) -> _Refusal | None:
    kinds = [kind.partition(";")[0].strip().lower() for kind in headers.get("content-type", [])]
    if scope["method"] != "POST" or kinds == ["application/json"]:
        return None
    return _Refusal(415, "only JSON is taken", "send Content-Type: application/json")


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and not name.endswith("]")


async def _refuse(refusal: _Refusal, send: Send) -> None:
    body = json.dumps({"error": refusal.message, "hint": refusal.hint}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *refusal.headers,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


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
