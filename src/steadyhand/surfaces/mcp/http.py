"""MCP over streamable HTTP, for clients on this machine: loopback only, unless the host names it for others.

The SDK speaks the protocol, uvicorn HTTP; `Guard` decides who is let in. No other connection is ever made.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import signal
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import anyio
from starlette.requests import Request

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.loopback import (
    BACKLOG,
    LOOPBACK,
    App,
    Connections,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    headers_of,
    hosts_of,
    is_same_origin,
    most_connections,
    server_of,
)
from steadyhand.surfaces.mcp.launch import say
from steadyhand.surfaces.mcp.messages import LONGEST
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.sessions import SESSION_HEADER
from steadyhand.workspace.machine import listening

if TYPE_CHECKING:
    from uvicorn import Server


# Who is let in over HTTP. Of every request, before anything else, and before its body is read:
#
# 1. The request names this server as its host, and no page of another origin sends it. The SDK decides that; it is
#    asked here, so that the answer comes before the body is read and has a hint. A browser's word for it counts too.
# 2. An origin is named once or not at all; a request without one comes from no page.
# 3. Every request shows the token, compared in constant time.
# 4. Only JSON is posted, only POST changes anything, and nothing here ever allows another origin to read an answer.
# 5. What is posted at the same time is bounded together: more is refused before it is read.

PATH = "/mcp"
_METHODS = ("POST", "GET", "DELETE")
_MOST_POSTED = 128_000_000  # bytes
_UNSAID = 1_000_000  # bytes of a request that does not say how many it has
_LONG = 20  # digits


class _Refusal(NamedTuple):
    status: int
    message: str
    hint: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


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
            headers = headers_of(scope)
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
            refused.status_code, "this server does not have that host name", "send the Host that it printed at start"
        )

    def _unproven(self, headers: Headers) -> _Refusal | None:
        given = headers.get("authorization", [])
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode("latin-1"), self._token):
            return None
        return _Refusal(
            401,
            "the token is missing or wrong",
            "send Authorization: Bearer TOKEN, the token given to the server or printed at its start",
            ((b"www-authenticate", b"Bearer"),),
        )

    def _too_much(self, headers: Headers, scope: Scope) -> _Refusal | None:
        if not self._posted or self._posted + _size(headers, scope) <= _MOST_POSTED:
            return None
        again = ((b"retry-after", b"1"),)
        return _Refusal(503, "too many requests at once", "wait for answers, then send it again", again)


_FOREIGN = _Refusal(403, "requests from pages of other origins are refused", "use an MCP client, not a page")


def _foreign(headers: Headers) -> _Refusal | None:
    return None if is_same_origin(headers) else _FOREIGN


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
    return _Refusal(415, "only JSON is accepted", "send Content-Type: application/json")


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


_MOST_SESSIONS = 1_000
_DIGITS = 5  # of a port
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, and as whom beyond loopback."""

    host: str
    port: int
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, names: tuple[str, ...] = ()) -> Address:
        """`PORT`, `HOST:PORT` or `[HOST]:PORT`. Refuses a host that others reach unless it is named.

        >>> Address.of("8000")
        Address(host='127.0.0.1', port=8000, names=())
        """
        host, _, port = text.rpartition(":")
        host = host.strip("[]") or LOOPBACK[0]
        if not port.isascii() or not port.isdigit() or len(port) > _DIGITS or int(port) > 65_535:
            raise EditError(
                Kind.BAD_REQUEST, f"{text[:80]!r} is not an address", hint="PORT or HOST:PORT, such as 8765"
            )
        if host not in LOOPBACK and not names:
            raise EditError(
                Kind.NOT_ALLOWED,
                f"{host} can be reached from other machines",
                hint="listen on 127.0.0.1, or list with --http-name the host names that clients may use",
            )
        return cls(host, int(port), names)

    @property
    def is_local(self) -> bool:
        return self.host in LOOPBACK


