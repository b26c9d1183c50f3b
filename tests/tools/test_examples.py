"""Every example that a tool declares is a call that comes out as it says, also where changes are held: then its task
sees them, and the disk has them once they are accepted. Every tool has a success and a refusal.
"""

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


@table("case", all_examples(), ids=case_name, every=9)
def test_an_example_comes_out_the_same_where_changes_are_held(case: Case, tmp_path: Path) -> None:
    name, tool, example = case
    lay_out(tmp_path, example.files)
    own, settings = split_settings(example.settings)
    with sh.Workspace(tmp_path, actor="examples", hold=True, **own) as workspace:
        answer = make_calls(workspace.tools(name, **settings), tool, example, tmp_path)
        if isinstance(answer.get("content"), str):
            answer["content"] = answer["content"].removesuffix("\nNote: held for review")
        assert holds(answer, example.result), answer
        assert tree(tmp_path) == dict(example.files)
        seen = {path: workspace.read(path).text for path in workspace.files().files}
        assert seen == {path: text for path, text in expected_tree(example).items() if not path.startswith(".git/")}
        review = workspace.review()
        if waiting := [change.id for change in review.waiting]:
            review.accept(waiting)
    assert tree(tmp_path) == expected_tree(example)


@table("name", toolsets())
def test_every_tool_shows_a_success_and_a_refusal(name: str) -> None:
    for tool in tools_of(name):
        answers = [example.result for example in tool.examples]
        assert any(failed(answer) for answer in answers), tool.name
        assert any(not failed(answer) for answer in answers), tool.name
