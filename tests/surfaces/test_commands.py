"""Each command does what it says, and refuses what it must, in process."""

from __future__ import annotations

import hashlib
import json
import os
import stat

import pytest

from tests.surfaces.conftest import APP, NOTES
from tests.surfaces.shell import Shell
from tests.table import table

PLAN = {"files": [{"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}]}]}
STALE = "0123456789abcdef"

REFUSED = [
    ("bad-request", "edit notes.md --old cat"),
    ("bad-request", "edit notes.md --new dog"),
    ("bad-request", "edit notes.md --old cat --lines 1:2 --new dog"),
    ("bad-request", "edit notes.md --old cat --old-file x --new dog"),
    ("bad-request", "edit notes.md --old-file - --new-file -"),
    ("bad-request", "edit notes.md --old-file missing --new dog"),
    ("bad-request", "edit notes.md --old cat --new dog --all --first"),
    ("bad-request", "edit notes.md --old cat --new dog --nth 0"),
    ("bad-request", "edit notes.md --old cat --new dog --expected 0"),
    ("bad-request", "edit notes.md --old cat --new dog --occurrence third"),
    ("bad-request", "edit notes.md --old cat --new dog --expect abc"),
    ("bad-request", "edit notes.md --lines 2-3 --new dog"),
    ("bad-request", "edit notes.md --lines : --new dog"),
    ("bad-request", "edit notes.md --anchor 12 --new dog"),
    ("bad-request", "edit notes.md --old cat --new dog --encoding klingon"),
    ("bad-request", "edit"),
    ("bad-request", "edit a b --old cat --new dog"),
    ("bad-request", "edti notes.md"),
    ("bad-request", "--colour never log"),
    ("bad-request", "--color blue log"),
    ("bad-request", "insert notes.md text"),
    ("bad-request", "insert notes.md text --before cat --after mat"),
    ("bad-request", "insert notes.md text --text-file x --before cat"),
    ("bad-request", "insert notes.md text --line -2"),
    ("bad-request", "edit notes.md --lines 2:1 --new dog"),
    ("bad-request", "delete notes.md --lines 2:1"),
    ("bad-request", "diff notes.md --lines 2:1 --new dog"),
    ("out-of-bounds", "insert notes.md text --line 99"),
    ("bad-request", "delete notes.md"),
    ("bad-request", "delete notes.md --file --old cat"),
    ("bad-request", "write notes.md --text a --from-file b"),
    ("bad-request", "write new.md --text a --mode 999"),
    ("bad-request", "write new.md --text a --mode 644 --overwrite"),
    ("bad-request", "chmod notes.md rwx"),
    ("bad-request", "undo"),
    ("bad-request", "undo --last --task T"),
    ("bad-request", "undo 0123456789ab --last"),
    ("bad-request", "diff"),
    ("bad-request", "diff notes.md"),
    ("bad-request", "diff notes.md --task T"),
    ("bad-request", "diff --old cat --new dog"),
    ("bad-request", "read notes.md --raw --json"),
    ("bad-request", "log --limit 0"),
    ("bad-request", "gc --keep-size big"),
    ("bad-request", "gc --keep-days -1"),
    ("bad-request", "completion tcsh"),
    ("no-such-file", "apply missing.json"),
    ("no-match", "edit notes.md --old bird --new dog"),
    ("ambiguous-match", "edit app.py --old x --new z"),
    ("count-mismatch", "edit app.py --old x --new z --all --expected 3"),
    ("no-change", "edit notes.md --old cat --new cat"),
    ("no-match", "edit notes.md --old dog --new cat"),
    ("stale-source", f"edit notes.md --old cat --new dog --expect {STALE}"),
    ("stale-source", f"delete notes.md --file --expect {STALE}"),
    ("stale-source", "write notes.md --text new"),
    ("stale-source", "edit notes.md --anchor 1#000 --new dog"),
    ("out-of-bounds", "edit notes.md --lines 9:9 --new dog"),
    ("out-of-bounds", "read notes.md --lines 9:"),
    ("out-of-bounds", "why notes.md:9"),
    ("out-of-bounds", "why notes.md:0"),
    ("no-such-file", "edit missing.md --old cat --new dog"),
    ("no-such-file", "read missing.md"),
    ("no-such-file", "show 0123456789ab"),
    ("no-such-file", "undo 0123456789ab"),
    ("no-such-file", "--root missing log"),
    ("outside-root", "edit ../notes.md --old cat --new dog"),
    ("outside-root", "read /etc/hostname"),
    ("outside-root", "rename notes.md ../notes.md"),
    ("exists-already", "rename notes.md app.py"),
    ("exists-already", "write notes.md --text new --mode 644"),
    ("protected-path", "write .git/config --text x"),
    ("protected-path", "write .env --text x"),
    ("cannot-undo", "undo --last"),
    ("cannot-undo", "redo"),
    ("read-only", "--read-only edit notes.md --old cat --new dog"),
    ("not-installed", "--journal klingon://host/db edit notes.md --old cat --new dog"),
]


@table(("kind", "command"), REFUSED, ids=[command for _, command in REFUSED])
def test_refused(shell: Shell, kind: str, command: str) -> None:
    assert shell.kind(*command.split()) == kind


@table(
    ("plan", "kind"),
    [
        ("", "malformed-patch"),
        ("{", "malformed-patch"),
        ("[]", "malformed-patch"),
        ('{"files": []}', "bad-request"),
        ('{"files": [], "files": []}', "bad-request"),
        ('{"files": NaN}', "bad-request"),
        ('{"files": ' + "9" * 5000 + "}", "bad-request"),
        ("[" * 100_000, "malformed-patch"),
        ('{"files": ' + "[" * 100_000, "too-large"),
        ('{"files": [{"path": "notes.md", "edit": []}]}', "bad-request"),
        ('{"files": [{"path": "notes.md", "edits": [{"target": "cat", "new": "\\ud800"}]}]}', "unencodable"),
        ("\udcff", "bad-request"),
    ],
)
def test_a_plan_that_is_not_one_is_refused(shell: Shell, plan: str, kind: str) -> None:
    assert shell.kind("apply", stdin=plan.encode("utf-8", "surrogateescape")) == kind


def test_broken_json_is_refused_with_its_place(shell: Shell) -> None:
    error = shell.refused("apply", stdin='{"files": [\n  {"path": }\n]}')
    assert error["details"] == {"line": 2, "column": 12}


def test_edit(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog")
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


def test_edit_takes_its_texts_from_files_and_standard_input(shell: Shell, tmp_path) -> None:
    (tmp_path / "old").write_text("the cat")
    shell.ok("edit", "notes.md", "--old-file", str(tmp_path / "old"), "--new-file", "-", stdin="no cat\nat all: it")
    assert shell.text("notes.md") == NOTES.replace("the cat", "no cat\nat all: it")


def test_texts_are_literal(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", r"\1 $& \g<0> %s {x}")
    assert r"the \1 $& \g<0> %s {x} sat" in shell.text("notes.md")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--all"], "z = 1\ny = 2\nz = 1\n"),
        (["--all", "--expected", "2"], "z = 1\ny = 2\nz = 1\n"),
        (["--first"], "z = 1\ny = 2\nx = 1\n"),
        (["--last"], "x = 1\ny = 2\nz = 1\n"),
        (["--nth", "2"], "x = 1\ny = 2\nz = 1\n"),
        (["--occurrence", "1"], "z = 1\ny = 2\nx = 1\n"),
    ],
)
def test_which_occurrence(shell: Shell, options: list[str], expected: str) -> None:
    shell.ok("edit", "app.py", "--old", "x", "--new", "z", *options)
    assert shell.text("app.py") == expected


def test_an_anchor_from_read_names_a_line_for_edit(shell: Shell) -> None:
    anchors = shell.json("read", "notes.md", "--anchors")["anchors"]
    shell.ok("edit", "notes.md", "--anchor", f"{anchors[2]}:{anchors[3]}", "--new", "nothing here")
    assert shell.text("notes.md") == "# Notes\n\nnothing here\n"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (["--before", "cat"], "# Notes\n\nthe NEWcat sat\non the mat\n"),
        (["--after", "cat"], "# Notes\n\nthe catNEW sat\non the mat\n"),
        (["--line", "0"], "NEW\n# Notes\n\nthe cat sat\non the mat\n"),
        (["--line", "1"], "# Notes\nNEW\n\nthe cat sat\non the mat\n"),
        (["--line", "-1"], NOTES + "NEW\n"),
        (["--line", "4"], NOTES + "NEW\n"),
    ],
)
def test_insert(shell: Shell, where: list[str], expected: str) -> None:
    shell.ok("insert", "notes.md", "NEW", *where)
    assert shell.text("notes.md") == expected


@pytest.mark.parametrize("line", ["0", "-1"])
def test_insert_into_an_empty_file(shell: Shell, line: str) -> None:
    (shell.root / "empty.md").write_bytes(b"")
    shell.ok("insert", "empty.md", "--line", line, stdin="first\n")
    assert shell.text("empty.md") == "first\n"


def test_insert_by_anchor(shell: Shell) -> None:
    anchor = shell.json("read", "notes.md", "--anchors")["anchors"][0]
    shell.ok("insert", "notes.md", "NEW", "--anchor", anchor)
    assert shell.text("notes.md") == "# Notes\nNEW\n\nthe cat sat\non the mat\n"


def test_delete(shell: Shell) -> None:
    shell.ok("delete", "notes.md", "--old", "cat ")
    shell.ok("delete", "app.py", "--lines", "2:3")
    assert shell.tree() == {"notes.md": NOTES.replace("cat ", "").encode(), "app.py": b"x = 1\n"}
    shell.ok("delete", "app.py", "--file")
    assert "app.py" not in shell.tree()
    shell.ok("undo", "--file", "app.py")
    assert shell.text("app.py") == "x = 1\n"


def test_write(shell: Shell) -> None:
    shell.ok("write", "docs/new.md", stdin="new\n")
    assert shell.text("docs/new.md") == "new\n"
    digest = hashlib.sha256(NOTES.encode()).hexdigest()
    shell.ok("write", "notes.md", "--text", "all new\n", "--expect", digest)
    shell.ok("write", "app.py", "--text", "z\n", "--overwrite")
    assert shell.text("notes.md") == "all new\n"
    assert shell.text("app.py") == "z\n"


def test_write_gives_a_new_file_its_mode(shell: Shell) -> None:
    shell.ok("write", "run.sh", "--text", "#!/bin/sh\n", "--mode", "755")
    assert stat.S_IMODE((shell.root / "run.sh").stat().st_mode) == 0o755
    shell.ok("chmod", "run.sh", "600")
    assert stat.S_IMODE((shell.root / "run.sh").stat().st_mode) == 0o600


def test_bytes_are_written_as_they_are(shell: Shell) -> None:
    data = b"\xff\xfe\x00caf\xe9\r\n"
    assert shell.kind("write", "raw.bin", stdin=data) == "bad-request"
    shell.ok("write", "raw.bin", "--bytes", stdin=data)
    assert (shell.root / "raw.bin").read_bytes() == data


def test_read(shell: Shell) -> None:
    assert shell.ok("read", "notes.md") == NOTES
    assert shell.ok("read", "notes.md", "--lines", "3") == "the cat sat\n"
    assert shell.ok("read", "notes.md", "--lines", "3:", "-n") == "3  the cat sat\n4  on the mat\n"
    document = shell.json("read", "notes.md", "--lines", ":1")
    assert document["text"] == "# Notes\n"
    assert document["digest"] == hashlib.sha256(NOTES.encode()).hexdigest()
    assert (document["encoding"]["name"], document["newline"], document["line_count"]) == ("utf-8", "LF", 4)


def test_read_raw_gives_the_bytes(shell: Shell) -> None:
    data = "\ufeffa\r\n\x1b[31mb\u202e".encode()
    (shell.root / "odd.txt").write_bytes(data)
    assert shell.run("read", "odd.txt", "--raw").stdout_bytes == data
    assert shell.ok("read", "odd.txt") == "a\n\\x1b[31mb\\u202e\n"


def test_an_empty_file_is_read(shell: Shell) -> None:
    (shell.root / "empty.md").write_bytes(b"")
    assert shell.ok("read", "empty.md") == ""
    assert shell.json("read", "empty.md")["text"] == ""


@pytest.mark.parametrize(
    "command",
    [
        "edit notes.md --old cat --new dog --dry-run",
        "diff notes.md --old cat --new dog",
        "insert notes.md NEW --line 1 --dry-run",
        "delete notes.md --old cat --dry-run",
        "delete notes.md --file --dry-run",
        "write new.md --text x --dry-run",
        "rename notes.md b.md --dry-run",
        "chmod notes.md 600 --dry-run",
    ],
)
def test_a_preview_answers_and_writes_nothing(shell: Shell, command: str) -> None:
    before = shell.tree()
    assert shell.ok(*command.split())
    document = shell.json(*command.split())
    assert document["receipt"]["id"] is None
    assert shell.tree() == before
    assert not (shell.root / ".steadyhand").exists()


def test_raw_diff_applies_with_git(shell: Shell) -> None:
    import subprocess

    (shell.root / "crlf.txt").write_bytes(b"one\r\ntwo\x1b\r\n")
    patch = shell.run("diff", "crlf.txt", "--old", "one", "--new", "1", "--raw").stdout_bytes
    subprocess.run(["git", "apply", "-"], input=patch, cwd=shell.root, check=True)
    assert (shell.root / "crlf.txt").read_bytes() == b"1\r\ntwo\x1b\r\n"


def test_apply(shell: Shell) -> None:
    plan = {"files": [*PLAN["files"], {"path": "new.md", "create": "new\n"}], "reason": "both"}
    receipt = shell.json("apply", stdin=json.dumps(plan))["receipt"]
    assert [file["status"] for file in receipt["files"]] == ["edited", "created"]
    assert shell.json("show", receipt["id"])["entry"]["reason"] == "both"


def test_a_plan_may_be_a_file(shell: Shell, tmp_path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    shell.ok("apply", str(tmp_path / "plan.json"), "--dry-run")
    assert shell.text("notes.md") == NOTES
    shell.ok("apply", str(tmp_path / "plan.json"))
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


def test_partial_success_is_not_success(shell: Shell) -> None:
    plan = {"files": [*PLAN["files"], {"path": "app.py", "edits": [{"target": "q", "new": "r"}]}], "partial": True}
    result = shell.run("--json", "apply", stdin=json.dumps(plan))
    document = json.loads(result.stdout)
    assert (document["ok"], document["error"]["kind"], result.exit_code) == (False, "no-match", 10)
    assert [file["path"] for file in document["receipt"]["files"]] == ["notes.md"]
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")
    assert shell.text("app.py") == APP


def test_undo_and_redo(shell: Shell) -> None:
    record = shell.json("edit", "notes.md", "--old", "cat", "--new", "dog")["receipt"]["id"]
    shell.ok("undo", record[:6])
    assert shell.text("notes.md") == NOTES
    shell.ok("redo")
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")
    shell.ok("undo", "--last", "--dry-run")
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


def test_the_way_back_names_the_root_and_the_journal_it_needs(shell: Shell, tmp_path) -> None:
    journal = str(tmp_path / "a journal")
    said = shell.ok("--root", str(shell.root), "--journal", journal, "edit", "notes.md", "--old", "cat", "--new", "dog")
    assert f"undo with: steadyhand --root {shell.root} --journal '{journal}' undo " in said
    assert not (shell.root / ".steadyhand").exists()


def test_undo_of_a_task_and_its_diff(shell: Shell) -> None:
    shell.ok("--task", "T-1", "edit", "notes.md", "--old", "cat", "--new", "dog")
    shell.ok("edit", "notes.md", "--old", "mat", "--new", "sofa")
    shell.ok("edit", "app.py", "--old", "y", "--new", "why", "--task", "T-1")
    diff = shell.ok("diff", "--task", "T-1")
    assert "+the dog sat" in diff
    assert "+why = 2" in diff
    assert "-on the mat" not in diff
    assert [entry["task"] for entry in shell.json("log", "--task", "T-1")["entries"]] == ["T-1", "T-1"]
    shell.ok("undo", "--task", "T-1")
    assert shell.text("notes.md") == NOTES.replace("mat", "sofa")
    assert shell.text("app.py") == APP


def test_who_and_why_are_kept(shell: Shell) -> None:
    shell.ok(
        "edit", "notes.md", "--old", "cat", "--new", "dog", "--reason", "it barks", "--actor", "grace", "--task", "T"
    )
    entry = shell.json("log", "notes.md")["entries"][0]
    assert (entry["actor"], entry["task"], entry["reason"], entry["tool"]) == ("grace", "T", "it barks", "cli")
    why = shell.json("why", "notes.md:3")["lines"][0]
    assert (why["actor"], why["task"], why["reason"], why["record"]) == ("grace", "T", "it barks", entry["id"])
    assert "it barks" in shell.ok("why", "notes.md:3")
    assert "it barks" in shell.ok("show", entry["id"])
    assert "it barks" in shell.ok("log")
    assert [line["since"] for line in shell.json("why", "notes.md")["lines"]] == [
        "before-journal",
        "before-journal",
        "record",
        "before-journal",
    ]


def test_check_and_gc_and_doctor(shell: Shell) -> None:
    assert "sound" in shell.ok("check")
    shell.ok("write", "notes.md", "--text", "new\n", "--overwrite")
    assert shell.json("check")["records_checked"] == 1
    assert shell.json("gc", "--keep-days", "0", "--dry-run")["preview"] is True
    assert shell.json("gc", "--keep-size", "0")["kept_images"] == 0
    assert shell.json("check")["ok"] is True
    assert shell.json("doctor")["facts"]["sqlite"]
    assert "openat2" in shell.ok("doctor")


def test_check_tells_what_somebody_else_changed(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog")
    (shell.root / "notes.md").write_text("mine\n")
    assert [drift["path"] for drift in shell.json("check")["drifted"]] == ["notes.md"]
    assert "changed outside: notes.md" in shell.ok("check")


def test_files_count_from_the_current_directory(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.root / "docs").mkdir()
    (shell.root / ".git").mkdir()
    (shell.root / "docs/a.md").write_text("a cat\n")
    monkeypatch.chdir(shell.root / "docs")
    shell.ok("edit", "a.md", "--old", "cat", "--new", "dog")
    shell.ok("edit", "../notes.md", "--old", "cat", "--new", "dog")
    assert shell.text("docs/a.md") == "a dog\n"
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")
    assert (shell.root / ".steadyhand").is_dir()
    assert not (shell.root / "docs/.steadyhand").exists()


def test_configuration_opens_protected_paths_and_names_the_actor(shell: Shell, tmp_path) -> None:
    config = tmp_path / "config/steadyhand/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'actor = "grace"\n[roots."{shell.root}"]\nallow = [".vscode/**"]\n')
    shell.ok("write", ".vscode/settings.json", "--text", "{}\n")
    assert shell.json("log")["entries"][0]["actor"] == "grace"
    assert shell.kind("write", ".idea/x.xml", "--text", "x") == "protected-path"
    shell.ok("--allow", ".idea/**", "write", ".idea/x.xml", "--text", "x")


def test_a_configuration_inside_the_root_opens_nothing(shell: Shell) -> None:
    (shell.root / "config.toml").write_text('allow = ["**"]')
    assert shell.kind("--config", "config.toml", "write", ".vscode/x", "--text", "x") == "not-allowed"


def test_retention_comes_from_the_configuration(shell: Shell, tmp_path) -> None:
    config = tmp_path / "keep.toml"
    config.write_text("[retention]\nkeep_size = 0\n")
    shell.ok("write", "notes.md", "--text", "new\n", "--overwrite")
    assert shell.json("gc")["dropped_images"] == 0
    assert shell.json("--config", str(config), "gc")["kept_images"] == 0


def test_read_only_leaves_no_trace(shell: Shell) -> None:
    for command in ("read notes.md", "log", "why notes.md", "check", "doctor", "diff notes.md --old cat --new dog"):
        shell.ok("--read-only", *command.split())
    assert not (shell.root / ".steadyhand").exists()


def test_a_file_with_several_names_is_changed_only_as_the_host_says(shell: Shell) -> None:
    twin = shell.root.parent / f"{shell.root.name}-twin.md"
    os.link(shell.root / "notes.md", twin)
    before = shell.text("notes.md")
    edit = ["edit", "notes.md", "--old", "cat", "--new", "dog"]
    call = ["call", "edit", json.dumps({"path": "notes.md", "edits": [{"old": "cat", "new": "dog"}]})]
    assert shell.kind(*edit) == "not-allowed"
    assert "--hardlinks" in shell.refused(*edit)["hint"]
    shell.ok(*edit, "--hardlinks", "in-place")
    assert twin.read_text() == shell.text("notes.md") != before
    assert shell.kind("undo", "--last") == "not-allowed"
    shell.ok("undo", "--last", "--hardlinks", "in-place")
    shell.ok("--hardlinks", "break", *call)
    assert (twin.read_text(), shell.text("notes.md")) == (before, before.replace("cat", "dog", 1))
