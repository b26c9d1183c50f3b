"""Options that several commands share, the types of their values, and where an edit goes.

Names of a registry (tiers, guards, formats) are asked for only when somebody types one or asks for the help of a
command: the list of commands must not load what they name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.surfaces.cli.invocation import Invocation, misused, text_from
from steadyhand.surfaces.cli.render import report
from steadyhand.surfaces.config import parse_size
from steadyhand.surfaces.terminal import visible_line

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from steadyhand.plan.edit import Edit, Place
    from steadyhand.plan.policy import Policy
    from steadyhand.session.workspace import Workspace
    from steadyhand.structure.node import Where
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence


_OCCURRENCES = ("unique", "first", "last", "all")
_OFFERED = 20  # records; more than fit a screen help nobody
_OFFERED_ADDRESSES = 200
_Function = TypeVar("_Function", bound=Callable[..., Any])


class FileName(click.ParamType[str]):
    """A name as it was typed. Unlike click's own path type it never looks at the disk: that is the sandbox's to do."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type="file")]


class Parsed(click.ParamType[Any]):
    """What `parse` makes of a word; where it makes nothing of it, it is not `wanted`. A shell is offered `words`."""

    def __init__(self, name: str, parse: Callable[[str], Any], wanted: str, words: tuple[str, ...] = ()) -> None:
        self.name, self.parse, self.wanted, self.words = name, parse, wanted, words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = self.parse(value) if isinstance(value, str) else value
        if found is None:
            self.fail(f"{value!r} is not {self.wanted}", param, ctx)
        return found

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def _lines(text: str, *, open_ended: bool = False) -> tuple[int, int | None] | None:
    first, colon, last = text.partition(":")
    if not colon:
        last = first
    elif open_ended:
        first = first or "1"
    start, end = _number(first), _number(last)
    return None if start is None or (end is None and (last or not open_ended)) else (start, end)


def _occurrence(text: str) -> Occurrence | None:
    return cast("Occurrence", text) if text in _OCCURRENCES else _number(text) or None


def _mode(text: str) -> int | None:
    is_octal = 1 <= len(text) <= 5 and set(text) <= set("01234567")
    return int(text, 8) if is_octal and int(text, 8) <= 0o7777 else None


FILE_MODE = Parsed("mode", _mode, "an octal mode like 644")
BYTE_SIZE = Parsed("size", parse_size, "a size like 500MB")
LINES = Parsed("lines", _lines, "a range of lines like 3:5")  # both included, or one line
OPEN_LINES = Parsed("lines", partial(_lines, open_ended=True), "a range of lines like 3:5")  # also `A:` and `:B`
OCCURRENCE = Parsed("which", _occurrence, "unique, first, last, all or a number from 1", _OCCURRENCES)


class AddressName(click.ParamType[str]):
    """An address as it was typed; the shell is offered those of the file that was typed before it."""

    name = "address"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        invocation, file = ctx.find_object(Invocation), ctx.params.get("file")
        if invocation is not None and file is None:  # behind an option without its value click does not read it
            file = next((word for word in invocation.typed[2:] if os.path.isfile(word)), None)
        if invocation is None or file is None:
            return []
        invocation.set("read_only", True)
        with invocation.workspace() as workspace:
            entries = workspace.outline(invocation.path(file)).entries
        addresses = dict.fromkeys(visible_line(entry.address) for entry in entries)
        found = [address for address in addresses if address.startswith(incomplete)]
        if not found:  # `heading:Usage` for `heading:Guide > Usage`, as it may be typed
            kind, _, name = incomplete.partition(":")
            part = re.compile(rf"{re.escape(kind)}:.*\b{re.escape(name)}")
            found = [address for address in addresses if part.match(address)]
        return [CompletionItem(address) for address in found[:_OFFERED_ADDRESSES]]


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


FILE = FileName()


