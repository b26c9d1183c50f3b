"""The benches run, at a tiny scale: each prints its tables. How fast anything is, is nobody's business here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.bench import TINY, Setting, benches
from benches.clock import Call, Effort, compare
from benches.peers import Peer, peer_tables
from benches.run import main
from benches.table import Row, Table

SUBJECTS = {
    "exact": ["Exact edit in memory"],
    "batch": ["20 edits to one file of 60 KB"],
    "commit": ["Durable change of one file of 4 KB", "Durable change of 10 files of 4 KB"],
    "journal": ["A journal of 151 records"],
    "startup": ["Start-up: wall time of a process"],
    "memory": ["Peak memory of a process, file of 200 KB, ASCII"],
    "diff": ["Unified diff of files", "Three-way merge of files", "Old text that is not in a file"],
}


def test_every_subject_is_tried_here() -> None:
    assert [bench.name for bench in benches()] == list(SUBJECTS)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_subject_runs_and_prints_its_tables(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scale", "tiny", "--no-peers", "--folder", str(tmp_path), "--only", name]) == 0
    out, progress = capsys.readouterr()
    for title in SUBJECTS[name]:
        assert title in out
    assert out.count("floor: ") >= len(SUBJECTS[name])
    assert "given up" not in out
    assert f"… {name}" in progress
    assert list(tmp_path.iterdir()) == [], "a run leaves nothing behind"


def test_json_holds_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--scale", "tiny", "--no-peers", "--folder", str(tmp_path), "--only", "commit", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["machine"]["cores"] >= 1
    single, several = answer["tables"]
    assert [row["label"] for row in several["rows"]] == ["one transaction", "10 calls of ws.edit"]
    for row in single["rows"]:
        assert row["value"] > 0
        assert row["floor"] > 0
        assert row["low"] <= row["ratio"] <= row["high"]


def test_a_peer_that_cannot_be_had_is_a_row_that_says_so(tmp_path: Path) -> None:
    peer = Peer("no-such-package", "aider", (99, 0), ("edit",))
    (table,) = peer_tables(Setting(TINY, tmp_path, with_peers=True), "edit", [peer])
    (row,) = table.rows
    assert row.value is None
    assert "not measured: needs Python 99.0" in row.remark


def test_a_call_that_passes_the_limit_is_given_up() -> None:
    def endless() -> None:
        while True:
            pass

    quick, slow = compare(
        lambda: None, [Call("quick", lambda: 1), Call("slow", endless)], Effort(rounds=2, seconds=0.1, limit=0.2)
    )
    assert quick.ratio is not None
    assert slow.value is None
    assert "given up" in slow.remark


def test_preparation_comes_before_every_turn_and_calls_take_turns() -> None:
    turns: list[str] = []
    call = Call("b", lambda: turns.append("b"), lambda: turns.append("prepare b"))
    floor = Call("a", lambda: turns.append("a"), lambda: turns.append("prepare a"))
    compare(floor, [call], Effort(rounds=2, seconds=1.0))
    once = ["prepare a", "a", "prepare b", "b"]
    assert turns == once + once + ["prepare b", "b", "prepare a", "a"]


def test_a_table_is_aligned() -> None:
    rows = [Row("short", 0.0012, 0.0006, 2.0, 1.9, 2.1, 15), Row("a longer label", None, remark="not measured: …")]
    lines = Table("Title", "the floor", rows).render().splitlines()
    assert lines[:3] == ["Title", "floor: the floor", ""]
    assert lines[3].startswith("what            ")
    assert lines[5] == "short           1.20 ms  600 µs  ×2.00    1.90–2.10    15"
    assert lines[6].endswith("–  not measured: …")
