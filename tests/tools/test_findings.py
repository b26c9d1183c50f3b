"""What an analysis reports is kept in the user's state folder, and nothing of it under the root."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.tools import workspace as store
from steadyhand.workspace import json_lines as disk
from tests.table import table
from tests.tools.ground import make

FINDING: dict[str, Any] = {
    "path": "src/app.py",
    "lines": {"start": 2, "end": 3},
    "severity": "high",
    "title": "Unchecked input",
    "detail": "The argument goes to the shell as it is.",
    "suggestion": "Quote it.",
}
FILES: dict[str, str | bytes] = {"src/app.py": "import os\n\nos.system(x)\n", ".env": "TOKEN=1\n", "a.bin": b"\0\xff\0"}


def workspace(root: Path, **options: Any) -> sh.Workspace:
    return make(root, FILES, mode="analyze", **options)


def report(hands: sh.Kit, *findings: dict[str, Any]) -> dict[str, Any]:
    return hands.call("report_findings", {"findings": list(findings)})


def files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_a_finding_is_kept_with_its_place_its_version_and_its_task(tmp_path: Path) -> None:
    ws = workspace(tmp_path, task="T-1")
    before = files(tmp_path)
    answer = report(ws.tools("surgical"), FINDING)
    assert (answer["success"], answer["reported"], answer["total"]) == (True, 1, 1)
    assert "steadyhand findings" in answer["kept"]
    (finding,) = ws.findings("T-1")
    assert (finding.path, finding.lines, finding.severity) == ("src/app.py", (2, 3), "high")
    assert (finding.task, finding.actor) == ("T-1", "tests")
    said = finding.to_json()
    assert {name: said[name] for name in FINDING} == FINDING
    assert said["fileHash"] == ws.read("src/app.py").digest[:16]
    assert files(tmp_path) == before


def test_findings_are_asked_for_by_task_or_all_together(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    for name, count in (("A", 2), ("B", 1)):
        with ws.task(name) as task:
            assert report(task.tools("surgical"), *[FINDING] * count)["total"] == count
            assert len(task.findings(name)) == count
    assert [len(ws.findings(task)) for task in ("A", "B", "C", None)] == [2, 1, 0, 3]


def test_findings_outlive_the_workspace_and_are_those_of_one_tree(tmp_path: Path) -> None:
    with workspace(tmp_path / "one", task="T-1") as ws:
        report(ws.tools("surgical"), FINDING)
    with sh.Workspace(tmp_path / "one", read_only=True) as ws:
        (finding,) = ws.findings("T-1")
        assert (finding.path, finding.lines, finding.task) == ("src/app.py", (2, 3), "T-1")
        assert finding.time is not None
    assert workspace(tmp_path / "two").findings() == []


REPAIRED = [
    ("severity", "warning", "medium", "severity: 'warning' taken for 'medium'"),
    ("severity", "ERROR", "high", "severity: 'ERROR' taken for 'high'"),
    ("severity", "High", "high", "severity: 'High' taken for 'high'"),
    ("lines", [2, 3], {"start": 2, "end": 3}, "lines: an array taken for start and end"),
    ("lines", [3], {"start": 3, "end": 3}, "lines: an array taken for start"),
    ("lines", "[2, 3]", {"start": 2, "end": 3}, "taken for start and end"),
    ("lines", 3, {"start": 3, "end": 3}, "lines: the number 3 taken for start"),
]


@table(("name", "sent", "kept", "said"), REPAIRED)
def test_a_severity_and_lines_as_others_write_them_are_repaired(
    tmp_path: Path, name: str, sent: object, kept: object, said: str
) -> None:
    ws = workspace(tmp_path)
    answer = report(ws.tools("surgical"), FINDING | {name: sent})
    assert answer["success"] is True
    assert said in str(answer["repaired"])
    assert ws.findings()[0].to_json()[name] == kept


def test_processes_at_once_lose_no_finding(tmp_path: Path) -> None:
    workspace(tmp_path)
    code = (
        "import sys, steadyhand as sh\n"
        "ws = sh.Workspace(sys.argv[1], mode='analyze', task=sys.argv[2])\n"
        "finding = {'path': 'src/app.py', 'severity': 'low', 'title': 't', 'detail': 'd'}\n"
        "kit = ws.tools('surgical')\n"
        "for _ in range(15):\n"
        "    assert kit.call('report_findings', {'findings': [finding] * 2})['success']\n"
    )
    tasks = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), f"T{number}"], env=dict(os.environ))
        for number in range(3)
    ]
    assert [task.wait(300) for task in tasks] == [0, 0, 0]
    with sh.Workspace(tmp_path) as ws:
        assert [len(ws.findings(f"T{number}")) for number in range(3)] == [30] * 3


def test_a_report_that_a_crash_cut_off_counts_as_not_made(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    hands = ws.tools("surgical")
    report(hands, FINDING)
    (file,) = [path for path in folder().glob("*.jsonl") if str(tmp_path) in path.read_text()]
    whole = file.read_bytes()
    report(hands, FINDING, FINDING)
    after = file.read_bytes()
    for end in (len(whole) + 1, len(after) - 1, len(after) // 2 + len(whole) // 2):
        file.write_bytes(after[:end])
        assert len(ws.findings()) == 1
        assert report(hands, FINDING)["total"] == 2
        assert len(ws.findings()) == 2
        file.write_bytes(whole)
    file.write_bytes(b"no json\n\xff\xfe\n[1]\n" + whole)
    assert len(ws.findings()) == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def folder() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "steadyhand" / "findings"


def test_old_reports_of_others_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_LARGEST", 20_000)
    ws = workspace(tmp_path)
    large = FINDING | {"detail": "x" * 2_000}
    for number in range(20):
        with ws.task(f"T{number}") as task:
            assert report(task.tools("surgical"), large)["success"] is True
            assert len(ws.findings(f"T{number}")) == 1
    assert 3 < len(ws.findings()) < 10
    with ws.task("last") as task:
        answers = [report(task.tools("surgical"), large) for _ in range(6)]
    assert [answer.get("kind") for answer in answers] == [None] * 4 + ["too-large"] * 2


@table("where", ["under the root", "not writable"])
def test_where_nothing_can_be_kept_the_findings_last_as_long_as_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    state = tmp_path / "state" if where == "under the root" else tmp_path.parent / f"{tmp_path.name}-file"
    if where == "not writable":
        state.write_text("a file where the folder would be\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    ws = workspace(tmp_path)
    before = files(tmp_path)
    answer = report(ws.tools("surgical"), FINDING)
    assert "in memory" in answer["kept"]
    assert len(ws.findings()) == 1
    assert files(tmp_path) == before


def test_tasks_at_once_lose_no_finding(tmp_path: Path) -> None:
    ws = workspace(tmp_path)

    def work(name: str) -> None:
        with ws.task(name) as task:
            hands = task.tools("surgical")
            for _ in range(20):
                report(hands, FINDING, FINDING)

    threads = [threading.Thread(target=work, args=(f"T{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(ws.findings(f"T{number}")) for number in range(4)] == [40] * 4


TAKEN = [
    ("a whole file", {"lines": None}),
    ("one line", {"lines": {"start": 3}}),
    ("no suggestion", {"suggestion": None}),
    ("a file that holds secrets", {"path": ".env", "lines": {"start": 1}}),
    ("a file that is no text", {"path": "a.bin", "lines": None}),
    ("lines as a string", {"lines": '{"start": 1, "end": 2}'}),
    ("another spelling", {"path": "./src/../src/app.py"}),
]


@table("other", [row[1] for row in TAKEN], ids=[row[0] for row in TAKEN])
def test_a_finding_needs_no_more_than_it_has(tmp_path: Path, other: dict[str, Any]) -> None:
    ws = workspace(tmp_path)
    assert report(ws.tools("surgical"), FINDING | other)["success"] is True
    assert "TOKEN" not in str([finding.to_json() for finding in ws.findings()])


REFUSED = [
    ("a file that is not there", {"path": "src/ap.py"}, "no-such-file"),
    ("a file outside", {"path": "../x"}, "outside-root"),
    ("a line that is not there", {"lines": {"start": 2, "end": 9}}, "out-of-bounds"),
    ("lines that run backwards", {"lines": {"start": 3, "end": 2}}, "bad-request"),
    ("no start", {"lines": {"end": 2}}, "bad-request"),
    ("a severity of its own", {"severity": "blocker"}, "bad-request"),
    ("no title", {"title": None}, "bad-request"),
    ("an empty title", {"title": "  "}, "bad-request"),
    ("a detail without end", {"detail": "x" * 10_001}, "bad-request"),
    ("an unknown field", {"line": 3}, "bad-request"),
]


@table(("other", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_one_finding_that_cannot_be_meant_keeps_none_of_the_call(
    tmp_path: Path, other: dict[str, Any], kind: str
) -> None:
    ws = workspace(tmp_path)
    answer = report(ws.tools("surgical"), FINDING, FINDING | other)
    assert (answer["success"], answer["kind"]) == (False, kind)
    assert ws.findings() == []


def test_no_findings_and_too_many_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = workspace(tmp_path)
    hands = ws.tools("surgical")
    assert report(hands)["kind"] == "bad-request"
    assert report(hands, *[FINDING] * 201)["kind"] == "too-large"
    monkeypatch.setattr(store, "_MOST", 5)
    assert report(hands, *[FINDING] * 4)["success"] is True
    assert report(hands, *[FINDING] * 2)["kind"] == "too-large"
    assert len(ws.findings()) == 4


@table("mode", [None, "research", "generate", "modify", "execute"])
def test_findings_are_reported_in_an_analysis_only(tmp_path: Path, mode: str | None) -> None:
    ws = make(tmp_path, FILES, mode=mode)
    hands = ws.tools("surgical")
    assert "report_findings" not in {tool.name for tool in hands.tools}
    assert report(hands, FINDING)["kind"] == "not-allowed"
    assert ws.findings() == []
