"""A line of any length: what is shown of it is short and says so, and what is offered to be sent is whole or absent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import steadyhand as sh
from tests.table import table
from tests.tools.ground import make

LONG = "".join(f"var v{number}=f({number});" for number in range(2_500))  # 40 KB without a line ending
MARK = "characters left out]"
TEXT = f"first\n{LONG}\nshort = 1\n{LONG[::-1]}\nlast\n"

EDITS: dict[tuple[str, str], dict[str, Any]] = {
    ("article", "edit_article"): {
        "path": "a.js",
        "edits": [{"old_string": "short = 1", "new_string": "short = 2", "reason": "r"}],
    },
    ("vault", "TextReplace"): {"filePath": "a.js", "oldText": "short = 1", "newText": "short = 2"},
    ("vault", "TextPatch"): {
        "filePath": "a.js",
        "operation": "replace",
        "target": {"lines": {"start": 3, "end": 3}},
        "content": "short = 2",
    },
    ("surgical", "edit_file"): {"path": "a.js", "old_content": "short = 1", "new_content": "short = 2"},
    ("surgical", "insert_at"): {"path": "a.js", "line": 3, "content": "x"},
    ("coder", "write_patch"): {"path": "a.js", "patch": "@@\n-short = 1\n+short = 2\n"},
    ("coder", "apply_edits"): {"path": "a.js", "edits": [{"range": {"start": 3, "end": 3}, "newText": "short = 2"}]},
    ("core", "edit"): {"path": "a.js", "edits": [{"target": "short = 1", "new": "short = 2"}]},
    ("claude", "str_replace_based_edit_tool"): {
        "command": "str_replace",
        "path": "a.js",
        "old_str": "short = 1",
        "new_str": "short = 2",
    },
    ("claude-code", "Edit"): {"file_path": "a.js", "old_string": "short = 1", "new_string": "short = 2"},
    ("gemini", "replace"): {
        "file_path": "a.js",
        "old_string": "short = 1",
        "new_string": "short = 2",
        "instruction": "i",
    },
}


def answered(root: Path, tool: tuple[str, str], arguments: dict[str, Any], text: str = TEXT) -> str:
    workspace = make(root, {"a.js": text})
    workspace.read("a.js")
    extensions = {"extensions": [".js"]} if tool[0] == "vault" else {}
    answer: Any = workspace.tools(tool[0], **extensions).call(tool[1], arguments)
    return json.dumps(answer, ensure_ascii=False)


@table("tool", EDITS, ids=".".join, every=4)
def test_a_long_neighbour_is_clipped_and_says_so(tool: tuple[str, str], tmp_path: Path) -> None:
    said = answered(tmp_path, tool, EDITS[tool])
    assert 'is_error": true' not in said
    assert '"success": false' not in said
    assert len(said) < 6_000
    assert MARK in said or tool[0] == "claude"  # which shows nothing of the file


@table(
    ("tool", "fields"),
    [(("gemini", "replace"), ("old_string", "new_string")), (("claude-code", "Edit"), ("old_string", "new_string"))],
)
def test_a_long_line_is_shown_around_what_changed(
    tool: tuple[str, str], fields: tuple[str, str], tmp_path: Path
) -> None:
    said = answered(tmp_path, tool, EDITS[tool] | dict(zip(fields, ("f(1250)", "g(1250)"), strict=True)))
    assert "var v1250=g(1250);" in said
    assert len(said) < 3_000


@table("tool", EDITS, ids=".".join)
@table("old", ["f(99x9)", "var v7=f(7); var v8=f(8);", "=f(", "nowhere at all"], every=11)
def test_a_refusal_of_an_edit_in_a_long_line_is_short_and_offers_nothing_clipped(
    tool: tuple[str, str], old: str, tmp_path: Path
) -> None:
    said = answered(tmp_path, tool, json.loads(json.dumps(EDITS[tool]).replace("short = 1", old)))
    assert len(said) < 9_000
    for offer in re.findall(r'"corrected": (\{.*?\}|"(?:[^"\\]|\\.)*")', said):
        assert MARK not in offer


def test_search_hits_are_shown_around_what_was_found(tmp_path: Path) -> None:
    said = answered(tmp_path, ("core", "search"), {"query": "f(1250)"})
    assert "var v1250=f(1250);" in said
    assert MARK in said
    assert len(said) < 2_000


def test_a_dry_run_shows_long_rows_around_what_differs(tmp_path: Path) -> None:
    edit = {"path": "a.js", "edits": [{"target": "f(1250)", "new": "g(1250)"}], "dry_run": True}
    said = answered(tmp_path, ("core", "edit"), edit)
    assert "var v1250=f(1250);" in said
    assert "var v1250=g(1250);" in said
    assert len(said) < 6_000


@table(("length", "kind"), [(50, None), (5_000, "conflict")])
def test_a_neighbour_counts_as_read_only_where_it_is_shown_whole(length: int, kind: str | None, tmp_path: Path) -> None:
    mine = make(tmp_path, {"a.txt": f"a = 1; {'x' * length}; b = 1\nc = 1\n"}, task="mine")
    mine.read("a.txt")
    make(tmp_path, {}, task="theirs").edit("a.txt", sh.Replace("a = 1", "a = 2"))
    kit = mine.tools("surgical")
    shown: Any = kit.call("edit_file", {"path": "a.txt", "old_content": "c = 1", "new_content": "c = 2"})
    assert shown["success"] is True
    answer: Any = kit.call("edit_file", {"path": "a.txt", "old_content": "b = 1", "new_content": "b = 2"})
    assert answer.get("kind") == kind
