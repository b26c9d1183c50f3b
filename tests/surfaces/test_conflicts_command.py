"""`steadyhand conflicts`: listing, showing and resolving what was refused for the work of others."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.shell import Shell
from tests.table import table

NOW = "# Notes\n\nthe dog sat\non the mat\n"


@pytest.fixture
def conflict(shell: Shell) -> str:
    """Ada's edit of line 3, refused because Grace has written there; the id under which it is kept."""
    shell.ok("edit", "app.py", "--old", "y", "--new", "z")
    shell.ok("--actor", "ada", "--task", "T-1", "read", "notes.md")
    shell.ok(
        "--actor", "grace", "--task", "T-2", "edit", "notes.md", "--old", "cat", "--new", "dog", "--reason", "barks"
    )
    refused = (
        "--actor",
        "ada",
        "--task",
        "T-1",
        "edit",
        "notes.md",
        "--old",
        "sat",
        "--new",
        "slept",
        "--reason",
        "tired",
    )
    (name,) = shell.refused(*refused)["details"]["conflicts"]
    return str(name)


def editor(tmp_path: Path, code: str) -> str:
    """An editor that does something to the text of its file."""
    script = tmp_path / "editor.py"
    script.write_text(
        f"import sys\nname = sys.argv[1]\ntext = open(name).read()\n{code}\nopen(name, 'w').write(text)\n"
    )
    return f"{sys.executable} {script}"


@table(
    "arguments",
    [
        ("resolve",),
        ("resolve", "--apply"),
        ("resolve", "$", "--apply", "--drop"),
        ("resolve", "$", "--drop", "--text", "x"),
        ("resolve", "$"),
        ("show",),
        ("show", "zz"),
        ("list", "$"),
        ("list", "--apply"),
        ("fix",),
    ],
)
def test_a_call_that_leaves_something_open_is_refused(shell: Shell, conflict: str, arguments: tuple[str, ...]) -> None:
    words = [conflict if word == "$" else word for word in arguments]
    error = shell.refused("conflicts", *words)
    assert error["kind"] == "bad-request"
    assert error["hint"]
    assert len(shell.json("conflicts")["conflicts"]) == 1


def test_without_a_terminal_nobody_is_asked(shell: Shell, conflict: str) -> None:
    result = shell.run("conflicts", "resolve", stdin="a\n")
    assert result.exit_code == 2
    assert "--apply" in result.stderr
    assert shell.text("notes.md") == NOW


def test_no_conflict_is_an_answer(shell: Shell) -> None:
    assert shell.ok("conflicts") == "no open conflicts\n"
    assert shell.json("conflicts", "list") == {"ok": True, "conflicts": []}
    assert not (shell.root / ".steadyhand").exists()


def test_the_refusal_shows_both_sides_in_few_lines(shell: Shell, conflict: str) -> None:
    result = shell.run("--actor", "ada", "--task", "T-1", "edit", "notes.md", "--old", "sat", "--new", "lay")
    assert result.exit_code == 21
    for words in ("grace · T-2", "barks", "-cat", "+dog", "-sat", "+lay", "kept as: ", "hint: "):
        assert words in result.stderr
    assert len(result.stderr.splitlines()) <= 15


def test_a_conflict_is_listed_and_shown(shell: Shell, conflict: str) -> None:
    listed = shell.ok("conflicts")
    for words in (conflict, "ada · T-1", "notes.md:3", "grace · T-2", "open", "tired"):
        assert words in listed
    shown = shell.ok("conflicts", "show", conflict[:6])
    for words in ("grace · T-2", "barks", "ada · T-1", "tired", "+dog", "+slept", "3 the dog sat"):
        assert words in shown
    document = shell.json("conflicts", "show", conflict)
    assert document["conflict"]["yours"] == {"before": "sat", "after": "slept"}
    assert document["standing"]["text"] == "the dog sat\n"


@pytest.mark.parametrize(
    ("options", "count"),
    [(("--path", "notes.md"), 1), (("--path", "app.py"), 0), (("--task", "T-1"), 1), (("--task", "T-2"), 0)],
)
def test_conflicts_are_listed_by_file_and_task(
    shell: Shell, conflict: str, options: tuple[str, ...], count: int
) -> None:
    assert len(shell.json("conflicts", *options)["conflicts"]) == count


def test_the_refused_edit_is_applied_by_choice_and_can_be_undone(shell: Shell, conflict: str) -> None:
    document = shell.json("conflicts", "resolve", conflict, "--apply")
    assert document["conflict"]["state"] == "applied"
    assert shell.text("notes.md") == NOW.replace("sat", "slept")
    shell.ok("undo", document["receipt"]["id"])
    assert shell.text("notes.md") == NOW


def test_the_present_text_is_kept_by_choice(shell: Shell, conflict: str) -> None:
    document = shell.json("conflicts", "resolve", conflict, "--drop", "--reason", "it barks")
    assert (document["conflict"]["state"], document["receipt"]) == ("dropped", None)
    assert shell.text("notes.md") == NOW
    assert shell.json("conflicts")["conflicts"] == []
    assert len(shell.json("conflicts", "--all")["conflicts"]) == 1
    assert "was dropped" in shell.refused("conflicts", "resolve", conflict, "--apply")["message"]


def test_the_lines_are_given_as_text(shell: Shell, conflict: str) -> None:
    shell.ok("conflicts", "resolve", conflict, "--text", "the dog slept\nwell\n")
    assert shell.text("notes.md") == NOW.replace("sat", "slept\nwell")


