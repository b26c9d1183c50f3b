"""The second wall, proven in processes of their own: what the kernel refuses however it is asked."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
import pytest

from steadyhand.surfaces.mcp.launch import ServerOptions, confine
from steadyhand.surfaces.mcp.server import Service
from steadyhand.surfaces.mcp.sessions import CallDeadline
from steadyhand.workspace.landlock import access_to, landlock_abi
from steadyhand.workspace.machine import scratch_folder
from tests.mcp.clients import in_memory
from tests.mcp.test_roots import listing
from tests.mcp.wire import Wire
from tests.table import table

HAS_LANDLOCK = landlock_abi() is not None

# Opens by name, as no part of Steadyhand does: only the kernel is between this and the outside.
ATTEMPTS = """
import os, sys, threading
from steadyhand.workspace.landlock import restrict_process, access_to
root, outside, scratch, read_only = sys.argv[1:5]
assert restrict_process(access_to([root], None, scratch=scratch, read_only=read_only == "1")) is not None
def tried(name, flags):
    try:
        os.close(os.open(name, flags, 0o600)); return "done"
    except PermissionError:
        return "refused"
def connected():
    import socket
    try:
        socket.create_connection(("127.0.0.1", 9), 1)
    except PermissionError:
        return "refused"
    except OSError:
        return "done"
answers = {}
def attempt():
    answers.update(
        inside=tried(root + "/a.md", os.O_RDONLY),
        written=tried(root + "/a.md", os.O_WRONLY),
        made=tried(root + "/new.md", os.O_WRONLY | os.O_CREAT),
        scratch=tried(scratch + "/x", os.O_WRONLY | os.O_CREAT),
        outside=tried(outside + "/secret", os.O_RDONLY),
        link=tried(root + "/link", os.O_RDONLY),
        folder=tried(outside, os.O_RDONLY | os.O_DIRECTORY),
        connected=connected(),
    )
