"""Memory under load: an hour of calls to a server over stdio and to one over HTTP, and what each holds every minutes.

    python -m benches.load --minutes 60

Files of 1 KB to 5 MB are read, searched, outlined, edited exactly, tolerantly and by address, missed, and undone, at a
steady rate. HTTP sessions are dropped without a DELETE, as most clients do. A server that keeps something of each call
or of each session is seen by its row at the end being above its row after the warm-up; caches that fill are not.
Everything is on loopback; the servers are children of this process and end with it. Linux only: `/proc` is asked.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benches import child
from benches.documents import Document, document
from benches.stdio import StdioClient

__all__ = ["Reading", "main", "measure", "render"]

_SIZES = {1_000: 8, 20_000: 5, 200_000: 3, 1_000_000: 1, 5_000_000: 1}  # bytes of a file, and how often it is chosen
_FORMATS = ("HTML", "Markdown", "YAML", "TOML", "JSON", "Python")
_MOST_STRUCTURED = 50_000  # bytes of a file that is also outlined and edited by address
_CALLS_OF_A_SESSION = (3, 40)
_LISTENS = re.compile(r"listening on http://127\.0\.0\.1:(\d+)/")
_TOKEN = "a token for the bench"
_LIMIT = 300.0  # seconds for an answer
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a server holds at one moment; `peak` is the most since the reading before."""

    seconds: float
    server: str
    resident: int
    peak: int
    threads: int
    files: int
    calls: int
    sessions: int
    refused: int


class Client(Protocol):
    """Somebody who calls tools; `pid` is the server's."""

    pid: int
    sessions: int

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]: ...


class _Stdio:
    def __init__(self, client: StdioClient) -> None:
        self._client = client
        self.pid = client.pid
        self.sessions = 1

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._client.call(tool, arguments)


