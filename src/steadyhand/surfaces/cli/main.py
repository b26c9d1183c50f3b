"""The command line's outermost edge: every way to end becomes an exit code and an answer in the asked form.

This is the one place that catches everything. A refusal exits with its kind's code, an interrupt with 130, a reader
that went away with 141, a bug with 99; a traceback is shown only to someone who set STEADYHAND_DEBUG.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from steadyhand.errors import EditError, Kind
from steadyhand.schema import nearest_name
from steadyhand.surfaces.cli.group import Group, UnknownName, global_options
from steadyhand.surfaces.cli.invocation import Invocation

PROGRAM = "steadyhand"
INTERRUPTED = 130
READER_GONE = 141
_HELP = """Edit files exactly, see why each line changed, undo anything.

Every edit changes exactly one place, or is refused with a hint. Every change is recorded in a journal beside the files
and can be undone."""
_EPILOG = "Try: steadyhand edit README.md teh the. Exit codes: steadyhand help errors."


class CommandLine(Group):
    """The group with our own edge instead of click's."""

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *more: Any, **extra: Any
    ) -> NoReturn:
        """Run and exit; a program name and the modes click offers make no difference here."""
        _open_missing_streams()
        _complete(self)
        arguments = list(sys.argv[1:] if args is None else args)
        invocation = Invocation()
        code = _run(self, arguments, invocation)
        sys.exit(_flush(code))


