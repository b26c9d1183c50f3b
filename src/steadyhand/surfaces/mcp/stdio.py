"""MCP over standard input and output: one message on a line, nothing else on standard output, ever.

The SDK serves the line as it serves its own stdio transport. That one is not used: it drops what it cannot read, holds
a message of any size, and makes whoever answers wait for a client that does not read. Here:

1. A message that is too long, or no message at all, is answered with an error; the server lives on.
2. At the end of input, on a signal, and when nobody reads any more: no call is begun, those at work end and say how,
   then we leave; none of it waits for a client that does not read.
3. A client that sends and does not read is read no further once too many answers wait for it: what was read and not
   yet taken is bounded, and so is what was given and not yet written.
4. Neither a slow client nor a full pipe holds up the event loop: a descriptor is read when something is there, and
   written as far as it takes something.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
from anyio.abc import ObjectStream

from steadyhand.surfaces.mcp.front import Heard
from steadyhand.surfaces.mcp.messages import Id, Oversize, read_message, write_message
from steadyhand.surfaces.mcp.server import Service
from steadyhand.workspace.machine import write_ready

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCMessage

    from steadyhand.surfaces.mcp.sessions import Running


_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_WAITING = 1_000  # answers that wait to be written before no more is read
_LAST_ANSWERS = 1.0  # seconds for calls that have ended to be answered
_BLOCK = 1 << 16
_AHEAD = 16_000_000  # bytes that are read before the first of them is taken
_FRAME = 1_000  # bytes that a frame takes beside its own
_UNWRITTEN = 16_000_000  # bytes that wait for a slow client before whoever writes more has to wait
_ROOM = 4_000_000  # unwritten bytes from which on no further call should be begun
_LAST_WORDS = 0.5  # seconds for what is still to be written at the end


def serve_stdio(service: Service, wire: tuple[int, int], heard: Heard | None = None) -> None:
    """Serve one client until it is gone or a signal comes."""
    anyio.run(serve_wire, service, *wire, heard)


async def serve_wire(service: Service, reading: int, writing: int, heard: Heard | None = None) -> None:
    """Serve the client at the other end of two descriptors; `heard` is what it has said already."""
    heard = heard or Heard()
    line = _Line(service, Pipe(reading, writing, heard), heard.answered)
    server, loop = service.server(), asyncio.get_running_loop()
    async with anyio.create_task_group() as tasks:
        line.pipe.start()
        for number in _SIGNALS:
            loop.add_signal_handler(number, tasks.start_soon, line.leave)
        await _run(server, line, is_greeted=heard.is_greeted)
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        await line.pipe.finish()
        tasks.cancel_scope.cancel()


async def _run(server: Server[Running], line: _Line, *, is_greeted: bool) -> None:
    """Have the SDK serve; where it is left to decide on the era of the protocol, it relays every message for it."""
    if not is_greeted:
        await server.run(line, line, server.create_initialization_options())
        return
    from mcp.server.runner import serve_loop

    async with server.lifespan(server) as running:
        await serve_loop(server, line, line, lifespan_state=running)


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
                await self._end("the client disconnected")
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


class Pipe:
    """The wire of one client, who may have been heard before. `room` is for any thread, the rest for the event loop."""

    def __init__(self, reading: int, writing: int, heard: Heard) -> None:
        self._reading, self._writing = reading, writing
        self._splitter = heard.frames
        self._frames = deque(heard.waiting)
        self._ahead = sum(map(_weight, self._frames))
        self._is_listening = self._is_writing = self._has_ended = False
        self._arrived = asyncio.Event()
        self._lines = deque([memoryview(heard.unwritten)] if heard.unwritten else ())
        self._unwritten = len(heard.unwritten)
        self._written = asyncio.Event()
        self.room = threading.Event()
        self.room.set()

    def start(self) -> None:
        """Begin to read and to write."""
        self._loop = asyncio.get_running_loop()
        self._listen()
        if self._lines:
            self._flush()

    async def frame(self) -> bytes | Oversize | None:
        """What the client sends next; None when it sends no more."""
        while not self._frames and not self._has_ended:
            self._arrived.clear()
            await self._arrived.wait()
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self._ahead -= _weight(frame)
        self._listen()
        return frame

    def write(self, line: bytes) -> None:
        """Have a line written, now or when the client takes more."""
        self._lines.append(memoryview(line))
        self._unwritten += len(line)
        if len(self._lines) == 1:
            self._flush()
        else:
            self._note_room()

    async def drained(self) -> None:
        """Wait while too much is unwritten."""
        await self._until(lambda: self._unwritten <= _UNWRITTEN)

    def hang_up(self) -> None:
        """Read no further, and forget what was not taken."""
        self._has_ended = True
        self._frames.clear()
        self._loop.remove_reader(self._reading)
        self._arrived.set()

    async def finish(self) -> None:
        """Give what is unwritten a moment more."""
        self.hang_up()
        with anyio.move_on_after(_LAST_WORDS):
            await self._until(lambda: not self._lines)
        self._loop.remove_writer(self._writing)

    def _listen(self) -> None:
        """Have what comes next read, unless too much waits already."""
        if self._is_listening or self._has_ended or self._ahead >= _AHEAD:
            return
        self._is_listening = True
        try:
            self._loop.add_reader(self._reading, self._read)
        except PermissionError:  # a file, which cannot be polled and never makes anybody wait
            self._loop.call_soon(self._read_file)

    def _read_file(self) -> None:
        self._is_listening = False
        if not self._has_ended:
            self._read()
            self._listen()

    def _read(self) -> None:
        try:
            data = os.read(self._reading, _BLOCK)
        except OSError:
            data = b""  # as good as the end
        found = list(self._splitter.feed(data) if data else self._splitter.close())
        self._frames += found
        self._ahead += sum(map(_weight, found))
        self._has_ended = self._has_ended or not data
        if self._has_ended or self._ahead >= _AHEAD:
            self._loop.remove_reader(self._reading)
            self._is_listening = False
        self._arrived.set()

    def _flush(self) -> None:
        try:
            while self._lines:
                left = write_ready(self._writing, self._lines[0])
                self._unwritten -= len(self._lines[0]) - len(left)
                if left:
                    self._lines[0] = left
                    break
                self._lines.popleft()
        except OSError:  # nobody reads any more, and nobody has to wait for that
            self._lines.clear()
            self._unwritten = 0
            self.hang_up()
        if self._lines and not self._is_writing:
            self._loop.add_writer(self._writing, self._flush)
        elif self._is_writing and not self._lines:
            self._loop.remove_writer(self._writing)
        self._is_writing = bool(self._lines)
        self._note_room()
        self._written.set()

    def _note_room(self) -> None:
        has_room = self._unwritten <= _ROOM
        if has_room and not self.room.is_set():
            self.room.set()
        elif not has_room:
            self.room.clear()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._written.clear()
            await self._written.wait()


def _weight(frame: bytes | Oversize) -> int:
    return _FRAME if isinstance(frame, Oversize) else _FRAME + len(frame)
