"""Changes that something else made are noted when a hook or a person says so, and told to whoever watches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steadyhand as sh
from tests.surfaces.shell import Shell


def outside(root: Path) -> list[dict[str, object]]:
    with sh.Workspace(root) as workspace:
        return [event.to_json() for event in workspace.events() if event.type == "outside"]


@pytest.fixture
def edited(shell: Shell) -> Shell:
    """A file that the journal knows and that something else has changed since."""
    (shell.root / "a.md").write_text("one\ntwo\n")
    shell.run("edit", "a.md", "--old", "one", "--new", "1")
    (shell.root / "a.md").write_text("1\n2\n")
    return shell


def test_a_change_outside_is_noted_with_its_lines(edited: Shell) -> None:
    answer = edited.json("observe", "a.md")
    assert answer == {"ok": True, "noted": ["a.md"]}
    (note,) = outside(edited.root)
    assert note["paths"] == ["a.md"]
    assert note["lines"] == [[2, 2]]


def test_the_same_change_is_noted_once(edited: Shell) -> None:
    edited.json("observe", "a.md")
    assert edited.json("observe", "a.md") == {"ok": True, "noted": []}
    assert len(outside(edited.root)) == 1


def test_a_file_as_the_journal_left_it_is_nothing_new(shell: Shell) -> None:
    (shell.root / "a.md").write_text("one\n")
    shell.run("edit", "a.md", "--old", "one", "--new", "1")
    assert shell.json("observe", "a.md")["noted"] == []
    assert outside(shell.root) == []


def test_a_hook_names_the_file_and_the_tool(edited: Shell) -> None:
    event = {"tool_name": "Edit", "tool_input": {"file_path": str(edited.root / "a.md"), "old_string": "two"}}
    assert edited.run("observe", "--hook", stdin=json.dumps(event)).stdout == ""
    (note,) = outside(edited.root)
    assert note["tool"] == "Edit"


def test_a_hook_passes_over_files_elsewhere_and_files_that_are_gone(edited: Shell) -> None:
    event = {"edits": [{"file_path": "/etc/passwd"}, {"path": str(edited.root / "gone.md")}], "file_path": "a.md"}
    answer = edited.run("observe", "--hook", stdin=json.dumps(event))
    assert answer.exit_code == 0
    assert len(outside(edited.root)) == 1


@pytest.mark.parametrize("event", ["", "no JSON", "[" * 100_000, "3"])
def test_an_event_that_is_none_changes_nothing(event: str, edited: Shell) -> None:
    assert edited.run("observe", "--hook", stdin=event).exit_code == 0
    assert outside(edited.root) == []


def test_a_hook_never_fails_the_tool_that_it_is_run_after(
    edited: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = json.dumps({"tool_name": "Edit", "tool_input": {"files": ["a.md"]}})
    monkeypatch.chdir(tmp_path)
    for place in (edited.root, tmp_path / "gone"):
        answer = edited.run("observe", "--hook", "--root", str(place), stdin=event)
        assert (answer.exit_code, answer.stdout) == (0, "")


@pytest.mark.parametrize(("tool", "count"), [("read_file", 0), ("copilot_readFile", 0), ("search_replace", 1)])
def test_what_a_tool_only_looked_at_is_not_noted(tool: str, count: int, edited: Shell) -> None:
    event = {"tool_name": tool, "tool_input": {"files": ["a.md"]}}
    edited.run("observe", "--hook", stdin=json.dumps(event))
    assert len(outside(edited.root)) == count


def test_a_file_of_a_person_that_does_not_exist_is_refused(edited: Shell) -> None:
    assert edited.json("observe", "gone.md")["error"]["kind"] == "no-such-file"


def test_a_read_only_workspace_notes_nothing(edited: Shell) -> None:
    assert edited.json("--read-only", "observe", "a.md")["noted"] == []
    assert outside(edited.root) == []
