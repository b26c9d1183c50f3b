"""Modes are the host's: what a mode leaves out is neither listed nor run, however the call is formed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.session.context import MODES
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.ground import make, tree

READ = ["read_file", "list_files", "search_files"]
CHANGE = ["edit_file", "patch_file", "insert_at"]
HEAR = "review_feedback"
LISTED: dict[str | None, list[str]] = {
    None: [*READ, *CHANGE, "write_file", HEAR],
    "research": [*READ, HEAR],
    "analyze": [*READ, "report_findings", HEAR],
    "generate": [*READ, "write_file", HEAR],
    "modify": [*READ, *CHANGE, HEAR, "write_file"],
    "execute": [*READ, *CHANGE, "write_file", HEAR],
}
TEXT = "one\ntwo\nthree\n"
HASH = hashlib.sha256(TEXT.encode()).hexdigest()[:16]
CALLS: dict[str, dict[str, Any]] = {
    "read_file": {"path": "a.txt"},
    "list_files": {},
    "search_files": {"query": "two"},
    "edit_file": {"path": "a.txt", "old_content": "two", "new_content": "2"},
    "patch_file": {"path": "a.txt", "patch": "@@ -2 +2 @@\n-two\n+2\n"},
    "insert_at": {"path": "a.txt", "line": 0, "content": "zero"},
    "write_file": {"path": "new.txt", "content": "new\n"},
    "report_findings": {"findings": [{"path": "a.txt", "severity": "low", "title": "T", "detail": "D"}]},
}


def kit(root: Path, mode: str | None, **options: Any) -> sh.Kit:
    return make(root, {"a.txt": TEXT}, mode=mode, **options).tools("surgical")


def whole_tree(root: Path) -> dict[str, bytes]:
    """Every file, our own too."""
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@table("mode", LISTED)
def test_a_mode_lists_its_tools_in_order(tmp_path: Path, mode: str | None) -> None:
    hands = kit(tmp_path, mode)
    assert [tool.name for tool in hands.tools] == LISTED[mode]
    for style in ("openai", "openai-strict", "anthropic", "mcp"):
        schemas = hands.schemas(style)
        assert [schema.get("name") or schema["function"]["name"] for schema in schemas] == LISTED[mode]  # type: ignore[index]


@table("mode", LISTED)
@table("name", CALLS)
def test_a_tool_runs_in_the_modes_that_list_it_and_in_no_other(tmp_path: Path, mode: str | None, name: str) -> None:
    hands = kit(tmp_path, mode)
    before = whole_tree(tmp_path)
    answer = hands.call(name, CALLS[name])
    if name not in LISTED[mode]:
        assert (answer["success"], answer["kind"]) == (False, "not-allowed")
        assert tree(tmp_path) == {"a.txt": TEXT.encode()}
    elif mode == "modify" and name == "write_file":
        assert answer["kind"] == "not-allowed"  # it would create
    else:
        assert answer["success"] is True, answer
    if mode in ("research", "analyze"):
        assert whole_tree(tmp_path) == before


@table("arguments", [None, 7, [], "{", {"nonsense": 1}, {}])
@table("mode", ["research", "analyze"])
def test_a_mode_is_asked_before_the_arguments_are_read(tmp_path: Path, mode: str, arguments: object) -> None:
    hands = kit(tmp_path, mode)
    assert {hands.call(name, arguments)["kind"] for name in (*CHANGE, "write_file")} == {"not-allowed"}


def test_generate_creates_and_touches_nothing_that_is_there(tmp_path: Path) -> None:
    hands = kit(tmp_path, "generate")
    assert hands.call("write_file", {"path": "deep/new.txt", "content": "x\n"})["success"] is True
    hands.call("read_file", {"path": "a.txt"})
    for more in ({}, {"expectedHash": HASH}, {"expectedHash": HASH, "allow_shrink": True}):
        answer = hands.call("write_file", {"path": "a.txt", "content": "x\n", **more})
        assert (answer["kind"], answer["details"]["verb"]) == ("not-allowed", "write")
    assert tree(tmp_path) == {"a.txt": TEXT.encode(), "deep/new.txt": b"x\n"}


def test_modify_changes_what_is_there_and_creates_nothing(tmp_path: Path) -> None:
    hands = kit(tmp_path, "modify")
    for name, arguments in (
        ("write_file", {"path": "new.txt", "content": "x\n"}),
        ("write_file", {"path": "new.txt", "content": "x\n", "expectedHash": HASH}),
        ("patch_file", {"path": "new.txt", "patch": "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n"}),
        ("edit_file", {"path": "new.txt", "old_content": "x", "new_content": "y"}),
        ("insert_at", {"path": "new.txt", "line": 0, "content": "x"}),
    ):
        assert hands.call(name, arguments)["kind"] in ("not-allowed", "no-such-file")
    assert tree(tmp_path) == {"a.txt": TEXT.encode()}
    assert hands.call("insert_at", CALLS["insert_at"])["success"] is True


def test_modify_replaces_a_whole_file_only_by_its_hash(tmp_path: Path) -> None:
    hands = kit(tmp_path, "modify")
    hands.call("read_file", {"path": "a.txt"})
    refused = hands.call("write_file", {"path": "a.txt", "content": "x\n"})
    assert (refused["success"], refused["kind"]) == (False, "bad-request")
    assert "expectedHash" in refused["error"]
    assert HASH not in str(refused)
    assert tree(tmp_path) == {"a.txt": TEXT.encode()}
    stale = hands.call("write_file", {"path": "a.txt", "content": "x\n", "expectedHash": "0" * 16})
    assert stale["kind"] == "stale-source"
    assert hands.call("write_file", {"path": "a.txt", "content": "x\n", "expectedHash": HASH})["success"] is True


def test_whether_a_file_is_there_is_asked_when_it_is_written(tmp_path: Path) -> None:
    """What another process did between listing and call decides, not what was there before."""
    hands = kit(tmp_path, "generate")
    (tmp_path / "new.txt").write_text("somebody's\n")
    assert hands.call("write_file", {"path": "new.txt", "content": "x\n"})["kind"] == "not-allowed"
    assert (tmp_path / "new.txt").read_text() == "somebody's\n"


@table("toolset", toolsets())
def test_a_workspace_that_is_only_read_lists_and_runs_no_tool_that_writes(tmp_path: Path, toolset: str) -> None:
    hands = make(tmp_path, {"a.txt": TEXT}, read_only=True).tools(toolset)
    before = whole_tree(tmp_path)
    assert all(tool.trust == "read" or tool.also_reads for tool in hands.tools)
    for tool in tools_of(toolset):
        if tool.trust != "read" and not tool.also_reads:
            answer = hands.call(tool.name, {})
            assert failed(answer)
            assert "read-only" in (answer.get("kind"), answer.get("reason"))
    assert whole_tree(tmp_path) == before


@table("mode", ["research", "analyze"])
@table("toolset", toolsets())
def test_in_modes_that_only_read_no_toolset_offers_a_change(tmp_path: Path, toolset: str, mode: str) -> None:
    hands = make(tmp_path, {"a.txt": TEXT}, mode=mode).tools(toolset)
    assert all(tool.trust == "read" or tool.also_reads for tool in hands.tools)


def test_only_a_mode_that_there_is_can_be_set(tmp_path: Path) -> None:
    with pytest.raises(EditError):
        sh.Workspace(tmp_path, mode="modfy")


@table("mode", MODES)
def test_a_worker_learns_what_its_mode_is_for(tmp_path: Path, mode: str) -> None:
    hands = kit(tmp_path, mode)
    prompt = hands.prompt()
    assert f"## Mode: {mode}" in prompt
    assert prompt == kit(tmp_path / "other", None).prompt(mode)
    assert ("report_findings" in prompt.split("## Mode:")[1]) is (mode == "analyze")


@table("toolset", toolsets())
def test_a_worker_hears_of_no_tool_that_its_toolset_lacks(tmp_path: Path, toolset: str) -> None:
    names = {tool.name for tool in tools_of(toolset)}
    hands = make(tmp_path, {}).tools(toolset)
    for mode in MODES:
        said = hands.prompt(mode).split("## Mode:")[1]
        assert {part for part in said.split("`")[1::2] if part.endswith("_file") or "report" in part} <= names


@table("toolset", toolsets())
def test_a_worker_learns_which_tools_are_left_where_its_mode_leaves_some_out(tmp_path: Path, toolset: str) -> None:
    for mode in MODES:
        root = tmp_path / mode
        root.mkdir()
        hands = make(root, {}, mode=mode).tools(toolset)
        listed = {tool.name for tool in hands.tools}
        *_, last = hands.prompt().splitlines()
        is_listed = last.startswith("The tools of this mode: ")
        assert is_listed is (len(listed) < len(tools_of(toolset)))
        assert not is_listed or set(last.split("`")[1::2]) == listed


def test_a_planner_learns_all_five_modes_and_that_suggestions_change_nothing(tmp_path: Path) -> None:
    prompt = kit(tmp_path, None).prompt(mode="planner")
    section = prompt.split("## Task modes")[1]
    assert all(f"- `{mode}`:" in section for mode in MODES)
    assert len([line for line in section.splitlines() if line.startswith("- ")]) == 5
    with pytest.raises(EditError):
        kit(tmp_path / "other", None).prompt(mode="plan")
