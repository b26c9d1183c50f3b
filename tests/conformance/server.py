"""Steadyhand's MCP server for the conformance suite, which cannot show a token: here every request has one.

Everything else is as `steadyhand mcp --http` serves it, the guard included.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from steadyhand.surfaces.loopback import App, Receive, Scope, Send
from steadyhand.surfaces.mcp import http
from steadyhand.surfaces.mcp.http import Guard
from steadyhand.surfaces.mcp.launch import ServerOptions, named_roots
from steadyhand.surfaces.mcp.server import Service

TOKEN = "of the conformance suite"


class Keyed(Guard):
    """The guard, with the token put in before it looks."""

    def __init__(self, app: App, token: str, hosts: Iterable[str]) -> None:
        super().__init__(app, token, hosts)
        self._proof = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._proof]}
        await super().__call__(scope, receive, send)


def main() -> int:
    """Serve the directory that is named, on a free port, which is printed on standard error."""
    http.Guard = Keyed  # type: ignore[misc]  # only here
    service = Service(ServerOptions(roots=named_roots(sys.argv[1:]), toolsets=("core",)))
    http.serve_http(service, http.Address.of("0"), TOKEN)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
