"""The kernel's wall around a server: raised before its threads begin, or by each worker once the roots are known."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from steadyhand.surfaces.mcp.roots import Root
from steadyhand.workspace.landlock import raise_wall, wall_around

__all__ = ["confine", "scratch_folder"]


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder of our own for what has to be put somewhere for a while, and taken for it from now on."""
    before, folder = tempfile.tempdir, tempfile.mkdtemp(prefix="mcp-", dir=_home())
    tempfile.tempdir = folder
    os.environ["SQLITE_TMPDIR"] = folder
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def _home() -> str | None:
    """Where this user's servers have their folders, each removable by its own; None where there cannot be one."""
    home = os.path.join(tempfile.gettempdir(), f"steadyhand-{os.getuid()}")
    try:
        os.mkdir(home, 0o700)
    except OSError:
        pass
    try:
        found = os.lstat(home)
    except OSError:
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return home if is_ours else None


def confine(
    roots: Sequence[Root], journal: str | None, scratch: str, *, read_only: bool, ports: tuple[int, ...] = ()
) -> str | None:
    """Raise the wall for this thread and all it starts; None, or why it does not stand."""
    paths = [root.path for root in roots]
    wall = wall_around(paths, journal, scratch=scratch, read_only=read_only, ports=ports, code=_code())
    try:
        return None if raise_wall(wall) is not None else "this system has no Landlock"
    except OSError as error:
        return error.strerror or "the kernel refused it"


def _code() -> list[str]:
    """Where modules that are loaded later may come from: an installation that is worked on lies anywhere."""
    files = (getattr(module, "__file__", None) for name, module in list(sys.modules.items()) if "." not in name)
    return sorted({os.path.dirname(os.path.realpath(file)) for file in files if file})
