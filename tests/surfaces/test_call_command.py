"""`steadyhand call`: every tool from the shell, with the answer a model gets and the exit code of its kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steadyhand.errors import Kind
from steadyhand.surfaces.cli.commands.agents import answer_lines
from steadyhand.surfaces.terminal import paint
from steadyhand.tools.result import failed
from tests.surfaces.shell import Shell
from tests.table import table
from tests.tools.examples import Case, all_examples, case_name, expected_tree, filled, holds, lay_out, tree

OPTIONS = {"version": "tool-version"}


def typed(settings: dict[str, object]) -> list[str]:
    """An example's settings as options."""
    words: list[str] = []
    for name, value in settings.items():
        option = "--" + OPTIONS.get(name, name).replace("_", "-")
        if isinstance(value, tuple | list):
            words += [word for each in value for word in (option, str(each))]
        elif value is True:
            words.append(option)
        elif value is not False and value is not None:
            words += [option, str(value)]
    return words


@table("case", all_examples(), ids=case_name, every=5)
def test_an_example_comes_out_the_same_from_the_shell(case: Case, tmp_path: Path) -> None:
    toolset, tool, example = case
    root = tmp_path / "ws"
    lay_out(root, example.files)
    shell = Shell(root)
    common = ["--root", str(root), "--actor", "examples", "--task", "T", "--toolset", toolset]
    common += typed({name: value for name, value in example.settings.items() if name != "task"})
    for name, arguments in example.first:
        shell.run("call", name, json.dumps(filled(arguments, root)), *common)
    sent = json.dumps(filled(example.arguments, root))
    result = shell.run("call", tool.name, "-", "--json", *common, stdin=sent)
    document = json.loads(result.stdout)
    answer = document["answer"]
    assert holds(answer, json.loads(json.dumps(example.result))), answer
    assert tree(root) == expected_tree(example)
    assert document["ok"] is (result.exit_code == 0)
    assert not (failed(answer) and document["ok"])


EDIT = '{"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}]}'


def test_the_answer_is_text_and_under_json_every_field(shell: Shell) -> None:
    (shell.root / "wide.md").write_text("x" * 1_900 + "\x7f\x9b\u202e\n" + "y" * 5_000)
    answer = shell.json("call", "read", '{"path": "wide.md"}')["answer"]
    assert answer["content"].startswith("1: xxx")
    assert "\x9b\u202e" in answer["content"]
    assert answer["content"] in shell.ok("call", "read", '{"path": "wide.md"}')


def test_a_native_tool_answers_with_its_text(shell: Shell) -> None:
    printed = shell.ok("call", "Read", '{"file_path": "notes.md", "limit": 1}')
    assert printed == shell.json("call", "Read", '{"file_path": "notes.md", "limit": 1}')["answer"]["content"] + "\n"
    assert not printed.startswith("{")


def test_arguments_come_from_the_line_from_standard_input_or_from_a_file(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "call.json"
    file.write_text(EDIT)
    for words, stdin in (
        (["call", "edit", EDIT], None),
        (["call", "edit", "-"], EDIT),
        (["call", "edit", f"@{file}"], None),
    ):
        shell.ok(*words, stdin=stdin)
        assert "dog" in shell.text("notes.md")
        shell.ok("undo", "--last")
    assert "notes.md" in shell.ok("call", "list")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["read", '{"path": "nope.md"}'], Kind.NO_SUCH_FILE.exit_code),
        (["edit", '{"path": "notes.md", "edits": [{"target": "zebra", "new": "x"}]}'], Kind.NO_MATCH.exit_code),
        (["edit", EDIT, "--read-only"], Kind.READ_ONLY.exit_code),
        (["edit", EDIT, "--mode", "analyze"], Kind.NOT_ALLOWED.exit_code),
        (["edit", EDIT, "--article", "other.md"], Kind.NOT_ALLOWED.exit_code),
        (["edit", EDIT, "--extensions", ".txt,.rst"], Kind.NOT_ALLOWED.exit_code),
        (["write", '{"path": "notes.md", "content": "x"}'], Kind.STALE_SOURCE.exit_code),
        (["write_patch", '{"path": "notes.md", "patch": "no patch"}'], Kind.MALFORMED_PATCH.exit_code),
        (["Edit", '{"file_path": "notes.md", "old_string": "zebra", "new_string": "x"}'], Kind.NO_MATCH.exit_code),
        (["TextReplace", '{"filePath": "notes.md", "oldText": "zebra", "newText": "x"}'], Kind.NO_MATCH.exit_code),
    ],
)
def test_a_refusal_exits_with_the_code_of_its_kind(shell: Shell, words: list[str], code: int) -> None:
    before = shell.tree()
    assert shell.run("call", *words).exit_code == code
    document = json.loads(shell.run("--json", "call", *words).stdout)
    assert (document["ok"], Kind(document["error"]["kind"]).exit_code) == (False, code)  # type: ignore[call-arg]
    assert document["error"]["message"]
    assert shell.tree() == before


def test_a_partial_answer_exits_with_the_code_of_what_was_refused(shell: Shell) -> None:
    edits = [{"target": "cat", "new": "dog"}, {"target": "zebra", "new": "x"}]
    result = shell.run("call", "edit", json.dumps({"path": "notes.md", "edits": edits, "partial": True}))
    assert result.exit_code == Kind.NO_MATCH.exit_code
    assert result.stdout.startswith("edited notes.md:")
    assert "\nedit 1: no-match: " in result.stdout
    assert "dog" in shell.text("notes.md")
    files = '{"files": ["notes.md", "nope.md"]}'
    assert shell.run("call", "read", files).exit_code == Kind.NO_SUCH_FILE.exit_code


