"""Options several commands share, and what they mean as data.

A place in a file is said in one of three ways (old text, lines, an anchor) and in the same words by every command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.inputs import text_from
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.config import parse_size
from steadyhand.surfaces.terminal import visible_line

if TYPE_CHECKING:
    from steadyhand.plan.edit import Occurrence, Place

_OCCURRENCES = ("unique", "first", "last", "all")
_OFFERED = 20  # records; more than fit a screen help nobody
_Function = TypeVar("_Function", bound=Callable[..., Any])


class FileName(click.ParamType[str]):
    """A name as it was typed. Unlike click's own path type it never looks at the disk: that is the sandbox's to do."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type="file")]


class LineRange(click.ParamType[tuple[int, int | None]]):
    """`A:B`, both lines included, or one line `A`; with `open_ended` also `A:` and `:B`."""

    name = "lines"

    def __init__(self, *, open_ended: bool = False) -> None:
        self.open_ended = open_ended

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int | None]:
        if isinstance(value, tuple):
            return value
        first, colon, last = str(value).partition(":")
        if not colon:
            last = first
        if self.open_ended and colon:
            first = first or "1"
        numbers = [_number(first), _number(last)]
        if numbers[0] is None or (numbers[1] is None and (last or not self.open_ended)):
            self.fail(f"{value!r} is not a range of lines like 3:5", param, ctx)
        return numbers[0], numbers[1]


class OccurrenceType(click.ParamType["Occurrence"]):
    """`unique`, `first`, `last`, `all`, or which one, counted from 1."""

    name = "which"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Occurrence:
        if value in _OCCURRENCES:
            return cast("Occurrence", value)
        number = _number(str(value))
        if number is None or number < 1:
            self.fail(f"{value!r} is not unique, first, last, all or a number from 1", param, ctx)
        return number

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(value) for value in _OCCURRENCES if value.startswith(incomplete)]


class RecordId(click.ParamType[str]):
    """The id of a record, or its first digits."""

    name = "record"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The latest records, with what they did; none where the journal cannot be read."""
        invocation = ctx.find_object(Invocation) or Invocation()
        invocation.set("read_only", True)
        invocation.set("json", True)  # nothing is said beside the list
        try:
            with invocation.workspace() as workspace:
                entries = workspace.history(limit=_OFFERED)
        except (EditError, OSError, ValueError):
            return []
        return [
            CompletionItem(entry.record.id, help=visible_line(f"{entry.record.verb} {', '.join(entry.record.paths)}"))
            for entry in entries
            if entry.record.id.startswith(incomplete)
        ]


class FileMode(click.ParamType[int]):
    """Permission bits in octal, like `644`."""

    name = "mode"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if isinstance(value, int):
            return value
        if not (1 <= len(text) <= 5 and set(text) <= set("01234567")) or int(text, 8) > 0o7777:
            self.fail(f"{text!r} is not an octal mode like 644", param, ctx)
        return int(text, 8)


class ByteSize(click.ParamType[int]):
    """A size like `500MB`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        size = value if isinstance(value, int) else parse_size(str(value))
        if size is None:
            self.fail(f"{value!r} is not a size like 500MB", param, ctx)
        return size


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """Where an edit goes, as the options of `place_options` say it."""

    old: str | None = None
    old_file: str | None = None
    lines: tuple[int, int] | None = None
    anchor: str | None = None
    occurrence: Occurrence | None = None
    every: bool = False
    first: bool = False
    last: bool = False
    nth: int | None = None
    expected: int | None = None

    @property
    def is_given(self) -> bool:
        return any(way is not None for way in (self.old, self.old_file, self.lines, self.anchor))

    def target(self, invocation: Invocation) -> Place:
        """The one target that was named; `bad-request` for none or several."""
        from steadyhand.plan.edit import Old

        _exactly_one(
            {"--old": self.old, "--old-file": self.old_file, "--lines": self.lines, "--anchor": self.anchor},
            "say where: --old TEXT, --lines A:B or --anchor LINE#HASH",
        )
        if self.lines is not None:
            first, last = self.lines
            if last < first:
                raise EditError(
                    Kind.BAD_REQUEST,
                    f"lines {first}:{last} run backwards",
                    hint=f"START:END, such as {max(last, 1)}:{first}; to add lines and replace none: steadyhand insert",
                )
            return lines_target(first, last)
        if self.anchor is not None:
            return anchor_target(self.anchor)
        return Old(text_from(invocation, "--old", self.old, self.old_file) or "")

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


def lines_target(start: int, end: int) -> Place:
    """Lines `start` to `end`, both included."""
    from steadyhand.structure.targets.lines import Lines

    return Lines(start, end)


def anchor_target(text: str) -> Place:
    """`12#a3f`, or `12#a3f:14#9bc` for the lines from one anchor to the other."""
    from steadyhand.structure.targets.anchor import Anchor

    start, _, end = text.partition(":")
    return Anchor(start, end or None)


def _exactly_one(options: dict[str, Any], hint: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} exclude each other" if given else "no place was given"
        raise EditError(Kind.BAD_REQUEST, found, hint=hint)


def place_options(function: _Function) -> _Function:
    """The options of `PlaceOptions`."""
    return _chain(
        function,
        click.option("--old", metavar="TEXT", help="The text as it stands in the file."),
        click.option("--old-file", metavar="FILE", type=FileName(), help="A file that holds it; - for standard input."),
        click.option(
            "--lines", metavar="A:B", type=LineRange(), help="Whole lines, counted from 1, both included: 3:5."
        ),
        click.option(
            "--anchor", metavar="LINE#HASH", help="A line as read --anchors names it; two with a colon between."
        ),
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
        click.option("--expected", metavar="N", type=click.IntRange(min=1), help="Refuse unless there are exactly N."),
    )


def commit_options(function: _Function) -> _Function:
    """The options of every command that changes a file."""
    return _chain(
        function,
        click.option(
            "--expect", metavar="HASH", help="Refuse unless the file's SHA-256 starts with this (16 digits or more)."
        ),
        reason_option,
        dry_run_option,
    )


def reason_option(function: _Function) -> _Function:
    """Why the change is made."""
    return click.option("--reason", metavar="TEXT", help="Why; kept with the change.")(function)


def dry_run_option(function: _Function) -> _Function:
    """Everything but the writing."""
    return click.option("--dry-run", is_flag=True, help="Show what would happen and write nothing.")(function)


def encoding_option(function: _Function) -> _Function:
    """How to read the file's bytes."""
    return click.option("--encoding", metavar="NAME", help="The file's encoding, where it cannot be told.")(function)


def file_argument(function: _Function) -> _Function:
    """The file, relative to the current directory."""
    return click.argument("file", type=FileName())(function)


def _chain(function: _Function, *decorators: Any) -> _Function:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
