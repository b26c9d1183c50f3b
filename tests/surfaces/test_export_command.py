"""`steadyhand export`: one event is one line, whatever its fields hold, and nothing can be slipped in."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.cli.commands.audit import trail_rows
from tests.surfaces.shell import Shell
from tests.table import table
from tests.workspace.journal.sample_records import behind_its_back

NASTY = '=cmd|\' /C calc\'!A0\n{"type":"forged"}\r\u2028\u2029\x85\x0b\x0c\x1b[2J\x7f\u202e,"'


@pytest.fixture
def busy(shell: Shell) -> Shell:
    """A record with a nasty reason, a plain one, and a refusal."""
    with sh.Workspace(shell.root, actor="ada") as ws:
        ws.edit("notes.md", [sh.Replace("cat", "dog", reason=NASTY)], reason=NASTY)
        ws.edit("app.py", [sh.Replace("y = 2", "y = 3", reason="three")])
        with ws.task("T-1") as task, pytest.raises(sh.EditError):
            task.edit("notes.md", [sh.Replace("absent", "x")])
    return shell


def lines_of(text: str) -> list[dict[str, Any]]:
    assert text.isascii()
    assert text == "" or text.endswith("\n")
    assert not any(character in text for character in "\r\x0b\x0c\x1b\x7f")
    return [json.loads(line) for line in text.split("\n")[:-1]]


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("bad-request", ("export", "--format", "xml")),
        ("bad-request", ("export", "--since", "soon")),
        ("bad-request", ("export", "--format", "csv")),  # with --json, as all of these are asked
        ("outside-root", ("export", "--path", "/etc")),
        ("disk-refused", ("export", "-o", "no/such/folder/x.jsonl")),
        ("protected-path", ("export", "-o", ".steadyhand/x.jsonl")),
        ("read-only", ("export", "--read-only", "-o", "x.jsonl")),
    ],
)
def test_what_cannot_be_exported_is_refused(busy: Shell, kind: str, arguments: tuple[str, ...]) -> None:
    assert busy.kind(*arguments) == kind


def test_an_empty_journal_is_no_line_and_no_trace(shell: Shell) -> None:
    assert shell.ok("export") == shell.ok("export", "--articles") == ""
    assert shell.ok("export", "--format", "csv").startswith('"type","seq","time","id",')
    assert shell.ok("export", "--articles", "--format", "csv").startswith('"jrn","path","status",')
    assert not (shell.root / ".steadyhand").exists()


def test_one_event_is_one_line_whatever_its_fields_hold(busy: Shell) -> None:
    answer = lines_of(busy.ok("export"))
    assert [each["type"] for each in answer] == ["transaction", "transaction", "refusal", "note"]
    assert answer[0]["reason"] == answer[0]["files"][0]["edits"][0]["reason"] == NASTY
    assert answer[0]["files"][0]["patch"].endswith("-the cat sat\n+the dog sat\n on the mat\n")


def test_each_line_seals_the_one_before(busy: Shell) -> None:
    rows = busy.ok("export").encode().split(b"\n")[:-1]
    assert json.loads(rows[0])["previous"] is None
    for before, row in pairwise(rows):
        assert json.loads(row)["previous"] == hashlib.sha256(before).hexdigest()
    document = busy.json("export", "-o", "audit.jsonl")
    assert (document["lines"], document["last"]) == (len(rows), hashlib.sha256(rows[-1]).hexdigest())


def test_lines_of_a_record_carry_the_seal_of_the_journal(busy: Shell) -> None:
    first = lines_of(busy.ok("export"))[0]
    with sh.Workspace(busy.root) as ws:
        row = next(iter(ws._store.journal.read_log())).row
    assert (first["seq"], first["checksum"], first["chain"]) == (row.seq, row.checksum.hex(), row.chain.hex())


def test_a_row_of_csv_is_one_line_and_no_formula(busy: Shell) -> None:
    text = busy.ok("export", "--format", "csv")
    rows = text.split("\n")[:-1]
    assert len(rows) == 5
    assert not any(character in text for character in "\r\x0b\x0c\x1b\x7f\x85\u2028\u2029\u202e")
    cells = list(csv.DictReader(io.StringIO(text)))
    assert cells[0]["reason"].startswith("'=cmd|")
    assert '\\n{"type":"forged"}\\r\\u2028' in cells[0]["reason"]
    assert (cells[1]["paths"], cells[1]["tiers"], cells[1]["reasons"]) == ("app.py", "exact", "three")
    assert cells[1]["patch"].startswith("'--- a/app.py\\n+++ b/app.py\\n")
    assert (cells[2]["type"], cells[2]["kind"], cells[2]["paths"]) == ("refusal", "no-match", "notes.md")


@table("start", ["=", "+", "-", "@", "\t=", "\r="])
def test_no_cell_starts_like_a_formula(start: str) -> None:
    head, row = trail_rows([{"type": "refusal", "actor": f"{start}1+1", "tool": f"{start}x", "path": f"{start}y"}])
    (cells,) = csv.DictReader(io.StringIO(f"{head.decode()}\n{row.decode()}\n"))
    assert all(not cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells.values())
    assert cells["actor"].lstrip("'").endswith("1+1")


def test_a_backslash_is_distinguished_from_an_escape() -> None:
    _, one, two = trail_rows([{"type": "x", "actor": "a\nb"}, {"type": "x", "actor": "a\\nb"}])
    assert one != two


def test_articles_are_a_line_each(busy: Shell) -> None:
    answer = lines_of(busy.ok("export", "--articles"))
    assert [(each["path"], each["status"]) for each in answer] == [("app.py", "updated"), ("notes.md", "updated")]
    assert answer[0]["hunkReasons"] == [{"hunk": "@@ -1,3 +1,3 @@", "reasons": ["three"]}]
    (only,) = lines_of(busy.ok("export", "--articles", "--task", "T-1"))
    assert (only["path"], only["status"], only["error"]["kind"]) == ("notes.md", "failed", "no-match")
    cells = list(csv.DictReader(io.StringIO(busy.ok("export", "--articles", "--format", "csv"))))
    assert [(each["path"], json.loads(each["editReasons"])[0]) for each in cells] == [
        ("app.py", "three"),
        ("notes.md", NASTY),
    ]


def test_a_part_can_be_asked_for(busy: Shell) -> None:
    first = busy.json("log")["entries"][-1]
    assert [each["type"] for each in lines_of(busy.ok("export", "--task", "T-1"))] == ["refusal", "note"]
    assert [each["type"] for each in lines_of(busy.ok("export", "--path", "notes.md"))] == ["transaction", "refusal"]
    assert len(lines_of(busy.ok("export", "--since", first["id"]))) == 3
    assert lines_of(busy.ok("export", "--since", "2999-01-01")) == []


def test_a_file_is_written_as_a_whole_or_not_at_all(busy: Shell, tmp_path: Path) -> None:
    target = tmp_path / "audit.jsonl"
    assert busy.ok("export", "-o", str(target)) == f"wrote 4 lines to {target}\n"
    whole = target.read_text(encoding="utf-8")
    assert whole == busy.ok("export") == busy.ok("export", "-o", "-")
    assert busy.run("export", "--since", "abcdefabcdef", "-o", str(target)).exit_code != 0
    assert target.read_text(encoding="utf-8") == whole
    assert not list(tmp_path.glob(".*")), "nothing unfinished is left"


def test_rows_that_cannot_be_read_are_left_out_with_a_warning(busy: Shell) -> None:
    behind_its_back(busy.root / ".steadyhand", ("UPDATE log SET body = ? WHERE seq = 3", (b"{}",)))
    result = busy.run("export", "--read-only")
    assert result.exit_code == 0
    assert [each["type"] for each in lines_of(result.stdout)] == ["transaction", "refusal", "note"]
    assert "1 row of the journal could not be read" in result.stderr


def test_a_reader_that_goes_away_ends_it_quietly(busy: Shell) -> None:
    process = busy.process("export")
    assert process.stdout is not None
    process.stdout.close()
    _, complaint = process.communicate(timeout=300)
    assert process.returncode in (0, 141)
    assert complaint == b""


def test_evidence_is_shown_with_the_article_it_is_about(shell: Shell) -> None:
    shell.ok("evidence", "notes.md", "app.py:1 says so", "--task", "T-1")
    shell.ok("evidence", "notes.md", '[{"file": "app.py", "lines": [1, 2]}]', "--task", "T-1")
    article = json.loads(shell.ok("export", "--articles", "--task", "T-1"))
    assert (article["path"], article["status"]) == ("notes.md", "unchanged")
    assert article["evidence"] == ["app.py:1 says so", {"file": "app.py", "lines": [1, 2]}]
    assert shell.refused("evidence", "notes.md", "{")["kind"] == "bad-request"
    assert shell.refused("evidence", "nowhere.md", "x")["kind"] == "no-such-file"
