"""`agent`, `call` and `tools`: the tools of models, tried from a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, assert_never

import click

from steadyhand.errors import Kind
from steadyhand.surfaces.cli.group import MODES, command
from steadyhand.surfaces.cli.host_options import (
    ToolsetName,
    host_options,
    host_policy,
    host_settings,
    limits_of,
    model_of,
    model_options,
    schema_styles,
    toolset_of,
)
from steadyhand.surfaces.cli.invocation import Invocation, argument_text, misused, parse_json
from steadyhand.surfaces.cli.options import FILE, Name, flag, option
from steadyhand.surfaces.cli.output import CommandResult, writing
from steadyhand.surfaces.cli.render import diff_lines, progress
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, head_of, pad

if TYPE_CHECKING:
    from steadyhand.agents.runner import Ended, Step
    from steadyhand.schema import Object, Shape
    from steadyhand.session.receipt import Receipt
    from steadyhand.tools.framework_calls import Made
    from steadyhand.tools.tool import Tool
    from steadyhand.tools.toolsets import Toolset


@command(
    "agent",
    section="Models",
    examples="""
    steadyhand agent 'rename fetch to download in src/' --model anthropic:claude-sonnet-4-5
    steadyhand agent @task.md --model openai-chat:qwen --base-url http://127.0.0.1:8080/v1
    steadyhand agent 'fix the table in docs/a.md' --toolset surgical --transcript talk.json
    """,
)
@click.argument("task_text", metavar="TASK|-|@FILE")
@option(
    "--toolset NAME",
    "The model's tools (default: the entry for the model in steadyhand.toml, else core).",
    type=ToolsetName(),
)
@option("--transcript FILE", "Write the whole conversation to this file.", type=FILE)
@option("--article FILE", "The only file that may be changed.")
@model_options
def agent_command(
    invocation: Invocation,
    task_text: str,
    toolset: str | None,
    transcript: str | None,
    article: str | None,
    **options: Any,
) -> CommandResult:
    """Have a model carry out a task with the tools of one toolset.

    Each change is shown with its diff as it is made, each refusal with its reason; every change can be undone. Needs
    the extra `agent`; keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY …). Exits with 1 if the model
    could not be reached, hit a limit or went in circles; what it changed by then stays.
    """
    from steadyhand.agents.task_run import TaskRun
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Settings

    output = invocation.output
    said = argument_text(invocation, "TASK", task_text)
    model = model_of(invocation, options)
    settings = Settings(article=article, model=model.name)
    toolset = toolset or invocation.toolset_for(model.name)
    width = output.width if output.is_terminal else None
    with invocation.workspace(writing=True) as workspace:
        kit = Kit(workspace, toolset, settings)
        task_run = TaskRun(
            model,
            kit,
            limits=limits_of(options),
            watch=lambda step: output.print(step_lines(step, width=width, quiet=output.quiet)),
        )
        try:
            task_run.run(said)
        finally:
            if transcript is not None:
                with writing(invocation, "--transcript", transcript) as write:
                    write(json.dumps(task_run.conversation.transcript(), indent=1, default=str).encode() + b"\n")
    ended = task_run.conversation.ended
    error = {} if ended.is_done else {"error": {"kind": ended.stop, "message": ended.error, "hint": None}}
    document = {
        "ok": ended.is_done,
        "model": model.name,
        "toolset": toolset,
        "text": ended.text,
        "records": task_run.records,
        "turns": ended.turns,
        "retries": ended.retries,
        "callsAsText": ended.as_text,
        "toolUsage": ended.tool_usage(),
        "tokens": ended.tokens.to_json(),
        "seconds": round(ended.seconds, 3),
        **error,
    }
    return CommandResult(document, [ended_line(ended)], 0 if ended.is_done else 1)


@command(
    "call",
    section="Models",
    examples="""
    steadyhand call read '{"path": "docs/a.md"}'
    steadyhand call edit '{"path": "a.md", "edits": [{"target": "teh", "new": "the"}]}'
    steadyhand call editDOM @call.json --task T-12
    echo '{"path": "a.md", "patch": "..."}' | steadyhand call write_patch -
    """,
)
@click.argument("tool")
@click.argument("arguments", metavar="[JSON|-|@FILE]", required=False)
@option("--toolset NAME", "The tool's toolset (default: core, or the only one that has the tool).", type=ToolsetName())
@option("--conversation ID", "The conversation, for the records (default: the task).")
@host_options
def call_command(
    invocation: Invocation,
    tool: str,
    arguments: str | None,
    toolset: str | None,
    conversation: str | None,
    **options: Any,
) -> int:
    """Call a tool as a model would, and print its answer.

    The arguments are a JSON object: typed, - for standard input, or @FILE; the default is an empty object. Paths in it
    are relative to the root. A refusal is printed like any answer and sets the exit code of its kind, even if only part
    of the call was refused. The text is what a model reads; --json has every field, in "answer".
    """
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.result import refusal_kind
    from steadyhand.tools.text import render_text
    from steadyhand.tools.tool import Conversation

    sent = {} if arguments is None else parse_json(argument_text(invocation, "JSON", arguments), "the JSON of the call")
    chosen = toolset or toolset_of(tool)
    output = invocation.output
    with invocation.workspace(writing=True, policy=host_policy(options)) as workspace:
        name = conversation or (workspace.task_id and f"{workspace.actor}/{workspace.task_id}")
        kit = Kit(workspace, chosen, host_settings(options), Conversation(name) if name else None)
        with progress(output, "staging") as shown:
            receipts: list[Receipt] = []
            answer = kit.call(tool, sent, progress=shown, receipts=receipts)
    kind = refusal_kind(answer)
    output.document(
        {
            "ok": kind is None,
            "toolset": chosen,
            "tool": tool,
            "answer": answer,
            **({} if kind is None else {"error": _error(kind, answer)}),
        }
    )
    if output.is_terminal:
        output.print(answer_lines(render_text(answer, receipts)))
    elif not output.json:
        output.plain(f"{render_text(answer, receipts)}\n")
    return 0 if kind is None else kind.exit_code


def _error(kind: Kind, answer: Mapping[str, object]) -> dict[str, object]:
    """A refusal as every command's document has it."""
    said = next((answer[name] for name in ("message", "error", "content") if answer.get(name)), kind.doc)
    return {"kind": str(kind), "message": said, "hint": answer.get("hint"), "action": str(kind.action)}


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
@option("--schema STYLE", "Print the tools as JSON, in the form an API takes.", type=Name("style", schema_styles))
@flag("--prompt", "Print the toolset's section for a system prompt.")
@option(
    "--mode",
    "Only the tools of this mode; planner, with --prompt: how to choose among the modes.",
    choices=[*MODES, _PLANNER],
)
def tools_command(
    invocation: Invocation, toolset: str | None, tool: str | None, schema: str | None, prompt: bool, mode: str | None
) -> CommandResult:
    """List the tools for models, with their parameters.

    Without TOOLSET, lists the toolsets; --schema and --prompt then apply to core. With TOOL, shows only that tool.
    Schema styles: openai, openai-strict, openai-responses, openai-responses-strict, anthropic, mcp.
    """
    chosen = mode or invocation.settings.mode
    if prompt:
        if schema is not None or tool is not None:
            raise misused("--prompt prints the section of a whole toolset", "leave out --schema and the name of a tool")
        from steadyhand.tools.kit import prompt_for

        text = prompt_for(toolset or _USUAL, chosen)
        return CommandResult({"prompt": text}, text=text.rstrip("\n") + "\n")
    if chosen == _PLANNER:
        raise misused("a planner has no tools of its own", "add --prompt, or name a mode")
    if toolset is None and schema is None:
        from steadyhand.tools.toolsets import tools_of, toolsets

        rows = [
            (toolset, tools_of(name) if chosen is None else _listed(invocation, name, None, chosen))
            for name, toolset in toolsets().items()
        ]
        document = [
            {"name": toolset.name, "summary": toolset.summary, "tools": [tool.name for tool in tools]}
            for toolset, tools in rows
        ]
        return CommandResult({"toolsets": document}, toolset_lines(rows))
    tools = _listed(invocation, toolset or _USUAL, tool, chosen)
    if schema is None:
        return _show_tools(tools)
    from steadyhand.tools.tool import tool_schema

    schemas = [tool_schema(tool, schema) for tool in tools]
    return CommandResult({"schemas": schemas}, text=json.dumps(schemas, indent=2, ensure_ascii=False) + "\n")


