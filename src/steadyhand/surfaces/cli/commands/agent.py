"""`steadyhand agent`: a task in plain words, done by a model with one toolset."""

from __future__ import annotations

import json
from typing import Any

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.host_options import ToolsetName
from steadyhand.surfaces.cli.inputs import bytes_from, decode
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.models import limits_of, model_of, model_options
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.outfile import writing
from steadyhand.surfaces.cli.render.tool import ended_line, step_lines


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
@click.option("--toolset", metavar="NAME", type=ToolsetName(), default="core", show_default=True, help="Its tools.")
@click.option("--transcript", metavar="FILE", type=FileName(), help="Write everything that was said to this file.")
@click.option("--article", metavar="FILE", help="The one file that may be changed.")
@model_options
def run(
    invocation: Invocation, task_text: str, toolset: str, transcript: str | None, article: str | None, **options: Any
) -> int:
    """Let a model do a task with the tools of one toolset.

    Each change is shown with its diff as it is made, each refusal with its reason. Every change is recorded and can be
    undone. Needs the extra `agent`; keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY …). Exits with
    1 where the model could not be reached, reached a limit or went round in circles; what it changed until then stays.
    """
    from steadyhand.agents.errand import Errand
    from steadyhand.tools.call import Settings
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.workspace import Workspace

    output = invocation.output
    said = task_text
    if task_text == "-" or task_text.startswith("@"):
        said = decode(bytes_from(invocation, "TASK", task_text.removeprefix("@")), "TASK")
    model = model_of(invocation, options)
    settings = Settings(article=article, model=model.name)
    width = output.width if output.is_terminal else None
    with invocation.workspace(writing=True, kind=Workspace) as workspace:
        kit = Kit(workspace, toolset, settings)
        errand = Errand(
            model,
            kit,
            limits=limits_of(options),
            watch=lambda step: output.print(step_lines(step, width=width, quiet=output.quiet)),
        )
        try:
            errand.run(said)
        finally:
            if transcript is not None:
                with writing(invocation, "--transcript", transcript) as write:
                    write(json.dumps(errand.conversation.transcript(), indent=1, default=str).encode() + b"\n")
    ended = errand.conversation.ended
    error = {} if ended.is_done else {"error": {"kind": ended.stop, "message": ended.error, "hint": None}}
    output.document(
        {
            "ok": ended.is_done,
            "model": model.name,
            "toolset": toolset,
            "text": ended.text,
            "records": errand.records,
            "turns": ended.turns,
            "retries": ended.retries,
            "callsAsText": ended.as_text,
            "toolUsage": ended.tool_usage(),
            "tokens": ended.tokens.to_json(),
            "seconds": round(ended.seconds, 3),
            **error,
        }
    )
    output.print([ended_line(ended)])
    return 0 if ended.is_done else 1


COMMAND = run
