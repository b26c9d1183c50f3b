"""MCP over standard input and output: one message on a line, nothing else on standard output, ever.

1. A message that is too long, or no message at all, is answered with an error; the server lives on.
2. At the end of input, on a signal, and when nobody reads any more: no call is begun, those at work end, then we leave.
"""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING, Any

import anyio

from steadyhand.surfaces.mcp.frames import LONGEST, Oversize
from steadyhand.surfaces.mcp.pipe import Pipe, claim
from steadyhand.surfaces.mcp.server import Service

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError

__all__ = ["read_message", "serve_stdio"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve_stdio(service: Service) -> None:
    """Serve one client until it is gone or a signal comes."""
    anyio.run(_serve, service, *claim())


async def _serve(service: Service, reading: int, writing: int) -> None:
    server = service.server()
    pipe = Pipe(reading, writing)
    listening = anyio.CancelScope()
    to_server, requests = anyio.create_memory_object_stream[Any](0)
    answers, from_server = anyio.create_memory_object_stream[Any](0)

    async def listen() -> None:
        async with to_server:
            with listening:
                async for frame in pipe.frames():
                    message = read_message(frame)
                    if hasattr(message, "metadata"):
                        await to_server.send(message)
                    else:
                        await pipe.write(_line(message))
            service.end("the client is gone")

    async def speak() -> None:
        async with from_server:
            async for answer in from_server:
                await pipe.write(_line(answer.message))

    async def leave() -> None:
        service.end("the server ends")
        await service.ended()
        listening.cancel()

    async with anyio.create_task_group() as tasks:
        pipe.start(listening.cancel)
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, tasks.start_soon, leave)
        tasks.start_soon(listen)
        tasks.start_soon(speak)
        await server.run(requests, answers, server.create_initialization_options())
        listening.cancel()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
    pipe.finish()


def read_message(frame: bytes | Oversize) -> SessionMessage | JSONRPCError:
    """A frame as the SDK takes it, or the error that answers it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter

    if isinstance(frame, Oversize):
        text = f"the message has {frame.size} bytes, and no more than {LONGEST} are taken"
        return _error(frame.id, INVALID_REQUEST, text, "too-large", "send less at once, such as fewer files in a call")
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(frame, by_name=False))
    except ValueError:
        pass
    try:
        value = json.loads(frame)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "the message is no JSON in UTF-8", "bad-request", "send one message on a line")
    number = value.get("id") if isinstance(value, dict) else None
    known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    return _error(known, INVALID_REQUEST, "this is no JSON-RPC message", "bad-request", "send one request on a line")


def _error(id: int | str | None, code: int, text: str, kind: str, hint: str) -> JSONRPCError:
    from mcp_types import ErrorData, JSONRPCError

    return JSONRPCError(
        jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text, data={"kind": kind, "hint": hint})
    )


def _line(message: Any) -> bytes:
    """A message on a line. One that cannot be written is answered for, not died of."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        from mcp_types import INTERNAL_ERROR

        lost = _error(
            getattr(message, "id", None), INTERNAL_ERROR, "the answer cannot be written", "internal", "report it"
        )
        text = lost.model_dump_json(by_alias=True, exclude_unset=True)
    return f"{text}\n".encode()
