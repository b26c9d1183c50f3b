"""Tools in the form each maker's API takes them; their parameters are JSON Schemas, plain or strict.

Strict: every property is required and may be null, no other is allowed, nothing has a default or a bound. What has no
shape cannot be said there, so it is asked for as a string that holds JSON: repair reads an object or an array out of
it, and a tool that takes any value reads the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steadyhand.schema import Field, Object, Schema, Text, plain_schema, strict_schema
from steadyhand.tools.tool import Tool

__all__ = ["STYLES", "tool_schema"]

_REFUSED = (Field("error", Text(), "Nothing was done: why, and what to send instead."), Field("kind", Text()))


def _answer_schema(tool: Tool) -> Schema:
    """What a tool answers, be it a refusal: clients hold that against the schema too, so nothing in it is required."""
    told = plain_schema(Object(tuple({field.name: field for field in (*_REFUSED, *tool.result.fields)}.values())))
    return {"type": "object", "properties": told["properties"]}


def _openai(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", "function": _function(tool, strict=strict)}


def _responses(tool: Tool, *, strict: bool) -> Schema:
    return {"type": "function", **_function(tool, strict=strict)}


def _function(tool: Tool, *, strict: bool) -> Schema:
    parameters = strict_schema(tool.parameters) if strict else plain_schema(tool.parameters)
    return {"name": tool.name, "description": tool.summary, "parameters": parameters, "strict": strict}


def _anthropic(tool: Tool) -> Schema:
    return {"name": tool.name, "description": tool.summary, "input_schema": plain_schema(tool.parameters)}


def _mcp(tool: Tool) -> Schema:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.summary,
        "inputSchema": plain_schema(tool.parameters),
        "outputSchema": _answer_schema(tool),
        "annotations": tool.annotations(),
    }


STYLES: Mapping[str, Callable[[Tool], Schema]] = {
    "openai": lambda tool: _openai(tool, strict=False),
    "openai-strict": lambda tool: _openai(tool, strict=True),
    "openai-responses": lambda tool: _responses(tool, strict=False),
    "openai-responses-strict": lambda tool: _responses(tool, strict=True),
    "anthropic": _anthropic,
    "mcp": _mcp,
}


def tool_schema(tool: Tool, style: str) -> Schema:
    """A tool as a maker's API takes it; a tool that the maker's models know by a type of its own is named by it."""
    native = tool.native.get(style)
    return dict(native) if native is not None else STYLES[style](tool)
