"""Directories that a change makes and takes away again: which are missing, and removing one that is empty."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.sandbox import Place, Sandbox
from steadyhand.workspace.storage import Storage


@contextlib.contextmanager
def unless_unreachable() -> Iterator[None]:
    """Pass over a path that can no longer be reached; only a disk that refuses is worth coming back for."""
    try:
        yield
    except EditError as error:
        if error.kind is Kind.DISK_REFUSED:
            raise


def remove_empty_directory(sandbox: Sandbox, storage: Storage, path: str) -> None:
    """Remove a directory we once made, if it is empty and still there. A disk that refuses is not passed over."""
    with unless_unreachable(), sandbox.place(path, writing=True, known_name=True) as place:
        if place.missing:
            return
        try:
            storage.rmdir(place.name, dir_fd=place.dir_fd)
            storage.fsync_dir(place.dir_fd)  # the note that names it goes next, and nothing else would find it again
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                raise


def missing_directories(place: Place) -> tuple[str, ...]:
    """Root-relative paths of the parent directories a place lacks, outermost first."""
    if not place.missing:
        return ()
    parents = place.path.split("/")[:-1]
    return tuple("/".join(parents[: len(parents) - len(place.missing) + i + 1]) for i in range(len(place.missing)))
