"""`task`, `lease`, `conflicts` and `watch`: several tasks in one tree."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Literal

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation, edit_by_hand, misused
from steadyhand.surfaces.cli.options import FILE, OPEN_LINES, Name, NamingOption, at_option, flag, option, reason_option
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.cli.refusal import conflict_lines, conflict_table, error_lines, event_lines, lease_lines
from steadyhand.surfaces.cli.render import cut_width, receipt_lines
from steadyhand.surfaces.terminal import Piece, counted, paint, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.session.kept_conflicts import KeptConflict, PresentText
    from steadyhand.session.receipt import Receipt
    from steadyhand.session.workspace import Workspace


@command(
    "task",
    section="Tasks",
    examples="""
    steadyhand task end T-12
    steadyhand task end T-12 --failed
    """,
)
@click.argument("what", type=click.Choice(["end"]))
@click.argument("name", metavar="[TASK]", required=False)
@flag("--failed", "The task failed: keep its .bak copies.")
def task_command(invocation: Invocation, what: str, name: str | None, failed: bool) -> CommandResult:
    """End a task, and remove the `.bak` copies made for it.

    TASK is the name given as --task to other commands. Copies that were changed stay, and so does every recorded
    change; what the task has read is forgotten.
    """
    del what  # there is one thing to do with a task
    with invocation.workspace(writing=True) as workspace:
        name = name or workspace.task_id
        if name is None:
            raise misused("no task is named", "steadyhand task end TASK")
        is_known = any(True for _ in workspace.history(task=name, limit=1))
        removed = workspace.end_task(name, failed=failed)
    if not is_known:
        invocation.output.warn(f"no change of the task {visible_line(name)} is recorded")
    document = {"task": name, "end": "failed" if failed else "ended well", "removed": list(removed)}
    ended = (Piece("ended ", "good"), Piece(visible_line(name), "id"))
    return CommandResult(document, [ended, *((Piece("removed "), Piece(visible_name(path))) for path in removed)])


_BY_SIGNAL = 128  # a shell's code for a command that a signal ended is this and the signal's number
_STDOUT, _STDERR = 1, 2


@command(
    "lease",
    section="Tasks",
    examples="""
    steadyhand lease
    steadyhand lease guide.md --at "heading:Guide > Setup" --reason "new setup" -- make docs
    steadyhand lease app.py --task T-12 --lines 10:40 --seconds 600 -- ./rework.sh
    steadyhand lease --list app.py
    """,
)
@click.argument("file", required=False, type=FILE)
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@at_option
@option("--lines A:B", "Only these lines, counted from 1.", type=OPEN_LINES)
@option("--reason TEXT", "What you are going to do; shown to others.")
@option("--seconds N", "End it after this time.", type=click.FloatRange(min=0, min_open=True))
@flag("--list is_list", "List current leases, of FILE or of all files.")
def lease_command(
    invocation: Invocation,
    file: str | None,
    words: tuple[str, ...],
    at: str | None,
    lines: tuple[int, int | None] | None,
    reason: str | None,
    seconds: float | None,
    is_list: bool,
) -> CommandResult:
    """Hold a lease on FILE while a command runs, or list leases.

    Others who edit there see who is at work and why; they are refused only if their policy says so. The lease ends with
    the command, with this process, or after --seconds. It follows its lines as edits move them, and does not affect
    edits by the same actor and task. Exits with the command's exit code.
    """
    if is_list or file is None:
        with invocation.workspace() as workspace:
            leases = workspace.leases(None if file is None else invocation.path(file))
        return CommandResult({"leases": [active.to_json() for active in leases]}, lease_lines(leases))
    if not words:
        raise misused(
            "no command was given to hold the lease for",
            f"steadyhand lease {file} -- COMMAND; steadyhand lease --list {file} shows who is at work there",
        )
    if at is not None and lines is not None:
        raise misused("--at and --lines exclude each other", "give the place with one option")
    path = invocation.path(file)
    with (
        invocation.workspace(writing=True) as workspace,
        workspace.lease(path, target=at if at is not None else lines, reason=reason, seconds=seconds) as lease,
    ):
        code = _run(words, is_aside=invocation.output.json)
    return CommandResult({"ok": code == 0, "lease": lease.id, "path": lease.path, "exit_code": code}, code=code)


def _run(words: Sequence[str], *, is_aside: bool) -> int:
    """Run a command to its end, whatever interrupts us: the terminal has interrupted it too.

    `is_aside`: what it prints goes to stderr, for stdout is the document's.
    """
    aside = [(os.POSIX_SPAWN_DUP2, _STDERR, _STDOUT)] if is_aside else []
    try:
        process = os.posix_spawnp(words[0], list(words), os.environ, file_actions=aside, setsigdef=[signal.SIGPIPE])
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "not the name of a command"
        raise EditError(
            Kind.NO_SUCH_FILE, f"{words[0]} cannot be run: {cause}", hint="check the command after --"
        ) from error
    with _passing_on(process):
        while True:
            try:
                code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            except KeyboardInterrupt:
                continue
            return _BY_SIGNAL - code if code < 0 else code


@contextmanager
def _passing_on(process: int) -> Iterator[None]:
    """Whoever asks us to end means the command."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, lambda *_: os.kill(process, signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


