"""How far long work has come: a bar for a person, a plain line now and then in a pipe, nothing under --json.

Written to stderr, so that the answer on stdout stays clean.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from steadyhand.surfaces.cli.output import Output

_BAR = 24
_TERMINAL_PAUSE = 0.1
_PIPE_PAUSE = 5.0


class Progress:
    """Called with how much is done and, where known, of how much; silent during the first moment."""

    def __init__(self, output: Output, what: str) -> None:
        self._what = what
        self._on = not output.json and not output.quiet
        self._bar = sys.stderr.isatty()
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