class _Http:
    """A client that begins a session, makes some calls and goes away without a word."""

    def __init__(self, pid: int, port: int, draw: random.Random) -> None:
        self.pid, self.sessions = pid, 0
        self._port, self._draw = port, draw
        self._ids = itertools.count(1)
        self._left = 0
        self._session = ""
        self._connection: http.client.HTTPConnection | None = None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._left == 0:
            self._begin()
        self._left -= 1
        result: Mapping[str, Any] = self._ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _begin(self) -> None:
        self.close()
        self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_LIMIT)
        self._session, self._left = "", self._draw.randint(*_CALLS_OF_A_SESSION)
        self._ask("initialize", _HELLO)
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.sessions += 1

    def _ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        body = self._post({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
        data = [line[5:] for line in body.splitlines() if line.startswith("data:") and line[5:].strip()]
        answer: Mapping[str, Any] = json.loads(data[-1] if data else body)
        if "result" not in answer:
            raise RuntimeError(f"{method}: {body[:500]}")
        return answer

    def _post(self, message: Mapping[str, Any]) -> str:
        assert self._connection is not None
        headers = {"Authorization": f"Bearer {_TOKEN}", "Content-Type": "application/json"}
        headers["Accept"] = "application/json, text/event-stream"
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        self._connection.request("POST", "/mcp", json.dumps(message).encode(), headers)
        answer = self._connection.getresponse()
        body = answer.read().decode()
        if answer.status not in (200, 202):
            raise RuntimeError(f"HTTP {answer.status}: {body[:500]}")
        self._session = answer.headers.get("Mcp-Session-Id") or self._session
        return body


@dataclass(slots=True)
class Caller:
    """One client at work in a tree of its own."""

    name: str
    client: Client
    root: Path
    documents: Sequence[Document]
    draw: random.Random
    calls: int = 0
    refused: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    changed: set[tuple[str, int]] = field(default_factory=set)

    def make_call(self) -> None:
        """The next call, drawn by chance; a refusal is an answer, an error of the protocol ends the bench."""
        kind, tool, arguments = self._drawn()
        answer = self.client.call(tool, arguments)
        self.calls += 1
        self.kinds[kind] += 1
        if answer.get("isError"):
            self.refused += 1
        elif kind in ("exact", "tolerant"):
            self.changed.symmetric_difference_update({self._spot})

    _spot: tuple[str, int] = ("", 0)

    def _drawn(self) -> tuple[str, str, dict[str, Any]]:
        draw = self.draw
        weights = [_SIZES[_size_of(each)] for each in self.documents]
        chosen = draw.choices(self.documents, weights)[0]
        kind = draw.choices(
            ("read", "exact", "tolerant", "miss", "search", "outline", "address", "undo", "history", "list"),
            (30, 25, 8, 8, 5, 5, 4, 5, 5, 5),
        )[0]
        if kind in ("outline", "address") and len(chosen.text) > _MOST_STRUCTURED:
            kind = "read"
        path = chosen.path
        match kind:
            case "read":
                start = draw.randrange(1, max(2, chosen.text.count("\n") - 100))
                return kind, "read", {"path": path, "start": start, "end": start + 100}
            case "exact" | "tolerant":
                spot = draw.choice(chosen.spots)
                self._spot = (path, spot.number)
                old, new = (spot.new, spot.old) if self._spot in self.changed else (spot.old, spot.new)
                if kind == "tolerant":
                    old = old.replace("\n", "  \n")
                return kind, "edit", _edit(path, {"target": old, "new": new, "reason": "load"})
            case "miss":
                lines = draw.choice(chosen.spots).old.splitlines()
                return kind, "edit", _edit(path, {"target": "\n".join(reversed(lines)) + "\nnowhere", "new": "x"})
            case "search":
                return kind, "search", {"query": f"no {draw.randrange(99)} such", "path": path}
            case "outline":
                return kind, "outline", {"path": path}
            case "address":
                line = draw.randrange(1, max(2, chosen.text.count("\n")))
                return kind, "edit", _edit(path, {"target": {"at": f"lines:{line}"}, "new": "", "dry_run": True})
            case "undo":
                return kind, "undo", {"last": True, "dry_run": True}
            case "history":
                return kind, "history", {"path": path}
        return "list", "list", {}


def _edit(path: str, edit: dict[str, Any]) -> dict[str, Any]:
    is_dry = edit.pop("dry_run", False)
    return {"files": [{"path": path, "edits": [edit]}], **({"dry_run": True} if is_dry else {})}


def _size_of(each: Document) -> int:
    return int(each.path.partition("/")[0])


def _tree(root: Path, sizes: Sequence[int]) -> list[Document]:
    """A file of each format and size, in a folder named by the size."""
    made: list[Document] = []
    for size in sizes:
        (root / str(size)).mkdir(parents=True)
        for name in _FORMATS:
            one = document(name, size)
            here = Document(one.format, f"{size}/{one.path}", one.text, one.spots)
            (root / here.path).write_text(here.text, encoding="utf-8")
            made.append(here)
    return made


@contextmanager
def _http_client(root: Path, draw: random.Random) -> Iterator[_Http]:
    """A server over HTTP on a free port of loopback, and a client of it."""
    command = child.python("-m", "steadyhand", "mcp", "--root", str(root), "--http", "0", "--token", _TOKEN)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=child.environment(), cwd=root,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = next(filter(None, map(_LISTENS.search, process.stderr)), None)
        if said is None:
            raise RuntimeError("the HTTP server did not start")
        errors = threading.Thread(target=process.stderr.read, daemon=True)  # a full pipe would stop the server
        errors.start()
        client = _Http(process.pid, int(said[1]), draw)
        try:
            yield client
        finally:
            client.close()
            process.terminate()
            errors.join(_LIMIT)
    finally:
        process.terminate()
        try:
            process.wait(_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stderr is not None:
            process.stderr.close()


def measure(
    folder: Path, *, seconds: float, every: float, rate: float, sizes: Sequence[int] = tuple(_SIZES), seed: int = 1
) -> Iterator[Reading]:
    """Call both servers, `rate` times a second each, and read their memory after `every` seconds."""
    with ExitStack() as stack:
        callers: list[Caller] = []
        for name in ("stdio", "HTTP"):
            draw, root = random.Random(f"{seed} {name}"), folder / name
            documents = _tree(root, sizes)
            if name == "stdio":
                command = child.python("-m", "steadyhand", "mcp", "--root", str(root))
                client: Client = _Stdio(stack.enter_context(StdioClient(command, env=child.environment(), cwd=root)))
            else:
                client = stack.enter_context(_http_client(root, draw))
            callers.append(Caller(name, client, root, documents, draw))
        began = time.monotonic()
        for caller in callers:
            _reset_peak(caller.client.pid)
        for row in itertools.count(1):
            until = min(row * every, seconds)
            _work(callers, began, until, rate)
            for caller in callers:
                yield _reading(caller, time.monotonic() - began)
            if until >= seconds:
                return


def _work(callers: Sequence[Caller], began: float, until: float, rate: float) -> None:
    """All callers at once until then; what one of them runs into ends the bench."""
    problems: list[BaseException] = []

    def work(caller: Caller) -> None:
        try:
            while (now := time.monotonic() - began) < until and not problems:
                caller.make_call()
                left = 1 / rate - (time.monotonic() - began - now)
                if left > 0:
                    time.sleep(left)
        except BaseException as error:  # noqa: BLE001  # raised again below, in the thread that waits
            problems.append(error)

    threads = [threading.Thread(target=work, args=[caller]) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def _reading(caller: Caller, seconds: float) -> Reading:
    client = caller.client
    status = Path(f"/proc/{client.pid}/status").read_text(encoding="ascii")
    status = {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+)", status, re.MULTILINE)}
    files = sum(1 for _ in Path(f"/proc/{client.pid}/fd").iterdir())
    _reset_peak(client.pid)
    counted = (caller.calls, client.sessions, caller.refused)
    return Reading(
        seconds, caller.name, status["VmRSS"] << 10, status["VmHWM"] << 10, status["Threads"], files, *counted
    )


def _reset_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


def render(readings: Sequence[Reading]) -> str:
    """A table in Markdown: a row for each time, the servers side by side."""
    names = list(dict.fromkeys(each.server for each in readings))
    heads = [f"{name} {what}" for name in names for what in ("MB", "peak", "threads", "files", "calls", "sessions")]
    lines = [f"| minute | {' | '.join(heads)} |", f"|--:|{'--:|' * len(heads)}"]
    for some in zip(*([each for each in readings if each.server == name] for name in names), strict=True):
        cells = []
        for one in some:
            counts = f"{one.threads} | {one.files} | {one.calls:,} | {one.sessions:,}"
            cells.append(f"{one.resident / 1e6:.0f} | {one.peak / 1e6:.0f} | {counts}")
        lines.append(f"| {some[0].seconds / 60:.1f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benches.load", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--every", type=float, default=5.0, metavar="MINUTES", help="between two rows (5)")
    parser.add_argument("--rate", type=float, default=4.0, help="calls a second to each of the two servers (4)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    readings: list[Reading] = []
    with tempfile.TemporaryDirectory(prefix="steadyhand-load-") as folder:
        spans = {"seconds": options.minutes * 60, "every": options.every * 60}
        for reading in measure(Path(folder), **spans, rate=options.rate, seed=options.seed):
            readings.append(reading)
            print(json.dumps({each: getattr(reading, each) for each in Reading.__slots__}), file=sys.stderr, flush=True)
    print(render(readings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
