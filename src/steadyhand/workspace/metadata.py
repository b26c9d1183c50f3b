"""What a file is besides its bytes: mode, owner, group, extended attributes, access lists.

A new version of a file gets all of it or is refused with what would be lost; nothing is lost silently.
Rights that were given to the old content (set-user, set-group, capabilities) do not pass to new content by themselves.

The order matters: owner before attributes before mode, since a change of owner clears mode bits and a change of an
access list moves them.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.refusal import shown
from steadyhand.workspace.sandbox import FileImage
from steadyhand.workspace.storage import Storage

__all__ = ["SPECIAL_BITS", "dress", "new_file_mode"]

SPECIAL_BITS: Final = stat.S_ISUID | stat.S_ISGID
_CAPABILITY: Final = "security.capability"
# Hashes and signatures of the content: carried to other content they would be false.
_OF_CONTENT: Final = frozenset({"security.ima", "security.evm"})
_ACLS: Final = frozenset({"system.posix_acl_access"})
# Some file systems show attributes of their own that can be read but not set; losing those loses nothing.
_CARRIED: Final = ("user.", "security.", "trusted.", "system.posix_acl_")
_UMASK_MUTEX: Final = threading.Lock()


def new_file_mode() -> int:
    """The mode a new file gets: what the process's umask leaves of 0666."""
    return 0o666 & ~_umask()


def dress(
    storage: Storage,
    fd: int,
    like: FileImage | None,
    mode: int | None,
    *,
    path: str,
    keep_special: bool,
    may_lose: Collection[str],
) -> tuple[str, ...]:
    """Give the file behind `fd` its metadata; returns what was left behind, in words.

    Refuses `disk-refused`, naming what cannot be carried over, unless `may_lose` names it.
    """
    wanted = mode if mode is not None else like.mode if like is not None else new_file_mode()
    wanted = wanted if keep_special else wanted & ~SPECIAL_BITS
    lost = [] if like is None else _carry(storage, fd, like, keep_special=keep_special)
    storage.fchmod(fd, wanted)
    if stat.S_IMODE(storage.fstat(fd).st_mode) != wanted:
        lost.append("mode")
    _check_lost(lost, may_lose, path)
    return _left_behind(like, mode, lost, keep_special=keep_special)


def _carry(storage: Storage, fd: int, like: FileImage, *, keep_special: bool) -> list[str]:
    return _carry_owner(storage, fd, like) + _carry_xattrs(storage, fd, like, keep_special=keep_special)


def _umask() -> int:
    """The process's umask, read where the system shows it: setting it, even for an instant, is seen by all threads."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith("Umask:"):
                    return int(line.split()[1], 8)
    except (OSError, ValueError, IndexError):
        pass
    with _UMASK_MUTEX:
        found = os.umask(0o077)  # a file made by another thread in this instant is too private, not too open
        os.umask(found)
    return found


def _carry_owner(storage: Storage, fd: int, like: FileImage) -> list[str]:
    lost = []
    found = storage.fstat(fd)
    for what, uid, gid in (("group", -1, like.gid), ("owner", like.uid, -1)):
        if (uid in (-1, found.st_uid)) and (gid in (-1, found.st_gid)):
            continue
        try:
            storage.fchown(fd, uid, gid)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
                raise
            lost.append(what)
    return lost


def _carry_xattrs(storage: Storage, fd: int, like: FileImage, *, keep_special: bool) -> list[str]:
    dropped = _OF_CONTENT if keep_special else _OF_CONTENT | {_CAPABILITY}
    wanted = {name: value for name, value in like.xattrs if name not in dropped}
    present = set(storage.listxattr(fd))
    lost = [name for name, value in wanted.items() if not _set_xattr(storage, fd, name, value, present)]
    # A directory's default access list dresses the temporary in one the old file did not have.
    for name in sorted(present & _ACLS - wanted.keys()):
        storage.removexattr(fd, name)
    return ["acl" if name in _ACLS else name for name in lost]


def _set_xattr(storage: Storage, fd: int, name: str, value: bytes, present: set[str]) -> bool:
    """Whether the temporary has the attribute afterwards, or it is one nobody misses."""
    if name in present:
        with suppress(OSError):
            if storage.getxattr(fd, name) == value:
                return True
    try:
        storage.setxattr(fd, name, value)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ERANGE):
            return not name.startswith(_CARRIED)
        raise
    return True


def _check_lost(lost: list[str], may_lose: Collection[str], path: str) -> None:
    kept = [what for what in lost if what not in may_lose]
    if kept:
        raise EditError(
            Kind.DISK_REFUSED,
            f"the new version of {shown(path)} would lose the file's {', '.join(kept)}",
            hint="run as the file's owner, or ask the host to allow the loss",
            details={"path": path, "metadata": kept},
        )


def _left_behind(like: FileImage | None, mode: int | None, lost: list[str], *, keep_special: bool) -> tuple[str, ...]:
    notes = [f"the file's {what} was not carried over" for what in lost]
    if like is not None and not keep_special:
        if mode is None and like.mode & SPECIAL_BITS:
            notes.append("the set-user or set-group bit was dropped, since the content changed")
        if any(name == _CAPABILITY for name, _ in like.xattrs):
            notes.append("the file's capabilities were dropped, since the content changed")
    return tuple(notes)
