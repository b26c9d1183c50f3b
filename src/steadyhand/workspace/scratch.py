"""Folders that a process puts things aside in while it runs: held while somebody works there, swept when nobody does.

Whoever holds a folder is known to the kernel and not by a number that another machine's view may not show. Only folders
of a home that is this user's alone are swept.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress

__all__ = ["hold", "sweep"]

_OLD = 3_600  # seconds; a folder that was just made is not held yet


def hold(folder: str) -> int | None:
    """Show that somebody works in a folder, until the descriptor is closed; None where that cannot be, or is so."""
    import fcntl  # absent on some systems, where no workspace is opened either

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def sweep(home: str, prefix: str) -> None:
    """Remove old folders that nobody holds: a copy of a journal may be large, and is nobody's business."""
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.stat(follow_symlinks=False).st_mtime < time.time() - _OLD:
                handle = hold(entry.path)
                if handle is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(handle)
