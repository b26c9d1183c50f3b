"""A damaged record of a file: whoever asks why, edits or undoes learns that earlier history is uncertain."""

from __future__ import annotations

from pathlib import Path

import pytest

import steadyhand as sh
from tests.workspace.journal.sample_records import behind_its_back

UNCERTAIN = "what the journal says about that change and earlier ones is uncertain"


@pytest.fixture
def records(tmp_path: Path) -> list[str]:
    """Three edits of one file, and one of another; the second is damaged."""
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    (tmp_path / "b.txt").write_text("one\n")
    with sh.Workspace(tmp_path, actor="agent") as ws:
        made = [ws.edit("a.txt", [sh.Replace(old, old.upper())]).id or "" for old in ("one", "two", "three")]
        ws.edit("b.txt", [sh.Replace("one", "1")])
    return made


def _damage(root: Path, record: str) -> None:
    change = "UPDATE log SET body = x'00' WHERE record = ? AND type = 'prepared'"
    behind_its_back(root / ".steadyhand", (change, (record,)))


def test_why_says_so_for_the_lines_that_the_damage_may_concern(tmp_path: Path, records: list[str]) -> None:
    _damage(tmp_path, records[1])
    with sh.Workspace(tmp_path, actor="agent") as ws:
        newest, oldest, unknown = ws.why("a.txt", 3), ws.why("a.txt", 1), ws.why("a.txt", 5)
        assert newest.doubt is None
        assert UNCERTAIN in (oldest.doubt or "")
        assert UNCERTAIN in (unknown.doubt or "")
        assert ws.why("b.txt", 1).doubt is None


def test_an_edit_of_a_file_whose_last_record_is_damaged_says_so(tmp_path: Path, records: list[str]) -> None:
    _damage(tmp_path, records[2])
    with sh.Workspace(tmp_path, actor="agent") as ws:
        other = ws.edit("b.txt", [sh.Replace("1", "one")])
        assert other.warnings == ()
        answer = ws.edit("a.txt", [sh.Replace("four", "FOUR")])
        assert [warning for warning in answer.warnings if UNCERTAIN in warning] == list(answer.warnings)
        assert len(answer.warnings) == 1


def test_an_undo_over_a_damaged_record_says_so(tmp_path: Path, records: list[str]) -> None:
    _damage(tmp_path, records[1])
    with sh.Workspace(tmp_path, actor="agent") as ws:
        try:
            answer = " ".join(ws.undo(records[0]).warnings)
        except sh.EditError as error:
            answer = str(error.details["uncertain"]) + error.hint
        assert UNCERTAIN in answer


def test_an_undo_that_passes_over_a_damaged_record_says_so(tmp_path: Path, records: list[str]) -> None:
    _damage(tmp_path, records[2])
    with sh.Workspace(tmp_path, actor="agent") as ws:
        try:
            answer = " ".join(ws.undo(path="a.txt").warnings)
        except sh.EditError as error:
            answer = str(error.details["uncertain"]) + error.hint
        assert UNCERTAIN in answer


def test_what_is_sound_is_reported_without_doubt(tmp_path: Path, records: list[str]) -> None:
    with sh.Workspace(tmp_path, actor="agent") as ws:
        assert [why.doubt for why in ws.why_all("a.txt")] == [None] * 5
        assert ws.undo(records[0]).warnings == ()
