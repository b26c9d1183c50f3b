"""What an analysis reports is kept with the workspace, and nothing of it is on disk."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.tools import findings as store
from steadyhand.tools.surgical.report_findings import TOOL
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
    assert "nothing of it is on disk" in answer["kept"]
    (finding,) = ws.findings("T-1")
    assert (finding.path, finding.lines, finding.severity) == ("src/app.py", (2, 3), "high")
    assert (finding.task, finding.actor) == ("T-1", "tests")
    told = finding.to_json()
    assert {name: told[name] for name in FINDING} == FINDING
    assert told["fileHash"] == ws.read("src/app.py").digest[:16]
    assert files(tmp_path) == before


def test_findings_are_asked_for_by_task_or_all_together(tmp_path: Path) -> None:
    ws = workspace(tmp_path)
    for name, count in (("A", 2), ("B", 1)):
        with ws.task(name) as task:
            assert report(task.tools("surgical"), *[FINDING] * count)["total"] == count
            assert len(task.findings(name)) == count
    assert [len(ws.findings(task)) for task in ("A", "B", "C", None)] == [2, 1, 0, 3]


def test_two_workspaces_do_not_share_findings(tmp_path: Path) -> None:
    one, other = workspace(tmp_path), workspace(tmp_path)
    report(one.tools("surgical"), FINDING)
    assert (len(one.findings()), len(other.findings())) == (1, 0)


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


@pytest.mark.parametrize("other", [row[1] for row in TAKEN], ids=[row[0] for row in TAKEN])
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


@pytest.mark.parametrize(("other", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
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


@pytest.mark.parametrize("mode", [None, "research", "generate", "modify", "execute"])
def test_findings_are_reported_in_an_analysis_only(tmp_path: Path, mode: str | None) -> None:
    ws = make(tmp_path, FILES, mode=mode)
    hands = ws.tools("surgical")
    assert TOOL.name not in {tool.name for tool in hands.tools}
    assert report(hands, FINDING)["kind"] == "not-allowed"
    assert ws.findings() == []
