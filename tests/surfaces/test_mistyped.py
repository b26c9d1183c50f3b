"""What a person mistypes is answered with what to type; what they type from habit works."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import pytest

from tests.surfaces.shell import Shell
from tests.table import table


@table(
    ("typed", "message", "hint"),
    [
        (("edti", "a.md"), "there is no command 'edti'", "did you mean `steadyhand edit`?"),
        (("impact", "lnit"), "there is no command 'lnit'", "did you mean `steadyhand impact lint`?"),
        (("xyzzy",), "there is no command 'xyzzy'", "steadyhand --help lists them"),
        (("edit", "notes.md", "--odl", "x"), "there is no option --odl", "did you mean --old?"),
        (("log", "--taks", "T-1"), "there is no option --taks", "did you mean --task?"),
        (("log", "-n", "3"), "there is no option -n", "did you mean --limit?"),
        (("log", "-z"), "there is no option -z", "see steadyhand log --help"),
        (("write", "notes.md", "c = 3"), "too many arguments: c = 3", "--text 'c = 3', or on standard input"),
        (("edit", "notes.md", "cat"), "NEW is missing after OLD", "steadyhand edit notes.md cat NEW"),
        (("edit", "notes.md"), "the texts are missing", "steadyhand edit notes.md OLD NEW"),
        (("delete", "notes.md"), "no place was given", "--file deletes the file itself"),
        (("log", "--limit", "x"), "Invalid value for '--limit': 'x' is not a whole number.", "see steadyhand log"),
        (("schema",), "Missing argument 'plan'.", "see steadyhand schema --help"),
        (("schema", "x"), "Invalid value for 'plan': 'x' is not plan, the only value.", "see steadyhand schema"),
        (("tools", "editDOM"), "'editDOM' is a tool of site: name the toolset", "see steadyhand tools --help"),
        (("impact", "run"), "no model is named", "--model"),
        (("undo", "outside-3"), "'outside-3' was made outside the journal and cannot be undone here", "shows its diff"),
        (("help", "edti"), "there is no command 'edti'", "did you mean `steadyhand help edit`?"),
    ],
)
def test_the_nearest_name_is_offered(shell: Shell, typed: tuple[str, ...], message: str, hint: str) -> None:
    refused = shell.refused(*typed)
    assert refused["kind"] == "bad-request"
    assert refused["message"].endswith(message)
    assert hint in refused["hint"]


@table(
    ("typed", "kind", "shown"),
    [
        (("apply", "nope.diff"), "no-such-file", 'there is no file "nope.diff"\n'),
        (("rename", "notes.md", "app.py"), "exists-already", "steadyhand delete FILE --file"),
        (("write", "a\nb", "--text", "x"), "outside-root", "hint: leave out the newline U+000A"),
        (("edit", "empty.txt", "a", "b"), "no-match", "the file is empty"),
        (("edit", "img.png", "a", "b"), "not-text", "hint: leave it alone, or"),
        (("edit", "short.toml", "a=1", "a = 5"), "no-match", "nearest: line 1"),
        (("edit", "many.txt", "dup", "x"), "ambiguous-match", "\n    … and 6 more\n"),
        (("edit", "zzzz", "dup", "x"), "no-such-file", "the folder has "),
        (("apply", "link.diff"), "malformed-patch", "l.txt is a symbolic link; such files are not changed"),
        (("apply", "empty.txt"), "malformed-patch", "the reply is empty"),
        (("act", "two.html", "selector:p", "remove"), "ambiguous-match", "in 2 places:\n"),
        (("--root", "nowhere", "log"), "no-such-file", "--root 'nowhere' is not a directory"),
    ],
)
def test_a_refusal_says_what_to_type(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...], kind: str, shown: str
) -> None:
    link = "diff --git a/l.txt b/l.txt\nnew file mode 120000\n--- /dev/null\n+++ b/l.txt\n@@ -0,0 +1 @@\n+a.txt\n"
    files = {"empty.txt": "", "img.png": "PNG\0\0\x81", "short.toml": "a = 1\nb = 11\n", "many.txt": "dup\n" * 14}
    for name, text in {**files, "link.diff": link, "two.html": "<p>a</p><p>b</p>\n"}.items():
        (shell.root / name).write_bytes(text.encode("latin-1"))
    monkeypatch.chdir(shell.root)
    run = shell.run(*typed)
    assert run.stderr.startswith(f"{kind}: ")
    assert shown in run.stderr
    assert "for example:" not in run.stderr or kind != "malformed-patch"


def test_old_and_new_may_follow_the_file(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "the cat sat", "the dog sat")
    assert "the dog sat" in shell.text("notes.md")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("the cat sat a dog ran", "steadyhand edit notes.md 'the cat sat' 'a dog ran'"),
        ("the cat sat down dog", "steadyhand edit notes.md 'OLD TEXT' 'NEW TEXT'"),
        ("--old the cat --new the dog", "--old 'OLD TEXT' --new 'NEW TEXT'"),
    ],
)
def test_texts_without_quotes_are_explained(shell: Shell, typed: str, offered: str) -> None:
    refused = shell.refused("edit", "notes.md", *typed.split())
    assert refused["hint"].startswith("put quotes around a text with spaces: ")
    assert offered in refused["hint"]


def test_too_many_arguments_are_named(shell: Shell) -> None:
    refused = shell.refused("log", "notes.md", "app.py")
    assert refused["message"] == "too many arguments: app.py"


def test_names_of_the_library_and_of_other_programs_work(shell: Shell) -> None:
    shell.ok("replace", "notes.md", "cat", "dog")
    assert len(shell.json("log")["entries"]) == 1
    assert shell.json("history") == shell.json("log")
    assert "dog" in shell.ok("cat", "notes.md")


def test_help_names_every_exit_code_and_every_command(shell: Shell) -> None:
    listed = shell.json("help", "errors")["errors"]
    assert any(each["kind"] == "no-match" and each["code"] == 10 for each in listed)
    assert "no-match" in shell.ok("help", "errors")
    assert "Usage: steadyhand chmod" in shell.ok("help", "chmod")
    assert "Change files" in shell.ok("help")


def test_very_many_files_are_one_line_when_little_is_wanted(shell: Shell, tmp_path: Path) -> None:
    plan = {"files": [{"path": f"many/{number}.txt", "create": "x\n"} for number in range(60)]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    shown = shell.ok("apply", str(tmp_path / "plan.json"), "--quiet").splitlines()
    assert len(shown) == 1
    assert shown[0].startswith("created 60 files · undo with: steadyhand undo ")


def test_times_are_those_of_the_place_and_exact_for_programs(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.ok("edit", "notes.md", "cat", "dog")
    exact = shell.json("log")["entries"][0]["time"]
    assert exact.endswith("Z")
    seen = set()
    for zone in ("UTC", "Asia/Kolkata"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        seen.add(shell.ok("log").splitlines()[1].split()[2])
    monkeypatch.delenv("TZ")
    time.tzset()
    assert exact[11:16] in seen
    assert len(seen) == 2


def test_a_server_s_own_task_name_is_not_shown_beside_the_actor(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "cat", "dog", "--actor", "claude-code", "--task", "mcp-8fba09c1")
    shell.ok("edit", "notes.md", "dog", "cow", "--actor", "claude-code", "--task", "T-7")
    named, made_up = shell.ok("log").splitlines()[1:]
    assert "claude-code · T-7" in named
    assert "mcp-8fba09c1" not in made_up


def test_a_conflict_can_be_answered_with_keep(shell: Shell) -> None:
    assert "--keep" in shell.ok("conflicts", "--help")


def test_the_schema_of_a_plan_takes_what_apply_takes(shell: Shell) -> None:
    schema = json.loads(shell.ok("schema", "plan"))
    jsonschema.validate({"files": [{"path": "a.md", "edits": [{"target": "a", "new": "b"}]}]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"files": [{"edits": []}]}, schema)
    assert shell.json("schema", "plan")["schema"] == schema