def option(said: str, help: str, **more: Any) -> Callable[[_Function], _Function]:
    """An option as usage has it: `--lines A:B`, `--numbers -n`; a word in small letters is the command's name for it.

    `least` and `most` make it a number, `choices` one of some words. `usual` is the default, `variable` a variable of
    the environment that is asked before it; help shows both.
    """
    words = said.split()
    metavar = next((word for word in words if not word.startswith("-") and not word.islower()), None)
    if "least" in more or "most" in more:
        least, most = more.pop("least", None), more.pop("most", None)
        more["type"] = (click.FloatRange if isinstance(least, float) else click.IntRange)(least, most)
    if "choices" in more:
        more["type"] = click.Choice(more.pop("choices"))
    if "usual" in more:
        more |= {"default": more.pop("usual"), "show_default": True}
    if "variable" in more:
        more |= {"envvar": more.pop("variable"), "show_envvar": True}
    return click.option(*(word for word in words if word != metavar), metavar=metavar, help=help, **more)


def flag(said: str, help: str, **more: Any) -> Callable[[_Function], _Function]:
    """An option that is given or not."""
    return option(said, help, is_flag=True, **more)


Commit = Mapping[str, Any]
"""How a change is made, as `Workspace` takes it: `expect`, `reason`, `preview`, and `encoding` where there is one."""


def commit_options(*, encoding: bool = True) -> Callable[[_Function], _Function]:
    """The options of every command that changes a file, given to the command as one `commit`."""

    def asked(function: _Function) -> _Function:
        @wraps(function)
        def command(*args: Any, dry_run: bool, **options: Any) -> Any:
            said = {name: options.pop(name) for name in ("expect", "reason", "encoding") if name in options}
            return function(*args, commit=said | {"preview": dry_run}, **options)

        own = (expect_option, reason_option, dry_run_option, *([encoding_option] if encoding else []))
        return chain(*own)(cast("_Function", command))

    return asked


def change(invocation: Invocation, file: str, edit: Edit, commit: Commit, policy: Policy | None) -> int:
    """Make one edit of one file, and say what it did."""
    with invocation.workspace(writing=not commit["preview"], policy=policy) as workspace:
        return report(invocation, workspace.edit(invocation.path(file), [edit], **commit))


expect_option = option("--expect HASH", "Refuse unless the file's SHA-256 starts with this (16 digits or more).")
reason_option = option("--reason TEXT", "Why; recorded with the change.")
dry_run_option = flag("--dry-run", "Show what would happen and write nothing.")
encoding_option = option("--encoding NAME", "The file's encoding, if it cannot be detected.")
# Where an answer is written, given to the command as `file`.
output_option = option("--output -o file FILE", "Write to this file (default: standard output).", type=FILE)
file_argument = click.argument("file", type=FILE)  # relative to the current directory


def chain(*decorators: Any) -> Callable[[_Function], _Function]:
    """Several decorators as one, the first of them outermost."""

    def chained(function: _Function) -> _Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return chained


