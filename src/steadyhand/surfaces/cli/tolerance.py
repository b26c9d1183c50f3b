"""How much a quotation may differ from the file: the options that say so, and the policy they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from steadyhand.surfaces.cli.guarding import guards_but
from steadyhand.surfaces.cli.named import Name, NamingOption

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy

__all__ = ["OnDrift", "policy_of", "tolerance_options"]

OnDrift = Literal["refuse", "merge", "new"]
_ON_DRIFT: tuple[OnDrift, ...] = ("refuse", "merge", "new")
_Function = TypeVar("_Function", bound=Callable[..., Any])


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
        "--tier",
        metavar="TIER",
        type=Name("tier", _names),
        cls=NamingOption,
        remark=" (default)",
        help="The laxest way to find old text.",
    )
    return tier(drift(function))


def policy_of(tier: str | None = None, on_drift: OnDrift | None = None, without: tuple[str, ...] = ()) -> Policy | None:
    """What the options ask for, `without` some guards; None where all were left out, which is the usual policy."""
    if tier is None and on_drift is None and not without:
        return None
    from steadyhand.plan.policy import Policy

    return Policy(tier=tier, on_drift=on_drift or "refuse", guards=guards_but(without))
