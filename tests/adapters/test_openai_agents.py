"""The OpenAI Agents SDK with a scripted model: function tools, and the editor behind its patch tool."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.adapters.openai_agents import PatchEditor, tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story
from tests.adapters.framework import Framework

agents, editors, items = Framework("agents"), Framework("agents.editor"), Framework("agents.items")
responses = Framework("openai.types.responses")
patch_calls = Framework("openai.types.responses.response_apply_patch_tool_call")


@pytest.fixture(autouse=True)
def untraced() -> None:
    agents.set_tracing_disabled(True)


def scripted(*script: Any) -> Any:
    """A model that says the items of its script, one a turn, then the closing word."""

    class Scripted(agents.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            self.script = [*script, said(story.CLOSING)]
            self.heard: list[Any] = []
            self.tools: list[Any] = []

        async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **options: Any) -> Any:
            self.heard.append(input)
            self.tools = options["tools"]
            return agents.ModelResponse([self.script[len(self.heard) - 1]], agents.Usage(), None)

        def stream_response(self, *rest: Any, **options: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def said(text: str) -> Any:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return responses.ResponseOutputMessage.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
    )


def call(arguments: Mapping[str, object] | str, id: str = "call_1") -> Any:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return responses.ResponseFunctionToolCall(arguments=text, call_id=id, name="edit_file", type="function_call")


def patch(diff: str, id: str = "call_1") -> Any:
    operation = {"type": "update_file", "path": "notes.md", "diff": diff}
    return patch_calls.ResponseApplyPatchToolCall.model_validate(
        {"id": id, "call_id": id, "operation": operation, "status": "completed", "type": "apply_patch_call"}
    )


def outputs(heard: Any) -> list[dict[str, Any]]:
    return [item for item in heard if str(item.get("type")).endswith("_output")]


def test_the_example_ends_with_the_edit_put_right(root: Path) -> None:
    model = scripted(call(story.TWICE), call(story.ONCE, "call_2"))
    assert asyncio.run(story.example("openai_agents_agent")(str(root), story.TASK, model)) == story.CLOSING
    story.check_tree(root)
    story.check_answer(outputs(model.heard[1])[0]["output"])
    assert all(tool.strict_json_schema for tool in model.tools)


def test_the_example_with_the_patch_tool_reports_a_failed_patch_as_failed(root: Path) -> None:
    model = scripted(
        patch("@@\n-status: draft\n+status: done\n"),
        patch("@@ # Notes\n \n-status: draft\n+status: done\n", "call_2"),
    )
    edit = story.example("openai_agents_agent")
    assert asyncio.run(edit(str(root), story.TASK, model, "openai")) == story.CLOSING
    story.check_tree(root, "apply_patch", reason=None)
    answered = outputs(model.heard[2])
    assert [(item["call_id"], item["status"]) for item in answered] == [("call_1", "failed"), ("call_2", "completed")]
    assert "2 places" in answered[0]["output"]
    assert [type(tool) for tool in model.tools] == [agents.ApplyPatchTool]


def test_the_application_finds_the_full_result_at_the_item_that_answers_a_call(ws: sh.Workspace) -> None:
    seen: list[Made] = []
    made = tools(ws.tools("surgical"), watch=seen.append)
    agent = agents.Agent("editor", tools=list(made), model=scripted(call(story.TWICE), call(story.ONCE, "call_2")))
    result = asyncio.run(agents.Runner.run(agent, story.TASK))
    answered = [item for item in result.new_items if isinstance(item, items.ToolCallOutputItem)]
    assert [item.custom_data for item in answered] == [each.facts() for each in seen]
    assert [each.kind for each in seen] == [sh.Kind.AMBIGUOUS_MATCH, None]
    assert str(answered[1].output) == seen[1].text


@pytest.mark.parametrize("arguments", ["{", "[]", '{"path": "notes.md"}', json.dumps({**story.ONCE, "x": 1})])
def test_arguments_that_make_no_sense_are_shown_by_us_and_not_hidden_by_the_sdk(
    ws: sh.Workspace, arguments: str
) -> None:
    model = scripted(call(arguments))
    agent = agents.Agent("editor", tools=list(tools(ws.tools("surgical"))), model=model)
    asyncio.run(agents.Runner.run(agent, story.TASK))
    assert outputs(model.heard[1])[0]["output"].startswith("bad-request: ")


def test_plain_schemas_are_there_for_models_that_know_no_strict_ones(ws: sh.Workspace) -> None:
    plain = [tool for tool in tools(ws.tools("surgical"), strict=False) if isinstance(tool, agents.FunctionTool)]
    assert [tool.strict_json_schema for tool in plain] == [False] * len(plain)
    assert {tool.name: tool.params_json_schema for tool in plain}["edit_file"]["required"] == [
        "path",
        "old_content",
        "new_content",
    ]


def test_the_editor_creates_moves_and_deletes_and_says_what_it_would_not(ws: sh.Workspace, root: Path) -> None:
    editor = PatchEditor(ws.tools("openai"))
    assert isinstance(editor, editors.ApplyPatchEditor)
    create = editors.ApplyPatchOperation(type="create_file", path="new.md", diff="+one\n")
    move = editors.ApplyPatchOperation(type="update_file", path="new.md", diff="@@\n-one\n+two\n", move_to="moved.md")
    delete = editors.ApplyPatchOperation(type="delete_file", path="notes.md")

    async def run() -> list[str | None]:
        steps = [
            editor.create_file(create),
            editor.create_file(create),
            editor.update_file(move),
            editor.delete_file(delete),
        ]
        return [(await step).status for step in steps]

    assert asyncio.run(run()) == ["completed", "failed", "completed", "completed"]
    assert {path.name: path.read_text() for path in root.glob("*.md")} == {"moved.md": "two\n"}
