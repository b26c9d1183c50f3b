"""What is beneath a directory: bounded in entries, depth and time, and never through a link.

Our own state, temporary files and version-control metadata are left out, and what `.gitignore` files name if asked.
Names that are not valid text are left out too, since no path can name them.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping, Sequence
from typing import Final

from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.workspace.budget import Deadline
from steadyhand.workspace.files.globs import IGNORE_FILE, MAX_IGNORE_BYTES, IgnoreRules
from steadyhand.workspace.files.protection import TEMP_PREFIX, is_hidden
from steadyhand.workspace.files.storage import DIRECTORY, NOFOLLOW, NONBLOCK, DirEntry, Storage, shown, shut

_MAX_NEIGHBOURS: Final = 2_000
_SIMILAR: Final = 3
_USUAL: Final = lazy_pattern(r"[\w./+@-]+")
_LISTED: Final = 8  # names that are listed where none is similar


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a listing may cost; whether it leaves out what is ignored, and whether it tells sizes.

    `below` are the names, from the root, of the directory in which everything lies that is asked for: on the way to it
    nothing else is looked at, and what is ignored on the way is left out as ever.
    """

    depth: int
    entries: int
    seconds: float
    skip_ignored: bool = False
    sizes: bool = False
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths relative to the root, sorted. `links` are named, not followed; `sizes` are in bytes, if asked for.

    `directory` is what was listed, where links lead, empty for the root. `stopped` says at which limit the walk was
    given up, `deeper` that something lies below the depth asked for. `temporaries` are directories with some of ours.
    """

    files: tuple[str, ...]
    links: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    directory: str = ""
    stopped: str | None = None
    deeper: str | None = None
    temporaries: tuple[str, ...] = ()

    @property
    def cut(self) -> str | None:
        """Why the listing is not whole; None where it is."""
        return self.stopped or self.deeper


class _Walker:
    """One listing in progress: what was found and what it has cost."""

    def __init__(self, storage: Storage, limits: Limits, state_dirs: Sequence[str]) -> None:
        self._storage = storage
        self._limits = limits
        self._state_dirs = state_dirs
        self._deadline = Deadline.after(limits.seconds)
        self._seen = 0
        self.files: list[str] = []
        self.links: list[str] = []
        self.directories: list[str] = []
        self.sizes: dict[str, int] = {}
        self.stopped: str | None = None
        self.deeper: str | None = None
        self.temporaries: dict[str, None] = {}

    def visit(self, fd: int, above: tuple[str, ...], depth: int, rules: IgnoreRules) -> None:
        """Everything in the directory `fd`; recursion is bounded by the depth limit."""
        room = self._limits.entries - self._seen
        way = self._limits.below
        next_name = way[len(above)] if len(above) < len(way) and above == way[: len(above)] else None
        entries = self._storage.listdir(fd, limit=room + 1) if next_name is None else self._only(fd, next_name)
        if len(entries) > room:
            self._stop(f"more than {self._limits.entries} entries")
        has_rules = next_name is not None or any(entry.name == IGNORE_FILE for entry in entries)
        if self._limits.skip_ignored and has_rules:
            rules = rules.within(len(above), ignore_file(self._storage, fd))
        for entry in sorted(entries[:room], key=lambda each: each.name):
            if self._seen == self._limits.entries:  # those before it have used up the room
                self._stop(f"more than {self._limits.entries} entries")
                return
            self._seen += 1
            if self._deadline.is_over:
                self._stop(f"more than {self._limits.seconds:g} seconds")
                return
            self._take(fd, above, entry, depth, rules)

    def _only(self, fd: int, name: str) -> list[DirEntry]:
        """The directory of that name, if there is one."""
        if name in ("", ".", "..") or "/" in name:  # no name of an entry: it would lead out of the directory
            return []
        try:
            found = self._storage.stat(name, dir_fd=fd)
        except (OSError, ValueError):
            return []
        return [DirEntry(name, "directory")] if stat.S_ISDIR(found.st_mode) else []

    def _take(self, fd: int, above: tuple[str, ...], entry: DirEntry, depth: int, rules: IgnoreRules) -> None:
        names = (*above, entry.name)
        path = "/".join(names)
        if not _is_text(entry.name) or is_hidden(path, state_dirs=self._state_dirs):
            if entry.name.startswith(TEMP_PREFIX):
                self.temporaries["/".join(above)] = None
            return
        if rules.ignores(names, is_directory=entry.kind == "directory"):
            return
        if entry.kind == "file":
            self.files.append(path)
            self._measure(fd, entry.name, path)
        elif entry.kind == "link":
            self.links.append(path)
        elif entry.kind == "directory":
            self.directories.append(path)
            self._descend(fd, names, depth, rules)

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why

    def _measure(self, fd: int, name: str, path: str) -> None:
        if self._limits.sizes:
            with contextlib.suppress(OSError):  # gone since it was listed
                self.sizes[path] = self._storage.stat(name, dir_fd=fd).st_size

    def _descend(self, fd: int, names: tuple[str, ...], depth: int, rules: IgnoreRules) -> None:
        if depth >= self._limits.depth:
            self.deeper = f"deeper than {self._limits.depth} directories"
            return
        try:
            below = self._storage.open(names[-1], os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=fd)
        except OSError:  # gone, exchanged or not readable: nothing to list there
            return
        try:
            self.visit(below, names, depth + 1, rules)
        finally:
            shut(self._storage, below)


def walk(
    storage: Storage,
    fd: int,
    names: tuple[str, ...],
    limits: Limits,
    *,
    state_dirs: Sequence[str],
    rules: IgnoreRules | None = None,
) -> Listing:
    """List beneath `fd`, which is closed afterwards; `names` is where it is below the root.

    `rules` are those of the directories above it.
    """
    walker = _Walker(storage, limits, state_dirs)
    try:
        walker.visit(fd, names, 1, rules or IgnoreRules())
    finally:
        shut(storage, fd)
    return Listing(
        tuple(sorted(walker.files)),
        tuple(sorted(walker.links)),
        tuple(sorted(walker.directories)),
        walker.sizes,
        "/".join(names),
        walker.stopped,
        walker.deeper,
        tuple(walker.temporaries),
    )


def ignore_file(storage: Storage, dir_fd: int) -> bytes | None:
    """What the ignore file of a directory holds, as far as it is read; None where there is no regular one."""
    try:
        fd = storage.open(IGNORE_FILE, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd)
        try:
            is_regular = stat.S_ISREG(storage.fstat(fd).st_mode)
            return storage.read(fd, MAX_IGNORE_BYTES) if is_regular else None
        finally:
            shut(storage, fd)
    except OSError:
        return None


def similar_files(storage: Storage, dir_fd: int, name: str, directory: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Up to three names in the directory that are similar to `name`, and the first of all, as paths from the root.

    Endings do not make names similar: in a directory of `.py` files every name would be like every other. They only say
    which of several similar names comes first. Bounded, best effort.
    """
    from steadyhand.text.resemblance import similar_names  # only a refusal needs it

    try:
        entries = storage.listdir(dir_fd, limit=_MAX_NEIGHBOURS)
    except OSError:
        return (), ()
    prefix = f"{directory}/" if directory else ""
    names = sorted(entry.name for entry in entries if _is_text(entry.name) and not is_hidden(prefix + entry.name))
    stems: dict[str, list[str]] = {}
    for each in names:
        stems.setdefault(_stem(each), []).append(each)
    close = [each for stem in similar_names(_stem(name), stems, _SIMILAR) for each in stems[stem]]
    near = [_ending(name), *similar_names(_ending(name), {_ending(each) for each in close}, _SIMILAR)]
    close.sort(key=lambda each: near.index(_ending(each)) if _ending(each) in near else len(near))
    return tuple(prefix + each for each in close[:_SIMILAR]), tuple(prefix + each for each in names[: _LISTED + 1])


def there_is(paths: Sequence[str]) -> str:
    """The first names of a directory, for a hint."""
    return f"the folder has {', '.join(map(_named, paths[:_LISTED]))}{' …' if len(paths) > _LISTED else ''}"


def _named(path: str) -> str:
    """A name that reads as one: quoted unless it is made of what names are usually made of."""
    return path if _USUAL.fullmatch(path) else shown(path)


def _stem(name: str) -> str:
    return name[: len(name) - len(_ending(name))]


def _ending(name: str) -> str:
    return os.path.splitext(name)[1]


def mount_points(root: str) -> tuple[str, ...]:
    """Mounts strictly beneath the absolute, link-free `root`; empty where the system does not say."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
            mounted = [_unescaped(line.split(" ")[4]) for line in lines]
    except OSError:
        return ()
    above = [part for part in root.split("/") if part]
    found = set()
    for point in mounted:
        parts = [part for part in point.split("/") if part]
        if len(parts) > len(above) and parts[: len(above)] == above:
            found.add("/".join(parts[len(above) :]))
    return tuple(sorted(found))


def _unescaped(field: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, char)
    return field


def _is_text(name: str) -> bool:
    return name.isprintable() or all(char == " " or char.isprintable() for char in name)
