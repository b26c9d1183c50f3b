"""`steadyhand tools`: the toolsets there are, the tools of one, their schemas, the prompt that goes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import MODES, command
from steadyhand.surfaces.cli.host_options import SchemaStyle, ToolsetName
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.tool import tool_lines, toolset_lines
from steadyhand.surfaces.terminal import Piece

if TYPE_CHECKING:
    from steadyhand.tools.tool import Tool

_USUAL = "core"
_PLANNER = "planner"


@command(
    "tools",
    section="Models",
    examples="""
    steadyhand tools
    steadyhand tools surgical --mode analyze
    steadyhand tools core edit
    steadyhand tools site --schema anthropic
    steadyhand tools vault --prompt
    """,
)
@click.argument("toolset", metavar="[TOOLSET]", required=False, type=ToolsetName())
@click.argument("tool", metavar="[TOOL]", required=False)
@click.option("--schema", metavar="STYLE", type=SchemaStyle(), help="Print the tools as an API takes them, in JSON.")
@click.option("--prompt", is_flag=True, help="Print the section of a system prompt that goes with the toolset.")
@click.option(
    "--mode",
    type=click.Choice([*MODES, _PLANNER]),
    help="Only what a task of this mode has; planner: how a planner chooses among the modes, for --prompt.",
)
def run(
    invocation: Invocation, toolset: str | None, tool: str | None, schema: str | None, prompt: bool, mode: str | None
) -> int:
    """List the tools that models are given, with their parameters.

    Without TOOLSET the toolsets are listed; --schema and --prompt are then those of core. With TOOL only that tool is
    shown. Styles of schemas: openai, openai-strict, openai-responses, openai-responses-strict, anthropic, mcp.
    """
    chosen = mode or invocation.settings.mode
    if prompt:
        if schema is not None or tool is not None:
            raise EditError(
                Kind.BAD_REQUEST,
                "--prompt is that of a whole toolset",
                hint="leave out --schema and the name of a tool",
            )
        return _show_prompt(invocation, toolset or _USUAL, chosen)
    if chosen == _PLANNER:
        raise EditError(Kind.BAD_REQUEST, "a planner has no tools of its own", hint="add --prompt, or name a mode")
    if toolset is None and schema is None:
        return _show_toolsets(invocation, chosen)
    tools = _listed(invocation, toolset or _USUAL, tool, chosen)
    return _show_tools(invocation, tools) if schema is None else _show_schemas(invocation, tools, schema)


def _show_toolsets(invocation: Invocation, mode: str | None) -> int:
    """Every toolset with what it has in a mode, or, where none is asked for, in any."""
    from steadyhand.tools.toolsets import tools_of, toolsets

    rows = [
        (toolset, tools_of(name) if mode is None else _listed(invocation, name, None, mode))
        for name, toolset in toolsets().items()
    ]
    document = [
        {"name": toolset.name, "summary": toolset.summary, "tools": [tool.name for tool in tools]}
        for toolset, tools in rows
    ]
    invocation.output.document({"ok": True, "toolsets": document})
    invocation.output.print(toolset_lines(rows))
    return 0


def _listed(invocation: Invocation, toolset: str, name: str | None, mode: str | None) -> tuple[Tool, ...]:
    """The tools that are there, or the one that was named."""
    from steadyhand.schema import nearest_name
    from steadyhand.tools.modes import offered
    from steadyhand.tools.toolsets import tools_of

    tools = offered(tools_of(toolset), mode, is_read_only=invocation.settings.read_only)
    if name is None:
        return tools
    found = tuple(tool for tool in tools if tool.name == name)
    if not found:
        names = [tool.name for tool in tools]
        near = nearest_name(name, names)
        hint = f"did you mean {near}?" if near else f"tools: {', '.join(names)}"
        raise EditError(Kind.BAD_REQUEST, f"{toolset} has no tool {name[:80]!r} here", hint=hint)
    return found


def _show_tools(invocation: Invocation, tools: tuple[Tool, ...]) -> int:
    from steadyhand.schema import plain_schema

    document = [
        {
            "name": tool.name,
            "title": tool.title,
            "summary": tool.summary,
            "trust": tool.trust,
            "parameters": plain_schema(tool.parameters),
            "result": plain_schema(tool.result),
            "annotations": tool.annotations(),
        }
        for tool in tools
    ]
    invocation.output.document({"ok": True, "tools": document})
    invocation.output.print(tool_lines(tools))
    return 0


def _show_schemas(invocation: Invocation, tools: tuple[Tool, ...], style: str) -> int:
    import json

    from steadyhand.tools.tool import tool_schema

    schemas = [tool_schema(tool, style) for tool in tools]
    invocation.output.document({"ok": True, "schemas": schemas})
    _print(invocation, json.dumps(schemas, indent=2, ensure_ascii=False))
    return 0


def _show_prompt(invocation: Invocation, toolset: str, mode: str | None) -> int:
    from steadyhand.tools.modes import prompt_for

    text = prompt_for(toolset, mode)
    invocation.output.document({"ok": True, "prompt": text})
    _print(invocation, text.rstrip("\n"))
    return 0


def _print(invocation: Invocation, text: str) -> None:
    """A text of our own, whole in a pipe, where a program reads it."""
    output = invocation.output
    if output.is_terminal:
        output.print((Piece(row),) for row in text.split("\n"))
    elif not output.json:
        output.plain(text + "\n")


COMMAND = run