Way = Literal["apply", "drop", "edit"]
_ASKED = "[a]pply the refused edit, [k]eep the current text, [e]dit by hand, [s]kip, [q]uit"
_ANSWERS: dict[str, Way] = {"a": "apply", "k": "drop", "e": "edit"}


@command(
    "conflicts",
    section="Tasks",
    examples="""
    steadyhand conflicts
    steadyhand conflicts show 1a2b3c4d5e6f
    steadyhand conflicts resolve
    steadyhand conflicts resolve 1a2b3c4d5e6f --apply --reason "both agreed"
    steadyhand conflicts resolve 1a2b3c4d5e6f --keep
    """,
)
@click.argument("what", default="list", type=click.Choice(["list", "show", "resolve"]))
@click.argument("conflict", required=False)
@flag("--apply", "resolve: make the refused edit, replacing the current text.")
@flag("--keep --drop drop", "resolve: keep the current text; nothing is changed.")
@flag("--edit", "resolve: write these lines by hand, in $VISUAL or $EDITOR.")
@option("--text TEXT", "resolve: the new text of these lines; opens no editor.")
@flag("--ask", "resolve: ask for each, even without a terminal.")
@reason_option
@flag("--all every", "list: include resolved and answered conflicts.")
@option("--path FILE", "list, resolve: only conflicts in this file.", type=FILE)
@option("--task TASK", "list, resolve: only edits of this task that were refused.")
def conflicts_command(
    invocation: Invocation,
    what: str,
    conflict: str | None,
    apply: bool,
    drop: bool,
    edit: bool,
    text: str | None,
    ask: bool,
    reason: str | None,
    every: bool,
    path: str | None,
    task: str | None,
) -> CommandResult | int:
    """List, show and resolve conflicts with other tasks' changes.

    A conflict is an edit that was refused because another task had changed the same lines. `list` lists open conflicts,
    `show` prints both sides of one, and `resolve` settles one by its id and a choice, or, on a terminal, one after
    another. What is applied is recorded and can be undone.
    """
    file = invocation.path(path) if path is not None else None
    way = _way({"apply": apply, "drop": drop, "edit": edit}, text)
    if what == "show":
        name = _named(conflict, "show")
        with invocation.workspace() as workspace:
            shown = workspace.conflict(name)
            now = _present_text(workspace, shown)
        standing = None if now is None else {"lines": list(now.lines), "digest": now.digest, "text": now.text}
        lines = conflict_lines(shown, now, width=cut_width(invocation))
        return CommandResult({"conflict": shown.to_json(), "standing": standing}, lines)
    if what == "list":
        _only(conflict is None and way is None and not ask, "list takes no conflict and no choice")
        with invocation.workspace() as workspace:
            found = workspace.conflicts(open_only=not every, path=file, task=task)
        document = {"conflicts": [kept.to_json() for kept in found]}
        return CommandResult(document, conflict_table(found, width=invocation.output.width))
    if way is not None:
        return _resolve(invocation, _named(conflict, f"--{way}"), way, text, reason)
    _only(not invocation.output.json, "--json cannot ask questions")
    _only(ask or (sys.stdin.isatty() and invocation.output.is_terminal), "there is no terminal to ask on")
    return _go_through(invocation, conflict, file, task, reason)


def _way(flags: dict[Way, bool], text: str | None) -> Way | None:
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1 or (text is not None and given not in ([], ["edit"])):
        raise misused("several choices are given", "one of --apply, --keep, --edit and --text")
    return "edit" if text is not None else given[0] if given else None


def _named(conflict: str | None, wanted_by: str) -> str:
    if conflict is None:
        raise misused(
            f"{wanted_by} needs the id of a conflict",
            "steadyhand conflicts lists them; the first digits (4 or more) are enough",
        )
    return conflict


def _only(fits: object, otherwise: str) -> None:
    if not fits:
        hint = "steadyhand conflicts resolve ID with --apply, --keep, --edit or --text TEXT"
        raise misused(otherwise, hint)


def _present_text(workspace: Workspace, kept: KeptConflict) -> PresentText | None:
    """The current text, where the conflict is open and the text is known."""
    from steadyhand.session.host import host_of

    try:
        return host_of(workspace).present_text(kept.id) if kept.state == "open" else None
    except EditError:
        return None


def _resolve(invocation: Invocation, conflict: str, way: Way, text: str | None, reason: str | None) -> int:
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        receipt = _decide(workspace, workspace.conflict(conflict), way, text, reason)
        kept = workspace.conflict(conflict)
    shown = None if receipt is None else receipt.to_json()
    output.document({"ok": True, "conflict": kept.to_json(), "receipt": shown})
    _report(invocation, kept, receipt)
    return 0


