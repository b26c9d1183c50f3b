"""One run of the command line: its global options, its workspace, its output.

The session is imported when a workspace is opened and not before, so that help and completion stay quick.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice, Phrases
from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.config import Config, load_config
from steadyhand.surfaces.terminal import ColorChoice
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import to_lf

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.tools.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Settings:
    """The global options as given; None and empty: not given."""

    root: str | None = None
    journal: str | None = None
    task: str | None = None
    actor: str | None = None
    mode: str | None = None
    allow: tuple[str, ...] = ()
    on_conflict: Literal["refuse", "skip", "force"] | None = None
    on_stale: Literal["refuse", "rebase"] | None = None
    on_lease: Literal["tell", "refuse"] | None = None
    hardlinks: Literal["refuse", "break", "in-place"] | None = None
    guard: tuple[str, ...] = ()
    config: str | None = None
    json: bool = False
    color: ColorChoice | None = None
    read_only: bool = False
    hold: bool = False
    quiet: bool = False


def misused(message: str, hint: Advice) -> EditError:
    """What was typed cannot be meant, and what to type instead."""
    return EditError(Kind.BAD_REQUEST, message, hint=hint)


class Invocation:
    """What every command is handed. Global options may be given before or after the command; the later one wins."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.output = Output()
        self.command: str | None = None
        self.after_interrupt = "steadyhand log shows what was done"
        self.typed: tuple[str, ...] = ()  # the words of a line that a shell asks to complete
        self._wrote = False
        self._stdin_taken_by: str | None = None

    def set(self, name: str, value: object) -> None:
        """Note a global option; those that may be repeated add up."""
        if name in ("allow", "guard") and isinstance(value, tuple):
            value = getattr(self.settings, name) + value
        self.settings = replace(self.settings, **{name: value})  # type: ignore[arg-type]
        self.output.json = self.settings.json
        self.output.quiet = self.settings.quiet
        self.output.color = self.settings.color or "auto"

    @cached_property
    def root(self) -> str:
        """The workspace root, absolute: --root, else the nearest marked directory upwards, else this one."""
        if self.settings.root is not None:
            _refuse_empty("--root", self.settings.root)
            if not os.path.isdir(self.settings.root):
                raise EditError(
                    Kind.NO_SUCH_FILE,
                    f"--root {self.settings.root[:200]!r} is not a directory",
                    hint="give the path of an existing directory",
                )
            return os.path.abspath(self.settings.root)
        from pathlib import Path

        from steadyhand.session.workspace import Workspace

        return str(Workspace.find_root(Path(_current_directory())))

    @cached_property
    def config(self) -> Config:
        _refuse_empty("--config", self.settings.config)
        config = load_config(self.settings.config, self.root, os.environ)
        self.output.warn(*config.warnings)
        if self.settings.color is None and config.color in ("auto", "always", "never"):
            self.output.color = config.color  # type: ignore[assignment]
        return config

    def toolset_for(self, model: str | None) -> str:
        """The toolset of a model, where no option names one."""
        from steadyhand.surfaces.config import choose_for

        chosen, warnings = choose_for(model, self.config, self.root)
        self.output.warn(*warnings)
        return str(chosen.toolset)

    @property
    def journal(self) -> str | None:
        """Where the journal is: --journal, else STEADYHAND_JOURNAL; either may hold a password. None: in the root."""
        _refuse_empty("--journal", self.settings.journal)
        return self.settings.journal or os.environ.get("STEADYHAND_JOURNAL") or None

    @contextmanager
    def workspace(self, *, writing: bool = False, policy: Policy | None = None) -> Iterator[Workspace]:
        """The workspace, closed at the end; what it has to say about its opening is passed on as warnings."""
        self._wrote |= writing
        with self._open(policy) as workspace:
            self.output.warn(*workspace.warnings)
            yield workspace

    def settle(self) -> None:
        """After an interrupt: open the workspace once more, so that its recovery leaves nothing half done."""
        if self._wrote and not self.settings.read_only:
            with self._open():
                pass

    def path(self, file: str) -> str:
        """The root-relative spelling of a FILE argument; whether it may be touched is the sandbox's to say."""
        return spell_from_root(file, self.root, _current_directory())

    @cached_property
    def accepted_by_rule(self) -> tuple[AutoAccept, ...]:
        """The changes that need no reviewer, as the configuration says."""
        from steadyhand.session.review.change import AutoAccept

        return tuple(AutoAccept(**rule) for rule in self.config.auto_accept)  # type: ignore[arg-type]  # checked there

    def command_line(self, rest: str, *, named: bool = False) -> str:
        """A command to show to the caller, with the root, the journal and the protected paths it needs.

        `named`: also in whose name.
        """
        import shlex

        settings, journal = self.settings, self.settings.journal
        if journal is not None and "://" in journal:
            from steadyhand.workspace.location import shown_url

            journal = shown_url(journal)  # without its password
        party = (("--actor", settings.actor), ("--task", settings.task)) if named or settings.hold else ()
        given = (("--root", settings.root), ("--journal", journal), *party)
        given += tuple(("--allow", pattern) for pattern in settings.allow)
        hold = ["--hold"] if settings.hold else []
        return " ".join(
            ["steadyhand", *(f"{name} {shlex.quote(value)}" for name, value in given if value), *hold, rest]
        )

    @property
    def phrases(self) -> Phrases:
        """How the command that runs says hints."""
        from steadyhand.surfaces.cli.refusal import phrases_for

        return phrases_for(self.command)

    def corrected_call(self, error: EditError) -> str | None:
        """The command that a refusal offers in place of the one that was typed; None where it offers none."""
        from steadyhand.surfaces.cli.refusal import corrected_options, typed

        options, path = corrected_options(error, self.command), error.details.get("path")
        if options is None or not isinstance(path, str):
            return None
        file = os.path.relpath(os.path.join(self.root, path), _current_directory())
        name = f"./{file}" if file.startswith("-") else file
        return self.command_line(f"{self.command} {typed(name)} {options}", named=True)

    def take_stdin(self, option: str) -> None:
        """Claim stdin for one option; a second one would read nothing."""
        if self._stdin_taken_by is not None:
            raise misused(
                f"{self._stdin_taken_by} and {option} both read standard input",
                "give one of them as an argument or in a file",
            )
        self._stdin_taken_by = option

    def policy(self, policy: Policy | None) -> Policy | None:
        """The policy of a command with what the global options say of it."""
        settings = self.settings
        options = {name: getattr(settings, name) for name in ("on_conflict", "on_stale", "on_lease", "hardlinks")}
        given: dict[str, object] = {name: value for name, value in options.items() if value is not None}
        if not given and not settings.guard:
            return policy
        from steadyhand.plan.guards import usual_guards
        from steadyhand.plan.policy import Policy

        policy = policy or Policy()
        if settings.guard:
            chosen = usual_guards() if policy.guards is None else policy.guards
            given["guards"] = chosen | frozenset(settings.guard)
        return replace(policy, **given)  # type: ignore[arg-type]  # names and values are the policy's own

    def _open(self, policy: Policy | None = None) -> Workspace:
        from steadyhand.tools.workspace import Workspace

        settings, config = self.settings, self.config
        return Workspace(
            self.root,
            actor=settings.actor or config.actor,
            task=settings.task,
            mode=settings.mode,
            hold=settings.hold,
            auto_accept=self.accepted_by_rule if settings.hold else (),
            journal=self.journal,
            allow=config.allow + settings.allow,
            protect="none" if config.protect == "none" else "standard",
            policy=self.policy(policy),
            read_only=settings.read_only,
            tool="cli",
        )


