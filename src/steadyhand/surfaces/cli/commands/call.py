"""`steadyhand call`: any tool that models have, from the shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.host_options import ToolsetName, host_options, host_policy, host_settings, toolset_of
from steadyhand.surfaces.cli.inputs import bytes_from, decode
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.json_text import parse_json
from steadyhand.surfaces.cli.render.tool import answer_lines
from steadyhand.surfaces.cli.report import progress

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


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
@click.option(
    "--toolset", metavar="NAME", type=ToolsetName(), help="Whose tool it is; else core's, or the only one of the name."
)
@click.option(
    "--conversation", metavar="ID", help="The conversation that the call belongs to, for the records; else the task."
)
@host_options
def run(
    invocation: Invocation,
    tool: str,
    arguments: str | None,
    toolset: str | None,
    conversation: str | None,
    **options: Any,
) -> int:
    """Call a tool as a model would, and print its answer.

    The arguments are a JSON object: as it is, - for standard input, @FILE for a file; none: an object without fields.
    Paths in them count from the root. What is refused is an answer too; the exit code is then that of its kind, also
    where only some of the call was refused. The text is what a model reads; --json has every field, in "answer".
    """
    from steadyhand.tools.call import Conversation
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.result import refusal_kind
    from steadyhand.tools.text import render_text
    from steadyhand.tools.workspace import Workspace

    sent = _sent(invocation, arguments)
    chosen = toolset or toolset_of(tool)
    output = invocation.output
    with invocation.workspace(writing=True, policy=host_policy(options), kind=Workspace) as workspace:
        told = conversation or (workspace.task_id and f"{workspace.actor}/{workspace.task_id}")
        kit = Kit(workspace, chosen, host_settings(options), Conversation(told) if told else None)
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


def _sent(invocation: Invocation, arguments: str | None) -> object:
    """The arguments of the call."""
    if arguments is None:
        return {}
    text = arguments
    if arguments == "-" or arguments.startswith("@"):
        text = decode(bytes_from(invocation, "JSON", arguments.removeprefix("@")), "JSON")
    return parse_json(text, "the JSON of the call")


COMMAND = run
