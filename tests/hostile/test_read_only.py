"""A workspace opened for reading makes no change beneath its root, whatever it is asked and whatever it finds there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.location import FOLDER
from tests.faults.fork_server import exit_code_of
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.trees import temporaries
from tests.hostile.attacks import INSIDE, make_ground, snapshot
from tests.sampling import sample
from tests.table import table

REPOSITORY = Path(__file__).resolve().parents[2]

LOOKS: dict[str, Callable[[sh.Workspace], object]] = {
    "read": lambda ws: ws.read("a.md"),
    "history": lambda ws: [ws.diff_of(entry.record.id) for entry in ws.history()],
    "history of a file": lambda ws: ws.history("a.md"),
    "why": lambda ws: ws.why_all("a.md"),
    "check": lambda ws: ws.check(),
    "doctor": lambda ws: ws.doctor(),
    "preview": lambda ws: ws.preview("sub/a.md", [sh.Replace("three", "3")]),
    "preview of new directories": lambda ws: ws.create("new/deep/x.md", "x\n", preview=True),
    "gc preview": lambda ws: ws.gc(keep_days=0, preview=True),
    "recover": lambda ws: ws.recover(),
}
CHANGES: dict[str, Callable[[sh.Workspace], object]] = {
    "edit": lambda ws: ws.edit("sub/a.md", [sh.Replace("three", "3")]),
    "write": lambda ws: ws.write("sub/a.md", "x\n", overwrite=True),
    "create": lambda ws: ws.create("new/deep/x.md", "x\n"),
    "delete": lambda ws: ws.delete("sub/a.md"),
    "rename": lambda ws: ws.rename("sub/a.md", "new/b.md"),
    "chmod": lambda ws: ws.chmod("sub/a.md", 0o600),
    "gc": lambda ws: ws.gc(keep_days=0, keep_bytes=0),
}


def _nothing(root: Path) -> None:
    return None


def _some_history(root: Path) -> None:
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")])
        ws.create("made.md", "made\n")
        ws.undo(last=True)


def _open_elsewhere(root: Path) -> None:
    """Another process still has the journal open, so its write-ahead file is full."""
    ws = sh.Workspace(root)
    ws.edit("a.md", [sh.Replace("two", "2")])
    _KEPT.append(ws)


def _crashed(root: Path) -> None:
    """A process died between two renames."""
    _some_history(root)
    for at in range(1, 100):
        assert exit_code_of(edit_two_and_die, root=str(root), at=at) == EXIT_CODE
        if (root / "sub/a.md").read_text() != INSIDE:
            break
    assert temporaries(root)
    assert (root / "sub/dir/a.md").read_text() == INSIDE


def edit_two_and_die(root: str, at: int) -> None:
    storage = FaultStorage(at=at, exit=True, watch="mutating")
    with sh.Workspace(root, storage=storage) as ws, ws.transaction() as tx:
        tx.edit("sub/a.md", [sh.Replace("two", "2")])
        tx.edit("sub/dir/a.md", [sh.Replace("two", "2")])


def _damaged(root: Path) -> None:
    _some_history(root)
    (root / FOLDER / "journal.sqlite").write_bytes(b"no longer a database" * 100)


_KEPT: list[sh.Workspace] = []
STATES = {
    "no journal": _nothing,
    "a journal": _some_history,
    "a journal in use": _open_elsewhere,
    "a crash": _crashed,
    "damage": _damaged,
}


@pytest.fixture(params=sample(list(STATES.values()), 2), ids=sample(list(STATES), 2))
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    root = make_ground(tmp_path)
    request.param(root)
    yield root
    while _KEPT:
        _KEPT.pop().close()


@pytest.mark.sampled
@pytest.mark.parametrize("how", [{"read_only": True}, {"mode": "research"}, {"mode": "analyze"}], ids=str)
def test_nothing_beneath_the_root_changes(how: dict[str, Any], root: Path) -> None:
    before = snapshot(root)
    with sh.Workspace(root, **how) as ws:
        for name, act in LOOKS.items():
            if ws.mode is None or not name.startswith("preview"):  # what a mode forbids, it forbids to try
                act(ws)
        for verb, act in CHANGES.items():
            with pytest.raises(EditError) as caught:
                act(ws)
            assert caught.value.kind in (Kind.READ_ONLY, Kind.NOT_ALLOWED), (verb, caught.value)
        for reverse in (lambda: ws.undo(last=True), lambda: ws.redo()):
            with pytest.raises(EditError) as caught:
                reverse()
            assert caught.value.kind in (Kind.READ_ONLY, Kind.NOT_ALLOWED, Kind.CANNOT_UNDO), caught.value
    assert snapshot(root) == before


SCRIPT = """
import sys
import steadyhand as sh
from tests.hostile.test_read_only import CHANGES, LOOKS
with sh.Workspace(sys.argv[1], read_only=True) as ws:
    for act in LOOKS.values():
        act(ws)
    for act in CHANGES.values():
        try:
            act(ws)
        except sh.EditError:
            pass
        else:
            sys.exit("it was not refused")