def test_an_edit_that_does_not_fit_any_more_is_refused_and_the_conflict_stays(shell: Shell, conflict: str) -> None:
    shell.ok("edit", "notes.md", "--old", "sat", "--new", "stood")
    assert shell.kind("conflicts", "resolve", conflict, "--apply") == "no-match"
    assert len(shell.json("conflicts")["conflicts"]) == 1


@pytest.mark.parametrize(
    ("answers", "state", "text"),
    [
        ("a\n", "applied", NOW.replace("sat", "slept")),
        ("k\n", "dropped", NOW),
        ("s\n", "open", NOW),
        ("q\n", "open", NOW),
        ("x\nk\n", "dropped", NOW),
        ("e\n", "edited", NOW.replace("the dog sat", "the dog slept, then sat")),
    ],
)
def test_somebody_is_asked_and_the_answer_is_done(
    shell: Shell, conflict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: str, state: str, text: str
) -> None:
    monkeypatch.setenv("VISUAL", editor(tmp_path, "text = text.replace('dog sat', 'dog slept, then sat', 1)"))
    shown = shell.ok("conflicts", "resolve", "--ask", stdin=answers)
    assert "+slept" in shown
    assert "[k]eep the current text" in shown
    assert shell.json("conflicts", "show", conflict)["conflict"]["state"] == state
    assert shell.text("notes.md") == text


def test_an_answer_that_is_refused_is_asked_for_again(shell: Shell, conflict: str) -> None:
    shell.ok("edit", "notes.md", "--old", "sat", "--new", "stood")
    result = shell.run("conflicts", "resolve", "--ask", stdin="a\nk\n")
    assert (result.exit_code, "no-match" in result.stderr) == (0, True)
    assert shell.json("conflicts")["conflicts"] == []


def test_answers_that_end_early_leave_the_rest_open(shell: Shell, conflict: str) -> None:
    assert shell.run("conflicts", "resolve", "--ask", stdin="").exit_code == 130
    assert len(shell.json("conflicts")["conflicts"]) == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("text = text.split('--------')[0]", "cancelled"),
        ("text = text.replace('sat\\n--------', 'sat --------')", "cancelled"),
        ("sys.exit(3)", "cancelled"),
        ("", "no-change"),
        ("sys.exit(0)", "no-change"),
        ("text += 'more notes'", "no-change"),
    ],
)
def test_an_editor_that_leaves_no_clear_text_changes_nothing(
    shell: Shell, conflict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, kind: str
) -> None:
    monkeypatch.setenv("VISUAL", editor(tmp_path, code))
    assert shell.kind("conflicts", "resolve", conflict, "--edit") == kind
    assert len(shell.json("conflicts")["conflicts"]) == 1


def test_an_editor_that_is_not_there_changes_nothing(
    shell: Shell, conflict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    assert shell.kind("conflicts", "resolve", conflict, "--edit") == "cancelled"


def test_what_is_written_in_an_editor_is_kept_to_the_character(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shell.root / "notes.md").write_bytes("one\r\nthe cat sat żółw \x0c\r\n# no comment".encode())
    shell.ok("edit", "app.py", "--old", "y", "--new", "z")
    shell.ok("--task", "T-1", "read", "notes.md")
    shell.ok("--task", "T-2", "edit", "notes.md", "--old", "cat", "--new", "dog")
    shell.ok("--task", "T-2", "edit", "notes.md", "--old", "comment", "--new", "remark")
    plan: dict[str, Any] = shell.refused("--task", "T-1", "edit", "notes.md", "--lines", "2:3", "--new", "gone")
    (name,) = plan["details"]["conflicts"]
    monkeypatch.setenv("VISUAL", editor(tmp_path, "text = text.replace('sat', 'slept', 1)"))
    shell.ok("conflicts", "resolve", name, "--edit")
    assert shell.text("notes.md") == "one\r\nthe dog slept żółw \x0c\r\n# no remark"


def test_a_person_at_a_terminal_is_asked(shell: Shell, conflict: str) -> None:
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = shell.process("conflicts", "resolve", environ={"TERM": "xterm"}, **streams)
    os.close(theirs)
    seen = b""
    while b"[q]uit" not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, b"a\n")
    while b"applied" not in seen:
        seen += os.read(ours, 4096)
    assert process.wait(timeout=300) == 0
    os.close(ours)
    assert b"\x1b[31m" in seen  # what goes away is red
    assert shell.text("notes.md") == NOW.replace("sat", "slept")


def test_the_plainest_conflict_is_forced_or_applied_with_the_text_that_was_refused(shell: Shell) -> None:
    (shell.root / "conf.py").write_text("timeout = 10\n")
    ada, grace = ("--actor", "ada", "--task", "T-1"), ("--actor", "grace", "--task", "T-2")
    edit = ("edit", "conf.py", "--old", "timeout = 10", "--new")
    shell.ok("edit", "app.py", "--old", "y", "--new", "z")
    for who in (ada, grace):
        shell.ok(*who, "read", "conf.py")
    shell.ok(*grace, *edit, "timeout = 30")
    (name,) = shell.refused(*ada, *edit, "timeout = 20")["details"]["conflicts"]
    shell.ok("conflicts", "resolve", name, "--apply")
    assert (shell.root / "conf.py").read_text() == "timeout = 20\n"
    shell.ok("undo", "--last")
    shell.ok(*ada, "--on-conflict", "force", *edit, "timeout = 40")
    assert (shell.root / "conf.py").read_text() == "timeout = 40\n"
