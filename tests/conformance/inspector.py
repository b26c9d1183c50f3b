"""The inspector from npm as a client of ours: it lists the tools, strictly, and calls every one of them.

It holds answers against what is listed of them, refusals too: a toolset whose refusals do not fit would show here.

Each call is an example that the tool declares; what comes back must hold what the example says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benches.node import INSPECTOR, NodeMissing, environment, installed
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.mcp.clients import HttpServer, http_server
from tests.scenarios.callers import server_options
from tests.scenarios.conversations import Scenario, problems, scenarios

SECONDS = 60


class Inspector:
    """The command line of the inspector, aimed at one server."""

    def __init__(self, programs: Path, server: HttpServer, home: Path) -> None:
        self._command = [str(programs / "mcp-inspector"), "--cli", server.url, "--transport", "http"]
        self._command += ["--header", f"Authorization: Bearer {server.token}"]
        self._env = environment(programs) | {"HOME": str(home)}

    def ask(self, *arguments: str) -> dict[str, Any]:
        """What it prints, which is the result in JSON."""
        done = subprocess.run(
            [*self._command, *arguments], env=self._env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        try:
            answer: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise RuntimeError(f"{arguments}: {done.returncode} {done.stdout[-300:]} {done.stderr[-300:]}") from None
        return answer


class Caller:
    """Calls of one scenario."""

    def __init__(self, inspector: Inspector, root: str | None) -> None:
        self._inspector = inspector
        self._root = root

    def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        given = {**arguments, **({} if self._root is None else {"root": self._root})}
        pairs = [f"{name}={_spelled(value)}" for name, value in given.items()]
        result = self._inspector.ask("--method", "tools/call", "--tool-name", tool, "--tool-arg", *pairs)
        structured = result.get("structuredContent")
        kind = result.get("_meta", {}).get("steadyhand/kind")
        text = {"content": result["content"][0]["text"], "is_error": result.get("isError", False), "kind": kind}
        return structured if structured is not None else text


def _spelled(value: object) -> str:
    """A value as the inspector reads it: as JSON where that is what it is, else as it is."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def chosen() -> list[Scenario]:
    """One success of every tool and one refusal of every toolset, with as few calls before it as may be."""
    found: dict[tuple[str, str | None], Scenario] = {}
    for scenario in sorted(scenarios(), key=lambda each: len(each.calls)):
        tool = None if failed(scenario.answers[-1]) else scenario.calls[-1][0]
        found.setdefault((scenario.toolset, tool), scenario)
    return list(found.values())


def main() -> int:
    """0 when every tool was listed and came out as it should."""
    try:
        programs = installed(INSPECTOR)
    except NodeMissing as missing:
        print(f"the inspector cannot run here: {missing}", file=sys.stderr)
        return 1
    said: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        for number, group in enumerate(_groups(chosen())):
            folder = Path(made, str(number))
            folder.mkdir()
            said += list(_group(programs, group, folder))
    done = [scenario for scenario in chosen() if not failed(scenario.answers[-1])]
    called = {(scenario.toolset, scenario.calls[-1][0]) for scenario in done}
    missing = {(name, tool.name) for name in toolsets() for tool in tools_of(name)} - called
    said += [f"no scenario ends with {toolset}.{tool}" for toolset, tool in sorted(missing)]
    print("\n".join(said), end="\n" if said else "")
    print(f"the inspector listed and called {len(called)} tools")
    return 1 if said else 0


def _groups(found: Sequence[Scenario]) -> list[list[Scenario]]:
    by_options: dict[tuple[str, ...], list[Scenario]] = {}
    for scenario in found:
        by_options.setdefault(server_options(scenario), []).append(scenario)
    return list(by_options.values())


def _group(programs: Path, group: Sequence[Scenario], folder: Path) -> Iterator[str]:
    roots = [folder / f"r{number}" for number in range(len(group))]
    for root in roots:
        root.mkdir()
    arguments = [f"--root={root}" for root in roots]
    with http_server(*arguments, *server_options(group[0])) as server:
        inspector = Inspector(programs, server, folder)
        listed = {tool["name"] for tool in inspector.ask("--method", "tools/list", "--strict")["tools"]}
        yield from (
            f"{scenario.calls[-1][0]} is not listed" for scenario in group if scenario.calls[-1][0] not in listed
        )
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            names = [root.name if len(group) > 1 else None for root in roots]
            callers = [Caller(inspector, name) for name in names]
            for found in pool.map(problems, group, callers, roots):
                yield from found


if __name__ == "__main__":
    raise SystemExit(main())
