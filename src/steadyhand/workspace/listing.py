"""What is beneath a directory: bounded in entries, depth and time, and never through a link.

Our own state, temporary files and version-control metadata are left out.
Names that are not valid text are left out too, since no path can name them.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from steadyhand.workspace.protection import is_hidden
from steadyhand.workspace.storage import DIRECTORY, NOFOLLOW, DirEntry, Storage, shut

__all__ = ["Limits", "Listing", "mount_points", "similar_names", "walk"]

_MAX_NEIGHBOURS: Final = 2_000
_SIMILAR: Final = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a listing may cost."""

    depth: int
    entries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths relative to the root, sorted. `links` are named, not followed; `cut` says why the listing is not whole."""

    files: tuple[str, ...]
    links: tuple[str, ...] = ()
    cut: str | None = None


class _Walker:
    """One listing in progress: what was found and what it has cost."""

    def __init__(self, storage: Storage, limits: Limits, state_dirs: Sequence[str]) -> None:
        self._storage = storage
        self._limits = limits
        self._state_dirs = state_dirs
        self._deadline = time.monotonic() + limits.seconds
        self._seen = 0
        self.files: list[str] = []
        self.links: list[str] = []
        self.cut: str | None = None

    def visit(self, fd: int, above: tuple[str, ...], depth: int) -> None:
        """Everything in the directory `fd`; recursion is bounded by the depth limit."""
        room = self._limits.entries - self._seen
        entries = self._storage.listdir(fd, limit=room + 1)
        if len(entries) > room:
            self._stop(f"more than {self._limits.entries} entries")
        for entry in sorted(entries[:room], key=lambda each: each.name):
            self._seen += 1
            if time.monotonic() > self._deadline:
                self._stop(f"more than {self._limits.seconds:g} seconds")
                return
            self._take(fd, above, entry, depth)

    def _take(self, fd: int, above: tuple[str, ...], entry: DirEntry, depth: int) -> None:
        names = (*above, entry.name)
        path = "/".join(names)
        if not _is_text(entry.name) or is_hidden(path, state_dirs=self._state_dirs):
            return
        if entry.kind == "file":
            self.files.append(path)
        elif entry.kind == "link":
            self.links.append(path)
        elif entry.kind == "directory":
            self._descend(fd, names, depth)

    def _descend(self, fd: int, names: tuple[str, ...], depth: int) -> None:
        if depth >= self._limits.depth:
            self._stop(f"deeper than {self._limits.depth} directories")
            return
        try:
            below = self._storage.open(names[-1], os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=fd)
        except OSError:  # gone, exchanged or not readable: nothing to list there
            return
        try:
            self.visit(below, names, depth + 1)
        finally:
            shut(self._storage, below)

    def _stop(self, why: str) -> None:
        self.cut = self.cut or why


def walk(storage: Storage, fd: int, names: tuple[str, ...], limits: Limits, *, state_dirs: Sequence[str]) -> Listing:
    """List beneath `fd`, which is closed afterwards; `names` is where it stands below the root."""
    walker = _Walker(storage, limits, state_dirs)
    try:
        walker.visit(fd, names, 1)
    finally:
        shut(storage, fd)
    return Listing(tuple(sorted(walker.files)), tuple(sorted(walker.links)), walker.cut)


def similar_names(storage: Storage, dir_fd: int, name: str, directory: str) -> tuple[str, ...]:
    """Up to three names in the directory that look like `name`, as paths from the root; bounded, best effort."""
    try:
        entries = storage.listdir(dir_fd, limit=_MAX_NEIGHBOURS)
    except OSError:
        return ()
    prefix = f"{directory}/" if directory else ""
    names = [entry.name for entry in entries if _is_text(entry.name) and not is_hidden(prefix + entry.name)]
    by_folded = {each.casefold(): each for each in names}
    close = difflib.get_close_matches(name.casefold(), list(by_folded), n=_SIMILAR, cutoff=0.6)
    return tuple(prefix + by_folded[each] for each in close)


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
