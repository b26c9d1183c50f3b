"""Changes that something else made are noted when a hook or a person says so, and reported to whoever watches."""

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


def observed(shell: Shell, text: str, client: str, tool: str = "Edit") -> None:
    """Write a file as a client would, and run its hook."""
    (shell.root / "a.md").write_text(text)
    event = {"tool_name": tool, "tool_input": {"file_path": str(shell.root / "a.md")}}
    assert shell.run("observe", "--hook", "--client", client, stdin=json.dumps(event)).exit_code == 0


def test_the_log_shows_a_change_outside_with_the_clients_name_and_its_diff(edited: Shell) -> None:
    observed(edited, "1\n2\n", "codex")
    log = edited.run("log").stdout.splitlines()
    assert len(log) == 3
    name = log[1].split()[0]
    assert name.startswith("outside-")
    assert "codex" in log[1]
    assert "a.md" in log[1]
    assert log[1].endswith("outside the journal")
    shown = edited.run("show", name).stdout
    assert "codex" in shown
    assert "-two\n+2\n" in shown
    assert "outside the journal" in shown
    document = edited.json("log", "a.md")
    assert [entry["verb"] for entry in document["entries"]] == ["edit"]
    assert [(each["actor"], each["tool"], each["lines"]) for each in document["outside"]] == [
        ("codex", "Edit", [[2, 2]])
    ]
    assert "+2" in edited.json("show", name)["diff"]


def test_each_line_is_credited_to_the_client_that_wrote_it(edited: Shell) -> None:
    observed(edited, "1\ntwo\nthree\n", "codex")
    observed(edited, "1\n2\nthree\n", "gemini", "write_file")
    lines = edited.json("why", "a.md")["lines"]
    assert [(line["since"], line["actor"]) for line in lines] == [
        ("record", lines[0]["actor"]),
        ("outside", "gemini"),
        ("outside", "codex"),
    ]
    said = edited.run("why", "a.md:3").stdout
    assert "codex" in said
    assert "outside the journal" in said
    diffs = [edited.json("show", each["id"])["diff"] for each in edited.json("log")["outside"]]
    assert ["-two" in diff and "+2" in diff for diff in diffs] == [True, False]
    assert ["+three" in diff for diff in diffs] == [False, True]


def test_an_edit_after_it_keeps_the_clients_name_and_adds_no_second_note(edited: Shell) -> None:
    observed(edited, "1\n2\n", "codex")
    edited.run("edit", "a.md", "--old", "1", "--new", "one")
    document = edited.json("log")
    assert [each["actor"] for each in document["outside"]] == ["codex"]
    lines = edited.json("why", "a.md")["lines"]
    assert [(line["since"], line["actor"]) for line in lines][1] == ("outside", "codex")


def test_a_change_that_nobody_observed_is_somebodys(edited: Shell) -> None:
    edited.run("edit", "a.md", "--old", "1", "--new", "one")
    (outside_change,) = edited.json("log")["outside"]
    assert outside_change["actor"] is None
    assert "-two\n+2\n" in edited.json("show", outside_change["id"])["diff"]
    assert "somebody" in edited.run("log").stdout


def test_nothing_of_a_secret_is_kept(shell: Shell) -> None:
    (shell.root / ".env").write_text("TOKEN=one\n")
    shell.run("act", ".env", "key:TOKEN", "set-key", "value=two", "--allow", ".env")
    (shell.root / ".env").write_text("TOKEN=three-is-secret\n")
    event = json.dumps({"tool_name": "Edit", "tool_input": {"file_path": str(shell.root / ".env")}})
    shell.run("observe", "--hook", "--client", "codex", "--allow", ".env", stdin=event)
    answers = [shell.run("log").stdout, shell.run("--json", "log").stdout]
    answers += [shell.run("show", each["id"]).stdout for each in shell.json("log").get("outside", [])]
    answers += [json.dumps(note) for note in outside(shell.root)]
    assert len(answers) > 2
    assert not any("three-is-secret" in answer for answer in answers)


def test_events_hold_no_text_of_files(edited: Shell) -> None:
    observed(edited, "1\nsecond\n", "codex")
    (note,) = outside(edited.root)
    assert "second" not in json.dumps(note)


def test_a_large_change_is_noted_without_its_text(edited: Shell) -> None:
    observed(edited, "1\n" + "long line\n" * 20_000, "codex")
    (change,) = edited.json("log")["outside"]
    assert change["actor"] == "codex"
    assert "not kept" in edited.json("show", change["id"])["diff"]
    assert edited.json("why", "a.md:2")["lines"][0]["actor"] == "codex"
