"""From a path to a directory handle, without ever leaving the root: first the grammar, then the walk.

The grammar is pure: nothing is expanded (`~`, `$VAR`, `%2e`, `file://` are literal), and a path that passes is not
thereby safe. It refuses with `outside-root` escapes and characters or device names that must never reach the system,
and with `bad-request` a spelling the caller can fix.

Links are read and expanded here, one component at a time; every directory is then opened beneath the held root by a
call that refuses links, so what was opened is what the link-free names say, also while somebody swaps directories.
The walk compares no path strings, and opens neither `..` nor the final component.

Invariants
1. A handle is only ever reached from the root's handle through opens that refuse links (`_open_link_free`).
2. `names` never holds `..`, `.` or a link that was seen; climbing drops a name and descends again from the root.
3. A component that came out of a link and is missing makes the link dangling: refused, never created.
4. Work is bounded: links by `_MAX_LINKS`, opens by `_MAX_STEPS`; at the bound the answer is a refusal.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.workspace.files.storage import (
    BENEATH,
    DIRECTORY,
    NO_MAGICLINKS,
    NO_SYMLINKS,
    NO_XDEV,
    NOFOLLOW,
    PATH_ONLY,
    Storage,
    closing,
    refuse_os,
    shown,
    shut,
)

_MAX_LINKS: Final = 40
_MAX_STEPS: Final = 20_000
_WALKED: Final = PATH_ONLY | DIRECTORY | NOFOLLOW
_BENEATH: Final = BENEATH | NO_MAGICLINKS | NO_SYMLINKS
_DANGLING: Final = "goes through a link whose target is missing"
_NOT_A_DIRECTORY: Final = frozenset({errno.ENOTDIR, errno.ELOOP})


@dataclass(frozen=True, slots=True)
class Resolved:
    """The directory that holds the final name, what is missing below it, and every spelling met on the way."""

    dir_fd: int
    names: tuple[str, ...]
    missing: tuple[str, ...]
    found: os.stat_result | None
    spellings: tuple[str, ...]
    links: int


@dataclass(slots=True)
class _Walk:
    """The state of one resolution: link-free `names` below the root, what is missing, what is still to come."""

    given: str
    pending: deque[tuple[str, bool]]
    fd: int
    names: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    spellings: list[str] = field(default_factory=list)
    links: int = 0
    steps: int = 0


class Resolver:
    """Resolves beneath one root handle. Stateless between calls, so threads may share it."""

    def __init__(self, storage: Storage, root_fd: int, *, kernel: bool, one_filesystem: bool) -> None:
        self._storage = storage
        self._root_fd = root_fd
        self._kernel = kernel
        self._root_device = storage.fstat(root_fd).st_dev if one_filesystem else None
        self._rules = _BENEATH | (NO_XDEV if one_filesystem else 0)

    def resolve(self, parts: Sequence[str], *, given: str) -> Resolved:
        """The place that `parts` lead to; the caller owns the returned handle."""
        try:
            return self._fast(parts) or self._walked(parts, given)
        except OSError as error:
            raise refuse_os(error, "resolve", given) from None

    def directory(self, parts: Sequence[str], *, given: str) -> tuple[int, tuple[str, ...]]:
        """A readable handle for a directory, and its link-free names."""
        try:
            walk = self._begin(parts, given)
            try:
                while walk.pending:
                    part, from_link = walk.pending.popleft()
                    self._take(walk, part, from_link=from_link)
                if walk.missing:
                    raise OSError(errno.ENOENT, "")
                return self._usable(walk.fd), tuple(walk.names)
            finally:
                shut(self._storage, walk.fd)
        except OSError as error:
            raise refuse_os(error, "open", given) from None

    def _fast(self, parts: Sequence[str]) -> Resolved | None:
        """One kernel call for the common case: no link, no `..`, every parent there."""
        if not self._kernel or ".." in parts:
            return None
        try:
            above = "/".join(parts[:-1]) or "."
            fd = self._storage.open_beneath(above, os.O_RDONLY | DIRECTORY, dir_fd=self._root_fd, resolve=self._rules)
        except OSError:
            return None  # not a fallback to a weaker check: the walk opens with the same rules, one name at a time
        try:
            found = self._storage.stat(parts[-1], dir_fd=fd)
        except FileNotFoundError:
            found = None
        except OSError:
            shut(self._storage, fd)
            raise
        if found is not None and stat.S_ISLNK(found.st_mode):
            shut(self._storage, fd)
            return None
        return Resolved(fd, tuple(parts), (), found, ("/".join(parts),), 0)

    def _walked(self, parts: Sequence[str], given: str) -> Resolved:
        walk = self._begin(parts, given)
        try:
            found = self._run(walk)
            usable = self._usable(walk.fd)
        finally:
            shut(self._storage, walk.fd)
        names = tuple(walk.names)
        return Resolved(usable, names, tuple(walk.missing), found, tuple(walk.spellings), walk.links)

    def _begin(self, parts: Sequence[str], given: str) -> _Walk:
        fd = self._open_link_free(self._root_fd, ".", _WALKED)
        walk = _Walk(given, deque((part, False) for part in parts), fd)
        self._note_spelling(walk)
        return walk

    def _run(self, walk: _Walk) -> os.stat_result | None:
        """Take every component; afterwards `walk.fd` is the deepest existing directory above the final name."""
        while walk.pending:
            part, from_link = walk.pending.popleft()
            if part == ".." or walk.pending:
                self._take(walk, part, from_link=from_link)
                continue
            found = None if walk.missing else self._stat(walk.fd, part)
            if found is None and from_link:
                raise self._outside(walk, _DANGLING)
            if found is None or not stat.S_ISLNK(found.st_mode):
                walk.names += [*walk.missing, part]
                return found
            self._expand(walk, part)
        raise EditError(
            Kind.BAD_REQUEST,
            f"the path {shown(walk.given)} names a directory",
            hint="name a file inside it",
            details={"path": walk.given},
        )

    def _take(self, walk: _Walk, part: str, *, from_link: bool) -> None:
        """One component that is not the final name: climb, descend, expand a link, or note that it is missing."""
        if part == "..":
            self._climb(walk)
        elif walk.missing:
            walk.missing.append(part)
        else:
            self._enter(walk, part, from_link=from_link)

    def _enter(self, walk: _Walk, part: str, *, from_link: bool) -> None:
        self._count(walk)
        try:
            fd = self._open_link_free(walk.fd, part, _WALKED)
        except OSError as error:
            if error.errno in _NOT_A_DIRECTORY:
                self._expand(walk, part)
            elif error.errno != errno.ENOENT:
                raise
            elif from_link:
                raise self._outside(walk, _DANGLING) from None
            else:
                walk.missing.append(part)
            return
        self._move(walk, fd)
        walk.names.append(part)

    def _expand(self, walk: _Walk, part: str) -> None:
        walk.links += 1
        if walk.links > _MAX_LINKS:
            raise self._outside(walk, f"goes through more than {_MAX_LINKS} links, or in a circle")
        try:
            target = self._storage.readlink(part, dir_fd=walk.fd)
        except OSError as error:
            if error.errno == errno.EINVAL:  # no link: an ordinary file is where a directory should
                raise OSError(errno.ENOTDIR, "") from None
            raise
        if target.startswith("/"):
            raise self._outside(walk, "goes through a link with an absolute target")
        pieces = [(piece, True) for piece in target.split("/") if piece not in ("", ".")]
        walk.pending.extendleft(reversed(pieces))
        self._note_spelling(walk)

    def _climb(self, walk: _Walk) -> None:
        if walk.missing:
            walk.missing.pop()
            return
        if not walk.names:
            raise self._outside(walk, "is outside the workspace")
        walk.names.pop()
        self._move(walk, self._descend(walk))

    def _descend(self, walk: _Walk) -> int:
        """A fresh handle for `walk.names`, from the root down."""
        if self._kernel:
            self._count(walk)
            return self._open_link_free(self._root_fd, "/".join(walk.names) or ".", _WALKED)
        fd = self._open_link_free(self._root_fd, ".", _WALKED)
        for name in walk.names:
            with closing(fd, self._storage) as above:
                self._count(walk)
                fd = self._open_link_free(above, name, _WALKED)
        return fd

    def _open_link_free(self, dir_fd: int, path: str, flags: int) -> int:
        """A directory handle; a link anywhere in `path` is an error. `path` is one name unless the kernel resolves."""
        if self._kernel:
            return self._storage.open_beneath(path, flags | DIRECTORY, dir_fd=dir_fd, resolve=self._rules)
        fd = self._storage.open(path, flags | DIRECTORY | NOFOLLOW, dir_fd=dir_fd)
        try:
            if self._root_device is not None and self._storage.fstat(fd).st_dev != self._root_device:
                raise OSError(errno.EXDEV, "")
        except OSError:
            shut(self._storage, fd)
            raise
        return fd

    def _usable(self, fd: int) -> int:
        """A handle of the same directory that can be read and synced, not only walked through."""
        return self._open_link_free(fd, ".", os.O_RDONLY)

    def _move(self, walk: _Walk, fd: int) -> None:
        above, walk.fd = walk.fd, fd
        shut(self._storage, above)

    def _stat(self, fd: int, name: str) -> os.stat_result | None:
        try:
            return self._storage.stat(name, dir_fd=fd)
        except FileNotFoundError:
            return None

    def _count(self, walk: _Walk) -> None:
        walk.steps += 1
        if walk.steps > _MAX_STEPS:
            raise self._outside(walk, "takes too many steps to follow")

    def _note_spelling(self, walk: _Walk) -> None:
        """Keep what the path looks like now: a protected name met on the way protects what it leads to."""
        names: list[str] = list(walk.names)
        for part, _ in walk.pending:
            if part != "..":
                names.append(part)
            elif names:
                names.pop()
        walk.spellings.append("/".join(names))

    @staticmethod
    def _outside(walk: _Walk, what: str) -> EditError:
        return EditError(
            Kind.OUTSIDE_ROOT,
            f"{shown(walk.given)} {what}",
            hint="name the file itself, by a path that stays inside",
            details={"path": walk.given},
        )


MAX_PATH_BYTES: Final = 4096
MAX_COMPONENT_BYTES: Final = 255

# C0, DEL, C1, line and paragraph separator, bidi controls, surrogates.
_CALLED: Final = {"\n": "the newline", "\r": "the carriage return", "\t": "the tab", "\0": "the NUL"}
_NEVER: Final = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_DRIVE: Final = lazy_pattern(r"[A-Za-z]:[\\/]|\\\\")
_DEVICE: Final = lazy_pattern(r"(?i)(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])\s*([.:].*)?")
_UNPORTABLE: Final = lazy_pattern(r'[:<>"|?*]')
# Drawn as nothing, so that two names look the same; HFS+ even compares without some of them. Joiners and variation
# selectors are not among them: Persian names and emoji need them.
_INVISIBLE: Final = lazy_pattern(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
# What Windows makes of a long name, and takes for the file that has it: PROGRA~1, GIT~1.TXT.
_SHORT_NAME: Final = lazy_pattern(r"[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?")


def parse_path(path: str, root: str | Sequence[str], *, portable: bool = True) -> tuple[str, ...]:
    """The components of `path` relative to `root`; `..` is kept for whoever resolves beneath the root.

    `root` is the absolute spelling of the root, or several of them; an absolute `path` must begin with one.

    >>> parse_path("docs/./a.md", "/ws"), parse_path("/ws/a/../b", "/ws")
    (('docs', 'a.md'), ('a', '..', 'b'))
    """
    if not isinstance(path, str):
        raise EditError(Kind.BAD_REQUEST, "the path is not a string", hint="send the path as a string")
    return _parsed(path, (root,) if isinstance(root, str) else tuple(root), portable)


@lru_cache(maxsize=4096)  # a call asks several times for the same few paths
def _parsed(path: str, roots: tuple[str, ...], portable: bool) -> tuple[str, ...]:  # noqa: FBT001
    _check_characters(path)
    parts = _relative(path, roots)
    kept = tuple(part for part in parts if part not in ("", "."))
    _check_depth(path, kept)
    if portable:
        check_portable(kept, given=path)
    return kept


def check_portable(parts: Sequence[str], *, given: str | None = None) -> None:
    """Refuse names that other systems cannot hold or would take for something else."""
    path = given if given is not None else "/".join(parts)
    for place, part in enumerate(parts):
        if part != "..":
            _check_portable_part(path, part, first=place == 0)


def _check_characters(path: str) -> None:
    if not path:
        raise _malformed(path, "is empty", "name a file relative to the workspace, such as docs/a.md")
    if found := _NEVER.search(path):
        code = f"U+{ord(found.group()):04X}"
        what = f"contains the character {code}, which no path may contain"
        raise _refusal(Kind.OUTSIDE_ROOT, path, what, f"leave out {_CALLED.get(found.group(), 'the character')} {code}")
    if len(path.encode()) > MAX_PATH_BYTES:
        raise _malformed(path, f"is longer than {MAX_PATH_BYTES} bytes", "use a shorter path")


def _relative(path: str, roots: Sequence[str]) -> list[str]:
    if _DRIVE.match(path) and not path.startswith("/"):
        raise _outside(path, "is an absolute Windows path")
    parts = path.split("/")
    if not path.startswith("/"):
        return parts
    present = [part for part in parts if part not in ("", ".")]
    for root in roots:
        above = [part for part in root.split("/") if part]
        if present[: len(above)] == above:
            return present[len(above) :]
    raise _outside(path, "is absolute and not below the workspace")


def _check_depth(path: str, parts: Sequence[str]) -> None:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            raise _outside(path, "is outside the workspace")
        if len(part.encode()) > MAX_COMPONENT_BYTES:
            raise _malformed(path, f"has a name longer than {MAX_COMPONENT_BYTES} bytes", "use a shorter name")


def _check_portable_part(path: str, part: str, *, first: bool) -> None:
    if _DEVICE.fullmatch(part):
        raise _outside(path, f"names the device {shown(part)} on Windows")
    if "\\" in part:
        fixed = shown(path.replace("\\", "/"))
        raise _malformed(path, "holds a backslash", f"separate directories with a slash: {fixed}")
    if found := _UNPORTABLE.search(part):
        raise _malformed(path, f"holds {found.group()!r}, which not every system allows", "choose a name without it")
    if found := _INVISIBLE.search(part):
        raise _malformed(
            path, f"contains the invisible character U+{ord(found.group()):04X}", "choose a name without it"
        )
    if _SHORT_NAME.fullmatch(part):
        raise _malformed(path, f"has {shown(part)}, which is the short form of another name on Windows", "leave out ~")
    if part[-1] in ". ":
        raise _malformed(path, "has a name that ends in a dot or a space", "choose a name without it")
    if first and part == "~":
        raise _malformed(path, "begins with ~, which is not expanded", "name a file relative to the workspace")


def _outside(path: str, what: str) -> EditError:
    return _refusal(Kind.OUTSIDE_ROOT, path, what, "use a path inside it, such as docs/a.md")


def _malformed(path: str, what: str, hint: str) -> EditError:
    return _refusal(Kind.BAD_REQUEST, path, what, hint)


def _refusal(kind: Kind, path: str, what: str, hint: str) -> EditError:
    # The details show the path as the message does: the spelling may hold what no log or terminal should get.
    return EditError(kind, f"{shown(path)} {what}", hint=hint, details={"path": shown(path)[1:-1]})
