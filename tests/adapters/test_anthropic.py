"""Anthropic's client: its real classes and its tool runner over a scripted API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.adapters.anthropic import answers, answers_async, runnable, runnable_async, tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story
from tests.adapters.framework import Framework
from tests.adapters.web import Api

anthropic, types = Framework("anthropic"), Framework("anthropic.types")

TWICE = {"command": "str_replace", "path": "notes.md", "old_str": "status: draft", "new_str": "status: done"}
ONCE = {**TWICE, "old_str": "# Notes\n\nstatus: draft", "new_str": "# Notes\n\nstatus: done"}


def message(*content: Mapping[str, object]) -> dict[str, Any]:
    stop = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "msg", "type": "message", "role": "assistant", "model": "m", "content": list(content),
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def use(arguments: Mapping[str, object], id: str = "toolu_1", name: str = "edit_file") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.fixture
def clients() -> Iterator[list[Any]]:
    made: list[Any] = []
    yield made
    for client in made:
        client.close()


def client_of(api: Api, clients: list[Any]) -> Any:
    clients.append(anthropic.Anthropic(api_key="none", http_client=api.client(), max_retries=0))
    return clients[-1]


def test_the_example_ends_with_the_edit_put_right(root: Path, clients: list[Any]) -> None:
    editor = "str_replace_based_edit_tool"
    api = Api([
        message(use(TWICE, "toolu_1", editor)),
        message(said("Again:"), use(ONCE, "toolu_2", editor)),
        message(said(story.CLOSING)),
    ])  # fmt: skip
    assert story.example("anthropic_messages")(str(root), story.TASK, client_of(api, clients)) == story.CLOSING
    story.check_tree(root, editor, reason=None)
    first, second = (asked["messages"][-1]["content"][0] for asked in api.asked[1:])
    assert (first["type"], first["tool_use_id"], first["is_error"]) == ("tool_result", "toolu_1", True)
    assert "Found 2 matches" in first["content"]
    assert "is_error" not in second
    assert {"type": "text_editor_20250728", "name": editor} in api.asked[0]["tools"]
    assert {"type": "memory_20250818", "name": "memory"} in api.asked[0]["tools"]


def test_our_own_tools_come_with_their_schemas(ws: sh.Workspace) -> None:
    offered = {str(tool["name"]): tool for tool in tools(ws.tools("surgical"))}
    schema: Any = offered["edit_file"]["input_schema"]
    assert schema["required"] == ["path", "old_content", "new_content"]


def test_a_refusal_is_an_error_for_the_model_and_a_result_for_the_application(ws: sh.Workspace) -> None:
    seen: list[Made] = []
    reply = types.Message.model_validate(message(use(story.TWICE, "a"), use(story.ONCE, "b"), use({}, "c", "weather")))
    blocks = answers(ws.tools("surgical"), reply, skip=["weather"], watch=seen.append)
    assert [(block["tool_use_id"], block.get("is_error", False)) for block in blocks] == [("a", True), ("b", False)]
    story.check_answer(str(blocks[0]["content"]))
    assert [made.kind for made in seen] == [sh.Kind.AMBIGUOUS_MATCH, None]
    assert ws.show(seen[1].records[0]).record.files[0].edits[0].reason == "it is finished"


def test_the_tool_runner_shows_a_refusal_and_goes_on(ws: sh.Workspace, root: Path, clients: list[Any]) -> None:
    api = Api([message(use(story.TWICE)), message(use(story.ONCE, "toolu_2")), message(said(story.CLOSING))])
    runner = client_of(api, clients).beta.messages.tool_runner(
        model="m", max_tokens=100, messages=[{"role": "user", "content": story.TASK}],
        tools=runnable(ws.tools("surgical")),
    )  # fmt: skip
    assert runner.until_done().content[0].text == story.CLOSING
    story.check_tree(root)
    (refused,) = api.asked[1]["messages"][-1]["content"]
    assert refused["is_error"] is True
    story.check_answer(str(refused["content"]))


def test_the_asynchronous_runner_and_answers_do_the_same(ws: sh.Workspace, root: Path) -> None:
    api = Api([message(use(story.TWICE)), message(use(story.ONCE, "toolu_2")), message(said(story.CLOSING))])
    kit = ws.tools("surgical")

    async def run() -> list[dict[str, object]]:
        async with anthropic.AsyncAnthropic(api_key="none", http_client=api.async_client()) as client:
            runner = client.beta.messages.tool_runner(
                model="m", max_tokens=100, messages=[{"role": "user", "content": story.TASK}], tools=runnable_async(kit)
            )
            await runner.until_done()
            return await answers_async(kit, types.Message.model_validate(message(use(story.ONCE))))

    (again,) = asyncio.run(run())
    assert again["is_error"] is True
    assert str(again["content"]).startswith("no-match: ")
    story.check_tree(root)
