"""A server while it runs: its conversations, the tools it has loaded so far, and the threads that do its calls.

There is a conversation for each MCP session, with a workspace and a kit for each root. In the stateless era there is no
session; what a client says of itself and the server's task name the conversation.
A conversation that was not used for long is closed when others need its place, and opened again when it comes back.
Loading a catalogue loads the tools that are served and no others.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern, replace
from steadyhand.schema import bad_request, nearest_name
from steadyhand.surfaces.mcp.front import room_of, with_prefix, with_root
from steadyhand.surfaces.mcp.launch import USUAL, Root, ServerOptions, named_roots, no_root, paths_of, say
from steadyhand.workspace.budget import BUDGET, trim_memory
from steadyhand.workspace.machine import new_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Conversation, Settings, Tool
    from steadyhand.tools.workspace import Workspace


# Calls at work: a few threads do them, in the order they came, and whoever waits may give up at any time.
#
# 1. A call that was not begun when its caller gave up, or the server ended, is never begun.
# 2. A call that was begun is asked to stop and is waited for: it ends with its change made or not made, and says which.
# 3. What waits is bounded in number and in size; more is refused with `busy`, at once.
# 4. No call is begun while its client takes no answers: they would only pile up.
# 5. A deadline is asked by the thread that works and set by the one that listens; neither waits for the other there.

_THREADS = 8
_MOST = 4_096
_LARGEST_CALL = 64_000_000  # characters of arguments in flight
_QUEUED = 60.0  # seconds after which a call that was not begun is given up
_GRACE = 2.5  # seconds that a call is waited for after it was asked to stop
_LOOK = 0.05  # seconds after which a thread that waits for room looks whether it still should
_TRIMS = 5.0  # seconds, at least, between two times that freed memory is given back
_Done = TypeVar("_Done")
_Work = Callable[[], Callable[[], object] | None]
HARDEST = 30.0  # seconds after which a call is answered whatever it is doing


class _Threads:
    """Up to so many threads; work goes to the one that became idle last, and wakes no other.

    A `ThreadPoolExecutor` wakes a second thread with every call: it finds nothing to do, and the first waits for it.
    What work returns is called when its thread is free again: whoever learns of the end may send more at once, and that
    goes to the same thread, whose connections and caches are warm.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._idle: list[SimpleQueue[_Work | None]] = []
        self._waiting: deque[_Work] = deque()
        self._is_closed = False
        self._guard = threading.Lock()

    def submit(self, work: _Work) -> None:
        """Have `work` done when a thread is free; neither it nor what it returns may raise anything."""
        with self._guard:
            if self._idle:
                self._idle.pop().put(work)
            elif self._count < self._most:
                threading.Thread(target=self._run, args=(work,), name="steadyhand-call", daemon=True).start()
                self._count += 1
            else:
                self._waiting.append(work)

    def close(self) -> None:
        """Begin nothing that waits, and let the threads end."""
        with self._guard:
            self._is_closed = True
            self._waiting.clear()
            while self._idle:
                self._idle.pop().put(None)

    def _run(self, work: _Work | None) -> None:
        mine: SimpleQueue[_Work | None] = SimpleQueue()
        while work is not None:
            tell = work()
            with self._guard:
                work = self._waiting.popleft() if self._waiting else None
                is_free = work is None and not self._is_closed
                if is_free:
                    self._idle.append(mine)
            if tell is not None:
                tell()
            del tell  # what was worked on is not kept by a thread that waits
            if is_free:
                work = mine.get()


class _Call:
    """A call from when it is queued to its end. `outcome` is for whoever waits: what it gave, or what it raised."""

    __slots__ = ("deadline", "loop", "outcome", "queued", "timer")

    def __init__(self, deadline: CallDeadline) -> None:
        self.deadline = deadline
        self.loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[tuple[Any, BaseException | None]] = self.loop.create_future()
        self.queued = time.monotonic()
        self.timer: asyncio.TimerHandle | None = None

    @property
    def left(self) -> float:
        """Seconds for which it is waited for before it is looked at again; none are left where its time is up."""
        ends = self.queued + _QUEUED if self.deadline.began is None else self.deadline.began + HARDEST
        return min(ends - time.monotonic(), HARDEST)

    def answer(self, result: object, error: BaseException | None) -> None:
        if not self.outcome.done():
            self.outcome.set_result((result, error))