thread = threading.Thread(target=attempt); thread.start(); thread.join()
import json.tool, sqlite3
print(*(f"{name}={answer}" for name, answer in answers.items()))
"""


def attempts(tmp_path: Path, *, read_only: bool) -> dict[str, str]:
    root, outside, scratch = (tmp_path / name for name in ("root", "outside", "scratch"))
    for folder in (root, outside, scratch):
        folder.mkdir()
    (root / "a.md").write_text("one\n")
    (outside / "secret").write_text("secret\n")
    (root / "link").symlink_to(outside / "secret")
    command = [sys.executable, "-c", ATTEMPTS, str(root), str(outside), str(scratch), str(int(read_only))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(part.split("=", 1) for part in done.stdout.split())


@table("read_only", [False, True])
def test_the_kernel_refuses_what_lies_outside_also_behind_a_link(read_only: bool, tmp_path: Path) -> None:
    assert HAS_LANDLOCK, "the tests need a kernel with Landlock"
    found = attempts(tmp_path, read_only=read_only)
    writing = "refused" if read_only else "done"
    assert found == {
        "inside": "done",
        "written": writing,
        "made": writing,
        "scratch": "done",
        "outside": "refused",
        "link": "refused",
        "folder": "refused",
        "connected": "refused",
    }


def test_a_wall_is_around_the_roots_the_journal_and_what_python_reads(tmp_path: Path) -> None:
    wall = access_to([str(tmp_path / "root")], str(tmp_path / "journal"), scratch=str(tmp_path / "scratch"))
    assert (tmp_path / "journal").is_dir()
    assert {str(tmp_path / name) for name in ("root", "journal", "scratch")} <= set(wall.writes)
    assert sys.prefix in wall.runs
    assert not wall.connects
    remote = access_to([str(tmp_path)], "postgresql://host/db", scratch=str(tmp_path))
    assert remote.connects
    assert os.path.expanduser("~/.pgpass") in remote.reads
    looking = access_to([str(tmp_path / "root")], str(tmp_path / "none"), scratch="s", read_only=True)
    assert not (tmp_path / "none").exists()
    assert str(tmp_path / "root") not in looking.writes


def test_what_is_put_aside_lies_outside_the_roots_and_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root" / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "root" / "tmp"))
    with scratch_folder([str(tmp_path / "root")]) as folder:
        assert folder is not None
        assert not folder.startswith(str(tmp_path / "root"))
        assert tempfile.gettempdir() == folder
    assert not Path(folder).exists()
    with scratch_folder(()) as folder:
        assert folder is not None
        assert folder.startswith(str(tmp_path / "root" / "tmp"))


def test_what_a_killed_server_put_aside_is_removed_by_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder(()) as used:
        assert used is not None
        home = Path(used).parent
        for name in ("mcp-left", "mcp-new", "other"):
            (home / name).mkdir()
            (home / name / "copy").write_text("of a journal\n")
        for name in (Path(used).name, "mcp-left", "other"):
            os.utime(home / name, (0, 0))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with scratch_folder(()) as second:
            assert second is not None
            names = {path.name for path in home.iterdir()}
            assert names == {Path(used).name, Path(second).name, "mcp-new", "other"}


def test_a_server_behind_the_wall_edits_undoes_and_keeps_its_journal_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.md").write_text("one\n")
    with Wire("--root", str(tmp_path / "root"), "--journal", str(tmp_path / "state" / "journal")) as wire:
        edits = [{"path": "a.md", "edits": [{"target": "one", "new": "two"}]}]
        done = wire.call("edit", {"files": edits})["structuredContent"]
        assert done["success"] is True
        assert (tmp_path / "root" / "a.md").read_text() == "two\n"
        assert wire.call("undo", {"id": done["id"]})["structuredContent"]["success"] is True
        assert (tmp_path / "root" / "a.md").read_text() == "one\n"
        assert new_privileges_are_forbidden(wire.process.pid)
        wire.process.terminate()
        assert wire.process.stderr is not None
        assert "kernel sandbox: Landlock" in wire.process.stderr.read()
    again = ("--root", str(tmp_path / "root"), "--journal", str(tmp_path / "state" / "journal"), "--read-only")
    with Wire(*again, cwd=tmp_path) as wire:
        assert len(wire.call("history", {})["structuredContent"]["entries"]) == 2
        assert wire.call("write", {"path": "b.md", "content": "x\n"})["isError"]


def test_workers_are_walled_where_the_roots_come_from_the_client(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("one\n")
    (tmp_path / "secret").write_text("secret\n")
    call = {"path": "a.md", "old_content": "one", "new_content": "two"}
    service = Service(
        ServerOptions(toolsets=("surgical",), confine=lambda roots: confine(roots, None, None, read_only=False))
    )

    async def run() -> Any:
        async with in_memory(service, list_roots_callback=listing(root)) as client:
            result = await client.call_tool("edit_file", call)
            with pytest.raises(PermissionError):
                await service.running[0].calls.run(lambda _: (tmp_path / "secret").read_text(), CallDeadline())
            return result

    assert anyio.run(run).structured_content["success"] is True
    assert (root / "a.md").read_text() == "two\n"
    assert (tmp_path / "secret").read_text() == "secret\n", "only its workers are behind it"


def test_what_lies_where_a_server_is_started_is_no_part_of_it(tmp_path: Path) -> None:
    for module in ("click", "sqlite3", "regex"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('taken over')\n")
    command = [sys.executable, "-m", "steadyhand", "mcp", "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "taken over" not in done.stderr
    assert done.returncode == 0


def new_privileges_are_forbidden(pid: int) -> bool:
    """What the kernel wants before it raises a wall, and shows of every process."""
    return "NoNewPrivs:\t1" in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.sweep
def test_a_journal_in_a_database_is_reached_from_behind_the_wall(postgres_url: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    with Wire("--root", str(tmp_path), "--journal", postgres_url) as wire:
        edits = [{"path": "a.md", "edits": [{"target": "one", "new": "two"}]}]
        assert wire.call("edit", {"files": edits})["structuredContent"]["success"] is True
        assert len(wire.call("history", {})["structuredContent"]["entries"]) == 1
        assert new_privileges_are_forbidden(wire.process.pid)
