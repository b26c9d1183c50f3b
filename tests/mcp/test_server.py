"""What a server tells of itself, its resources and prompts, and what it never does: change what may only be read."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp import MCPError
from mcp_types import PaginatedRequestParams

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.surfaces.mcp.front import MOST, instructions
from steadyhand.surfaces.mcp.launch import Root, ServerOptions
from steadyhand.surfaces.mcp.resources import LONGEST, render, render_text
from steadyhand.surfaces.mcp.sessions import Catalog, Sessions
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.mcp.clients import ERAS, in_memory, serving
from tests.table import table
from tests.tools.examples import tree


@table("era", ["legacy", "auto"])
def test_both_eras_get_the_same_instructions(era: str, tmp_path: Path) -> None:
    served = serving(tmp_path, toolsets=("surgical", "coder"), mode="modify")

    async def run() -> tuple[str | None, Any]:
        async with in_memory(served, era) as client:
            return client.instructions, client.server_info

    said, info = anyio.run(run)
    assert said == instructions(served)
    assert "surgical:" in said
    assert "coder:" in said
    assert "modify" in said
    assert info.name == "steadyhand"
    assert info.version


def test_instructions_stay_short_whatever_is_served() -> None:
    roots = tuple(Root(f"a-rather-long-name-of-a-root-{number}", f"/r/{number}") for number in range(40))
    served = ServerOptions(roots=roots, toolsets=tuple(toolsets()), mode="analyze", is_sandboxed=True)
    assert len(instructions(served)) < MOST
    assert "not changed" in instructions(served)


def test_several_toolsets_are_one_list_and_a_tool_they_share_occurs_once(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with in_memory(serving(tmp_path, toolsets=("surgical", "coder"))) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    names = anyio.run(run)
    assert len(names) == len(set(names))
    assert {tool.name for name in ("surgical", "coder") for tool in tools_of(name) if tool.modes is None} == set(names)


def test_all_toolsets_of_our_own_can_be_served_together() -> None:
    """So a server that has no other need not load them to know."""
    own = [name for name, toolset in toolsets().items() if not toolset.is_native]
    assert set(Catalog(own).toolsets) == {"article", "coder", "core", "site", "surgical", "vault"}


def test_two_different_tools_of_one_name_are_refused_naming_both() -> None:
    with pytest.raises(EditError) as refused:
        Catalog(("surgical", "gemini"))
    assert refused.value.details["toolsets"] == ["surgical", "gemini"]


def hostile(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Every call that changes something, as the examples make them."""
    return [
        (tool.name, dict(example.arguments))
        for tool in tools_of(name)
        for example in tool.examples
        if tool.trust != "read"
    ]


@table("name", toolsets())
@table("closed", [{"read_only": True}, {"mode": "analyze"}], ids=["read-only", "analyze"])
def test_where_files_may_only_be_read_no_call_changes_a_byte(name: str, closed: dict[str, Any], tmp_path: Path) -> None:
    files = {path: text for tool in tools_of(name) for one in tool.examples for path, text in one.files.items()}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    before = tree(tmp_path)

    async def run() -> list[Any]:
        async with in_memory(serving(tmp_path, toolsets=(name,), **closed)) as client:
            return [await client.call_tool(*call) for call in hostile(name)]

    assert any(result.is_error for result in anyio.run(run))
    assert tree(tmp_path) == before
    assert not (tmp_path / ".steadyhand").exists()


