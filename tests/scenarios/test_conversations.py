"""Every scenario of tool calls, and every example of a tool, through Python, the command line and MCP over both
transports: the same answers, the same tree.

`make test` takes the folders and a few of the examples, all of which are tried once on each surface in tests/tools,
tests/surfaces/test_call_command.py and tests/mcp/test_tools.py; over MCP only what needs no server of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.sampling import WHOLE, sample
from tests.scenarios.callers import ALONE, SURFACES, Surface
from tests.scenarios.conversations import examples, folders, problems, scenarios
from tests.table import table


def test_there_are_scenarios_for_every_tool_both_ways() -> None:
    found = scenarios()
    assert len(found) >= 60
    for name in toolsets():
        for tool in tools_of(name):
            answers = [
                answer
                for scenario in found
                if scenario.toolset == name
                for (called, _), answer in zip(scenario.calls, scenario.answers, strict=True)
                if called == tool.name and answer
            ]
            assert any(failed(answer) for answer in answers), f"{name}.{tool.name} is never refused"
            assert any(not failed(answer) for answer in answers), f"{name}.{tool.name} never succeeds"


@pytest.mark.sampled
@table("surface", SURFACES.values(), ids=SURFACES.keys())
def test_scenarios_come_out_alike(surface: Surface, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no configuration"))
    chosen = scenarios() if WHOLE else [*sample(folders(), 12), *sample(examples(), 4)]
    if surface in (SURFACES["mcp over stdio"], SURFACES["mcp over http"]) and not WHOLE:
        chosen = [scenario for scenario in chosen if not scenario.settings and scenario.toolset not in ALONE]
    found: list[str] = []
    with surface(chosen, tmp_path) as callers:
        for scenario, root, caller in callers:
            found += problems(scenario, caller, root)
    assert found == []
