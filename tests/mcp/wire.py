"""A client that writes the protocol by hand, for what a well-made one never does: broken frames, and leaving early.

with Wire("--root", str(root)) as wire: …          a process of its own
piped(serving(root), lambda hand: hand.call(…))    the same transport in this process, for a tenth of the cost
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import anyio

from steadyhand.surfaces.mcp.launch import ServerOptions
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.stdio import serve_wire
from tests.mcp.clients import started, stop

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "1"},
}
_Answer = TypeVar("_Answer")


class Hand:
    """The client's ends of two pipes. Every line that comes must be a message."""

    def __init__(self, to_server: IO[bytes], from_server: IO[bytes]) -> None:
        self.to_server, self.from_server = to_server, from_server
        self._last = 0

    def greet(self) -> None:
        self.ask("initialize", HELLO)
        self.tell("notifications/initialized")

    def line(self, text: str | bytes) -> None:
        self.to_server.write((text.encode() if isinstance(text, str) else text) + b"\n")
        self.to_server.flush()

    def send(self, method: str, params: dict[str, Any]) -> int:
        """A request that is not waited for; its number."""
        self._last += 1
        self.line(json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}))
        return self._last

    def tell(self, method: str, **params: Any) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}))

    def next(self) -> dict[str, Any]:
        line = self.from_server.readline()
        assert line, "the server is gone"
        return read(line)

    def rest(self) -> list[dict[str, Any]]:
        """Everything that is still written until the server ends."""
        return [read(line) for line in self.from_server]

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self.send(method, params)
        while (answer := self.next()).get("id") != number:
            pass
        return answer

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        return result


def read(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(line)
    assert message["jsonrpc"] == "2.0"
    return message


class Wire(Hand):
    """A process of the server, and its client."""

    def __init__(self, *arguments: str, cwd: Path | None = None) -> None:
        self.process = started(*arguments, cwd=cwd)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdin.buffer, self.process.stdout.buffer)  # type: ignore[attr-defined]

    def __enter__(self) -> Self:
        self.greet()
        return self

    def __exit__(self, *_: object) -> None:
        stop(self.process)

    def ended(self) -> int:
        return self.process.wait(timeout=300)


def piped(served: ServerOptions | Service, client: Callable[[Hand], _Answer], *, greets: bool = True) -> _Answer:
    """What a client in a thread of its own tells when it is done. It has left when the server is waited for."""
    service = served if isinstance(served, Service) else Service(served)
    (reading, asking), (answers, writing) = os.pipe(), os.pipe()
    said: list[_Answer] = []
    failed: list[BaseException] = []

    def work(hand: Hand) -> None:
        try:
            if greets:
                hand.greet()
            said.append(client(hand))
        except BaseException as error:  # noqa: BLE001  # raised by the thread that waits
            failed.append(error)
        finally:
            hand.to_server.close()
            ended.wait(300)
            hand.from_server.close()

    ended = threading.Event()
    with os.fdopen(asking, "wb") as to_server, os.fdopen(answers, "rb") as from_server:
        thread = threading.Thread(target=work, args=[Hand(to_server, from_server)])
        thread.start()
        anyio.run(serve_wire, service, reading, writing)
        ended.set()
        os.close(writing)
        thread.join(300)
        os.close(reading)
    for error in failed:
        raise error
    return said[0]
