"""What Python does not offer, through ctypes: the kernel's own "open, but never leave this directory", renames that
overwrite nothing, one sync for a whole file system, and settings of macOS.

Nothing here decides what a failure means; every failure is an `OSError` for the caller to judge.
Never import this for its side effects: the C library is looked up on the first call only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Final

__all__ = [
    "BENEATH",
    "NO_MAGICLINKS",
    "NO_SYMLINKS",
    "NO_XDEV",
    "available",
    "exchange",
    "open_beneath",
    "rename_noreplace",
    "reports_write_errors",
    "syncfs",
    "sysctl",
]

NO_XDEV: Final = 0x01
NO_MAGICLINKS: Final = 0x02
NO_SYMLINKS: Final = 0x04
BENEATH: Final = 0x08

_SYS_OPENAT2: Final = 437
# What the two calls are named and how they take their flags: renameat2 on Linux, renameatx_np on macOS.
_NOREPLACE: Final = {"renameat2": 1, "renameatx_np": 4}
_EXCHANGE: Final = {"renameat2": 2, "renameatx_np": 2}
# A directory renamed anywhere on the machine makes the kernel give up with EAGAIN; under a hostile renamer
# that can repeat, so the number of tries is bounded and the last failure is the answer.
_TRIES: Final = 64
# File systems whose `syncfs` waits for the medium, its own cache included, and reports what could not be written: ext2
# to ext4, XFS, Btrfs. An overlay hides the errors of what is beneath it, and a FUSE server may never hear of the call.
_SYNCED_WHOLE: Final = frozenset({0xEF53, 0x58465342, 0x9123683E})
_SYNCFS_TELLS: Final = (5, 8)  # the first Linux whose `syncfs` reports write errors


class _How(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _syscall() -> Callable[..., int]:
    call = _libc().syscall
    call.restype = ctypes.c_long
    return call


def _failure(name: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), name)


def open_beneath(name: str, flags: int, *, dir_fd: int, resolve: int, mode: int = 0) -> int:
    """A handle for `name`, resolved by the kernel beneath `dir_fd` under the `resolve` rules.

    EINTR is retried without end, EAGAIN a bounded number of times.
    """
    how = _How(flags | os.O_CLOEXEC, mode, resolve)
    path = os.fsencode(name)
    syscall = _syscall()
    tries = 0
    while True:
        fd = syscall(
            ctypes.c_long(_SYS_OPENAT2),
            ctypes.c_long(dir_fd),
            ctypes.c_char_p(path),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if fd >= 0:
            return fd
        tries += ctypes.get_errno() == errno.EAGAIN
        if ctypes.get_errno() not in (errno.EINTR, errno.EAGAIN) or tries >= _TRIES:
            raise _failure(name)


def available(dir_fd: int) -> bool:
    """Whether this kernel (and whatever filters its system calls) offers openat2 on that directory."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        fd = open_beneath(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=dir_fd, resolve=BENEATH | NO_MAGICLINKS)
    except OSError:
        return False
    os.close(fd)
    return True


def rename_noreplace(before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
    """Rename, failing with EEXIST where `after` is there already; ENOSYS where the system cannot promise that."""
    _rename(before, after, before_dir_fd, after_dir_fd, _NOREPLACE)


def exchange(one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
    """Two names that exist swap what they mean, in one step; ENOSYS or EINVAL where that cannot be had."""
    _rename(one, other, one_dir_fd, other_dir_fd, _EXCHANGE)


def _rename(before: str, after: str, before_dir_fd: int, after_dir_fd: int, flags: dict[str, int]) -> None:
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    call = getattr(_libc(), name, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), after)
    arguments = (
        ctypes.c_int(before_dir_fd),
        ctypes.c_char_p(os.fsencode(before)),
        ctypes.c_int(after_dir_fd),
        ctypes.c_char_p(os.fsencode(after)),
        ctypes.c_uint(flags[name]),
    )
    while call(*arguments) != 0:
        if ctypes.get_errno() != errno.EINTR:
            raise _failure(after)


def syncfs(fd: int) -> None:
    """Everything that was written to the file system of `fd`, on the medium; fails if any of it failed since `fd` was
    opened.
    """
    if _syncfs()(ctypes.c_int(fd)) != 0:
        raise _failure("syncfs")


def reports_write_errors(fd: int) -> bool:
    """Whether `syncfs` on the file system of `fd` is there and is as good as an fsync of each file."""
    if not sys.platform.startswith("linux") or not _has_syncfs():
        return False
    found = ctypes.create_string_buffer(512)  # struct statfs, which begins with the type
    if _libc().fstatfs(ctypes.c_int(fd), found) != 0:
        return False
    return ctypes.cast(found, ctypes.POINTER(ctypes.c_long))[0] & 0xFFFFFFFF in _SYNCED_WHOLE


@cache
def _syncfs() -> Callable[..., int]:
    call: Callable[..., int] = _libc().syncfs
    return call


@cache
def _has_syncfs() -> bool:
    release = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    if release < _SYNCFS_TELLS or not hasattr(_libc(), "syncfs") or ctypes.sizeof(ctypes.c_long) != 8:
        return False
    # A filter of system calls answers before the kernel looks at the handle.
    return _syncfs()(ctypes.c_int(-1)) != 0 and ctypes.get_errno() == errno.EBADF


def sysctl(name: str) -> str:
    """A setting of a BSD or macOS kernel, as text; ENOSYS elsewhere."""
    call = getattr(_libc(), "sysctlbyname", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    value = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    if call(ctypes.c_char_p(name.encode()), value, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        raise _failure(name)
    return value.value.decode("ascii", "replace")
