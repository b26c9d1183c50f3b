"""Gemini's `replace` and `write_file`: its error codes, its counts, and the instruction as the reason."""

from __future__ import annotations

from pathlib import Path

from steadyhand.errors import Kind
from steadyhand.tools.answer import Answer
from steadyhand.tools.gemini import code_of
from tests.table import table
from tests.tools.ground import make, replace, tree, write_file

TEXT = "one\ntwo\none\n"


def call(**arguments: object) -> dict[str, object]:
    return {"file_path": "a.md", "instruction": "Count again.", "old_string": "one", "new_string": "1", **arguments}


@table(
    ("arguments", "code"),
    [
        (call(old_string="three"), "edit_no_occurrence_found"),
        (call(), "edit_expected_occurrence_mismatch"),
        (call(expected_replacements=1), "edit_expected_occurrence_mismatch"),
        (call(expected_replacements=3), "edit_expected_occurrence_mismatch"),
        (call(expected_replacements=3, allow_multiple=True), "edit_expected_occurrence_mismatch"),
        (call(old_string="two", new_string="two"), "edit_no_change"),
        (call(file_path="none.md"), "file_not_found"),
        (call(old_string=""), "attempt_to_create_existing_file"),
        (call(file_path="../a.md"), "path_not_in_workspace"),
        (call(file_path=".env"), "permission_denied"),
        (call(old_string=None), "invalid_tool_params"),
        ({}, "invalid_tool_params"),
    ],
)
def test_a_failure_begins_with_its_code(arguments: dict[str, object], code: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": TEXT, ".env": "one"})
    answer = replace(workspace, arguments)
    assert answer.is_error
    assert answer.content.split("\n")[0].split(":")[0] == code
    assert tree(tmp_path)["a.md"] == TEXT.encode()


def test_every_kind_has_a_code() -> None:
    assert all(code_of(kind).replace("_", "").isalpha() for kind in Kind)


@table(
    ("arguments", "after", "count"),
    [
        (call(old_string="two", new_string="2"), "one\n2\none\n", 1),
        (call(old_string="two", new_string="2", expected_replacements=1), "one\n2\none\n", 1),
        (call(allow_multiple=True), "1\ntwo\n1\n", 2),
        (call(expected_replacements=2), "1\ntwo\n1\n", 2),
        (call(expected_replacements=2, allow_multiple=True), "1\ntwo\n1\n", 2),
    ],
)
def test_text_is_replaced_as_often_as_expected(
    arguments: dict[str, object], after: str, count: int, tmp_path: Path
) -> None:
    workspace = make(tmp_path, {"a.md": TEXT})
    answer = replace(workspace, arguments)
    assert answer.content.startswith(f"Successfully modified file: a.md ({count} replacements).\n")
    assert tree(tmp_path)["a.md"] == after.encode()
    assert workspace.history()[0].record.reason == "Count again."
    assert workspace.why("a.md", 2 if "2" in after else 1).reason == "Count again."


@table("instruction", ["x" * 100_000, "", None])
def test_no_instruction_is_in_the_way_of_an_edit(instruction: str | None, tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": TEXT})
    assert not replace(workspace, call(old_string="two", instruction=instruction)).is_error
    assert len(workspace.history()[0].record.reason or "") in range(1, 3000)


def test_an_empty_old_text_makes_a_file(tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    answer = replace(workspace, call(file_path="d/a.md", old_string="", new_string="x"))
    assert answer == Answer("Created new file: d/a.md with provided content.")
    assert tree(tmp_path) == {"d/a.md": b"x"}


def test_a_file_is_written_and_not_over_one_nobody_read(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.md": "old\n"})
    new = write_file(workspace, {"file_path": "b.md", "content": "b\n"})
    assert new == Answer("Successfully created and wrote to new file: b.md.")
    again: dict[str, object] = {"file_path": "a.md", "content": "new\n"}
    assert write_file(workspace, again).kind == "stale-source"
    assert tree(tmp_path)["a.md"] == b"old\n"
    said = write_file(workspace, again, overwrite=True)
    assert said == Answer("Successfully overwrote file: a.md.")
    assert [entry.record.reason for entry in workspace.history()] == ["write_file", "write_file"]
