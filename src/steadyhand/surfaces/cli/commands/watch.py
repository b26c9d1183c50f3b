"""`steadyhand watch`: what all agents do, as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, Name, NamingOption
from steadyhand.surfaces.cli.render.conflict import event_lines
from steadyhand.surfaces.cli.report import cut_width
from steadyhand.surfaces.terminal import Piece

if TYPE_CHECKING:
    from steadyhand.session.events import Event
    from steadyhand.session.workspace import Workspace

_LONGEST_NUMBER = 11  # digits; twelve are an id


def _types() -> tuple[str, ...]:
    from steadyhand.session.events import TYPES

    return TYPES


@command(
    "watch",
    section="History",
    examples="""
    steadyhand watch
    steadyhand watch --type conflict --type refusal
    steadyhand watch --since start --no-follow --path docs
    steadyhand watch --since 1a2b3c4d5e6f --task T-12 --json
    """,
)
@click.option(
    "--since",
    metavar="WHERE",
    help="Begin after a record's id or an event's number, or with `start`; else with what happens now.",
)
@click.option("--no-follow", is_flag=True, help="End after what the journal has instead of waiting for more.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="End after so many events.")
@click.option("--task", metavar="TASK", help="Only what this task does.")
@click.option("--actor", metavar="NAME", help="Only what this actor does.")
@click.option(
    "--type",
    "types",
    cls=NamingOption,
    metavar="TYPE",
    multiple=True,
    type=Name("type", _types),
    help="Only events of this type; may be repeated.",
)
@click.option("--path", metavar="FILE", type=FileName(), help="Only what concerns this file or directory.")
def run(
    invocation: Invocation,
    since: str | None,
    no_follow: bool,
    limit: int | None,
    task: str | None,
    actor: str | None,
    types: tuple[str, ...],
    path: str | None,
) -> int:
    """Show edits, conflicts and refusals of all agents live.

    A line for each with who, what, where and why; a conflict with both its sides. With --json a document on a line of
    its own for each event, warnings with the first. Watching writes nothing; Ctrl-C ends it.
    """
    file = invocation.path(path) if path is not None else None
    try:
        with invocation.workspace() as workspace:
            after, known = (None, None) if since is None else _position(workspace, since)
            events = workspace.events(
                after=after,
                follow=not no_follow,
                types=types or None,
                task=task or invocation.settings.task,
                actor=actor or invocation.settings.actor,
                path=file,
            )
            if not no_follow and invocation.output.is_terminal:
                invocation.output.tell([(Piece("watching; Ctrl-C ends it", "dim"),)])
            _show(invocation, islice((event for event in events if known is None or event.id != known), limit))
    except KeyboardInterrupt:
        pass  # the way to end it, and nothing is under way
    return 0


def _position(workspace: Workspace, since: str) -> tuple[int, str | None]:
    """The number to begin after, and the record that is known with it."""
    if since == "start":
        return 0, None
    if since.isascii() and since.isdigit() and len(since) <= _LONGEST_NUMBER:
        return int(since), None
    entry = workspace.show(since)
    return entry.seq, entry.record.id


def _show(invocation: Invocation, events: Iterator[Event]) -> None:
    output = invocation.output
    for event in events:
        output.document(event.to_json())
        output.warnings.clear()
        output.print(event_lines(event, width=cut_width(invocation)))


COMMAND = run
