"""The surfaces through which scenarios of tool calls go: Python, the command line, MCP over stdio and over HTTP.

Over MCP one server serves every scenario of a kind: each has a root of its own, which its calls name. Only a toolset
whose tools share names with another's, and settings that a server takes at its start, ask for a server more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from click.testing import CliRunner
from mcp import Client
from mcp_types import CallToolResult, TextContent

import steadyhand as sh
from steadyhand.surfaces.cli.main import cli
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import toolsets
from tests.mcp.clients import http_server, over_http, over_stdio
from tests.scenarios.conversations import Caller, Scenario
from tests.tools.examples import split_settings

Placed = tuple[Scenario, Path, Caller]
Surface = Callable[[Sequence[Scenario], Path], AbstractContextManager[Iterator[Placed]]]
ALONE = ("gemini",)  # it has a write_file of its own


@dataclass(frozen=True, slots=True)
class _Kit:
    kit: sh.Kit

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.kit.call(tool, arguments)


@contextmanager
def python(scenarios: Sequence[Scenario], folder: Path) -> Iterator[Iterator[Placed]]:
    def placed() -> Iterator[Placed]:
        for number, scenario in enumerate(scenarios):
            root = folder / f"s{number}"
            root.mkdir()
            own, settings = split_settings(scenario.settings)
            with sh.Workspace(root, actor="examples", **{"task": "T", **own}) as workspace:
                yield scenario, root, _Kit(workspace.tools(scenario.toolset, **settings))

    yield placed()


@dataclass(frozen=True, slots=True)
class _Shell:
    """Each call is a command of its own, in the same actor's name."""

    root: Path
    options: tuple[str, ...]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        command = ["--json", f"--root={self.root}", "--actor=examples", "--task=T", "call", tool, "-", *self.options]
        result = CliRunner().invoke(cli, command, input=json.dumps(arguments))
        document = json.loads(result.stdout)
        assert document["ok"] is (result.exit_code == 0)
        answer: Mapping[str, Any] = document["answer"]
        return answer


@contextmanager
def command_line(scenarios: Sequence[Scenario], folder: Path) -> Iterator[Iterator[Placed]]:
    def placed() -> Iterator[Placed]:
        for number, scenario in enumerate(scenarios):
            root = folder / f"s{number}"
            root.mkdir()
            yield scenario, root, _Shell(root, (f"--toolset={scenario.toolset}", *_flags(scenario.settings)))

    yield placed()


@dataclass(frozen=True, slots=True)
class _Remote:
    portal: BlockingPortal
    client: Client
    root: Mapping[str, str]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        result = self.portal.call(self.client.call_tool, tool, {**arguments, **self.root})
        answer: Mapping[str, Any] = result.structured_content or _of_text(result)
        assert result.is_error is failed(answer)
        return answer


def _of_text(result: CallToolResult) -> dict[str, Any]:
    """The answer of a maker's own tool, which is a text."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    kind = (result.meta or {}).get("steadyhand/kind")
    return {"content": block.text, "is_error": result.is_error, **({} if kind is None else {"kind": kind})}


def _over_mcp(transport: str) -> Surface:
    @contextmanager
    def surface(scenarios: Sequence[Scenario], folder: Path) -> Iterator[Iterator[Placed]]:
        groups: dict[tuple[str, ...], list[tuple[Scenario, Path]]] = {}
        for number, scenario in enumerate(scenarios):
            root = folder / f"s{number}"
            root.mkdir()
            groups.setdefault(server_options(scenario), []).append((scenario, root))
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            yield _placed(groups, portal, stack, transport)

    return surface


def _placed(
    groups: Mapping[tuple[str, ...], list[tuple[Scenario, Path]]],
    portal: BlockingPortal,
    stack: ExitStack,
    transport: str,
) -> Iterator[Placed]:
    for options, members in groups.items():
        roots = [f"--root={root}" for _, root in members]
        if transport == "stdio":
            opened = over_stdio(*roots, *options)
        else:
            opened = over_http(stack.enter_context(http_server(*roots, *options)))
        client = stack.enter_context(portal.wrap_async_context_manager(opened))
        for scenario, root in members:
            yield scenario, root, _Remote(portal, client, {"root": root.name} if len(members) > 1 else {})


def server_options(scenario: Scenario) -> tuple[str, ...]:
    """What the server of a scenario must be started with."""
    together = [name for name in toolsets() if name not in ALONE]
    served = [scenario.toolset] if scenario.toolset in ALONE else together
    return ("--actor=examples", "--task=T", *(f"--toolset={name}" for name in served), *_flags(scenario.settings))


def _flags(settings: Mapping[str, Any]) -> tuple[str, ...]:
    flags: list[str] = []
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            flags += [option] if value else []
        else:
            flags += [f"{option}={each}" for each in (value if isinstance(value, list | tuple) else [value])]
    return tuple(flags)


SURFACES: dict[str, Surface] = {
    "python": python,
    "command line": command_line,
    "mcp over stdio": _over_mcp("stdio"),
    "mcp over http": _over_mcp("http"),
}
