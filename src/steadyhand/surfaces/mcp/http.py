"""MCP over streamable HTTP, for clients on this machine: loopback only, unless the host names it for others.

The SDK speaks the protocol, uvicorn HTTP; `guard.py` decides who is let in. No other connection is ever made.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import anyio

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.loopback import (
    BACKLOG,
    LOOPBACK,
    App,
    Connections,
    Message,
    Receive,
    Scope,
    Send,
    hosts_of,
    most_connections,
    server_of,
)
from steadyhand.surfaces.mcp.guard import PATH, Guard
from steadyhand.surfaces.mcp.launch import say
from steadyhand.surfaces.mcp.messages import LONGEST
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.sessions import SESSION_HEADER
from steadyhand.workspace.host import listening

if TYPE_CHECKING:
    from uvicorn import Server


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
                f"{host} is reached from other machines",
                hint="listen on 127.0.0.1, or say with --http-name by which names clients may call this server",
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
            f"the port {address.port} of {address.host} cannot be listened on",
            hint="another process may have it: choose another, or 0 for one that is free",
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
            await self._go_on(number, scope, receive, send)
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
            while len(self._requests) + self._opening > self._most and (idle := self._longest_idle()) is not None:
                await self._go_on(idle, {**scope, "method": "DELETE", "headers": _header_of(idle)}, _nothing, _ignore)
            await self._app(scope, receive, noting)
        finally:
            if opened:
                self._answered(opened[0])
            else:
                self._opening -= 1

    async def _go_on(self, number: str, scope: Scope, receive: Receive, send: Send) -> None:
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

    def _longest_idle(self) -> str | None:
        return next((number for number, requests in self._requests.items() if not requests), None)


def _number_in(message: Scope | Message) -> str | None:
    """The session that a request or an answer names."""
    named = (value for name, value in message.get("headers", ()) if name.lower() == SESSION_HEADER.encode())
    return next((value.decode("latin-1") for value in named), None)


def _header_of(number: str) -> list[tuple[bytes, bytes]]:
    return [(SESSION_HEADER.encode(), number.encode("latin-1"))]


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_: Message) -> None:
    pass
