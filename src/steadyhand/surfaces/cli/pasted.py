"""The server that a client is to start as it was asked for, to be pasted into that client's configuration.

What is secret never becomes part of it: a token, and a journal's address with a password, are left to the environment.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

from steadyhand.surfaces.cli.invocation import Settings
from steadyhand.surfaces.clients import OBSERVE, PROGRAM, Server
from steadyhand.workspace.location import shown_url

__all__ = ["pasted_server", "unpasted"]

_HERE = (sys.executable, "-m", "steadyhand")
_OVER_HTTP = ("http", "names", "token")
_LEFT_OUT = ("client", "roots", *_OVER_HTTP)
_SHARED = ("mode", "actor", "task", "on_conflict", "on_stale", "on_lease", "hardlinks", "allow", "guard")


def pasted_server(context: click.Context, settings: Settings, roots: Sequence[str]) -> Server:
    """The program, `mcp` and every option that was given; places as they are called from anywhere."""
    places = tuple(map(os.path.abspath, roots))
    named = [word for place in places for word in ("--root", place)]
    configured = () if settings.config is None else ("--config", os.path.abspath(settings.config))
    journal = _journal(settings)
    kept = () if journal is None else ("--journal", journal)
    program, observe = (PROGRAM, OBSERVE) if _has_uv() else (_HERE, (*_HERE, "observe"))
    words = (*program, *configured, "mcp", *named, *_own(context), *_of_all(settings), *kept)
    return Server(words, places, journal, observe)


def unpasted(context: click.Context, settings: Settings) -> Iterator[str]:
    """What was asked for and is no part of it, and what others cannot use of it, as warnings."""
    if not _has_uv():
        yield "there is no uvx here, so what is started is installed on this machine: do not share it with others"
    if any(_is_given(context, name) for name in _OVER_HTTP):
        yield "a client that starts the server talks to it over standard input: the options of HTTP are left out"
    if settings.journal is not None and _journal(settings) is None:
        yield "the journal's address may hold a password and is left out: let the client set STEADYHAND_JOURNAL"


def _has_uv() -> bool:
    """Whether a server can be fetched by its name, wherever the configuration is taken."""
    return shutil.which(PROGRAM[0]) is not None


def _journal(settings: Settings) -> str | None:
    """Where the journal is, unless that is secret."""
    given = settings.journal
    if given is None or "://" not in given:
        return given and os.path.abspath(given)
    return given if shown_url(given) == given else None


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _own(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _LEFT_OUT and name in context.params and _is_given(context, name):
            yield from _words(max(parameter.opts, key=len), context.params[name])


def _of_all(settings: Settings) -> Iterator[str]:
    for name in _SHARED:
        value = getattr(settings, name)
        if value:
            yield from _words(f"--{name.replace('_', '-')}", value)
    if settings.read_only:
        yield "--read-only"


def _words(option: str, value: object) -> Iterator[str]:
    if value is True:
        yield option
        return
    for each in value if isinstance(value, tuple | list) else (value,):
        yield from (option, f"{each:g}" if isinstance(each, float) else str(each))