def test_a_name_that_several_toolsets_have_is_refused_with_them(shell: Shell) -> None:
    error = shell.refused("call", "read_file", '{"path": "notes.md"}')
    assert (error["kind"], error["details"]["toolsets"]) == ("bad-request", ["article", "coder", "surgical"])
    assert shell.json("call", "read_file", '{"path": "notes.md"}', "--toolset", "surgical")["toolset"] == "surgical"
    assert shell.json("call", "editFile", '{"file": "no"}')["toolset"] == "site"
    assert "did you mean edit" in shell.refused("call", "edt")["hint"]


@pytest.mark.parametrize("arguments", ["{", "[1", '{"a": 1, "a": 2}', '{"a": NaN}', "", "@no such file", "\ud800"])
def test_what_is_no_json_is_refused_before_anything_is_opened(shell: Shell, arguments: str) -> None:
    assert shell.kind("call", "edit", arguments) == "bad-request"
    assert not (shell.root / ".steadyhand").exists()


@pytest.mark.parametrize("arguments", ["null", "3", '"a.md"', "[]", '{"files": 3}'])
def test_json_that_does_not_fit_is_an_answer_of_the_tool(shell: Shell, arguments: str) -> None:
    document = shell.json("call", "edit", arguments)
    assert (document["answer"]["success"], document["error"]["kind"]) == (False, "bad-request")


def test_what_the_host_says_is_kept_with_the_record(shell: Shell) -> None:
    who = ("--actor", "ada", "--task", "T-1", "--model", "m-1", "--conversation", "talk", "--backup", "bak")
    answer = shell.json("call", "edit", EDIT, *who)["answer"]
    record = shell.json("show", answer["id"])["entry"]
    assert (record["actor"], record["task"], record["tool"]) == ("ada", "T-1", "edit")
    assert (shell.root / "notes.md.bak").is_file()


def test_what_a_task_has_read_holds_for_its_next_call(shell: Shell) -> None:
    who = ("--actor", "ada", "--task", "T-1")
    shell.ok("call", "read", '{"path": "notes.md"}', *who)
    shell.ok("call", "write", '{"path": "notes.md", "content": "new\\n"}', *who)
    assert shell.text("notes.md") == "new\n"


def test_a_person_sees_a_diff_in_colours_and_no_control_characters() -> None:
    text = "edited a\x1b[31m\n@@ -1 +1 @@\n-one\n+1\nNote: -x"
    assert list(paint(answer_lines(text), color=False)) == [
        "edited a\\x1b[31m", "@@ -1 +1 @@", "-one", "+1", "Note: -x",
    ]  # fmt: skip
    painted = list(paint(answer_lines(text), color=True))
    assert [line.startswith("\x1b[") for line in painted] == [False, True, True, True, False]


def test_calls_of_one_task_are_one_conversation(shell: Shell) -> None:
    (shell.root / "a.txt").write_text("one\n")
    wrong, right = ({"path": "a.txt", "edits": [{"target": old, "new": "1"}]} for old in ("two", "one"))
    for sent, who in ((wrong, "T-1"), (right, "T-1"), (right, "T-2")):
        shell.run("call", "edit", json.dumps(sent), "--task", who)
    said = json.loads(shell.run("--json", "stats").stdout)["statistics"]
    assert (said["calls"], said["firstTry"]["applied"], said["retries"], said["recovered"]) == (3, 0, 1, 1), said


def test_findings_of_one_call_are_listed_by_the_next_command(shell: Shell) -> None:
    finding = {
        "path": "app.py",
        "lines": [1, 2],
        "severity": "warning",
        "title": "Odd",
        "detail": "Two names.\n\x1b[31mred",
    }
    sent = json.dumps({"findings": [finding | {"suggestion": "Use one."}]})
    answer = shell.json("call", "report_findings", sent, "--mode", "analyze", "--task", "T-1")["answer"]
    assert len(answer["repaired"]) == 2
    assert not (shell.root / ".steadyhand").exists()
    (kept,) = shell.json("findings")["findings"]
    assert (kept["task"], kept["severity"], kept["lines"]) == ("T-1", "medium", {"start": 1, "end": 2})
    said = shell.ok("findings", "--task", "T-1")
    for words in ("medium  app.py lines 1–2  Odd", "Two names.", "suggestion: Use one.", "ada · T-1"):
        assert words in said
    assert "\x1b[31m" not in said
    assert shell.ok("findings", "--task", "T-2") == "no findings\n"


def test_a_task_is_ended_and_its_backups_are_removed(shell: Shell) -> None:
    shell.ok("call", "edit", EDIT, "--task", "T-1", "--backup", "bak")
    assert shell.json("task", "end", "T-1", "--failed")["removed"] == []
    assert (shell.root / "notes.md.bak").is_file()
    assert shell.json("task", "end", "T-1") == {
        "ok": True, "task": "T-1", "end": "ended well", "removed": ["notes.md.bak"],
    }  # fmt: skip
    assert not (shell.root / "notes.md.bak").exists()
    assert shell.run("task", "end", "T-9").stderr == "warning: no change of the task T-9 is recorded\n"
    assert shell.json("task", "end", "--task", "T-1")["task"] == "T-1"
    assert shell.refused("task", "end")["kind"] == "bad-request"