def _run(cli: Group, arguments: list[str], invocation: Invocation) -> int:
    try:
        with cli.make_context(PROGRAM, list(arguments), obj=invocation) as context:
            result = cli.invoke(context)
            sys.stdout.flush()
            return result if isinstance(result, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as usage:
        return _misused(invocation, arguments, usage)
    except EditError as error:
        return _refuse(invocation, error)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(invocation)
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        _debug(error)
        message = f"the operating system refused: {error.strerror or type(error).__name__}"
        hint = "fix that and try again; steadyhand log shows what was done"
        return _refuse(invocation, EditError(Kind.DISK_REFUSED, message, hint=hint))
    except Exception as error:
        return _failed(invocation, error)


def _refuse(invocation: Invocation, error: EditError) -> int:
    from steadyhand.surfaces.cli.refusal import error_lines

    output = invocation.output
    try:
        output.document({"ok": False, "error": error.to_json()})
        call = None if output.json else invocation.corrected_call(error)
        output.tell(error_lines(error, phrases=invocation.phrases, call=call))
    except BrokenPipeError:
        return READER_GONE
    except EditError as unheard:  # there is nowhere left to say it
        return unheard.kind.exit_code
    return error.kind.exit_code


def _misused(invocation: Invocation, arguments: list[str], usage: click.ClickException) -> int:
    """A command line click could not read. It may have failed before it came to --json, so that is looked for here."""
    output = invocation.output
    output.json = output.json or "--json" in arguments
    if isinstance(usage, click.exceptions.NoArgsIsHelpError):
        if not output.json:
            click.echo(usage.format_message(), err=True)
            return Kind.BAD_REQUEST.exit_code
        return _refuse(invocation, EditError(Kind.BAD_REQUEST, "no command was given", hint=f"see {PROGRAM} --help"))
    context = getattr(usage, "ctx", None)
    called = context.command_path if context is not None else PROGRAM
    message, hint = _explained(usage, called)
    return _refuse(invocation, EditError(Kind.BAD_REQUEST, message, hint=hint))


def _explained(usage: click.ClickException, called: str) -> tuple[str, str]:
    """What is wrong with a command line, and what to type instead."""
    see = f"see {called} --help"
    if isinstance(usage, UnknownName):
        return usage.message, usage.advice
    if isinstance(usage, click.NoSuchOption):
        context = usage.ctx
        known = [name for option in (context.command.params if context else ()) for name in option.opts]
        near = nearest_name(usage.option_name, [name for name in known if name.startswith("--")])
        if usage.option_name == "-n" and "--limit" in known:
            near = "--limit"
        if usage.option_name == "--at":  # it looks like --actor
            near, see = None, "steadyhand locate FILE ADDRESS shows what an address matches"
        if "--old" in known:
            see += "; a text that begins with a dash goes after --, or into --old=TEXT"
        return f"there is no option {usage.option_name[:40]}", f"did you mean {near}?" if near else see
    message = usage.format_message()
    if "unexpected extra argument" in message:
        extra = message[message.find("(") + 1 : message.rfind(")")]
        if called.endswith(" write"):
            from steadyhand.surfaces.cli.refusal import typed

            content = f"give the content with --text {typed(extra[:200])}, or on standard input"
            return f"too many arguments: {extra[:200]}", content
        is_quoted = "extra argument (" in message and " " in extra
        quotes = "" if is_quoted else "put quotes around a text with spaces: 'two words'; "
        return f"too many arguments: {extra[:200]}", f"{quotes}{see}"
    return _plainly(message), see


def _plainly(message: str) -> str:
    """What click says of a wrong value, without its marks for arguments that may be left out or have one value.

    >>> _plainly("Invalid value for '[TOOLSET]': 'foo' is not a valid integer range.")
    "Invalid value for 'TOOLSET': 'foo' is not a whole number."
    >>> _plainly("Missing argument '{plan}'. Choose from:\\n\\tplan")
    "Missing argument 'plan'."
    """
    import re

    message = re.sub(r"^((?:Invalid value for|Missing argument) ')[\[{]([^'\]}]+)[\]}]", r"\1\2", message)
    message = re.sub(r"is not a valid (?:integer|int)(?: range)?\.", "is not a whole number.", message)
    message = re.sub(r"^(Missing argument '([^',|]+)'\.) Choose from:\s+\2$", r"\1", message)
    message = re.sub(r" is not '(\w+)'\.$", r" is not \1, the only value.", message)
    return re.sub(r"\. Choose from:\s+", ". Choose from: ", message).replace(",\n\t", ", ")


def _interrupted(invocation: Invocation) -> int:
    """Settle what was under way, deaf to further interrupts."""
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        invocation.settle()
        error = EditError(Kind.CANCELLED, "interrupted; nothing was left half done", hint=invocation.after_interrupt)
    except Exception:
        error = EditError(Kind.CANCELLED, "interrupted", hint="the next call repairs what was left half done")
    finally:
        signal.signal(signal.SIGINT, previous)
    _refuse(invocation, error)
    return INTERRUPTED


def _failed(invocation: Invocation, error: Exception) -> int:
    """A bug: its type is shown, its text is not, for that may name anything on this machine."""
    _debug(error)
    bug = EditError(
        Kind.INTERNAL,
        f"Steadyhand failed unexpectedly ({type(error).__name__})",
        hint="set STEADYHAND_DEBUG=1, run the command again and report what it prints",
    )
    return _refuse(invocation, bug)


def _debug(error: Exception) -> None:
    if os.environ.get("STEADYHAND_DEBUG"):
        import traceback

        traceback.print_exception(error)


def _flush(code: int) -> int:
    """Push out what is buffered; if nobody takes it, keep the interpreter from complaining at its end."""
    try:
        sys.stdout.flush()
        if code != READER_GONE:
            return code
    except BrokenPipeError:
        code = READER_GONE
    except OSError:
        code = code or Kind.DISK_REFUSED.exit_code
    except ValueError:  # closed already
        return code
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # no real stream behind it
    return code


def _open_missing_streams() -> None:
    """A caller may have closed a standard stream: nothing comes from it then, and what goes there is lost.

    Its number is taken too, lest the next file that is opened becomes standard output.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def _complete(cli: Group) -> None:
    """Answer a shell that asks for completions, and end."""
    shell = os.environ.get("_STEADYHAND_COMPLETE")
    if shell:
        from steadyhand.surfaces.cli.commands.shell import answer

        try:
            click.echo(answer(cli, Invocation(), shell))
            code = 0
        except Exception as error:  # a person who pressed a key is shown no complaint
            _debug(error)
            code = 1
        sys.exit(code)


def _show_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("steadyhand")
        except PackageNotFoundError:
            found = "(not installed)"
        click.echo(f"{PROGRAM} {found}")
        ctx.exit()


cli = CommandLine(
    PROGRAM,
    help=_HELP,
    epilog=_EPILOG,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    params=[
        *global_options(hidden=False),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Print the version and exit.",
        ),
    ],
)


def main() -> NoReturn:
    """The command line, once everything is loaded; a process begins at `start.main`."""
    cli.main()
