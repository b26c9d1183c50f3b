"""What a model wrote, from the command line: applied, refused with its place, written again in another format."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from steadyhand.dialects.dialect import dialects
from tests.surfaces.conftest import APP, NOTES
from tests.surfaces.shell import Shell
from tests.table import table

AFTER = NOTES.replace("cat", "dog")
HUNK = "@@ -3 +3 @@\n-the cat sat\n+the dog sat\n"
DIFF = f"--- a/notes.md\n+++ b/notes.md\n{HUNK}"
FENCED = f"I turned the cat into a dog:\n\n```diff\n{DIFF}```\n"
SIDES = "<<<<<<< SEARCH\nthe cat sat\n=======\nthe dog sat\n>>>>>>> REPLACE\n"
V4A = "*** Begin Patch\n*** Update File: notes.md\n@@\n-the cat sat\n+the dog sat\n*** End Patch\n"
ADDED = "*** Begin Patch\n*** Add File: app.py\n+z = 3\n*** End Patch\n"

REPLIES = {
    "unified": FENCED,
    "v4a": f"Here it is.\n{V4A}",
    "search-replace": f"One change:\n\nnotes.md\n```\n{SIDES}```\nThat is all.\n",
    "json": 'Calling the tool:\n\n```json\n{"path": "notes.md", "old_string": "cat", "new_string": "dog"}\n```\n',
    "lazy": "A dog:\n\nnotes.md\n```md\n# Notes\n\nthe dog sat\non the mat\n... existing lines ...\n```\n",
    "whole": f"All of it:\n\nnotes.md\n```md\n{AFTER}```\n",
}

SAID = {name: ("--format", name) for name in REPLIES} | {"whole": ("--format", "whole", "--overwrite")}

REFUSED = [
    ("nothing of a patch", "I changed the cat.\n", "", "malformed-patch"),
    ("nothing at all", "", "", "malformed-patch"),
    ("a part that is not closed", "notes.md\n" + SIDES.replace(">>>>>>> REPLACE\n", ""), "", "malformed-patch"),
    ("parts in two formats", f"{V4A}\nnotes.md\n{SIDES}", "", "malformed-patch"),
    ("another format than was said", DIFF, "--format v4a", "malformed-patch"),
    ("a format that is none", DIFF, "--format udif", "bad-request"),
    ("words and a fence for a strict caller", FENCED, "--strict", "malformed-patch"),
    ("no file, in the reply or beside it", SIDES, "", "bad-request"),
    ("a file outside", DIFF.replace("notes.md", "../notes.md"), "", "outside-root"),
    ("a file of git", DIFF.replace("notes.md", ".git/config"), "", "protected-path"),
    ("a new file over another", ADDED, "", "exists-already"),
    ("a whole file for one that was never read", REPLIES["whole"], "--format whole", "stale-source"),
    ("a snippet whose lines are nowhere", "notes.md\n```\nx = 1\n# ... existing code ...\n```\n", "", "no-match"),
    ("a good file and a bad one", DIFF + DIFF.replace("notes.md", "app.py"), "", "no-match"),
    ("a misquotation where none is allowed", DIFF.replace("-the cat", "-the  cat"), "--tier exact", "no-match"),
    ("bytes that are no UTF-8", b"\xff", "", "bad-request"),
]


@table(("reply", "options", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_applied_changes_no_file(shell: Shell, reply: str | bytes, options: str, kind: str) -> None:
    assert shell.kind("apply", *options.split(), stdin=reply) == kind
    if options != "--strict":
        assert shell.kind("convert", *options.split(), stdin=reply) == kind


def test_every_dialect_has_a_reply_here() -> None:
    assert set(REPLIES) == {dialect.name for dialect in dialects()}


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_is_applied_from_a_file_and_from_a_pipe(shell: Shell, tmp_path: Path, name: str) -> None:
    (tmp_path / "reply.md").write_text(REPLIES[name])
    for arguments, stdin in (([str(tmp_path / "reply.md")], None), (["-"], REPLIES[name]), ([], REPLIES[name])):
        receipt = shell.json("apply", *arguments, stdin=stdin)["receipt"]
        assert receipt["format"] == name
        assert shell.tree() == {"notes.md": AFTER.encode(), "app.py": APP.encode()}
        shell.ok("undo", receipt["id"])
        assert shell.text("notes.md") == NOTES


@pytest.mark.parametrize("name", REPLIES)
def test_saying_the_format_gives_the_same(shell: Shell, name: str) -> None:
    shell.ok("apply", *SAID[name], stdin=REPLIES[name])
    assert shell.text("notes.md") == AFTER


@pytest.mark.parametrize("name", REPLIES)
def test_a_preview_answers_and_writes_nothing(shell: Shell, name: str) -> None:
    assert "would edit notes.md line 3" in shell.ok("apply", "--dry-run", stdin=REPLIES[name])
    assert shell.json("apply", "--dry-run", stdin=REPLIES[name])["receipt"]["id"] is None
    assert shell.text("notes.md") == NOTES
    assert not (shell.root / ".steadyhand").exists()


def test_a_person_sees_the_diff_the_files_the_format_and_the_way_back(shell: Shell) -> None:
    result = shell.run("apply", stdin=FENCED)
    assert "-the cat sat\n+the dog sat\n" in result.stdout
    assert "edited notes.md line 3 · undo with: steadyhand undo " in result.stdout
    assert "note: read as unified\n" in result.stdout
    assert "line 3 of the reply: a code fence around the patch" in result.output


def test_several_files_are_one_change(shell: Shell) -> None:
    reply = (
        DIFF + "--- /dev/null\n+++ b/docs/new.md\n@@ -0,0 +1 @@\n+new\n--- a/app.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n"
    )
    answer = shell.ok("apply", "--quiet", stdin=reply + "-x = 1\n-y = 2\n-x = 1\n")
    assert [line.split()[0] for line in answer.splitlines()] == ["edited", "created", "deleted", "note:", "undo"]
    assert shell.tree() == {"notes.md": AFTER.encode(), "docs/new.md": b"new\n"}
    shell.ok("undo", "--last")
    assert shell.tree() == {"notes.md": NOTES.encode(), "app.py": APP.encode()}


def test_the_document_names_the_format_and_what_was_left_out(shell: Shell) -> None:
    document = shell.json("apply", "--reason", "it barks", stdin=FENCED)
    receipt = document["receipt"]
    assert (document["ok"], receipt["ok"], receipt["format"]) == (True, True, "unified")
    assert [(file["path"], file["status"]) for file in receipt["files"]] == [("notes.md", "edited")]
    assert [(outcome["applied"], outcome["lines"]) for outcome in receipt["outcomes"]] == [(True, [3, 3])]
    assert any("line 3 of the reply: a code fence" in warning for warning in receipt["warnings"])
    assert shell.json("show", receipt["id"])["entry"]["reason"] == "it barks"


def test_path_is_the_file_of_a_reply_that_names_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.root / ".git").mkdir()
    (shell.root / "docs").mkdir()
    monkeypatch.chdir(shell.root / "docs")
    shell.ok("apply", "--path", "../notes.md", stdin=SIDES)
    assert shell.text("notes.md") == AFTER


def test_a_name_in_the_reply_goes_before_path(shell: Shell) -> None:
    shell.ok("apply", "--path", "app.py", stdin=DIFF)
    assert shell.tree() == {"notes.md": AFTER.encode(), "app.py": APP.encode()}


def test_overwrite_lets_a_new_file_take_the_place_of_another(shell: Shell) -> None:
    shell.ok("apply", "--overwrite", stdin=ADDED)
    assert shell.text("app.py") == "z = 3\n"
    shell.ok("undo", "--last")
    assert shell.text("app.py") == APP


def test_a_strict_caller_takes_the_patch_and_nothing_else(shell: Shell) -> None:
    shell.ok("apply", "--strict", stdin=DIFF)
    assert shell.text("notes.md") == AFTER


def test_a_diff_of_a_page_with_fences_is_no_contamination(shell: Shell) -> None:
    (shell.root / "page.md").write_text("```sh\nls\n```\n<b>end</b>\n")
    reply = "--- a/page.md\n+++ b/page.md\n@@ -1,4 +1,4 @@\n ```sh\n-ls\n+ls -l\n ```\n <b>end</b>\n"
    shell.ok("apply", "--strict", stdin=reply)
    assert shell.text("page.md") == "```sh\nls -l\n```\n<b>end</b>\n"


def test_a_refusal_of_the_reply_shows_where_and_what_to_send(shell: Shell) -> None:
    error = shell.refused("apply", stdin="notes.md\n" + SIDES.replace(">>>>>>> REPLACE\n", ""))
    assert (error["details"]["line"], error["details"]["column"]) == (2, 1)
    assert error["details"]["format"] == "search-replace"
    assert set(error["details"]["tried"]) == set(REPLIES)
    answer = shell.run("apply", stdin="notes.md\n" + SIDES.replace(">>>>>>> REPLACE\n", "")).stderr
    assert "malformed-patch: line 2, column 1 of the reply: " in answer
    assert "  format: search-replace\n" in answer
    assert "unified, v4a, json, lazy, whole: nothing" in answer
    assert answer.index("hint: ") < answer.index("for example:\n") < answer.index("    >>>>>>> REPLACE\n")


def test_an_example_is_shown_once_and_ends_where_it_ends(shell: Shell) -> None:
    for reply, options in (("hello", ()), (FENCED, ("--strict",)), ("notes.md\n" + SIDES[:30], ())):
        rows = shell.run("apply", *options, stdin=reply).stderr.splitlines()
        assert rows[-1].strip()
        assert len([row for row in rows if row.lstrip().startswith("+++ ")]) <= 1
        assert not [row for row in rows if row.rstrip() == "  |"]


def test_a_refusal_names_everything_that_has_to_change(shell: Shell) -> None:
    reply = DIFF.replace("-the cat sat", "-nowhere") + DIFF.replace("notes.md", "none.md")
    error = shell.refused("apply", stdin=reply)
    assert [(other["path"], other["kind"]) for other in error["details"]["also"]] == [("none.md", "no-such-file")]
    answer = shell.run("apply", stdin=reply).stderr
    assert answer.startswith("no-match: ")
    assert '  also: no-such-file: there is no file "none.md"\n' in answer


ADVICE = [
    (SIDES, "--path FILE"),
    (f"{V4A}\nnotes.md\n{SIDES}", "--format v4a"),
    (ADDED, "--overwrite"),
    ('{"files": [{"path": "notes.md", "write": "new\\n"}]}', "--overwrite"),
    ('{"files": [{"path": "long.md", "write": "x\\n"}]}', "steadyhand write --allow-shrink"),
]


@pytest.mark.parametrize(("reply", "option"), ADVICE)
def test_the_hint_can_be_typed(shell: Shell, reply: str, option: str) -> None:
    (shell.root / "long.md").write_text("".join(f"line {n}\n" for n in range(200)))
    answer = shell.run("apply", *(["--overwrite"] if "long.md" in reply else []), stdin=reply).stderr
    assert option in answer.split("hint: ")[1]
    assert not [spelling for spelling in ("path=", "format=", "overwrite=") if spelling in answer]


def test_a_version_that_is_not_there_is_not_overwritten_by_advice(shell: Shell) -> None:
    plan = '{"files": [{"path": "notes.md", "write": "new\\n", "expect": "0123456789abcdef"}]}'
    assert "--overwrite" not in shell.run("apply", stdin=plan).stderr


FOREIGN = [
    '{"reason": "it barks", "path": "notes.md", "old_string": "cat", "new_string": "dog"}',
    '{"files": [{"path": "notes.md", "old_string": "cat", "new_string": "dog"}]}',
    '{"files": [{"path": "notes.md", "edits": [{"old_string": "cat", "new_string": "dog"}]}]}',
]


@pytest.mark.parametrize("reply", FOREIGN)
def test_json_that_only_begins_like_a_plan_is_read_as_a_reply(shell: Shell, reply: str) -> None:
    assert shell.json("apply", stdin=reply)["receipt"]["format"] == "json"
    assert shell.text("notes.md") == AFTER


NO_PLANS = [
    ('{"files": [{"path": "notes.md", "edits": [{"target": "cat", "nwe": "dog"}]}]}', "did you mean 'new'?"),
    ('{"files": [{"path": "notes.md", "edit": [{"target": "cat", "new": "dog"}]}]}', "did you mean 'edits'?"),
    ('{"files": [{"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}], "expct": "0"}]}', "'expect'"),
    ('{"files": [{"path": "notes.md", "edits": [{"target": "cat", "new": "dog" "reason": "x"}]}]}', "fix the plan"),
    ('{"files": [{"path": "notes.md", "edits": [{"target": "cat", "new": "a", "new": "b"}]}]}', "fix the plan"),
]


@pytest.mark.parametrize(("plan", "hint"), NO_PLANS)
def test_a_plan_with_a_mistake_is_refused_as_a_plan(shell: Shell, plan: str, hint: str) -> None:
    error = shell.refused("apply", stdin=plan)
    assert error["kind"] == "bad-request"
    assert hint in error["hint"]


def test_a_plan_is_no_format_and_may_be_partial(shell: Shell) -> None:
    edits = [{"path": name, "edits": [{"target": "cat", "new": "dog"}]} for name in ("notes.md", "app.py")]
    result = shell.run("--json", "apply", stdin=json.dumps({"files": edits, "partial": True, "reason": "both"}))
    document = json.loads(result.stdout)
    assert (document["ok"], document["error"]["kind"]) == (False, "no-match")
    assert "format" not in document["receipt"]
    assert "read as" not in shell.ok("apply", "--dry-run", stdin=json.dumps({"files": edits[:1]}).replace("cat", "mat"))
    assert shell.text("notes.md") == AFTER


WRITTEN = [dialect.name for dialect in dialects() if dialect.write is not None]
ROWS = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"
CHANGES = {
    "notes.md": (NOTES, AFTER + "\nThe end, żółw 猫\n"),
    "twice.py": (ROWS, ROWS.replace("def b():\n    return 1", "def b():\n    return 2")),
    "crlf.txt": ("one\r\ntwo\r\nthree\r\n", "one\r\n2\r\nthree\r\n"),
    "docs/new.md": (None, "new\n\nlines\n"),
}


def furnish(shell: Shell) -> str:
    """Lays the files before, and gives the dullest diff that makes them the files after."""
    for name, (before, _) in CHANGES.items():
        if before is not None:
            (shell.root / name).write_bytes(before.encode())
    return "".join(dull_diff(name, before or "", after) for name, (before, after) in CHANGES.items())


def dull_diff(path: str, before: str, after: str) -> str:
    """Every line taken away, every line put in."""
    sides = [text.splitlines(keepends=True) for text in (before, after)]
    counts = [f"{1 if rows else 0},{len(rows)}" for rows in sides]
    head = f"--- {f'a/{path}' if before else '/dev/null'}\n+++ b/{path}\n@@ -{counts[0]} +{counts[1]} @@\n"
    body = "".join(f"{sign}{row}" for sign, rows in zip("-+", sides, strict=True) for row in rows)
    return head + body + ("" if body.endswith("\n") else "\n\\ No newline at end of file\n")


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_converted_is_applied_with_the_same_result(shell: Shell, name: str) -> None:
    reply = furnish(shell)
    before = shell.tree()
    written = shell.run("convert", "--to", name, stdin=reply)
    assert written.exit_code == 0, written.stderr
    assert shell.tree() == before
    shell.ok("apply", "--strict", *SAID[name], stdin=written.stdout_bytes)
    assert shell.tree() == {**before, **{path: after.encode() for path, (_, after) in CHANGES.items()}}


def test_what_a_format_cannot_say_is_refused_with_one_that_can(shell: Shell) -> None:
    reply = dull_diff("notes.md", NOTES, "no newline at the end")
    error = shell.refused("convert", "--to", "v4a", stdin=reply)
    assert error["kind"] == "bad-request"
    assert "unified" in error["hint"]
    shell.ok("apply", stdin=shell.run("convert", "--to", "unified", stdin=reply).stdout_bytes)
    assert shell.text("notes.md") == "no newline at the end"


def test_a_converted_diff_applies_with_git(shell: Shell) -> None:
    patch = shell.run("convert", stdin=furnish(shell)).stdout_bytes
    subprocess.run(["git", "apply", "-"], input=patch, cwd=shell.root, check=True)
    for path, (_, after) in CHANGES.items():
        assert (shell.root / path).read_bytes() == after.encode()


def test_the_document_of_a_conversion_has_the_text_and_what_was_left_out(shell: Shell) -> None:
    document = shell.json("convert", "--to", "v4a", stdin=FENCED)
    assert (document["format"], document["read"]) == ("v4a", "unified")
    assert document["text"] == shell.run("convert", "--to", "v4a", stdin=FENCED).stdout
    assert any("a code fence" in warning for warning in document["warnings"])


def test_a_conversion_leaves_no_trace(shell: Shell) -> None:
    shell.ok("convert", stdin=FENCED)
    assert shell.tree() == {"notes.md": NOTES.encode(), "app.py": APP.encode()}
    assert not (shell.root / ".steadyhand").exists()


@pytest.mark.parametrize("name", ["auto", "whole file", "json5"])
def test_a_format_that_cannot_be_written_is_refused(shell: Shell, name: str) -> None:
    error = shell.refused("convert", "--to", name, stdin=DIFF)
    assert error["kind"] == "bad-request"
    assert all(known in error["message"] for known in WRITTEN)


def test_secrets_are_not_converted(shell: Shell) -> None:
    (shell.root / ".env").write_text("TOKEN=1\n")
    reply = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-TOKEN=1\n+TOKEN=2\n"
    for options in ((), ("--allow", ".env")):
        assert shell.kind("convert", *options, stdin=reply) == "protected-path"
    assert "TOKEN" not in shell.ok("apply", "--allow", ".env", stdin=reply)


def test_a_pipe_gets_the_bytes_and_a_terminal_what_is_harmless(shell: Shell) -> None:
    (shell.root / "odd.txt").write_bytes(b"one\ntwo \x1b[2J\n")
    (shell.root / "odd.diff").write_bytes(b"--- a/odd.txt\n+++ b/odd.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two \x1b[2J\n")
    for name in WRITTEN:
        piped = shell.run("convert", "odd.diff", "--to", name).stdout
        seen = _on_terminal(shell, "convert", "odd.diff", "--to", name, "--color", "never")
        assert "\x1b" not in seen
        if name != "json":
            assert "\x1b[2J" in piped
            assert "\\x1b[2J" in seen


def _on_terminal(shell: Shell, *arguments: str) -> str:
    ours, theirs = pty.openpty()
    process = shell.process(*arguments, environ={"TERM": "xterm"}, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 65536):
            seen += data
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.communicate(timeout=300)
    return seen.decode()


@pytest.mark.parametrize("command", ["apply", "convert"])
def test_help_names_every_format(shell: Shell, command: str) -> None:
    answer = " ".join(shell.ok(command, "--help").split()).replace("- ", "-")
    assert f"One of auto (default), {', '.join(REPLIES)}." in answer
