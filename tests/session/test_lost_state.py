"""The state folder, the journal or the root goes away under an open workspace: the next call works and says so once."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.workspace.files.storage import Storage

LINES = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    (made / "a.txt").write_text(LINES)
    return made


@pytest.fixture
def ws(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="agent", task="mine") as workspace:
        workspace.edit("a.txt", [sh.Replace("line 1\n", "one\n")])
        yield workspace


def _remove_folder(root: Path) -> None:
    shutil.rmtree(root / ".steadyhand")


def _remove_database(root: Path) -> None:
    for file in (root / ".steadyhand").glob("journal.sqlite*"):
        file.unlink()


def _move_folder(root: Path) -> None:
    os.rename(root / ".steadyhand", root.parent / "elsewhere")


def _replace_folder(root: Path) -> None:
    _remove_folder(root)
    with sh.Workspace(root, actor="other") as other, other.transaction() as batch:
        batch.create("b.txt", "from another journal\n")


def _recreate_root(root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()
    (root / "a.txt").write_text(LINES.replace("line 1\n", "one\n"))


def _exchange_root(root: Path) -> None:
    os.rename(root, root.parent / "former")
    root.mkdir()
    (root / "a.txt").write_text(LINES.replace("line 1\n", "one\n"))


LOSSES = [_remove_folder, _remove_database, _move_folder, _replace_folder, _recreate_root, _exchange_root]


@pytest.mark.parametrize("lose", LOSSES)
def test_the_next_edit_goes_through_and_says_what_was_lost_once(
    lose: Callable[[Path], None], ws: sh.Workspace, root: Path
) -> None:
    lose(root)
    answer = ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
    again = ws.edit("a.txt", [sh.Replace("line 3\n", "three\n")])
    assert (root / "a.txt").read_text().startswith("line 0\none\ntwo\nthree\n")
    assert len([warning for warning in answer.warnings if "what was recorded before is gone" in warning]) == 1
    assert again.warnings == ()
    assert any("is gone" in note for note in ws.check().notes)
    assert [entry.record.id for entry in ws.history("a.txt")] == [again.id, answer.id]


@pytest.mark.parametrize("lose", LOSSES)
def test_what_is_asked_next_is_answered_from_what_is_there(
    lose: Callable[[Path], None], ws: sh.Workspace, root: Path
) -> None:
    lose(root)
    assert ws.read("a.txt").text.startswith("line 0\none\n")
    assert ws.history("a.txt") == []
    assert ws.why("a.txt", 2).since == "before-journal"
    with pytest.raises(sh.EditError) as caught:
        ws.undo(path="a.txt")
    assert caught.value.kind is sh.Kind.CANNOT_UNDO


@pytest.mark.parametrize("lose", LOSSES)
def test_what_is_changed_after_a_loss_can_be_undone(lose: Callable[[Path], None], ws: sh.Workspace, root: Path) -> None:
    lose(root)
    ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
    ws.undo(last=True)
    assert (root / "a.txt").read_text() == LINES.replace("line 1\n", "one\n")


@pytest.mark.parametrize("lose", LOSSES)
def test_work_of_others_after_a_loss_is_still_met(lose: Callable[[Path], None], ws: sh.Workspace, root: Path) -> None:
    """The rows of the new journal have low numbers; what was seen before it must not make them old news."""
    for number in range(5, 10):
        ws.edit("a.txt", [sh.Replace(f"line {number}\n", f"mine {number}\n")])
    ws.read("a.txt")
    text = (root / "a.txt").read_text()
    lose(root)
    (root / "a.txt").write_text(text)
    with sh.Workspace(root, actor="other", task="theirs") as other:
        other.edit("a.txt", [sh.Replace("line 15\n", "theirs\n")])
    with pytest.raises(sh.EditError) as caught:
        ws.edit("a.txt", [sh.Replace(sh.Lines(16), "mine\n")])
    assert caught.value.kind is sh.Kind.CONFLICT
    assert "theirs\n" in (root / "a.txt").read_text()


@pytest.mark.parametrize("room", ["locks", "pending"])
def test_a_room_of_the_state_folder_is_made_again(room: str, ws: sh.Workspace, root: Path) -> None:
    shutil.rmtree(root / ".steadyhand" / room)
    ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
    assert len(ws.history("a.txt")) == 2


def test_a_folder_that_comes_back_is_used_again(ws: sh.Workspace, root: Path) -> None:
    _move_folder(root)
    ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
    _remove_folder(root)
    os.rename(root.parent / "elsewhere", root / ".steadyhand")
    ws.edit("a.txt", [sh.Replace("line 3\n", "three\n")])
    assert len(ws.history("a.txt")) == 2


def test_a_link_in_place_of_the_root_is_not_followed(ws: sh.Workspace, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("secret\n")
    os.rename(root, tmp_path / "former")
    root.symlink_to(outside)
    assert ws.read("a.txt").text.startswith("line 0\none\n")


def test_two_open_workspaces_agree_on_the_journal_after_a_loss(ws: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="other", task="theirs") as other:
        other.edit("a.txt", [sh.Replace("line 10\n", "ten\n")])
        _remove_folder(root)
        ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
        other.edit("a.txt", [sh.Replace("line 11\n", "eleven\n")])
        assert len(ws.history("a.txt")) == len(other.history("a.txt")) == 2
        assert ws.check().ok


def test_a_workspace_that_only_reads_goes_on(ws: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="reader", read_only=True) as reader:
        assert len(reader.history("a.txt")) == 1
        _remove_folder(root)
        assert reader.history("a.txt") == []
        ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
        assert len(reader.history("a.txt")) == 1


class Removing(Storage):
    """Removes the state folder where a file is locked, and lets another thread meet that."""

    def __init__(self) -> None:
        super().__init__()
        self.meet: Callable[[], object] | None = None

    def lock(self, fd: int) -> bool:
        is_locked = super().lock(fd)
        meet, self.meet = self.meet, None
        if meet is not None:
            other = threading.Thread(target=meet)
            other.start()
            other.join()
        return is_locked


def test_a_journal_that_another_thread_lets_go_of_in_the_middle_of_a_commit_is_a_named_refusal(root: Path) -> None:
    storage = Removing()
    with sh.Workspace(root, storage=storage) as ws:
        ws.edit("a.txt", [sh.Replace("line 1\n", "one\n")])
        before = (root / "a.txt").read_text()

        def meet() -> None:
            _remove_folder(root)
            ws.read("a.txt")

        storage.meet = meet
        with pytest.raises(sh.EditError) as caught:
            ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")])
        assert caught.value.kind is sh.Kind.JOURNAL_DAMAGED
        assert (root / "a.txt").read_text() == before
        assert ws.edit("a.txt", [sh.Replace("line 2\n", "two\n")]).id is not None
