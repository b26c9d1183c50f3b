"""OpenAI's client: its real classes over a scripted API, for chat completions and for responses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from steadyhand.surfaces.adapters.openai import answers, answers_async, tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story
from tests.adapters.framework import Framework
from tests.adapters.web import Api

openai = Framework("openai")
openai_chat, openai_responses = Framework("openai.types.chat"), Framework("openai.types.responses")


def chat(*calls: Mapping[str, object], content: str | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {})}
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message, "logprobs": None}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def function(arguments: object, id: str = "call_1", name: str = "edit_file") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def response(*output: Mapping[str, object]) -> dict[str, Any]:
    return {
        "id": "r", "object": "response", "created_at": 1, "model": "m", "output": list(output), "status": "completed",
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip


def said(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


def patch_call(kind: str, path: str, diff: str | None = None, id: str = "call_1") -> dict[str, Any]:
    operation = {"type": kind, "path": path, **({} if diff is None else {"diff": diff})}
    return {"type": "apply_patch_call", "id": "ap", "call_id": id, "status": "completed", "operation": operation}


@pytest.fixture
def clients() -> Iterator[list[Any]]:
    made: list[Any] = []
    yield made
    for client in made:
        client.close()


def client_of(api: Api, clients: list[Any]) -> Any:
    clients.append(openai.OpenAI(api_key="none", http_client=api.client(), max_retries=0))
    return clients[-1]


def test_the_chat_example_ends_with_the_edit_put_right(root: Path, clients: list[Any]) -> None:
    api = Api([chat(function(story.TWICE)), chat(function(story.ONCE, "call_2")), chat(content=story.CLOSING)])
    assert story.example("openai_chat")(str(root), story.TASK, client_of(api, clients)) == story.CLOSING
    story.check_tree(root)
    answered = api.asked[1]["messages"][-1]
    assert (answered["role"], answered["tool_call_id"]) == ("tool", "call_1")
    story.check_answer(answered["content"])
    assert api.asked[2]["messages"][-1]["content"].startswith("edited notes.md:3 [id ")
    assert {tool["function"]["strict"] for tool in api.asked[0]["tools"]} == {True}


def test_the_responses_example_sends_patches_and_their_outputs(root: Path, clients: list[Any]) -> None:
    wrong = patch_call("update_file", "notes.md", "@@\n-status: draft\n+status: done\n")
    right = patch_call("update_file", "notes.md", "@@ # Notes\n \n-status: draft\n+status: done\n", "call_2")
    api = Api([response(wrong), response(right), response(said(story.CLOSING))])
    assert story.example("openai_responses")(str(root), story.TASK, client_of(api, clients)) == story.CLOSING
    story.check_tree(root, "apply_patch", reason=None)
    outputs = [item for item in api.asked[2]["input"] if item.get("type") == "apply_patch_call_output"]
    assert [(item["call_id"], item["status"]) for item in outputs] == [("call_1", "failed"), ("call_2", "completed")]
    assert "2 places" in outputs[0]["output"]
    assert api.asked[0]["tools"] == [{"type": "apply_patch"}]


def test_functions_of_a_response_are_answered_by_their_call_ids(ws: sh.Workspace) -> None:
    call = {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "edit_file", "status": "completed"}
    reply = openai_responses.Response.model_validate(
        response({**call, "arguments": json.dumps(story.TWICE)}, said("…"))
    )
    (item,) = answers(ws.tools("surgical"), reply)
    assert (item["type"], item["call_id"]) == ("function_call_output", "call_1")
    story.check_answer(str(item["output"]))


def test_an_answer_goes_to_whoever_made_the_call(ws: sh.Workspace) -> None:
    caller = {"type": "program", "caller_id": "program_1"}
    call = {"type": "function_call", "call_id": "call_1", "name": "edit_file", "arguments": "{}", "caller": caller}
    (item,) = answers(ws.tools("surgical"), openai_responses.Response.model_validate(response(call)))
    assert item["caller"] == caller


def test_a_free_form_tool_takes_its_whole_input_as_a_patch(ws: sh.Workspace, root: Path) -> None:
    text = "*** Begin Patch\n*** Update File: notes.md\n@@ # Notes\n \n-status: draft\n+status: done\n*** End Patch\n"
    call = {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": text}
    (item,) = answers(ws.tools("openai"), openai_responses.Response.model_validate(response(call)))
    assert (item["type"], item["call_id"]) == ("custom_tool_call_output", "call_1")
    assert "M notes.md" in str(item["output"])
    assert (root / "notes.md").read_text(encoding="utf-8") == story.AFTER


def test_calls_of_one_reply_are_made_in_order_and_each_is_answered(ws: sh.Workspace, root: Path) -> None:
    first = {"path": "notes.md", "old_content": "# Notes", "new_content": "# One"}
    second = {"path": "notes.md", "old_content": "# One", "new_content": "# Two"}
    reply = openai_chat.ChatCompletion.model_validate(
        chat(function(first, "a"), function(second, "b"), function({}, "c", "edit_fil"), function("{", "d"))
    )
    seen: list[Made] = []
    made = answers(ws.tools("surgical"), reply, watch=seen.append)
    assert [item["tool_call_id"] for item in made] == ["a", "b", "c", "d"]
    assert [each.kind for each in seen] == [None, None, sh.Kind.BAD_REQUEST, sh.Kind.BAD_REQUEST]
    assert "did you mean 'edit_file'?" in str(made[2]["content"])
    assert (root / "notes.md").read_text(encoding="utf-8").startswith("# Two\n")


def test_tools_of_the_application_are_left_to_it(ws: sh.Workspace) -> None:
    reply = openai_chat.ChatCompletion.model_validate(chat(function(story.TWICE, "a"), function({}, "b", "weather")))
    assert [item["tool_call_id"] for item in answers(ws.tools("surgical"), reply, skip=["weather"])] == ["a"]


@pytest.mark.parametrize("form", ["completion", "message", "dict"])
def test_a_reply_may_be_the_clients_object_its_message_or_plain_json(ws: sh.Workspace, form: str) -> None:
    plain = chat(function(story.TWICE))
    reply = openai_chat.ChatCompletion.model_validate(plain)
    given = {"completion": reply, "message": reply.choices[0].message, "dict": plain}[form]
    assert len(answers(ws.tools("surgical"), given)) == 1


def test_the_asynchronous_client_is_answered_the_same_way(ws: sh.Workspace, root: Path) -> None:
    api = Api([chat(function(story.ONCE))])

    async def one_turn() -> list[dict[str, object]]:
        async with openai.AsyncOpenAI(api_key="none", http_client=api.async_client()) as client:
            kit = ws.tools("surgical")
            reply = await client.chat.completions.create(model="m", messages=[], tools=tools(kit))
            return await answers_async(kit, reply)

    (message,) = asyncio.run(one_turn())
    assert str(message["content"]).startswith("edited notes.md:3 [id ")
    story.check_tree(root)


@pytest.mark.parametrize("strict", [False, True])
def test_tools_come_in_the_form_of_each_api(ws: sh.Workspace, strict: bool) -> None:
    kit = ws.tools("surgical")
    of_chat = [tool["function"] for tool in tools(kit, strict=strict)]
    of_responses = [dict(tool) for tool in tools(kit, api="responses", strict=strict)]
    assert [tool.pop("type") for tool in of_responses] == ["function"] * len(of_chat)
    assert of_responses == of_chat
    assert {tool["strict"] for tool in of_responses} == {strict}
