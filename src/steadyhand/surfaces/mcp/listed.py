"""The tools of a server as its clients list them, from what is written down of each toolset.

`lists/<toolset>.json` is made by `scripts/generate_docs.py` with `list_of`, and checked by the same; a toolset whose
tools depend on settings of the host has none. Reading one takes a tenth of the time that loading the tools takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyhand.surfaces.mcp.serving import Serving

__all__ = ["FOLDER", "ROOT", "list_of", "listed_tools", "room_of", "with_root"]

FOLDER = Path(__file__).resolve().parent / "lists"
ROOT = "root"
_MODES = (None, "research", "analyze", "generate", "modify", "execute")
_READING = ("research", "analyze")
_ROOM = "anthropic/maxResultSizeChars"
_MOST_ROOM = 500_000  # what that client takes at most
Schema = dict[str, Any]


def listed_tools(serving: Serving) -> list[Schema] | None:
    """The tools of a server; None where they are not written down, or its roots are not known yet."""
    if not serving.roots or serving.settings is not None:
        return None
    found: dict[str, Schema] = {}
    for toolset in dict.fromkeys(serving.toolsets):
        try:
            written = json.loads((FOLDER / f"{toolset}.json").read_bytes())
        except OSError:
            return None
        for name in written["listed"][_key(serving.mode, is_read_only=serving.is_reading)]:
            found.setdefault(name, written["tools"][name] | room_of(serving.most))
    names = [root.name for root in serving.roots]
    return list(found.values()) if len(names) == 1 else [with_root(schema, names) for schema in found.values()]


def list_of(toolset: str) -> str | None:
    """What is written down of a toolset: its tools, and in which order which of them are listed when."""
    from steadyhand.tools.offered import offered
    from steadyhand.tools.registry import tools_of, toolset_named
    from steadyhand.tools.schema import tool_schema

    tools = tools_of(toolset)
    if any(tool.fitted is not None for tool in tools):
        return None
    left_out = {"outputSchema"} if toolset_named(toolset).is_native else set()
    schemas = {tool.name: tool_schema(tool, "mcp") for tool in tools}
    listed = {
        _key(mode, is_read_only=is_read_only): [tool.name for tool in offered(tools, mode, is_read_only=is_read_only)]
        for mode in _MODES
        for is_read_only in ((True,) if mode in _READING else (False, True))
    }
    kept = {name: {key: each for key, each in value.items() if key not in left_out} for name, value in schemas.items()}
    return json.dumps({"listed": listed, "tools": kept}, indent=1) + "\n"


def with_root(schema: Schema, names: Sequence[str]) -> Schema:
    """The same tool for a server of several roots: which one is meant is an argument that must be there."""
    given = schema["inputSchema"]
    root = {"type": "string", "enum": list(names), "description": "The directory that paths count from."}
    parameters = given | {
        "properties": {ROOT: root, **given.get("properties", {})},
        "required": [ROOT, *given.get("required", [])],
    }
    return schema | {"inputSchema": parameters}


def room_of(most: int) -> Schema:
    """What tells a client that cuts answers sooner how many characters an answer has at most."""
    return {"_meta": {_ROOM: min(most, _MOST_ROOM)}}


def _key(mode: str | None, *, is_read_only: bool) -> str:
    return f"{mode or 'any'}{', read-only' if is_read_only else ''}"
