"""MCP over standard input and output: one message on a line, nothing else on standard output, ever.

1. A message that is too long, or no message at all, is answered with an error; the server lives on.
2. At the end of input, on a signal, and when nobody reads any more: no call is begun, those at work end and say how,
   then we leave; none of it waits for a client that does not read.
3. A client that sends and does not read is read no further once too many answers wait for it.
"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

import anyio

from steadyhand.surfaces.mcp.frames import Id
from steadyhand.surfaces.mcp.front import Heard
from steadyhand.surfaces.mcp.messages import read_message, write_message
from steadyhand.surfaces.mcp.pipe import Pipe
from steadyhand.surfaces.mcp.server import Service

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError

__all__ = ["serve_stdio", "serve_wire"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_WAITING = 1_000  # answers that wait to be written before no more is read
_LAST_ANSWERS = 1.0  # seconds for calls that have ended to be answered
_LAST_WORDS = 0.5  # seconds for answers that are on their way at the end


def serve_stdio(service: Service, wire: tuple[int, int], heard: Heard | None = None) -> None:
    """Serve one client until it is gone or a signal comes."""
    anyio.run(serve_wire, service, *wire, heard)


async def serve_wire(service: Service, reading: int, writing: int, heard: Heard | None = None) -> None:
    """Serve the client at the other end of two descriptors; `heard` is what it has said already."""
    line = _Line(service, Pipe(reading, writing, heard), set() if heard is None else heard.answered)
    server = service.server()
    async with anyio.create_task_group() as tasks:
        line.pipe.start(line.listening.cancel)
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, tasks.start_soon, line.leave)
        tasks.start_soon(line.listen)
        tasks.start_soon(line.speak)
        await server.run(line.requests, line.answers, server.create_initialization_options())
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        with anyio.move_on_after(_LAST_WORDS):
            await line.has_spoken.wait()
        tasks.cancel_scope.cancel()
    line.pipe.finish()


class _Line:
    """What goes between a pipe and the SDK, both ways."""

    def __init__(self, service: Service, pipe: Pipe, answered: set[Id]) -> None:
        self.service, self.pipe = service, pipe
        self._answered = answered  # requests that were answered before, and are answered again
        self.listening, self.has_spoken = anyio.CancelScope(), anyio.Event()
        self._to_server, self.requests = anyio.create_memory_object_stream[Any](0)
        self.answers, self._from_server = anyio.create_memory_object_stream[Any](0)
        service.room = pipe.room

    async def listen(self) -> None:
        async with self._to_server:
            with self.listening:
                async for frame in self.pipe.frames():
                    while self._waiting > _WAITING:
                        await anyio.sleep(0.01)
                    await self._take(read_message(frame))
            await self._end("the client is gone")

    async def speak(self) -> None:
        async with self._from_server:
            async for answer in self._from_server:
                if (number := getattr(answer.message, "id", None)) in self._answered:
                    self._answered.remove(number)
                else:
                    await self.pipe.write(write_message(answer.message))
        self.has_spoken.set()

    async def leave(self) -> None:
        await self._end("the server ends")
        self.listening.cancel()

    async def _take(self, message: SessionMessage | JSONRPCError) -> None:
        if hasattr(message, "metadata"):
            await self._to_server.send(message)
        else:
            await self.pipe.write(write_message(message))

    async def _end(self, why: str) -> None:
        """Let no call begin and those at work end, and their answers go out."""
        self.service.end(why)
        await self.service.ended()
        with anyio.move_on_after(_LAST_ANSWERS):
            while self.service.is_answering or self._waiting:
                await anyio.sleep(0.005)

    @property
    def _waiting(self) -> int:
        return self.answers.statistics().tasks_waiting_send
