"""Folders that a process puts things aside in while it runs: held while somebody works there, swept when nobody does.

Whoever holds a folder is known to the kernel and not by a number that another machine's view may not show. Only folders
of a home that is this user's alone are swept.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

__all__ = ["scratch_folder"]

_SQLITE = "SQLITE_TMPDIR"
_PLACES = ("/dev/shm", "/var/tmp")
_PREFIX = "mcp-"
_OLD = 3_600  # seconds; a folder that was just made is not held yet


@contextmanager
def scratch_folder(roots: Sequence[str]) -> Iterator[str | None]:
    """A folder of our own, outside the roots, for what has to be put somewhere for a while; None where none can be."""
    folder = _made(roots)
    if folder is None:
        yield None
        return
    before, named = tempfile.tempdir, os.environ.pop(_SQLITE, None)
    tempfile.tempdir = os.environ[_SQLITE] = folder
    held = _hold(folder)
    try:
        yield folder
    finally:
        if held is not None:
            os.close(held)
        tempfile.tempdir = before
        del os.environ[_SQLITE]
        os.environ |= {} if named is None else {_SQLITE: named}
        shutil.rmtree(folder, ignore_errors=True)


def _made(roots: Sequence[str]) -> str | None:
    for place in (_usual(), *_PLACES):
        real = os.path.realpath(place)
        if not any(os.path.commonpath([root, real]) == root for root in roots):
            home = _home(real)
            if home != real:
                _sweep(home, _PREFIX)
            with suppress(OSError):
                return tempfile.mkdtemp(prefix=_PREFIX, dir=home)
    return None


def _usual() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return _PLACES[0]


def _home(place: str) -> str:
    """Where this user's servers have their folders, each removable by its own; the place itself if there is none."""
    home = os.path.join(place, f"steadyhand-{os.getuid()}")
    with suppress(OSError):
        os.mkdir(home, 0o700)
    try:
        found = os.lstat(home)
    except OSError:
        return place
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return home if is_ours else place


def _hold(folder: str) -> int | None:
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


def _sweep(home: str, prefix: str) -> None:
    """Remove old folders that nobody holds: a copy of a journal may be large, and is nobody's business."""
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.stat(follow_symlinks=False).st_mtime < time.time() - _OLD:
                handle = _hold(entry.path)
                if handle is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(handle)
