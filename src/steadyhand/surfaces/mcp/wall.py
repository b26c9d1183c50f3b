"""The kernel's wall around a server: raised before its threads begin, or by each worker once the roots are known."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from steadyhand.surfaces.mcp.roots import Root
from steadyhand.workspace.landlock import raise_wall, wall_around
from steadyhand.workspace.scratch import hold, sweep

__all__ = ["confine", "scratch_folder"]

_SQLITE = "SQLITE_TMPDIR"
_PLACES = ("/dev/shm", "/var/tmp")
_PREFIX = "mcp-"


@contextmanager
def scratch_folder(roots: Sequence[Root]) -> Iterator[str | None]:
    """A folder of our own, outside the roots, for what has to be put somewhere for a while; None where none can be."""
    folder = _made(roots)
    if folder is None:
        yield None
        return
    before, named = tempfile.tempdir, os.environ.pop(_SQLITE, None)
    tempfile.tempdir = os.environ[_SQLITE] = folder
    held = hold(folder)
    try:
        yield folder
    finally:
        if held is not None:
            os.close(held)
        tempfile.tempdir = before
        del os.environ[_SQLITE]
        os.environ |= {} if named is None else {_SQLITE: named}
        shutil.rmtree(folder, ignore_errors=True)


def _made(roots: Sequence[Root]) -> str | None:
    for place in (_usual(), *_PLACES):
        real = os.path.realpath(place)
        if not any(os.path.commonpath([root.path, real]) == root.path for root in roots):
            home = _home(real)
            if home != real:
                sweep(home, _PREFIX)
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


def confine(
    roots: Sequence[Root],
    journal: str | None,
    scratch: str | None,
    *,
    read_only: bool,
    reports: bool = False,
    ports: tuple[int, ...] = (),
) -> str | None:
    """Raise the wall for this thread and all it starts; None, or why it does not stand."""
    paths = [root.path for root in roots]
    try:
        wall = wall_around(
            paths, journal, scratch=scratch, read_only=read_only, ports=ports, code=_code(), reports=reports
        )
        return None if raise_wall(wall) is not None else "this system has no Landlock"
    except OSError as error:
        return error.strerror or "the kernel refused it"


def _code() -> list[str]:
    """Where modules that are loaded later may come from: an installation that is worked on lies anywhere."""
    files = (getattr(module, "__file__", None) for name, module in list(sys.modules.items()) if "." not in name)
    return sorted({os.path.dirname(os.path.realpath(file)) for file in files if file})
