"""What is shown of files and changes: all that matters, no more than fits, nothing that is not so."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.commands.journal import check_lines
from steadyhand.surfaces.cli.refusal import error_lines
from steadyhand.surfaces.cli.render import check_document
from steadyhand.surfaces.terminal import LONGEST_LINE, Line, paint
from steadyhand.workspace.history.outside import CheckReport
from steadyhand.workspace.journal.log import Problem
from tests.surfaces.conftest import NOTES
from tests.surfaces.shell import SOURCE, Shell
from tests.table import table

MARK = b"\xef\xbb\xbf"


def shown(lines: list[Line]) -> list[str]:
    return list(paint(lines, color=False))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_file_of_any_size_is_shown_line_by_line(shell: Shell, ending: str) -> None:
    bodies = [f"line {n}" for n in range(30_000)]
    (shell.root / "big.txt").write_bytes(ending.join(bodies).encode())
    assert shell.ok("read", "big.txt").split("\n") == [*bodies, ""]
    assert shell.ok("read", "big.txt", "--lines", "25000:25001").split("\n") == [*bodies[24_999:25_001], ""]


def test_blank_lines_are_lines(shell: Shell) -> None:
    (shell.root / "blank.txt").write_bytes(b"\n\n")
    assert shell.ok("read", "blank.txt") == "\n\n"
    assert shell.ok("read", "blank.txt", "--lines", "1") == "\n"


def test_a_reader_that_wants_one_line_does_not_wait_for_all(shell: Shell) -> None:
    """Counted in processor time, so that a busy machine makes no difference."""
    (shell.root / "big.log").write_bytes(b"a line of a log that goes on and on\n" * 60_000)

    def cost(count: int) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with shell.process("read", "big.log") as process:
            assert process.stdout is not None
            for _ in range(count):
                process.stdout.readline()
            process.stdout.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert cost(1) < cost(60_000)


MEMORY = """
import resource, sys
from steadyhand.surfaces.cli.main import cli
try:
    cli.main(["read", sys.argv[1]])
except SystemExit:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak(shell: Shell, name: str) -> int:
    """Kilobytes a process needs at most to show a file."""
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", MEMORY, name]
    done = subprocess.run(command, cwd=shell.root, env=environ, capture_output=True, check=True)
    return int(done.stderr)


@pytest.mark.sweep
def test_reading_takes_little_more_memory_than_the_text(shell: Shell) -> None:
    (shell.root / "small.log").write_bytes(b"line\n")
    (shell.root / "big.log").write_bytes(b"a line of a log that goes on and on\n" * 500_000)
    assert (peak(shell, "big.log") - peak(shell, "small.log")) * 1024 < 4 * 18_000_000


def test_a_very_long_line_is_cut_for_people_and_whole_for_programs(shell: Shell) -> None:
    text = "x" * 100_000
    (shell.root / "long.txt").write_text(text + "\nnext\n")
    assert shell.ok("read", "long.txt") == f"{'x' * LONGEST_LINE}… 98,000 more characters\nnext\n"
    assert shell.json("read", "long.txt")["text"] == text + "\nnext\n"
    assert shell.run("read", "long.txt", "--raw").stdout == text + "\nnext\n"


def test_a_change_in_a_very_long_line_is_shown_with_its_surroundings(shell: Shell) -> None:
    (shell.root / "long.txt").write_text("x" * 50_000 + " old " + "y" * 50_000 + "\n")
    edit = ("diff", "long.txt", "--old", "old", "--new", "new")
    rows = shell.ok(*edit).splitlines()
    assert all(len(row) < LONGEST_LINE + 200 for row in rows)
    assert any(row.startswith("-") and "x old y" in row and "more characters" in row for row in rows)
    assert any(row.startswith("+") and "x new y" in row and "more characters" in row for row in rows)
    assert len(shell.run(*edit, "--raw").stdout) > 200_000


def test_a_very_long_fact_is_cut() -> None:
    rows = shown(error_lines(EditError(Kind.CONFLICT, "m" * 9_000, hint="h" * 9_000, details={"theirs": "t" * 9_000})))
    assert all(len(row) < LONGEST_LINE + 100 for row in rows)


