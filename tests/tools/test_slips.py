"""Small slips of calls: repaired where their meaning is certain, else refused with the shape to send; full counts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.table import table
from tests.tools.ground import make

TEXT = "one\ntwo\none\n"


def called(root: Path, toolset: str, tool: str, arguments: dict[str, Any], text: str = TEXT) -> tuple[Any, str]:
    workspace = make(root, {"a.txt": text})
    answer: Any = workspace.tools(toolset).call(tool, arguments)
    return answer, (root / "a.txt").read_text()


REPAIRED: list[tuple[str, str, dict[str, Any], str]] = [
    ("surgical", "edit_file", {"path": "a.txt", "old_content": "one", "new_content": "1", "replace_all": True}, "all"),
    ("surgical", "edit_file", {"path": "a.txt", "old_content": "two", "new_content": "2", "replaceAll": False}, "two"),
    ("vault", "TextReplace", {"filePath": "a.txt", "oldText": "one", "newText": "1", "replace_all": "true"}, "all"),
    ("core", "edit", {"path": "a.txt", "edits": [{"target": "one", "new": "1", "replace_all": True}]}, "all"),
    ("coder", "apply_edits", {"path": "a.txt", "edits": [{"range": [2, 2], "newText": "2"}]}, "two"),
    ("coder", "apply_edits", {"path": "a.txt", "range": {"start": 2, "end": 2}, "newText": "2"}, "two"),
    ("coder", "apply_edits", {"path": "a.txt", "edits": [{"start": 2, "end": 2, "newText": "2"}]}, "two"),
    ("vault", "TextPatch",
     {"filePath": "a.txt", "operation": "replace", "lines": {"start": 2, "end": 2}, "content": "2"}, "two"),
    ("coder", "write_patch", {"path": "a.txt", "diffContent": "@@\n-two\n+2\n"}, "two"),
    ("surgical", "patch_file", {"path": "a.txt", "diff_content": "@@\n-two\n+2\n"}, "two"),
    ("site", "editFile", {"file": "a.txt", "search": "two", "replace": "2", "reason": "why"}, "two"),
    ("article", "edit_article", {"path": "a.txt", "old_string": "two", "new_string": "2", "reason": "why"}, "two"),
    ("vault", "TextPatch",
     {"filePath": "a.txt", "operation": "replace", "target": {"lines": [2, 2]}, "content": "2"}, "two"),
]  # fmt: skip


@table(("toolset", "tool", "arguments", "meant"), REPAIRED)
def test_what_is_certain_is_repaired_and_reported(
    toolset: str, tool: str, arguments: dict[str, Any], meant: str, tmp_path: Path
) -> None:
    answer, after = called(tmp_path, toolset, tool, arguments)
    assert after == (TEXT.replace("one", "1") if meant == "all" else TEXT.replace("two", "2")), answer
    assert answer["repaired"]


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("site", "editFile", {"file": "a.txt", "search": "two"}, '{"operations": [{"search": …, "replace": …}]}'),
    ("site", "editFile", {"file": "a.txt", "operations": [{"search": "one", "replace": "1", "replace_all": True}]},
     "expectedReplacements"),
    ("article", "edit_article",
     {"path": "a.txt", "edits": [{"old_string": "one", "new_string": "1", "reason": "r", "replace_all": True}]},
     "an edit for each place"),
    ("coder", "apply_edits", {"path": "a.txt", "edits": [{"range": "2-2", "newText": "2"}]}, '{"start": …, "end": …}'),
    ("coder", "apply_edits", {"path": "a.txt", "edits": [{"start": 2, "newText": "2"}]},
     '{"range": {"start": …, "end": …}}'),
    ("coder", "apply_edits", {"path": "a.txt", "edits": "two"}, '[{"range": {"start": …, "end": …}, "newText": …}]'),
    ("surgical", "edit_file",
     {"path": "a.txt", "old_content": "one", "new_content": "1", "replace_all": True, "occurrence": 2},
     "one of the two"),
]  # fmt: skip


@table(("toolset", "tool", "arguments", "hint"), REFUSED)
def test_what_is_not_certain_is_refused_with_the_shape_to_send(
    toolset: str, tool: str, arguments: dict[str, Any], hint: str, tmp_path: Path
) -> None:
    answer, after = called(tmp_path, toolset, tool, arguments)
    assert after == TEXT
    assert (answer["kind"], hint in answer["hint"]) == ("bad-request", True), answer


def test_occurrence_0_says_how_many_places_were_replaced(tmp_path: Path) -> None:
    edit = {"path": "a.txt", "old_content": "one", "new_content": "1", "occurrence": 0}
    answer, _ = called(tmp_path, "surgical", "edit_file", edit)
    assert answer["replaced"] == 2


def test_places_that_are_left_alone_are_counted_beyond_those_that_are_listed(tmp_path: Path) -> None:
    edit = {"path": "a.txt", "old_content": "x", "new_content": "y", "occurrence": 1}
    answer, _ = called(tmp_path, "surgical", "edit_file", edit, "x\n" * 400)
    assert answer["note"].endswith("20, 21 and 379 more places")


def test_a_list_of_further_lines_that_is_not_all_says_so(tmp_path: Path) -> None:
    edit = {"path": "a.txt", "edits": [{"old_string": "x", "new_string": "y", "reason": "r"}]}
    answer, _ = called(tmp_path, "article", "edit_article", edit, "x\n" * 400)
    assert answer["message"].startswith("Edit 0: Text appears 400 times")
    assert answer["message"].endswith(" …")


def test_a_case_that_differs_in_many_places_says_that_there_are_more(tmp_path: Path) -> None:
    edit = {"filePath": "a.txt", "oldText": "ONE", "newText": "1"}
    answer, _ = called(tmp_path, "vault", "TextReplace", edit, "one\n" * 30)
    assert "also in line 2, 3, 4, 5, 6, 7, 8, 9 and further places" in answer["message"]


def test_a_code_block_that_is_not_there_is_named_as_the_tool_names_it(tmp_path: Path) -> None:
    kit = make(tmp_path, {"a.md": "# A\n\n```py\nx\n```\n\n```sh\ny\n```\n"}).tools("vault")
    target = {"codeBlock": {"index": 7}}
    answer: Any = kit.call("TextPatch", {"filePath": "a.md", "operation": "delete", "target": target})
    assert answer["message"] == "there is no code block 7; the file has 2, from index 0 to 1"
    assert "code_block" not in str(answer)


PLUS = "--- a/a.txt\n+++ b/a.txt\n@@ -1,0 +2 @@\n+new\n"


@table(("toolset", "tool"), [("coder", "write_patch"), ("surgical", "patch_file"), ("core", "edit")])
def test_lines_that_a_diff_adds_without_any_context_have_no_place(toolset: str, tool: str, tmp_path: Path) -> None:
    answer, after = called(tmp_path, toolset, tool, {"path": "a.txt", "patch": PLUS})
    assert after == TEXT
    assert "`git diff -U3`" in answer["hint"]
    minus = "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n"  # what goes says where, also without context
    answer, after = called(tmp_path / "b", toolset, tool, {"path": "a.txt", "patch": minus})
    assert after == TEXT.replace("two", "2")


@table(
    ("before", "selector", "after"),
    [
        ('<p class="x">a</p>\n', "p", "<p>a</p>\n"),
        ("<p id=a class=x>a</p>\n", "p", "<p id=a>a</p>\n"),
        ('<p class=" x  x " id="a">a</p>\n', "p", '<p id="a">a</p>\n'),
        ('<p class="x y">a</p>\n', "p", '<p class="y">a</p>\n'),
        ('<p class="">a</p>\n', "p", '<p class="">a</p>\n'),
        ("<p class>a</p>\n", "p", "<p class>a</p>\n"),
    ],
)
def test_the_class_attribute_goes_with_its_last_name(before: str, selector: str, after: str, tmp_path: Path) -> None:
    operation = {"selector": selector, "action": "removeClass", "value": "x"}
    make(tmp_path, {"a.html": before}).tools("site").call("editDOM", {"file": "a.html", "operations": [operation]})
    assert (tmp_path / "a.html").read_text() == after


@table(("old", "new", "field"), [("x", " ", "newClass"), ("x y", "z", "oldClass"), ("", "z", "oldClass")])
def test_a_refused_class_is_named_as_the_tool_names_it(old: str, new: str, field: str, tmp_path: Path) -> None:
    operation = {"selector": "p", "action": "replaceClass", "oldClass": old, "newClass": new}
    kit = make(tmp_path, {"a.html": '<p class="x y">a</p>\n'}).tools("site")
    answer: Any = kit.call("editDOM", {"file": "a.html", "operations": [operation]})
    assert answer["kind"] == "bad-request"
    assert f"{field}: " in answer["message"]
    assert not {"remove-class", "replace-class", "old ", "new "} & set(re.findall(r"[\w-]+ ?", str(answer)))
    if field == "newClass":
        assert 'action "removeClass" with value' in answer["hint"]