"""
MUTATING = re.compile(
    r"\b(?:creat|truncate|ftruncate|rename|renameat2?|link|linkat|symlink|symlinkat|unlink|unlinkat|mkdir|mkdirat"
    r"|rmdir|mknod|mknodat|chmod|fchmod|fchmodat2?|chown|fchown|lchown|fchownat|utime|utimes|utimensat|futimesat"
    r"|l?setxattr|fsetxattr|l?removexattr|fremovexattr|p?write(?:v|64)?|fallocate)\("
)
FOR_WRITING = re.compile(r"\bopen(?:at2?)?\(.*\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")


def _strace() -> list[str] | None:
    """How to trace a process here; None where tracing is not installed or not permitted."""
    found = shutil.which("strace")
    if found is None:
        return None
    probe = subprocess.run([found, "-f", "-y", "true"], capture_output=True, check=False)
    return [found, "-f", "-y", "-s", "4096", "-e", "trace=%file,%desc"] if probe.returncode == 0 else None


@pytest.mark.sampled
def test_no_mutating_system_call_names_anything_beneath_the_root(root: Path, tmp_path: Path) -> None:
    """By trace where there is one; by the state of the tree everywhere."""
    before = snapshot(root)
    log = tmp_path / "trace"
    trace = _strace()
    prefix = [*trace, "-o", str(log)] if trace is not None else []
    environment = {
        **os.environ,
        "PYTHONPATH": f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run(
        [*prefix, sys.executable, "-c", SCRIPT, str(root)], check=True, cwd="/", env=environment, timeout=300
    )
    assert snapshot(root) == before
    if trace is not None:
        lines = log.read_text(errors="replace").splitlines()
        named = [line for line in lines if str(root) in line]
        assert any("a.md" in line or f"<{root}>" in line for line in named), "the trace saw the work"
        assert [line for line in named if MUTATING.search(line) or FOR_WRITING.search(line)] == []


@table("path", ["a.md", "sub/dir/a.md"])
def test_git_sees_the_edited_file_and_nothing_else(path: str, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "sub/dir").mkdir(parents=True)
    for name in ("a.md", "sub/dir/a.md"):
        (root / name).write_text(INSIDE)

    def git(*arguments: str) -> str:
        given = [
            "git",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
            *arguments,
        ]
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(given, cwd=root, env=environment, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "start")
    with sh.Workspace(root) as ws:
        receipt = ws.edit(path, [sh.Replace("two", "2")])
        assert (root / FOLDER / "journal.sqlite").exists()
        assert git("status", "--porcelain", "--untracked-files=all") == f" M {path}\n"
        ws.create("new/b.md", "b\n")
        ws.undo(last=True)
        ws.undo(receipt.id)
        assert git("status", "--porcelain", "--untracked-files=all") == ""
    assert git("status", "--porcelain", "--untracked-files=all") == ""
    git("add", ".")
    assert git("diff", "--cached", "--name-only") == ""
