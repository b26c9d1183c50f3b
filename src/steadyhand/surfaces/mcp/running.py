"""A server that runs: its conversations, its workers, and the tools it has loaded so far.

Belongs to the thread of the event loop, but for `catalog`, which whoever comes first loads.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError
from steadyhand.surfaces.mcp.calls import Calls
from steadyhand.surfaces.mcp.roots import Root, named_roots, paths_of
from steadyhand.surfaces.mcp.serving import Serving
from steadyhand.surfaces.mcp.sessions import Session, Sessions, plain_actor
from steadyhand.workspace.token import new_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from steadyhand.surfaces.mcp.catalog import Catalog

__all__ = ["SESSION_HEADER", "Running"]

SESSION_HEADER = "mcp-session-id"
_ASKED = 5.0  # seconds that a client has to list its roots


class Running:
    """One run of a server, from its first message to its last."""

    def __init__(self, serving: Serving, room: threading.Event | None = None) -> None:
        self.serving = serving
        self.sessions = Sessions(serving, serving.task or f"mcp-{new_name()}")
        self._roots = serving.roots
        self._guard = threading.Lock()
        self._catalog: Catalog | None = None
        self.calls = Calls(None if serving.confine is None else self._confine, room)

    def catalog(self) -> Catalog:
        """The tools that are served; loaded by the first who asks, in its own thread."""
        with self._guard:
            if self._catalog is None:
                from steadyhand.surfaces.mcp.catalog import Catalog

                self._catalog = Catalog(self.serving.toolsets)
            return self._catalog

    async def session(self, context: ServerRequestContext[Running, Any]) -> Session:
        """The conversation that a request belongs to."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        known = context.session.client_params
        client = None if known is None else known.client_info.name
        number = None if context.request is None else context.request.headers.get(SESSION_HEADER)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            key, has_session = f"client {plain_actor(client)}", False
        else:
            key, has_session = f"session {number}", number is not None
        found = self.sessions.get(key)
        if found is not None:
            return found
        roots = self._roots or await self._find_roots(context)
        return self.sessions.get(key) or self.sessions.begin(key, roots, client=client, has_session=has_session)

    async def _find_roots(self, context: ServerRequestContext[Running, Any]) -> tuple[Root, ...]:
        """The roots that the client lists, else the repository that the server was started in, if any."""
        listed = await _listed(context)
        here = [] if self.serving.fallback is None else [self.serving.fallback]
        try:
            found = named_roots(listed or here)
        except EditError:
            found = ()
        self._roots = self._roots or found
        return self._roots

    def _confine(self) -> None:
        if self.serving.confine is not None:
            self.serving.confine(self._roots)

    def close(self) -> None:
        self.calls.close()
        self.sessions.close()


async def _listed(context: ServerRequestContext[Running, Any]) -> list[str]:
    """What the client says it works in; nothing where it cannot be asked."""
    import mcp_types as types
    from mcp.shared.exceptions import MCPError

    able = context.session.client_capabilities
    if able is None or able.roots is None or not context.session.can_send_request:
        return []
    try:
        answer = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult, _ASKED)
    except (MCPError, ValueError):
        return []
    return paths_of(str(root.uri) for root in answer.roots)
