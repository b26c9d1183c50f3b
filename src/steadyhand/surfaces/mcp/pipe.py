"""Two descriptors of the process as a client's wire: a thread reads frames, another writes them.

So neither a slow client nor a blocked pipe holds up the event loop, and neither thread holds up the end of the process.
What was read and not yet taken is bounded, and so is what was given and not yet written.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator, Callable

import anyio

from steadyhand.surfaces.mcp.frames import Oversize
from steadyhand.surfaces.mcp.front import Heard

__all__ = ["Pipe"]

_BLOCK = 1 << 16
_AHEAD = 16_000_000  # bytes that are read before the first of them is taken
_FRAME = 1_000  # bytes that a frame takes beside its own
_UNWRITTEN = 16_000_000  # bytes that wait for a slow client before whoever writes more has to wait
_ROOM = 4_000_000  # unwritten bytes from which on no further call should be begun
_LAST_WORDS = 0.5  # seconds for what is still to be written at the end


class Pipe:
    """The wire of one client, who may have been heard before.

    `start` and everything after it belong to the event loop; `room` is for any thread.
    """

    def __init__(self, reading: int, writing: int, heard: Heard | None = None) -> None:
        self._reading, self._writing = reading, writing
        self._heard = heard or Heard()
        self._ahead, self._taken = 0, threading.Condition()
        self._inbox_in, self._inbox = anyio.create_memory_object_stream[bytes | Oversize](float("inf"))
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unwritten = 0
        self._is_broken = False
        self._written = anyio.Event()
        self._writer = threading.Thread(target=self._write_all, name="steadyhand-write", daemon=True)
        self.room = threading.Event()
        self.room.set()

    def start(self, on_broken: Callable[[], None]) -> None:
        """Begin to read and to write; `on_broken` is called when nobody takes what is written."""
        self._loop, self._on_broken = asyncio.get_running_loop(), on_broken
        threading.Thread(target=self._read_all, name="steadyhand-read", daemon=True).start()
        self._writer.start()

    async def frames(self) -> AsyncIterator[bytes | Oversize]:
        """What the client sends, until it sends no more."""
        async with self._inbox:
            async for frame in self._inbox:
                yield frame
                with self._taken:
                    self._ahead -= _weight(frame)
                    self._taken.notify()

    async def write(self, data: bytes) -> None:
        """Have a line written; waits while too much is unwritten."""
        self._outbox.put(data)
        self._count(len(data))
        while self._unwritten > _UNWRITTEN and not self._is_broken:
            await self._written.wait()

    def finish(self) -> None:
        """Give what is unwritten a moment more."""
        self._outbox.put(None)
        self._writer.join(_LAST_WORDS)

    def _read_all(self) -> None:
        frames = self._heard.frames
        try:
            for frame in self._heard.waiting:
                self._deliver(frame)
            while data := os.read(self._reading, _BLOCK):
                for frame in frames.feed(data):
                    self._deliver(frame)
            for frame in frames.close():
                self._deliver(frame)
        except OSError:
            pass  # as good as the end
        self._tell(self._inbox_in.close)

    def _deliver(self, frame: bytes | Oversize) -> None:
        with self._taken:
            self._taken.wait_for(lambda: self._ahead < _AHEAD)
            self._ahead += _weight(frame)
        self._tell(self._put, frame)

    def _put(self, frame: bytes | Oversize) -> None:
        try:
            self._inbox_in.send_nowait(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # nobody takes it any more

    def _write_all(self) -> None:
        if self._heard.writer is not None:
            self._heard.writer.join()
        try:
            while (data := self._outbox.get()) is not None:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._writing, left) :]
                self._tell(self._count, -len(data))
        except OSError:
            self._tell(self._break)

    def _count(self, size: int) -> None:
        """So many bytes more are to be written, or less: whoever waits for that is woken."""
        self._unwritten += size
        if self._unwritten > _ROOM and not self._is_broken:
            self.room.clear()
        else:
            self.room.set()
        if size < 0:
            woken, self._written = self._written, anyio.Event()
            woken.set()

    def _break(self) -> None:
        """Nobody reads any more: nobody has to wait for that."""
        self._is_broken = True
        self.room.set()
        self._written.set()
        self._on_broken()

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            pass  # the loop is closed: it is over


def _weight(frame: bytes | Oversize) -> int:
    return _FRAME if isinstance(frame, Oversize) else _FRAME + len(frame)
