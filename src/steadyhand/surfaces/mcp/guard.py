"""Who is let in over HTTP. Of every request, before anything else, and before its body is read:

1. The request names this server as its host, and no page of another origin sends it. The SDK decides that; it is asked
   here, so that the answer comes before the body is read and has a hint. A browser's word for it counts too.
2. An origin is named once or not at all; a request without one comes from no page.
3. Every request shows the token, compared in constant time.
4. Only JSON is posted, only POST changes anything, and nothing here ever allows another origin to read an answer.
5. What is posted at the same time is bounded together: more is refused before it is read.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable
from typing import NamedTuple

from starlette.requests import Request

from steadyhand.surfaces.loopback import App, Headers, Receive, Scope, Send, headers_of, is_same_origin
from steadyhand.surfaces.mcp.messages import LONGEST

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
    return _Refusal(415, "only JSON is taken", "send Content-Type: application/json")


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
