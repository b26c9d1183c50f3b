"""Where a file stands, as a handle and not as a string, and what was found there.

A `Place` is made by the sandbox only; nobody else turns a path into a handle.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from types import TracebackType
from typing import Self

from steadyhand.lazy import dataclass, field
from steadyhand.text.visible import sized
from steadyhand.workspace.storage import Storage, shut

__all__ = ["FileImage", "Place", "lock_key_of"]


def lock_key_of(path: str) -> str:
    """One key for every spelling that some file system takes for the same file; two files may share one.

    >>> lock_key_of("Docs/A.md")
    'docs/a.md'
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@dataclass(slots=True, eq=False)
class Place:
    """A directory handle and the name in it. Close it, or use it as a context manager.

    `path` is the resolved, link-free path relative to the root; `given` is what the caller wrote.
    `missing` are parent directories that do not exist yet; `dir_fd` is then the deepest one that does.
    """

    dir_fd: int
    name: str
    path: str
    given: str
    missing: tuple[str, ...] = ()
    flagged: str | None = None
    secret: bool = False
    via_symlink: bool = False
    storage: Storage = field(default_factory=Storage, repr=False)

    @property
    def lock_key(self) -> str:
        return lock_key_of(self.path)

    @property
    def directory(self) -> str:
        """The path of the directory that `dir_fd` holds, relative to the root; empty for the root."""
        depth = len(self.missing) + 1
        return "/".join(self.path.split("/")[:-depth])

    def close(self) -> None:
        fd, self.dir_fd = self.dir_fd, -1
        if fd >= 0:
            shut(self.storage, fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@sized("xattrs")
@dataclass(frozen=True, slots=True)
class FileImage:
    """A regular file as it was read: its bytes and everything a replacement has to carry over."""

    data: bytes = field(repr=False)
    digest: str
    mode: int
    uid: int
    gid: int
    nlink: int
    size: int
    dev: int
    ino: int
    xattrs: tuple[tuple[str, bytes], ...] = ()

    def is_of(self, found: os.stat_result) -> bool:
        """Whether that is the very file this was read from, with the rights it had; not what is in it."""
        return stat.S_ISREG(found.st_mode) and (
            (self.dev, self.ino, self.mode, self.uid, self.gid)
            == (found.st_dev, found.st_ino, stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)
        )

    @classmethod
    def of(cls, data: bytes, digest: str, found: os.stat_result, xattrs: tuple[tuple[str, bytes], ...]) -> FileImage:
        """The image of the bytes read from a handle and of what fstat said about it."""
        return cls(
            data=data,
            digest=digest,
            mode=stat.S_IMODE(found.st_mode),
            uid=found.st_uid,
            gid=found.st_gid,
            nlink=found.st_nlink,
            size=len(data),
            dev=found.st_dev,
            ino=found.st_ino,
            xattrs=xattrs,
        )
