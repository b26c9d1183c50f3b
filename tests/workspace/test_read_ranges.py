"""What a process remembers of versions that were seen: one copy, and no more than there is room for."""

from __future__ import annotations

from pathlib import Path

import steadyhand as sh
from steadyhand.workspace.history.read_ranges import VERSIONS, Versions


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    versions = Versions(10)
    for digest in ("a", "b", "a", "c"):
        versions.keep(digest, b"1234")
    assert [digest for digest in "abc" if versions.get(digest) is not None] == ["a", "c"]


def test_workspaces_that_see_the_same_version_share_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" * 1_000)
    kept = []
    for task in ("one", "two"):
        with sh.Workspace(tmp_path, task=task) as workspace:
            kept.append(VERSIONS.get(workspace.read("a.txt").digest))
    assert kept[0] is not None
    assert kept[0] is kept[1]
