"""A process that dies at any storage call leaves the tree before or after, and the journal knows which.

`make crash` kills at every call, `make sweep` at 24 calls of each story and moment, `make test` at eight.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.workspace.journal.record import State
from tests.faults.fork_server import exit_code_of
from tests.faults.storage import EXIT_CODE, FaultStorage
from tests.faults.trees import STORIES, Story, Tree, temporaries, tree_of
from tests.sampling import IS_EVERY_CALL, WHOLE, sample


def _run_and_die(root: Path, story: Story, *, at: int, after: bool, torn: bool) -> bool:
    """Act in a child that dies at call `at`; True if it got through."""
    module, act = story.act.__module__, story.act.__qualname__
    code = exit_code_of(act_and_die, root=str(root), module=module, act=act, at=at, after=after, torn=torn)
    assert code in (0, EXIT_CODE), f"the child failed with {code} at call {at}"
    return code == 0


def act_and_die(root: str, module: str, act: str, at: int, *, after: bool, torn: bool) -> None:
    storage = FaultStorage(at=at, exit=True, after=after, torn=torn)
    with sh.Workspace(root, actor="child", storage=storage) as ws:
        getattr(importlib.import_module(module), act)(ws)


def _reopen_dying(root: Path, *, at: int) -> bool:
    """Open the workspace, recovery included, in a child that dies at call `at`; True if it got through."""
    return exit_code_of(reopen_and_die, root=str(root), at=at) == 0


def reopen_and_die(root: str, at: int) -> None:
    sh.Workspace(root, storage=FaultStorage(at=at, exit=True)).close()


def _count_calls(pristine: Path, story: Story) -> tuple[int, Tree]:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        shutil.copytree(pristine, root, symlinks=True)
        _relink(pristine, root)
        storage = FaultStorage()
        with sh.Workspace(root, actor="child", storage=storage) as ws:
            story.act(ws)
        return storage.count, tree_of(root)


def _relink(pristine: Path, root: Path) -> None:
    if (pristine / "same.md").exists():
        (root / "same.md").unlink()
        os.link(root / "a.md", root / "same.md")


def _check_settled(root: Path, before: Tree, after: Tree, records: int) -> None:
    with sh.Workspace(root, actor="witness") as ws:
        tree = tree_of(root)
        assert tree in (before, after)
        assert temporaries(root) == []
        entries = ws.history()
        assert len(entries) == records + (tree == after), "the journal says which"
        assert all(entry.state is State.COMMITTED for entry in entries)
        report = ws.check()
        assert report.ok, report
        assert not report.drifted, report
        ws.create("lock-is-free.txt", "yes\n")
        ws.undo(last=True)
        assert tree_of(root) == tree


@pytest.fixture(params=STORIES, ids=lambda story: story.name)
def story(request: pytest.FixtureRequest) -> Story:
    found: Story = request.param
    return found


MOMENTS = ("before", "torn", "after")


@pytest.mark.sampled
@pytest.mark.parametrize("moment", MOMENTS)
def test_death_at_a_storage_call_leaves_before_or_after(story: Story, moment: str, tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    story.prepare(pristine)
    before = tree_of(pristine)
    with sh.Workspace(pristine, read_only=True) as ws:
        records = len(ws.history())
    calls, after = _count_calls(pristine, story)
    assert before != after
    # Each moment has calls of its own, so that few calls are enough in all.
    for at in sample(range(1 + (0 if IS_EVERY_CALL else MOMENTS.index(moment)), calls + 1), 3, 24):
        root = tmp_path / f"at-{at}"
        shutil.copytree(pristine, root, symlinks=True)
        _relink(pristine, root)
        survived = _run_and_die(root, story, at=at, after=moment == "after", torn=moment == "torn")
        if survived:
            assert tree_of(root) == after
        _check_settled(root, before, after, records)
        shutil.rmtree(root)


@pytest.mark.sampled
def test_recovery_may_itself_be_killed_anywhere(story: Story, tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    story.prepare(pristine)
    before = tree_of(pristine)
    with sh.Workspace(pristine, read_only=True) as ws:
        records = len(ws.history())
    calls, after = _count_calls(pristine, story)
    step = 1 if IS_EVERY_CALL else max(1, calls // (4 if WHOLE else 2))
    inner = 3 if IS_EVERY_CALL else 11 if WHOLE else 23
    for at in range(max(1, calls - 3 * step), calls, step):
        root = tmp_path / f"at-{at}"
        shutil.copytree(pristine, root, symlinks=True)
        _relink(pristine, root)
        if _run_and_die(root, story, at=at, after=False, torn=False):
            continue
        for again in range(1, 400, inner):
            if _reopen_dying(root, at=again):
                break
        _check_settled(root, before, after, records)
        shutil.rmtree(root)
