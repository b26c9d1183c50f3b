"""A review as a patch. The promise: `git apply` makes of the files without the changes the files as they are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import steadyhand as sh

FILES = {
    "a.md": "".join(f"line {number}\n" for number in range(1, 30)).encode(),
    "old.txt": "caf\xe9 one\r\ntwo\r\n".encode("latin-1"),
    "gone.txt": b"bye\n",
    "ré name.txt": b"x\n",
    "tool.sh": b"echo\n",
    "no-end": b"a\nb",
}


def files_of(root: Path) -> dict[str, tuple[bytes, int]]:
    found = (path for path in root.rglob("*") if path.is_file() and not {".git", ".steadyhand"} & set(path.parts))
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode) for path in found}


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """The tree that was worked on by two tasks and a reviewer, and a copy from before."""
    root, before = tmp_path / "now", tmp_path / "before"
    root.mkdir()
    for name, data in FILES.items():
        (root / name).write_bytes(data)
    shutil.copytree(root, before)
    subprocess.run(["git", "init", "-q"], cwd=before, check=True)
    with sh.Workspace(root, actor="agent", task="T") as ws:
        ws.edit("a.md", [sh.Replace("line 3\n", "L3\n"), sh.Replace("line 20\n", "L20\nmore\n"), sh.Delete("line 9\n")])
        ws.edit("old.txt", [sh.Replace("one", "une")], encoding="latin-1")
        ws.create("new/x.py", "print(1)\n")
        ws.delete("gone.txt")
        ws.rename("ré name.txt", "z name.txt")
        ws.chmod("tool.sh", 0o755)
        ws.edit("no-end", [sh.Replace("b", "B")])
    with sh.Workspace(root, actor="bob") as ws:
        ws.edit("a.md", [sh.Replace("line 5\n", "five\n")])
    return root, before


def test_the_patch_of_a_review_makes_the_files_as_they_are(trees: tuple[Path, Path]) -> None:
    root, before = trees
    with sh.Workspace(root, actor="ann") as ws:
        review = ws.review()
        rejected = next(change for change in review if change.before == "line 9\n")
        review.reject([rejected.id])
        review.accept([change.id for change in review if change.before == "line 3\n"])
        patch = ws.review().patch()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=before, check=True)
    assert files_of(before) == files_of(root)
    assert b"line 9\n" in (before / "a.md").read_bytes()


def test_a_patch_of_some_changes_has_no_other(trees: tuple[Path, Path]) -> None:
    root, before = trees
    with sh.Workspace(root, actor="ann") as ws:
        review = ws.review(task="T")
        patch = review.patch([change.id for change in review if change.before == "b"])
    subprocess.run(["git", "apply", "-"], input=patch, cwd=before, check=True)
    changed = {name for name, found in files_of(before).items() if found[0] != FILES.get(name)}
    assert changed == {"no-end"}


def test_what_is_no_text_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 4)
    with sh.Workspace(tmp_path, actor="agent") as ws:
        ws.delete("a.bin")
        assert ws.review().patch() == b"# a.bin: left out; it is not text\n"
