"""Where a process that is the command line begins and ends.

Ctrl-C works even while it loads: nothing slow is imported before the interrupt handler is in place. At the end the
process exits at once, because freeing every object first would take 17 ms.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130
_OBJECTS = 200_000  # made between two looks for garbage: what one command loads is none, and looking takes 6 ms


def main() -> NoReturn:
    """The entry point of `steadyhand` and of `python -m steadyhand`."""
    caught = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else the caller wants it ignored
    if caught:
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(_OBJECTS)
    code: list[int] = []
    atexit.register(_end, code)  # the first that is registered is the last that is called
    from steadyhand.surfaces.cli.main import cli

    try:
        if caught:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main()
    except SystemExit as leaving:
        code += [leaving.code] if isinstance(leaving.code, int) else []
        raise
    except KeyboardInterrupt:  # before the command began or after it ended
        os._exit(_INTERRUPTED)


def _end(code: list[int]) -> None:
    """What is still to be said is said, then this process is gone. One that did not end in order goes its own way."""
    if code:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass  # nobody listens
        os._exit(code[0])


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing is begun and nothing buffered yet."""
    os._exit(_INTERRUPTED)
