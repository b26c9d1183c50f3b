"""One file, durably: a new version beside it, carrying everything the old one had, or over it where it must stay.

What a transaction is made of; nothing here knows of several files, journals or locks.
A temporary is complete and on the medium before anybody renames it; a failure removes it and changes nothing.
Metadata that cannot be carried over is a refusal that names it, never a silent loss.

fsync comes last, once, and is never repeated.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection
from contextlib import suppress

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.metadata import SPECIAL_BITS, dress
from steadyhand.workspace.place import FileImage, Place
from steadyhand.workspace.protection import TEMP_PREFIX
from steadyhand.workspace.refusal import refuse_os, shown
from steadyhand.workspace.storage import NOFOLLOW, NONBLOCK, Storage, shut

__all__ = [
    "TEMP_PREFIX",
    "check_writable",
    "discard",
    "refuse_os",
    "stage",
    "temp_name",
    "write_in_place",
]


def temp_name(tx_id: str, index: int) -> str:
    """The name of a transaction's n-th temporary file.

    >>> temp_name("1a2b3c4d5e6f", 0)
    '.steadyhand-tmp-1a2b3c4d5e6f-0'
    """
    return f"{TEMP_PREFIX}{tx_id}-{index}"


def stage(
    storage: Storage,
    dir_fd: int,
    data: bytes,
    *,
    temp_name: str,
    like: FileImage | None = None,
    mode: int | None = None,
    path: str = "",
    keep_special: bool = False,
    may_lose: Collection[str] = (),
) -> tuple[str, ...]:
    """Write `data` to a new temporary beside its destination, with the metadata of `like`, on the medium.

    `mode` wins over the mode of `like`; a new file gets what the umask leaves of 0666. Set-user and set-group bits and
    capabilities are carried over with `keep_special` only. Refuses `disk-refused` where metadata cannot be carried
    over, unless `may_lose` names it ("owner", "group", "acl", "mode", or an attribute's name).
    Returns what was left behind, in words; on a refusal the temporary is gone.
    """
    try:
        fd = storage.create(temp_name, 0o600, dir_fd=dir_fd)
    except OSError as error:
        raise refuse_os(error, "write", path or temp_name) from None
    try:
        try:
            storage.write(fd, data)
            notes = dress(storage, fd, like, mode, path=path or temp_name, keep_special=keep_special, may_lose=may_lose)
            storage.fsync(fd)
        finally:
            storage.close(fd)
    except BaseException as error:
        discard(storage, dir_fd, temp_name)
        if isinstance(error, OSError):
            raise refuse_os(error, "write", path or temp_name) from None
        raise
    return notes


def write_in_place(
    storage: Storage, place: Place, data: bytes, expected: FileImage | None, *, keep_special: bool = False
) -> None:
    """Write over the file itself, for a file with several names. Old-or-new then holds only after recovery.

    Refuses `stale-source` before the first byte where the file is not the one `expected` was read from. A refusal
    after that has `details["applied"] == "unknown"`: put the old bytes back.
    """
    begun = False
    try:
        fd = storage.open(place.name, os.O_WRONLY | NOFOLLOW | NONBLOCK, dir_fd=place.dir_fd)
        try:
            _check_same(storage.fstat(fd), place, expected)
            begun = True
            _overwrite(storage, fd, data, keep_special=keep_special)
        finally:
            storage.close(fd)
    except OSError as error:
        refusal = refuse_os(error, "write", place.path)
        raise (refusal.with_details(applied="unknown") if begun else refusal) from None


def check_writable(storage: Storage, place: Place) -> None:
    """Refuse `read-only` where the file itself may not be written, though a rename could replace it."""
    try:
        fd = storage.open(place.name, os.O_WRONLY | NOFOLLOW | NONBLOCK, dir_fd=place.dir_fd)
    except OSError as error:
        if error.errno == errno.ETXTBSY:  # a running program can be replaced by rename
            return
        raise refuse_os(error, "write", place.path) from None
    shut(storage, fd)


def discard(storage: Storage, dir_fd: int, temp: str) -> None:
    """Remove a temporary if it is there; what cannot be removed now is left to recovery."""
    with suppress(OSError):
        storage.unlink(temp, dir_fd=dir_fd)


def _check_same(found: os.stat_result, place: Place, expected: FileImage | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise EditError(Kind.NOT_TEXT, f"{shown(place.path)} is no regular file", hint="name a regular file")
    if expected is not None and (found.st_dev, found.st_ino) != (expected.dev, expected.ino):
        raise EditError(
            Kind.STALE_SOURCE,
            f"{shown(place.path)} was replaced since it was read",
            hint="read it again and send the edit for what is there now",
            details={"path": place.path},
        )


def _overwrite(storage: Storage, fd: int, data: bytes, *, keep_special: bool) -> None:
    # From the front, in order: a torn file is then new text followed by old, which recovery can recognise.
    storage.write_at(fd, data, 0)
    storage.ftruncate(fd, len(data))
    mode = stat.S_IMODE(storage.fstat(fd).st_mode)
    if mode & SPECIAL_BITS and not keep_special:
        storage.fchmod(fd, mode & ~SPECIAL_BITS)
    storage.fsync(fd)
