"""Tools as people read them: toolsets, tools with their parameters, and the answers of calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, assert_never

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, head_of, pad

if TYPE_CHECKING:
    from steadyhand.agents.runner import Ended, Step
    from steadyhand.schema import Field, Object, Shape
    from steadyhand.tools.framework_calls import Made
    from steadyhand.tools.tool import Tool
    from steadyhand.tools.toolsets import Toolset

_STYLES = {"+": "added", "-": "removed", "@": "dim"}


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
    from steadyhand.schema import Either, Many, Object

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
    from steadyhand.schema import Anything, Either, Flag, Many, Number, Object, Text

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


def answer_lines(text: str) -> Iterator[Line]:
    """An answer's text for a terminal, its diff in colours."""
    in_diff = False
    for row in text.split("\n"):
        in_diff = row.startswith("@@ ") or (in_diff and row[:1] in ("+", "-", " "))
        style = _STYLES.get(row[:1]) if in_diff else None
        yield (Piece(row, style),) if style else (Piece(row),)


_MOST = 40  # lines of a diff, and of what a model says


def step_lines(step: Step, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One step of a conversation; what we say to the model is not shown."""
    from steadyhand.agents.model import ModelError, Reply, Said
    from steadyhand.tools.framework_calls import Made

    match step:
        case Reply():
            rows = step.text.strip().split("\n") if step.text.strip() else []
            yield from ((Piece(row),) for row in rows[:_MOST])
            if len(rows) > _MOST:
                yield (Piece(f"… {counted(len(rows) - _MOST, 'more line')}", "dim"),)
        case Made():
            yield from made_lines(step, width=width, quiet=quiet)
        case ModelError():
            again = "; trying again" if step.is_passing else ""
            yield (Piece("model: ", "warning"), *head_of(step.message), Piece(again, "dim"))
        case Said():
            return


def made_lines(made: Made, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One call: its diff, the first line of its refusal, or only its name."""
    if made.failed:
        said = str(made.result.get("message") or made.result.get("error") or made.result.get("content") or "refused")
        kind = f" {made.kind}" if made.kind is not None else ""
        first = said.partition("\n")[0]
        yield (Piece(made.tool, "heading"), Piece(f" refused{kind}: ", "error"), *head_of(first))
        return
    records = f"  {', '.join(made.records)}" if made.records else ""
    yield (Piece(made.tool, "heading"), Piece(records, "id"))
    if made.diff and not quiet:
        yield from diff_lines(made.diff, width=width, limit=_MOST)


def ended_line(ended: Ended) -> Line:
    """What it came to: how it ended, turns, calls, tokens, time."""
    refused = sum(counts[1] for counts in ended.usage.values())
    facts = [
        counted(ended.turns, "turn"),
        f"{counted(ended.calls, 'call')}{f' ({refused:,} refused)' if refused else ''}",
        counted(ended.tokens.total, "token"),
        f"{ended.seconds:.1f} s",
        *([f"{counted(ended.as_text, 'call')} written as text"] if ended.as_text else []),
        *([f"{ended.retries:,} retried"] if ended.retries else []),
    ]
    end = Piece("done", "good") if ended.is_done else Piece(f"stopped: {ended.error}", "error")
    return (end, Piece(f"  {', '.join(facts)}", "dim"))
