"""`steadyhand lease`: say what is about to be worked on, for as long as a command runs; or see what others said."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, LineRange
from steadyhand.surfaces.cli.place import at_option
from steadyhand.surfaces.cli.render.conflict import lease_lines

_BY_SIGNAL = 128  # a shell's code for a command that a signal ended is this and the signal's number
_STDOUT, _STDERR = 1, 2


@command(
    "lease",
    section="Look",
    examples="""
    steadyhand lease
    steadyhand lease guide.md --at "heading:Guide > Setup" --reason "new setup" -- make docs
    steadyhand lease app.py --task T-12 --lines 10:40 --seconds 600 -- ./rework.sh
    steadyhand lease --list app.py
    """,
)
@click.argument("file", required=False, type=FileName())
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@at_option
@click.option("--lines", metavar="A:B", type=LineRange(open_ended=True), help="Only these lines, counted from 1.")
@click.option("--reason", metavar="TEXT", help="What you are going to do; others see it.")
@click.option("--seconds", metavar="N", type=click.FloatRange(min=0, min_open=True), help="End it after this time.")
@click.option("--list", "is_list", is_flag=True, help="List the leases that last, of FILE or of all files.")
def run(
    invocation: Invocation,
    file: str | None,
    words: tuple[str, ...],
    at: str | None,
    lines: tuple[int, int | None] | None,
    reason: str | None,
    seconds: float | None,
    is_list: bool,
) -> int:
    """Announce work on FILE while a command runs, or list what is announced.

    Others who edit there are shown who is at work and why; only where their policy says so are they refused. The lease
    ends with the command, with this process however it ends, or after --seconds. It moves as edits land, and it does
    not concern edits of the same actor and task. The exit code is the command's.
    """
    if is_list or file is None:
        return _list(invocation, file)
    if not words:
        raise EditError(
            Kind.BAD_REQUEST,
            "no command was given to hold the lease for",
            hint=f"steadyhand lease {file} -- COMMAND; steadyhand lease --list {file} tells who is at work there",
        )
    if at is not None and lines is not None:
        raise EditError(Kind.BAD_REQUEST, "--at and --lines exclude each other", hint="say the place in one way")
    output = invocation.output
    path = invocation.path(file)
    with (
        invocation.workspace(writing=True) as workspace,
        workspace.lease(path, target=at if at is not None else lines, reason=reason, seconds=seconds) as lease,
    ):
        code = _run(words, is_aside=output.json)
    output.document({"ok": code == 0, "lease": lease.id, "path": lease.path, "exit_code": code})
    return code


def _list(invocation: Invocation, file: str | None) -> int:
    output = invocation.output
    with invocation.workspace() as workspace:
        leases = workspace.leases(None if file is None else invocation.path(file))
    output.document({"ok": True, "leases": [announced.to_json() for announced in leases]})
    output.print(lease_lines(leases))
    return 0


def _run(words: Sequence[str], *, is_aside: bool) -> int:
    """Run a command to its end, whatever interrupts us: the terminal has interrupted it too.

    `is_aside`: what it prints goes to stderr, for stdout is the document's.
    """
    aside = [(os.POSIX_SPAWN_DUP2, _STDERR, _STDOUT)] if is_aside else []
    try:
        process = os.posix_spawnp(words[0], list(words), os.environ, file_actions=aside, setsigdef=[signal.SIGPIPE])
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "no name of a command"
        raise EditError(
            Kind.NO_SUCH_FILE, f"{words[0]} cannot be run: {cause}", hint="check the command behind --"
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


COMMAND = run
