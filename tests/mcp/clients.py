"""Clients for tests: the SDK's own, in memory, over a subprocess's standard streams, and over HTTP; in both eras.

    async with in_memory(serving(root)) as client: await client.call_tool(…)
    async with over_stdio("--root", str(root)) as client: …
    with http_server("--root", str(root)) as server:
        async with over_http(server) as client: …

`anyio.run(function)` runs a test's coroutine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import Implementation

from steadyhand.surfaces.mcp.launch import ServerOptions, named_roots
from steadyhand.surfaces.mcp.server import Service

LEGACY = "legacy"
MODERN = "2026-07-28"
ERAS = (LEGACY, MODERN)
COMMAND = [sys.executable, "-m", "steadyhand", "mcp"]
TOKEN = "a token for tests"
_SAYS = re.compile(r"listening on (http://\S+)")


def serving(*roots: Path, **options: Any) -> ServerOptions:
    """A server for some directories, as `steadyhand mcp` would start it."""
    return ServerOptions(roots=named_roots([str(root) for root in roots]), **options)


@asynccontextmanager
async def in_memory(
    of: ServerOptions | Service, mode: str = LEGACY, name: str = "tester", **more: Any
) -> AsyncIterator[Client]:
    """A client of a server in this process; the server is ended with it."""
    service = of if isinstance(of, Service) else Service(of)
    async with Client(service.server(), mode=mode, client_info=_named(name), **more) as client:
        yield client


@asynccontextmanager
async def over_stdio(
    *arguments: str, mode: str = LEGACY, env: dict[str, str] | None = None, cwd: Path | None = None, **more: Any
) -> AsyncIterator[Client]:
    """A client of `steadyhand mcp ARGUMENTS` in a process of its own."""
    started = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *arguments], env=environment() | (env or {}), cwd=cwd
    )
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        async with Client(stdio_client(started, nowhere), mode=mode, client_info=_named("tester"), **more) as client:
            yield client


@dataclass(frozen=True)
class HttpServer:
    """A server that listens: where, and what it wants to be shown."""

    url: str
    token: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])


@contextmanager
def http_server(*arguments: str, env: dict[str, str] | None = None) -> Iterator[HttpServer]:
    """`steadyhand mcp --http 0 ARGUMENTS` until the block ends."""
    process = started("--http", "0", "--token", TOKEN, *arguments, env=env)
    try:
        assert process.stderr is not None
        said = next(filter(None, map(_SAYS.search, process.stderr)))
        yield HttpServer(said[1], TOKEN, process)
    finally:
        stop(process)


@asynccontextmanager
async def over_http(server: HttpServer, mode: str = LEGACY, name: str = "tester") -> AsyncIterator[Client]:
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {server.token}"}) as http:
        wire = streamable_http_client(server.url, http_client=http)
        async with Client(wire, mode=mode, client_info=_named(name)) as client:
            yield client


def started(*arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
    """A process of `steadyhand mcp` whose three streams are ours."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment() | (env or {}),
        cwd=cwd,
    )


def stop(process: subprocess.Popen[str]) -> None:
    """End a process that this test started, and close its streams."""
    process.terminate()
    try:
        process.wait(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def environment() -> dict[str, str]:
    """What a server needs of the environment; nothing of the person who runs the tests."""
    kept = ("PATH", "HOME", "PYTHONPATH", "TMPDIR", "LANG", "XDG_STATE_HOME")
    return {name: os.environ[name] for name in kept if name in os.environ}


def _named(name: str) -> Implementation:
    return Implementation(name=name, version="1")
