"""`TextReplace`: exact text, the occurrence that is meant, the report of the rest, and versions that are known."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import steadyhand as sh
from tests.table import table
from tests.tools.ground import make, tree

NOTES = "# Notes\n\nalpha port 80\nbeta\ngamma port 80\ndelta\nepsilon port 80\nzeta\n"


def replaced(root: Path, text: str | bytes, old: str, new: str, name: str = "notes.md", **more: Any) -> dict[str, Any]:
    kit = make(root, {name: text}).tools("vault")
    return kit.call("TextReplace", {"filePath": name, "oldText": old, "newText": new, **more})


def content(root: Path, name: str = "notes.md") -> bytes:
    return (root / name).read_bytes()


def test_a_text_that_occurs_once_is_replaced(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "BETA")
    assert answer["status"] == "success"
    assert answer["filePath"] == "notes.md"
    assert (answer["occurrencesFound"], answer["occurrencesReplaced"]) == (1, 1)
    assert answer["affectedLines"] == {"start": 4, "end": 4}
    assert answer["preview"] == {"before": "beta", "after": "BETA"}
    assert "note" not in answer
    assert "success" not in answer
    assert "path" not in answer
    assert content(tmp_path).decode() == NOTES.replace("beta", "BETA")


@table(
    ("occurrence", "line", "others"),
    [
        (None, 3, "2 other places: line 5, 7"),
        ("first", 3, "2 other places: line 5, 7"),
        ("last", 7, "2 other places: line 3, 5"),
        ("2", 5, "2 other places: line 3, 7"),
        (2, 5, "2 other places: line 3, 7"),
        ("1", 3, "2 other places: line 5, 7"),
    ],
)
def test_one_of_several_places_is_replaced_and_the_lines_of_the_others_are_reported(
    tmp_path: Path, occurrence: str | int | None, line: int, others: str
) -> None:
    answer = replaced(tmp_path, NOTES, "port 80", "port 81", occurrence=occurrence)
    assert (answer["occurrencesFound"], answer["occurrencesReplaced"]) == (3, 1)
    assert answer["affectedLines"] == {"start": line, "end": line}
    assert others in answer["note"]
    rows = NOTES.split("\n")
    rows[line - 1] = rows[line - 1].replace("80", "81")
    assert content(tmp_path).decode() == "\n".join(rows)


def test_the_lines_of_the_others_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "x\na\nx\n", "x", "1\n2\n3")
    assert answer["affectedLines"] == {"start": 1, "end": 3}
    assert answer["note"] == "oldText still matches 1 other place: line 5"


def test_all_places_are_replaced(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "port 80", "port 81", occurrence="all")
    assert (answer["occurrencesFound"], answer["occurrencesReplaced"]) == (3, 3)
    assert answer["affectedLines"] == {"start": 3, "end": 7}
    assert "note" not in answer
    assert content(tmp_path).decode() == NOTES.replace("port 80", "port 81")


def test_a_number_beyond_the_last_place_is_refused_with_the_total(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "port 80", "x", occurrence="4")
    assert (answer["status"], answer["kind"], answer["details"]["total"]) == ("error", "count-mismatch", 3)
    assert "3" in answer["error"]
    assert content(tmp_path).decode() == NOTES


@table("occurrence", ["0", "-1", "second", "", "1.5", "99999999999", 0])
def test_an_occurrence_that_is_none_is_refused(tmp_path: Path, occurrence: object) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "x", occurrence=occurrence)
    assert (answer["status"], answer["kind"]) == ("error", "bad-request")
    assert content(tmp_path).decode() == NOTES


def test_occurrences_are_counted_from_the_left_without_overlap(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "aaaaa\n", "aa", "b", occurrence="last")
    assert (answer["occurrencesFound"], content(tmp_path)) == (2, b"aaba\n")


def test_a_text_that_is_nowhere_is_refused_with_a_message(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "nothing like this is anywhere", "x")
    assert list(answer) == ["status", "error", "kind", "message", "hint", "details"]
    assert (answer["status"], answer["kind"]) == ("error", "no-match")
    assert answer["error"] == f"{answer['message']}\nHint: {answer['hint']}"
    assert content(tmp_path).decode() == NOTES


def test_a_text_in_another_case_is_quoted_as_it_is_and_not_replaced(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "# Setup Guide\n\nsetup\n", "SETUP guide", "x")
    assert answer["kind"] == "no-match"
    assert (answer["details"]["found"], answer["details"]["line"]) == ("Setup Guide", 1)
    assert "'Setup Guide'" in answer["error"]
    assert "line 1" in answer["error"]
    assert content(tmp_path) == b"# Setup Guide\n\nsetup\n"


@table(
    ("text", "old", "found", "line"),
    [
        ("one\n\n  two   three\n  four\n", "two three\nfour", "  two   three\n  four", 3),
        ("one\nwe unpack it here\n", "unpack  it", "unpack it", 2),
        ("a\nsay \u201chello\u201d now\n", 'say "hello" now', "say \u201chello\u201d now", 2),
        ("A\r\nB line\r\nC\r\n", "b LINE\nc", "B line\nC", 2),
        ("x\nThe \u0130stanbul Line\n", "the \u0130STANBUL line", "The \u0130stanbul Line", 2),
    ],
    ids=["blanks", "blanks in a part of a line", "quotes", "case across CR LF", "a letter that grows in lower case"],
)
def test_a_text_that_differs_a_little_is_quoted_with_its_line(
    tmp_path: Path, text: str, old: str, found: str, line: int
) -> None:
    answer = replaced(tmp_path, text, old, "x")
    assert answer["kind"] == "no-match"
    assert (answer["details"]["found"], answer["details"]["line"]) == (found, line)
    assert content(tmp_path).decode() == text


def test_what_is_offered_goes_through_when_it_is_sent(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "say \u201chello\u201d\n", 'say "hello"', "say bye")
    offered = answer["details"]["found"]
    again = (
        make(tmp_path, {})
        .tools("vault")
        .call("TextReplace", {"filePath": "notes.md", "oldText": offered, "newText": "say bye"})
    )
    assert (again["status"], content(tmp_path)) == ("success", b"say bye\n")


def test_an_old_text_of_several_lines_is_replaced_across_them(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta\ngamma port 80\ndelta", "one\ntwo")
    assert answer["affectedLines"] == {"start": 4, "end": 5}
    assert content(tmp_path).decode() == NOTES.replace("beta\ngamma port 80\ndelta", "one\ntwo")


def test_the_lines_around_are_those_after_the_edit(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "one\ntwo")
    assert answer["context"] == {
        "beforeLines": ["# Notes", "", "alpha port 80"],
        "afterLines": ["gamma port 80", "delta", "epsilon port 80"],
    }


def test_a_preview_is_cut_at_two_hundred_characters(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "a" * 500 + "\n", "a" * 300, "b" * 200)
    before, after = answer["preview"]["before"], answer["preview"]["after"]
    assert (len(before), before[:199], after) == (200, "a" * 199, "b" * 200)


def test_the_hash_is_the_beginning_of_the_digest_of_the_new_bytes(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "x")
    assert answer["fileHash"] == hashlib.sha256(content(tmp_path)).hexdigest()[:16]


def test_the_hash_of_the_version_at_hand_lets_the_edit_through(tmp_path: Path) -> None:
    known = hashlib.sha256(NOTES.encode()).hexdigest()
    assert replaced(tmp_path, NOTES, "beta", "x", expectedHash=known[:16])["status"] == "success"


@table("spelled", ["fileHash", "hash", "expected_hash"])
def test_the_hash_is_known_by_other_names_too(tmp_path: Path, spelled: str) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "x", **{spelled: "0" * 16})
    assert answer["kind"] == "stale-source"


def test_a_hash_of_another_version_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "x", expectedHash="0123456789abcdef")
    present = hashlib.sha256(NOTES.encode()).hexdigest()[:16]
    assert (answer["status"], answer["kind"]) == ("error", "stale-source")
    assert present in answer["error"]
    assert answer["details"]["fileHash"] == present
    assert content(tmp_path).decode() == NOTES


def test_a_host_that_rebases_elsewhere_does_not_rebase_here(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"notes.md": NOTES}, policy=sh.Policy(on_stale="rebase"))
    known = workspace.read("notes.md").digest
    workspace.edit("notes.md", sh.Replace("delta", "DELTA"))
    call = {"filePath": "notes.md", "oldText": "beta", "newText": "x", "expectedHash": known}
    assert workspace.tools("vault").call("TextReplace", call)["kind"] == "stale-source"


def test_the_hash_is_carried_from_call_to_call(tmp_path: Path) -> None:
    kit = make(tmp_path, {"notes.md": NOTES}).tools("vault")
    known = kit.call("TextInspect", {"filePath": "notes.md", "mode": "structure"})["fileHash"]
    for old in ("alpha", "beta", "gamma"):
        call = {"filePath": "notes.md", "oldText": old, "newText": old.upper(), "expectedHash": known}
        known = kit.call("TextReplace", call)["fileHash"]
    assert b"ALPHA" in content(tmp_path)
    assert b"GAMMA" in content(tmp_path)


def test_a_hash_that_is_none_is_refused_by_its_name(tmp_path: Path) -> None:
    answer = replaced(tmp_path, NOTES, "beta", "x", expectedHash="abc")
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", "expectedHash")


def test_replacement_text_is_literal(tmp_path: Path) -> None:
    new = r"$& $1 \1 \n %s {0} \\"
    replaced(tmp_path, NOTES, "beta", new)
    assert content(tmp_path).decode() == NOTES.replace("beta", new)


@table("text", ["", "text\n"])
def test_an_empty_old_text_is_refused_also_in_an_empty_file(tmp_path: Path, text: str) -> None:
    answer = replaced(tmp_path, text, "", "x")
    assert (answer["kind"], answer["details"]["path"]) == ("bad-request", "oldText")
    assert content(tmp_path).decode() == text


def test_the_same_text_again_is_no_change(tmp_path: Path) -> None:
    assert replaced(tmp_path, NOTES, "beta", "beta")["kind"] == "no-change"


def test_an_edit_can_be_undone_by_its_id(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"notes.md": NOTES})
    call = {"filePath": "notes.md", "oldText": "port 80", "newText": "x", "occurrence": "all", "reason": "tidy"}
    answer = workspace.tools("vault").call("TextReplace", call)
    assert workspace.history("notes.md")[0].record.reason == "tidy"
    workspace.undo(answer["id"])
    assert content(tmp_path).decode() == NOTES


def test_a_whole_line_that_goes_away_leaves_the_lines_on_both_sides_as_context(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "1\n2\n3\n4\n5\n", "3\n", "")
    assert answer["context"] == {"beforeLines": ["1", "2"], "afterLines": ["4", "5"]}
    assert content(tmp_path) == b"1\n2\n4\n5\n"


def test_other_usual_names_of_the_fields_are_taken_and_reported(tmp_path: Path) -> None:
    kit = make(tmp_path, {"notes.md": NOTES}).tools("vault")
    answer = kit.call("TextReplace", {"path": "notes.md", "old_string": "beta", "new_string": "x"})
    assert (answer["status"], len(answer["repaired"])) == ("success", 3)


def test_a_failed_call_leaves_the_tree_as_it_was(tmp_path: Path) -> None:
    kit = make(tmp_path, {"notes.md": NOTES, "b.md": "b\n"}).tools("vault")
    before = tree(tmp_path)
    for arguments in (
        {"filePath": "c.md", "oldText": "b", "newText": "x"},
        {"filePath": "notes.md", "oldText": "b", "newText": "x", "colour": "red"},
        {"filePath": "notes.md", "newText": "x"},
        {"filePath": "../notes.md", "oldText": "b", "newText": "x"},
        {"filePath": ".", "oldText": "b", "newText": "x"},
    ):
        assert kit.call("TextReplace", arguments)["status"] == "error"
    assert tree(tmp_path) == before
