"""`steadyhand completion`: the script a shell needs to complete our commands."""

from __future__ import annotations

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation


@command(
    "completion",
    section="Care",
    examples="""
    steadyhand completion bash >> ~/.bashrc
    steadyhand completion zsh > ~/.zfunc/_steadyhand
    steadyhand completion fish > ~/.config/fish/completions/steadyhand.fish
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def run(invocation: Invocation, shell: str) -> int:
    """Print a completion script for a shell.

    It completes commands, options and their values, file names, actions, addresses in a file (`heading:`, `key:`,
    `symbol:` …) and the ids of the latest records.
    """
    from steadyhand.surfaces.cli.completion import script

    text = script(shell)
    invocation.output.document({"ok": True, "shell": shell, "script": text})
    if not invocation.output.json:
        invocation.output.plain(text)
    return 0


COMMAND = run
