"""Promise: a process that dies while it holds, accepts, rejects, amends or takes back leaves disk, layer and decisions
as they were before or as they are after, all three alike, whichever call of the storage or write of the journal it dies
at.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from tests.faults.fork_server import exit_code_of
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.trees import temporaries, tree_of
from tests.sampling import sample
from tests.table import table

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"
State = tuple[object, dict[str, str], list[tuple[object, ...]]]


def hold(root: Path, **options: Any) -> sh.Workspace:
    return sh.Workspace(root, actor="agent", task="T-1", hold=True, **options)


def prepare(root: Path) -> None:
    (root / "a.md").write_text(TEXT)
    (root / "b.md").write_text("b\n")
    with hold(root) as ws:
        ws.edit("a.md", [{"target": "two", "new": "2"}])
        ws.edit("a.md", [{"target": "five", "new": "5"}])
        ws.create("c.md", "c\n")
        ws.delete("b.md")
    with sh.Workspace(root, actor="ada") as ws:
        review = ws.review()
        review.accept([each.id for each in review if each.after == "5\n"])


def named(review: sh.Review, *afters: str) -> list[str]:
    return [each.id for each in review if each.state == "undecided" and each.after in afters]


def holding(root: Path, storage: FaultStorage) -> None:
    with hold(root, storage=storage) as ws, ws.transaction() as batch:
        batch.edit("a.md", [{"target": "three", "new": "3"}])
        batch.rename("c.md", "d.md")


def accepting(root: Path, storage: FaultStorage) -> None:
    with sh.Workspace(root, actor="ada", storage=storage) as ws:
        review = ws.review()
        review.accept(named(review, "2\n", "c\n", ""))


def rejecting(root: Path, storage: FaultStorage) -> None:
    with sh.Workspace(root, actor="ada", storage=storage) as ws:
        review = ws.review()
        review.reject(named(review, "2\n"), "no")


def amending(root: Path, storage: FaultStorage) -> None:
    with sh.Workspace(root, actor="ada", storage=storage) as ws:
        review = ws.review()
        review.amend(named(review, "2\n")[0], "II")


def taking_back(root: Path, storage: FaultStorage) -> None:
    with sh.Workspace(root, actor="ada", storage=storage) as ws:
        ws.review().take_back()


def die(root: str, act: str, at: int, *, after: bool) -> None:
    storage = FaultStorage(at=at, exit=True, after=after)
    getattr(importlib.import_module(__name__), act)(Path(root), storage)


def die_in_journal(root: str, act: str, at: int, *, after: bool) -> None:
    count_writes(at, after=after)
    getattr(importlib.import_module(__name__), act)(Path(root), FaultStorage())


def count_writes(at: int | None = None, *, after: bool = False) -> list[int]:
    """Count what the journal writes; end the process at write `at`."""
    from steadyhand.workspace.journal.sqlite import SqliteHandle

    count = [0]

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            count[0] += 1
            is_due = count[0] == at
            if is_due and not after:
                os._exit(EXIT_CODE)
            answer = call(*args, **options)
            if is_due:
                os._exit(EXIT_CODE)
            return answer

        return run

    SqliteHandle.write = counted(SqliteHandle.write)  # type: ignore[method-assign]
    SqliteHandle.write_one = counted(SqliteHandle.write_one)  # type: ignore[method-assign]
    return count


def state_of(root: Path) -> State:
    with sh.Workspace(root, actor="ada") as ws:  # settles what was left
        assert temporaries(root) == []
        listed = [
            (each.path, each.status, each.before, each.after, each.state, each.held, each.conflict)
            for each in ws.review()
        ]  # fmt: skip
        assert ws.check().problems == ()
    with hold(root) as ws:
        seen = {path: ws.read(path).text for path in ws.files().files}
    return tree_of(root), seen, sorted(listed, key=repr)


@pytest.mark.sampled
@table("act", [holding, accepting, rejecting, amending, taking_back], every=2)
def test_death_leaves_disk_and_layer_before_or_after(act: Callable[..., None], tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    prepare(pristine)
    before = state_of(pristine)
    whole = tmp_path / "whole"
    shutil.copytree(pristine, whole)
    storage = FaultStorage()
    act(whole, storage)
    after = state_of(whole)
    assert before != after
    points = [("die", at) for at in sample(range(1, storage.count + 1), 2, 60)]
    points += [("die_in_journal", at) for at in sample(range(1, 12), 2, 11)]
    found = set()
    for number, (how, at) in enumerate(points):
        root = tmp_path / f"at-{number}"
        shutil.copytree(pristine, root)
        given = globals()[how]
        code = exit_code_of(given, root=str(root), act=act.__name__, at=at, after=bool(number % 2))
        assert code in (0, EXIT_CODE), f"the child failed with {code} at {how} {at}"
        left = state_of(root)
        assert left in (before, after), f"{how} {at}"
        found.add(left == after)
        act(root, FaultStorage()) if left == before else None  # nothing is in the way of doing it again
        assert state_of(root) == after
        shutil.rmtree(root)
    assert found == {False, True}
