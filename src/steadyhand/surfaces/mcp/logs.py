"""What a server says of itself: plain lines on standard error, never a traceback, never on standard output."""

from __future__ import annotations

import logging
import os
import sys

from steadyhand.surfaces.terminal import visible_line

__all__ = ["quieten", "say"]

_NAME = "steadyhand mcp"
_LONGEST = 2_000


def say(text: str) -> None:
    """One line for whoever reads the log."""
    try:
        sys.stderr.write(f"{_NAME}: {visible_line(text)[:_LONGEST]}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody listens, and that must not end the server


class _Lines(logging.Handler):
    """The libraries' warnings as lines of ours. What an exception says may name anything: its type is enough."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[0] if record.exc_info else None
        say(f"{record.getMessage()}{f' ({error.__name__})' if error is not None else ''}")
        if error is not None and os.environ.get("STEADYHAND_DEBUG"):
            import traceback

            traceback.print_exception(*record.exc_info)  # type: ignore[misc]  # it is there


def quieten() -> None:
    """Let the libraries say their warnings in our way."""
    root = logging.getLogger()
    root.handlers[:] = [_Lines()]
    root.setLevel(logging.WARNING)
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)  # it tells of every connection that an end cuts off
