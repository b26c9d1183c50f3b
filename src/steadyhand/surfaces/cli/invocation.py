"""One run of the command line: its global options, its workspace, its output.

The session is imported when a workspace is opened and not before, so that help and completion stay quick.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, replace
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.config import Config, load_config
from steadyhand.surfaces.terminal import ColorChoice

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.workspace import Workspace


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
    quiet: bool = False


class Invocation:
    """What every command is handed. Global options may be given before or after the command; the later one wins."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.output = Output()
        self.command: str | None = None
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
        for warning in config.warnings:
            self.output.warn(warning)
        if self.settings.color is None and config.color in ("auto", "always", "never"):
            self.output.color = config.color  # type: ignore[assignment]
        return config

    @property
    def journal(self) -> str | None:
        """Where the journal is: --journal, else STEADYHAND_JOURNAL; either may hold a password. None: in the root."""
        _refuse_empty("--journal", self.settings.journal)
        return self.settings.journal or os.environ.get("STEADYHAND_JOURNAL") or None

    @contextmanager
    def workspace(
        self, *, writing: bool = False, policy: Policy | None = None, kind: type[Workspace] | None = None
    ) -> Iterator[Workspace]:
        """The workspace, closed at the end; what it has to say about its opening is passed on as warnings.

        `kind` is the class that is opened, where a command needs more than files and their history.
        """
        self._wrote |= writing
        with self._open(policy, kind) as workspace:
            for warning in workspace.warnings:
                self.output.warn(warning)
            yield workspace

    def settle(self) -> None:
        """After an interrupt: open the workspace once more, so that its recovery leaves nothing half done."""
        if self._wrote and not self.settings.read_only:
            with self._open():
                pass

    def path(self, file: str) -> str:
        """The root-relative spelling of a FILE argument; whether it may be touched is the sandbox's to say."""
        return spell_from_root(file, self.root, _current_directory())

    def command_line(self, rest: str, *, named: bool = False) -> str:
        """A command to show to the caller, with the root, the journal and the protected paths it needs.

        `named`: also in whose name.
        """
        import shlex

        settings = self.settings
        party = (("--actor", settings.actor), ("--task", settings.task)) if named else ()
        given = (("--root", settings.root), ("--journal", _without_password(settings.journal)), *party)
        given += tuple(("--allow", pattern) for pattern in settings.allow)
        return " ".join(["steadyhand", *(f"{name} {shlex.quote(value)}" for name, value in given if value), rest])

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
            raise EditError(
                Kind.BAD_REQUEST,
                f"{self._stdin_taken_by} and {option} both want standard input",
                hint="give one of them as an argument or in a file",
            )
        self._stdin_taken_by = option

    def policy(self, policy: Policy | None) -> Policy | None:
        """The policy of a command with what the global options say of it."""
        settings = self.settings
        options = {name: getattr(settings, name) for name in ("on_conflict", "on_stale", "on_lease", "hardlinks")}
        given: dict[str, object] = {name: value for name, value in options.items() if value is not None}
        if not given and not settings.guard:
            return policy
        from steadyhand.plan.guards.guard import usual_guards
        from steadyhand.plan.policy import Policy

        policy = policy or Policy()
        if settings.guard:
            chosen = usual_guards() if policy.guards is None else policy.guards
            given["guards"] = chosen | frozenset(settings.guard)
        return replace(policy, **given)  # type: ignore[arg-type]  # names and values are the policy's own

    def _open(self, policy: Policy | None = None, kind: type[Workspace] | None = None) -> Workspace:
        from steadyhand.session.workspace import Workspace

        settings, config = self.settings, self.config
        return (kind or Workspace)(
            self.root,
            actor=settings.actor or config.actor,
            task=settings.task,
            mode=settings.mode,
            journal=self.journal,
            allow=config.allow + settings.allow,
            protect="none" if config.protect == "none" else "standard",
            policy=self.policy(policy),
            read_only=settings.read_only,
            tool="cli",
        )


def _without_password(journal: str | None) -> str | None:
    if journal is None or "://" not in journal:
        return journal
    from steadyhand.workspace.location import shown_url

    return shown_url(journal)


def _refuse_empty(option: str, value: str | None) -> None:
    if value == "":
        raise EditError(
            Kind.BAD_REQUEST, f"{option} is empty", hint=f"give {option} a value, or leave it out for the usual place"
        )


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
        "a relative FILE counts from the current directory, and that lies outside the workspace",
        hint="run the command inside the workspace, or give FILE as an absolute path beneath the root",
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
            Kind.NO_SUCH_FILE, "the current directory is gone", hint="change to a directory that exists, or give --root"
        ) from error
