"""A full disk: edits are refused and change nothing; undo still works, from space kept for it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import temporaries, tree_of


class FullDisk(Storage):
    """No byte more fits, until somebody gives up the reserve."""

    def __init__(self, reserve: Path) -> None:
        self.reserve = reserve

    def write(self, fd: int, data: bytes) -> None:
        if self.reserve.exists() and self.reserve.stat().st_size:
            raise OSError(errno.ENOSPC, "")
        super().write(fd, data)


def test_an_edit_is_refused_and_an_undo_goes_through(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    with sh.Workspace(tmp_path) as ws:
        receipt = ws.edit("a.md", [sh.Replace("one", "two")])
    after = tree_of(tmp_path)
    with sh.Workspace(tmp_path, storage=FullDisk(tmp_path / FOLDER / "reserve")) as ws:
        with pytest.raises(EditError) as caught:
            ws.edit("a.md", [sh.Replace("two", "three")])
        assert caught.value.kind is Kind.DISK_REFUSED
        assert tree_of(tmp_path) == after
        ws.undo(receipt.id)
    assert (tmp_path / "a.md").read_text() == "one\n"
    assert temporaries(tmp_path) == []
