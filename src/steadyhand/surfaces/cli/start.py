"""Where a process that is the command line begins: deaf to nothing, even while it is still loading.

Imports nothing that takes time before the interrupt is caught; `main.py` takes over once it is there.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130


def main() -> NoReturn:
    """The entry point of `steadyhand` and of `python -m steadyhand`."""
    caught = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else the caller wants it ignored
    if caught:
        signal.signal(signal.SIGINT, _leave)
    from steadyhand.surfaces.cli.main import cli

    try:
        if caught:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main()
    except KeyboardInterrupt:  # before the command began or after it ended
        os._exit(_INTERRUPTED)


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing is begun and nothing buffered yet."""
    os._exit(_INTERRUPTED)
