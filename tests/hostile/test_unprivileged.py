"""Without root, without HOME, in a tree whose files belong to others: it works, or says why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

NOBODY = 65_534
SCRIPT = """
import os, pathlib, sys, tempfile
import steadyhand as sh
root, uid = sys.argv[1], int(sys.argv[2])
with tempfile.TemporaryDirectory() as warm:  # loads every module: the interpreter itself may be root's alone
    pathlib.Path(warm, "a.md").write_text("a\\n")
    with sh.Workspace(warm) as ws:
        ws.undo(ws.edit("a.md", [sh.Replace("a", "b")]).id)
        try:
            ws.edit("a.md", [sh.Replace("no such text", "b")])
        except sh.EditError:
            pass
if os.getuid() == 0:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
ws = sh.Workspace(root)
receipt = ws.edit("mine.md", [sh.Replace("one", "1")])
ws.undo(receipt.id)
print(ws.history()[-1].record.actor != "")
for path in sys.argv[3:]:
    try:
        ws.edit(path, [sh.Replace("one", "1")])
        print(path, "edited")
    except sh.EditError as error:
        print(path, error.kind, root in error.message)
"""


def _run(root: Path, *paths: str) -> list[str]:
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(root), str(NOBODY), *paths],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_ordinary_user_without_a_home_edits_and_undoes(tmp_path: Path) -> None:
    root = _open_tree(tmp_path)
    assert _run(root) == ["True"]
    assert (root / "mine.md").read_text() == "one\n"


def test_a_file_that_may_only_be_read_is_refused_and_kept(tmp_path: Path) -> None:
    root = _open_tree(tmp_path)
    (root / "locked.md").write_text("one\n")
    (root / "locked.md").chmod(0o444)
    assert _run(root, "locked.md")[1:] == ["locked.md read-only False"]
    assert (root / "locked.md").read_text() == "one\n"


def test_a_file_of_another_user_that_may_be_written_keeps_its_owner(tmp_path: Path) -> None:
    root = _open_tree(tmp_path)
    (root / "theirs.md").write_text("one\n")
    (root / "theirs.md").chmod(0o666)
    assert _run(root, "theirs.md")[1:] == ["theirs.md edited"]
    assert (root / "theirs.md").read_text() == "1\n"
    assert (root / "theirs.md").stat().st_uid == os.getuid()


def _open_tree(tmp_path: Path) -> Path:
    """A directory the unprivileged child may write in, reachable for it."""
    root = tmp_path / "tree"
    root.mkdir()
    (root / "mine.md").write_text("one\n")
    if os.getuid() == 0:
        for path in (root, root / "mine.md"):
            os.chown(path, NOBODY, NOBODY)
        make_reachable(tmp_path)
        tmp_path.chmod(0o755)
    return root


def make_reachable(path: Path) -> None:
    """Let other users go through the directories above a path, and through the path itself."""
    for place in (path, *path.parents[:-1]):
        if place.stat().st_uid == os.getuid() == 0 and not place.stat().st_mode & 0o001:
            place.chmod(place.stat().st_mode | 0o011)


READER = """
import os, pathlib, sys, tempfile
import steadyhand as sh
root, uid = sys.argv[1], int(sys.argv[2])
def look(ws):
    made = ws.history()[0].record.id
    return (
        ws.read("mine.md").text, len(ws.history("mine.md")), ws.why("mine.md", 1).reason, "+1" in ws.diff_of(made),
        ws.check().ok, len(ws.preview("mine.md", [sh.Replace("two", "2")]).files), ws.undo(made, preview=True).id,
    )
with tempfile.TemporaryDirectory() as warm:  # loads every module: the interpreter itself may be root's alone
    pathlib.Path(warm, "mine.md").write_text("one\\ntwo\\n")
    with sh.Workspace(warm) as ws:
        ws.edit("mine.md", [sh.Replace("one", "1")], reason="digits")
    with sh.Workspace(warm, read_only=True) as ws:
        look(ws)
if os.getuid() == 0:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
with sh.Workspace(root) as ws:
    ws.edit("mine.md", [sh.Replace("one", "1")], reason="digits")
for place in (pathlib.Path(root), *pathlib.Path(root).rglob("*")):
    place.chmod(0o555 if place.is_dir() else 0o444)
with sh.Workspace(root) as ws:  # without read_only: whoever opens it does not know
    print(look(ws) == ("1\\ntwo\\n", 1, "digits", True, True, 1, None))
    try:
        ws.edit("mine.md", [sh.Replace("two", "2")])
    except sh.EditError as error:
        print(error.kind)
"""


def test_a_tree_that_may_only_be_read_can_be_looked_at_without_saying_so(tmp_path: Path) -> None:
    root = _open_tree(tmp_path)
    (root / "mine.md").write_text("one\ntwo\n")
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", READER, str(root), str(NOBODY)],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["True", "read-only"], done.stderr
