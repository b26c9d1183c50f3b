"""What a process leaves that died in its change is put right before anybody is refused because of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import Kind
from tests.faults.fork_server import exit_code_of
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.sampling import sample

TEXT = "".join(f"line {number}\n" for number in range(1, 10))


def edit_as_another(root: Path, storage: FaultStorage) -> None:
    with sh.Workspace(root, actor="other", task="other", storage=storage) as ws:
        ws.edit("a.txt", [sh.Replace("line 4\n", "four\n")])


def die_in_an_edit(root: Path, at: int) -> bool:
    """Edit a line in a child that dies at call `at`; True if it got through."""
    code = exit_code_of(edit_and_die, root=str(root), at=at)
    assert code in (0, EXIT_CODE)
    return code == 0


def edit_and_die(root: str, at: int) -> None:
    edit_as_another(Path(root), FaultStorage(at=at, exit=True))


@contextmanager
def at_work(root: Path) -> Iterator[sh.Workspace]:
    """Somebody who has edited the file and read it."""
    root.mkdir()
    (root / "a.txt").write_text(TEXT)
    with sh.Workspace(root, actor="me", task="mine") as ws:
        ws.edit("a.txt", [sh.Replace("line 1\n", "one\n")])
        ws.read("a.txt")
        yield ws


@pytest.mark.sampled
def test_a_death_at_any_call_never_passes_for_a_change_outside(tmp_path: Path) -> None:
    """Whoever edits the same line is refused because of the other's record, or not at all."""
    counted = FaultStorage()
    with at_work(tmp_path / "counted"):
        edit_as_another(tmp_path / "counted", counted)
    refused = 0
    # The last calls come after the change is to stay.
    for at in [*sample(range(1, counted.count - 4), 4), *range(counted.count - 4, counted.count + 2)]:
        root = tmp_path / str(at)
        with at_work(root) as ws:
            is_through = die_in_an_edit(root, at)
            for way in (lambda: ws.edit("a.txt", [sh.Replace(sh.Lines(4), "mine\n")]), lambda: _in_a_batch(ws)):
                try:
                    way()
                except sh.EditError as error:
                    assert error.kind is Kind.CONFLICT, (at, error)
                    assert all(other["record"] for other in error.details["with"]), (at, error)
                    refused += 1
    assert is_through
    assert refused > 2, "some died when their change was to stay"


def _in_a_batch(ws: sh.Workspace) -> None:
    with ws.transaction() as tx:
        tx.edit("a.txt", [sh.Replace(sh.Lines(4), "mine again\n")])
