"""`steadyhand tools`: what models are given, for people and for programs."""

from __future__ import annotations

import json

import pytest

from steadyhand.schema import plain_schema
from steadyhand.session.context import MODES
from steadyhand.surfaces.cli import group
from steadyhand.tools.kit import prompt_for
from steadyhand.tools.tool import STYLES, tool_schema
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.surfaces.shell import Shell


def test_the_toolsets_are_listed_with_their_tools(shell: Shell) -> None:
    listed = shell.json("tools")["toolsets"]
    assert {each["name"]: each["tools"] for each in listed} == {
        name: [tool.name for tool in tools_of(name)] for name in toolsets()
    }
    shown = shell.ok("tools")
    assert all(toolset.summary in shown for toolset in toolsets().values())


@pytest.mark.parametrize("name", toolsets())
def test_the_tools_of_a_toolset_are_shown_with_their_parameters(shell: Shell, name: str) -> None:
    document = shell.json("tools", name)["tools"]
    assert [(each["name"], each["parameters"]) for each in document] == [
        (tool.name, plain_schema(tool.parameters)) for tool in tools_of(name) if tool.modes is None
    ]
    shown = shell.ok("tools", name)
    for tool in tools_of(name):
        if tool.modes is None:
            assert tool.summary in shown
            assert all(f" {field}" in shown for field in tool.parameters.names)


def test_one_tool_may_be_asked_for(shell: Shell) -> None:
    assert [each["name"] for each in shell.json("tools", "core", "edit")["tools"]] == ["edit"]
    error = shell.refused("tools", "core", "edti")
    assert (error["kind"], error["hint"]) == ("bad-request", "did you mean edit?")


@pytest.mark.parametrize("style", STYLES)
def test_schemas_are_printed_as_an_api_takes_them(shell: Shell, style: str) -> None:
    expected = json.loads(json.dumps([tool_schema(tool, style) for tool in tools_of("core")]))
    assert json.loads(shell.ok("tools", "--schema", style)) == expected
    assert shell.json("tools", "core", "--schema", style)["schemas"] == expected


@pytest.mark.parametrize("mode", [None, "analyze", "planner"])
def test_the_prompt_is_printed_as_it_is(shell: Shell, mode: str | None) -> None:
    asked = ["--mode", mode] if mode else []
    assert shell.ok("tools", "surgical", "--prompt", *asked) == prompt_for("surgical", mode)
    assert shell.json("tools", "--prompt", *asked)["prompt"] == prompt_for("core", mode)


def test_a_mode_leaves_out_what_it_does_not_allow(shell: Shell) -> None:
    def names(*more: str) -> list[str]:
        return [each["name"] for each in shell.json("tools", "surgical", *more)["tools"]]

    assert "report_findings" in names("--mode", "analyze")
    assert "edit_file" not in names("--mode", "analyze")
    assert names("--mode", "modify")[-1] == "write_file"
    assert "write_file" not in names("--read-only")
    listed = shell.json("--mode", "research", "tools", "core")["tools"]
    assert [each["name"] for each in listed] == ["read", "list", "outline", "search", "history", "review_feedback"]
    toolsets = {each["name"]: each["tools"] for each in shell.json("tools", "--mode", "research")["toolsets"]}
    assert (toolsets["core"], toolsets["openai"]) == ([each["name"] for each in listed], [])
    assert "none in this mode" in shell.ok("tools", "--mode", "research")


def test_the_modes_that_can_be_typed_are_those_of_the_session() -> None:
    assert set(group.MODES) == set(MODES)


def test_what_there_is_not_is_refused(shell: Shell) -> None:
    assert shell.kind("tools", "cor") == "bad-request"
    assert shell.kind("tools", "core", "--schema", "gopher") == "bad-request"
    assert shell.kind("tools", "core", "--schema", "mcp", "--prompt") == "bad-request"
    assert shell.kind("tools", "core", "read", "--prompt") == "bad-request"
    assert shell.kind("tools", "surgical", "--mode", "planner") == "bad-request"


def test_nothing_is_opened_or_made(shell: Shell) -> None:
    shell.ok("--root", str(shell.root / "nowhere"), "tools", "core")
    assert not (shell.root / ".steadyhand").exists()
