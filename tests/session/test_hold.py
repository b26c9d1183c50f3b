"""Promise: what a task holds is seen by that task and by nobody else, is on the disk only once it is accepted, and then
exactly the accepted hunks; nothing of it is lost or made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.held.layer import Layer
from steadyhand.workspace.journal.store import Journal, open_journal

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "b.md").write_text("b\n")
    return tmp_path


@pytest.fixture
def agent(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="agent", task="T-1", hold=True) as ws:
        yield ws


@pytest.fixture
def ada(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="ada") as ws:
        yield ws


def put(ws: sh.Workspace, old: str, new: str, path: str = "a.md") -> sh.Receipt:
    return ws.edit(path, [{"target": old, "new": new}], reason=f"{old} is {new}")


def change(review: sh.Review, after: str) -> sh.ReviewChange:
    return next(each for each in review if each.after == after and each.state == "undecided")


def disk(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*") if path.is_file() and ".steadyhand" not in path.parts)
    return {str(path.relative_to(root)): path.read_text() for path in found}


def test_only_its_own_task_sees_what_is_held(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    before = disk(root)
    receipt = put(agent, "two", "2")
    agent.create("new/c.md", "hello\n")
    agent.rename("new/c.md", "new/d.md")
    agent.delete("b.md")
    agent.chmod("a.md", 0o600)
    assert receipt.held
    assert receipt.to_json()["held"] is True
    assert agent.files().files == ("a.md", "new/d.md")
    assert agent.read("a.md").text == TEXT.replace("two", "2")
    with pytest.raises(EditError, match="there is no file"):
        agent.read("b.md")
    assert agent.held == ("a.md", "b.md", "new/d.md")
    assert disk(root) == before
    assert ada.files().files == ("a.md", "b.md")
    assert ada.read("a.md").text == TEXT
    with agent.task("T-2") as other:
        assert other.read("a.md").text == TEXT
        assert other.held == ()


def test_what_is_held_outlives_its_process_and_is_shared(root: Path, agent: sh.Workspace) -> None:
    put(agent, "two", "2")
    with sh.Workspace(root, actor="agent", task="T-1", hold=True) as again:
        assert again.read("a.md").text == TEXT.replace("two", "2")
        put(again, "four", "4")
    assert agent.read("a.md").text == TEXT.replace("two", "2").replace("four", "4")
    assert agent.check().problems == ()


def test_held_edits_are_undone_and_redone(root: Path, agent: sh.Workspace) -> None:
    first, second = put(agent, "two", "2"), put(agent, "four", "4")
    agent.undo(first.id)
    assert agent.read("a.md").text == TEXT.replace("four", "4")
    agent.redo()
    agent.undo(second.id)
    assert agent.read("a.md").text == TEXT.replace("two", "2")
    with pytest.raises(EditError) as refused:
        agent.undo(second.id)
    assert refused.value.kind is Kind.CANNOT_UNDO
    agent.undo(task="T-1")
    assert agent.read("a.md").text == TEXT
    assert agent.held == ()
    assert disk(root)["a.md"] == TEXT


def test_what_others_do_meanwhile_is_brought_in(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    agent.read("a.md")
    put(agent, "two", "2")
    put(ada, "six", "6")
    (root / "a.md").write_text((root / "a.md").read_text() + "eight\n")
    assert agent.read("a.md").text == TEXT.replace("two", "2").replace("six", "6") + "eight\n"
    put(agent, "four", "4")
    review = ada.review(task="T-1")
    assert [each.after for each in review.waiting] == ["2\n", "4\n"]
    review.accept([each.id for each in review])
    assert disk(root)["a.md"] == agent.read("a.md").text == (
        "one\n2\nthree\n4\nfive\n6\nseven\neight\n"
    )  # fmt: skip


def test_a_held_task_learns_what_others_changed_under_its_edit(agent: sh.Workspace, ada: sh.Workspace) -> None:
    agent.read("a.md")
    put(agent, "two", "2")
    put(ada, "six", "6")
    with pytest.raises(EditError) as refused:
        put(agent, "six\nseven", "SIX\nseven")
    assert refused.value.kind in (Kind.CONFLICT, Kind.DRIFT_CONFLICT, Kind.NO_MATCH)


def test_accepting_makes_exactly_the_chosen_hunks(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    for old, new in (("two", "2"), ("four", "4"), ("six", "6")):
        put(agent, old, new)
    agent.create("new/c.md", "hello\n", reason="new")
    agent.delete("b.md", reason="old")
    review = ada.review()
    assert all(each.held for each in review)
    decision = review.accept([change(review, "4\n").id, change(review, "hello\n").id])
    assert disk(root) == {"a.md": TEXT.replace("four", "4"), "b.md": "b\n", "new/c.md": "hello\n"}
    record = ada.show(decision.receipts[0].id or "").record
    assert (record.actor, record.task, record.tool, record.call and record.call.toolset) == (
        "agent", "T-1", "python", "review",
    )  # fmt: skip
    assert record.files[0].edits[0].reason == "four is 4"
    assert record.files[0].edits[0].tier == "exact"
    accepted = [each for each in review if each.state == "accepted"]
    assert [(each.after, each.held, each.by) for each in accepted] == [("4\n", False, "ada"), ("hello\n", False, "ada")]
    review.accept([each.id for each in review.waiting])
    assert disk(root) == {"a.md": TEXT.replace("two", "2").replace("four", "4").replace("six", "6"),
                          "new/c.md": "hello\n"}  # fmt: skip
    assert agent.held == ()
    assert ada.check().problems == ()


def test_rejected_hunks_leave_the_layer_and_the_task_hears_of_it(
    root: Path, agent: sh.Workspace, ada: sh.Workspace
) -> None:
    put(agent, "two", "2")
    put(agent, "four", "4")
    review = ada.review()
    review.reject([change(review, "2\n").id], "in words")
    assert agent.read("a.md").text == TEXT.replace("four", "4")
    assert [(said.state, said.remark) for said in agent.review(task="T-1").feedback()] == [("rejected", "in words")]
    review.accept([change(review, "4\n").id])
    assert disk(root)["a.md"] == TEXT.replace("four", "4")
    assert sorted(each.state for each in ada.review()) == ["accepted", "rejected"]


def test_amending_commits_the_text_of_the_reviewer(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    put(agent, "two", "2")
    put(agent, "four", "4")
    review = ada.review()
    review.amend(change(review, "2\n").id, "II")
    assert disk(root)["a.md"] == TEXT.replace("two", "II")
    assert agent.read("a.md").text == TEXT.replace("two", "II").replace("four", "4")
    assert [each.state for each in review] == ["amended", "undecided"]
    review.take_back()
    assert disk(root)["a.md"] == TEXT
    assert agent.read("a.md").text == TEXT.replace("two", "2").replace("four", "4")
    assert [(each.after, each.state) for each in review] == [("2\n", "undecided"), ("4\n", "undecided")]


def test_decisions_are_taken_back_one_after_the_other(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    put(agent, "two", "2")
    put(agent, "four", "4")
    agent.create("c.md", "c\n")
    agent.delete("b.md")
    review = ada.review()
    held = agent.read("a.md").text
    review.accept([change(review, "2\n").id])
    review.reject([change(review, "4\n").id])
    review.accept([each.id for each in review.waiting])
    assert disk(root) == {"a.md": TEXT.replace("two", "2"), "c.md": "c\n"}
    for _ in range(3):
        review.take_back()
    assert disk(root) == {"a.md": TEXT, "b.md": "b\n"}
    assert agent.read("a.md").text == held
    assert agent.files().files == ("a.md", "c.md")
    assert [each.state for each in review] == ["undecided"] * 4
    with pytest.raises(EditError, match="no decision to undo"):
        review.take_back()


def test_what_was_accepted_can_be_taken_back_after_its_task_has_ended(
    root: Path, agent: sh.Workspace, ada: sh.Workspace
) -> None:
    put(agent, "two", "2")
    review = ada.review()
    review.accept([change(review, "2\n").id])
    agent.end_task()
    review.take_back()
    assert disk(root)["a.md"] == TEXT
    assert agent.read("a.md").text == TEXT.replace("two", "2")
    assert [(each.after, each.state, each.held) for each in review] == [("2\n", "undecided", True)]


def test_a_conflict_shows_both_sides_and_loses_nothing(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    put(agent, "two", "2")
    put(agent, "six", "6")
    put(ada, "two", "TWO")
    review = ada.review(task="T-1")
    clash = change(review, "2\n")
    assert clash.flags == ("conflict",)
    assert clash.conflict is not None
    assert clash.conflict.to_json() == {"lines": [2, 2], "disk": "TWO\n", "held": "2\n"}
    with pytest.raises(EditError) as refused:
        review.accept([clash.id])
    assert refused.value.kind is Kind.CONFLICT
    assert "conflict" in refused.value.details
    review.accept([change(review, "6\n").id])
    assert disk(root)["a.md"] == TEXT.replace("two", "TWO").replace("six", "6")
    assert agent.read("a.md").text == TEXT.replace("two", "2").replace("six", "6")
    review.amend(change(review, "2\n").id, "2 (two)")
    assert disk(root)["a.md"] == agent.read("a.md").text == TEXT.replace("two", "2 (two)").replace("six", "6")
    assert agent.held == ()


def test_created_and_deleted_files_meet_others(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    agent.create("c.md", "mine\n")
    agent.delete("b.md")
    ada.create("c.md", "theirs\n")
    put(ada, "b", "B", "b.md")
    review = ada.review(task="T-1")
    assert [(each.path, each.status, each.flags) for each in review] == [
        ("b.md", "deleted", ("conflict",)), ("c.md", "created", ("conflict",)),
    ]  # fmt: skip
    for each in review:
        with pytest.raises(EditError) as refused:
            review.accept([each.id])
        assert refused.value.kind is Kind.CONFLICT
    review.reject([each.id for each in review])
    assert disk(root) == {"a.md": TEXT, "b.md": "B\n", "c.md": "theirs\n"}
    assert agent.files().files == ("a.md", "b.md", "c.md")
    assert agent.read("c.md").text == "theirs\n"


def test_files_that_take_each_others_names_are_accepted_together(
    root: Path, agent: sh.Workspace, ada: sh.Workspace
) -> None:
    agent.rename("a.md", "x.md")
    agent.rename("b.md", "a.md")
    agent.rename("x.md", "b.md")
    assert agent.files().files == ("a.md", "b.md")
    assert agent.read("a.md").text == "b\n"
    review = ada.review()
    review.accept([each.id for each in review])
    assert disk(root) == {"a.md": "b\n", "b.md": TEXT}
    assert agent.held == ()


@pytest.mark.parametrize("text", ["b\n", "other\n", ""])
def test_what_takes_the_place_of_a_deleted_file_stays_another_file(
    root: Path, agent: sh.Workspace, ada: sh.Workspace, text: str
) -> None:
    agent.create("c.md", text)
    agent.delete("b.md")
    agent.rename("c.md", "b.md")
    before = [(each.path, each.status, each.before, each.after) for each in ada.review()]
    ada.review().reject([each.id for each in ada.review() if each.status == "created"])
    ada.review().take_back()
    assert [(each.path, each.status, each.before, each.after) for each in ada.review()] == before
    agent.delete("b.md")
    agent.undo(last=True)
    assert [(each.path, each.status, each.before, each.after) for each in ada.review()] == before
    (root / "b.md").write_text("by hand\n")
    assert agent.read("b.md").text == text
    (root / "b.md").write_text("b\n")
    ada.review().reject([each.id for each in ada.review() if each.status == "created"])
    agent.undo(change(ada.review(), "").records[0])  # the deletion: that is the file that was there
    assert (agent.read("b.md").text, list(agent.held)) == ("b\n", [])


def test_bytes_and_modes_are_held_too(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    (root / "p.bin").write_bytes(b"\x89PNG\0\xff")
    agent.write("p.bin", b"\x89PNG\0\xfe", overwrite=True)
    agent.chmod("b.md", 0o640)
    review = ada.review()
    assert [(each.path, each.status) for each in review] == [("b.md", "mode"), ("p.bin", "binary")]
    assert (root / "p.bin").read_bytes() == b"\x89PNG\0\xff"
    review.accept([each.id for each in review])
    assert (root / "p.bin").read_bytes() == b"\x89PNG\0\xfe"
    assert (root / "b.md").stat().st_mode & 0o777 == 0o640


def test_secrets_are_not_held(root: Path, agent: sh.Workspace) -> None:
    with pytest.raises(EditError) as refused:
        agent.create(".env", "KEY=1\n")
    assert refused.value.kind is Kind.PROTECTED_PATH
    assert not (root / ".steadyhand").exists() or agent.held == ()


def test_the_ignore_files_of_the_layer_decide(root: Path, agent: sh.Workspace) -> None:
    agent.create(".gitignore", "build/\n*.log\n")
    agent.create("build/x.md", "x\n")
    agent.create("y.log", "y\n")
    agent.create("sub/y.md", "y\n")
    assert agent.files(skip_ignored=True).files == (".gitignore", "a.md", "b.md", "sub/y.md")
    assert agent.files("sub", sizes=True).sizes == {"sub/y.md": 2}
    assert "build/x.md" in agent.files().files


class Growing:
    """A journal into which somebody writes between two questions."""

    def __init__(self, journal: Journal, write: Callable[[], object]) -> None:
        self._journal, self._write = journal, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def newest_note(self, type: str) -> int:
        newest = self._journal.newest_note(type)
        self._write()
        return newest


def test_a_layer_that_grows_while_it_is_read_is_not_damaged(root: Path, agent: sh.Workspace) -> None:
    put(agent, "two", "2")
    with open_journal(root / ".steadyhand") as journal:
        layer = Layer(cast("Journal", Growing(journal, lambda: put(agent, "four", "4"))), "task:T-1")
        layer.refresh()
        assert layer.seq == journal.newest_note("held task:T-1")


def test_a_damaged_note_is_refused_and_reported(root: Path, agent: sh.Workspace) -> None:
    import sqlite3

    put(agent, "two", "2")
    put(agent, "four", "4")
    agent.close()
    connection = sqlite3.connect(root / ".steadyhand" / "journal.sqlite")
    named = "SELECT sql FROM sqlite_master WHERE name = 'log_is_never_updated'"
    (trigger,) = connection.execute(named).fetchone()
    first = "(SELECT min(seq) FROM note_types WHERE CAST(type AS TEXT) LIKE 'held %')"
    for statement in ("DROP TRIGGER log_is_never_updated", f"UPDATE log SET body = x'00' WHERE seq = {first}", trigger):
        connection.execute(statement)
    connection.commit()
    connection.close()
    with sh.Workspace(root, actor="agent", task="T-1", hold=True) as again:
        with pytest.raises(EditError) as refused:
            again.read("a.md")
        assert refused.value.kind is Kind.JOURNAL_DAMAGED
        assert again.check().problems
    with sh.Workspace(root, actor="ada") as ada:
        assert ada.read("a.md").text == TEXT


def test_a_file_of_which_nothing_is_held_any_more_goes_when_the_disk_loses_it(
    root: Path, agent: sh.Workspace, ada: sh.Workspace
) -> None:
    put(agent, "three", "3")
    ada.review().reject([change.id for change in ada.review()])
    ada.rename("a.md", "c.md")
    assert "a.md" not in agent.files().files
    with pytest.raises(EditError) as refused:
        agent.read("a.md")
    assert refused.value.kind is Kind.NO_SUCH_FILE
    agent.create("a.md", "new\n")
    assert agent.read("a.md").text == "new\n"
    assert not (root / "a.md").exists()


def test_an_undo_of_what_was_accepted_is_held_and_reviewed(root: Path, agent: sh.Workspace, ada: sh.Workspace) -> None:
    before = (root / "a.md").read_text()
    put(agent, "three", "3")
    ada.review().accept([change.id for change in ada.review()])
    agent.undo(last=True)
    (change,) = [change for change in ada.review() if change.held]
    assert (change.before, change.after) == ("3\n", "three\n")
    ada.review().accept([change.id])
    assert (root / "a.md").read_text() == before
