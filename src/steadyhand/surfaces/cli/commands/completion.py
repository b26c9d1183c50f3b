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

    It completes commands, options, their values, file names, actions and the ids of the latest records.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    assert kind is not None
    # The class's own `source` may first run the shell to ask its version; the script is the same either way.
    script = ShellComplete.source(kind(root, {}, "steadyhand", "_STEADYHAND_COMPLETE"))
    invocation.output.document({"ok": True, "shell": shell, "script": script})
    if not invocation.output.json:
        invocation.output.plain(script)
    return 0


COMMAND = run
