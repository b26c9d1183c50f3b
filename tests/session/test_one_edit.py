"""What one exact edit passes through: modules entered, depth, calls and statements, which no machine's load changes.

A person reads this path before changing it, and every user pays for it; a bar is raised for a reason or not at all.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Self

import steadyhand as sh
from tests.table import table

HOME = str(Path(sh.__file__).parent)
ROWS = 300
UNREAD = (
    "/leases.py",
    "/statistics.py",
    "/other_clones.py",
    "/maintenance.py",
    "/postgres/",
    "/held/",
    "/review/",
    "/undo.py",
)
WARM = 20  # edits after which everything that is made at its first use is there


class Trace:
    """Counts what happens in a block."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.calls = self.depth = self.deepest = self.statements = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, what: object) -> None:
        if event == "c_call":
            owner = getattr(what, "__self__", None)
            name = getattr(what, "__name__", "")
            is_sql = isinstance(owner, sqlite3.Connection | sqlite3.Cursor) and name.startswith("execute")
            self.statements += is_sql
        elif frame.f_code.co_filename.startswith(HOME):
            if event == "call":
                self.modules.add(frame.f_code.co_filename)
                self.calls += 1
                self.depth += 1
                self.deepest = max(self.deepest, self.depth)
            elif event == "return":
                self.depth -= 1


def line(number: int, word: str = "line") -> str:
    return f"{word} {number:05d} of the file"


def by_workspace(workspace: sh.Workspace) -> Callable[[int], object]:
    return lambda number: workspace.edit("a.txt", [sh.Replace(line(number), line(number, "LINE"))])


def by_tool(workspace: sh.Workspace) -> Callable[[int], object]:
    kit = workspace.tools("core")
    return lambda number: kit.call(
        "edit", {"path": "a.txt", "edits": [{"target": line(number), "new": line(number, "LINE")}]}
    )


@table(
    ("way", "edits", "modules", "deepest", "calls"),
    [(by_workspace, WARM, 45, 16, 600), (by_workspace, 199, 45, 16, 600), (by_tool, WARM, 55, 20, 800)],
)
def test_an_edit_by_a_task_that_read_the_file_takes_the_straight_way(
    tmp_path: Path,
    way: Callable[[sh.Workspace], Callable[[int], object]],
    edits: int,
    modules: int,
    deepest: int,
    calls: int,
) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{line(number)}\n" for number in range(ROWS)))
    with sh.Workspace(tmp_path, actor="ann", task="T") as workspace:
        workspace.read("a.txt")
        edit = way(workspace)
        for number in range(edits):
            edit(number)
        with Trace() as path:
            edit(edits)
        assert line(edits, "LINE") in (tmp_path / "a.txt").read_text()
    assert len(path.modules) <= modules, sorted(path.modules)
    assert [module for module in path.modules if any(part in module for part in UNREAD)] == []
    assert path.deepest <= deepest
    assert path.calls <= calls
    assert path.statements <= 10
