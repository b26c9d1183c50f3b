"""Names of toolsets, styles of schemas and clients as they are typed, and the toolset that a tool's name alone means.

The registry is loaded only when somebody types one of the names, or asks for the help that lists them.
"""

from __future__ import annotations

from typing import Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.named import Name

__all__ = ["ClientName", "SchemaStyle", "ToolsetName", "toolset_of"]

_USUAL = "core"


def _toolsets() -> tuple[str, ...]:
    from steadyhand.tools.registry import toolsets

    return tuple(toolsets())


def _styles() -> tuple[str, ...]:
    from steadyhand.tools.schema import STYLES

    return tuple(STYLES)


def _clients() -> tuple[str, ...]:
    from steadyhand.surfaces.clients import clients

    return tuple(clients())


class ClientName(Name):
    """The name of a program that starts the MCP server."""

    def __init__(self) -> None:
        super().__init__("client", _clients)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if "." in value or "/" in value:
            self.fail(
                f"{value!r} is no client; a file goes before the command: steadyhand --config FILE mcp", param, ctx
            )
        return super().convert(value, param, ctx)


class ToolsetName(Name):
    """The name of a toolset."""

    def __init__(self) -> None:
        super().__init__("toolset", _toolsets)


class SchemaStyle(Name):
    """The name of a style in which schemas are printed."""

    def __init__(self) -> None:
        super().__init__("style", _styles)


def toolset_of(tool: str) -> str:
    """The toolset that is meant by a tool's name: core if it has it, else the only one that does.

    Refuses with `bad-request` a name that several other toolsets have, or none.
    """
    from steadyhand.structure.fields import nearest_name
    from steadyhand.tools.registry import tools_of

    named = {each: {name for one in tools_of(each) for name in (one.name, *one.also)} for each in _toolsets()}
    having = [each for each, names in named.items() if tool in names]
    if _USUAL in having or len(having) == 1:
        return _USUAL if _USUAL in having else having[0]
    if having:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{len(having)} toolsets have a tool {tool!r}: {', '.join(having)}",
            hint=f"say which, such as --toolset {having[0]}",
            details={"toolsets": having},
        )
    near = nearest_name(tool[:80], sorted(set().union(*named.values())))
    raise EditError(
        Kind.BAD_REQUEST,
        f"there is no tool {tool[:80]!r}",
        hint=f"did you mean {near}?" if near else "steadyhand tools lists them",
    )
