"""Every example that a tool declares is a call that comes out as it says; every tool has a success and a refusal."""

from __future__ import annotations

from pathlib import Path

import jsonschema

import steadyhand as sh
from steadyhand.schema import plain_schema
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.table import table
from tests.tools.examples import (
    Case,
    all_examples,
    case_name,
    expected_tree,
    filled,
    holds,
    lay_out,
    make_calls,
    split_settings,
    tree,
)


@table("case", all_examples(), ids=case_name)
def test_an_example_comes_out_as_it_says(case: Case, tmp_path: Path) -> None:
    name, tool, example = case
    lay_out(tmp_path, example.files)
    own, settings = split_settings(example.settings)
    with sh.Workspace(tmp_path, actor="examples", **own) as workspace:
        answer = make_calls(workspace.tools(name, **settings), tool, example, tmp_path)
    assert holds(answer, example.result), answer
    assert tree(tmp_path) == expected_tree(example)
    if not failed(answer):
        jsonschema.validate(answer, plain_schema(tool.result))
        jsonschema.validate(filled(example.arguments, tmp_path), plain_schema(tool.parameters))


@table("name", toolsets())
def test_every_tool_shows_a_success_and_a_refusal(name: str) -> None:
    for tool in tools_of(name):
        answers = [example.result for example in tool.examples]
        assert any(failed(answer) for answer in answers), tool.name
        assert any(not failed(answer) for answer in answers), tool.name
