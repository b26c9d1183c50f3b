"""The server over standard input and output: frames that are none, a client that leaves, a signal in the middle."""

from __future__ import annotations

import json
import logging
import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

import steadyhand as sh
from steadyhand.surfaces.cli.main import cli
from steadyhand.surfaces.mcp import launch
from steadyhand.surfaces.mcp.front import Heard
from steadyhand.surfaces.mcp.messages import Frames, Oversize, id_of
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.stdio import Pipe
from steadyhand.tools.toolsets import toolsets
from tests.mcp.clients import COMMAND, MODERN, environment, over_stdio, serving, stop
from tests.mcp.test_calls import many_files, whole_state
from tests.mcp.wire import HELLO, Hand, Wire, piped, read
from tests.table import table
from tests.tools.examples import tree

BROKEN: list[tuple[str | bytes, int, Any]] = [
    ("no json at all", -32700, None),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700, None),
    ('{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": {"a": ' + "[" * 5_000, -32700, None),
    ('{"jsonrpc": "2.0", "id": ' + "9" * 5_000 + ', "method": "ping"}', -32700, None),
    ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, None),
    ("null", -32600, None),
    ('{"id": 5, "method": "ping"}', -32600, 5),
    ('{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32600, 5),
    ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
    ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
    ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32600, None),
    ('{"jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": {"name": "\\ud800"}}', -32600, "seven"),
    (json.dumps({"jsonrpc": "2.0", "id": "i" * 2_000, "method": "ping"}), -32600, None),
    (json.dumps({"jsonrpc": "2.0", "id": 6, "method": "m" * 2_000}), -32600, 6),
    (
        '{"jsonrpc": "2.0", "id": 6, "method": "ping", "params": {"_meta": {"progressToken": "%s"}}}' % ("t" * 2_000),
        -32600,
        6,
    ),
    ('{"jsonrpc": "2.0", "id": 6, "method": "no/such"}', -32601, 6),
    ('{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": 5}}', -32602, 6),
    ('{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": "read", "arguments": []}}', -32602, 6),
    (
        '{"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": "steadyhand://history/%2e%2e/x"}}',
        -32602,
        6,
    ),
]


def test_broken_and_oversized_messages_are_answered_and_the_server_lives_on(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\u2028two\n")

    def client(hand: Hand) -> None:
        early = hand.ask("tools/list", {})
        assert early["error"]["data"]["hint"] == "send initialize first"
        hand.greet()
        for frame, code, number in BROKEN:
            hand.line(frame)
            reported = hand.next()
            assert (reported["error"]["code"], reported["id"]) == (code, number), frame[:80]
            assert reported["error"]["data"]["kind"]
            assert reported["error"]["data"]["hint"]
        for odd in ("tools/call", "notifications/cancelled", "notifications/progress", "notifications/none"):
            hand.tell(odd, requestId=[], name="write", arguments={"path": "b.md", "content": "x"})
        large = {"path": "a.md", "old_content": "one", "new_content": "x" * 11_000_000}
        number = hand.send("tools/call", {"name": "edit_file", "arguments": large})
        refused = hand.next()
        assert (refused["id"], refused["error"]["data"]["kind"]) == (number, "too-large")
        hand.send("tools/call", {"name": "read_file", "arguments": {"path": "a.md"}})
        answer = hand.from_server.readline()
        assert len(answer.decode().splitlines()) == 1, "no client takes it for two lines"
        assert read(answer)["result"]["structuredContent"]["content"] == "1: one\u2028two"

    piped(serving(tmp_path, toolsets=("surgical",)), client, greets=False)
    assert tree(tmp_path) == {"a.md": "one\u2028two\n"}


def test_a_client_that_does_not_read_holds_up_nobody_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("".join(f"{number} {'x' * 90}\n" for number in range(700)))
    service = Service(serving(tmp_path))

    def client(hand: Hand) -> None:
        sent = [hand.send("tools/call", {"name": "read", "arguments": {"path": "a.md"}}) for _ in range(120)]
        assert service.room is not None
        poll(lambda: not service.room.is_set())  # type: ignore[union-attr]
        assert service.is_answering, "what is asked waits until answers are taken"
        assert sorted(hand.next()["id"] for _ in sent) == sent

    piped(service, client)


def test_a_server_whose_client_left_without_reading_ends(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("".join(f"{number} {'x' * 90}\n" for number in range(700)))
    service = Service(serving(tmp_path))

    def client(hand: Hand) -> None:
        for _ in range(120):
            hand.send("tools/call", {"name": "read", "arguments": {"path": "a.md"}})
        poll(lambda: not service.room.is_set())  # type: ignore[union-attr]

    piped(service, client)
    assert not service.running


def test_whoever_waits_to_write_is_woken_however_many_wait() -> None:
    (nothing, silent), (reading, writing) = os.pipe(), os.pipe()
    os.close(silent)
    size = 12_000_000

    def drain() -> None:
        while os.read(reading, 1 << 20):
            pass

    reader = threading.Thread(target=drain)

    async def run() -> None:
        pipe = Pipe(nothing, writing, Heard())
        pipe.start()
        assert await pipe.frame() is None
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                pipe.write(bytes(size))
                tasks.start_soon(pipe.drained)
            assert not pipe.room.is_set()
            await anyio.sleep(0)
            reader.start()
        while not pipe.room.is_set():
            await anyio.sleep(0.001)
        await pipe.finish()

    anyio.run(run)
    os.close(writing)
    reader.join()
    for descriptor in (nothing, reading):
        os.close(descriptor)


def test_lines_that_nobody_reads_stop_nobody_and_the_same_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb") as reader:
        monkeypatch.setattr(sys, "stderr", stream)
        handler = launch._Lines()
        for number in range(2_000):
            record = logging.LogRecord("x", logging.WARNING, "", 0, f"line\n{number % 2}\x1b[2J", None, None)
            handler.emit(record)
        for _ in range(200):
            launch.say("x" * 5_000)
        stream.close()
        said = reader.read().decode().splitlines()
    assert said[:2] == ["steadyhand mcp: line\\n0\\x1b[2J", "steadyhand mcp: line\\n1\\x1b[2J"]
    assert len(said) < 100
    assert all(line.startswith("steadyhand mcp: ") and len(line) < 4_096 for line in said)


@pytest.mark.sweep
def test_a_server_reads_a_file_and_writes_one_as_it_does_pipes(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.md").write_text("one\n")
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "read", "arguments": {"path": "a.md"}}}
    asked = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *({**call, "id": n} for n in (2, 3))]
    long = {"jsonrpc": "2.0", "id": 4, "method": "ping", "params": {"x": "y" * 200_000}}
    (tmp_path / "asked").write_text("".join(json.dumps(each) + "\n" for each in (*asked, long)))
    with open(tmp_path / "asked", "rb") as reading, open(tmp_path / "answers", "wb") as writing:
        command = [*COMMAND, "--root", str(tmp_path / "root")]
        subprocess.run(command, stdin=reading, stdout=writing, env=environment(), check=True, timeout=300)
    answers = [read(line) for line in (tmp_path / "answers").read_bytes().splitlines()]
    assert {answer["id"] for answer in answers} == {1, 2, 3, 4}


