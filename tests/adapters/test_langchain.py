"""The tools of LangChain, called directly, from an event loop and by a scripted chat model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.adapters.langchain import tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story
from tests.adapters.framework import Framework

fake_chat_models = Framework("langchain_core.language_models.fake_chat_models")
messages_of = Framework("langchain_core.messages")
function_calling = Framework("langchain_core.utils.function_calling")


def scripted(replies: list[Any]) -> Any:
    """A chat model with tools, which says its lines and keeps what it heard."""

    class Scripted(fake_chat_models.FakeMessagesListChatModel):  # type: ignore[misc]
        heard: list[list[Any]] = []
        bound: list[Any] = []

        def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
            self.bound += tools
            return self

        def _generate(self, messages: list[Any], *rest: Any, **options: Any) -> Any:
            self.heard.append(list(messages))
            return super()._generate(messages, *rest, **options)

    return Scripted(responses=replies)


def call(arguments: Mapping[str, object], id: str = "call_1") -> dict[str, Any]:
    return {"name": "edit_file", "args": dict(arguments), "id": id, "type": "tool_call"}


def edit_tool(ws: sh.Workspace, **options: Any) -> Any:
    return next(tool for tool in tools(ws.tools("surgical"), **options) if tool.name == "edit_file")


def test_the_example_ends_with_the_edit_put_right(root: Path) -> None:
    replies: list[Any] = [
        messages_of.AIMessage("", tool_calls=[call(story.TWICE)]),
        messages_of.AIMessage("", tool_calls=[call(story.ONCE, "call_2")]),
        messages_of.AIMessage(story.CLOSING),
    ]
    model = scripted(replies)
    assert story.example("langchain_tools")(str(root), story.TASK, model) == story.CLOSING
    story.check_tree(root)
    refused, done = model.heard[1][-1], model.heard[2][-1]
    assert isinstance(refused, messages_of.ToolMessage)
    assert isinstance(done, messages_of.ToolMessage)
    assert (refused.status, refused.tool_call_id) == ("error", "call_1")
    story.check_answer(refused.text)
    assert (done.status, done.tool_call_id) == ("success", "call_2")


@pytest.mark.parametrize("is_async", [False, True])
def test_both_ways_of_calling_give_the_model_text_and_the_application_the_result(
    ws: sh.Workspace, root: Path, is_async: bool
) -> None:
    seen: list[Made] = []
    tool = edit_tool(ws, watch=seen.append)
    wanted = [call(story.TWICE), call(story.ONCE)]
    messages = [asyncio.run(tool.ainvoke(each)) if is_async else tool.invoke(each) for each in wanted]
    assert [message.status for message in messages] == ["error", "success"]
    assert [message.artifact for message in messages] == [made.facts() for made in seen]
    assert messages[0].artifact["result"]["kind"] == "ambiguous-match"
    assert "+status: done" in messages[1].artifact["diff"]
    story.check_tree(root)


def test_called_with_bare_arguments_a_tool_answers_with_its_text(ws: sh.Workspace) -> None:
    story.check_answer(edit_tool(ws).invoke(dict(story.TWICE)))


def test_other_names_are_repaired_and_unknown_ones_refused(ws: sh.Workspace) -> None:
    tool = edit_tool(ws)
    wrong = tool.invoke(call({"file": "notes.md", "pattern": "x"}))
    assert wrong.status == "error"
    assert wrong.text.startswith("bad-request: pattern: unknown field")
    right = tool.invoke(call({"file": "notes.md", "search": "# Notes", "replace": "# N"}))
    assert right.artifact["result"]["repaired"][0] == "file: taken for path"


def test_a_model_is_shown_our_schema(ws: sh.Workspace) -> None:
    shown = {
        tool.name: function_calling.convert_to_openai_tool(tool)["function"]["parameters"]
        for tool in tools(ws.tools("surgical"))
    }
    assert shown["edit_file"]["required"] == ["path", "old_content", "new_content"]
    assert shown["edit_file"]["properties"]["occurrence"]["type"] == "integer"
