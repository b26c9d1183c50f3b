"""A disk that refuses at any storage call: the answer equals the disk, and a reopened workspace is whole.

`make crash` refuses at every call, `make sweep` at 14 calls of each story, `make test` at eight of two stories.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.protection import TEMP_PREFIX
from tests.faults.storage import FaultStorage
from tests.faults.test_crash import _check_settled, _count_calls, _relink
from tests.faults.trees import STORIES, Story, tree_of
from tests.sampling import sample
from tests.table import table

NAMED = {Kind.DISK_REFUSED, Kind.READ_ONLY, Kind.NO_SUCH_FILE, Kind.JOURNAL_DAMAGED, Kind.CANNOT_UNDO}


@table("persistent", [False, True], ids=["once", "from-then-on"])
@table("code", [errno.ENOSPC, errno.EIO], ids=errno.errorcode.get)
@table("story", STORIES, ids=lambda story: story.name, every=3)
def test_the_claim_equals_the_disk(story: Story, code: int, persistent: bool, tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    story.prepare(pristine)
    before = tree_of(pristine)
    with sh.Workspace(pristine, read_only=True) as ws:
        records = len(ws.history())
    calls, after = _count_calls(pristine, story)
    for at in sample(range(1, calls + 1), 3, 14):
        root = tmp_path / f"at-{at}"
        shutil.copytree(pristine, root, symlinks=True)
        _relink(pristine, root)
        storage = FaultStorage(at=at, error=code, persistent=persistent)
        claim = _claim(root, story, storage)
        if claim == "done":
            assert _files(tree_of(root)) == _files(after), f"said done at call {at}"
        elif claim == "not done":
            assert _files(tree_of(root)) == _files(before), f"said not done at call {at}"
        _check_settled(root, before, after, records)
        shutil.rmtree(root)


def _claim(root: Path, story: Story, storage: FaultStorage) -> str:
    try:
        with sh.Workspace(root, actor="victim", storage=storage) as ws:
            story.act(ws)
        return "done"
    except EditError as error:
        assert error.kind in NAMED, error
        assert str(root) not in error.message
        return "unknown" if error.details.get("state") == "unknown" else "not done"


def _files(tree: dict[str, tuple[str, bytes, int]]) -> dict[str, tuple[str, bytes, int]]:
    """Without directories and temporaries: what a failing disk did not let us remove is left to recovery."""
    return {path: found for path, found in tree.items() if found[0] == "file" and TEMP_PREFIX not in path}


def test_a_lost_directory_sync_is_said_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    with sh.Workspace(tmp_path) as ws:
        ws.edit("a.md", [sh.Replace("one", "two")])
    counted = FaultStorage(watch="mutating")
    with sh.Workspace(tmp_path, storage=counted) as ws:
        ws.edit("a.md", [sh.Replace("two", "three")])
    at = len(counted.mutations) - counted.mutations[::-1].index("fsync_dir")
    with sh.Workspace(tmp_path, storage=FaultStorage(at=at, watch="mutating")) as ws:
        receipt = ws.edit("a.md", [sh.Replace("three", "four")])
    assert not receipt.durable
    assert any("durable" in warning for warning in receipt.warnings)
    assert (tmp_path / "a.md").read_text() == "four\n"
