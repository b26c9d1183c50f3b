"""`steadyhand mcp`: the tools for models, served to an MCP client."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.host_options import (
    ClientName,
    ToolsetName,
    has_settings,
    host_options,
    host_policy,
    host_settings,
)
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.options import NamingOption, flag, option

if TYPE_CHECKING:
    from steadyhand.surfaces.mcp.launch import RootOptions

_TOKEN = "STEADYHAND_MCP_TOKEN"


def _plain_prefix(context: click.Context, parameter: click.Parameter, value: str) -> str:
    is_plain = value.isascii() and value.replace("_", "a").replace("-", "a").isalnum()
    if value and (len(value) > 24 or not is_plain):
        raise click.BadParameter("use up to 24 letters, digits, - and _", context, parameter)
    return value


@command(
    "mcp",
    section="Models",
    examples="""
    steadyhand mcp --root .
    steadyhand mcp --root ~/notes --toolset vault --actor librarian
    steadyhand mcp --root site --root docs --mode analyze
    steadyhand mcp --root . --http 8765
    steadyhand mcp --install claude-code
    steadyhand mcp --install codex --scope user --dry-run
    steadyhand mcp --config zed
    """,
)
@option(
    "--root roots DIR",
    "A directory to work in; may be repeated (default: STEADYHAND_ROOT, the client's roots, the repository here).",
    multiple=True,
)
@option(
    "--toolset toolsets NAME",
    "The tools to serve; may be repeated (default: steadyhand.toml's choice for --model, else core).",
    cls=NamingOption,
    type=ToolsetName(),
    multiple=True,
)
@option("--http [HOST:]PORT", "Serve over HTTP instead of standard input; 0 picks a free port.")
@option("--http-name names NAME", "Also serve other machines, under this host name.", multiple=True)
@option("--token TOKEN", f"The token HTTP clients must send (default: {_TOKEN}, else a new one).", envvar=_TOKEN)
@option("--deadline SECONDS", "Stop a call after this time (default: 10).", least=0.1, most=30, default=10)
@option(
    "--max-reply N",
    "Limit on the characters of one answer (default: 100,000); longer answers come in parts.",
    least=2_000,
    most=1_000_000,
    default=100_000,
)
@option(
    "--tool-prefix TEXT",
    "A prefix for the tools' names, for a client whose own tools have the same names.",
    default="",
    callback=_plain_prefix,
)
@flag("--no-landlock", "Run without the kernel's sandbox.")
@option(
    "--config client CLIENT",
    "Print what to paste into a client's settings, and exit.",
    cls=NamingOption,
    type=ClientName(),
)
@option("--install CLIENT", "Write the server into a client's settings, and exit.", cls=NamingOption, type=ClientName())
@option("--uninstall CLIENT", "Remove the server from a client's settings, and exit.", type=ClientName())
@option(
    "--scope",
    "Which settings: the project's (default, if the client has them), or those in the home directory.",
    choices=["project", "user"],
)
@flag("--dry-run", "With --install or --uninstall, show the change without making it.")
@host_options
def mcp_command(
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
    install: str | None,
    uninstall: str | None,
    scope: Literal["project", "user"] | None,
    dry_run: bool,
    tool_prefix: str,
    **options: Any,
) -> int:
    """Serve the tools to an MCP client.

    Uses standard input and output, or HTTP on this machine. The root, the mode and every other option are fixed here;
    nothing a client or a model sends can change them.
    """
    chosen = invocation.settings
    given = roots or (() if chosen.root is None else (chosen.root,))
    asked: dict[Literal["print", "install", "uninstall"], str | None]
    asked = {"print": client, "install": install, "uninstall": uninstall}
    named = {what: name for what, name in asked.items() if name is not None}
    if len(named) > 1:
        raise misused("--config, --install and --uninstall exclude each other", "give one of them")
    if named:
        from steadyhand.surfaces.cli.client_setup import configure_client

        return configure_client(invocation, *named.popitem(), scope, given, dry_run=dry_run)
    if scope is not None or dry_run:
        raise misused("--scope and --dry-run are for --install and --uninstall", "add --install CLIENT")
    check_installed(needs_http=http is not None)
    from steadyhand.surfaces.mcp.launch import Launch, ServerOptions, launch

    server_options = ServerOptions(
        toolsets=tuple(dict.fromkeys(toolsets)) or (_toolset_of(invocation, options["model"], given),),
        mode=chosen.mode,
        read_only=chosen.read_only,
        hold=chosen.hold,
        auto_accept=invocation.accepted_by_rule if chosen.hold else (),
        actor=chosen.actor,
        task=chosen.task,
        journal=invocation.journal,
        policy=invocation.policy(host_policy(options)),
        settings=(lambda: host_settings(options)) if has_settings(options) else None,
        root_options=lambda path: _root_options(invocation, path),
        tool_prefix=tool_prefix,
        seconds=deadline,
        most=max_reply,
    )
    return launch(Launch(server_options, roots=given, http=http, names=names, token=token, has_sandbox=not no_landlock))


def _toolset_of(invocation: Invocation, model: str | None, roots: Sequence[str]) -> str:
    """What the configuration says of the model, and the first root that is known when the server starts."""
    from steadyhand.surfaces.config import USUAL_TOOLSET, choose_for, load_config
    from steadyhand.surfaces.mcp.launch import host_roots, marked_root, say

    named = model or os.environ.get("STEADYHAND_MODEL")
    root = next((each.path for each in host_roots(roots, os.environ)), None) or marked_root(os.curdir)
    if not named or root is None:
        return USUAL_TOOLSET
    found, warnings = choose_for(named, load_config(invocation.settings.config, root, os.environ), root)
    for warning in warnings:
        say(warning)
    return str(found.toolset)


def _root_options(invocation: Invocation, path: str) -> RootOptions:
    """What the configuration file and the options say of a root."""
    from steadyhand.surfaces.config import load_config
    from steadyhand.surfaces.mcp.launch import RootOptions, say

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

    A restricted process can write no bytecode: so the first start after an installation loads the SDK before that.
    """
    found = {name: find_spec(name) for name in ("mcp", *(("uvicorn",) if needs_http else ()))}
    for name, spec in found.items():
        if spec is None:
            from steadyhand.surfaces.clients import installation

            raise EditError(
                Kind.NOT_INSTALLED,
                f"serving MCP needs the package {name}",
                hint=installation().how_to_add("mcp"),
            )
    kept = getattr(found["mcp"], "cached", None)
    if kept and not sys.dont_write_bytecode and not os.path.exists(kept) and os.access(os.path.dirname(kept), os.W_OK):
        import_module("steadyhand.surfaces.mcp.stdio")
        import_module("mcp.server.lowlevel")
