"""The command that starts a server as it was asked for, to be pasted into a client's configuration.

What is secret never becomes part of it: a token, and a journal's address with a password, are left to the environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import click

from steadyhand.surfaces.cli.invocation import Settings
from steadyhand.surfaces.clients.client import PROGRAM

__all__ = ["server_command"]

_LEFT_OUT = ("client", "roots", "http", "names", "token")
_SHARED = ("mode", "actor", "task", "on_conflict", "on_stale", "on_lease", "allow", "guard")


def server_command(context: click.Context, settings: Settings, roots: Sequence[str]) -> tuple[str, ...]:
    """The program, `mcp`, the roots as they are from anywhere, and every option that was given."""
    places = [word for root in roots for word in ("--root", os.path.abspath(root))]
    return (*PROGRAM, "mcp", *places, *_own(context), *_of_all(settings))


def _own(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name in context.params and name not in _LEFT_OUT:
            yield from _words(max(parameter.opts, key=len), context.params[name])


def _of_all(settings: Settings) -> Iterator[str]:
    for name in _SHARED:
        value = getattr(settings, name)
        if value:
            yield from _words(f"--{name.replace('_', '-')}", value)
    if settings.read_only:
        yield "--read-only"
    if settings.journal is not None and "@" not in settings.journal:
        yield from _words("--journal", settings.journal)


def _words(option: str, value: object) -> Iterator[str]:
    if value is True:
        yield option
        return
    for each in value if isinstance(value, tuple | list) else (value,):
        yield from (option, f"{each:g}" if isinstance(each, float) else str(each))
