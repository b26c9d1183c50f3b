"""For any line: which record wrote it, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[sh.Workspace]:
    (tmp_path / "a.md").write_text("one\ntwo\nthree\nfour\nfive\n")
    with sh.Workspace(tmp_path, actor="tester") as workspace:
        yield workspace


def origins(ws: sh.Workspace, path: str = "a.md") -> list[tuple[str, str | None]]:
    return [(why.since, why.reason) for why in ws.why_all(path)]


@pytest.mark.parametrize("line", [0, -1, 6])
def test_a_line_that_is_not_there_is_out_of_bounds(ws: sh.Workspace, line: int) -> None:
    with pytest.raises(EditError) as caught:
        ws.why("a.md", line)
    assert caught.value.kind is Kind.OUT_OF_BOUNDS


def test_without_records_every_line_is_older_than_the_journal(ws: sh.Workspace) -> None:
    assert {since for since, _ in origins(ws)} == {"before-journal"}


def test_a_line_is_credited_to_the_edit_that_wrote_it(ws: sh.Workspace) -> None:
    receipt = ws.edit("a.md", [sh.Replace("two", "2", reason="digit"), sh.Replace("five", "5", reason="last")])
    why = ws.why("a.md", 5)
    assert (why.reason, why.edit_index, why.text) == ("last", 1, "5")
    assert why.origin is not None
    assert why.origin.record.id == receipt.id
    assert ws.why("a.md", 2).reason == "digit"
    assert ws.why("a.md", 1).origin is None


def test_lines_are_followed_through_later_edits(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("three", "3")], reason="three")
    ws.edit("a.md", [sh.Insert(sh.Lines(1, 1), "zero\nzero and a half\n", where="before")], reason="zeros")
    ws.edit("a.md", [sh.Delete(sh.Lines(4, 4))], reason="drop")
    assert (Path(ws.root) / "a.md").read_text() == "zero\nzero and a half\none\n3\nfour\nfive\n"
    assert [reason for _, reason in origins(ws)] == ["zeros", "zeros", None, "three", None, None]


def test_quoted_context_keeps_its_own_origin(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    ws.edit("a.md", [sh.Replace("one\n2\nthree\n", "one\n2\n3\n")], reason="three")
    assert [reason for _, reason in origins(ws)] == [None, "two", "three", None, None]


def test_a_whole_write_credits_only_the_lines_it_changed(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    ws.write("a.md", "one\n2\nthree\nFOUR\nfive\n", overwrite=True, reason="shout")
    assert [reason for _, reason in origins(ws)] == [None, "two", None, "shout", None]


def test_lines_are_followed_through_a_rename(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    ws.rename("a.md", "b.md", reason="move")
    ws.edit("b.md", [sh.Replace("five", "5")], reason="five")
    assert [reason for _, reason in origins(ws, "b.md")] == [None, "two", None, None, "five"]
    assert [entry.record.reason for entry in ws.history("b.md")] == ["five", "move", "two"]


def test_a_created_file_is_credited_to_its_creation(ws: sh.Workspace) -> None:
    ws.create("n.md", "a\nb\n", reason="made")
    ws.edit("n.md", [sh.Replace("b", "B")], reason="loud")
    assert [reason for _, reason in origins(ws, "n.md")] == ["made", "loud"]


def test_lines_from_outside_are_distinguished_from_lines_of_records(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    path = Path(ws.root) / "a.md"
    path.write_text("by hand\n" + path.read_text())
    assert [since for since, _ in origins(ws)] == ["outside", "before-journal", "record"] + ["before-journal"] * 3
    ws.edit("a.md", [sh.Replace("four", "4")], reason="four")
    assert origins(ws)[0] == ("outside", None)
    assert [reason for _, reason in origins(ws)] == [None, None, "two", None, "four", None]


def test_an_undone_line_is_credited_to_the_undo(ws: sh.Workspace) -> None:
    receipt = ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    undo = ws.undo(receipt.id, reason="wrong")
    why = ws.why("a.md", 2)
    assert why.origin is not None
    assert why.origin.record.id == undo.id
    assert why.origin.record.verb == "undo"


def test_a_file_that_came_back_has_the_past_it_had(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("two", "2")], reason="two")
    gone = ws.delete("a.md", reason="gone")
    ws.undo(gone.id)
    ws.edit("a.md", [sh.Replace("five", "5")], reason="five")
    assert [reason for _, reason in origins(ws)] == [None, "two", None, None, "five"]


def test_taking_words_from_a_lines_start_counts_as_writing_it(ws: sh.Workspace) -> None:
    ws.edit("a.md", [sh.Replace("four", "so four")], reason="add")
    ws.edit("a.md", [sh.Delete("so ")], reason="take")
    assert ws.why("a.md", 4).reason == "take"
    assert ws.why("a.md", 3).origin is None
