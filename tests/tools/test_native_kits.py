"""The native toolsets as a whole: what each API learns of them, by which names they answer, what they survive."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.dialects.v4a.marks import mark_in
from steadyhand.errors import Kind
from steadyhand.tools.openai import GRAMMAR
from tests.table import table
from tests.tools.ground import TOOLS, make, tree

FILES = {"a.md": "one\ntwo\nthree\n", "sub/b.md": "x = 1\nx = 1\n"}


# What each API learns.


def names(kit: sh.Kit, style: str) -> list[object]:
    return [schema["name"] if "name" in schema else schema["type"] for schema in kit.schemas(style)]


def test_anthropics_tools_are_named_by_their_types(tmp_path: Path) -> None:
    assert make(tmp_path, {}).tools("claude").schemas("anthropic") == [
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"type": "memory_20250818", "name": "memory"},
    ]


@table(
    ("version", "name"),
    [
        ("20241022", "str_replace_editor"),
        ("20250124", "str_replace_editor"),
        ("20250429", "str_replace_based_edit_tool"),
        ("20250728", "str_replace_based_edit_tool"),
    ],
)
def test_a_version_of_the_text_editor_has_its_name_and_is_called_by_either(
    version: str, name: str, tmp_path: Path
) -> None:
    workspace = make(tmp_path, {"a.md": "one\n"})
    kit = workspace.tools("claude", version=version, max_characters=100)
    shown: dict[str, object] = {"max_characters": 100} if version == "20250728" else {}
    assert kit.schemas("anthropic")[0] == {"type": f"text_editor_{version}", "name": name, **shown}
    assert kit.tools[0].name == name
    for number, spelled in enumerate(("str_replace_editor", "str_replace_based_edit_tool")):
        arguments = {"command": "create", "path": f"{number}.md", "file_text": "x"}
        assert kit.call(spelled, arguments)["is_error"] is False
    assert [entry.record.tool for entry in workspace.history()] == [name, name]


@table("version", ["20241022", "20250124", "20250429", "20250728"])
def test_only_versions_that_have_undo_offer_it(version: str, tmp_path: Path) -> None:
    kit = make(tmp_path, {}).tools("claude", version=version)
    schema: Any = kit.schemas("mcp")[0]
    assert ("undo_edit" in schema["inputSchema"]["properties"]["command"]["enum"]) is (version < "20250429")


@table("style", ["openai-responses", "openai-responses-strict"])
def test_the_responses_api_gets_apply_patch_by_type_or_with_a_grammar(style: str, tmp_path: Path) -> None:
    workspace = make(tmp_path, {})
    assert workspace.tools("openai").schemas(style) == [{"type": "apply_patch"}]
    (custom,) = workspace.tools("openai", version="freeform").schemas(style)
    assert (custom["type"], custom["name"]) == ("custom", "apply_patch")
    assert custom["format"] == {"type": "grammar", "syntax": "lark", "definition": GRAMMAR}


def test_the_grammar_has_the_marks_of_the_format_and_no_other() -> None:
    marks = [mark_in(f"{literal}x") for literal in re.findall(r'"(\*\*\* [^"]+)"', GRAMMAR)]
    plain = [mark_in(literal) for literal in re.findall(r'"(\*\*\* [^":]+)"', GRAMMAR)]
    assert {mark.name for mark in marks if mark} == {"add", "update", "delete", "move"}
    assert {mark.name for mark in plain if mark} == {"begin", "end", "end-of-file"}


@table(
    ("toolset", "style", "expected"),
    [
        ("openai", "openai", ["function"]),
        ("openai", "anthropic", ["apply_patch"]),
        ("openai", "mcp", ["apply_patch"]),
        ("claude", "mcp", ["str_replace_based_edit_tool", "memory"]),
        ("claude", "openai-responses", ["str_replace_based_edit_tool", "memory"]),
        ("claude-code", "mcp", ["Read", "Edit", "MultiEdit", "Write"]),
        ("gemini", "mcp", ["replace", "write_file"]),
        ("coder", "mcp", ["read_file", "apply_edits", "write_patch", "write_file"]),
    ],
)
def test_other_apis_get_ordinary_functions(toolset: str, style: str, expected: list[str], tmp_path: Path) -> None:
    kit = make(tmp_path, {}).tools(toolset)
    assert names(kit, style) == expected
    assert all(len(schema) > 2 or "function" in schema for schema in kit.schemas(style))


@table("toolset", ["claude", "openai"])
def test_a_version_that_there_is_not_is_the_hosts_mistake(toolset: str, tmp_path: Path) -> None:
    with pytest.raises(sh.EditError) as refused:
        make(tmp_path, {}).tools(toolset, version="2099")
    assert refused.value.kind is Kind.BAD_REQUEST


# How a call is answered.


@table("toolset", ["claude", "openai", "claude-code", "gemini"])
def test_a_tool_that_is_not_there_is_answered_like_any_refusal(toolset: str, tmp_path: Path) -> None:
    answer = make(tmp_path, {}).tools(toolset).call("frobnicate", {})
    assert set(answer) == {"content", "is_error", "kind"}
    assert (answer["is_error"], answer["kind"]) == (True, "bad-request")


REPAIRED: list[tuple[str, dict[str, object], str]] = [
    ("text_editor", {"command": "view", "path": "a.md", "view_range": "[1, 2]"}, "view_range"),
    ("text_editor", {"command": "insert", "path": "a.md", "insert_line": "1", "insert_text": "x"}, "insert_line"),
    ("text_editor", {"command": "str_replace", "file_path": "a.md", "old_string": "two", "new_string": "2"}, "path"),
    ("memory", {"command": "view", "file": "/memories/a.md"}, "path"),
    ("Read", {"path": "a.md", "offset": "2"}, "offset"),
    ("Edit", {"path": "a.md", "old_text": "two", "new_text": "2", "replace_all": "true"}, "replace_all"),
    ("MultiEdit", {"file_path": "a.md", "edits": {"old_string": "two", "new_string": "2"}}, "edits"),
    ("MultiEdit", {"file_path": "a.md", "edits": '[{"oldString": "two", "newString": "2"}]'}, "edits"),
    ("Write", {"path": "n.md", "content": "x"}, "file_path"),
    (
        "replace",
        {"filePath": "a.md", "old_string": "two", "new_string": "2", "expected_replacements": "1"},
        "file_path",
    ),
    ("write_file", {"path": "n.md", "content": "x"}, "file_path"),
    ("apply_patch", {"type": "update_file", "file": "a.md", "diff": "@@\n-two\n+2\n"}, "path"),
]


@table(("tool", "arguments", "said"), REPAIRED)
def test_arguments_that_only_look_wrong_are_repaired_and_that_is_reported(
    tool: str, arguments: dict[str, object], said: str, tmp_path: Path
) -> None:
    answer = TOOLS[tool].raw(make(tmp_path, FILES), arguments)
    assert answer["is_error"] is False, answer
    assert said in " ".join(answer["repaired"])


@table("tool", ["text_editor", "memory"])
@table("options", [{"mode": "research"}, {"mode": "analyze"}, {"read_only": True}])
def test_a_tool_that_also_reads_does_so_where_nothing_may_change(
    tool: str, options: dict[str, Any], tmp_path: Path
) -> None:
    workspace = make(tmp_path, FILES, **options)
    path = "/memories/a.md" if tool == "memory" else "a.md"
    assert "two" in TOOLS[tool](workspace, {"command": "view", "path": path}).content
    change = {"command": "str_replace", "path": path, "old_str": "two", "new_str": "2"}
    assert TOOLS[tool](workspace, change).is_error
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a.md", tmp_path / "sub", tmp_path / "sub/b.md"]


@table("toolset", ["claude", "openai", "claude-code", "gemini", "coder"])
def test_a_mode_without_changes_lists_what_reads(toolset: str, tmp_path: Path) -> None:
    kit = make(tmp_path, FILES, mode="research").tools(toolset)
    assert all(tool.trust == "read" or tool.also_reads for tool in kit.tools)


def test_what_an_edit_should_be_warned_of_is_reported(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"CLAUDE.md": "one\n"})
    answer = TOOLS["Edit"](workspace, {"file_path": "CLAUDE.md", "old_string": "one", "new_string": "1"})
    assert "\nNote: " in answer.content


def test_what_a_hint_speaks_of_is_shown_since_there_are_no_details(tmp_path: Path) -> None:
    before = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n"
    workspace = make(tmp_path, {"a.py": before})
    old = "    results = 0\n    for item in items:\n"
    arguments = {"file_path": "a.py", "old_string": old, "new_string": old.replace("0", "1").replace("items", "all")}
    answer = TOOLS["Edit"](workspace, arguments)
    assert answer.is_error
    assert "`corrected`:\nold_string:\n    result = 0\n" in answer.content


UNREAD: list[tuple[str, dict[str, object]]] = [
    ("text_editor", {"command": "str_replace", "path": "a.md", "old_str": "two", "new_str": "2"}),
    ("text_editor", {"command": "insert", "path": "a.md", "insert_line": 1, "insert_text": "x"}),
    ("memory", {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"}),
    ("apply_patch", {"type": "update_file", "path": "a.md", "diff": "@@\n-two\n+2\n"}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.md\n@@\n-two\n+2\n*** End Patch\n"}),
    ("replace", {"file_path": "a.md", "old_string": "two", "new_string": "2"}),
    ("Edit", {"file_path": "a.md", "old_string": "two", "new_string": "2"}),
]


@table(("tool", "arguments"), UNREAD)
def test_where_the_host_asks_for_it_nothing_is_edited_unread(
    tool: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    workspace = make(tmp_path, FILES)
    refused = TOOLS[tool](workspace, arguments, require_read=True)
    assert (refused.is_error, refused.kind) == (True, "stale-source")
    workspace.read("a.md")
    assert not TOOLS[tool](workspace, arguments, require_read=True).is_error


def test_only_the_article_that_the_host_named_is_edited(tmp_path: Path) -> None:
    workspace = make(tmp_path, FILES)
    calls: dict[str, dict[str, object]] = {
        "text_editor": {"command": "create", "path": "n.md", "file_text": "x"},
        "memory": {"command": "delete", "path": "/memories/sub"},
        "Edit": {"file_path": "sub/b.md", "old_string": "x", "new_string": "y", "replace_all": True},
        "apply_patch": {"input": "*** Begin Patch\n*** Delete File: sub/b.md\n*** End Patch\n"},
    }
    for tool, arguments in calls.items():
        prefix = "/memories" if tool == "memory" else None
        assert TOOLS[tool](workspace, arguments, article="a.md", prefix=prefix).kind == "not-allowed", tool
    assert tree(tmp_path) == {name: text.encode() for name, text in FILES.items()}
    shown = TOOLS["text_editor"](workspace, {"command": "view", "path": "sub/b.md"}, article="a.md")
    assert not shown.is_error


def test_what_is_left_out_of_a_patch_is_reported(tmp_path: Path) -> None:
    patch = "```\n*** Begin Patch\n*** Update File: a.md\n@@\n-two\n+2\n*** End Patch\n```\n"
    kit = make(tmp_path, FILES).tools("openai", version="freeform")
    answer = kit.call("apply_patch", {"input": patch})
    assert str(answer["content"]).startswith(
        "Success. Updated the following files:\nM a.md\nNote: line 1 of the reply: "
    )


VIEWS: dict[str, tuple[str, dict[str, object]]] = {
    "text_editor": ("view_range", {"command": "view", "path": "a.md"}),
    "memory": ("view_range", {"command": "view", "path": "/memories/a.md"}),
    "Read": ("offset", {"file_path": "a.md"}),
}


@table("tool", VIEWS)
def test_a_very_large_file_is_shown_in_parts_and_only_what_is_shown_counts_as_read(tool: str, tmp_path: Path) -> None:
    text = "".join(f"{number:04}{'x' * 1900}\n" for number in range(1, 301))
    workspace = make(tmp_path, {"a.md": text})
    field, view = VIEWS[tool]
    shown = TOOLS[tool](workspace, view).content
    assert len(shown) < 401_000
    found = re.search(rf"with {field} \[?(\d+)", shown.rsplit("\n", 1)[-1])
    assert found is not None
    write: dict[str, object] = {"file_path": "a.md", "content": text.replace("x", "y")}
    refused = TOOLS["Write"](workspace, write)
    assert (refused.kind, refused.content.split(".")[0]) == ("stale-source", "File has been read only in part")
    line = int(found[1])
    assert not TOOLS[tool](workspace, {**view, field: [line, -1] if field == "view_range" else line}).is_error
    assert not TOOLS["Write"](workspace, write).is_error