def _listed(invocation: Invocation, toolset: str, name: str | None, mode: str | None) -> tuple[Tool, ...]:
    """The tools that are there, or the one that was named."""
    from steadyhand.schema import nearest_name
    from steadyhand.tools.kit import offered
    from steadyhand.tools.toolsets import tools_of

    tools = offered(tools_of(toolset), mode, is_read_only=invocation.settings.read_only)
    if name is None:
        return tools
    found = tuple(tool for tool in tools if tool.name == name)
    if not found:
        names = [tool.name for tool in tools]
        near = nearest_name(name, names)
        hint = f"did you mean {near}?" if near else f"tools: {', '.join(names)}"
        raise misused(f"{toolset} has no tool {name[:80]!r} here", hint)
    return found


def _show_tools(tools: tuple[Tool, ...]) -> CommandResult:
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
    return CommandResult({"tools": document}, tool_lines(tools))


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
        for inner in _objects(field.shape):
            yield from _rows(inner, depth + 1)


def _objects(shape: Shape) -> list[Object]:
    """The objects that a value is, or holds in an array."""
    from steadyhand.schema import Either, Many, Object

    if isinstance(shape, Many):
        return _objects(shape.item)
    if isinstance(shape, Either):
        return [each for inner in shape.shapes for each in _objects(inner)]
    return [shape] if isinstance(shape, Object) else []


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
