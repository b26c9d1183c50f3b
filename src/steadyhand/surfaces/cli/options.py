"""Options several commands share, and the types of their values. Where an edit goes is said in `place.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from steadyhand.errors import EditError
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.config import parse_size
from steadyhand.surfaces.terminal import visible_line

if TYPE_CHECKING:
    from steadyhand.text.match import Occurrence

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


def commit_options(function: _Function) -> _Function:
    """The options of every command that changes a file."""
    return chain(
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


def chain(function: _Function, *decorators: Any) -> _Function:
    """Several decorators, the first of them outermost."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
