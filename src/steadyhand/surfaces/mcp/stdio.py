"""MCP over standard input and output: one message on a line, nothing else on standard output, ever.

The SDK serves the line as it serves its own stdio transport. That one is not used, because it drops what it cannot
read, holds a message of any size, and makes whoever answers wait for a client that does not read. Here:

1. A message that is too long, or no message at all, is answered with an error; the server lives on.
2. At the end of input, on a signal, and when nobody reads any more: no call is begun, those at work end and say how,
   then we leave; none of it waits for a client that does not read.
3. A client that sends and does not read is read no further once too many answers wait for it.
"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import anyio
from anyio.abc import ObjectStream

from steadyhand.surfaces.mcp.frames import Id
from steadyhand.surfaces.mcp.front import Heard
from steadyhand.surfaces.mcp.messages import read_message, write_message
from steadyhand.surfaces.mcp.pipe import Pipe
from steadyhand.surfaces.mcp.server import Service

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage

__all__ = ["serve_stdio", "serve_wire"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_WAITING = 1_000  # answers that wait to be written before no more is read
_LAST_ANSWERS = 1.0  # seconds for calls that have ended to be answered


def serve_stdio(service: Service, wire: tuple[int, int], heard: Heard | None = None) -> None:
    """Serve one client until it is gone or a signal comes."""
    anyio.run(serve_wire, service, *wire, heard)


async def serve_wire(service: Service, reading: int, writing: int, heard: Heard | None = None) -> None:
    """Serve the client at the other end of two descriptors; `heard` is what it has said already."""
    line = _Line(service, Pipe(reading, writing, heard), set() if heard is None else heard.answered)
    server, loop = service.server(), asyncio.get_running_loop()
    async with anyio.create_task_group() as tasks:
        line.pipe.start()
        for number in _SIGNALS:
            loop.add_signal_handler(number, tasks.start_soon, line.leave)
        await server.run(line, line, server.create_initialization_options())
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        await line.pipe.finish()
        tasks.cancel_scope.cancel()


class _Line(ObjectStream["SessionMessage"]):
    """A pipe as the streams that the SDK reads requests from and writes answers to."""

    def __init__(self, service: Service, pipe: Pipe, answered: set[Id]) -> None:
        self.service, self.pipe = service, pipe
        self._answered = answered  # requests that were answered before, and are answered again
        self._waiting = 0  # answers
        service.room = pipe.room

    async def receive(self) -> SessionMessage:
        from mcp.shared.message import SessionMessage

        while True:
            while self._waiting > _WAITING:
                await anyio.sleep(0.01)
            frame = await self.pipe.frame()
            if frame is None:
                await self._end("the client is gone")
                raise anyio.EndOfStream
            message = read_message(frame)
            if isinstance(message, SessionMessage):
                return message
            await self._write(message)

    async def send(self, item: SessionMessage) -> None:
        if (number := getattr(item.message, "id", None)) in self._answered:
            self._answered.remove(number)
        else:
            await self._write(item.message)

    async def send_eof(self) -> None:
        """Nothing: the pipe is finished when the SDK is done with both ways."""

    async def aclose(self) -> None:
        """Nothing, as above."""

    async def leave(self) -> None:
        await self._end("the server ends")
        self.pipe.hang_up()

    async def _write(self, message: JSONRPCMessage) -> None:
        self.pipe.write(write_message(message))
        self._waiting += 1
        try:
            await self.pipe.drained()
        finally:
            self._waiting -= 1

    async def _end(self, why: str) -> None:
        """Let no call begin and those at work end, and their answers go out."""
        self.service.end(why)
        await self.service.ended()
        with anyio.move_on_after(_LAST_ANSWERS):
            while self.service.is_answering or self._waiting:
                await anyio.sleep(0.005)