def poll(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; a minute is too long."""
    until = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_frames_are_cut_at_line_ends_whatever_the_pieces() -> None:
    data = b'{"a": 1}\n\n  \n{"b": "\xc3\xa9"}\r\n{"c": 3}'
    for size in range(1, len(data)):
        frames = Frames()
        found = [frame for at in range(0, len(data), size) for frame in frames.feed(data[at : at + size])]
        assert [*found, *frames.close()] == [b'{"a": 1}', b'{"b": "\xc3\xa9"}\r', b'{"c": 3}']


@table("size", [1, 7, 1_000, 60_000])
def test_a_frame_that_is_too_long_is_not_held_and_its_id_is_known(size: int) -> None:
    long = b"x" * 50_000
    sent = [
        b'{"jsonrpc":"2.0","id":5,"method":"m","params":{"id":9,"t":"' + long + b'"}}',
        b'{"method":"m","params":{"id":9,"t":"' + long + b'"},"jsonrpc":"2.0","id":"five"}',
        b'{"method":"m","params":{"id":9,"t":"' + long + b'"}}',
    ]
    frames = Frames(longest=20_000)
    data = b"\n".join([*sent, b"{}", b""])
    found = [frame for at in range(0, len(data), size) for frame in frames.feed(data[at : at + size])]
    assert found == [Oversize(len(sent[0]), 5), Oversize(len(sent[1]), "five"), Oversize(len(sent[2]), None), b"{}"]


def test_the_id_of_a_request_is_that_of_its_outermost_object() -> None:
    assert id_of(b'{"params": {"id": 1}, "id": true}') is None
    assert id_of(b'{"params": {"id": 1}, "id" : -7 }') == -7
    assert id_of(b'{"id": "a", "params": {"x": {"id": 2') == "a"


def leave_in_the_middle(hand: Hand, call: dict[str, Any], leave: Callable[[], object]) -> list[dict[str, Any]]:
    """What is still answered after a client that has much under way says that it goes."""
    hand.call("read", {"path": "000.md"})
    params = {"name": "edit", "arguments": call, "_meta": {"progressToken": "far"}}
    number = hand.send("tools/call", params)
    while (message := hand.next()).get("method") != "notifications/progress":
        assert message.get("id") != number
    for later in range(40):
        hand.send("tools/call", {"name": "write", "arguments": {"path": f"new-{later}.md", "content": "two new\n"}})
    leave()
    return hand.rest()


def changed_files(root: Path) -> set[str]:
    return {path for path, text in tree(root).items() if text.startswith("two")}


def check_all_or_nothing(root: Path, call: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    """Tree, journal and answers tell the same, and what was changed together is changed together."""
    changed = changed_files(root)
    with sh.Workspace(root, actor="reader") as workspace:
        recorded = [set(entry.record.paths) for entry in workspace.history()]
    assert set().union(*recorded) == changed
    assert {path for path in changed if path[0] != "n"} in (set(), {one["path"] for one in call["files"]})
    assert {path for answer in answers for path in acknowledged(answer)} <= changed
    assert not [name for name in root.rglob("*") if name.name.startswith(".steadyhand-")]


def test_a_signal_in_the_middle_of_a_transaction_leaves_all_or_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    with Wire("--root", str(tmp_path)) as wire:
        answers = leave_in_the_middle(wire, call, wire.process.terminate)
        assert wire.ended() == 0
    check_all_or_nothing(tmp_path, call, answers)


def test_a_client_that_leaves_in_the_middle_of_a_transaction_leaves_all_or_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    answers = piped(
        serving(tmp_path),
        lambda hand: leave_in_the_middle(hand, call, hand.to_server.close),
    )
    check_all_or_nothing(tmp_path, call, answers)
    reported = [answer["result"] for answer in answers if "id" in answer]
    assert len(reported) == 41, "whoever still reads learns how each call ended"
    assert {path for answer in answers for path in acknowledged(answer)} == changed_files(tmp_path)


def acknowledged(answer: dict[str, Any]) -> set[str]:
    """The files that an answer says are changed."""
    result = answer.get("result", {})
    reported = result.get("structuredContent", {})
    is_done = not result.get("isError", True) and "id" in reported
    paths = {one["path"] for one in reported.get("files", [reported])} if is_done else set()
    # Of the files of `many_files` an answer lists the first, and counts the others.
    return paths | {f"{number:03}.md" for number in range(50, 50 + reported.get("moreFiles", 0)) if is_done}


def test_the_stateless_era_works_over_a_pipe_and_tells_progress(tmp_path: Path) -> None:
    call = many_files(tmp_path, 10)
    reported: list[float | None] = []

    async def tell(done: float, total: float | None, message: str | None) -> None:
        reported.append(total)

    async def run() -> Any:
        async with over_stdio("--root", str(tmp_path), mode=MODERN) as client:
            await client.list_tools()
            return await client.call_tool("edit", call, progress_callback=tell)

    result = anyio.run(run)
    assert result.structured_content["success"] is True
    assert reported
    assert whole_state(tmp_path) == "two"


@pytest.mark.sweep
def test_help_loads_no_mcp_and_a_server_no_toolset_but_its_own(tmp_path: Path) -> None:
    code = """
import sys
from click.testing import CliRunner
from steadyhand.surfaces.cli.main import cli
assert "mcp" in CliRunner().invoke(cli, ["--help"]).output
assert not {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "uvicorn"} & sys.modules.keys(), "heavy"
import anyio
from pathlib import Path
from steadyhand.surfaces.mcp import server
from tests.mcp.clients import in_memory, serving
server._WARM_UP = 3600  # what is loaded in the background would be loaded sooner or later, as the machine is busy
async def run():
    async with in_memory(serving(Path(sys.argv[1]), toolsets=("surgical",))) as client:
        early = [name for name in sys.modules if name.startswith("steadyhand.session")]
        await client.list_tools()
        print(early, *sys.modules, sep="\\n")
anyio.run(run)
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    loaded = done.stdout.split("\n")
    assert loaded[0] == "[]", "the greeting needs no session"
    rooms = {name.split(".")[2] for name in loaded if name.startswith("steadyhand.tools.")}
    assert rooms & {name.replace("-", "_") for name in toolsets()} == {"surgical"}


@table("package", ["mcp", "uvicorn"])
def test_what_is_not_installed_is_named_with_the_command_that_does(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(cli, ["--json", "mcp", "--root", str(tmp_path), "--http", "0"])
    assert result.exit_code == 63
    # From a checkout the command names the checkout, from an index the package.
    assert re.search(r"pip install (-e )?'[^']*\[mcp\]'", result.stdout)


@table(
    ("arguments", "word"),
    [
        (["--root", "none"], "directory"),
        (["--toolset", "surgical", "--toolset", "gemini"], "write_file"),
        (["--http", "0.0.0.0:0"], "--http-name"),
        (["--http-name", "box"], "--http PORT"),
        (["--http", "0.0.0.0:0", "--http-name", "box"], "token"),
        (["--http", "everywhere"], "address"),
        (["--http", "0"], "--root"),
        (["--mode", "wild"], "wild"),
        (["--toolset", "none"], "core"),
        (["--root", "a", "--root", "b", "--journal", "j"], "journal"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_at_start(
    arguments: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    root = [] if "--root" in arguments or arguments == ["--http", "0"] else ["--root", "a"]
    result = CliRunner().invoke(cli, ["--json", "mcp", *root, *arguments])
    assert result.exit_code in (2, 42)
    assert word in result.stdout


def test_who_starts_it_in_a_terminal_learns_what_it_waits_for(tmp_path: Path) -> None:
    ours, terminal = pty.openpty()
    streams = {"stdin": terminal, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*COMMAND, "--root", str(tmp_path)], text=True, env=environment(), **streams)
    os.close(terminal)
    try:
        assert process.stderr is not None
        assert "--install CLIENT" in next(line for line in process.stderr if "terminal" in line)
    finally:
        stop(process)
        os.close(ours)