@table("value", ["  two blanks", "\tone tab\n\tmore", "ends with blanks  ", "a\n\n  b\n"])
def test_a_fact_whose_blanks_count_can_be_copied(value: str) -> None:
    rows = shown(error_lines(EditError(Kind.NO_MATCH, "m", details={"old": value})))
    assert rows[1] == "  old:"
    assert "\n".join(row.removeprefix("  |") for row in rows[2:]) == value


def test_a_file_with_secrets_is_not_promised_back(shell: Shell) -> None:
    (shell.root / ".env").write_text("TOKEN=1\n")
    answer = shell.ok("--allow", ".env", "edit", ".env", "--old", "1", "--new", "2")
    assert "not undoable: content with secrets is not kept" in answer
    assert "undo with" not in answer


def test_a_change_with_secrets_among_others_says_which(shell: Shell) -> None:
    (shell.root / ".env").write_text("TOKEN=1\n")
    plan = (
        '{"files": [{"path": ".env", "edits": [{"target": "1", "new": "2"}]},'
        ' {"path": "notes.md", "edits": [{"target": "cat", "new": "dog"}]}]}'
    )
    answer = shell.ok("--allow", ".env", "apply", stdin=plan)
    assert "not undoable: content with secrets is not kept (.env)" in answer
    assert "undo with" not in answer
    assert shell.kind("--allow", ".env", "undo", "--last") == "cannot-undo"


