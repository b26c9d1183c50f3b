"""The command group: commands are named by a table and imported when they are called.

A module in `commands/` has the commands of one subject, each a function `<name>_command`; `_COMMANDS` says which module
has which. Help imports all of them, so none may import the session at its top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import click
from click.shell_completion import CompletionItem

from steadyhand.lazy import Registry
from steadyhand.schema import nearest_name
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.output import CommandResult

MODES = ("research", "analyze", "generate", "modify", "execute")
SECTIONS = ("Change files", "Look", "History", "Tasks", "Models", "Articles", "Bulk runs", "Maintenance")
_COMMANDS = Registry(
    "steadyhand.surfaces.cli.commands",
    "{}_command",
    "act=edit agent=agents apply=edit bulk call=agents check=journal chmod=files completion=shell "
    "conflicts=tasks convert=edit delete=files diff=history doctor=journal edit evidence=impact "
    "export=audit feedback=review findings=audit gc=journal help=shell impact insert=edit journal "
    "lease=tasks locate=files log=history mcp move=edit observe=journal outline=files read=files redo=history "
    "rename=files review schema=shell score show=history stats=audit task=tasks tools=agents undo=history watch=tasks "
    "why=history worker=bulk write=files",
)
# What the library and the tools call it, and what other programs have taught people to type.
_ALIASES = {"history": "log", "replace": "edit", "patch": "apply", "mv": "rename", "rm": "delete", "cat": "read"}
Listing = Callable[[], tuple[str, list[tuple[str, str]]]]
_EVERYWHERE = "Global options (steadyhand --help) may also follow the command. Exit codes: steadyhand help errors."


def command_names() -> tuple[str, ...]:
    """Every command, sorted; found without importing any."""
    return _COMMANDS.names


class UnknownName(click.UsageError):
    """A command that does not exist; `advice` names the nearest one."""

    def __init__(self, name: str, known: Iterable[str], ctx: click.Context) -> None:
        super().__init__(f"there is no command {name[:40]!r}", ctx)
        near = nearest_name(name, known)
        self.advice = f"did you mean `{ctx.command_path} {near}`?" if near else f"{ctx.command_path} --help lists them"


class Command(click.Command):
    """A command that knows its section of the help, carries examples, and takes the global options too."""

    def __init__(self, *args: Any, section: str, examples: str, listing: Listing | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if section not in SECTIONS:
            raise ValueError(f"no such section: {section}")
        self.section = section
        self.examples = examples.strip()
        self.listing = listing
        own = {name for parameter in self.params for name in (*parameter.opts, parameter.name)}
        self.params.extend(option for option in _hidden() if not own.intersection((*option.opts, option.name)))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as usage:
            usage.ctx = usage.ctx or ctx  # click's parser leaves it out, and the hint would name no command
            raise

    def invoke(self, ctx: click.Context) -> Any:
        invocation = ctx.find_object(Invocation)
        if invocation is not None:
            family = ctx.parent.command if ctx.parent is not None else None
            invocation.command = f"{family.name} {self.name}" if isinstance(family, Family) else self.name
        result = super().invoke(ctx)
        return (
            invocation.output.answer(result) if invocation is not None and isinstance(result, CommandResult) else result
        )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """What click offers, and the global options, which help leaves to `steadyhand --help`."""
        found = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            names = [name for option in global_options(hidden=False) for name in option.opts if name.startswith("--")]
            offered = {item.value for item in found}
            found += [CompletionItem(name) for name in names if name.startswith(incomplete) and name not in offered]
        return found

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.listing is not None:
            title, rows = self.listing()
            with formatter.section(title):
                formatter.write_dl(rows, col_max=24)
        with formatter.section("Examples"):
            for line in self.examples.splitlines():
                formatter.write(f"  {line.strip()}\n")
        formatter.write_paragraph()
        formatter.write_text(_EVERYWHERE)


class Family(Command, click.Group):
    """A command that has commands of its own, named by a table and imported when they are called."""

    def __init__(self, *args: Any, members: Registry, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.members = members

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.members.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.members.names:
            return None
        command: Command = self.members.load_one(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.members.names and not ctx.resilient_parsing:
            raise UnknownName(args[0], self.members.names, ctx)
        return super().resolve_command(ctx, args)


class Group(click.Group):
    """The lazy group; help lists its commands by section."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (*command_names(), *_ALIASES) and not ctx.resilient_parsing:
            raise UnknownName(args[0], (*command_names(), *_ALIASES), ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(command_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in command_names():
            return None
        command: Command = _COMMANDS.load_one(name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [command for name in command_names() if isinstance(command := self.get_command(ctx, name), Command)]
        for section in SECTIONS:
            rows = [(str(c.name), c.get_short_help_str(80)) for c in commands if c.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)


def command(
    name: str, *, section: str, examples: str, listing: Listing | None = None
) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command: `COMMAND = command(...)(function)`, used as a decorator on the function.

    The function prints by itself and returns the exit code, or returns a `CommandResult`, which is printed for it.
    `listing` is asked for a title and rows when the command's help is shown, and not before.
    """

    def declare(function: Callable[..., Any]) -> Command:
        declared = click.command(name, cls=Command, section=section, examples=examples, listing=listing)(
            click.pass_obj(function)
        )
        assert isinstance(declared, Command)
        return declared

    return declare


def family(name: str, *, section: str, examples: str, members: Registry) -> Callable[[Callable[..., Any]], Family]:
    """Declare a command with commands of its own; the function only carries its help."""

    def declare(function: Callable[..., Any]) -> Family:
        declared = click.command(name, cls=Family, section=section, examples=examples, members=members)(function)
        assert isinstance(declared, Family)
        return declared

    return declare


@cache
def _hidden() -> tuple[click.Option, ...]:
    """The same without help. A module has several commands, which can share them."""
    return tuple(global_options(hidden=True))


def global_options(*, hidden: bool) -> list[click.Option]:
    """Fresh copies of the options every command takes."""

    def option(*names: str, **more: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_remember, hidden=hidden, is_eager=True, **more)

    return [
        option(
            "--root",
            metavar="DIR",
            help="The workspace (default: this directory or the nearest parent that has .steadyhand or .git).",
        ),
        option(
            "--journal",
            metavar="PLACE",
            help="The journal: a folder or a postgresql:// URL (default: STEADYHAND_JOURNAL, else in the root).",
        ),
        option("--task", metavar="TASK", help="The task the change belongs to."),
        option("--actor", metavar="NAME", help="Who makes the change."),
        option("--mode", type=click.Choice(MODES), help="Limit what the task may do."),
        option(
            "--on-conflict",
            type=click.Choice(["refuse", "skip", "force"]),
            help="If another task changed the lines after you read them (default: refuse); force replaces them.",
        ),
        option(
            "--on-stale",
            type=click.Choice(["refuse", "rebase"]),
            help="If --expect names an earlier version (default: refuse).",
        ),
        option(
            "--on-lease",
            type=click.Choice(["tell", "refuse"]),
            help="If another task holds a lease on the lines (default: tell).",
        ),
        option(
            "--hardlinks",
            type=click.Choice(["refuse", "break", "in-place"]),
            help="If the file has several hard links (default: refuse); break changes only this name.",
        ),
        option(
            "--guard",
            metavar="NAME",
            multiple=True,
            help="Turn on a check that is off by default: attention, unseen; may be repeated.",
        ),
        option("--allow", metavar="GLOB", multiple=True, help="Allow changes to a protected path; may be repeated."),
        option("--config", metavar="FILE", help="A configuration file outside the root."),
        option("--json", is_flag=True, help="Print one JSON document."),
        option(
            "--color", type=click.Choice(["auto", "always", "never"]), help="Colour the output (auto: on a terminal)."
        ),
        option("--hold", is_flag=True, help="Hold the changes of this task or actor until a reviewer accepts them."),
        option("--read-only", is_flag=True, help="Write nothing: no file, no record, no recovery."),
        option("--quiet", "-q", is_flag=True, help="Print no diff, only the receipt."),
    ]


def _remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    invocation = ctx.find_object(Invocation)
    if invocation is not None and parameter.name and value not in (None, False, ()):
        invocation.set(parameter.name, value)
