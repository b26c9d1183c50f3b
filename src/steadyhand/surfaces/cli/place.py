"""Where an edit goes, and which of several places is meant: the options that say so, and the target they make.

A place is said in one of four ways (old text, lines, an anchor, an address), in the same words by every command.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.cli.inputs import text_from
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import AddressName, FileName, LineRange, OccurrenceType, chain

if TYPE_CHECKING:
    from steadyhand.plan.edit import Place
    from steadyhand.structure.node import Where
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence

__all__ = [
    "WHERES",
    "PlaceOptions",
    "WhichOptions",
    "address_argument",
    "address_target",
    "anchor_target",
    "at_option",
    "lines_target",
    "place_options",
    "where_option",
    "which_options",
]

WHERES: tuple[Where, ...] = ("before", "after", "start", "end")
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class WhichOptions:
    """Which of several places is meant, as the options of `which_options` say it."""

    occurrence: Occurrence | None = None
    every: bool = False
    first: bool = False
    last: bool = False
    nth: int | None = None

    def which(self) -> Occurrence | None:
        """The occurrence that was named, if any."""
        named: dict[str, Occurrence | None] = {
            "--all": "all" if self.every else None,
            "--first": "first" if self.first else None,
            "--last": "last" if self.last else None,
            "--nth": self.nth,
            "--occurrence": self.occurrence,
        }
        given = [value for value in named.values() if value is not None]
        if len(given) > 1:
            _exactly_one(named, "say which occurrence in one way")
        return given[0] if given else None


@dataclass(frozen=True, slots=True)
class PlaceOptions(WhichOptions):
    """Where an edit goes, as the options of `place_options` say it."""

    old: str | None = None
    old_file: str | None = None
    lines: tuple[int, int] | None = None
    anchor: str | None = None
    at: str | None = None
    expected: int | None = None

    @property
    def is_given(self) -> bool:
        return any(way is not None for way in (self.old, self.old_file, self.lines, self.anchor, self.at))

    def target(self, invocation: Invocation) -> Place:
        """The one target that was named; `bad-request` for none or several."""
        from steadyhand.plan.edit import Old

        ways = {"--old": self.old, "--old-file": self.old_file, "--lines": self.lines, "--anchor": self.anchor}
        _exactly_one(
            {**ways, "--at": self.at}, "say where: --old TEXT, --lines A:B, --anchor LINE#HASH or --at ADDRESS"
        )
        if self.lines is not None:
            return _forwards(*self.lines)
        if self.anchor is not None:
            return anchor_target(self.anchor)
        if self.at is not None:
            return address_target(self.at, "--at")
        return Old(text_from(invocation, "--old", self.old, self.old_file) or "")


def _forwards(first: int, last: int) -> Target:
    if last < first:
        raise EditError(
            Kind.BAD_REQUEST,
            f"lines {first}:{last} run backwards",
            hint=f"START:END, such as {max(last, 1)}:{first}; to add lines and replace none: steadyhand insert",
        )
    return lines_target(first, last)


def lines_target(start: int, end: int) -> Target:
    """Lines `start` to `end`, both included."""
    from steadyhand.structure.lines import Lines

    return Lines(start, end)


def anchor_target(text: str) -> Target:
    """`12#a3f`, or `12#a3f:14#9bc` for the lines from one anchor to the other."""
    from steadyhand.structure.anchor import Anchor

    start, _, end = text.partition(":")
    return Anchor(start, end or None)


def address_target(text: str, name: str = "ADDRESS") -> Target:
    """What an address names; a refusal calls it by the name of the argument."""
    from steadyhand.structure.address import parse_address

    return parse_address(text, name)


def _exactly_one(options: dict[str, Any], hint: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} exclude each other" if given else "no place was given"
        raise EditError(Kind.BAD_REQUEST, found, hint=hint)


def place_options(function: _Function) -> _Function:
    """The options of `PlaceOptions`."""
    return chain(
        function,
        click.option("--old", metavar="TEXT", help="The text as it is in the file."),
        click.option("--old-file", metavar="FILE", type=FileName(), help="A file that holds it; - for standard input."),
        click.option(
            "--lines", metavar="A:B", type=LineRange(), help="Whole lines, counted from 1, both included: 3:5."
        ),
        click.option(
            "--anchor", metavar="LINE#HASH", help="A line as read --anchors names it; two with a colon between."
        ),
        at_option,
        which_options,
        click.option("--expected", metavar="N", type=click.IntRange(min=1), help="Refuse unless there are exactly N."),
    )


def which_options(function: _Function) -> _Function:
    """The options of `WhichOptions`."""
    return chain(
        function,
        click.option(
            "--occurrence",
            metavar="WHICH",
            type=OccurrenceType(),
            help="unique (default), first, last, all or a number.",
        ),
        click.option("--all", "every", is_flag=True, help="Every occurrence."),
        click.option("--first", is_flag=True, help="The first occurrence."),
        click.option("--last", is_flag=True, help="The last occurrence."),
        click.option("--nth", metavar="N", type=click.IntRange(min=1), help="The Nth occurrence."),
    )


def at_option(function: _Function) -> _Function:
    """A place by what it is."""
    words = "A heading, element, symbol, key … by its address, as outline lists them."
    return click.option("--at", metavar="ADDRESS", type=AddressName(), help=words)(function)


def where_option(help: str) -> Callable[[_Function], _Function]:
    """On which side of a place, or inside at which end."""
    return click.option("--where", metavar="SIDE", type=click.Choice(WHERES), help=help)


def address_argument(function: _Function) -> _Function:
    """What is meant, as an address."""
    return click.argument("address", metavar="ADDRESS", type=AddressName())(function)
