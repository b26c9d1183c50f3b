"""Guards that a person leaves out: the option that names them.

The names come from the guards themselves, and only when somebody types one or asks for the help of a command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

__all__ = ["guard_option", "guards_but"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class GuardName(click.ParamType[str]):
    """The name of a guard."""

    name = "guard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in _names():
            self.fail(f"{value!r} is not one of {', '.join(_names())}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in _names() if name.startswith(incomplete)]


class _GuardOption(click.Option):
    """An option whose help names every guard there is."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], f"{record[1]} One of {', '.join(_names())}.")


def _names() -> tuple[str, ...]:
    from steadyhand.plan.guards.guard import guards

    return tuple(guard.name for guard in guards())


def guards_but(without: tuple[str, ...]) -> frozenset[str] | None:
    """The guards that are left; None for all of them.

    >>> "syntax" in (guards_but(("syntax",)) or ())
    False
    """
    return frozenset(_names()) - set(without) if without else None


def guard_option(function: _Function) -> _Function:
    """`--no-guard`, given to the command as `without`."""
    return click.option(
        *("--no-guard", "without"),
        metavar="NAME",
        type=GuardName(),
        cls=_GuardOption,
        multiple=True,
        help="Leave out a check of the result: syntax lets an edit break a file that parses; may be repeated.",
    )(function)
