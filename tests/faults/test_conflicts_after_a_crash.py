"""What a process leaves that died in its change is put right before anybody is refused because of it."""

from __future__ import annotations

import os
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import Kind
from tests.faults.storage import EXIT_CODE, FaultStorage

TEXT = "".join(f"line {number}\n" for number in range(1, 10))


def die_in_an_edit(root: Path, at: int) -> bool:
    """Edit a line in a child that dies at call `at`; True if it got through."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with sh.Workspace(root, actor="other", task="other", storage=FaultStorage(at=at, exit=True)) as ws:
                ws.edit("a.txt", [sh.Replace("line 4\n", "four\n")])
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, EXIT_CODE)
    return code == 0


def test_a_death_at_any_call_never_passes_for_a_change_outside(tmp_path: Path) -> None:
    """Whoever edits the same line is refused because of the other's record, or not at all."""
    refused = 0
    for at in range(1, 1_000):
        root = tmp_path / str(at)
        root.mkdir()
        (root / "a.txt").write_text(TEXT)
        with sh.Workspace(root, actor="me", task="mine") as ws:
            ws.edit("a.txt", [sh.Replace("line 1\n", "one\n")])
            ws.read("a.txt")
            is_through = die_in_an_edit(root, at)
            for way in (lambda: ws.edit("a.txt", [sh.Replace(sh.Lines(4), "mine\n")]), lambda: _in_a_batch(ws)):
                try:
                    way()
                except sh.EditError as error:
                    assert error.kind is Kind.CONFLICT, (at, error)
                    assert all(other["record"] for other in error.details["with"]), (at, error)
                    refused += 1
        if is_through:
            break
    assert is_through
    assert refused > 2, "some died when their change was to stay"


def _in_a_batch(ws: sh.Workspace) -> None:
    with ws.transaction() as tx:
        tx.edit("a.txt", [sh.Replace(sh.Lines(4), "mine again\n")])
