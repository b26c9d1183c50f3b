"""Conflicts that were kept: what is known of them, and each way to resolve one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.host import host_of
from steadyhand.session.kept_conflicts import KeptConflict

TEXT = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT)
    return tmp_path


@pytest.fixture
def ws(root: Path) -> Iterator[sh.Workspace]:
    """A person's workspace; what the tasks A and B do is done in others."""
    with sh.Workspace(root, actor="person") as workspace:
        yield workspace


def meet(root: Path, *edits: sh.Replace | sh.Insert | sh.Delete, theirs: str = "two\nthree\nfour") -> KeptConflict:
    """Task B writes capitals where task A, which has not seen them, then wants to edit; the conflict that is kept."""
    with sh.Workspace(root, actor="agent", task="A") as a, sh.Workspace(root, actor="other", task="B") as b:
        b.create("start.md", "so that there is a journal\n")
        a.read("a.md")
        b.edit("a.md", [sh.Replace(theirs, theirs.upper())], reason="louder")
        with pytest.raises(EditError) as caught:
            a.edit("a.md", list(edits) or [sh.Replace(sh.Lines(3, 3), "drei")], reason="german")
        assert caught.value.kind is Kind.CONFLICT
        return a.conflicts()[-1]


def now(root: Path) -> str:
    return (root / "a.md").read_text()


def refusal(ws: sh.Workspace, id: str, how: str, **options: str) -> EditError:
    """Resolve what must be refused, changing nothing."""
    before = now(Path(ws.root))
    with pytest.raises(EditError) as caught:
        ws.resolve(id, how, **options)  # type: ignore[arg-type]
    assert now(Path(ws.root)) == before
    return caught.value


def test_without_a_journal_there_is_no_conflict_and_none_is_made(ws: sh.Workspace, root: Path) -> None:
    assert ws.conflicts() == []
    assert not (root / ".steadyhand").exists()


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ("merge", {}),
        ("apply", {"text": "x"}),
        ("drop", {"text": "x"}),
        ("edit", {}),
        ("edit", {"text": "x", "expect": "?"}),
    ],
)
def test_a_way_that_is_none_is_refused(ws: sh.Workspace, root: Path, how: str, options: dict[str, str]) -> None:
    assert refusal(ws, meet(root).id, how, **options).kind is Kind.BAD_REQUEST
    assert len(ws.conflicts()) == 1


@pytest.mark.parametrize(
    ("id", "kind"), [("abc", Kind.BAD_REQUEST), ("", Kind.BAD_REQUEST), ("wxyz", Kind.BAD_REQUEST)]
)
def test_what_is_no_id_is_refused(ws: sh.Workspace, root: Path, id: str, kind: Kind) -> None:
    meet(root)
    assert refusal(ws, id, "drop").kind is kind


def test_both_sides_are_kept(ws: sh.Workspace, root: Path) -> None:
    meet(root)
    (conflict,) = ws.conflicts()
    assert (conflict.actor, conflict.task, conflict.path, conflict.lines) == ("agent", "A", "a.md", (3, 3))
    assert (conflict.reason, conflict.state, conflict.record) == ("german", "open", None)
    assert conflict.edit == {"target": {"lines": [3, 3]}, "new": "drei"}
    assert conflict.yours == {"before": "THREE\n", "after": "drei\n"}
    assert [(other["actor"], other["task"], other["reason"]) for other in conflict.others] == [("other", "B", "louder")]
    assert conflict.named() == "other (B)"
    json.dumps(conflict.to_json())


