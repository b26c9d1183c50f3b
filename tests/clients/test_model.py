"""The scripted model is one that official SDKs can talk to, and follows its script in each protocol."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.clients.model import DONE, Script, ScriptedModel, Step
from tests.table import table

if TYPE_CHECKING:
    import anthropic
    import openai

NAME = "mcp__steadyhand__edit"
SCHEMA = {"type": "object", "properties": {}}
STEPS = (Step("edit", lambda answers: {"n": 1}), Step("edit", lambda answers: {"before": answers[-1]}))


def by_anthropic(url: str) -> list[Any]:
    import anthropic

    with anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client:
        return _by_anthropic(client)


def _by_anthropic(client: anthropic.Anthropic) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    said: list[Any] = []
    while True:
        tools: Any = [{"name": NAME, "input_schema": SCHEMA}]
        with client.messages.stream(model="m", max_tokens=9, messages=messages, tools=tools) as stream:
            reply = stream.get_final_message()
        call = next((block for block in reply.content if block.type == "tool_use"), None)
        if call is None:
            return [*said, reply.content[0].text]  # type: ignore[union-attr]
        said.append(call.input)
        answer = {"type": "tool_result", "tool_use_id": call.id, "content": f"done {len(said)}"}
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": [answer]}]


def by_responses(url: str) -> list[Any]:
    import openai

    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        return _by_responses(client)


def _by_responses(client: openai.OpenAI) -> list[Any]:
    items: list[Any] = [{"role": "user", "content": "go"}]
    tools: Any = [{"type": "function", "name": NAME, "parameters": SCHEMA, "strict": False}]
    said: list[Any] = []
    while True:
        events = client.responses.create(model="m", input=items, tools=tools, stream=True)
        reply = [event for event in events if event.type == "response.completed"][-1].response
        call = reply.output[0]
        if call.type != "function_call":
            return [*said, reply.output_text]
        said.append(json.loads(call.arguments))
        answer = {"type": "function_call_output", "call_id": call.call_id, "output": f"done {len(said)}"}
        items += [call.model_dump(exclude_none=True), answer]


def by_chat(url: str) -> list[Any]:
    import openai

    with openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        return _by_chat(client)


def _by_chat(client: openai.OpenAI) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    tools: Any = [{"type": "function", "function": {"name": NAME, "parameters": SCHEMA}}]
    said: list[Any] = []
    while True:
        chunks = list(client.chat.completions.create(model="m", messages=messages, tools=tools, stream=True))
        delta = chunks[0].choices[0].delta
        if not delta.tool_calls:
            return [*said, delta.content]
        call = delta.tool_calls[0]
        said.append(json.loads(call.function.arguments))  # type: ignore[union-attr,arg-type]
        messages.append({"role": "assistant", "tool_calls": [call.model_dump(exclude={"index"})]})
        messages.append({"role": "tool", "tool_call_id": call.id, "content": f"done {len(said)}"})


def by_gemini(url: str) -> list[Any]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": "go"}]}]
    said: list[Any] = []
    while True:
        body = {"contents": contents, "tools": [{"functionDeclarations": [{"name": NAME}]}]}
        address = f"{url}/v1beta/models/m:streamGenerateContent?alt=sse"
        request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            part = json.loads(response.read().split(b"data: ")[1])["candidates"][0]["content"]["parts"][0]
        if "text" in part:
            return [*said, part["text"]]
        said.append(part["functionCall"]["args"])
        answer = {"functionResponse": {"name": NAME, "response": {"text": f"done {len(said)}"}}}
        contents += [{"role": "model", "parts": [part]}, {"role": "user", "parts": [answer]}]


@table("talk", [by_anthropic, by_responses, by_chat, by_gemini])
def test_the_script_is_followed_and_everything_is_heard(talk: Callable[[str], list[Any]]) -> None:
    script = Script(STEPS)
    with ScriptedModel(script) as model:
        assert talk(model.url) == [{"n": 1}, {"before": "done 1"}, DONE]
    assert script.heard.tools == {NAME}
    assert script.heard.answers == ["done 1", "done 2"]
