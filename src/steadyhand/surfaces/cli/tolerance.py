"""How much a quotation may differ from the file: the options that say so, and the policy they make.

The names of tiers come from the tiers themselves, and only when somebody types one or asks for the help of a command:
the list of commands must not load them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
from click.shell_completion import CompletionItem

from steadyhand.surfaces.cli.guarding import guards_but

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy

__all__ = ["OnDrift", "policy_of", "tolerance_options"]

OnDrift = Literal["refuse", "merge", "new"]
_ON_DRIFT: tuple[OnDrift, ...] = ("refuse", "merge", "new")
_Function = TypeVar("_Function", bound=Callable[..., Any])


class TierName(click.ParamType[str]):
    """The laxest step at which old text may be found."""

    name = "tier"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in _names():
            self.fail(f"{value!r} is not one of {', '.join(_names())}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in _names() if name.startswith(incomplete)]


class _TierOption(click.Option):
    """An option whose help names every tier there is."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], f"{record[1]} One of {', '.join(_names())} (default).")


def _names() -> tuple[str, ...]:
    from steadyhand.match.tier import step_names

    return step_names()


def tolerance_options(function: _Function) -> _Function:
    """`--tier` and `--on-drift`."""
    drift = click.option(
        "--on-drift",
        metavar="HOW",
        type=click.Choice(_ON_DRIFT),
        help="Where a line to be changed reads otherwise in the file: refuse (default), merge both, or the new text.",
    )
    tier = click.option(
        "--tier", metavar="TIER", type=TierName(), cls=_TierOption, help="The laxest way to find old text."
    )
    return tier(drift(function))


def policy_of(tier: str | None = None, on_drift: OnDrift | None = None, without: tuple[str, ...] = ()) -> Policy | None:
    """What the options ask for, `without` some guards; None where all were left out, which is the usual policy."""
    if tier is None and on_drift is None and not without:
        return None
    from steadyhand.plan.policy import Policy

    return Policy(tier=tier, on_drift=on_drift or "refuse", guards=guards_but(without))
