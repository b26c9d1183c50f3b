"""The server over standard input and output: frames that are none, a client that leaves, a signal in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

import steadyhand as sh
from steadyhand.surfaces.cli.main import cli
from steadyhand.surfaces.mcp.frames import Frames, Oversize, id_of
from tests.mcp.clients import MODERN, over_stdio
from tests.mcp.test_calls import many_files, whole_state
from tests.mcp.wire import Wire
from tests.tools.examples import tree


def test_broken_and_oversized_messages_are_answered_and_the_server_lives_on(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    with Wire("--root", str(tmp_path), "--toolset", "surgical") as wire:
        wire.line("no json at all")
        assert wire.next()["error"]["code"] == -32700
        wire.line('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]')
        assert wire.next()["error"]["code"] == -32600
        wire.line('{"jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": {"name": "\\ud800"}}')
        refused = wire.next()
        assert refused["id"] == "seven"
        assert refused["error"]["data"]["hint"]
        wire.line('{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"arguments": ' + "[" * 5_000)
        assert "error" in wire.next()
        large = {"path": "a.md", "old_content": "one", "new_content": "x" * 11_000_000}
        number = wire.send("tools/call", {"name": "edit_file", "arguments": large})
        refused = wire.next()
        assert (refused["id"], refused["error"]["data"]["kind"]) == (number, "too-large")
        assert wire.call("read_file", {"path": "a.md"})["structuredContent"]["content"] == "1: one"
    assert tree(tmp_path) == {"a.md": "one\n"}


def test_frames_are_cut_at_line_ends_whatever_the_pieces() -> None:
    data = b'{"a": 1}\n\n  \n{"b": "\xc3\xa9"}\r\n{"c": 3}'
    for size in range(1, len(data)):
        frames = Frames()
        found = [frame for at in range(0, len(data), size) for frame in frames.feed(data[at : at + size])]
        assert [*found, *frames.close()] == [b'{"a": 1}', b'{"b": "\xc3\xa9"}\r', b'{"c": 3}']


@pytest.mark.parametrize("size", [1, 7, 1_000, 60_000])
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


@pytest.mark.parametrize("way", ["signal", "end of input"])
def test_leaving_in_the_middle_of_a_transaction_leaves_all_or_nothing(way: str, tmp_path: Path) -> None:
    call = many_files(tmp_path)
    with Wire("--root", str(tmp_path)) as wire:
        wire.call("read", {"path": "000.md"})
        params = {"name": "edit", "arguments": call, "_meta": {"progressToken": "far"}}
        number = wire.send("tools/call", params)
        while (message := wire.next()).get("method") != "notifications/progress":
            assert message.get("id") != number
        for later in range(40):
            wire.send("tools/call", {"name": "write", "arguments": {"path": f"new-{later}.md", "content": "two new\n"}})
        if way == "signal":
            wire.process.send_signal(signal.SIGTERM)
        else:
            assert wire.process.stdin is not None
            wire.process.stdin.close()
        answers = {message["id"]: message for message in wire.rest() if "id" in message}
        assert wire.ended() == 0
    changed = {path for path, text in tree(tmp_path).items() if text.startswith("two")}
    with sh.Workspace(tmp_path, actor="reader") as workspace:
        recorded = [set(entry.record.paths) for entry in workspace.history()]
    assert set().union(*recorded) == changed
    assert {path for path in changed if path[0] != "n"} in (set(), {one["path"] for one in call["files"]})
    assert {path for answer in answers.values() for path in acknowledged(answer)} <= changed
    assert not [name for name in tmp_path.rglob("*") if name.name.startswith(".steadyhand-")]


def acknowledged(answer: dict[str, Any]) -> set[str]:
    """The files that an answer says are changed."""
    result = answer.get("result", {})
    told = result.get("structuredContent", {})
    is_done = not result.get("isError", True) and "id" in told
    return {one["path"] for one in told.get("files", [told])} if is_done else set()


def test_the_stateless_era_works_over_a_pipe_and_tells_progress(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    told: list[float | None] = []

    async def tell(done: float, total: float | None, message: str | None) -> None:
        told.append(total)

    async def run() -> Any:
        async with over_stdio("--root", str(tmp_path), mode=MODERN) as client:
            await client.list_tools()
            return await client.call_tool("edit", call, progress_callback=tell)

    result = anyio.run(run)
    assert result.structured_content["success"] is True
    assert told
    assert whole_state(tmp_path) == "two"


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_help_loads_no_mcp_and_a_server_no_toolset_but_its_own() -> None:
    assert (
        "mcp"
        not in python(
            "import sys; from click.testing import CliRunner; from steadyhand.surfaces.cli.main import cli\n"
            "assert 'mcp' in CliRunner().invoke(cli, ['--help']).output; print(*sys.modules)"
        ).split()
    )
    code = """
import sys, tempfile, anyio
from tests.mcp.clients import in_memory, serving
async def run():
    async with in_memory(serving(tempfile.mkdtemp(), toolsets=("surgical",))) as client:
        early = [name for name in sys.modules if name.startswith("steadyhand.session")]
        await client.list_tools()
        print(early, *sys.modules, sep="\\n")
anyio.run(run)
"""
    loaded = python(code).split("\n")
    assert loaded[0] == "[]", "the greeting needs no session"
    others = [name for name in loaded if name.startswith("steadyhand.tools.") and name.count(".") == 3]
    owners = {name.split(".")[2] for name in others if not name.endswith(".toolset")}
    assert owners == {"surgical", "everywhere"}


@pytest.mark.parametrize("package", ["mcp", "uvicorn"])
def test_what_is_not_installed_is_named_with_the_command_that_does(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(cli, ["--json", "mcp", "--root", str(tmp_path), "--http", "0"])
    assert result.exit_code == 63
    assert "pip install 'steadyhand[mcp]'" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--root", "none"], "directory"),
        (["--toolset", "surgical", "--toolset", "gemini"], "write_file"),
        (["--http", "0.0.0.0:0"], "--http-name"),
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
