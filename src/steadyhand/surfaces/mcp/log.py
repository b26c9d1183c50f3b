"""What a server says of itself: plain lines on standard error, never a traceback, never on standard output.

Nobody has to read them: a line that would have to wait for a reader is dropped. What libraries complain of is said once
and a few times in a while. So no client can fill a disk with lines, or stop the server by not reading them.
"""

from __future__ import annotations

import logging
import os
import sys
import time

from steadyhand.surfaces.terminal import visible_line
from steadyhand.workspace.host import takes_more

__all__ = ["quieten", "say"]

_NAME = "steadyhand mcp"
_LONGEST = 2_000
_ATOMIC = 4_096  # bytes that a pipe which takes any takes at once
_WHILE = 10.0  # seconds in which nothing is said twice
_MOST = 20  # lines in such a while


def say(text: str) -> None:
    """One line for whoever reads the log."""
    line = f"{_NAME}: {visible_line(text)[:_LONGEST]}"
    try:
        sys.stderr.flush()
        if takes_more(sys.stderr.fileno()):
            os.write(sys.stderr.fileno(), f"{line.encode()[: _ATOMIC - 1].decode(errors='ignore')}\n".encode())
    except (AttributeError, OSError, ValueError):
        pass  # nobody listens, and that must not end the server


class _Lines(logging.Handler):
    """The libraries' warnings as lines of ours. What an exception says may name anything: its type is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()
        self._since = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0] if record.exc_info else None
        line = f"{record.getMessage()}{f' ({error.__name__})' if error is not None else ''}"
        if time.monotonic() > self._since + _WHILE:
            self._said, self._since = set(), time.monotonic()
        if line not in self._said and len(self._said) < _MOST:
            self._said.add(line)
            say(line)
        if error is not None and os.environ.get("STEADYHAND_DEBUG"):
            import traceback

            traceback.print_exception(*record.exc_info)  # type: ignore[misc]  # it is there


def quieten() -> None:
    """Let the libraries say their warnings in our way."""
    root = logging.getLogger()
    root.handlers[:] = [_Lines()]
    root.setLevel(logging.WARNING)
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # it reports every connection that an end cuts off
