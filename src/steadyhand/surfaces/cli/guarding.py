"""Guards that a person leaves out: the option that names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from steadyhand.surfaces.cli.named import Name, NamingOption

__all__ = ["guard_option", "guards_but"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _names() -> tuple[str, ...]:
    from steadyhand.plan.guards.guard import guards

    return tuple(guard.name for guard in guards() if not guard.is_asked_for)


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
        type=Name("guard", _names),
        cls=NamingOption,
        multiple=True,
        help="Leave out a check of the result: syntax lets an edit break a file that parses; may be repeated.",
    )(function)
