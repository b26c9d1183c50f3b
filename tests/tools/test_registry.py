"""The toolsets there are and their tools, in the order in which a model sees them, in every mode."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.context import MODES, allowed_verbs
from steadyhand.tools.kit import offered
from steadyhand.tools.toolsets import prompt_of, tools_of, toolset_named, toolsets
from tests.table import table

TOOLSETS = {
    "article": "read_file list_files search_files edit_article! write_file! review_feedback "
    "impact_search impact_extract",
    "claude": "str_replace_based_edit_tool! memory!",
    "claude-code": "Read Edit! MultiEdit! Write!",
    "coder": "read_file apply_edits! write_patch! write_file!",
    "core": "read list outline search edit! write! undo! history review_feedback",
    "gemini": "replace! write_file!",
    "openai": "apply_patch!",
    "site": "readFile editDOM! editFile! editFiles! writeFiles! review_feedback",
    "surgical": "read_file list_files search_files edit_file! patch_file! insert_at+ write_file! report_findings "
    "review_feedback",
    "vault": "TextInspect TextReplace! TextPatch!",
}
MARKS = {"read": "", "write": "+", "destructive": "!"}
IN_MODE = {
    ("core", "research"): "read list outline search history review_feedback",
    ("core", "analyze"): "read list outline search history review_feedback",
    ("core", "generate"): "read list outline search edit write history review_feedback",
    ("core", "modify"): "read list outline search edit undo history review_feedback write",
    ("core", "execute"): "read list outline search edit write undo history review_feedback",
    ("surgical", None): "read_file list_files search_files edit_file patch_file insert_at write_file review_feedback",
    ("surgical", "research"): "read_file list_files search_files review_feedback",
    ("surgical", "analyze"): "read_file list_files search_files report_findings review_feedback",
    ("surgical", "generate"): "read_file list_files search_files write_file review_feedback",
    (
        "surgical",
        "modify",
    ): "read_file list_files search_files edit_file patch_file insert_at review_feedback write_file",
}


def names(tools: object) -> str:
    assert isinstance(tools, tuple)
    return " ".join(tool.name for tool in tools)


def test_the_toolsets_and_their_tools_in_order() -> None:
    found = {name: " ".join(tool.name + MARKS[tool.trust] for tool in tools_of(name)) for name in toolsets()}
    assert found == TOOLSETS


@table(("toolset", "mode"), IN_MODE)
def test_what_is_listed_in_a_mode(toolset: str, mode: str | None) -> None:
    assert names(offered(tools_of(toolset), mode)) == IN_MODE[toolset, mode]


@pytest.fixture(params=[None, *MODES])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(tmp_path, mode=request.param) as opened:
        yield opened


def test_a_kit_lists_what_the_mode_leaves_and_refuses_the_rest_before_it_looks_at_arguments(
    workspace: sh.Workspace,
) -> None:
    for name in toolsets():
        kit = workspace.tools(name)
        assert kit.tools == offered(kit._tools, workspace.mode)
        listed = [tool.name for tool in kit.tools]
        for tool in (tool for tool in kit._tools if tool.name not in listed):
            answer = kit.call(tool.name, "no arguments at all")
            assert answer.get("kind") == "not-allowed" or answer.get("reason") == "not-allowed"


@table("name", toolsets())
def test_a_workspace_that_may_only_be_read_lists_nothing_that_only_writes(name: str) -> None:
    for tool in offered(tools_of(name), is_read_only=True):
        assert tool.trust == "read" or tool.also_reads


@table("name", toolsets())
def test_a_tool_that_changes_files_says_how_and_one_that_reads_does_not(name: str) -> None:
    for tool in tools_of(name):
        assert bool(tool.verbs) == (tool.trust != "read"), tool.name
        assert tool.verbs <= allowed_verbs(None)


def test_a_name_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(EditError) as caught:
        toolset_named("surgicl")
    assert (caught.value.kind, caught.value.hint) == (Kind.BAD_REQUEST, "did you mean 'surgical'?")


@table("name", toolsets())
def test_every_toolset_has_a_summary_and_a_prompt(name: str) -> None:
    assert toolset_named(name).summary.endswith(".")
    assert prompt_of(name).startswith("## ")


def test_the_contract_that_keeps_toolsets_apart_names_all_of_them() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = [each for each in project["tool"]["importlinter"]["contracts"] if each["id"] == "toolsets"]
    folders = sorted(f"steadyhand.tools.{name.replace('-', '_')}" for name in toolsets())
    assert sorted(contract["modules"]) == folders