def _refuse_empty(option: str, value: str | None) -> None:
    if value == "":
        raise misused(f"{option} is empty", f"give {option} a value, or leave it out for the default")


def spell_from_root(file: str, root: str, directory: str) -> str:
    """The spelling of `file`, meant from `directory`, relative to `root`; purely lexical.

    >>> spell_from_root("a.md", "/w", "/w/docs"), spell_from_root("/w/docs/a.md", "/w", "/tmp")
    ('docs/a.md', 'docs/a.md')
    """
    roots = [_parts(root)]
    if (real := _parts(os.path.realpath(root) if "\0" not in root else root)) not in roots:
        roots.append(real)
    if file.startswith("/"):
        return next(("/".join(rest) or "." for base in roots if (rest := _below(_parts(file), base)) is not None), file)
    for base in roots:
        below = _below(_parts(directory), base)
        if below is not None:
            return "/".join([*below, file])
    for base in roots:
        below = _below(_collapse(_parts(directory) + file.split("/")), base)
        if below:
            return "/".join(below)
    raise EditError(
        Kind.OUTSIDE_ROOT,
        "a relative FILE is relative to the current directory, which is outside the workspace",
        hint="run the command inside the workspace, or give FILE as an absolute path below the root",
        details={"path": file},
    )


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _below(parts: list[str], base: list[str]) -> list[str] | None:
    return parts[len(base) :] if parts[: len(base)] == base else None


