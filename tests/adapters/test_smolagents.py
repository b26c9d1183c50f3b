"""The tools of smolagents, called in code that a scripted model writes, and one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from smolagents import ChatMessage, LogLevel, MessageRole, Model, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

import steadyhand as sh
from steadyhand.surfaces.adapters.smolagents import Refused, tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story


class Scripted(Model):
    """Says its lines, one a turn."""

    def __init__(self, *script: Any) -> None:
        super().__init__(model_id="scripted")
        self.script = list(script)
        self.heard: list[str] = []

    def generate(self, messages: list[Any], *rest: Any, **options: Any) -> ChatMessage:
        self.heard.append("\n".join(str(message.content) for message in messages))
        said = self.script[len(self.heard) - 1]
        if isinstance(said, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=said)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=said)


def code(text: str) -> str:
    return f"Thought: go on.\n<code>\n{text}\n</code>"


def call(name: str, **arguments: object) -> list[ChatMessageToolCall]:
    function = ChatMessageToolCallFunction(arguments=arguments, name=name)
    return [ChatMessageToolCall(function=function, id=f"call_{name}", type="function")]


def by_name(ws: sh.Workspace, toolset: str = "surgical", **options: Any) -> dict[str, Any]:
    return {tool.name: tool for tool in tools(ws.tools(toolset), **options)}


def test_the_example_ends_with_the_edit_put_right(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice, once = (", ".join(f"{name}={value!r}" for name, value in each.items()) for each in (story.TWICE, story.ONCE))
    model = Scripted(
        code(f"edit_file({twice})\nfinal_answer('never said')"),
        code(f"done = edit_file({once})\nprint('line', done['lines']['end'])"),
        code(f"final_answer({story.CLOSING!r})"),
    )
    assert story.example("smolagents_agent")(str(root), story.TASK, model) == story.CLOSING
    story.check_tree(root)
    story.check_answer(model.heard[1].replace("\\n", "\n"))
    assert "line 3" in model.heard[2]
    capsys.readouterr()


def test_an_agent_that_calls_tools_is_shown_refusals_too(ws: sh.Workspace, root: Path) -> None:
    model = Scripted(
        call("edit_file", **story.TWICE),
        call("edit_file", **story.ONCE),
        call("final_answer", answer=story.CLOSING),
    )
    agent = ToolCallingAgent(tools=tools(ws.tools("surgical")), model=model, verbosity_level=LogLevel.OFF)
    assert agent.run(story.TASK) == story.CLOSING
    story.check_answer(model.heard[1].replace("\\n", "\n"))
    story.check_tree(root)


def test_a_refusal_is_raised_with_everything_that_is_known_of_it(ws: sh.Workspace) -> None:
    seen: list[Made] = []
    tool = by_name(ws, watch=seen.append)["edit_file"]
    with pytest.raises(Refused) as refusal:
        tool(**story.TWICE)
    story.check_answer(str(refusal.value))
    assert refusal.value.made is seen[0]
    assert refusal.value.made.kind is sh.Kind.AMBIGUOUS_MATCH


def test_a_result_is_a_dict_that_code_can_read_and_a_native_answer_its_text(ws: sh.Workspace) -> None:
    assert by_name(ws)["read_file"]("notes.md")["totalLines"] == 7
    shown = by_name(ws, "claude")["str_replace_based_edit_tool"](command="view", path="notes.md")
    assert shown.startswith("1")
    assert "status: draft" in shown


def test_what_is_inside_an_array_is_reported_in_words(ws: sh.Workspace) -> None:
    inputs = by_name(ws, "coder")["apply_edits"].inputs
    assert (inputs["path"]["type"], inputs["edits"]["type"]) == ("string", "array")
    reported = json.loads(inputs["edits"]["description"].split("has it: ")[1])
    assert "newText" in reported["items"]["properties"]


def test_only_what_may_be_left_out_is_nullable(ws: sh.Workspace) -> None:
    inputs = by_name(ws)["edit_file"].inputs
    assert {name for name, each in inputs.items() if each.get("nullable")} == {"occurrence", "reason"}