def _decide(workspace: Workspace, kept: KeptConflict, way: Way, text: str | None, reason: str | None) -> Receipt | None:
    from steadyhand.session.host import host_of

    expect: str | None = None
    if way == "edit" and text is None and kept.state == "open":
        now = host_of(workspace).present_text(kept.id)
        lines = paint(conflict_lines(kept, None, width=None), color=False)
        text = edit_by_hand(
            now.text, list(lines), path=kept.path, token=f"steadyhand {kept.id} {now.digest[:16]}",
            otherwise="to keep the current lines, drop the conflict",
        )  # fmt: skip
        expect = now.digest
    return workspace.resolve(kept.id, way, text=text, expect=expect, reason=reason)


def _report(invocation: Invocation, kept: KeptConflict, receipt: Receipt | None) -> None:
    output = invocation.output
    if receipt is not None and not output.json:
        back = ("undo", invocation.command_line(f"undo {receipt.id}"))
        output.print(receipt_lines(receipt, back=back, width=cut_width(invocation), quiet=output.quiet))
        output.warn(*receipt.warnings)
    output.print([(Piece("resolved ", "good"), Piece(kept.id, "id"), Piece(f": {kept.state}"))])


def _go_through(
    invocation: Invocation, conflict: str | None, path: str | None, task: str | None, reason: str | None
) -> int:
    """The open ones, one after another, until somebody has enough."""
    output = invocation.output
    with invocation.workspace(writing=True) as workspace:
        if conflict is None:
            names = [kept.id for kept in workspace.conflicts(path=path, task=task)]
        else:
            names = [workspace.conflict(conflict).id]
        output.print([(Piece(counted(len(names), "conflict") if names else "no open conflicts", "dim"),)])
        for name in names:
            if not _settle(invocation, workspace, name, reason):
                break
    return 0


def _settle(invocation: Invocation, workspace: Workspace, name: str, reason: str | None) -> bool:
    """Ask until one conflict is decided or passed over; False to go no further."""
    output = invocation.output
    while (kept := workspace.conflict(name)).state == "open":
        output.print([(), *conflict_lines(kept, _present_text(workspace, kept), width=cut_width(invocation))])
        answer = click.prompt(_ASKED, type=click.Choice([*_ANSWERS, "s", "q"]), show_choices=False)
        if answer in ("s", "q"):
            return bool(answer == "s")
        try:
            receipt = _decide(workspace, kept, _ANSWERS[answer], None, reason)
            _report(invocation, workspace.conflict(name), receipt)
            return True
        except EditError as error:
            output.tell(error_lines(error, phrases=invocation.phrases))
    output.print([(Piece(f"{name} is {kept.state}", "dim"),)])
    return True


_LONGEST_NUMBER = 11  # digits; twelve are an id


def _types() -> tuple[str, ...]:
    from steadyhand.session.events import TYPES

    return TYPES


@command(
    "watch",
    section="Tasks",
    examples="""
    steadyhand watch
    steadyhand watch --type conflict --type refusal
    steadyhand watch --since start --no-follow --path docs
    steadyhand watch --since 1a2b3c4d5e6f --task T-12 --json
    """,
)
@option("--since WHERE", "Start after a record's id or an event's number, or at `start` (default: now).")
@flag("--no-follow", "Stop at the end of the journal instead of waiting for more.")
@option("--limit N", "Stop after N events.", least=1)
@option("--task TASK", "Only what this task does.")
@option("--actor NAME", "Only what this actor does.")
@option(
    "--type types TYPE",
    "Only events of this type; may be repeated.",
    cls=NamingOption,
    multiple=True,
    type=Name("type", _types),
)
@option("--path FILE", "Only what concerns this file or directory.", type=FILE)
def watch_command(
    invocation: Invocation,
    since: str | None,
    no_follow: bool,
    limit: int | None,
    task: str | None,
    actor: str | None,
    types: tuple[str, ...],
    path: str | None,
) -> int:
    """Show edits, conflicts and refusals of all agents as they happen.

    One line for each: who, what, where and why; a conflict has both sides. With --json, each event is one JSON document
    on its own line; warnings come with the first. Watching writes nothing; Ctrl-C ends it.
    """
    file = invocation.path(path) if path is not None else None
    try:
        with invocation.workspace() as workspace:
            after, known = (None, None) if since is None else _position(workspace, since)
            events = workspace.events(
                after=after,
                follow=not no_follow,
                types=types or None,
                task=task or invocation.settings.task,
                actor=actor or invocation.settings.actor,
                path=file,
            )
            if not no_follow and invocation.output.is_terminal:
                invocation.output.tell([(Piece("watching; Ctrl-C ends it", "dim"),)])
            for event in islice((event for event in events if known is None or event.id != known), limit):
                invocation.output.document(event.to_json())
                invocation.output.warnings.clear()
                invocation.output.print(event_lines(event, width=cut_width(invocation)))
    except KeyboardInterrupt:
        pass  # the way to end it, and nothing is under way
    return 0


def _position(workspace: Workspace, since: str) -> tuple[int, str | None]:
    """The number to begin after, and the record that is known with it."""
    if since == "start":
        return 0, None
    if since.isascii() and since.isdigit() and len(since) <= _LONGEST_NUMBER:
        return int(since), None
    entry = workspace.show(since)
    return entry.seq, entry.record.id
