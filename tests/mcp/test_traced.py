"""A server seen from the kernel: it speaks to nobody, and one that may only read makes no call that changes a file."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from tests.hostile.attacks import snapshot
from tests.hostile.test_read_only import FOR_WRITING, MUTATING, _strace
from tests.mcp.clients import COMMAND, environment, stop
from tests.mcp.wire import Hand

OUTWARD = re.compile(r"\b(?:connect|sendto|sendmsg|bind|listen)\(.*\bAF_(?:INET6?|NETLINK|PACKET)\b")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list", {}),
    ("search", {"query": "o.e", "isRegex": True}),
    ("outline", {"path": "a.md"}),
    ("read", {"path": "latin.md"}),
    ("edit", {"path": "a.md", "edits": [{"target": "one", "new": "1", "reason": "digits"}]}),
    ("write", {"path": "new/b.md", "content": "x\n"}),
    (
        "edit",
        {"path": "page.html", "edits": [{"target": {"selector": "p"}, "act": "set-text", "args": {"value": "y"}}]},
    ),
    ("history", {}),
    ("undo", {"last": True}),
]


def lay_out(root: Path) -> None:
    """Files that need a parser or a detector, and a past."""
    root.mkdir()
    (root / "a.md").write_text("# A\n\none\n")
    (root / "latin.md").write_bytes("# Grüße\n\nschöne Grüße aus Köln\n".encode("latin-1"))
    (root / "page.html").write_text("<p>x</p>\n")
    with sh.Workspace(root, actor="before") as workspace:
        workspace.edit("a.md", [sh.Replace("one", "one two")])


@contextmanager
def traced(log: Path, calls: str, *arguments: str) -> Iterator[Hand]:
    """A server whose system calls of a kind are written down; not written down where there is no tracing."""
    trace = _strace()
    prefix = [] if trace is None else [*trace[:-1], f"trace={calls}", "-o", str(log)]
    command = [*prefix, *COMMAND, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    hand = Hand(process.stdin.buffer, process.stdout.buffer)  # type: ignore[attr-defined]
    try:
        hand.greet()
        yield hand
        hand.to_server.close()
        assert process.wait(timeout=300) == 0
    finally:
        stop(process)


def lines_of(log: Path, capsys: pytest.CaptureFixture[str]) -> list[str] | None:
    if log.exists():
        return log.read_text(errors="replace").splitlines()
    with capsys.disabled():
        print("\nstrace is not there or not permitted: what the server asked of the kernel was not seen")
    return None


def test_a_server_speaks_to_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log = tmp_path / "root", tmp_path / "trace"
    lay_out(root)
    with traced(log, "%network", "--root", str(root)) as hand:
        refused = [name for name, arguments in CALLS if hand.call(name, arguments).get("isError")]
    assert refused == []
    lines = lines_of(log, capsys)
    if lines is not None:
        assert any("exited with" in line for line in lines), "the trace saw the process"
        assert [line for line in lines if OUTWARD.search(line)] == []


def test_the_trace_would_show_whoever_speaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, trace = tmp_path / "trace", _strace()
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    if trace is not None:
        subprocess.run([*trace[:-1], "trace=%network", "-o", str(log), sys.executable, "-c", code], check=True)
    lines = lines_of(log, capsys)
    assert lines is None or any(map(OUTWARD.search, lines))


def test_a_server_that_may_only_read_asks_the_kernel_for_no_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, log = tmp_path / "root", tmp_path / "trace"
    lay_out(root)
    before = snapshot(root)
    with traced(log, "%file,%desc", "--root", str(root), "--read-only") as hand:
        refused = {name for name, arguments in CALLS if hand.call(name, arguments).get("isError")}
    assert refused == {"edit", "write", "undo"}
    assert snapshot(root) == before
    lines = lines_of(log, capsys)
    if lines is not None:
        named = [line for line in lines if str(root) in line]
        assert any("latin.md" in line for line in named), "the trace saw the work"
        assert [line for line in named if MUTATING.search(line) or FOR_WRITING.search(line)] == []
