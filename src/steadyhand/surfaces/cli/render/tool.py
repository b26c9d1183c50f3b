"""Tools as people read them: toolsets, tools with their parameters, and the answers of calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, assert_never

from steadyhand.surfaces.terminal import Line, Piece, cells, pad

if TYPE_CHECKING:
    from steadyhand.tools.shape import Field, Object, Shape
    from steadyhand.tools.tool import Tool
    from steadyhand.tools.toolset import Toolset

__all__ = ["answer_lines", "answer_text", "shape_name", "tool_lines", "toolset_lines"]

_TEXTS = ("content", "diff", "error")  # what of an answer is read better as it is than inside JSON
_IN_ERROR = ("message", "hint")  # what an error says already


def toolset_lines(toolsets: Iterable[tuple[Toolset, tuple[Tool, ...]]]) -> Iterator[Line]:
    """Each toolset with its summary and the names of its tools."""
    rows = list(toolsets)
    column = max(cells(toolset.name) for toolset, _ in rows)
    for toolset, tools in rows:
        yield (Piece(pad(toolset.name, column) + "  ", "heading"), Piece(toolset.summary))
        yield (Piece(" " * (column + 2)), Piece(", ".join(tool.name for tool in tools) or "none in this mode", "dim"))


def tool_lines(tools: Iterable[Tool]) -> Iterator[Line]:
    """Each tool with what it does and what it takes."""
    for number, tool in enumerate(tools):
        if number:
            yield ()
        yield (Piece(tool.name, "heading"), Piece(f"  {tool.title}, {tool.trust}", "dim"))
        yield (Piece(f"  {tool.summary}"),)
        rows = list(_rows(tool.parameters, 1))
        column = max((cells(name) for name, _, _ in rows), default=0)
        for name, kind, about in rows:
            yield (Piece(pad(name, column) + "  ", "place"), Piece(kind, "dim"), Piece(f"  {about}" if about else ""))


def _rows(shape: Object, depth: int) -> Iterator[tuple[str, str, str]]:
    """Name, kind and meaning of every field, those of objects inside indented below it."""
    for field in shape.fields:
        required = ", required" if field.required else ""
        yield "  " * depth + field.name, f"{shape_name(field.shape)}{required}", field.about
        for inner in _objects(field):
            yield from _rows(inner, depth + 1)


def _objects(field: Field) -> list[Object]:
    """The objects that a field holds, itself or in an array."""
    from steadyhand.tools.shape import Either, Many, Object

    shapes: list[Shape] = [field.shape]
    found: list[Object] = []
    for shape in shapes:
        match shape:
            case Object():
                found.append(shape)
            case Many():
                shapes.append(shape.item)
            case Either():
                shapes += shape.shapes
            case _:
                pass
    return found


def shape_name(shape: Shape) -> str:
    """What kind of value a shape is, in words."""
    from steadyhand.tools.shape import Anything, Either, Flag, Many, Number, Object, Text

    match shape:
        case Text():
            return " | ".join(f'"{choice}"' for choice in shape.choices) or "string"
        case Number():
            return "number" if shape.fractional else "whole number"
        case Flag():
            return "true | false"
        case Many():
            item = shape_name(shape.item)
            return f"array of ({item})" if " | " in item else f"array of {item}"
        case Object():
            return "object"
        case Either():
            return " | ".join(map(shape_name, shape.shapes))
        case Anything():
            return "any value"
        case _:
            assert_never(shape)


def answer_lines(answer: Mapping[str, object], *, is_native: bool) -> Iterator[Line]:
    """An answer for a person: the text of a native tool, else JSON with its long texts below, as they are."""
    if is_native:
        yield from _text_lines(str(answer.get("content", "")))
        return
    import json

    texts = {name: text for name in _TEXTS if isinstance(text := answer.get(name), str)}
    said = {*texts, *(_IN_ERROR if "error" in texts else ())}
    rest = {name: value for name, value in answer.items() if name not in said}
    yield from _text_lines(json.dumps(rest, indent=2, ensure_ascii=False))
    for name, text in texts.items():
        yield (Piece(f"{name}:", "dim"),)
        yield from _text_lines(text)


def answer_text(answer: Mapping[str, object], *, is_native: bool) -> str:
    """An answer for a program: the text of a native tool, else JSON, with nothing cut."""
    if is_native:
        return f"{answer.get('content', '')}\n"
    import json

    return json.dumps(answer, indent=2) + "\n"


def _text_lines(text: str) -> Iterator[Line]:
    for row in text.split("\n"):
        yield (Piece(row),)
