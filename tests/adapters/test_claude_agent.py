"""The Claude Agent SDK, with a scripted Claude behind its control protocol; its program is never started."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from claude_agent_sdk import Transport
from mcp import Client

import steadyhand as sh
from steadyhand.surfaces.adapters.claude_agent import NAME, names, tools
from steadyhand.tools.framework_calls import Made
from tests.adapters import story

START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude", "version": "1"}}


class Scripted(Transport):
    """What Claude's program says and hears: it lists the tools, makes the calls of a script, and ends."""

    def __init__(self, *script: Mapping[str, object]) -> None:
        self._script = script
        self._said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.answers: list[dict[str, Any]] = []
        self.prompts: list[dict[str, Any]] = []

    async def connect(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def end_input(self) -> None:
        pass

    def is_ready(self) -> bool:
        return True

    async def write(self, data: str) -> None:
        self._said.put_nowait(json.loads(data))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        asked = await self._said.get()
        yield {
            "type": "control_response",
            "response": {"subtype": "success", "request_id": asked["request_id"], "response": {}},
        }
        requests = [("initialize", START), ("tools/list", {})]
        requests += [("tools/call", {"name": "edit_file", "arguments": dict(each)}) for each in self._script]
        for number, (method, params) in enumerate(requests):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            request = {"subtype": "mcp_message", "server_name": NAME, "message": message}
            yield {"type": "control_request", "request_id": str(number), "request": request}
            self.answers.append(await self._answer())
        yield {
            "type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": False,
            "num_turns": 1, "session_id": "s", "result": story.CLOSING,
        }  # fmt: skip

    async def _answer(self) -> dict[str, Any]:
        while True:
            heard = await self._said.get()
            if heard["type"] == "control_response":
                answer: dict[str, Any] = heard["response"]["response"]["mcp_response"]["result"]
                return answer
            self.prompts.append(heard)


def test_the_example_ends_with_the_edit_put_right(root: Path) -> None:
    async def run() -> tuple[str, Scripted]:
        claude = Scripted(story.TWICE, story.ONCE)
        return await story.example("claude_agent_query")(str(root), story.TASK, claude), claude

    said, claude = asyncio.run(run())
    assert said == story.CLOSING
    story.check_tree(root)
    _, listed, refused, done = claude.answers
    assert {tool["name"] for tool in listed["tools"]} >= {"edit_file", "read_file"}
    assert refused["isError"] is True
    story.check_answer(refused["content"][0]["text"])
    assert done.get("isError", False) is False
    assert done["content"][0]["text"].startswith("edited notes.md:3 [id ")


def test_arguments_reach_the_kit_as_they_were_sent_and_the_application_gets_the_result(ws: sh.Workspace) -> None:
    seen: list[Made] = []

    async def run() -> list[Any]:
        config = tools(ws.tools("surgical"), watch=seen.append)
        async with Client(config["instance"]) as client:
            return [
                await client.call_tool("edit_file", {"file": "notes.md", "search": "# Notes", "replace": "# N"}),
                await client.call_tool("edit_file", {"file": "notes.md", "pattern": "x"}),
            ]

    done, refused = asyncio.run(run())
    assert (done.is_error, refused.is_error) == (False, True)
    assert refused.content[0].text.startswith("bad-request: pattern: unknown field")
    assert seen[0].result["repaired"] == [
        "file: taken for path",
        "search: taken for old_content",
        "replace: taken for new_content",
    ]
    assert ws.diff_of(seen[0].records[0]) == seen[0].diff


def test_what_reads_is_marked_and_the_names_are_those_that_claude_uses(ws: sh.Workspace) -> None:
    kit = ws.tools("surgical")

    async def run() -> dict[str, Any]:
        async with Client(tools(kit)["instance"]) as client:
            return {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    marks = asyncio.run(run())
    assert names(kit) == [f"mcp__steadyhand__{name}" for name in marks]
    assert (marks["read_file"].read_only_hint, marks["edit_file"].read_only_hint) == (True, False)
