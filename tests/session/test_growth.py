"""What calls cost as a change gets wider: twice the files, twice the work, counted in calls and in statements.

A clock would tell the machine's load. What is counted is every call of a function and every statement of SQL.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Self

import steadyhand as sh
from steadyhand.session.host import host_of
from tests.table import table

FEW, MANY = 10, 20
LINEAR = 2.3  # the larger half is twice the smaller; what does not grow makes it less
Step = Callable[[sh.Workspace], object]


class Work:
    """Counts what happens in a block."""

    def __init__(self) -> None:
        self.calls = self.statements = self.decoded = self.writes = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, what: object) -> None:
        self.calls += event in ("call", "c_call")
        self.decoded += event == "call" and frame.f_code.co_name == "decode_record"
        self.writes += event == "call" and frame.f_code.co_name == "_check_writable"  # once for each
        self.statements += event == "c_call" and getattr(what, "__qualname__", "") == "Connection.execute"


def patch(count: int, old: str, new: str) -> str:
    return "".join(
        f"--- a/f{at}.txt\n+++ b/f{at}.txt\n@@ -10,3 +10,3 @@\n row 9\n-{old}\n+{new}\n row 11\n" for at in range(count)
    )


def _patched(count: int, old: str, new: str, **options: object) -> Step:
    return lambda ws: host_of(ws).bound(policy=sh.Policy(**options)).patch(patch(count, old, new))  # type: ignore[arg-type]


def _refused(count: int, old: str, new: str) -> Step:
    def step(ws: sh.Workspace) -> None:
        with suppress(sh.EditError):
            ws.patch(patch(count, old, new))
            raise AssertionError("this edit was to meet the work of another")

    return step


def _moved(count: int) -> Step:
    def step(ws: sh.Workspace) -> None:
        with ws.transaction() as batch:
            for at in range(count):
                batch.rename(f"f{at}.txt", f"g{at}.txt")

    return step


def _deleted(count: int) -> Step:
    def step(ws: sh.Workspace) -> None:
        with ws.transaction() as batch:
            for at in range(count):
                batch.delete(f"f{at}.txt")

    return step


def _steps(count: int) -> dict[str, tuple[str, Step]]:
    """The calls in their order, each with the task in whose name it is made."""
    files = [f"f{at}.txt" for at in range(count)]

    def changed_outside(ws: sh.Workspace) -> None:
        for name in files:
            place = Path(ws.root, name)
            place.write_text(place.read_text() + "outside\n")

    return {
        "apply": ("mine", _patched(count, "row 10", "ROW 10")),
        "undo": ("mine", lambda ws: ws.undo(last=True)),
        "apply after an undo": ("mine", _patched(count, "row 10", "ROW ten")),
        "undo once more": ("mine", lambda ws: ws.undo(last=True)),
        "redo": ("mine", lambda ws: ws.redo()),
        "apply with copies": ("mine", _patched(count, "ROW ten", "ROW 11", backup="bak")),
        "apply with copies that are there": ("mine", _patched(count, "ROW 11", "ROW 12", backup="bak")),
        "read": ("mine", lambda ws: [ws.read(name) for name in files]),
        "apply of another task": ("other", _patched(count, "ROW 12", "ROW 13")),
        "conflict": ("mine", _refused(count, "ROW 12", "ROW 14")),
        "changed outside": ("third", changed_outside),
        "apply after a change outside": ("third", _patched(count, "ROW 13", "ROW 15")),
        "undo after a change outside": ("third", lambda ws: ws.undo(last=True)),
        "rename": ("third", _moved(count)),
        "undo of a rename": ("third", lambda ws: ws.undo(last=True)),
        "delete": ("third", _deleted(count)),
        "undo of a delete": ("third", lambda ws: ws.undo(last=True)),
        "apply after a delete": ("third", _patched(count, "ROW 13", "ROW 16")),
        "why": ("third", lambda ws: [ws.why(name, 10) for name in files]),
        "history of each file": ("third", lambda ws: [ws.history(name) for name in files]),
        "log": ("third", lambda ws: ws.history()),
        "check": ("third", lambda ws: ws.check()),
    }


@cache
def costs(count: int) -> dict[str, Work]:
    """What each step costs with so many files, each in a workspace of its own as in a new process."""
    found: dict[str, Work] = {}
    with TemporaryDirectory() as root:
        for at in range(count):
            Path(root, f"f{at}.txt").write_text("".join(f"row {number}\n" for number in range(20)))
        for name, (task, step) in _steps(count).items():
            with Work() as work, sh.Workspace(root, actor="agent", task=task) as ws:
                step(ws)
            found[name] = work
    return found


def _warm_up() -> None:
    """What a process does once, such as compiling patterns, is no part of what calls cost."""
    costs(2)


@table("name", _steps(0))
def test_twice_the_files_is_twice_the_work(name: str) -> None:
    _warm_up()
    few, many = costs(FEW)[name], costs(MANY)[name]
    assert many.calls <= LINEAR * few.calls
    assert many.statements <= LINEAR * few.statements


@table("name", [name for name in _steps(0) if name != "conflict"])
def test_how_often_a_record_is_decoded_does_not_depend_on_its_files(name: str) -> None:
    _warm_up()
    assert costs(FEW)[name].decoded == costs(MANY)[name].decoded


ONE_RECORD = [
    name
    for name in _steps(0)
    if name.startswith(("apply", "undo", "rename", "delete")) and name != "apply after a change outside"
]  # what happened outside is noted file by file


@table("name", ONE_RECORD)
def test_how_often_the_journal_is_written_does_not_depend_on_the_files_of_a_change(name: str) -> None:
    _warm_up()
    assert costs(FEW)[name].writes == costs(MANY)[name].writes > 0


@cache
def undo_cost(count: int) -> Work:
    """What it costs to take back a task that has changed one file so often."""
    with TemporaryDirectory() as root, sh.Workspace(root, actor="agent", task="mine") as ws:
        Path(root, "a.txt").write_text("".join(f"row {number}\n" for number in range(100)))
        for number in range(count):
            ws.edit("a.txt", [sh.Replace(f"row {number}\n", f"ROW {number}\n")], reason=f"edit {number}")
        with Work() as work:
            ws.undo(task="mine")
    return work


def test_the_edits_of_a_task_are_taken_back_without_crediting_each_with_all_others() -> None:
    """Touching lines used to hand their edits on from step to step: eight times the work for twice the records."""
    undo_cost(2)
    assert undo_cost(40).calls <= 4 * undo_cost(20).calls


def _edited_so_often(ws: sh.Workspace, count: int) -> None:
    """One line of a file, each time between two edits of another task elsewhere."""
    Path(ws.root, "a.txt").write_text("".join(f"row {number}\n" for number in range(300)))
    with ws.task("theirs") as theirs:
        for number in range(count):
            ws.edit("a.txt", [sh.Replace(sh.Lines(5, 5), f"mine {number}\n")])
            theirs.edit("a.txt", [sh.Replace(f"row {2 * number + 100}\n", f"theirs {number}\n")])


@cache
def one_line_cost(count: int) -> Work:
    """What it costs to take back a task that has changed one line so often, while others changed other lines."""
    with TemporaryDirectory() as root, sh.Workspace(root, actor="agent", task="mine") as ws:
        _edited_so_often(ws, count)
        with Work() as work:
            ws.undo(task="mine")
    return work


@cache
def chain_cost(count: int) -> Work:
    """What it costs to walk so many edits of one line back, one by one."""
    with TemporaryDirectory() as root, sh.Workspace(root, actor="agent", task="mine") as ws:
        Path(root, "a.txt").write_text("".join(f"row {number}\n" for number in range(100)))
        for number in range(count):
            ws.edit("a.txt", [sh.Replace(sh.Lines(5, 5), f"mine {number}\n")])
        with Work() as work:
            for _ in range(count):
                ws.undo(last=True)
    return work


@table("cost", [one_line_cost, chain_cost])
def test_twice_the_edits_are_taken_back_with_twice_the_work(cost: Callable[[int], Work]) -> None:
    cost(2)
    few, many = cost(10), cost(20)
    assert many.calls <= LINEAR * few.calls
    assert many.statements <= LINEAR * few.statements
    assert many.decoded <= LINEAR * few.decoded
