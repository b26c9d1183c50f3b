"""Who is let in to the page, and what every answer says.

Of every request, before anything else, and before its body is read:

1. It names this server as its host, and a browser says that no page of another origin sends it. So a name that an
   attacker's DNS leads here, and a page that posts here, get nothing.
2. It carries the cookie of this run. The link that is opened first has a token that gives the cookie once: the link in
   a history or a log is worthless afterwards. The cookie is not sent along by other sites, and no script can read it.
3. Only forms of bounded size are posted, and only POST changes anything. What is posted has a token of the page too,
   for which `app.py` asks: other servers on this machine see the cookie, for a browser does not tell ports apart, but
   not the page.

Every answer forbids the page all that it does not need: scripts and styles of others, frames of others, connections to
others, being framed, being kept.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from steadyhand.lazy import dataclass, field
from steadyhand.surfaces.loopback import App, Headers, Message, Receive, Scope, Send, headers_of, is_same_origin
from steadyhand.surfaces.web.markup import Html, el
from steadyhand.surfaces.web.page import message_page
from steadyhand.workspace.machine import new_token

OPEN = "/open/"
ASSETS = "/assets/"
LONGEST = 1_000_000  # bytes of a request
_METHODS = ("GET", "HEAD", "POST")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SAID = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


@dataclass(slots=True)
class Keys:
    """The secrets of one run. The token is good for one request; the cookie is good until the server ends."""

    port: int
    token: str | None = field(default_factory=new_token)
    _session: str = field(default_factory=new_token)

    @property
    def cookie(self) -> str:
        """A name of its own for each port: a browser keeps the cookies of all servers on this machine together."""
        return f"steadyhand-{self.port}"

    @property
    def csrf(self) -> str:
        """What forms of the page carry."""
        return hmac.new(self._session.encode(), b"form", hashlib.sha256).hexdigest()

    def open(self, token: str) -> str | None:
        """The cookie for the one who comes first with the token; None for everybody else."""
        if self.token is None or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = None
        return f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"

    def knows(self, headers: Headers) -> bool:
        """Whether a request carries the cookie."""
        given = [value for line in headers.get("cookie", []) for value in _cookies(line, self.cookie)]
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self._session.encode())

    def signed(self, csrf: str | None) -> bool:
        """Whether a form carries the token of the page."""
        return hmac.compare_digest((csrf or "").encode("utf-8", "replace"), self.csrf.encode())


class Gate:
    """The application behind it sees only what was let in. `hosts`: how the server may be called, port and all."""

    def __init__(self, app: App, keys: Keys, hosts: Iterable[str]) -> None:
        self._app = app
        self._keys = keys
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def said(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in _SAID if pair[0] not in given]
                if b"content-security-policy" not in given:
                    more.append((b"content-security-policy", _POLICY.encode()))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        headers = headers_of(scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(said, *refused)
        elif scope["path"].startswith(OPEN):
            await self._open(scope, said)
        elif not scope["path"].startswith(ASSETS) and not self._keys.knows(headers):
            await _answer(
                said, 401, "This page is closed",
                "Open the link that steadyhand review --web printed; it works once. Another start gives a new one.",
            )  # fmt: skip
        else:
            await self._app(scope, receive, said)

    async def _open(self, scope: Scope, send: Send) -> None:
        """Give the cookie for the token; the page then asks for itself, so that the cookie is sent with it."""
        cookie = self._keys.open(scope["path"].removeprefix(OPEN)) if scope["method"] == "GET" else None
        if cookie is None:
            message = "A link opens the page once. Start steadyhand review --web again for a new one."
            await _answer(send, 403, "This link is not valid, or was opened before", message)
            return
        redirect = Html('<meta http-equiv="refresh" content="0; url=/">')
        body = f"<!doctype html><title>Review</title>{redirect}{el('p', el('a', 'Go on to the review', href='/'))}"
        await _respond(send, 200, body, [(b"set-cookie", cookie.encode())])

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        hosts = [host.lower() for host in headers.get("host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "This server does not have that host name", "Open the link that was printed, with its port."
        is_opening = scope["path"].startswith(OPEN) and headers.get("sec-fetch-mode", ["navigate"]) == ["navigate"]
        if not is_opening and not self._is_own(headers):
            return 403, "Requests from pages of other origins are refused", "Open the link that was printed."
        if scope["method"] not in _METHODS:
            return 405, "That method is not served", "Use the page."
        if scope["method"] == "POST":
            return _bad_form(headers)
        return None

    def _is_own(self, headers: Headers) -> bool:
        origins = headers.get("origin", [])
        return is_same_origin(headers) and all(origin.removeprefix("http://") in self._hosts for origin in origins)


def _bad_form(headers: Headers) -> tuple[int, str, str] | None:
    kinds = [kind.partition(";")[0].strip().lower() for kind in headers.get("content-type", [])]
    sizes = headers.get("content-length", [])
    if kinds != ["application/x-www-form-urlencoded"]:
        return 415, "Only forms are taken", "Use the page."
    if len(sizes) != 1 or not sizes[0].isascii() or not sizes[0].isdigit():
        return 411, "The size of the form is missing", "Use the page."
    if len(sizes[0]) > 9 or int(sizes[0]) > LONGEST:
        return 413, "The form is too long", f"Send at most {LONGEST:,} bytes, or use steadyhand review --amend."
    return None


def _cookies(line: str, name: str) -> Iterable[str]:
    """The values of a cookie; what is malformed has none."""
    try:
        found = SimpleCookie(line)
    except CookieError:
        return
    if name in found:
        yield found[name].value


async def _answer(send: Send, status: int, title: str, message: str) -> None:
    await _respond(send, status, message_page(title, message), [])


async def _respond(send: Send, status: int, body: str, more: list[tuple[bytes, bytes]]) -> None:
    data = body.encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(data)).encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
