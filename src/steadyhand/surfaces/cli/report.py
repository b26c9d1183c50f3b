"""The answer of a command that changed something, as lines or JSON, and how far long work has come.

Progress goes to stderr: a bar for a person, a plain line now and then in a pipe, nothing under --json.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.cli.render.receipt import receipt_lines

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt

_BAR = 24
_TERMINAL_PAUSE = 0.1
_PIPE_PAUSE = 5.0


class Progress:
    """Called with how much is done and, where known, of how much; silent during the first moment."""

    def __init__(self, output: Output, what: str) -> None:
        self._what = what
        self._bar = sys.stderr.isatty()
        self._on = not output.json and (self._bar or not output.quiet)  # the bar is gone when the answer comes
        self._next = time.monotonic() + (0.3 if self._bar else _PIPE_PAUSE)
        self._drawn = False

    def __call__(self, done: int, total: int | None = None) -> None:
        now = time.monotonic()
        if not self._on or now < self._next:
            return
        self._next = now + (_TERMINAL_PAUSE if self._bar else _PIPE_PAUSE)
        self._drawn = True
        sys.stderr.write(
            f"\r\x1b[2K{self._what} {_draw(done, total)}" if self._bar else f"{self._what}: {_say(done, total)}\n"
        )
        sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away; the answer follows."""
        if self._drawn and self._bar:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


@contextmanager
def progress(output: Output, what: str) -> Iterator[Progress]:
    """Progress that cleans up after itself, also on an error."""
    shown = Progress(output, what)
    try:
        yield shown
    finally:
        shown.close()


def _draw(done: int, total: int | None) -> str:
    if not total:
        return f"{done:,}"
    filled = min(done * _BAR // total, _BAR)
    return f"{'█' * filled}{'░' * (_BAR - filled)} {_say(done, total)}"


def _say(done: int, total: int | None) -> str:
    return f"{done:,} of {total:,}" if total else f"{done:,}"


def report(invocation: Invocation, receipt: Receipt, *, back: Literal["undo", "redo"] = "undo") -> int:
    """Print a receipt; `back` is the command that takes it back.

    When some edits were refused and others applied, the code is that of the first refusal.
    """
    output = invocation.output
    refused = receipt.error
    document: dict[str, object] = {"ok": refused is None, "receipt": receipt.to_json()}
    if refused is not None:
        document["error"] = refused.to_json()
    output.document(document)
    if not output.json:
        command = (back, invocation.command_line(f"{back} {receipt.id}")) if receipt.id is not None else None
        width = cut_width(invocation)
        output.print(receipt_lines(receipt, back=command, width=width, quiet=output.quiet, phrases=invocation.phrases))
        for warning in receipt.warnings:
            if warning not in receipt.remarks:  # these stand among the notes
                output.warn(warning)
    return refused.kind.exit_code if refused is not None else 0


def cut_width(invocation: Invocation) -> int | None:
    """The width of the terminal, on which long lines are cut sooner than in a pipe."""
    return invocation.output.width if invocation.output.is_terminal else None