class Name(click.ParamType[str]):
    """One of the names that a function gives; `name` is what they are names of."""

    def __init__(self, name: str, names: Callable[[], tuple[str, ...]]) -> None:
        self.name = name
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.names():
            self.fail(f"{value!r} is not one of {', '.join(self.names())}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class NamingOption(click.Option):
    """An option of such a type, whose help names every name there is; `remark` follows the last of them."""

    def __init__(self, *args: Any, remark: str = "", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.remark = remark

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Name):
            return record
        names = [f"{name} (default)" if name == self.default else name for name in self.type.names()]
        return record[0], f"{record[1]} One of {', '.join(names)}{self.remark}."


OnDrift = Literal["refuse", "merge", "new"]
_ON_DRIFT: tuple[OnDrift, ...] = ("refuse", "merge", "new")


def _names() -> tuple[str, ...]:
    from steadyhand.match.tier import step_names

    return step_names()


def tolerance_options(function: _Function) -> _Function:
    """`--tier` and `--on-drift`."""
    drift = option(
        "--on-drift HOW",
        "If a line to change differs in the file: refuse (default), merge both, or take the new text.",
        choices=_ON_DRIFT,
    )
    tier = option(
        "--tier TIER",
        "How far old text may differ from the file.",
        type=Name("tier", _names),
        cls=NamingOption,
        remark=" (default)",
    )
    return tier(drift(function))


def policy_of(tier: str | None = None, on_drift: OnDrift | None = None, without: tuple[str, ...] = ()) -> Policy | None:
    """What the options ask for, `without` some guards; None where all were left out, which is the usual policy."""
    if tier is None and on_drift is None and not without:
        return None
    from steadyhand.plan.policy import Policy

    return Policy(tier=tier, on_drift=on_drift or "refuse", guards=guards_but(without))


def _guard_names() -> tuple[str, ...]:
    from steadyhand.plan.guards import GUARDS

    return tuple(guard.name for guard in GUARDS if not guard.is_asked_for)


def guards_but(without: tuple[str, ...]) -> frozenset[str] | None:
    """The guards that are left; None for all of them.

    >>> "syntax" in (guards_but(("syntax",)) or ())
    False
    """
    return frozenset(_guard_names()) - set(without) if without else None


def guard_option(function: _Function) -> _Function:
    """`--no-guard`, given to the command as `without`."""
    return option(
        "--no-guard without NAME",
        "Skip a check of the result; without syntax an edit may break a file that parses; may be repeated.",
        type=Name("guard", _guard_names),
        cls=NamingOption,
        multiple=True,
    )(function)


def policy_options(*, tolerance: bool = True, guards: bool = True) -> Callable[[_Function], _Function]:
    """How strict an edit is, given to the command as one `policy`; None where nothing is said."""

    def asked(function: _Function) -> _Function:
        @wraps(function)
        def command(*args: Any, **options: Any) -> Any:
            said = {name: options.pop(name) for name in ("tier", "on_drift", "without") if name in options}
            return function(*args, policy=policy_of(**said), **options)

        guarded = guard_option(command) if guards else command
        return cast("_Function", tolerance_options(guarded) if tolerance else guarded)

    return asked


class FormatName(Name):
    """`auto` where that is allowed, or the name of a dialect; with `written`, of one that can be written."""

    def __init__(self, *, written: bool = False) -> None:
        super().__init__("format", self._names)
        self._written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from steadyhand.dialects.dialect import dialect_named

        found = dialect_named(str(value))  # by any of its names
        return super().convert(value if found is None else found.name, param, ctx)

    def _names(self) -> tuple[str, ...]:
        from steadyhand.dialects.dialect import dialects

        if self._written:
            return tuple(dialect.name for dialect in dialects() if dialect.write is not None)
        return ("auto", *(dialect.name for dialect in dialects()))


_AGO = lazy_pattern(r"(\d{1,6})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NUMBER = lazy_pattern(r"\d{1,11}", re.ASCII)  # twelve digits are an id
_RECORD = lazy_pattern(r"[0-9a-f]{4,12}", re.IGNORECASE)
SINCE_HELP = "Only what happened since a date, a time ago (7d, 12h), or a record's id or number."


@dataclass(frozen=True, slots=True)
class Since:
    """One of the three: a time, a row of the journal, or a record to begin after."""

    moment: datetime | None = None
    number: int | None = None
    record: str | None = None


def _since(text: str) -> Since | None:
    """`2026-11-01`, `2026-11-01T08:30`, `7d`, a record's id, or an event's number as `watch` shows it."""
    from datetime import datetime, timedelta

    if ago := _AGO.fullmatch(text):
        return Since(moment=_before_now(timedelta(**{_UNITS[ago[2]]: int(ago[1])})))
    if _NUMBER.fullmatch(text):
        return Since(number=int(text))
    if _RECORD.fullmatch(text):
        return Since(record=text.lower())
    try:
        return Since(moment=datetime.fromisoformat(text).astimezone())
    except ValueError:
        return None


WHEN = Parsed("when", _since, "a date like 2026-11-01, a time ago like 7d or a record")


def _before_now(span: timedelta) -> datetime:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    beginning = datetime.min.replace(tzinfo=UTC)
    return now - span if span < now - beginning else beginning


def started(workspace: Workspace, since: Since | None) -> tuple[datetime | None, int]:
    """The time and the row after which to begin."""
    if since is None:
        return None, 0
    if since.record is not None:
        return None, workspace.show(since.record).seq
    return since.moment, since.number or 0


WHERES: tuple[Where, ...] = ("before", "after", "start", "end")


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
            exactly_one(named, "give the occurrence only once")
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
        exactly_one({**ways, "--at": self.at}, "say where: --old TEXT, --lines A:B, --anchor LINE#HASH or --at ADDRESS")
        if self.lines is not None:
            first, last = self.lines
            if last < first:
                hint = (
                    f"START:END, such as {max(last, 1)}:{first}; to add lines without replacing any: steadyhand insert"
                )
                raise misused(f"lines {first}:{last} run backwards", hint)
            return lines_target(first, last)
        if self.anchor is not None:
            return anchor_target(self.anchor)
        if self.at is not None:
            return address_target(self.at, "--at")
        return Old(text_from(invocation, "--old", self.old, self.old_file) or "")

    def edit(self, invocation: Invocation, new: str | None, reason: str | None = None) -> Edit:
        """What is asked for there: the new text, or, without one, that it goes."""
        from steadyhand.plan.edit import Delete, Replace

        target, which = self.target(invocation), self.which()
        if new is None:
            return Delete(target, occurrence=which, expected=self.expected, reason=reason)
        return Replace(target, new, occurrence=which, expected=self.expected, reason=reason)


def lines_target(start: int, end: int) -> Target:
    """Lines `start` to `end`, both included."""
    from steadyhand.structure.lines import Lines

    return Lines(start, end)


def anchor_target(text: str) -> Target:
    """`12#a3f`, or `12#a3f:14#9bc` for the lines from one anchor to the other."""
    from steadyhand.structure.lines import Anchor

    start, _, end = text.partition(":")
    return Anchor(start, end or None)


def address_target(text: str, name: str = "ADDRESS") -> Target:
    """What an address names; a refusal calls it by the name of the argument."""
    from steadyhand.structure.target import parse_address

    return parse_address(text, name)


def exactly_one(options: dict[str, Any], hint: str) -> str:
    """The one option that says where. Refuses with `bad-request` none and several."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        found = f"{' and '.join(given)} exclude each other" if given else "no place was given"
        raise misused(found, hint)
    return given[0]


at_option = option(
    "--at ADDRESS", "The address of a heading, element, symbol or key, as outline lists it.", type=AddressName()
)

# The options of `WhichOptions`.
which_options = chain(
    option("--occurrence WHICH", "unique (default), first, last, all or a number.", type=OCCURRENCE),
    flag("--all every", "Every occurrence."),
    flag("--first", "The first occurrence."),
    flag("--last", "The last occurrence."),
    option("--nth N", "The Nth occurrence.", least=1),
)

# The options of `PlaceOptions`.
place_options = chain(
    option("--old TEXT", "The text as it is in the file."),
    option("--old-file FILE", "Read the old text from a file; - for standard input.", type=FILE),
    option("--lines A:B", "Whole lines from A to B, both included: 3:5.", type=LINES),
    option("--anchor LINE#HASH", "A line by its anchor from read --anchors, or two anchors joined by a colon."),
    at_option,
    which_options,
    option("--expected N", "Refuse unless exactly N places match.", least=1),
)


def where_option(help: str) -> Callable[[_Function], _Function]:
    """On which side of a place, or inside at which end."""
    return option("--where SIDE", help, choices=WHERES)


address_argument = click.argument("address", metavar="ADDRESS", type=AddressName())
