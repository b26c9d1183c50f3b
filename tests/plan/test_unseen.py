"""The guard that must be asked for: no edit by number, and no whole-file write, over text that was not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit
from steadyhand.plan.guards import usual_guards
from steadyhand.session.host import host_of

TEN = "".join(f"line {number}\n" for number in range(1, 11))
POLICY = sh.Policy(guards=usual_guards() | {"unseen"})


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[sh.Workspace]:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path, actor="host", policy=POLICY) as workspace:
        yield workspace


def unseen(ws: sh.Workspace, edit: Edit) -> list[int]:
    with pytest.raises(EditError) as caught:
        ws.edit("a.txt", [edit])
    assert caught.value.kind is Kind.UNSEEN_TEXT, caught.value
    found = caught.value.details["lines"]
    assert isinstance(found, list)
    return found


def test_it_is_off_unless_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    with sh.Workspace(tmp_path) as ws:
        assert ws.edit("a.txt", [sh.Replace(sh.Lines(4), "B\n")]).ok


def test_what_an_edit_says_itself_need_not_be_read(ws: sh.Workspace) -> None:
    assert ws.edit("a.txt", [sh.Replace("line 4", "B")]).ok
    assert ws.edit("a.txt", [sh.Replace(sh.Lines(10, 10, "line 10"), "B\n")]).ok
    assert ws.edit("a.txt", [sh.Insert(sh.Lines(10), "B\n")]).ok, "nothing is written over"


def test_lines_by_number_must_have_been_read(ws: sh.Workspace) -> None:
    assert unseen(ws, sh.Replace(sh.Lines(4, 6), "B\n")) == [4, 6]
    ws.read("a.txt", lines=(3, 5))
    assert unseen(ws, sh.Replace(sh.Lines(4, 6), "B\n")) == [6, 6]
    ws.read("a.txt", lines=(6, 6))
    assert ws.edit("a.txt", [sh.Replace(sh.Lines(4, 6), "B\n")]).ok


def test_outlines_and_addresses_show_no_text(ws: sh.Workspace) -> None:
    ws.locate("a.txt", "lines:4")
    host_of(ws).source("a.txt")
    assert unseen(ws, sh.Delete(sh.Lines(4))) == [4, 4]


def test_what_the_task_wrote_and_the_lines_around_it_are_read(ws: sh.Workspace) -> None:
    ws.edit("a.txt", [sh.Replace("line 4", "B")])
    assert unseen(ws, sh.Replace(sh.Lines(7, 9), "D\n")) == [8, 9]
    assert ws.edit("a.txt", [sh.Replace(sh.Lines(2, 7), "C\n")]).ok


def test_lines_move_and_what_others_wrote_since_is_unread(ws: sh.Workspace, tmp_path: Path) -> None:
    with ws.task("one") as one:
        one.read("a.txt")
        with sh.Workspace(tmp_path, actor="other") as other:
            other.edit("a.txt", [sh.Insert(sh.Lines(1), "new\n", where="before"), sh.Delete("line 2\n")])
        assert one.edit("a.txt", [sh.Replace(sh.Lines(7), "B\n")]).ok, "it was moved and moved back"
        (tmp_path / "a.txt").write_text((tmp_path / "a.txt").read_text().replace("line 9", "outside"))
        with pytest.raises(EditError) as caught:
            one.edit("a.txt", [sh.Replace(sh.Lines(8, 10), "B\n")])
        assert caught.value.kind in (Kind.UNSEEN_TEXT, Kind.CONFLICT)


def test_a_whole_file_must_have_been_read_as_a_whole(ws: sh.Workspace) -> None:
    ws.read("a.txt", lines=(1, 9))
    with pytest.raises(EditError) as caught:
        ws.write("a.txt", TEN.replace("line 4", "B"))
    assert "only in part" in caught.value.message
    digest = host_of(ws).source("a.txt").digest
    assert ws.write("a.txt", TEN.replace("line 4", "B"), expect=digest).ok, "whoever names the version knows it"