@table("era", ERAS)
def test_resources_tell_what_was_changed_and_how(era: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    (tmp_path / "b.md").write_text("one\n")

    async def run() -> tuple[Any, Any, Any, Any, Any]:
        async with in_memory(serving(tmp_path), era) as client:
            for name in ("a.md", "b.md"):
                edit = {"files": [{"path": name, "edits": [{"target": "one", "new": "two", "reason": "why"}]}]}
                await client.call_tool("edit", edit)
            listed = (await client.list_resources()).resources
            return (
                listed,
                (await client.list_resource_templates()).resource_templates,
                await client.read_resource("steadyhand://history"),
                await client.read_resource("steadyhand://history/a.md"),
                await client.read_resource(listed[-1].uri),
            )

    listed, templates, history, of_file, diff = anyio.run(run)
    assert listed[0].uri == "steadyhand://history"
    assert len(listed) == 3
    assert {template.uri_template for template in templates} == {
        "steadyhand://diff/{id}",
        "steadyhand://history/{+path}",
    }
    assert [record["files"][0]["path"] for record in json.loads(history.contents[0].text)["history"]] == [
        "b.md",
        "a.md",
    ]
    assert [record["files"][0]["path"] for record in json.loads(of_file.contents[0].text)["history"]] == ["a.md"]
    assert "-one\n+two\n" in diff.contents[0].text


def test_resources_and_prompts_show_no_file_of_a_kind_that_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")
    (tmp_path / "a.py").write_text("one\n")
    with sh.Workspace(tmp_path) as workspace:
        shown = workspace.edit("a.md", [sh.Replace("one", "two")]).id
        hidden = workspace.edit("a.py", [sh.Replace("one", "three")]).id

    async def run() -> tuple[Any, MCPError, Any]:
        async with in_memory(serving(tmp_path, toolsets=("vault",))) as client:
            diff = await client.read_resource(f"steadyhand://diff/{shown}")
            with pytest.raises(MCPError) as refused:
                await client.read_resource(f"steadyhand://diff/{hidden}")
            return diff, refused.value, await client.get_prompt("review", {})

    diff, error, review = anyio.run(run)
    assert "+two" in diff.contents[0].text
    assert error.data["kind"] == "not-allowed"
    shown_there = [each.content.resource.text for each in review.messages[1:]]
    assert len(shown_there) == 1
    assert "three" not in str(review)


@table(
    "uri",
    [
        "steadyhand://diff/000000000000",
        "steadyhand://diff/" + "0" * 10**6,
        "steadyhand://history/../x",
        "steadyhand://history/%2e%2e/%2fetc/passwd",
        "steadyhand://history//etc/passwd",
        "steadyhand://history/a%00b",
        "steadyhand://history/" + "a/" * 10**5,
        "steadyhand://x",
        "a:b",
    ],
    ids=str.__len__,
)
def test_a_resource_that_is_not_there_is_an_error_that_says_so(uri: str, tmp_path: Path) -> None:
    async def run() -> MCPError:
        async with in_memory(serving(tmp_path)) as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            return refused.value

    error = anyio.run(run)
    assert error.data["kind"] in ("no-such-file", "outside-root", "bad-request")
    assert error.error.code in (-32002, -32602), "it is the asker's mistake"
    assert str(tmp_path) not in json.dumps(error.data)
    assert len(json.dumps(error.data)) < 2_000


def test_prompts_are_the_toolset_s_and_a_review_whose_diffs_are_content(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")

    async def run() -> tuple[list[str], Any, Any, MCPError]:
        async with in_memory(serving(tmp_path, toolsets=("surgical",))) as client:
            edit = {"path": "a.md", "old_content": "one", "new_content": "```\nobey\n", "reason": "why\nSo do I."}
            await client.call_tool("edit_file", edit)
            names = [prompt.name for prompt in (await client.list_prompts()).prompts]
            section = await client.get_prompt("surgical")
            review = await client.get_prompt("review")
            with pytest.raises(MCPError) as refused:
                await client.get_prompt("revue")
            return names, section, review, refused.value

    names, section, review, refused = anyio.run(run)
    assert names == ["surgical", "review"]
    assert "edit_file" in section.messages[0].content.text
    first, second = (message.content for message in review.messages)
    assert "obey" not in first.text
    assert '"why\\nSo do I."' in first.text, "what others wrote is between quotes, on its line"
    assert "obey" in second.resource.text
    assert "review" in refused.data["hint"]


def test_a_page_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async def run() -> MCPError:
        async with in_memory(serving(tmp_path)) as client:
            with pytest.raises(MCPError) as refused:
                await client.session.list_tools(params=PaginatedRequestParams(cursor="abc"))
            return refused.value

    assert anyio.run(run).data["kind"] == "bad-request"


def test_an_idle_conversation_makes_room_and_a_busy_one_does_not(tmp_path: Path) -> None:
    sessions = Sessions(serving(tmp_path), "task")
    first = sessions.begin("first", (), client=None, has_session=True)
    first.users = 1
    for number in range(100):
        sessions.begin(str(number), (), client=None, has_session=True)
    assert sessions.get("first") is first
    assert sessions.get("0") is None
    assert sessions.get("99") is not None
    assert first.task != sessions.get("99").task  # type: ignore[union-attr]
    sessions.close()


@table(
    "make",
    [
        lambda: {"success": True, "content": "x" * 10**6 * 3},
        lambda: {"success": True, "content": "\U0001f600" * 5 * 10**5},
        lambda: {"success": True, "lines": ['"\\"' * 5 * 10**5]},
        lambda: {"success": True, "files": [{"path": str(number), "content": "y" * 1_000} for number in range(9_000)]},
        lambda: {"success": True, "matches": list(range(150_000))},
        lambda: {"success": True, **{str(number): number for number in range(60_000)}},
        lambda: {
            "success": False,
            "error": "z" * 10**6,
            "kind": "no-match",
            "message": "z" * 10**6,
            "hint": "h",
            "details": {},
        },
    ],
    ids=["text", "wide text", "escapes", "files", "list", "fields", "refusal"],
)
def test_no_answer_is_longer_than_may_be_sent(make: Callable[[], dict[str, Any]]) -> None:
    answer = make()
    length = len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
    for most in (2_000, 100_000, 10**6):
        result = render(answer, most)
        assert len(json.dumps(result, ensure_ascii=False).encode()) <= LONGEST
        assert sum(len(block["text"]) for block in result["content"]) <= most + 1_000
        assert result["structuredContent"]["success"] is answer["success"]
        assert ("cut" in result["structuredContent"]) is (length > most)
        assert result["isError"] is not answer["success"]


def test_text_that_cannot_be_sent_is_made_sendable() -> None:
    assert b"a\\ufffd" in json.dumps(render({"success": True, "files": [{"name\udc80": "a\udc80"}]}, 2_000)).encode()
    assert render_text("a\udc80b", 10) == "a\ufffd\ufffd\ufffdb"
    assert render_text("x" * 20, 5).startswith("xxxxx\n… cut: 15")


def test_a_refusal_names_no_place_of_the_machine(tmp_path: Path) -> None:
    root = tmp_path / "with blank"
    root.mkdir()
    (root / "a.md").write_text(f"{tmp_path}/x\n")
    with sh.Workspace(root, actor="me") as workspace:
        workspace.write("b.md", "one\n")
    with closing(sqlite3.connect(root / ".steadyhand" / "journal.sqlite")) as journal:
        journal.execute("PRAGMA user_version = 99")

    async def run(**options: Any) -> tuple[Any, Any, MCPError]:
        async with in_memory(serving(root, **options)) as client:
            with pytest.raises(MCPError) as refused:
                await client.list_resources()
            edit = {"files": [{"path": "b.md", "edits": [{"target": "one", "new": "two"}]}]}
            return await client.call_tool("edit", edit), await client.call_tool("read", {"path": "a.md"}), refused.value

    for options in ({}, {"read_only": True}):
        edited, content, refused = anyio.run(partial(run, **options))
        assert edited.is_error
        said = json.dumps([edited.structured_content, edited.content[0].text, str(refused), refused.data])
        assert "newer Steadyhand" in said
        assert str(tmp_path) not in said
        assert tempfile.gettempdir() not in said
        assert content.structured_content["content"] == f"1: {tmp_path}/x", "what a file says is left alone"


def test_the_toolset_for_articles_has_a_prompt_for_the_impact_of_a_change(tmp_path: Path) -> None:
    async def run() -> tuple[list[str], str]:
        async with in_memory(serving(tmp_path, toolsets=("article",))) as client:
            names = [prompt.name for prompt in (await client.list_prompts()).prompts]
            prompt = await client.get_prompt("impact", {"base": "main\nobey", "docs": "docs"})
            return names, cast("Any", prompt.messages[0].content).text

    names, text = anyio.run(run)
    assert names == ["article", "review", "impact"]
    assert 'impact_search with {"base": "main\\nobey", "docs": ["docs"]}' in text
    assert all(f"{name}" in text for name in ("impact_extract", "edit_article"))
