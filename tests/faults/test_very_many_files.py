"""A transaction on so many files that it takes one lock for all of them, and dies: before or after, as any other."""

from __future__ import annotations

import shutil
from pathlib import Path

import steadyhand as sh
from tests.faults.test_crash import _check_settled, _count_calls, _run_and_die
from tests.faults.trees import Story, tree_of
from tests.sampling import sample
from tests.table import table

FILES = 300
POINTS = 5


def _prepare(root: Path) -> None:
    for number in range(FILES):
        path = root / f"d{number % 3}" / f"file_{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"the first line\nnumber {number}\n")


def _act(ws: sh.Workspace) -> object:
    names = [f"d{number % 3}/file_{number}.txt" for number in range(FILES)]
    return ws.patch(
        "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-the first line\n+the second line\n" for name in names)
    )


STORY = Story("very-many", _prepare, _act)


@table("moment", ["before", "after"], every=2)
def test_death_leaves_every_file_before_or_after(moment: str, tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    _prepare(pristine)
    before = tree_of(pristine)
    calls, after = _count_calls(pristine, STORY)
    # The last third is where names change: files are looked at and staged before.
    for at in sample([*range(calls // 3, calls, calls // POINTS), calls - FILES, calls - 20, calls - 1], 3):
        root = tmp_path / f"at-{at}"
        shutil.copytree(pristine, root)
        _run_and_die(root, STORY, at=at, after=moment == "after", torn=False)
        _check_settled(root, before, after, 0)
        shutil.rmtree(root)
