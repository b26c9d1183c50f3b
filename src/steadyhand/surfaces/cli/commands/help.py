"""`steadyhand help`: the help of a command, and what the exit codes mean."""

from __future__ import annotations

from collections.abc import Iterator

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command, command_names, near_name
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.terminal import Line, Piece, pad

_TOPICS = ("errors",)


@command(
    "help",
    section="Care",
    examples="""
    steadyhand help
    steadyhand help edit
    steadyhand help errors
    """,
)
@click.argument("topic", required=False)
def run(invocation: Invocation, topic: str | None) -> int:
    """Show the help of a command, or what refusals and exit codes mean.

    `steadyhand help errors` lists every kind of refusal with its exit code.
    """
    context = click.get_current_context()
    group = context.find_root()
    if topic == "errors":
        invocation.output.document({"ok": True, "errors": [_document(kind) for kind in Kind]})
        invocation.output.print(_error_lines())
        return 0
    if topic is None:
        invocation.output.plain(group.get_help() + "\n")
        return 0
    assert isinstance(group.command, click.Group)
    found = group.command.get_command(group, topic)
    if found is None:
        near = near_name(topic, (*command_names(), *_TOPICS))
        raise EditError(
            Kind.BAD_REQUEST,
            f"there is no command {topic[:40]!r}",
            hint=f"did you mean `steadyhand help {near}`?" if near else "steadyhand help lists them",
        )
    with click.Context(found, info_name=topic, parent=group) as inner:
        invocation.output.plain(found.get_help(inner) + "\n")
    return 0


def _document(kind: Kind) -> dict[str, object]:
    return {"kind": str(kind), "code": kind.exit_code, "action": str(kind.action), "meaning": kind.doc}


def _error_lines() -> Iterator[Line]:
    width = max(len(str(kind)) for kind in Kind)
    yield (Piece(f"{'exit':>4}  {pad('kind', width)}  meaning", "dim"),)
    yield (Piece(f"{0:>4}  {pad('', width)}  done"),)
    for kind in sorted(Kind, key=lambda kind: kind.exit_code):
        yield (Piece(f"{kind.exit_code:>4}  "), Piece(pad(str(kind), width), "id"), Piece(f"  {kind.doc}"))
    yield (Piece(f"{130:>4}  {pad('', width)}  interrupted"),)
    yield (Piece(f"{141:>4}  {pad('', width)}  the reader of the output went away"),)


COMMAND = run
