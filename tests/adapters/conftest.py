"""What every test of an adapter has: a small tree, a loop, and no way out of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from tests.adapters import story


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A framework that tries to reach anything but this machine fails the test, even if it hides its failure."""
    tried: list[object] = []
    connect = socket.socket.connect

    def only_here(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            tried.append(address)
            raise OSError(f"no network in tests: {address}")
        connect(self, address)

    def no_names(host: object, *rest: object, **options: object) -> list[object]:
        tried.append(host)
        raise OSError(f"no network in tests: {host}")

    monkeypatch.setattr(socket.socket, "connect", only_here)
    monkeypatch.setattr(socket.socket, "connect_ex", only_here)
    monkeypatch.setattr(socket, "getaddrinfo", no_names)
    yield
    assert tried == []


@pytest.fixture(autouse=True)
def own_loop() -> Iterator[None]:
    """The loop that a framework's synchronous call takes: it would leave one of its own open, and fail a later test."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The tree of the story, beside whatever else a test keeps."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "notes.md").write_text(story.BEFORE, encoding="utf-8")
    return tree


@pytest.fixture
def ws(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="adapters") as workspace:
        yield workspace
