"""Shapes as JSON Schema, plain or strict, or in words, and tools in the form each maker's API takes them.

Strict: every property is required and may be null, no other is allowed, nothing has a default or a bound. What has no
shape cannot be said there, so it is asked for as a string that holds JSON: repair reads an object or an array out of
it, and a tool that takes any value reads the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from steadyhand.tools.shape import Anything, Either, Field, Flag, Many, Number, Object, Shape, Text
from steadyhand.tools.tool import Tool

__all__ = ["STYLES", "kind_name", "plain_schema", "sketch", "strict_schema", "tool_schema"]

Schema = dict[str, object]

_REFUSED = (Field("error", Text(), "Nothing was done: why, and what to send instead."), Field("kind", Text()))
_AS_TEXT: Schema = {"type": "string", "description": "JSON."}


def kind_name(shape: Shape) -> str:
    """What a shape asks for, in the words of JSON."""
    match shape:
        case Text():
            return "a string"
        case Number():
            return "a whole number"
        case Flag():
            return "true or false"
        case Many():
            return "an array"
        case Object():
            return "an object"
        case Either():
            return " or ".join(map(kind_name, shape.shapes))
        case Anything():
            return "a value"
        case _:
            assert_never(shape)


def sketch(shape: Shape) -> str:
    """The shape to send, as a hint shows it."""
    match shape:
        case Object():
            shown = [each for each in shape.fields if each.required] or shape.fields[:2]
            return "{" + ", ".join(f'"{each.name}": {sketch(each.shape)}' for each in shown) + "}"
        case Many():
            return f"[{sketch(shape.item)}]"
        case _:
            return "…"


def plain_schema(shape: Shape) -> Schema:
    """The JSON Schema of a shape.

    >>> plain_schema(Many(Text()))
    {'type': 'array', 'items': {'type': 'string'}}
    """
    return _schema(shape, strict=False)


def strict_schema(shape: Shape) -> Schema:
    """The same as strict modes want it.

    >>> strict_schema(Object((Field("a", Number(least=1)),)))["properties"]
    {'a': {'type': ['integer', 'null']}}
    """
    return _schema(shape, strict=True)


def _answer_schema(tool: Tool) -> Schema:
    """What a tool answers, be it a refusal: clients hold that against the schema too, so nothing in it is required."""
    told = plain_schema(Object(tuple({field.name: field for field in (*_REFUSED, *tool.result.fields)}.values())))
    return {"type": "object", "properties": told["properties"]}


def _schema(shape: Shape, *, strict: bool) -> Schema:
    match shape:
        case Text():
            return {"type": "string", **({"enum": list(shape.choices)} if shape.choices else {})}
        case Number():
            told = {} if strict else _told(minimum=shape.least, maximum=shape.most)
            return {"type": "number" if shape.fractional else "integer", **told}
        case Flag():
            return {"type": "boolean"}
        case Many():
            told = {} if strict else _told(minItems=shape.least or None, maxItems=shape.most)
            return {"type": "array", "items": _schema(shape.item, strict=strict), **told}
        case Either():
            return {"anyOf": [_schema(each, strict=strict) for each in shape.shapes]}
        case Anything():
            return dict(_AS_TEXT) if strict else {}
        case Object():
            return dict(_AS_TEXT) if strict and shape.is_open and not shape.fields else _object(shape, strict=strict)
        case _:
            assert_never(shape)


def _told(**bounds: int | None) -> Schema:
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _object(shape: Object, *, strict: bool) -> Schema:
    required = [field.name for field in shape.fields if strict or field.required]
    schema: Schema = {
        "type": "object",
        "properties": {field.name: _property(field, strict=strict) for field in shape.fields},
    }
    if required:
        schema["required"] = required
    return schema if shape.is_open and not strict else schema | {"additionalProperties": False}


def _property(field: Field, *, strict: bool) -> Schema:
    schema = _schema(field.shape, strict=strict)
    if strict and not field.required:
        schema = _nullable(schema)
    about = " ".join(str(part) for part in (field.about, schema.get("description")) if part)
    return schema | ({"description": about} if about else {})


def _nullable(schema: Schema) -> Schema:
    if "anyOf" in schema:
        options = schema["anyOf"]
        assert isinstance(options, list)
        return schema | {"anyOf": [*options, {"type": "null"}]}
    made = schema | {"type": [schema["type"], "null"]}
    choices = made.get("enum")
    return made | {"enum": [*choices, None]} if isinstance(choices, list) else made


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
