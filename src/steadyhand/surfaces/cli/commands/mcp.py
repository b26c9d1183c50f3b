"""`steadyhand mcp`: the tools for models, served to an MCP client."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.hosting import has_settings, host_options, host_policy, host_settings
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.named import NamingOption
from steadyhand.surfaces.cli.toolsets import ClientName, ToolsetName

if TYPE_CHECKING:
    from steadyhand.surfaces.mcp.options import RootOptions

_TOKEN = "STEADYHAND_MCP_TOKEN"


@command(
    "mcp",
    section="Models",
    examples="""
    steadyhand mcp --root .
    steadyhand mcp --root ~/notes --toolset vault --actor librarian
    steadyhand mcp --root site --root docs --mode analyze
    steadyhand mcp --root . --http 8765
    steadyhand mcp --root . --config claude-code
    """,
)
@click.option(
    *("--root", "roots"),
    metavar="DIR",
    multiple=True,
    help="A directory to work in; may be repeated. Else STEADYHAND_ROOT, what the client lists, the repository here.",
)
@click.option(
    *("--toolset", "toolsets"),
    cls=NamingOption,
    type=ToolsetName(),
    metavar="NAME",
    multiple=True,
    help="The tools to serve (core); may be repeated.",
)
@click.option("--http", metavar="[HOST:]PORT", help="Serve over HTTP instead of standard input; 0 takes a free port.")
@click.option(
    "--http-name", "names", metavar="NAME", multiple=True, help="Serve beyond this machine too, under this name."
)
@click.option("--token", metavar="TOKEN", envvar=_TOKEN, help=f"What HTTP clients must show; else {_TOKEN}, else made.")
@click.option(
    "--deadline",
    metavar="SECONDS",
    type=click.FloatRange(0.1, 30),
    default=10,
    help="After which a call is stopped (10).",
)
@click.option(
    "--max-reply",
    metavar="N",
    type=click.IntRange(2_000, 1_000_000),
    default=100_000,
    help="Characters of text in an answer (100,000); more comes in parts.",
)
@click.option("--no-landlock", is_flag=True, help="Do without the kernel's sandbox.")
@click.option(
    *("--config", "client"),
    cls=NamingOption,
    type=ClientName(),
    metavar="CLIENT",
    help="Print what to paste into a client's settings, and serve nothing.",
)
@host_options
def run(
    invocation: Invocation,
    roots: tuple[str, ...],
    toolsets: tuple[str, ...],
    http: str | None,
    names: tuple[str, ...],
    token: str | None,
    deadline: float,
    max_reply: int,
    no_landlock: bool,
    client: str | None,
    **options: Any,
) -> int:
    """Serve the tools to an MCP client.

    Over standard input and output, or over HTTP to this machine alone. The root, the mode and every other option are
    the host's: nothing that a client or a model sends can change them.
    """
    chosen = invocation.settings
    if client is not None:
        return _tell(invocation, client, roots or (chosen.root or ".",))
    check_installed(needs_http=http is not None)
    from steadyhand.surfaces.mcp.launch import Launch, launch
    from steadyhand.surfaces.mcp.options import ServerOptions

    server_options = ServerOptions(
        toolsets=tuple(dict.fromkeys(toolsets)) or ("core",),
        mode=chosen.mode,
        read_only=chosen.read_only,
        actor=chosen.actor,
        task=chosen.task,
        journal=invocation.journal,
        policy=invocation.policy(host_policy(options)),
        settings=(lambda: host_settings(options)) if has_settings(options) else None,
        root_options=lambda path: _root_options(invocation, path),
        seconds=deadline,
        most=max_reply,
    )
    given = roots or (() if chosen.root is None else (chosen.root,))
    asked = Launch(server_options, roots=given, http=http, names=names, token=token, has_sandbox=not no_landlock)
    return launch(asked)


def _tell(invocation: Invocation, name: str, roots: tuple[str, ...]) -> int:
    """What to paste for a client, with the options that were given here."""
    from steadyhand.surfaces.cli.pasted import pasted_server, unpasted
    from steadyhand.surfaces.cli.render.client import client_document, client_lines
    from steadyhand.surfaces.clients import client_named

    client, context = client_named(name), click.get_current_context()
    server = pasted_server(context, invocation.settings, roots)
    for warning in unpasted(context, invocation.settings):
        invocation.output.warn(warning)
    invocation.output.document(client_document(client, server))
    invocation.output.print(client_lines(client, server))
    return 0


def _root_options(invocation: Invocation, path: str) -> RootOptions:
    """What the configuration file and the options say of a root."""
    from steadyhand.surfaces.config import load_config
    from steadyhand.surfaces.mcp.log import say
    from steadyhand.surfaces.mcp.options import RootOptions

    config = load_config(invocation.settings.config, path, os.environ)
    for warning in config.warnings:
        say(warning)
    allow = config.allow + invocation.settings.allow
    return RootOptions(config.actor, allow, is_protected=config.protect != "none", repo=_repo(invocation.journal, path))


def _repo(journal: str | None, path: str) -> str | None:
    """The name of a root's repository, by which clones with a journal in common know each other."""
    if "://" not in (journal or ""):
        return None
    from pathlib import Path

    from steadyhand.workspace.location import repo_id

    return repo_id(Path(path))


def check_installed(*, needs_http: bool) -> None:
    """Refuse what is missing. Nothing is loaded for it, unless nothing loaded it before.

    Behind the wall no bytecode can be written: so the first start after an installation loads the SDK before the wall.
    """
    found = {name: find_spec(name) for name in ("mcp", *(("uvicorn",) if needs_http else ()))}
    for name, spec in found.items():
        if spec is None:
            raise EditError(
                Kind.NOT_INSTALLED,
                f"serving MCP needs the package {name}",
                hint="pip install 'steadyhand[mcp]'",
            )
    kept = getattr(found["mcp"], "cached", None)
    if kept and not sys.dont_write_bytecode and not os.path.exists(kept) and os.access(os.path.dirname(kept), os.W_OK):
        import_module("steadyhand.surfaces.mcp.stdio")
        import_module("mcp.server.lowlevel")


COMMAND = run
