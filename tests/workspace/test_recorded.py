"""Journals that earlier versions have recorded: opened by this one, they answer what they answered then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.workspace.journal.database import VERSION
from tests.table import table
from tests.workspace.recorded.recorder import answers, restore

FOLDER = Path(__file__).parent / "recorded"
RECORDED = sorted(path.parent for path in FOLDER.glob("*/journal.sql"))


def expected_of(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_the_present_schema_is_recorded() -> None:
    assert f"schema-{VERSION}" in [folder.name for folder in RECORDED]


@table("folder", RECORDED, ids=lambda path: path.name)
def test_a_recorded_journal_answers_as_it_did(folder: Path, tmp_path: Path) -> None:
    restore(folder, tmp_path / "root")
    answer, expected = answers(tmp_path / "root"), expected_of(folder)
    assert {name: value for name, value in answer.items() if value != expected[name]} == {}
    assert set(answer) | {"modes"} == set(expected)
    assert answers(tmp_path / "root") == answer


@table("folder", RECORDED, ids=lambda path: path.name)
def test_what_was_recorded_is_taken_back(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    restore(folder, root)
    undos = expected_of(folder)["undos"]
    with sh.Workspace(root, actor="ada", task="T-1", allow=[".env"]) as workspace:
        for record, answer in undos.items():
            if isinstance(answer, str):
                with pytest.raises(sh.EditError) as refused:
                    workspace.undo(record)
                assert str(refused.value.kind) == answer
            else:
                receipt = workspace.undo(record)
                assert receipt.diff() == answer["diff"]
                workspace.undo(receipt.id)
        assert workspace.check().ok
        assert workspace.check().drifted == ()


@table("folder", RECORDED, ids=lambda path: path.name)
def test_a_recorded_journal_goes_on(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    restore(folder, root)
    before = len(expected_of(folder)["history"])
    with sh.Workspace(root, actor="bob", task="T-2") as workspace:
        open_ones = workspace.conflicts()
        workspace.resolve(open_ones[0].id, "drop")
        receipt = workspace.edit("app.txt", [sh.Replace("import os", "import sys")], reason="another module")
        why = workspace.why("app.txt", 1)
        assert why.origin is not None
        assert (why.origin.record.id, why.reason) == (receipt.id, "another module")
        assert len(workspace.history()) == before + 1
        assert [conflict.id for conflict in workspace.conflicts()] == [each.id for each in open_ones[1:]]
        assert workspace.check().ok
