"""Where a server works: what the host names, else what the client lists, else the repository here; several at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ListRootsResult, Root

from steadyhand.errors import EditError
from steadyhand.surfaces.mcp.launch import ServerOptions, host_roots, marked_root, named_roots, paths_of
from tests.mcp.clients import ERAS, LEGACY, MODERN, in_memory, serving
from tests.table import table
from tests.tools.examples import tree

EDIT = {"path": "a.md", "old_content": "one", "new_content": "two"}


def two_roots(folder: Path) -> tuple[Path, Path]:
    for name in ("docs", "site"):
        (folder / name).mkdir()
        (folder / name / "a.md").write_text("one\n")
    return folder / "docs", folder / "site"


def listing(*roots: Path) -> Any:
    """What a client answers when it is asked for its roots."""

    async def answer(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in roots])

    return answer


@table("era", ERAS)
def test_with_several_roots_every_tool_takes_the_name_of_one(era: str, tmp_path: Path) -> None:
    docs, site = two_roots(tmp_path)

    async def run() -> tuple[Any, Any, Any, Any]:
        async with in_memory(serving(docs, site, toolsets=("surgical",)), era) as client:
            return (
                (await client.list_tools()).tools,
                await client.call_tool("edit_file", {**EDIT, "root": "site"}),
                await client.call_tool("edit_file", EDIT),
                await client.call_tool("edit_file", {**EDIT, "root": "/etc"}),
            )

    tools, edited, missing, unknown = anyio.run(run)
    for tool in tools:
        assert tool.input_schema["properties"]["root"]["enum"] == ["docs", "site"]
        assert "root" in tool.input_schema["required"]
    assert edited.structured_content["success"] is True
    assert missing.is_error
    assert unknown.is_error
    assert missing.structured_content["kind"] == unknown.structured_content["kind"] == "bad-request"
    assert "docs, site" in unknown.structured_content["hint"]
    assert tree(tmp_path) == {"docs/a.md": "one\n", "site/a.md": "two\n"}


def test_one_root_adds_no_argument(tmp_path: Path) -> None:
    async def run() -> Any:
        async with in_memory(serving(tmp_path)) as client:
            return (await client.list_tools()).tools

    assert not any("root" in tool.input_schema["properties"] for tool in anyio.run(run))


@table(
    ("paths", "names"),
    [
        (["docs", "site"], ["docs", "site"]),
        (["a/docs", "b/docs"], ["a-docs", "b-docs"]),
        (["x/a/docs", "y/a/docs"], ["a-docs", "a-docs-2"]),
        (["with blank"], ["with-blank"]),
        (["docs", "docs/../docs"], ["docs"]),
    ],
)
def test_roots_are_named_by_where_they_are(paths: list[str], names: list[str], tmp_path: Path) -> None:
    for path in paths:
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    assert [root.name for root in named_roots([str(tmp_path / path) for path in paths])] == names


@table("paths", [["none"], ["/"], [""], ["a\0b"], [".", "docs"], ["docs", "docs/deep"]])
def test_what_cannot_be_a_root_is_refused(paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EditError) as refused:
        named_roots(paths)
    assert refused.value.kind == "bad-request"
    assert refused.value.hint


def test_the_host_names_roots_by_option_then_by_environment(tmp_path: Path) -> None:
    docs, site = two_roots(tmp_path)
    environ = {"STEADYHAND_ROOT": f"{docs}:{site}"}
    assert [root.path for root in host_roots([str(site)], environ)] == [str(site)]
    assert [root.path for root in host_roots([], environ)] == [str(docs), str(site)]
    assert host_roots([], {}) == ()


def test_a_repository_or_a_journal_upwards_marks_a_root(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "deep").mkdir()
    assert marked_root(str(tmp_path / "repo" / "deep")) == str(tmp_path / "repo")
    assert marked_root(str(tmp_path)) is None


def test_of_what_a_client_lists_only_directories_of_this_machine_count(tmp_path: Path) -> None:
    (tmp_path / "with blank").mkdir()
    listed = [
        (tmp_path / "with blank").as_uri(),
        "file://elsewhere/tmp",
        "https://example.org/",
        (tmp_path / "none").as_uri(),
        "file:///a%00b",
        "nonsense",
    ]
    assert paths_of(listed) == [str(tmp_path / "with blank")]


async def edit_as(served: ServerOptions, *, lists: tuple[Path, ...] | None, era: str = LEGACY) -> Any:
    more = {} if lists is None else {"list_roots_callback": listing(*lists)}
    async with in_memory(served, era, **more) as client:
        return await client.call_tool("edit_file", EDIT)


def test_a_server_without_a_root_asks_its_client(tmp_path: Path) -> None:
    docs, site = two_roots(tmp_path)
    served = ServerOptions(toolsets=("surgical",), fallback=str(site))
    result = anyio.run(lambda: edit_as(served, lists=(docs,)))
    assert result.structured_content["success"] is True
    assert tree(tmp_path) == {"docs/a.md": "two\n", "site/a.md": "one\n"}


@table("era", ERAS)
def test_a_client_that_lists_none_has_the_repository_that_the_server_was_started_in(era: str, tmp_path: Path) -> None:
    _, site = two_roots(tmp_path)
    result = anyio.run(lambda: edit_as(ServerOptions(toolsets=("surgical",), fallback=str(site)), lists=None, era=era))
    assert result.structured_content["success"] is True
    assert tree(tmp_path)["site/a.md"] == "two\n"


def test_a_client_cannot_lead_a_server_out_of_the_roots_it_was_given(tmp_path: Path) -> None:
    docs, site = two_roots(tmp_path)
    result = anyio.run(lambda: edit_as(serving(site, toolsets=("surgical",)), lists=(docs, tmp_path)))
    assert result.structured_content["success"] is True
    assert tree(tmp_path) == {"docs/a.md": "one\n", "site/a.md": "two\n"}


@table("era", ERAS)
def test_without_any_root_a_call_is_refused_and_says_what_to_do(era: str) -> None:
    result = anyio.run(lambda: edit_as(ServerOptions(toolsets=("surgical",)), lists=None, era=era))
    assert result.is_error
    assert "--root" in result.structured_content["hint"]


def test_the_whole_machine_is_no_root_that_a_client_may_name() -> None:
    result = anyio.run(lambda: edit_as(ServerOptions(toolsets=("surgical",)), lists=(Path("/"),)))
    assert result.is_error
    assert "--root" in result.structured_content["hint"]


def test_records_name_the_client_and_a_task_of_the_conversation(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n")

    async def said(served: ServerOptions, era: str) -> dict[str, Any]:
        async with in_memory(served, era, name="some\x1b client") as client:
            await client.call_tool("edit_file", EDIT | {"old_content": "e", "new_content": "ee", "occurrence": 1})
            return await history(client)

    async def history(client: Client) -> dict[str, Any]:
        import json

        record: dict[str, Any] = json.loads((await client.read_resource("steadyhand://history")).contents[0].text)
        return record["history"][0]

    for era in ERAS:
        record = anyio.run(said, serving(tmp_path, toolsets=("surgical",)), era)
        assert record["actor"] == "some client"
        assert record["task"].startswith("mcp-")
    own = anyio.run(said, serving(tmp_path, toolsets=("surgical",), actor="me", task="T-1"), MODERN)
    assert (own["actor"], own["task"]) == ("me", "T-1")
