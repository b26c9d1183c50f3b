"""What a host decides for the tools it hands to a model, as options; a tool's arguments cannot change any of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steadyhand.lazy import replace
from steadyhand.surfaces.cli.guarding import guard_option
from steadyhand.surfaces.cli.options import chain
from steadyhand.surfaces.cli.tolerance import policy_of, tolerance_options

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.tools.call import Settings

__all__ = ["has_settings", "host_options", "host_policy", "host_settings"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SETTINGS = (
    *("article", "allow_new", "prefix", "extensions", "model", "overwrite", "allow_shrink", "require_read"),
    *("version", "max_characters"),
)


def host_options(function: _Function) -> _Function:
    """The options of every command that hands out tools; the command takes them as keywords, all together."""
    return chain(
        function,
        click.option("--article", metavar="FILE", help="The one file that may be changed."),
        click.option("--allow-new", is_flag=True, help="With --article, also let new pages be written beside it."),
        click.option("--prefix", metavar="DIR", help="A directory that stands for the root in the paths of calls."),
        click.option(
            "--extensions",
            metavar="ENDINGS",
            multiple=True,
            help="Endings of the files that may be named, such as .md,.txt; may be repeated.",
        ),
        click.option("--model", metavar="NAME", help="The model that makes the calls, for the records."),
        click.option("--overwrite", is_flag=True, help="Let files be written over that were never read."),
        click.option("--allow-shrink", is_flag=True, help="Let files that are written over lose most of their lines."),
        click.option("--require-read", is_flag=True, help="Let native tools edit only what was read."),
        click.option(
            *("--tool-version", "version"), metavar="VERSION", help="The version of a maker's tool, such as 20250124."
        ),
        click.option(
            "--max-characters", metavar="N", type=click.IntRange(min=1), help="What a maker's view shows at most."
        ),
        click.option(
            "--backup", type=click.Choice(["journal", "bak"]), help="bak: also keep a copy beside a changed file."
        ),
        tolerance_options,
        guard_option,
    )


def has_settings(options: Mapping[str, Any]) -> bool:
    """Whether the options say anything of a kit."""
    return any(options[name] not in (None, False, ()) for name in _SETTINGS)


def host_settings(options: Mapping[str, Any]) -> Settings:
    """What the options say of a kit."""
    from steadyhand.tools.call import Settings

    given = {name: options[name] for name in _SETTINGS}
    endings = [ending for some in options["extensions"] for ending in some.replace(",", " ").split()]
    return Settings(**{**given, "extensions": tuple(endings) if options["extensions"] else None})


def host_policy(options: Mapping[str, Any]) -> Policy | None:
    """What the options say of edits; None where they say nothing."""
    policy = policy_of(options["tier"], options["on_drift"], options["without"])
    if options["backup"] is None:
        return policy
    from steadyhand.plan.policy import Policy

    return replace(policy or Policy(), backup=options["backup"])
