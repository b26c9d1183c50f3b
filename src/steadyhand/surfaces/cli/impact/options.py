"""Options that several commands of `steadyhand impact` take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName

Function = TypeVar("Function", bound=Callable[..., Any])

STALE = 3  # the exit code of a search or run that was asked to fail where articles are stale


def change_options(function: Function) -> Function:
    """Which change is meant."""
    base = click.option(
        "--base",
        metavar="REV",
        help="Compare with where HEAD left this branch, tag or commit; else origin/HEAD, main or master.",
    )
    uncommitted = click.option(
        *("--uncommitted", "-u"), is_flag=True, help="What is staged, unstaged or untracked, against HEAD."
    )
    return base(uncommitted(function))


def docs_option(function: Function) -> Function:
    """Where articles are."""
    option = click.option(
        "--docs",
        metavar="DIR",
        multiple=True,
        type=FileName(),
        help="Look for articles only in this directory or file; may be repeated.",
    )
    return option(function)


def docs_of(invocation: Invocation, docs: Sequence[str]) -> list[str]:
    """The directories as the workspace knows them."""
    return [invocation.path(each) for each in docs]


def check_change(base: str | None, *, uncommitted: bool) -> None:
    """Refuse two answers to the question which change is meant."""
    if base is not None and uncommitted:
        raise EditError(
            Kind.BAD_REQUEST,
            "--base and --uncommitted exclude each other",
            hint="uncommitted changes are always compared with HEAD",
        )
