"""A client that writes the protocol by hand, for what a well-made one never does: broken frames, and leaving early."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from tests.mcp.clients import started, stop

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "1"},
}


class Wire:
    """One process of the server. Every line it writes must be a message."""

    def __init__(self, *arguments: str, cwd: Path | None = None) -> None:
        self.process = started(*arguments, cwd=cwd)
        self._last = 0

    def __enter__(self) -> Self:
        self.ask("initialize", HELLO)
        self.tell("notifications/initialized")
        return self

    def __exit__(self, *_: object) -> None:
        stop(self.process)

    def line(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any]) -> int:
        """A request that is not waited for; its number."""
        self._last += 1
        self.line(json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}))
        return self._last

    def tell(self, method: str) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", "method": method}))

    def next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server is gone"
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def rest(self) -> list[dict[str, Any]]:
        """Everything that is still written until the process ends."""
        assert self.process.stdout is not None
        return [json.loads(line) for line in self.process.stdout]

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self.send(method, params)
        while (answer := self.next()).get("id") != number:
            pass
        return answer

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        return result

    def ended(self) -> int:
        return self.process.wait(timeout=60)
