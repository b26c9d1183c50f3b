"""Every system call on the user's files and on our temporary files, one method each; and what their errors mean.

This is the seam where tests inject faults: whoever touches a file goes through a `Storage`, so failing or
dying at the n-th call covers every instant of a transaction.
Nothing here decides or retries: a refused call is an `OSError` that did nothing, and an fsync error is final.
Interrupted calls (EINTR) are repeated, by Python or here.
All names are single components or link-free paths relative to a directory handle.

What Python does not offer goes through ctypes, at the end: the kernel's own "open, but never leave this directory",
renames that overwrite nothing, one sync for a whole file system. The C library is looked up on the first call only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final, Literal, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass

try:
    import fcntl
except ImportError:  # Windows: the package must still import; require_platform() refuses before any use.
    fcntl = None  # type: ignore[assignment]


CLOEXEC: Final[int] = getattr(os, "O_CLOEXEC", 0)
DIRECTORY: Final[int] = getattr(os, "O_DIRECTORY", 0)
NOFOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: Final[int] = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
# Only a handle to walk through: needs search permission, not read permission. macOS has no such thing.
PATH_ONLY: Final[int] = getattr(os, "O_PATH", os.O_RDONLY)

_LOCK_PAUSE: Final = 0.01  # seconds between two tries
PIECE: Final = 4 << 20  # bytes that are compared at a time

_NO_XATTR: Final = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_WOULD_BLOCK: Final = frozenset({errno.EAGAIN, errno.EWOULDBLOCK})
NO_SUCH_RENAME: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def require_platform() -> None:
    """Refuse where files cannot be edited safely: no `fcntl`, no directory handles."""
    if fcntl is None or os.open not in os.supports_dir_fd:
        raise EditError(
            Kind.NOT_INSTALLED,
            "a workspace needs the directory handles and file locks of Linux or macOS, and this system has none",
            hint="on Windows, run it in WSL with the files inside WSL; steadyhand.edit and steadyhand.patch work here: "
            "they take texts and touch no file",
        )


@dataclass(frozen=True, slots=True)
class DirEntry:
    """A name in a directory and what is there; links are not followed."""

    name: str
    kind: Literal["file", "directory", "link", "other"]


def _full_fsync(fd: int) -> None:
    """An fsync that also empties the cache of the medium, where the system (macOS) leaves that to the caller."""
    try:
        fcntl.fcntl(fd, getattr(fcntl, "F_FULLFSYNC"))  # noqa: B009 - only where there is one
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
            raise
        os.fsync(fd)  # not a second try: this file system does not know F_FULLFSYNC


_sync: Final = _full_fsync if hasattr(fcntl, "F_FULLFSYNC") else os.fsync


class Storage:
    """The operating system as this package uses it. Stateless, so one object serves every thread."""

    MUTATING: ClassVar[frozenset[str]] = frozenset(
        "create write write_at ftruncate fsync fsync_dir sync_all rename rename_noreplace exchange link unlink mkdir"
        " rmdir fchmod fchown setxattr removexattr".split()
    )
    SYNC_ALL_FROM: ClassVar[int] = 128
    """From how many files on one sync of their whole file system is quicker than one of each."""
    READING: ClassVar[frozenset[str]] = frozenset(
        "open open_beneath close read read_at stat fstat listdir names readlink listxattr getxattr lock has_writer"
        " boot can_sync_all".split()
    )

    def open(self, name: str, flags: int, *, dir_fd: int | None = None) -> int:
        """A handle for what is there. Creating is `create`, and only that."""
        if flags & (os.O_CREAT | os.O_TRUNC):
            raise ValueError("Storage.open neither creates nor truncates")
        return os.open(name, flags | CLOEXEC, dir_fd=dir_fd)

    def open_beneath(self, path: str, flags: int, *, dir_fd: int, resolve: int) -> int:
        """A handle for `path`, resolved by the kernel (openat2) without leaving `dir_fd`."""
        how = _How(flags | os.O_CLOEXEC, 0, resolve)
        name = os.fsencode(path)
        syscall = _syscall()
        tries = 0
        while True:
            fd = syscall(
                ctypes.c_long(_SYS_OPENAT2),
                ctypes.c_long(dir_fd),
                ctypes.c_char_p(name),
                ctypes.byref(how),
                ctypes.c_size_t(ctypes.sizeof(how)),
            )
            if fd >= 0:
                return fd
            tries += ctypes.get_errno() == errno.EAGAIN
            if ctypes.get_errno() not in (errno.EINTR, errno.EAGAIN) or tries >= _TRIES:
                raise _failure(path)

    def create(self, name: str, mode: int, *, dir_fd: int) -> int:
        """A handle for a file that was not there: never follows a link, never opens an existing file."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | NOFOLLOW | CLOEXEC
        return os.open(name, flags, mode, dir_fd=dir_fd)

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, fd: int, limit: int) -> bytes:
        """Bytes from the handle's position to the end of the file, at most `limit`."""
        parts: list[bytes] = []
        while limit > 0 and (part := os.read(fd, limit)):
            parts.append(part)
            limit -= len(part)
        return b"".join(parts)

    def read_at(self, fd: int, limit: int, offset: int) -> bytes:
        """At most `limit` bytes from byte `offset`; the handle's position stays."""
        parts: list[bytes] = []
        while limit > 0 and (part := os.pread(fd, limit, offset)):
            parts.append(part)
            limit, offset = limit - len(part), offset + len(part)
        return b"".join(parts)

    def write(self, fd: int, data: bytes) -> None:
        """All of `data` at the handle's position."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]

    def write_at(self, fd: int, data: bytes | memoryview, offset: int) -> None:
        """All of `data` at byte `offset`."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(fd, rest, offset)
            rest, offset = rest[written:], offset + written

    def ftruncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        """The file's bytes and metadata on the medium. An error is final: the kernel may have dropped the pages."""
        _sync(fd)

    def fsync_dir(self, fd: int) -> None:
        """A directory's entries on the medium."""
        _sync(fd)

    def can_sync_all(self, fd: int) -> bool:
        """Whether `sync_all` is to be had on the file system behind a handle, and says what it could not write."""
        if not sys.platform.startswith("linux") or not _has_syncfs():
            return False
        found = ctypes.create_string_buffer(512)  # struct statfs, which begins with the type
        if _libc().fstatfs(ctypes.c_int(fd), found) != 0:
            return False
        return ctypes.cast(found, ctypes.POINTER(ctypes.c_long))[0] & 0xFFFFFFFF in _SYNCED_WHOLE

    def sync_all(self, fd: int) -> None:
        """Whatever was written to the file system behind a handle on the medium, names included.

        Fails if anything could not be written since the handle was opened, whoever wrote it. An error is final.
        """
        if _syncfs()(ctypes.c_int(fd)) != 0:
            raise _failure("syncfs")

    def rename(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        os.rename(before, after, src_dir_fd=before_dir_fd, dst_dir_fd=after_dir_fd)

    def rename_noreplace(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        """Rename, failing with EEXIST where `after` is there; without kernel support, a link and an unlink."""
        try:
            _renameat2(before, after, before_dir_fd, after_dir_fd, _NOREPLACE)
        except OSError as error:
            if error.errno not in NO_SUCH_RENAME:
                raise
            os.link(before, after, src_dir_fd=before_dir_fd, dst_dir_fd=after_dir_fd, follow_symlinks=False)
            try:
                os.unlink(before, dir_fd=before_dir_fd)
            except OSError:
                with suppress(OSError):  # a refused rename has done nothing, so the new name must not stay
                    os.unlink(after, dir_fd=after_dir_fd)
                raise

    def exchange(self, one: str, other: str, *, one_dir_fd: int, other_dir_fd: int) -> None:
        """Two names swap what they mean. `NO_SUCH_RENAME` are the errors of a system that cannot."""
        _renameat2(one, other, one_dir_fd, other_dir_fd, _EXCHANGE)

    def link(self, before: str, after: str, *, before_dir_fd: int, after_dir_fd: int) -> None:
        os.link(before, after, src_dir_fd=before_dir_fd, dst_dir_fd=after_dir_fd, follow_symlinks=False)

    def unlink(self, name: str, *, dir_fd: int) -> None:
        os.unlink(name, dir_fd=dir_fd)

    def mkdir(self, name: str, mode: int = 0o777, *, dir_fd: int) -> None:
        os.mkdir(name, mode, dir_fd=dir_fd)

    def rmdir(self, name: str, *, dir_fd: int) -> None:
        os.rmdir(name, dir_fd=dir_fd)

    def stat(self, name: str, *, dir_fd: int) -> os.stat_result:
        """What has the name `name` itself; a link is not followed."""
        return os.stat(name, dir_fd=dir_fd, follow_symlinks=False)

    def fstat(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def lock(self, fd: int) -> bool:
        """Lock the file behind a handle for as long as the handle is open; False where somebody else has the lock."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _WOULD_BLOCK:
                raise
            return False
        return True

    def has_writer(self, fd: int) -> bool | None:
        """Whether anybody has the file behind a reading handle open for writing; None where the system cannot tell.

        Linux grants a read lease only on a file that nobody has open for writing. The lease is given back at once;
        somebody who opens the file in between waits for that and makes the kernel send a signal, which by default
        would end the process: SIGURG is one that is ignored by default.
        """
        if not hasattr(fcntl, "F_SETLEASE"):
            return None
        try:
            fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError as error:
            return True if error.errno in _WOULD_BLOCK else None  # another's file, or a file system without leases
        return False

    def readlink(self, name: str, *, dir_fd: int) -> str:
        return os.readlink(name, dir_fd=dir_fd)

    def listdir(self, dir_fd: int, *, limit: int) -> list[DirEntry]:
        """At most `limit` names of a directory, in no order; ask for one more than you show to know of a cut."""
        # A handle of its own: entries are read at the handle's position, which threads would share.
        with closing(os.open(".", os.O_RDONLY | DIRECTORY | CLOEXEC, dir_fd=dir_fd)) as own:
            with os.scandir(own) as entries:
                return [DirEntry(entry.name, _kind_of(entry)) for entry in islice(entries, limit)]

    def names(self, dir_fd: int, prefix: str) -> list[str]:
        """The names in a directory that begin so; quick even in a large one."""
        with closing(os.open(".", os.O_RDONLY | DIRECTORY | CLOEXEC, dir_fd=dir_fd)) as own:
            found = os.listdir(own)
            return [name for name in found if name.startswith(prefix)] if prefix else found

    def boot(self) -> str:
        """An id of the current start of the machine, which no other start has; empty where the system has none."""
        return _boot_id()

    def fchmod(self, fd: int, mode: int) -> None:
        os.fchmod(fd, mode)

    def fchown(self, fd: int, uid: int, gid: int) -> None:
        os.fchown(fd, uid, gid)

    def listxattr(self, fd: int) -> list[str]:
        """Names of extended attributes; none where the system or the file system has none."""
        if not hasattr(os, "listxattr"):
            return []
        try:
            return os.listxattr(fd)
        except OSError as error:
            if error.errno in _NO_XATTR:
                return []
            raise

    def getxattr(self, fd: int, name: str) -> bytes:
        return os.getxattr(fd, name)

    def setxattr(self, fd: int, name: str, value: bytes) -> None:
        os.setxattr(fd, name, value)

    def removexattr(self, fd: int, name: str) -> None:
        os.removexattr(fd, name)


def holds(storage: Storage, fd: int, data: bytes) -> bool:
    """Whether a file has these bytes and no others; a large one is not held a second time for it."""
    wanted, at = memoryview(data), 0
    while True:
        piece = wanted[at : at + PIECE]
        is_last = at + len(piece) == len(data)
        if storage.read_at(fd, len(piece) + is_last, at) != piece:
            return False
        if is_last:
            return True
        at += len(piece)


def shut(storage: Storage, fd: int) -> None:
    """Close a handle that nothing was written through: whatever the system says about that, nothing is lost."""
    try:  # every call goes through here several times: `suppress` would cost more than the rest
        storage.close(fd)
    except OSError:
        pass


class closing:  # noqa: N801 - as the one of contextlib reads
    """Around a block, a handle that nothing is lost with when it cannot be closed: it is closed when the block ends."""

    __slots__ = ("_fd", "_storage")

    def __init__(self, fd: int, storage: Storage | None = None) -> None:
        self._fd = fd
        self._storage = storage

    def __enter__(self) -> int:
        return self._fd

    def __exit__(self, *_: object) -> None:
        try:
            (self._storage or os).close(self._fd)
        except OSError:
            pass


def create_private(path: Path | str) -> int:
    """A new file of ours, 0600, opened for writing; FileExistsError if anything has the name."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | CLOEXEC, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def sync_directory(path: Path | str) -> None:
    """Make the names in a directory of ours durable."""
    with closing(os.open(path, os.O_RDONLY | DIRECTORY | CLOEXEC)) as handle:
        os.fsync(handle)


@contextmanager
def alone_with(path: Path | str, timeout: float, busy: Callable[[], EditError]) -> Iterator[None]:
    """Hold the lock of a file of ours, made if missing, within the block; `busy` refuses after `timeout` seconds."""
    with closing(os.open(path, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600)) as handle:
        os.fchmod(handle, 0o600)
        deadline = time.monotonic() + timeout
        while not Storage().lock(handle):
            if time.monotonic() >= deadline:
                raise busy()
            time.sleep(_LOCK_PAUSE)
        yield


@cache
def _boot_id() -> str:
    try:
        if sys.platform == "darwin":
            return _sysctl("kern.bootsessionuuid")
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""


def _kind_of(entry: os.DirEntry[str]) -> Literal["file", "directory", "link", "other"]:
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "directory"
        return "file" if entry.is_file(follow_symlinks=False) else "other"
    except OSError:  # gone since it was listed
        return "other"


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


def has_openat2(dir_fd: int) -> bool:
    """Whether this kernel (and whatever filters its system calls) offers openat2 on that directory."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        fd = Storage().open_beneath(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=dir_fd, resolve=BENEATH | NO_MAGICLINKS)
    except OSError:
        return False
    os.close(fd)
    return True


def _renameat2(before: str, after: str, before_dir_fd: int, after_dir_fd: int, flags: dict[str, int]) -> None:
    """Rename without overwriting, or exchange two names; ENOSYS or EINVAL where the system cannot promise that."""
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


def _sysctl(name: str) -> str:
    """A setting of a BSD or macOS kernel, as text; ENOSYS elsewhere."""
    call = getattr(_libc(), "sysctlbyname", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    value = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    if call(ctypes.c_char_p(name.encode()), value, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        raise _failure(name)
    return value.value.decode("ascii", "replace")


# What the operating system said, as a refusal a model can act on.
#
# One mapping for the whole room, so that the same cause has the same kind on every verb.
# Never a path outside the workspace in the text: the path shown is the one the caller passes, and the error's own
# file names and messages are not quoted.

_SHOWN_LENGTH: Final = 160


class _Cause(NamedTuple):
    kind: Kind
    what: str
    hint: str


_RETRY: Final = "nothing was changed; make room or fix the cause, then send the same call again"
_OTHER_FILE: Final = "work on another file, or ask the host to make this one writable"

_CAUSES: Final[dict[int, _Cause]] = {
    errno.ENOSPC: _Cause(Kind.DISK_REFUSED, "the disk is full", _RETRY),
    errno.EDQUOT: _Cause(Kind.DISK_REFUSED, "the disk quota is used up", _RETRY),
    errno.EFBIG: _Cause(Kind.DISK_REFUSED, "the file would be larger than the system allows", _RETRY),
    errno.EIO: _Cause(Kind.DISK_REFUSED, "the disk reported an input/output error", "check the disk first"),
    errno.ENOMEM: _Cause(Kind.DISK_REFUSED, "the system is out of memory", _RETRY),
    errno.EMFILE: _Cause(Kind.DISK_REFUSED, "too many files are open in this process", _RETRY),
    errno.ENFILE: _Cause(Kind.DISK_REFUSED, "too many files are open on this machine", _RETRY),
    errno.EMLINK: _Cause(Kind.DISK_REFUSED, "the directory cannot hold more entries", _RETRY),
    errno.ENOLCK: _Cause(Kind.DISK_REFUSED, "the file system offers no locks", _RETRY),
    errno.ESTALE: _Cause(Kind.DISK_REFUSED, "the network file system lost the handle", _RETRY),
    errno.EBUSY: _Cause(Kind.DISK_REFUSED, "the system is using the file, perhaps as a mount point", _OTHER_FILE),
    errno.ETXTBSY: _Cause(Kind.DISK_REFUSED, "the file is a program that is running", "stop the program, then retry"),
    errno.EXDEV: _Cause(Kind.OUTSIDE_ROOT, "the path is outside the workspace", "use a path below the workspace"),
    errno.ELOOP: _Cause(Kind.OUTSIDE_ROOT, "a symbolic link is not allowed here", "name the file itself"),
    errno.EROFS: _Cause(Kind.READ_ONLY, "the file system is mounted read-only", _OTHER_FILE),
    errno.EACCES: _Cause(Kind.READ_ONLY, "the system denies access", _OTHER_FILE),
    errno.EPERM: _Cause(Kind.READ_ONLY, "the system does not permit it; the file may be immutable", _OTHER_FILE),
    errno.ENOENT: _Cause(Kind.NO_SUCH_FILE, "there is no such file", "list the directory and use a name that exists"),
    errno.ENOTDIR: _Cause(
        Kind.NO_SUCH_FILE, "part of the path is a file, not a directory", "list the directory and correct the path"
    ),
    errno.EISDIR: _Cause(Kind.NOT_TEXT, "it is a directory", "name a file inside it"),
    errno.ENXIO: _Cause(Kind.NOT_TEXT, "it is a device or a socket", "name a regular file"),
    errno.ENODEV: _Cause(Kind.NOT_TEXT, "it is a device", "name a regular file"),
    errno.EEXIST: _Cause(Kind.EXISTS_ALREADY, "the file already exists", "edit it, or choose another name"),
    errno.ENOTEMPTY: _Cause(Kind.EXISTS_ALREADY, "the directory is not empty", "leave the directory in place"),
    errno.ENAMETOOLONG: _Cause(
        Kind.BAD_REQUEST, "the name is longer than the file system allows", "use a shorter name"
    ),
    errno.EILSEQ: _Cause(Kind.BAD_REQUEST, "the file system does not allow this name", "use another name"),
    errno.EINVAL: _Cause(Kind.DISK_REFUSED, "the file system does not support this request", _RETRY),
}
_UNKNOWN: Final = _Cause(Kind.DISK_REFUSED, "the operating system refused", _RETRY)


def refuse_os(error: OSError, doing: str, path: str) -> EditError:
    """The refusal for an operating-system error, with the cause named; `doing` is a verb such as "write".

    >>> str(refuse_os(OSError(errno.ENOSPC, "x"), "write", "docs/a.md"))
    'disk-refused: could not write "docs/a.md": the disk is full (ENOSPC)'
    """
    number = error.errno or 0
    cause = _CAUSES.get(number, _UNKNOWN)
    name = errno.errorcode.get(number, str(number))
    return EditError(
        cause.kind,
        f"could not {doing} {shown(path)}: {cause.what} ({name})",
        hint=cause.hint,
        details={"path": path, "errno": name},
    )


def shown(path: str) -> str:
    """A path as messages show it: quoted, control and invisible characters escaped, cut when very long.

    >>> shown("a\\x1b[2Jb")
    '"a\\\\x1b[2Jb"'
    """
    text = "".join(_visible(char) for char in path[:_SHOWN_LENGTH])
    return f'"{text}"' if len(path) <= _SHOWN_LENGTH else f'"{text}…"'


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
