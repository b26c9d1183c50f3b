"""The one choke point from a path to a handle: grammar, resolution beneath the root, protection, limits.

Every verb, undo and recovery included, gets its handles here.
Never a check of a string followed by an open of that string, and no fallback weaker than the check it replaces:
what cannot be resolved is refused.

Invariants
1. The root's handle is opened once and never exchanged; the root is not an argument of any call.
2. A `Place` was judged on the resolved path and on every spelling that led there.
3. No byte of a file is read before its type and size are known.
4. A `Place` is made here only; nobody else turns a path into a handle.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
import unicodedata
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from steadyhand.errors import EditError, Kind
from steadyhand.hints import AllowPath, Hint, Note, Say
from steadyhand.lazy import dataclass, field, replace
from steadyhand.text.source import digest_of
from steadyhand.text.visible import sized
from steadyhand.workspace.budget import BUDGET
from steadyhand.workspace.files import listing
from steadyhand.workspace.files.listing import IgnoreRules, Listing
from steadyhand.workspace.files.protection import (
    OWN_STATE,
    TEMP_PREFIX,
    Protect,
    Protection,
    classify,
    fold,
    is_repository,
    is_repository_allowed,
    may_hold_secrets,
    repository_mark,
    repository_parts,
)
from steadyhand.workspace.files.resolve import Resolved, Resolver, check_portable, parse_path
from steadyhand.workspace.files.storage import (
    DIRECTORY,
    NOFOLLOW,
    NONBLOCK,
    PIECE,
    Storage,
    closing,
    has_openat2,
    holds,
    refuse_os,
    require_platform,
    shown,
    shut,
)


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
    `found` is what had the name when the path was resolved, links not followed.
    """

    dir_fd: int
    name: str
    path: str
    given: str
    missing: tuple[str, ...] = ()
    flagged: str | None = None
    secret: bool = False
    via_symlink: bool = False
    found: os.stat_result | None = field(default=None, repr=False)
    storage: Storage = field(default_factory=Storage, repr=False)

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
    times: tuple[int, int] = (0, 0)  # when content and inode changed, in nanoseconds

    def looks_like(self, found: os.stat_result) -> bool:
        """Whether nothing that `stat` shows has changed since; not proof that the bytes are the same."""
        return self.is_of(found) and (self.nlink, self.size, *self.times) == (
            found.st_nlink,
            found.st_size,
            found.st_mtime_ns,
            found.st_ctime_ns,
        )

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
            times=(found.st_mtime_ns, found.st_ctime_ns),
        )


DEFAULT_MAX_BYTES: Final = 64 * 1024 * 1024
_MOST_LINKS_LOOKED_AT: Final = 10_000
_MOST_SECRET_FOLDERS: Final = 100
_TIMES_DIFFER: Final = 1_000_000_000  # nanoseconds; two changes of a directory that are closer may have one time

