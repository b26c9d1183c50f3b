"""What a session leaves behind when it ends: findings are kept for a person, `.bak` copies are removed."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

import steadyhand as sh
from tests.mcp.clients import ERAS, LEGACY, http_server, in_memory, over_http, over_stdio, serving
from tests.sampling import sample

FINDING = {"path": "a.py", "lines": [1, 1], "severity": "warning", "title": "Unused", "detail": "Never read."}
BAK = sh.Policy(backup="bak")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n")
    return tmp_path


async def _reported(client: Client) -> None:
    answer = await client.call_tool("report_findings", {"findings": [FINDING]})
    assert answer.structured_content is not None
    assert answer.structured_content["success"] is True
    said = await client.read_resource("steadyhand://findings")
    (finding,) = json.loads(said.contents[0].text)["findings"]  # type: ignore[union-attr]
    assert (finding["severity"], finding["lines"]) == ("medium", {"start": 1, "end": 1})


@pytest.mark.sampled
@pytest.mark.parametrize("era", sample(ERAS, 1))
def test_findings_outlive_the_server_behind_its_wall(era: str, root: Path) -> None:
    async def story() -> None:
        arguments = ("--root", str(root), "--toolset", "surgical", "--mode", "analyze", "--task", f"T {era}")
        async with over_stdio(*arguments, mode=era) as client:
            await _reported(client)

    anyio.run(story)
    assert sorted(path.name for path in root.iterdir()) == ["a.py"], "nothing is written under the root"
    with sh.Workspace(root) as ws:
        (finding,) = ws.findings(f"T {era}")
        assert (finding.path, finding.title) == ("a.py", "Unused")


async def _edited(client: Client, new: str) -> Any:
    sent = {"path": "a.py", "old_content": "x =", "new_content": f"{new} ="}
    return (await client.call_tool("edit_file", sent)).structured_content


def _in_memory(root: Path, task: str | None, work: Callable[[Client], Awaitable[None]]) -> None:
    async def story() -> None:
        served = serving(root, toolsets=("surgical",), policy=BAK, task=task)
        async with in_memory(served, LEGACY) as client:
            await work(client)

    anyio.run(story)


@pytest.mark.parametrize("task", [None, "T-1"])
def test_backups_are_removed_when_the_session_ends(task: str | None, root: Path) -> None:
    async def work(client: Client) -> None:
        assert (await _edited(client, "y"))["success"] is True
        assert (root / "a.py.bak").read_text() == "x = 1\n"

    _in_memory(root, task, work)
    assert (root / "a.py").read_text() == "y = 1\n"
    assert not (root / "a.py.bak").exists()


def test_a_backup_that_somebody_changed_stays(root: Path) -> None:
    async def work(client: Client) -> None:
        await _edited(client, "y")
        (root / "a.py.bak").write_text("mine now\n")

    _in_memory(root, None, work)
    assert (root / "a.py.bak").read_text() == "mine now\n"


def test_a_backup_that_another_task_has_made_is_not_overwritten_and_that_is_reported(root: Path) -> None:
    with sh.Workspace(root, task="before", policy=BAK) as ws:
        ws.edit("a.py", [sh.Replace("1", "2")])

    async def work(client: Client) -> None:
        answer = await _edited(client, "y")
        assert "a.py.bak already exists" in str(answer["warnings"])

    _in_memory(root, "T-1", work)
    assert (root / "a.py.bak").read_text() == "x = 1\n", "it was made for another task"


def test_backups_are_removed_when_a_client_ends_its_session_over_http(root: Path) -> None:
    async def story(server: Any) -> None:
        async with over_http(server) as first:
            await _edited(first, "y")
            (root / "b.py").write_text("x = 1\n")
            async with over_http(server) as second:
                await second.call_tool("edit_file", {"path": "b.py", "old_content": "x", "new_content": "z"})
                assert (root / "b.py.bak").exists()
            with anyio.fail_after(300):
                while (root / "b.py.bak").exists():
                    await anyio.sleep(0.01)
            assert (root / "a.py.bak").exists(), "the other session goes on"

    with http_server("--root", str(root), "--toolset", "surgical", "--backup", "bak") as server:
        anyio.run(story, server)
