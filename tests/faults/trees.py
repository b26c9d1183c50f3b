"""Workspaces to break, what is done to them, and how to tell what they have become."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import steadyhand as sh
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.location import FOLDER

Tree = dict[str, tuple[str, bytes, int]]


def tree_of(root: Path) -> Tree:
    """Every file and directory outside the state folder: kind, bytes, permission bits."""
    found: Tree = {}
    for directory, names, files in os.walk(root):
        here = Path(directory)
        if here == root and FOLDER in names:
            names.remove(FOLDER)
        for name in names:
            found[str((here / name).relative_to(root))] = ("directory", b"", 0)
        for name in files:
            path = here / name
            found[str(path.relative_to(root))] = ("file", path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    return found


def temporaries(root: Path) -> list[str]:
    """Anything a dead transaction may have left, in the tree or in the state folder."""
    left = [str(p.relative_to(root)) for p in root.rglob(f"{TEMP_PREFIX}*")]
    return left + [str(p.relative_to(root)) for p in (root / FOLDER / "pending").glob("*")]


@dataclass(frozen=True)
class Story:
    """A tree and one transaction on it."""

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[sh.Workspace], object]


def _plain(root: Path) -> None:
    (root / "a.md").write_bytes(b"one\r\ntwo\r\nthree\r\n")


def _many(root: Path) -> None:
    _plain(root)
    (root / "b.txt").write_bytes(b"alpha\nbeta\n")
    (root / "c.txt").write_bytes(b"gone tomorrow\n")
    (root / "tool.sh").write_bytes(b"#!/bin/sh\necho hi\n")
    (root / "tool.sh").chmod(0o755)
    (root / "docs").mkdir()
    (root / "docs" / "d.md").write_bytes(b"# D\n\ntext\n")


def _linked(root: Path) -> None:
    (root / "a.md").write_bytes(b"one\ntwo\nthree\n" * 1000)
    os.link(root / "a.md", root / "same.md")


def _with_history(root: Path) -> None:
    _many(root)
    with sh.Workspace(root, actor="before") as ws:
        _change_many(ws)


def _edit_one(ws: sh.Workspace) -> object:
    return ws.edit("a.md", [sh.Replace("two", "2")], reason="digits")


def _change_many(ws: sh.Workspace) -> object:
    with ws.transaction(reason="all at once") as tx:
        tx.edit("a.md", [sh.Replace("two", "2")])
        tx.create("new/deep/e.md", "fresh\n")
        tx.delete("c.txt")
        tx.rename("b.txt", "docs/b-moved.txt")
        tx.chmod("tool.sh", 0o700)
        tx.edit("docs/d.md", [sh.Replace("text", "words")])
    return tx.receipt


def _rename_and_edit(ws: sh.Workspace) -> object:
    with ws.transaction(reason="move") as tx:
        tx.rename("docs/d.md", "d2.md")
        tx.edit("d2.md", [sh.Replace("text", "words")])
        tx.delete("a.md")
        tx.create("a.md", "another\n")
    return tx.receipt


def _edit_linked(ws: sh.Workspace) -> object:
    policy = sh.Policy(hardlinks="in-place")
    return ws.edit("a.md", [sh.Replace("two", "TWO AND MORE", occurrence="all")], policy=policy)


def _write_whole(ws: sh.Workspace) -> object:
    return ws.write("b.txt", "everything\nelse\n", overwrite=True)


def _undo(ws: sh.Workspace) -> object:
    return ws.undo(last=True)


STORIES = (
    Story("edit-one", _plain, _edit_one),
    Story("change-many", _many, _change_many),
    Story("rename-and-edit", _many, _rename_and_edit),
    Story("edit-hard-linked", _linked, _edit_linked),
    Story("write-whole", _many, _write_whole),
    Story("undo-many", _with_history, _undo),
)