def serve_http(service: Service, address: Address, token: str) -> None:
    """Serve until a signal comes. Refuses with `disk-refused` where the port cannot be had."""
    most = most_connections()
    try:
        listens = listening(address.host, address.port, BACKLOG)
    except OSError:
        raise EditError(
            Kind.DISK_REFUSED,
            f"cannot listen on port {address.port} of {address.host}",
            hint="another process may use it: choose another, or 0 for a free one",
        ) from None
    with contextlib.ExitStack() as opened:
        for one in listens:
            opened.enter_context(one)
        port = listens[0].getsockname()[1]
        connections = Connections(_application(service), most)
        guarded = Guard(connections, token, hosts_of(address.names, port))
        server = server_of(guarded, connections, most, lifespan="on")
        say(f"listening on http://{f'[{address.host}]' if ':' in address.host else address.host}:{port}{PATH}")
        anyio.run(_serve, service, server, partial(server.serve, listens))


async def _serve(service: Service, server: Server, serve: Callable[[], Awaitable[None]]) -> None:
    async def leave() -> None:
        service.end("the server ends")
        await service.ended()
        server.should_exit = True

    async with anyio.create_task_group() as tasks:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, tasks.start_soon, leave)
        await serve()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        tasks.cancel_scope.cancel()


def _application(service: Service, most: int = _MOST_SESSIONS) -> App:
    from mcp.server.transport_security import TransportSecuritySettings

    app = service.server().streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST,
        max_sessions=most,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # asked by the guard
    )

    return _SessionLimit(app, service, most)


class _SessionLimit:
    """The SDK's application, with room for a new session made by ending the one that was not used for longest.

    Few clients end their sessions; the SDK would refuse further ones until the old expire. A session is in use while a
    request of it is answered, which a stream that the client listens to is all the time. A client whose session was
    ended is answered 404 and begins another, as the protocol has it.
    """

    def __init__(self, app: App, service: Service, most: int) -> None:
        self._app = app
        self._service = service
        self._most = most
        self._opening = 0
        self._requests: OrderedDict[str, int] = OrderedDict()  # by session; used last comes last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif (number := _number_in(scope)) is not None:
            await self._forward(number, scope, receive, send)
        else:
            await self._open(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened: list[str] = []

        async def noting(message: Message) -> None:
            number = _number_in(message) if message.get("status", 500) < 400 else None
            if number is not None:
                opened.append(number)
                self._requests[number] = 1
                self._opening -= 1
            await send(message)

        self._opening += 1
        try:
            while len(self._requests) + self._opening > self._most:
                oldest = next((number for number, requests in self._requests.items() if not requests), None)
                if oldest is None:
                    break
                headers = [(SESSION_HEADER.encode(), oldest.encode("latin-1"))]
                await self._forward(oldest, {**scope, "method": "DELETE", "headers": headers}, _nothing, _ignore)
            await self._app(scope, receive, noting)
        finally:
            if opened:
                self._answered(opened[0])
            else:
                self._opening -= 1

    async def _forward(self, number: str, scope: Scope, receive: Receive, send: Send) -> None:
        statuses: list[int] = []

        async def noting(message: Message) -> None:
            statuses.append(message.get("status", 0))
            await send(message)

        if number in self._requests:
            self._requests[number] += 1
            self._requests.move_to_end(number)
        try:
            await self._app(scope, receive, noting)
        finally:
            self._answered(number)
        is_ended = scope["method"] == "DELETE" and statuses[:1] == [200]
        if is_ended or statuses[:1] == [404]:
            self._requests.pop(number, None)
        if is_ended:  # the SDK does not report it in another way
            await self._service.end_session(number)

    def _answered(self, number: str) -> None:
        if number in self._requests:
            self._requests[number] -= 1


def _number_in(message: Scope | Message) -> str | None:
    """The session that a request or an answer names."""
    named = (value for name, value in message.get("headers", ()) if name.lower() == SESSION_HEADER.encode())
    return next((value.decode("latin-1") for value in named), None)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_: Message) -> None:
    pass
