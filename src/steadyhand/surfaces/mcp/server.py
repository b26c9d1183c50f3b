"""The server itself: MCP requests in, answers out, over whatever transport.

Handlers give plain dicts in the form of the wire; the SDK shapes them for the revision that the client speaks.
What a tool refuses is its answer, with `isError`; what is refused otherwise is an error of the protocol: a code, what
is wrong, and in `data` the kind and what to do next. The SDK's own refusals are put into that form.
Nothing that goes wrong here leaves as a traceback, and nothing blocks the event loop: work is done by `calls`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from steadyhand.errors import Action, EditError, Kind
from steadyhand.hints import render_hints
from steadyhand.schema import bad_request
from steadyhand.surfaces.mcp.front import MODERN, NAME, PROTOCOL_VERSION, ROOT, TITLE, instructions, version
from steadyhand.surfaces.mcp.launch import ServerOptions
from steadyhand.surfaces.mcp.resources import (
    get_prompt,
    list_prompts,
    list_resources,
    read_resource,
    redacted,
    redacted_error,
    render,
    templates,
)
from steadyhand.surfaces.mcp.sessions import CallDeadline, McpSession, Running, in_use, weight_of
from steadyhand.tools.toolsets import toolset_named

if TYPE_CHECKING:
    from mcp.server.caching import CacheableMethod
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    Context = ServerRequestContext[Running, Any]


_WARM_UP = 0.05  # seconds after the greeting, so that its answer goes out first
_HOUR = 3_600_000
# For how many milliseconds a client may keep an answer.
_FRESH: Mapping[CacheableMethod, int] = {
    "server/discover": _HOUR,
    "tools/list": _HOUR,
    "prompts/list": _HOUR,
    "resources/templates/list": _HOUR,
    "resources/list": 0,
    "resources/read": 0,
}
Wire = dict[str, Any]
_COMPLETE: Wire = {"resultType": "complete"}
_NOT_FOUND = -32002
_OURS = (Kind.INTERNAL, Kind.JOURNAL_DAMAGED, Kind.NOT_INSTALLED)
_SHOWN = 80
_FAULTS = 3
Progress = Callable[[int, int], None]
_AHEAD = 8  # steps that may wait to be sent


class Service:
    """What a server of this kind answers; `server()` makes one for the SDK to run."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self.running: list[Running] = []
        self.room: threading.Event | None = None  # where a transport has one client: it takes answers

    def server(self) -> Server[Running]:
        """A server with all its handlers."""
        import mcp_types as types
        from mcp.server.caching import CacheHint
        from mcp.server.lowlevel import Server

        served: Server[Running] = Server(
            NAME,
            version=version(),
            title=TITLE,
            instructions=instructions(self.options),
            lifespan=self._lifespan,
            get_tool_input_schema=lambda _: None,  # no argument travels in a header
            cache_hints={method: CacheHint(milliseconds) for method, milliseconds in _FRESH.items()},
        )
        served.middleware[:] = [self._around]  # no telemetry
        served.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        page, most = types.PaginatedRequestParams, self.options.most
        questions: dict[str, tuple[type[Any], Callable[[Running, McpSession, Any], Wire]]] = {
            "tools/list": (page, lambda running, session, _: {"tools": session.schemas(running.catalog())}),
            "resources/list": (page, lambda _, session, __: {"resources": list_resources(session)}),
            "resources/templates/list": (page, lambda *_: {"resourceTemplates": templates()}),
            "resources/read": (
                types.ReadResourceRequestParams,
                lambda _, session, params: {"contents": read_resource(session, params.uri, most)},
            ),
            "prompts/list": (page, lambda _, session, __: {"prompts": list_prompts(session)}),
            "prompts/get": (
                types.GetPromptRequestParams,
                lambda _, session, params: get_prompt(session, params.name, params.arguments or {}, most),
            ),
        }
        for method, (params, answer) in questions.items():
            served.add_request_handler(method, params, partial(self._ask, answer))
        return served

    def end(self, why: str) -> None:
        """Begin no further call, and stop those at work."""
        for running in self.running:
            running.calls.end(why)

    async def ended(self) -> bool:
        """Whether every call came to its end within a moment."""
        return all([await running.calls.ended() for running in self.running])

    async def end_session(self, number: str) -> None:
        """A client has ended its session: what was only kept while it ran is removed."""
        for running in self.running:
            session = running.sessions.end(f"session {number}")
            if session is not None:
                await anyio.to_thread.run_sync(session.end)

    @property
    def is_answering(self) -> bool:
        """Whether a request was not answered yet."""
        return any(running.calls.is_answering for running in self.running)

    @asynccontextmanager
    async def _lifespan(self, _: Server[Running]) -> AsyncIterator[Running]:
        running = Running(self.options, self.room)
        self.running.append(running)
        try:
            yield running
        finally:
            running.calls.end("the server ends")
            with anyio.CancelScope(shield=True):
                if await running.calls.ended():
                    running.close()
                    self.running.remove(running)

    async def _around(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Whatever is refused says what to do, and no more; and once the client is greeted, the tools are loaded."""
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        try:
            _check_era(ctx)
            result = await call_next(ctx)
        except (MCPError, ValidationError) as error:
            raise from_sdk(error, ctx.method) from None
        except EditError as error:
            raise refused(error, ctx.protocol_version) from None
        except Exception as error:  # the outermost edge: a bug is an answer too
            logging.getLogger(__name__).exception("%s failed", ctx.method)
            bug = EditError(Kind.INTERNAL, f"Steadyhand failed unexpectedly ({type(error).__name__})")
            raise refused(bug, ctx.protocol_version) from None
        # A worker that must know its roots first is not begun yet.
        if ctx.method in ("initialize", "server/discover") and self.options.confine is None:
            running = ctx.lifespan_context
            asyncio.get_running_loop().call_later(_WARM_UP, running.calls.prepare, running.catalog)
        return result

    async def _ask(self, answer: Callable[[Running, McpSession, Any], Wire], context: Context, params: Any) -> Wire:
        """What a conversation answers, in a worker's thread."""
        if getattr(params, "cursor", None) is not None:
            raise bad_request("cursor", "there are no further pages", "leave it out: everything is in one page")
        running = context.lifespan_context
        with running.calls.taken(weight_of(context.params)):
            session = await running.session(context)
            with in_use(session):
                try:
                    found = await running.calls.run(lambda _: answer(running, session, params), self._deadline())
                except EditError as error:
                    raise redacted_error(error, session.roots) from None
        return found | _COMPLETE

    async def _call_tool(self, context: Context, params: Any) -> Wire:
        running = context.lifespan_context
        try:
            with running.calls.taken(weight_of(context.params)):
                session = await running.session(context)
                with in_use(session):
                    async with forwarded(context) as progress:
                        call = partial(_answer, running, session, params, progress)
                        return await running.calls.run(call, self._deadline()) | _COMPLETE
        except EditError as error:
            return render(_failure(redacted_error(error, self.options.roots)), self.options.most) | _COMPLETE

    def _deadline(self) -> CallDeadline:
        return CallDeadline(self.options.seconds)


def _answer(
    running: Running, session: McpSession, params: Any, progress: Progress | None, deadline: CallDeadline
) -> Wire:
    """One call, in a worker's thread, as it goes over the wire."""
    most = running.options.most
    try:
        toolset, tool = running.catalog().find(params.name)
    except EditError as error:
        return render(_failure(error), most)
    named = toolset_named(toolset)
    own, receipts = dict(params.arguments or {}), list[Any]()
    try:
        given = own.pop(ROOT, None) if len(session.roots) > 1 else None
        kit = session.kit(toolset, session.root(None if given is None else str(given)))
    except EditError as error:
        answer = tool.refused(error, named.phrases)
    else:
        answer = kit.call(tool.name, own, tick=deadline.tick, progress=progress, receipts=receipts)
    return render(redacted(answer, session.roots), most, receipts, is_native=named.is_native)


def _failure(error: EditError) -> Wire:
    from steadyhand.tools.result import failure

    return failure(error)


def refused(error: EditError, version: str) -> MCPError:
    """A refusal of ours, in the code that a revision has for it."""
    from mcp.shared.exceptions import MCPError

    from steadyhand.tools.toolsets import MODEL

    hint = render_hints(error.hints, MODEL)
    text = error.message if hint is None else f"{error.message} ({hint})"
    return MCPError(_code(error.kind, version), text, {**error.to_json(), "hint": hint})


def from_sdk(error: MCPError | ValidationError, method: str) -> MCPError:
    """What the SDK refuses with no more than a code, worded like what we refuse; anything else as it is."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND

    if not isinstance(error, MCPError):
        text = f"{method[:_SHOWN]} cannot be called like this: {_faults(error)}"
        return _bad(INVALID_PARAMS, text, "fix that and send it again")
    if error.error.code == METHOD_NOT_FOUND:
        return _bad(METHOD_NOT_FOUND, f"Method not found: {method[:_SHOWN]!r}", "use the methods in the capabilities")
    if error.error.code == INVALID_PARAMS and error.error.data == "":
        return _bad(INVALID_PARAMS, "the connection is not initialized", "send initialize first")
    return error


def _check_era(ctx: Context) -> None:
    """Refuse a request of the stateless era where a client was greeted, as the SDK does where it decides on the era."""
    from mcp_types import INVALID_REQUEST
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    meta = ctx.params.get("_meta") if ctx.params and ctx.request is None and ctx.method != "initialize" else None
    if isinstance(meta, Mapping) and PROTOCOL_VERSION in meta and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        text = f"this connection began with initialize; requests with the envelope of {MODERN} are not accepted on it"
        raise _bad(INVALID_REQUEST, text, "leave the protocol version out of _meta, or begin without initialize")


def _bad(code: int, text: str, hint: str) -> MCPError:
    from mcp.shared.exceptions import MCPError

    return MCPError(code, text, {"kind": str(Kind.BAD_REQUEST), "hint": hint})


def _faults(error: ValidationError) -> str:
    """What is wrong and where, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    return "; ".join(f"{'.'.join(map(str, fault['loc']))[:_SHOWN]}: {fault['msg'][: 2 * _SHOWN]}" for fault in found)


def _code(kind: Kind, version: str) -> int:
    """Whose fault it is; and only the earlier revisions have a number for what is not there."""
    from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    if kind is Kind.NO_SUCH_FILE and version not in MODERN_PROTOCOL_VERSIONS:
        return _NOT_FOUND
    return INTERNAL_ERROR if kind in _OURS or kind.action is Action.RETRY_LATER else INVALID_PARAMS


def forwarded(context: Any) -> AbstractAsyncContextManager[Progress | None]:
    """What a worker reports to; None where the client of the request did not ask."""
    is_asked = context.meta and context.meta.get("progress_token") is not None
    return _forwarded(context) if is_asked else nullcontext()


@asynccontextmanager
async def _forwarded(context: Any) -> AsyncIterator[Progress]:
    loop = asyncio.get_running_loop()
    steps, taken = anyio.create_memory_object_stream[tuple[int, int]](_AHEAD)

    def put(done: int, total: int) -> None:
        try:
            steps.send_nowait((done, total))
        except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    def report(done: int, total: int) -> None:
        try:
            loop.call_soon_threadsafe(put, done, total)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    async def forward() -> None:
        async with taken:
            async for done, total in taken:
                await context.session.report_progress(done, total)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        try:
            yield report
        finally:
            steps.close()