def test_a_guessed_encoding_is_reported(shell: Shell) -> None:
    (shell.root / "old.txt").write_bytes("café été\n".encode("cp1252"))
    result = shell.run("read", "old.txt")
    assert result.stdout == "café été\n"
    assert "guessed; --encoding names another" in result.stderr
    encoding = shell.json("read", "old.txt")["encoding"]
    assert set(encoding) == {"name", "chosen_by"}
    assert f"read as {encoding['name']} " in result.stderr


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("café\n".encode(), []),
        ("café\n".encode("utf-16"), []),
        ("café\n".encode("cp1252"), ["--encoding", "cp1252"]),
        ("# coding: latin-1\ncafé\n".encode("latin-1"), []),
    ],
)
def test_an_encoding_that_was_given_is_not_called_a_guess(shell: Shell, data: bytes, options: list[str]) -> None:
    (shell.root / "text.py").write_bytes(data)
    result = shell.run("read", "text.py", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "café" in result.stdout


def test_bytes_that_are_no_text_are_reported(shell: Shell) -> None:
    (shell.root / "broken.txt").write_bytes("猫猫猫猫 ".encode() + b"\xff\xfe\n")
    assert "shown as escapes" in shell.run("read", "broken.txt").stderr


@pytest.mark.parametrize("place", ["--lines", "--anchor"])
def test_a_place_that_is_named_exactly_is_no_tolerant_match(shell: Shell, place: str) -> None:
    value = {"--lines": "3", "--anchor": shell.json("read", "notes.md", "--anchors")["anchors"][2]}[place]
    assert "note:" not in shell.ok("edit", "notes.md", place, value, "--new", "x")


def test_a_tolerant_match_is_reported(shell: Shell) -> None:
    (shell.root / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    assert "note: matched ignoring line endings" in shell.ok("edit", "crlf.txt", "--old", "one\ntwo", "--new", "1\n2")


def test_a_byte_order_mark_in_the_content_is_kept(shell: Shell, tmp_path) -> None:
    (tmp_path / "draft").write_bytes(MARK + b"new\n")
    shell.ok("write", "a.md", "--from-file", str(tmp_path / "draft"))
    shell.ok("write", "b.md", stdin=MARK + b"new\n")
    assert (shell.root / "a.md").read_bytes() == (shell.root / "b.md").read_bytes() == MARK + b"new\n"


def test_a_byte_order_mark_over_a_byte_order_mark_stays_one(shell: Shell) -> None:
    (shell.root / "a.md").write_bytes(MARK + b"old\n")
    shell.ok("write", "a.md", "--overwrite", stdin=MARK + b"new\n")
    assert (shell.root / "a.md").read_bytes() == MARK + b"new\n"


def test_a_byte_order_mark_is_no_part_of_a_text_to_find_or_to_put_in(shell: Shell, tmp_path) -> None:
    (tmp_path / "old").write_bytes(MARK + b"cat")
    (tmp_path / "new").write_bytes(MARK + b"dog")
    shell.ok("edit", "notes.md", "--old-file", str(tmp_path / "old"), "--new-file", str(tmp_path / "new"))
    assert shell.text("notes.md") == NOTES.replace("cat", "dog")


def test_content_that_is_no_utf8_is_refused_with_the_way_to_write_it(shell: Shell) -> None:
    hint = shell.refused("write", "a.md", stdin=b"caf\xe9\n")["hint"]
    assert "--bytes" in hint
    assert "--encoding" in hint
    assert "--encoding" in shell.refused("insert", "notes.md", "--line", "0", stdin=b"caf\xe9\n")["hint"]


def test_one_line_is_not_called_lines(shell: Shell) -> None:
    (shell.root / "one.md").write_text("one\n")
    assert "has 1 line;" in shell.refused("read", "one.md", "--lines", "2")["message"]


def test_who_did_it_reads_the_same_everywhere(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog", "--actor", "grace", "--task", "T-1")
    assert "grace · T-1" in shell.ok("log")
    assert "grace · T-1" in shell.ok("why", "notes.md:3")


def test_why_of_some_lines(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog")
    assert [line["line"] for line in shell.json("why", "notes.md:2-4")["lines"]] == [2, 3, 4]
    assert [line["line"] for line in shell.json("why", "notes.md:3-4")["lines"]] == [3, 4]
    assert [line["line"] for line in shell.json("why", "notes.md:3-3")["lines"]] == [3]
    assert shell.kind("why", "notes.md:3-9") == "out-of-bounds"


def test_the_way_back_of_an_undo_of_an_undo_is_an_undo(shell: Shell) -> None:
    shell.ok("edit", "notes.md", "--old", "cat", "--new", "dog")
    taken = shell.json("undo", "--last")["receipt"]["id"]
    answer = shell.ok("undo", taken)
    assert "undo with: steadyhand undo " in answer
    shell.ok(*answer.rpartition("steadyhand ")[2].split())
    assert shell.text("notes.md") == NOTES


def test_log_by_actor(shell: Shell) -> None:
    for actor, old, new in (("ada", "cat", "dog"), ("grace", "dog", "cow"), ("ada", "cow", "ox")):
        shell.ok("edit", "notes.md", "--old", old, "--new", new, "--actor", actor)
    assert [e["actor"] for e in shell.json("log", "--actor", "ada")["entries"]] == ["ada", "ada"]
    assert [e["actor"] for e in shell.json("log", "--actor", "grace", "--limit", "1")["entries"]] == ["grace"]
    assert [e["actor"] for e in shell.json("--actor", "ada", "log", "notes.md")["entries"]] == ["ada", "ada"]
    assert shell.json("log", "--actor", "nobody")["entries"] == []


def test_log_of_a_file(shell: Shell) -> None:
    assert shell.kind("log", "nothing.md") == "no-such-file"
    assert shell.json("log", "notes.md")["entries"] == []
    shell.ok("delete", "notes.md", "--file")
    assert len(shell.json("log", "notes.md")["entries"]) == 1
    assert shell.json("log", "notes.md", "--task", "other")["entries"] == []


REPORT = CheckReport(
    problems=(Problem(None, "set-aside", "a damaged journal was set aside"),),
    drifted=(),
    pending=(),
    files_checked=1,
    records_checked=1,
    notes=("two records were lost",),
)


def test_check_tells_journals_set_aside_and_notes() -> None:
    rows = shown(check_lines(REPORT))
    assert "set-aside: a damaged journal was set aside" in rows
    assert "note: two records were lost" in rows
    document = check_document(REPORT)
    assert document["notes"] == ["two records were lost"]
    assert document["problems"] == [{"kind": "set-aside", "seq": None, "message": "a damaged journal was set aside"}]
