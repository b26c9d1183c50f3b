"""Promise: toolsets, the command line and an MCP server show a held layer to its own task and to no other, say that a
change is held, and rules accept what needs nobody. (Every example of every tool: tests/tools/test_examples.py.)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.session.review.change import AutoAccept
from steadyhand.workspace.journal.maintenance import copy_journal
from steadyhand.workspace.journal.store import open_journal
from tests.mcp.clients import in_memory, serving
from tests.table import table

TEXT = "# Title\n\nIt says alpha here.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "gone.md").write_text("gone alpha\n")
    (tmp_path / "old.md").write_text("old alpha\n")
    return tmp_path


@pytest.fixture
def agent(root: Path) -> Iterator[sh.Workspace]:
    with sh.Workspace(root, actor="agent", task="T-1", hold=True) as ws:
        ws.edit("a.md", [{"target": "alpha", "new": "omega"}], reason="greek")
        ws.create("new.md", "# New\n\nomega is new\n")
        ws.delete("gone.md")
        ws.rename("old.md", "moved.md")
        yield ws


CALLS: list[tuple[str, str, dict[str, object], str]] = [
    ("core", "read", {"path": "a.md"}, "omega here"),
    ("core", "list", {}, "moved.md"),
    ("core", "list", {"glob": "mov*.md"}, "moved.md"),
    ("core", "outline", {"path": "new.md"}, "heading:New"),
    ("core", "search", {"query": "omega"}, "new.md"),
    ("article", "read_file", {"path": "a.md"}, "omega here"),
    ("article", "search_files", {"query": "omega", "glob": "*.md"}, "new.md"),
    ("surgical", "list_files", {}, "moved.md"),
    ("surgical", "search_files", {"query": "old alpha"}, "moved.md"),
    ("coder", "read_file", {"path": "a.md"}, "omega here"),
    ("claude", "str_replace_based_edit_tool", {"command": "view", "path": "a.md"}, "omega here"),
    ("claude", "str_replace_based_edit_tool", {"command": "view", "path": "."}, "moved.md"),
    ("claude-code", "Read", {"file_path": "moved.md"}, "old alpha"),
    ("site", "readFile", {"file": "a.md"}, "omega here"),
    ("vault", "TextInspect", {"filePath": "new.md", "mode": "structure"}, "New"),
]


@table(("toolset", "tool", "arguments", "shown"), CALLS)
def test_a_tool_shows_the_layer_to_its_task_alone(
    root: Path, agent: sh.Workspace, toolset: str, tool: str, arguments: dict[str, object], shown: str
) -> None:
    mine = str(agent.tools(toolset).call(tool, arguments))
    assert shown in mine, mine
    assert "gone.md" not in mine
    with sh.Workspace(root, actor="bob", task="T-2", hold=True) as other:
        assert shown not in str(other.tools(toolset).call(tool, arguments))
    with sh.Workspace(root, actor="bob") as direct:
        assert shown not in str(direct.tools(toolset).call(tool, arguments))


def test_answers_say_that_a_change_is_held(root: Path, agent: sh.Workspace) -> None:
    edit = {"path": "a.md", "edits": [{"target": "says", "new": "said"}]}
    assert agent.tools("core").call("edit", edit)["held"] is True
    change = {"file_path": "new.md", "old_string": "is new", "new_string": "was new"}
    said = str(agent.tools("claude-code").call("Edit", change))
    assert "held for review" in said
    assert (root / "a.md").read_text() == TEXT
    assert [event.type for event in agent.events() if event.id is not None][-1] == "held"
    assert all("omega" not in json.dumps(event.to_json()) for event in agent.events())


def test_rules_accept_at_the_end_of_the_call(root: Path) -> None:
    rules = [AutoAccept(path="*.md", lines=2)]
    with sh.Workspace(root, actor="agent", task="T-1", hold=True, auto_accept=rules) as ws:
        assert not ws.edit("a.md", [{"target": "alpha", "new": "omega"}]).held
        assert ws.delete("gone.md").held
        assert ws.held == ("gone.md",)
        assert (root / "a.md").read_text() == TEXT.replace("alpha", "omega")
        assert [(each.state, each.by) for each in ws.review() if each.path == "a.md"] == [("accepted", "policy")]


def test_what_is_accepted_is_checked_again(root: Path) -> None:
    (root / "b.py").write_text("x = 1\n\n\ny = 2\n")
    with sh.Workspace(root, actor="agent", task="T-1", hold=True) as ws:
        ws.edit("b.py", [{"target": "x = 1", "new": "x = (1,"}, {"target": "y = 2", "new": "     2)"}])
        review = ws.review()
        with pytest.raises(EditError) as refused:
            review.accept([review.changes[0].id])
        assert refused.value.kind is Kind.BREAKS_SYNTAX
        review.accept([each.id for each in review])
    assert (root / "b.py").read_text() == "x = (1,\n\n\n     2)\n"


def test_garbage_collection_and_another_store_keep_what_is_held(root: Path, agent: sh.Workspace) -> None:
    seen = agent.read("a.md").text
    agent.gc(keep_bytes=0)
    agent.close()
    own = root / ".steadyhand"
    copy = root.parent / "copy"
    copy.mkdir()
    for path in root.glob("*.md"):
        (copy / path.name).write_bytes(path.read_bytes())
    with open_journal(own, read_only=True) as source, open_journal(copy / ".steadyhand") as target:
        copy_journal(source, target)
    for place in (root, copy):
        with sh.Workspace(place, actor="agent", task="T-1", hold=True) as again:
            assert again.read("a.md").text == seen
            assert again.read("moved.md").text == "old alpha\n"
            assert again.check().problems == ()
            review = again.review()
            review.accept([each.id for each in review])
        assert (place / "a.md").read_text() == seen
        assert sorted(path.name for path in place.glob("*.md")) == ["a.md", "moved.md", "new.md"]


def test_a_hundred_held_edits_cost_each_about_the_same(tmp_path: Path) -> None:
    import cProfile
    import pstats

    (tmp_path / "a.md").write_text("".join(f"line {number} is here\n\n" for number in range(120)))
    with sh.Workspace(tmp_path, actor="agent", task="T-1", hold=True) as ws:
        ws.read("a.md")
        calls = []
        for number in range(100):
            profile = cProfile.Profile()
            profile.enable()
            ws.edit("a.md", [{"target": f"line {number} is here", "new": f"LINE {number} is here"}])
            profile.disable()
            calls.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    assert sum(calls[80:]) < 1.3 * sum(calls[20:40])


def test_a_server_holds_what_its_clients_change(root: Path) -> None:
    async def converse() -> str:
        async with in_memory(serving(root, hold=True, task="T-1", actor="agent")) as client:
            await client.call_tool("edit", {"path": "a.md", "edits": [{"target": "alpha", "new": "omega"}]})
            read = await client.call_tool("read", {"path": "a.md"})
            listed = await client.list_resources()
            assert listed.resources is not None
            return str(read.content)

    assert "omega" in anyio.run(converse)
    assert (root / "a.md").read_text() == TEXT
    with sh.Workspace(root, actor="ada") as ada:
        review = ada.review(task="T-1")
        review.accept([each.id for each in review])
    assert (root / "a.md").read_text() == TEXT.replace("alpha", "omega")