class Calls:
    """The calls of one server. `before` is run by each thread before its first call; `room`: answers are taken.

    Belongs to the thread of the event loop; only `_do` is run by others.
    """

    def __init__(self, before: Callable[[], None] | None = None, room: threading.Event | None = None) -> None:
        self._threads = _Threads(_THREADS)
        self._before = before
        self._prepared = threading.local()
        self._room = room
        self._at_work: set[_Call] = set()
        self._taken = self._weight = 0
        self._ending: str | None = None
        self._patience = float("inf")
        self._trimmed = time.monotonic()

    @contextmanager
    def taken(self, weight: int = 0) -> Iterator[None]:
        """Hold a request of that weight until it is answered. Refuses with `busy` what cannot be held as well."""
        if self._taken >= _MOST or (self._taken and self._weight + weight > _LARGEST_CALL):
            raise EditError(
                Kind.BUSY,
                f"{self._taken} calls are in flight, and no more are accepted",
                hint="wait for answers, then send the same call again",
            )
        self._taken, self._weight = self._taken + 1, self._weight + weight
        try:
            yield
        finally:
            self._taken, self._weight = self._taken - 1, self._weight - weight

    async def run(self, work: Callable[[CallDeadline], _Done], deadline: CallDeadline) -> _Done:
        """What `work` gives, done in a thread. Refuses with `busy`, `cancelled` or `timed-out`."""
        if self._ending is not None:
            raise EditError(Kind.CANCELLED, f"the call was not started: {self._ending}", hint="nothing was changed")
        call = _Call(deadline)
        self._threads.submit(partial(self._do, work, call))
        self._at_work.add(call)  # in time: the loop learns of its end after this
        self._look(call)
        try:
            result, error = await call.outcome
        except asyncio.CancelledError:
            await self._give_up(call)
            raise
        if error is not None:
            raise error
        return cast("_Done", result)

    @property
    def is_answering(self) -> bool:
        """Whether a request is held that was not answered yet."""
        return self._taken > 0

    @property
    def is_busy(self) -> bool:
        """Whether a call is waiting or at work."""
        return bool(self._at_work)

    def prepare(self, work: Callable[[], object]) -> None:
        """Do something that calls will need, while no call waits for it; how it ends is seen when they need it."""

        def quietly() -> None:
            with suppress(Exception):
                work()

        if self._ending is None:
            self._threads.submit(quietly)

    def end(self, why: str) -> None:
        """Begin no further call, and ask those at work to stop: they are waited for a little longer, all together."""
        self._ending = self._ending or why
        self._patience = min(self._patience, time.monotonic() + _GRACE)
        for call in list(self._at_work):
            if not call.deadline.cancel(why):
                text = "the server is shutting down; the call was not started"
                self._settle(call, None, EditError(Kind.CANCELLED, text, hint="nothing was changed by it"))

    async def ended(self) -> bool:
        """Wait until no call is at work, for a while; whether that came to pass."""
        with anyio.move_on_after(self._left()):
            while self.is_busy:
                await anyio.sleep(0.01)
        return not self.is_busy

    def close(self) -> None:
        self.end("the server ends")
        self._threads.close()

    def _do(self, work: Callable[[CallDeadline], object], call: _Call) -> Callable[[], object]:
        """Make one call in a thread; returns what passes its outcome on to the loop."""
        try:
            self._prepare_thread()
            while self._room is not None and not self._room.wait(_LOOK):
                call.deadline.tick()
            call.deadline.start()
            with BUDGET.sharing():  # until the answer is written: a receipt holds the text of its files
                result = work(call.deadline)
        except BaseException as error:  # noqa: BLE001  # it is raised where the call is waited for
            return partial(self._tell, call, None, error)
        return partial(self._tell, call, result, None)

    def _prepare_thread(self) -> None:
        if self._before is not None and not hasattr(self._prepared, "is_done"):
            self._before()
            self._prepared.is_done = True

    def _tell(self, call: _Call, result: object, error: BaseException | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            call.loop.call_soon_threadsafe(self._settle, call, result, error)

    def _settle(self, call: _Call, result: object, error: BaseException | None) -> None:
        """Let go of a call that has ended; when it was the last, what it took is given back, now and then."""
        if call.timer is not None:
            call.timer.cancel()
        self._at_work.discard(call)
        call.answer(result, error)
        if not self._at_work and self._ending is None and time.monotonic() - self._trimmed > _TRIMS:
            self._trimmed = time.monotonic()
            self._threads.submit(trim_memory)

    def _look(self, call: _Call) -> None:
        """Wait on for a call, or answer it where its time is up: its thread may go on until it asks."""
        if (left := call.left) > 0:
            call.timer = call.loop.call_later(left, self._look, call)
            return
        if call.deadline.cancel("its time was up"):
            text = f"the call did not end within {HARDEST:g} seconds; it was asked to stop and is no longer waited for"
            hint = "check the history before you repeat it: its change may have been made"
            call.answer(None, EditError(Kind.TIMED_OUT, text, hint=hint, details={"applied": "unknown"}))
        else:
            text = f"the server did not get to the call within {_QUEUED:g} seconds"
            hint = "nothing was changed by it; send it again after other calls are answered"
            self._settle(call, None, EditError(Kind.BUSY, text, hint=hint))

    async def _give_up(self, call: _Call) -> None:
        """The caller is gone: drop what was not begun, stop what was, and see it end."""
        if not call.deadline.cancel("the caller cancelled it or disconnected"):
            self._settle(call, None, None)
        elif call in self._at_work:
            call.outcome = call.loop.create_future()
            with anyio.move_on_after(self._left(), shield=True):
                await call.outcome

    def _left(self) -> float:
        """Seconds for which a call that was asked to stop is still waited for: all that end together share them."""
        return max(min(self._patience - time.monotonic(), _GRACE), 0.0)


def weight_of(arguments: object) -> int:
    """About how many characters a call's arguments hold."""
    level, weight = [arguments], 0
    while level:
        below: list[object] = []
        for value in level:
            match value:
                case str():
                    weight += len(value)
                case list():
                    below += value
                case dict():
                    below += value.keys()
                    below += value.values()
                case _:
                    weight += 8
        level = below
    return weight


class CallDeadline:
    """The end of one call. The clock runs from `start`, not from the moment the call was queued."""

    __slots__ = ("_guard", "_why", "began", "seconds")

    def __init__(self, seconds: float = USUAL) -> None:
        self.seconds = min(seconds, HARDEST)
        self.began: float | None = None
        self._why: str | None = None
        self._guard = threading.Lock()

    def start(self) -> None:
        """Begin, unless the call was stopped before: then it refuses with `cancelled`."""
        with self._guard:
            self.tick()
            self.began = time.monotonic()

    def cancel(self, why: str) -> bool:
        """Stop the call where it next asks; the first reason stays. Whether it had begun."""
        with self._guard:
            self._why = self._why or why
            return self.began is not None

    def tick(self) -> None:
        """Go on, or refuse with `cancelled` or `timed-out`: nothing is then changed."""
        if self._why is not None:
            raise EditError(
                Kind.CANCELLED, f"the call was stopped: {self._why}", hint="the change in progress was not made"
            )
        if self.began is not None and time.monotonic() > self.began + self.seconds:
            raise EditError(
                Kind.TIMED_OUT,
                f"the call did not end within {self.seconds:g} seconds and was stopped",
                hint="the change in progress was not made; ask for less at once: fewer files, a narrower search",
            )


_MOST_OPEN = 64
_MOST_IDLE = 1_000
_LONGEST_ACTOR = 60
_ODD = lazy_pattern(r"[^\w .@:+/()-]+")
SESSION_HEADER = "mcp-session-id"
_ASKED = 5.0  # seconds that a client has to list its roots


class McpSession:
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
            hold=options.hold,
            auto_accept=options.auto_accept,
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
        self._open: OrderedDict[str, McpSession] = OrderedDict()
        self._idle: OrderedDict[str, McpSession] = OrderedDict()  # closed to make room

    def get(self, key: str) -> McpSession | None:
        found = self._open.get(key)
        if found is not None:
            self._open.move_to_end(key)
        return found

    def begin(self, key: str, roots: Sequence[Root], *, client: str | None, has_session: bool) -> McpSession:
        """A new conversation; one that has long been idle makes room."""
        while len(self._open) >= _MOST_OPEN and (idle := next((k for k, s in self._open.items() if not s.users), None)):
            self._open[idle].close()
            self._idle[idle] = self._open.pop(idle)
            if len(self._idle) > _MOST_IDLE:
                self._idle.popitem(last=False)[1].end()
        task = f"{self.task}-{hashlib.sha256(key.encode()).hexdigest()[:8]}" if has_session else self.task
        self._idle.pop(key, None)
        session = McpSession(self.options, tuple(roots), actor=plain_actor(client), task=task)
        return self._open.setdefault(key, session)

    def end(self, key: str) -> McpSession | None:
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
def in_use(session: McpSession) -> Iterator[McpSession]:
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

    async def session(self, context: ServerRequestContext[Running, Any]) -> McpSession:
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
                    raise EditError(
                        Kind.BAD_REQUEST,
                        f"the toolsets {owner} and {toolset} have different tools called {tool.name}",
                        hint="serve one of them, or start a server for each",
                        details={"tool": tool.name, "toolsets": [owner, toolset]},
                    )
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
