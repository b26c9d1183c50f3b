"""`steadyhand observe`: note what something else did to files."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.session.host import host_of
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.terminal import Piece

_NAMES = ("file_path", "filePath", "path", "notebook_path")
_LISTS = ("files", "paths")
# Some clients run their hook after every tool; what was only looked at has not changed.
_READS = lazy_pattern(r"(copilot_)?(read|view|grep|glob|ls|list|get|search(?!.*replace))", re.IGNORECASE)
_MOST = 1 << 24
_DEEP = 6


@command(
    "observe",
    section="History",
    examples="""
    steadyhand observe src/app.py
    steadyhand observe --hook < event.json
    """,
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--hook", is_flag=True, help="Read the event of an agent's hook from standard input and take its files.")
@click.option("--client", metavar="NAME", help="The program whose tool changed them, for the records; else --actor.")
def run(invocation: Invocation, files: tuple[str, ...], hook: bool, client: str | None) -> int:
    """Record changes made by other tools.

    Other tasks then see them at once; without it they are noticed when the file is next edited here. As a hook it is
    silent and never fails the agent's tool: files outside the workspace are skipped.
    """
    if client is not None and invocation.settings.actor is None:
        invocation.set("actor", client)
    if bool(files) == hook:
        raise EditError(
            Kind.BAD_REQUEST, "neither FILE nor --hook" if not files else "FILE and --hook", hint="give one"
        )
    noted = _of_hook(invocation) if hook else _observed(invocation, files)
    output = invocation.output
    output.document({"ok": True, "noted": noted})
    if not hook:
        rows = [(Piece(f"noted a change of {path}"),) for path in noted] or [(Piece("nothing new", "dim"),)]
        output.print(rows)
    return 0


def _of_hook(invocation: Invocation) -> list[str]:
    """What the event of a hook comes to. An exit code of ours would be taken for a failure of the agent's own tool."""
    try:
        files, tool = _read_event(invocation)
        return _observed(invocation, files, tool, passes_over=True)
    except EditError as error:
        invocation.output.warn(f"nothing was noted: {error.message}")
        return []


def _observed(
    invocation: Invocation, files: Iterable[str], tool: str | None = None, *, passes_over: bool = False
) -> list[str]:
    """The files that had changed; `passes_over`: whatever cannot be looked at is left out."""
    noted: list[str] = []
    with invocation.workspace(writing=True) as opened:
        workspace = opened if tool is None else host_of(opened).bound(tool=tool)
        for file in files:
            try:
                path = invocation.path(file)
                if workspace.observe(path):
                    noted.append(path)
            except EditError:
                if not passes_over:
                    raise
    return noted


def _read_event(invocation: Invocation) -> tuple[list[str], str | None]:
    """The files that a hook's event names, and the tool that changed them; none where that tool only reads."""
    invocation.take_stdin("--hook")
    text = sys.stdin.buffer.read(_MOST)
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise EditError(Kind.BAD_REQUEST, "standard input holds no event", hint="an event is a JSON object") from None
    tool = event.get("tool_name") if isinstance(event, Mapping) else None
    named = tool if isinstance(tool, str) and tool.isprintable() else None
    return [] if named is not None and _READS.match(named) else list(dict.fromkeys(_files(event))), named


def _files(value: object, depth: int = 0) -> Iterator[str]:
    """Every file that is named anywhere in an event, within reason."""
    if depth > _DEEP:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _NAMES and isinstance(inner, str):
                yield inner
            elif name in _LISTS and isinstance(inner, list):
                yield from (each for each in inner if isinstance(each, str))
                yield from _files(inner, depth + 1)
            else:
                yield from _files(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _files(inner, depth + 1)


COMMAND = run
