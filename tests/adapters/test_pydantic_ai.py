"""The toolset of pydantic-ai, driven by its own function model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.adapters.pydantic_ai import tools
from steadyhand.tools.framework_calls import Made
from steadyhand.tools.toolsets import toolsets
from tests.adapters import story
from tests.adapters.framework import Framework

pydantic_ai, messages_of = Framework("pydantic_ai"), Framework("pydantic_ai.messages")
function_model, test_model = Framework("pydantic_ai.models.function"), Framework("pydantic_ai.models.test")

Script = list[Mapping[str, object] | str]


def scripted(script: Script, heard: list[list[Any]], asked: list[Any]) -> Any:
    """A model that calls `edit_file` with each of the arguments in turn, then says the closing word."""

    def reply(messages: list[Any], info: Any) -> Any:
        heard.append(list(messages[-1].parts))
        asked.append(info)
        if len(heard) > len(script):
            return messages_of.ModelResponse([messages_of.TextPart(story.CLOSING)])
        arguments = script[len(heard) - 1]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return messages_of.ModelResponse([messages_of.ToolCallPart("edit_file", text)])

    return function_model.FunctionModel(reply)


def run(ws: sh.Workspace, script: Script, **options: Any) -> tuple[list[list[Any]], list[Any]]:
    heard: list[list[Any]] = []
    agent = pydantic_ai.Agent(scripted(script, heard, []), toolsets=[tools(ws.tools("surgical"), **options)])
    return heard, agent.run_sync(story.TASK).all_messages()


def test_the_example_ends_with_the_edit_put_right(root: Path) -> None:
    heard: list[list[Any]] = []
    asked: list[Any] = []
    model = scripted([story.TWICE, story.ONCE], heard, asked)
    assert story.example("pydantic_ai_agent")(str(root), story.TASK, model) == story.CLOSING
    story.check_tree(root)
    story.check_answer(heard[1][0].model_response_str())
    offered = {tool.name: tool.parameters_json_schema.get("required") for tool in asked[0].function_tools}
    assert offered["edit_file"] == ["path", "old_content", "new_content"]
    with sh.Workspace(root, actor="check") as ws:
        assert asked[0].instructions == ws.tools("surgical").prompt().strip()


def test_a_refusal_that_a_call_can_repair_asks_for_it_and_any_other_is_terminal(ws: sh.Workspace) -> None:
    _, messages = run(ws, [story.TWICE, story.ELSEWHERE])
    outcomes = [
        (part.outcome, str(part.content).split("\n")[0])
        for message in messages
        for part in message.parts
        if isinstance(part, messages_of.ToolReturnPart)
    ]
    assert [outcome for outcome, _ in outcomes] == ["retried", "failed"]
    assert outcomes[1][1].startswith("outside-root: ")


def test_the_model_gets_little_and_the_application_everything(ws: sh.Workspace) -> None:
    seen: list[Made] = []
    _, messages = run(ws, [story.TWICE, story.ONCE], watch=seen.append)
    done = [
        part
        for message in messages
        for part in message.parts
        if isinstance(part, messages_of.ToolReturnPart) and part.outcome == "success"
    ]
    assert [made.kind for made in seen] == [sh.Kind.AMBIGUOUS_MATCH, None]
    assert done[0].metadata == seen[1].facts()
    assert "+status: done" in done[0].metadata["diff"]
    assert done[0].content == seen[1].text
    ws.undo(done[0].metadata["records"][0])


def test_refusals_in_a_row_end_the_run_only_after_the_retries_that_the_host_allows(ws: sh.Workspace) -> None:
    run(ws, [story.TWICE] * 5)
    with pytest.raises(pydantic_ai.UnexpectedModelBehavior):
        run(ws, [story.TWICE] * 2, max_retries=1)


@pytest.mark.parametrize("arguments", ['{"path": ', '"text"', "[1]", json.dumps({"file": "notes.md", "nonsense": 1})])
def test_arguments_that_make_no_sense_are_a_mistake_that_the_model_can_repair(ws: sh.Workspace, arguments: str) -> None:
    heard, _ = run(ws, [arguments, story.ONCE])
    assert [part.outcome for parts in heard[1:] for part in parts] == ["retried", "success"]


def test_edits_that_a_model_sends_together_are_made_in_their_order(ws: sh.Workspace, root: Path) -> None:
    first = {"path": "notes.md", "old_content": "# Notes", "new_content": "# One"}
    second = {"path": "notes.md", "old_content": "# One", "new_content": "# Two"}

    def reply(messages: list[Any], info: Any) -> Any:
        if len(messages) > 1:
            return messages_of.ModelResponse([messages_of.TextPart(story.CLOSING)])
        return messages_of.ModelResponse(
            [messages_of.ToolCallPart("edit_file", first), messages_of.ToolCallPart("edit_file", second)]
        )

    pydantic_ai.Agent(function_model.FunctionModel(reply), toolsets=[tools(ws.tools("surgical"))]).run_sync(story.TASK)
    assert (root / "notes.md").read_text(encoding="utf-8").startswith("# Two\n")


def test_the_frameworks_test_model_can_make_up_arguments_from_the_schema(ws: sh.Workspace, root: Path) -> None:
    (root / "a").write_text("one line\n", encoding="utf-8")  # what it makes up for any string
    agent = pydantic_ai.Agent(test_model.TestModel(call_tools=["read_file"]), toolsets=[tools(ws.tools("surgical"))])
    assert "1: one line" in agent.run_sync(story.TASK).output


@pytest.mark.parametrize("toolset", toolsets())
def test_the_frameworks_test_model_can_call_every_tool_of_every_toolset(toolset: str, root: Path) -> None:
    (root / "a").write_text("one line\n", encoding="utf-8")
    (root / "a.md").write_text("# One\n", encoding="utf-8")
    with sh.Workspace(root, actor="test-model") as ws:
        kit = ws.tools(toolset, article="a.md" if toolset == "article" else None)
        done = pydantic_ai.Agent(test_model.TestModel(), toolsets=[tools(kit, max_retries=None)]).run_sync(story.TASK)
        parts = [part for message in done.all_messages() for part in message.parts]
        answered = {part.tool_name for part in parts if isinstance(part, messages_of.ToolReturnPart)}
        assert answered == {tool.name for tool in kit.tools}
        assert ws.check().ok


def test_what_a_mode_hides_is_not_there(root: Path) -> None:
    asked: list[Any] = []
    with sh.Workspace(root, actor="reader", read_only=True) as reading:
        pydantic_ai.Agent(scripted([], [], asked), toolsets=[tools(reading.tools("surgical"))]).run_sync(story.TASK)
    names = {tool.name for tool in asked[0].function_tools}
    assert "read_file" in names
    assert "edit_file" not in names