def _collapse(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return kept


def _current_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise EditError(
            Kind.NO_SUCH_FILE,
            "the current directory no longer exists",
            hint="change to a directory that exists, or give --root",
        ) from error


# What a command is given: texts from options, files and standard input, and JSON.
#
# These files belong to the caller and are read as they are, outside any sandbox; a refusal names the option and never
# the file, unless that is the argument FILE. JSON is read strictly: what could mean two things is refused. Lines that a
# person edits in an editor of their own have what they should know beneath them, after a dividing line that no text
# holds by chance. Where that line is gone, nobody can say what is text: nothing is taken.

MAX_BYTES = 64 << 20


def text_from(invocation: Invocation, option: str, text: str | None, file: str | None) -> str | None:
    """The text of `--option` or the content of `--option-file` (`-`: standard input); None when neither is given."""
    if text is not None and file is not None:
        raise misused(f"{option} and {option}-file are both given", f"give {option} or {option}-file, not both")
    return text if file is None else decode(bytes_from(invocation, f"{option}-file", file), f"{option}-file")


def bytes_from(invocation: Invocation, option: str, file: str) -> bytes:
    """The content of a file of the caller's, or of standard input for `-`."""
    try:
        if file == "-":
            invocation.take_stdin(option)
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(file, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and option == "FILE":
            from steadyhand.workspace.files.storage import shown

            raise EditError(Kind.NO_SUCH_FILE, f"there is no file {shown(file)}", hint="check the name") from error
        cause = getattr(error, "strerror", None) or "not a file name"
        raise misused(f"the file of {option} cannot be read: {cause}", "check the name") from error
    if len(data) > MAX_BYTES:
        raise EditError(
            Kind.TOO_LARGE,
            f"the text of {option} is larger than {MAX_BYTES} bytes",
            hint="send it in several smaller edits",
        )
    return data


def argument_text(invocation: Invocation, name: str, given: str) -> str:
    """An argument as it is, or what it stands for: `-` for standard input, `@FILE` for the text of a file."""
    is_named = given == "-" or given.startswith("@")
    return decode(bytes_from(invocation, name, given.removeprefix("@")), name) if is_named else given


def reply_text(invocation: Invocation, reply: str | None) -> str:
    """The text of a reply, from a file or standard input."""
    if reply is None:
        data = piped(invocation, "FILE", "give FILE or pipe it in")
    else:
        data = bytes_from(invocation, "FILE", reply)
    return decode_whole(data, "the reply", "send it as UTF-8").removeprefix(MARK)


def piped(invocation: Invocation, what: str, hint: str) -> bytes:
    """Standard input, where a command falls back on it; refused when a person sits there and would wait."""
    if sys.stdin.isatty():
        raise misused(f"no {what} was given", hint)
    return bytes_from(invocation, what, "-")


def decode(data: bytes, option: str) -> str:
    """Text to find or to put in is UTF-8; a byte order mark is no part of it."""
    return decode_whole(
        data, option, "send it as UTF-8; --encoding names the encoding of the file, not of this text"
    ).removeprefix(MARK)


def decode_whole(data: bytes, option: str, hint: str) -> str:
    """The content of a whole file: UTF-8, and a byte order mark belongs to it."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise misused(f"the text of {option} is not UTF-8 (byte {error.start})", hint) from error


def parse_json(text: str, what: str) -> object:
    """The value of a JSON text. Refuses with `bad-request`, calling the text `what`.

    >>> parse_json('{"a": [1]}', "the plan")
    {'a': [1]}
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint=f"fix {what} at that place",
            details={"line": error.lineno, "column": error.colno},
        ) from error
    except RecursionError as error:
        raise EditError(Kind.TOO_LARGE, f"{what} is nested too deeply", hint="a handful of levels is enough") from error
    except ValueError as error:
        raise misused(f"{what} is not usable JSON: {error}", f"fix {what}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; which of two equal keys was meant is not ours to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


_EXTENSION = lazy_pattern(r"\.\w{1,12}", re.ASCII)


def edit_by_hand(text: str, remarks: Sequence[str], *, path: str, token: str, otherwise: str | None = None) -> str:
    """What a person makes of a text, line endings as LF; `remarks` are shown beneath it, after a line with `token`.

    `otherwise` says what to do where nothing is to be written.

    Refuses with `cancelled` where the editor fails or the dividing line is gone, with `no-change` where nothing else
    was written.
    """
    shown = to_lf(text)
    is_open = bool(shown) and not shown.endswith("\n")  # the last line of a file that ends without a newline
    divider = f"-------- {token}: the text ends above this line; everything below is dropped --------"
    page = "\n".join([f"{shown}\n{divider}" if is_open else f"{shown}{divider}", *remarks, ""])
    saved = _saved(page, path)
    head, found, _ = saved.partition(f"{divider}\n")
    if not found or (head and not head.endswith("\n")):
        raise _cancelled(
            "the line that ends the text is missing", "leave that line unchanged; the text above it counts"
        )
    edited = head.removesuffix("\n") if is_open else head
    if edited == shown:
        raise EditError(Kind.NO_CHANGE, "the lines were not changed", hint=otherwise)
    return edited


def _saved(page: str, path: str) -> str:
    extension = _EXTENSION.search(path[path.rfind(".") :]) if "." in path else None
    try:
        saved = click.edit(page.encode("utf-8", "surrogateescape"), extension=extension[0] if extension else ".txt")
    except click.ClickException as error:
        raise _cancelled(error.format_message(), "set VISUAL or EDITOR to an editor that waits") from error
    return page if saved is None else to_lf(bytes(saved).decode("utf-8", "surrogateescape"))


def _cancelled(message: str, hint: str) -> EditError:
    return EditError(Kind.CANCELLED, f"{message}; nothing was changed", hint=hint)
