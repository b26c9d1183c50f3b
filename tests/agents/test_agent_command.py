"""`steadyhand agent`: any toolset, a real server, each edit and each refusal shown."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import steadyhand as sh
from steadyhand.surfaces.cli.main import cli
from tests.agents.scripted_server import Call, ScriptedServer, Status, Step, scripted, scripted_server


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.md").write_text("one\ntwo\nthree\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STEADYHAND_MODEL", "openai-chat:scripted")
    return tmp_path


def run(server: ScriptedServer, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["agent", "Make two a digit.", "--base-url", server.url, *arguments])


MISSED = Call("edit", {"path": "a.md", "edits": [{"target": "nowhere", "new": "x"}]})
EDIT = Call("edit", {"path": "a.md", "edits": [{"target": "two", "new": "2", "reason": "a digit"}]})


def test_a_task_is_done_and_shown_as_it_goes(root: Path) -> None:
    with scripted_server(MISSED, EDIT, "Two is a digit now.") as server:
        result = run(server, "--transcript", "talk.json")
    assert result.exit_code == 0, result.output
    assert (root / "a.md").read_text() == "one\n2\nthree\n"
    for said in ("refused no-match", "-two", "+2", "Two is a digit now.", "done  3 turns, 2 calls (1 refused)"):
        assert said in result.output
    conversation = json.loads((root / "talk.json").read_text())
    assert [each["role"] for each in conversation] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]


def test_one_document_and_the_model_in_the_records(root: Path) -> None:
    with scripted_server(EDIT, "Done.") as server:
        result = run(server, "--json")
    document: dict[str, Any] = json.loads(result.stdout)
    assert document["ok"] is True
    assert document["toolUsage"] == {"edit": {"calls": 1, "refused": 0}}
    log = json.loads(CliRunner().invoke(cli, ["export"]).stdout)
    assert (log["id"], log["model"]) == (document["records"][0], "openai-chat:scripted")


@pytest.mark.parametrize(
    ("toolset", "call"),
    [
        ("surgical", Call("edit_file", {"path": "a.md", "old_content": "two", "new_content": "2"})),
        ("claude-code", Call("Edit", {"file_path": "a.md", "old_string": "two", "new_string": "2"})),
        ("claude", Call("str_replace_based_edit_tool",
                        {"command": "str_replace", "path": "a.md", "old_str": "two", "new_str": "2"})),
    ],
)  # fmt: skip
def test_any_toolset(root: Path, toolset: str, call: Call) -> None:
    with scripted_server(call, "Done.") as server:
        result = run(server, "--toolset", toolset)
    assert result.exit_code == 0, result.output
    assert (root / "a.md").read_text() == "one\n2\nthree\n"


def test_a_model_that_cannot_be_reached_is_said_and_exits_with_1(root: Path) -> None:
    with scripted_server(Status(401)) as server:
        result = run(server, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["kind"] == "model"


def test_no_model_is_a_bad_request(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEADYHAND_MODEL")
    result = CliRunner().invoke(cli, ["agent", "x", "--json"])
    assert json.loads(result.stdout)["error"]["kind"] == "bad-request"


@pytest.mark.sweep
def test_a_killed_task_that_goes_on_hears_nothing_twice(root: Path) -> None:
    with sh.Workspace(root, actor="model", task="T-1") as ws:
        ws.edit("a.md", [sh.Replace("three", "THREE")])
    with sh.Workspace(root, actor="ann") as ann:
        review = ann.review()
        review.reject([review.changes[0].id], "too loud")
    children: list[subprocess.Popen[bytes]] = []

    class Killing(ScriptedServer):
        def next_step(self, request: dict[str, Any]) -> Step:
            children[0].kill()
            return super().next_step(request)

    words = ["agent", "Make two a digit.", "--task", "T-1"]
    with scripted(("Done.",), Killing) as server:
        command = [sys.executable, "-m", "steadyhand", *words, "--base-url", server.url]
        children.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        assert children[0].wait(300) == -signal.SIGKILL
    assert "too loud" in json.dumps(server.requests[0])
    with scripted_server("Done.") as server:
        CliRunner().invoke(cli, [*words, "--base-url", server.url])
    assert "too loud" not in json.dumps(server.requests)
