"""A maker's API that answers from a script, inside the process: the real client parses what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2


@dataclass
class Api:
    """Answers each request with the next reply, and keeps what was asked."""

    replies: list[dict[str, Any]]
    asked: list[dict[str, Any]] = field(default_factory=list)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        return httpx2.Response(200, json=self.replies[len(self.asked) - 1])

    def client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self._answer))

    def async_client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))
