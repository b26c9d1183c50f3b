"""Every scenario, through Python, the command line and MCP: the same answers, the same tree."""

from __future__ import annotations

import json
import os
import shutil
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.drivers import Answer, CommandLineDriver, Driver, McpDriver, PythonDriver
from tests.table import table

FOLDER = Path(__file__).parent
SCENARIOS = sorted(found.parent for found in FOLDER.glob("*/calls.json"))
OPTIONAL = ("found", "corrected", "unique_old")
DRIVERS = {"python": PythonDriver, "command line": CommandLineDriver, "mcp": McpDriver}
# What no call of a tool can say: the host decides it, or no tool of `core` does it.
NOT_OVER_MCP = frozenset(
    (
        "drift-merged heading-missing heading-replaced mode overwrite-unread redo section-moved shrink-guard "
        "strict-tier syntax-guard undo-of-nothing unparsable-file"
    ).split()
)
CASES = [
    (scenario, name) for scenario in SCENARIOS for name in DRIVERS if name != "mcp" or scenario.name not in NOT_OVER_MCP
]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file beneath, but the journal's."""
    found: dict[str, bytes] = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".steadyhand"]
        found |= {
            (Path(place) / name).relative_to(folder).as_posix(): (Path(place) / name).read_bytes() for name in files
        }
    return found


def folders(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_dir() and ".steadyhand" not in path.parts
    }


def calls_of(scenario: Path) -> list[Any]:
    calls: list[Any] = json.loads((scenario / "calls.json").read_text(encoding="utf-8"))["calls"]
    return calls


def play(driver: type[Driver], scenario: Path, root: Path) -> list[Answer]:
    root.mkdir()
    if (scenario / "input").is_dir():
        shutil.copytree(scenario / "input", root, dirs_exist_ok=True)
    script = json.loads((scenario / "calls.json").read_text(encoding="utf-8"))
    player = driver(root, script.get("workspace", {}))
    try:
        return [player.run(call) for call in script["calls"]]
    finally:
        player.close()


def normal(answers: list[Answer]) -> list[Answer]:
    return [{**answer, "files": sorted(answer.get("files", []))} for answer in answers]


def as_far_as_known(answers: list[Answer], said: list[Answer]) -> list[Answer]:
    """The answers without what nobody asked about."""
    pairs = zip_longest(answers, said, fillvalue={})
    return [{key: answer[key] for key in answer if key not in OPTIONAL or key in one} for answer, one in pairs]


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 30


def test_only_what_no_tool_can_say_is_left_out_over_mcp() -> None:
    unsaid = [scenario.name for scenario in SCENARIOS if not McpDriver.can_say(calls_of(scenario))]
    assert set(unsaid) == NOT_OVER_MCP


@table(("scenario", "driver"), CASES, ids=[f"{found.name}-{name}" for found, name in CASES])
def test_scenario(scenario: Path, driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no configuration"))
    root = tmp_path / "root"
    answers = play(DRIVERS[driver], scenario, root)
    said = json.loads((scenario / "outcome.json").read_text(encoding="utf-8"))
    said = [{key: one[key] for key in one if key not in DRIVERS[driver].silent} for one in said]
    assert normal(as_far_as_known(answers, said)) == normal(said)
    expected = scenario / ("expected" if (scenario / "expected").is_dir() else "input")
    assert tree(root) == tree(expected)
    assert folders(root) == folders(expected)
