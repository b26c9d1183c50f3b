"""A server while it runs: its conversations, the tools it has loaded so far, and the threads that do its calls.

There is a conversation for each MCP session, with a workspace and a kit for each root. In the stateless era there is no
session; what a client says of itself and the server's task name the conversation.
A conversation that was not used for long is closed when others need its place, and opened again when it comes back.
Loading a catalogue loads the tools that are served and no others.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.schema import bad_request, nearest_name
from steadyhand.surfaces.mcp.calls import Calls
from steadyhand.surfaces.mcp.front import room_of, with_prefix, with_root
from steadyhand.surfaces.mcp.options import Root, ServerOptions, named_roots, no_root, paths_of
from steadyhand.workspace.host import new_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Conversation, Settings, Tool
    from steadyhand.tools.workspace import Workspace


_MOST_OPEN = 64
_MOST_IDLE = 1_000
_LONGEST_ACTOR = 60
_ODD = lazy_pattern(r"[^\w .@:+/()-]+")
SESSION_HEADER = "mcp-session-id"
_ASKED = 5.0  # seconds that a client has to list its roots


class Session:
    """One conversation. Thread-safe; what it needs is opened when it is first asked for."""

    def __init__(self, options: ServerOptions, roots: tuple[Root, ...], *, actor: str, task: str) -> None:
        self.options = options
        self.roots = roots
        self.actor = actor
        # Read here: a worker in its sandbox cannot.
        self._root_options = {root.path: options.root_options(root.path) for root in roots}
        self.task = options.task or task
        self.users = 0
        self._guard = threading.RLock()
        self._conversation: Conversation | None = None
        self._workspaces: dict[str, Workspace] = {}
        self._kits: dict[tuple[str, str], Kit] = {}

    @property
    def first_root(self) -> Root:
        """One that will do where any does. Refuses where there is none."""
        return self.root(self.roots[0].name if self.roots else None)

    def root(self, name: str | None) -> Root:
        """The root of a name; the only one where there is but one. Refuses with `bad-request`."""
        if not self.roots:
            raise no_root()
        if name is None and len(self.roots) == 1:
            return self.roots[0]
        found = next((root for root in self.roots if root.name == name), None)
        if found is None:
            names = ", ".join(root.name for root in self.roots)
            raise bad_request("root", "it is missing" if name is None else "there is no such root", f"one of: {names}")
        return found

    def kit(self, toolset: str, root: Root) -> Kit:
        with self._guard:
            if (found := self._kits.get((toolset, root.name))) is not None:
                return found
            from steadyhand.tools.kit import Kit
            from steadyhand.tools.tool import Conversation

            self._conversation = self._conversation or Conversation()
            kit = Kit(self.workspace(root), toolset, self._settings(), self._conversation)
            return self._kits.setdefault((toolset, root.name), kit)

    def _settings(self) -> Settings:
        """What the host says, with room in an answer for the numbers of lines and the rest of it."""
        from steadyhand.tools.tool import Settings

        given = Settings() if self.options.settings is None else self.options.settings()
        return replace(given, max_characters=given.max_characters or self.options.most * 3 // 4)

    def workspace(self, root: Root) -> Workspace:
        with self._guard:
            if root.name not in self._workspaces:
                self._workspaces[root.name] = self._open(root)
            return self._workspaces[root.name]

    def schemas(self, catalog: Catalog) -> list[dict[str, Any]]:
        """The tools as clients list them, in the order of the toolsets. A native tool answers with text alone."""
        listed: list[dict[str, Any]] = []
        for toolset in catalog.toolsets:
            kit = self.kit(toolset, self.first_root)
            left_out = {"outputSchema"} if kit.toolset.is_native else set()
            for schema in kit.schemas("mcp"):
                if catalog.find(str(schema["name"]))[0] == toolset:
                    kept = {name: value for name, value in schema.items() if name not in left_out}
                    listed.append(with_prefix(kept | room_of(self.options.most), self.options.tool_prefix))
        names = [each.name for each in self.roots]
        return listed if len(names) == 1 else [with_root(schema, names) for schema in listed]

    def end(self) -> None:
        """Close a conversation that does not come back: the `.bak` copies that were made for it are removed."""
        policy = self.options.policy
        if policy is not None and policy.backup == "bak":
            from steadyhand.session.host import host_of

            for root in self.roots:
                with suppress(EditError):
                    host_of(self.workspace(root)).remove_backups()
        self.close()

    def close(self) -> None:
        with self._guard:
            for workspace in self._workspaces.values():
                workspace.close()
            self._workspaces.clear()
            self._kits.clear()

    def _open(self, root: Root) -> Workspace:
        from steadyhand.surfaces.mcp.launch import say
        from steadyhand.tools.workspace import Workspace

        options, own = self.options, self._root_options[root.path]
        workspace = Workspace(
            root.path,
            actor=options.actor or own.actor or self.actor,
            task=self.task,
            mode=options.mode,
            journal=options.journal,
            policy=options.policy,
            protect="standard" if own.is_protected else "none",
            allow=own.allow,
            read_only=options.read_only,
            tool="mcp",
            repo=own.repo,
        )
        for warning in workspace.warnings:
            say(f"{root.name}: {warning}")
        return workspace


class Sessions:
    """The conversations of one server, by what names them. Belongs to the thread of the event loop."""

    def __init__(self, options: ServerOptions, task: str) -> None:
        self.options = options
        self.task = task
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._idle: OrderedDict[str, Session] = OrderedDict()  # closed to make room

    def get(self, key: str) -> Session | None:
        found = self._open.get(key)
        if found is not None:
            self._open.move_to_end(key)
        return found

    def begin(self, key: str, roots: Sequence[Root], *, client: str | None, has_session: bool) -> Session:
        """A new conversation; one that has long been idle makes room."""
        while len(self._open) >= _MOST_OPEN and (idle := next((k for k, s in self._open.items() if not s.users), None)):
            self._open[idle].close()
            self._idle[idle] = self._open.pop(idle)
            if len(self._idle) > _MOST_IDLE:
                self._idle.popitem(last=False)[1].end()
        task = f"{self.task}-{hashlib.sha256(key.encode()).hexdigest()[:8]}" if has_session else self.task
        self._idle.pop(key, None)
        session = Session(self.options, tuple(roots), actor=plain_actor(client), task=task)
        return self._open.setdefault(key, session)

    def end(self, key: str) -> Session | None:
        """Take a conversation out that its client has ended; one with a task of its own is to be ended by the caller.

        The task that the host has named goes on with its other conversations.
        """
        session = self._open.pop(key, None) or self._idle.pop(key, None)
        if session is not None and self.options.task is not None:
            session.close()
            return None
        return session

    def close(self) -> None:
        for sessions in (self._open, self._idle):
            while sessions:
                sessions.popitem()[1].end()


@contextmanager
def in_use(session: Session) -> Iterator[Session]:
    """Keep a conversation open while a call of it runs."""
    session.users += 1
    try:
        yield session
    finally:
        session.users -= 1


def plain_actor(client: str | None) -> str:
    """A client's name as records show it.

    >>> plain_actor("claude-code"), plain_actor("\\x1b[31mred\\n"), plain_actor(None)
    ('claude-code', '31mred', 'mcp')
    """
    return " ".join(_ODD.sub(" ", client or "").split())[:_LONGEST_ACTOR].strip() or "mcp"


class Running:
    """One run of a server, from its first message to its last."""

    def __init__(self, options: ServerOptions, room: threading.Event | None = None) -> None:
        self.options = options
        self.sessions = Sessions(options, options.task or f"mcp-{new_name()}")
        self._roots = options.roots
        self._guard = threading.Lock()
        self._catalog: Catalog | None = None
        self.calls = Calls(None if options.confine is None else self._confine, room)

    def catalog(self) -> Catalog:
        """The tools that are served; loaded by the first who asks, in its own thread."""
        with self._guard:
            if self._catalog is None:
                self._catalog = Catalog(self.options.toolsets, self.options.tool_prefix)
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
        here = [] if self.options.fallback is None else [self.options.fallback]
        try:
            found = named_roots(listed or here)
        except EditError:
            found = ()
        self._roots = self._roots or found
        return self._roots

    def _confine(self) -> None:
        if self.options.confine is not None:
            self.options.confine(self._roots)

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


class Catalog:
    """Which toolset answers to which name. Where two toolsets have the same tool, the one named first has it."""

    def __init__(self, toolsets: Sequence[str], prefix: str = "") -> None:
        from steadyhand.tools.toolsets import tools_of

        self._prefix = prefix
        self.toolsets = tuple(dict.fromkeys(toolsets))
        self._owners: dict[str, tuple[str, Tool]] = {}
        for toolset in self.toolsets:
            for tool in tools_of(toolset):
                owner, known = self._owners.setdefault(tool.name, (toolset, tool))
                if known is not tool:
                    raise _clash(tool.name, owner, toolset)
        self._aliases = {
            name: (owner, tool)
            for owner, tool in self._owners.values()
            for name in tool.also
            if name not in self._owners
        }

    def find(self, name: str) -> tuple[str, Tool]:
        """The toolset and the tool that answer to a name. Refuses with `bad-request`, naming the nearest.

        The prefix may be missing: a model that copies the name from a hint is understood.
        """
        plain = name.removeprefix(self._prefix)
        found = self._owners.get(plain) or self._aliases.get(plain)
        if found is not None:
            return found
        near = nearest_name(plain[:80], self._owners)
        names = (f"{self._prefix}{each}" for each in sorted(self._owners))
        hint = f"did you mean {self._prefix + near!r}?" if near else f"tools: {', '.join(names)}"
        raise bad_request("tool", f"there is no tool {name[:80]!r} here", hint)


def _clash(name: str, one: str, other: str) -> EditError:
    return EditError(
        Kind.BAD_REQUEST,
        f"the toolsets {one} and {other} have different tools called {name}",
        hint="serve one of them, or start a server for each",
        details={"tool": name, "toolsets": [one, other]},
    )