_TYPES: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFLNK: "a symbolic link",
}


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What a directory had of secret files, by what they are, and of directories with such files in them."""

    stamp: tuple[int, int, int]
    files: dict[tuple[int, int], Protection]
    below: list[tuple[str, ...]]


class Sandbox:
    """A root directory, held open, and the rules for what may be touched beneath it. Thread-safe.

    Refuses `no-such-file` where the root is not a directory, `not-installed` where the system lacks handles.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        storage: Storage,
        allow: Iterable[str] = (),
        protect: Protect = "standard",
        one_filesystem: bool = False,
        max_bytes: int = DEFAULT_MAX_BYTES,
        extensions: Collection[str] | None = None,
        resolver: Literal["auto", "openat2", "walk"] = "auto",
        state_dirs: Iterable[str] = (OWN_STATE,),
    ) -> None:
        require_platform()
        self.root = os.path.abspath(root)
        self.max_bytes = max_bytes
        self.storage = storage
        self._roots = tuple(dict.fromkeys((self.root, os.path.realpath(self.root))))
        self._allow = tuple(allow)
        self._protect: Protect = protect
        self._one_filesystem = one_filesystem
        self._extensions = None if extensions is None else frozenset(_extension(each) for each in extensions)
        self._secrets: dict[tuple[str, ...], _Secrets] = {}
        self._state_dirs = tuple(dict.fromkeys((OWN_STATE, *state_dirs)))
        self._verdict = partial(classify, allow=self._allow, protect=protect, state_dirs=self._state_dirs)
        self._root_fd = self._open_root()
        try:
            found = storage.fstat(self._root_fd)
            self._root_device, self._root_inode = found.st_dev, found.st_ino
            kernel = self._choose(resolver)
        except BaseException:
            self.close()
            raise
        self.resolver: Literal["openat2", "walk"] = "openat2" if kernel else "walk"
        self._resolver = Resolver(storage, self._root_fd, kernel=kernel, one_filesystem=one_filesystem)

    def is_replaced(self) -> bool:
        """Whether another directory has the name of the root by now; a link put in its place is not followed."""
        if self.is_closed:
            return False
        try:
            found = os.stat(self.root)
            if (found.st_dev, found.st_ino) == (self._root_device, self._root_inode):
                return False  # no other directory can have that number while this one is open
            return os.path.realpath(self.root) == self._roots[-1]
        except OSError:
            return False

    def place(self, path: str, *, writing: bool, known_name: bool = False) -> Place:
        """A held directory handle and the name in it; links that stay inside are followed, the last one too.

        Refuses `outside-root`, `protected-path`, `not-allowed`, `bad-request`. Reading refuses secrets and our own
        state only. `known_name=True` is for undo and recovery: a name that was here before need not be portable.

        >>> import tempfile
        >>> from steadyhand.workspace.files.storage import Storage, shut
        >>> with Sandbox(tempfile.mkdtemp(), storage=Storage()) as box, box.place("a/../b.md", writing=True) as place:
        ...     place.path
        'b.md'
        """
        parts = self._parse(path)
        found = self._resolver.resolve(parts, given=path)
        try:
            return self._judged(path, parts, found, writing=writing, known_name=known_name)
        except BaseException:
            shut(self.storage, found.dir_fd)
            raise

    def check_repositories(self, before: Iterable[str | None], after: Iterable[str | None]) -> None:
        """Refuse, with `protected-path`, changes to a directory that is a git repository without the name `.git`.

        Whoever runs git in such a directory runs the programs that its `config` names. `before` and `after` are the
        paths of a transaction's files: what is there after it, and what is on the disk, must not make one together.
        """
        if self._protect == "none":
            return
        changed = dict.fromkeys([*after, *before])
        changes = [(path, part) for path in changed if path is not None for part in repository_parts(path)]
        if not changes:
            return
        marks: dict[str, set[str]] = {}
        for directory in dict.fromkeys(part.directory for _, part in changes):
            marks.setdefault(fold(directory), set()).update(self._repository_marks(directory))
        for part in (part for path in after if path is not None for part in repository_parts(path)):
            if part.is_mark:
                marks.setdefault(fold(part.directory), set()).add(part.name)
        for path, part in changes:
            if is_repository(marks[fold(part.directory)]) and not is_repository_allowed(part, path, self._allow):
                why = f"git runs what the settings in {shown(part.directory or '.')} say"
                raise self._protected(path, Protection("refused", why))

    def _repository_marks(self, directory: str) -> set[str]:
        """What is in a directory by which git would recognise a repository; nothing where there is no directory."""
        try:
            fd = self.directory(directory)
        except EditError as error:
            if error.kind is Kind.NO_SUCH_FILE:
                return set()
            raise
        try:
            entries = self.storage.listdir(fd, limit=sys.maxsize)
        except OSError as error:
            raise refuse_os(error, "list", directory) from None
        finally:
            shut(self.storage, fd)
        found = (repository_mark(entry.name, is_directory=entry.kind == "directory") for entry in entries)
        return {mark for mark in found if mark is not None}

    def directory(self, path: str) -> int:
        """A handle for a directory, the caller's to close; the root is an empty path."""
        fd, _ = self._resolver.directory(tuple(path.split("/")) if path else (), given=path or ".")
        return fd

    def read(self, place: Place, known: FileImage | None = None, *, found: os.stat_result | None = None) -> FileImage:
        """The file's bytes and metadata. Refuses `no-such-file`, `not-text`, `too-large`, `outside-root`.

        Where it still has the bytes of `known`, and many of them, they are not held twice. `found` is what was at the
        place a moment ago: what is no regular file is not even opened.
        """
        if place.missing:
            raise self._missing(place)
        try:
            self._check_regular(place, found or self.storage.stat(place.name, dir_fd=place.dir_fd))
            flags = os.O_RDONLY | NOFOLLOW | NONBLOCK
            with closing(self.storage.open(place.name, flags, dir_fd=place.dir_fd), self.storage) as fd:
                return self._read_open(place, fd, known)
        except FileNotFoundError:
            raise self._missing(place) from None
        except OSError as error:
            raise refuse_os(error, "read", place.path) from None

    def stat(self, place: Place) -> os.stat_result | None:
        """What is at the place now, not following a link; None where nothing is."""
        if place.missing:
            return None
        try:
            return self.storage.stat(place.name, dir_fd=place.dir_fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refuse_os(error, "look at", place.path) from None

    def list_beneath(self, path: str, limits: listing.Limits) -> Listing:
        """Files beneath a directory, sorted; bounded, and `cut` says where it stopped short. Follows no links."""
        fd, names = self._resolver.directory(self._parse_directory(path), given=path)
        rules = IgnoreRules()
        try:
            for depth in range(len(names) if limits.skip_ignored else 0):
                rules = rules.within(depth, self._ignore_file(names[:depth]))
        except BaseException:
            shut(self.storage, fd)
            raise
        return listing.walk(self.storage, fd, names, limits, state_dirs=self._state_dirs, rules=rules)

    def _ignore_file(self, names: tuple[str, ...]) -> bytes | None:
        above, _ = self._resolver.directory(names, given="/".join(names) or ".")
        try:
            return listing.ignore_file(self.storage, above)
        finally:
            shut(self.storage, above)

    def mount_points(self) -> tuple[str, ...]:
        """Directories beneath the root where another file system is mounted, relative to the root."""
        return listing.mount_points(self._roots[-1])

    @property
    def is_closed(self) -> bool:
        return self._root_fd < 0

    def close(self) -> None:
        """Let go of the root. Not while another thread is still at work with it."""
        fd, self._root_fd = self._root_fd, -1
        if fd >= 0:
            shut(self.storage, fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_root(self) -> int:
        try:
            return self.storage.open(self.root, os.O_RDONLY | DIRECTORY)
        except OSError as error:
            cause = "is not a directory" if error.errno in (errno.ENOTDIR, errno.ENOENT) else "cannot be opened"
            raise EditError(
                Kind.NO_SUCH_FILE, f"the workspace root {cause}", hint="give the path of an existing directory as root"
            ) from None

    def _choose(self, resolver: Literal["auto", "openat2", "walk"]) -> bool:
        if resolver == "walk":
            return False
        there = has_openat2(self._root_fd)
        if resolver == "openat2" and not there:
            raise EditError(Kind.NOT_INSTALLED, "this kernel has no openat2", hint='use resolver="auto"')
        return there

    def _parse(self, path: str, *, is_directory: bool = False) -> tuple[str, ...]:
        # The number of a closed handle may belong to another directory by now.
        if self._root_fd < 0:
            raise EditError(Kind.BAD_REQUEST, "the workspace is closed", hint="open it again")
        parts = parse_path(path, self._roots, portable=False)
        if not is_directory and (not parts or path.endswith(("/", "/.", "/..")) or path in (".", "..")):
            raise EditError(
                Kind.BAD_REQUEST,
                f"the path {shown(path)} names a directory",
                hint="name a file inside it",
                details={"path": path},
            )
        return parts

    def _parse_directory(self, path: str) -> tuple[str, ...]:
        parts = self._parse(path, is_directory=True)
        verdict = self._verdict("/".join(parts))
        if verdict.sealed:
            raise self._protected(path, verdict)
        return parts

    def _judged(self, path: str, parts: tuple[str, ...], found: Resolved, *, writing: bool, known_name: bool) -> Place:
        resolved = "/".join(found.names)
        verdicts = list(map(self._verdict, dict.fromkeys((resolved, *found.spellings))))
        if found.found is not None and found.found.st_nlink > 1 and stat.S_ISREG(found.found.st_mode):
            verdicts += self._secrets_linked(found.names, found.found)
            if writing:
                verdicts += self._verdicts_of_links(found.names, found.found)
        secret, flagged = False, None
        for verdict in verdicts:
            if verdict.status == "refused" and (writing or verdict.secret or verdict.sealed):
                raise self._protected(path, verdict, size=found.found.st_size if found.found else None)
            secret = secret or verdict.secret
            if verdict.status == "flagged" and flagged is None:
                flagged = verdict.why
        if self._extensions is not None and (found.found is None or not stat.S_ISDIR(found.found.st_mode)):
            self._check_extension(path, found.names[-1], self._extensions)
        if found.found is None and not known_name:
            check_portable(parts, given=path)
        return Place(
            dir_fd=found.dir_fd,
            name=found.names[-1],
            path=resolved,
            given=path,
            missing=found.missing,
            flagged=flagged,
            secret=secret,
            via_symlink=found.links > 0,
            found=found.found,
            storage=self.storage,
        )

    def _verdicts_of_links(self, names: tuple[str, ...], found: os.stat_result) -> list[Protection]:
        """What protects the other names of a file with several hard links: those beside it, and above it.

        Nothing finds all names of a file but a walk of the disk. Protected ones are in the root, or near the file.
        """
        inode, budget = (found.st_dev, found.st_ino), _MOST_LINKS_LOOKED_AT
        pending = [names[:depth] for depth in range(len(names))]
        verdicts: list[Protection] = []
        while pending and budget > 0:
            folder = pending.pop(0)
            fd, _ = self._resolver.directory(folder, given="/".join(folder) or ".")
            try:
                for entry in self.storage.listdir(fd, limit=budget):
                    budget -= 1
                    if entry.name.startswith(TEMP_PREFIX):  # a backup that a crash left; recovery must reach the file
                        continue
                    verdict = self._verdict("/".join((*folder, entry.name)))
                    if verdict.status != "refused":
                        continue
                    if entry.kind == "directory" and (*folder, entry.name) != names[: len(folder) + 1]:
                        pending.append((*folder, entry.name))
                    elif entry.kind == "file":
                        other = self.storage.stat(entry.name, dir_fd=fd)
                        if (other.st_dev, other.st_ino) == inode:
                            why = f"it is another name of {shown('/'.join((*folder, entry.name)))}, {verdict.why}"
                            verdicts.append(Protection("refused", why))
            except FileNotFoundError:
                continue  # somebody removed it meanwhile
            except OSError as error:
                raise refuse_os(error, "look at", "/".join(folder)) from None
            finally:
                shut(self.storage, fd)
        return verdicts

    def _secrets_linked(self, names: tuple[str, ...], found: os.stat_result) -> list[Protection]:
        """What makes a file with several hard links a secret: one of its names that is beside it or above it.

        A whole tree may consist of such files, so what a directory has is remembered until the directory changes.
        """
        inode, pending = (found.st_dev, found.st_ino), [names[:depth] for depth in range(len(names))]
        verdicts = []
        for folder in pending:
            with contextlib.suppress(EditError, OSError):  # not there any more, or nothing we may look into
                secrets = self._secrets_in(folder)
                verdicts += [secrets.files[inode]] if inode in secrets.files else []
                pending += secrets.below[: max(0, _MOST_SECRET_FOLDERS - len(pending))]
        return verdicts

    def _secrets_in(self, folder: tuple[str, ...]) -> _Secrets:
        """Files of a directory whose names say that they are secret, and directories of that kind."""
        with closing(self.directory("/".join(folder)), self.storage) as fd:
            state = self.storage.fstat(fd)
            stamp = state.st_dev, state.st_ino, state.st_mtime_ns
            known = self._secrets.get(folder)
            if known is not None and known.stamp == stamp:
                return known
            found = _Secrets(stamp, {}, [])
            for entry in self.storage.listdir(fd, limit=_MOST_LINKS_LOOKED_AT):
                path = "/".join((*folder, entry.name))
                verdict = self._verdict(path)
                if entry.kind == "directory" and (verdict.secret or may_hold_secrets(path)):
                    found.below.append((*folder, entry.name))
                elif verdict.secret and entry.kind == "file":
                    other = self.storage.stat(entry.name, dir_fd=fd)
                    why = f"it is another name of {shown(path)}, {verdict.why}"
                    found.files[other.st_dev, other.st_ino] = replace(verdict, why=why)
        if time.time_ns() - state.st_mtime_ns > _TIMES_DIFFER:  # else it may change again and show the same time
            self._secrets[folder] = found
        return found

    def _protected(self, path: str, verdict: Protection, *, size: int | None = None) -> EditError:
        details: dict[str, object] = {"path": path, "why": verdict.why}
        if verdict.secret and size is not None:
            details["size"] = size
        hint = Say("leave this file alone") if verdict.sealed else AllowPath(path)
        return EditError(Kind.PROTECTED_PATH, f"{shown(path)} is protected: {verdict.why}", hint=hint, details=details)

    def _check_extension(self, path: str, name: str, extensions: Collection[str]) -> None:
        if any(_has_ending(name.casefold(), each) for each in extensions):
            return
        allowed = sorted(extensions)
        raise EditError(
            Kind.NOT_ALLOWED,
            f"{shown(path)} does not have an allowed extension",
            hint=f"use a file with one of: {' '.join(allowed) or 'none'}",
            details={"path": path, "extensions": allowed},
        )

    def _check_regular(self, place: Place, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            what = _TYPES.get(stat.S_IFMT(found.st_mode), "no regular file")
            raise EditError(
                Kind.NOT_TEXT,
                f"{shown(place.path)} is {what}",
                hint="name a regular file",
                details={"path": place.path},
            )
        if self._one_filesystem and found.st_dev != self._root_device:
            raise OSError(errno.EXDEV, "")
        if found.st_size > self.max_bytes:
            raise self._too_large(place, found.st_size)

    def _too_large(self, place: Place, size: int) -> EditError:
        return EditError(
            Kind.TOO_LARGE,
            f"{shown(place.path)} has {size} bytes, more than the limit of {self.max_bytes}",
            hint="edit a smaller file, or ask the host to raise the limit",
            details={"path": place.path, "size": size, "limit": self.max_bytes},
        )

    def _read_open(self, place: Place, fd: int, known: FileImage | None = None) -> FileImage:
        found = self.storage.fstat(fd)
        self._check_regular(place, found)
        BUDGET.claim(place.path, found.st_size)
        if known is not None and known.size == found.st_size > PIECE and holds(self.storage, fd, known.data):
            return FileImage.of(known.data, known.digest, found, self._xattrs(fd))
        data = self.storage.read(fd, max(found.st_size, 0) + 1)
        if len(data) > found.st_size:  # it grew since
            data += self.storage.read(fd, self.max_bytes + 1 - len(data))
        if len(data) > self.max_bytes:
            raise self._too_large(place, len(data))
        return FileImage.of(data, digest_of(data), found, self._xattrs(fd))

    def _xattrs(self, fd: int) -> tuple[tuple[str, bytes], ...]:
        found = []
        for name in sorted(self.storage.listxattr(fd)):
            try:
                found.append((name, self.storage.getxattr(fd, name)))
            except OSError as error:
                if error.errno not in (errno.ENODATA, errno.EPERM, errno.EACCES, errno.ENOTSUP):
                    raise
        return tuple(found)

    def _missing(self, place: Place) -> EditError:
        wanted = (*place.missing, place.name)[0]
        similar, there = listing.similar_files(self.storage, place.dir_fd, wanted, place.directory)
        hint: Hint = Say("list the directory and use a name that exists")
        if similar:
            hint = Say(f"did you mean {' or '.join(similar)}?")
        elif there:
            hint = Note(listing.there_is(there))
        return EditError(
            Kind.NO_SUCH_FILE,
            f"there is no file {shown(place.path)}",
            hint=hint,
            details={"path": place.path, "similar": list(similar)} | ({} if similar else {"available": list(there)}),
        )


def _extension(name: str) -> str:
    folded = name.casefold()
    return folded if folded.startswith(".") or not folded else f".{folded}"


def _has_ending(name: str, ending: str) -> bool:
    """Whether a name ends so; an ending of several parts, such as `.env.example`, may be all of it."""
    return name.endswith(ending) and (len(name) > len(ending) or ending.count(".") > 1)