def test_a_conflict_is_found_by_the_beginning_of_its_id(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    assert ws.conflict(conflict.id[:4].upper()) == conflict
    missing = "0000" if not conflict.id.startswith("0000") else "1111"
    with pytest.raises(EditError) as caught:
        ws.conflict(missing)
    assert caught.value.kind is Kind.NO_SUCH_FILE


def test_conflicts_are_listed_by_file_and_task(ws: sh.Workspace, root: Path) -> None:
    meet(root)
    assert len(ws.conflicts(path="a.md", task="A")) == 1
    assert ws.conflicts(path="start.md") == ws.conflicts(task="B") == []


def test_dropping_changes_nothing_and_is_noted(ws: sh.Workspace, root: Path) -> None:
    conflict, before = meet(root), now(root)
    assert ws.resolve(conflict.id, "drop", reason="capitals it is") is None
    assert now(root) == before
    assert ws.conflicts() == []
    assert [found.state for found in ws.conflicts(open_only=False)] == ["dropped"]
    event = list(ws.events())[-1]
    assert (event.type, event.actor, event.id, event.reason) == ("resolved", "person", conflict.id, "capitals it is")


def test_applying_writes_over_the_others_and_says_so(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    receipt = ws.resolve(conflict.id, "apply")
    assert receipt is not None
    assert now(root) == "one\nTWO\ndrei\nFOUR\nfive\n"
    record = ws.show(receipt.id or "").record
    assert (record.actor, record.task, record.reason) == ("person", None, "german")
    assert record.files[0].edits[0].forced == conflict.records != ()
    found = ws.conflict(conflict.id)
    assert (found.state, found.record) == ("applied", receipt.id)
    ws.undo(receipt.id)
    assert now(root) == "one\nTWO\nTHREE\nFOUR\nfive\n"


@pytest.mark.parametrize("how", ["apply", "drop"])
def test_a_conflict_is_resolved_once(ws: sh.Workspace, root: Path, how: str) -> None:
    conflict = meet(root)
    ws.resolve(conflict.id, how)
    error = refusal(ws, conflict.id, "drop")
    assert error.kind is Kind.BAD_REQUEST
    assert ("was applied (record " in error.message) == (how == "apply")


def test_an_edit_that_cannot_be_applied_any_more_is_refused_and_stays_open(ws: sh.Workspace, root: Path) -> None:
    (root / "a.md").write_text("the cat sat\n")
    conflict = meet(root, sh.Replace("sat", "slept"), theirs="cat")
    ws.read("a.md")
    ws.edit("a.md", [sh.Replace("sat", "lay")])
    assert refusal(ws, conflict.id, "apply").kind is Kind.NO_MATCH
    assert ws.conflict(conflict.id).state == "open"


@pytest.mark.parametrize(
    "edit", [sh.Replace(sh.Lines(3, 3), "drei"), sh.Insert(sh.Lines(3, 3), "drei\n"), sh.Delete(sh.Lines(3, 3))]
)
def test_line_numbers_are_not_trusted_once_the_file_has_changed(
    ws: sh.Workspace, root: Path, edit: sh.Replace | sh.Insert | sh.Delete
) -> None:
    conflict = meet(root, edit)
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\n", where="before")])
    assert refusal(ws, conflict.id, "apply").kind is Kind.STALE_SOURCE
    assert ws.conflict(conflict.id).state == "open"


def test_line_numbers_of_an_older_version_mean_the_lines_of_that_version(ws: sh.Workspace, root: Path) -> None:
    policy = sh.Policy(on_stale="rebase")
    with sh.Workspace(root, actor="agent", task="A") as a, sh.Workspace(root, actor="other", task="B") as b:
        b.create("start.md", "so that there is a journal\n")
        known = a.read("a.md").digest
        b.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\n", where="before"), sh.Replace("three", "THREE")])
        with pytest.raises(EditError) as caught:
            a.edit("a.md", [sh.Replace(sh.Lines(3, 3), "drei")], expect=known, policy=policy)
    assert caught.value.kind is Kind.CONFLICT
    (conflict,) = ws.conflicts()
    ws.resolve(conflict.id, "apply")
    assert now(root) == "zero\none\ntwo\ndrei\nfour\nfive\n"


def test_the_lines_concerned_are_followed_to_where_they_are_now(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    assert (host_of(ws).present_text(conflict.id).lines, host_of(ws).present_text(conflict.id).text) == (
        (2, 4),
        "TWO\nTHREE\nFOUR\n",
    )
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\n", where="before"), sh.Replace("THREE", "THREE!")])
    present_text = host_of(ws).present_text(conflict.id)
    assert (present_text.lines, present_text.text) == ((3, 5), "TWO\nTHREE!\nFOUR\n")


def test_a_person_writes_the_lines_by_hand(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\n", where="before")])
    receipt = ws.resolve(conflict.id, "edit", text="ZWEI\nDREI\n", reason="both")
    assert now(root) == "zero\none\nZWEI\nDREI\nfive\n"
    assert receipt is not None
    assert ws.show(receipt.id or "").record.reason == "both"
    assert ws.conflict(conflict.id).state == "edited"


def test_what_was_written_for_another_version_is_not_put_in(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    shown = host_of(ws).present_text(conflict.id)
    ws.edit("a.md", [sh.Replace("THREE", "3")])
    error = refusal(ws, conflict.id, "edit", text="x\n", expect=shown.digest)
    assert error.kind is Kind.STALE_SOURCE
    assert ws.resolve(conflict.id, "edit", text="x\n", expect=host_of(ws).present_text(conflict.id).digest) is not None


def test_lines_that_stay_as_they_are_resolve_nothing(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    assert refusal(ws, conflict.id, "edit", text=host_of(ws).present_text(conflict.id).text).kind is Kind.NO_CHANGE
    assert ws.conflict(conflict.id).state == "open"


def test_lines_at_the_end_of_a_file_without_a_newline(ws: sh.Workspace, root: Path) -> None:
    (root / "a.md").write_text("one\ntwo")
    conflict = meet(root, sh.Replace(sh.Lines(2, 2), "zwei"), theirs="two")
    assert host_of(ws).present_text(conflict.id).text == "TWO"
    ws.resolve(conflict.id, "edit", text="2\n3")
    assert now(root) == "one\n2\n3"


def test_lines_that_are_gone_are_an_empty_place(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    ws.edit("a.md", [sh.Delete("TWO\nTHREE\nFOUR\n")])
    assert (host_of(ws).present_text(conflict.id).lines, host_of(ws).present_text(conflict.id).text) == ((2, 1), "")
    ws.resolve(conflict.id, "edit", text="2\n3\n4\n")
    assert now(root) == "one\n2\n3\n4\nfive\n"


def test_a_party_that_changes_the_file_afterwards_has_answered(ws: sh.Workspace, root: Path) -> None:
    conflict = meet(root)
    with sh.Workspace(root, actor="agent") as nameless:
        nameless.edit("a.md", [sh.Replace("one", "1")])
    assert ws.conflict(conflict.id).state == "open"
    with sh.Workspace(root, actor="agent", task="A") as a:
        a.read("a.md")
        receipt = a.edit("a.md", [sh.Replace("THREE", "DREI")])
    found = ws.conflict(conflict.id)
    assert (found.state, found.record) == ("answered", receipt.id)
    assert "was answered" in refusal(ws, conflict.id, "apply").message


def test_the_same_edit_refused_again_after_an_answer_is_another_conflict(ws: sh.Workspace, root: Path) -> None:
    (root / "a.md").write_text(TEXT + "more\n" * 9 + "last\n")
    first = meet(root)
    with sh.Workspace(root, actor="agent", task="A") as a:
        for _ in range(2):
            with pytest.raises(EditError):
                a.edit("a.md", [sh.Replace(sh.Lines(3, 3), "drei")], reason="german")
        assert [conflict.id for conflict in ws.conflicts()] == [first.id]
        a.edit("a.md", [sh.Replace("last", "least")])
        with pytest.raises(EditError):
            a.edit("a.md", [sh.Replace(sh.Lines(3, 3), "drei")], reason="german")
    (second,) = ws.conflicts()
    assert second.id != first.id


def test_an_edit_that_was_left_out_of_a_call_is_open_although_the_rest_was_made(ws: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="agent", task="A") as a, sh.Workspace(root, actor="other", task="B") as b:
        b.create("start.md", "so that there is a journal\n")
        a.read("a.md")
        b.edit("a.md", [sh.Replace("three", "THREE")])
        edits = [sh.Replace("one", "1"), sh.Replace(sh.Lines(3, 3), "drei")]
        a.edit("a.md", edits, policy=sh.Policy(on_conflict="skip"))
    (conflict,) = ws.conflicts()
    ws.resolve(conflict.id, "apply")
    assert now(root) == "1\ntwo\ndrei\nfour\nfive\n"


def test_a_refused_deletion_of_the_whole_file_can_be_dropped_and_not_applied(ws: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="agent", task="A") as a, sh.Workspace(root, actor="other", task="B") as b:
        b.create("start.md", "so that there is a journal\n")
        a.read("a.md")
        b.edit("a.md", [sh.Replace("three", "THREE")])
        with pytest.raises(EditError) as caught:
            a.delete("a.md")
    assert caught.value.kind is Kind.CONFLICT
    (conflict,) = ws.conflicts()
    error = refusal(ws, conflict.id, "apply")
    assert (error.kind, "drop" in str(error.hint)) == (Kind.BAD_REQUEST, True)
    ws.resolve(conflict.id, "drop")
    assert ws.conflicts() == []


def test_what_changed_outside_steadyhand_is_written_over_as_such(ws: sh.Workspace, root: Path) -> None:
    with sh.Workspace(root, actor="agent", task="A") as a:
        a.edit("a.md", [sh.Replace("five", "5 cats")])
        a.read("a.md")
        (root / "a.md").write_text(now(root).replace("5", "6"))
        with pytest.raises(EditError) as caught:
            a.edit("a.md", [sh.Replace("cats", "dogs")])
    assert caught.value.kind is Kind.CONFLICT
    (conflict,) = ws.conflicts()
    receipt = ws.resolve(conflict.id, "apply")
    assert receipt is not None
    assert ws.show(receipt.id or "").record.files[0].edits[0].forced == ("outside",)


def test_lines_with_secrets_are_not_handed_out(root: Path) -> None:
    (root / ".env").write_text("KEY=hunter2\n")
    with sh.Workspace(root, actor="person", allow=[".env"]) as ws:
        ws.edit(".env", [sh.Replace("hunter2", "hunter3")])
        body = {"id": "0123456789ab", "actor": "agent", "task": None, "path": ".env", "lines": [1, 1], "with": []}
        ws._store.writable_journal().append_note("conflict", body)
        (conflict,) = ws.conflicts()
        with pytest.raises(EditError) as caught:
            host_of(ws).present_text(conflict.id)
        assert caught.value.kind is Kind.PROTECTED_PATH
        with pytest.raises(EditError) as caught:
            ws.resolve(conflict.id, "apply")
        assert caught.value.kind is Kind.BAD_REQUEST
        assert ws.resolve(conflict.id, "drop") is None


def test_whoever_may_only_read_may_look_and_not_resolve(root: Path) -> None:
    conflict = meet(root)
    with sh.Workspace(root, read_only=True) as reader:
        assert host_of(reader).present_text(conflict.id).lines == (2, 4)
        for how in ("apply", "drop"):
            assert refusal(reader, conflict.id, how).kind is Kind.READ_ONLY
        assert len(reader.conflicts()) == 1


def test_a_long_edit_by_line_numbers_can_be_applied_to_the_version_it_was_refused_for(
    ws: sh.Workspace, root: Path
) -> None:
    (root / "a.md").write_text(TEXT + "a line of some length\n" * 400)
    conflict = meet(root, sh.Replace(sh.Lines(1, 400), "short"))
    assert ws.resolve(conflict.id, "apply") is not None
    assert now(root).startswith("short\n")


def test_a_conflict_with_a_change_outside_can_be_shown_and_applied_at_its_own_lines(
    ws: sh.Workspace, root: Path
) -> None:
    with sh.Workspace(root, actor="agent", task="A") as a:
        a.edit("a.md", [sh.Replace("five", "FIVE")])
        a.read("a.md")
        (root / "a.md").write_text("zero\n" + now(root).replace("three", "by an editor"))
        with pytest.raises(EditError) as caught:
            a.edit("a.md", [sh.Replace(sh.Lines(3), "B\n")])
    assert caught.value.kind is Kind.CONFLICT
    (conflict,) = ws.conflicts()
    assert host_of(ws).present_text(conflict.id).text == "by an editor\n"
    assert ws.resolve(conflict.id, "apply") is not None
    assert now(root) == "zero\none\ntwo\nB\nfour\nFIVE\n"


def test_lines_of_a_version_that_only_an_editor_made_are_not_looked_for_in_another(
    ws: sh.Workspace, root: Path
) -> None:
    with sh.Workspace(root, actor="agent", task="A") as a:
        a.edit("a.md", [sh.Replace("five", "FIVE")])
        a.read("a.md")
        (root / "a.md").write_text("zero\n" + now(root).replace("three", "by an editor"))
        with pytest.raises(EditError):
            a.edit("a.md", [sh.Replace(sh.Lines(4), "B\n")])
    (root / "a.md").write_text("1\n2\n3\n" + now(root))
    (conflict,) = ws.conflicts()
    with pytest.raises(EditError) as caught:
        host_of(ws).present_text(conflict.id)
    assert caught.value.kind is Kind.STALE_SOURCE
