"""What is beneath a directory for a task that holds changes: the disk's files without those that are gone in the layer,
and with those that are only there. Ignore files are those of the layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.workspace.files.listing import IGNORE_FILE, IgnoreRules, Limits, Listing
from steadyhand.workspace.files.protection import is_hidden

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import HeldStore

OnDisk = Callable[[str, Limits], Listing]


def listed(store: HeldStore, on_disk: OnDisk, path: str, limits: Limits) -> Listing:
    """The same as of the disk, with what is held."""
    layer = store.layer
    held, gone = layer.paths
    if not layer.files:
        return on_disk(path, limits)
    has_rules = limits.skip_ignored and any(each.rsplit("/", 1)[-1] == IGNORE_FILE for each in held | gone)
    found = _on_disk(store, on_disk, path, replace(limits, skip_ignored=False) if has_rules else limits, held)
    rules = _Rules(store) if limits.skip_ignored else None
    prefix = f"{found.directory}/" if found.directory else ""
    new = {each for each in held - set(found.files) if _is_listed(each, prefix, limits)}
    directories = {each for one in new for each in _above(one, prefix)} | set(found.directories)
    files = (set(found.files) - gone) | new
    if rules is not None:
        asked = files if has_rules else new
        files -= {each for each in asked if rules.ignores(each)}
        directories = {each for each in directories if not rules.ignores(each, is_directory=True)}
    stopped, kept = found.stopped, sorted(files)
    if len(kept) > limits.entries:
        kept, stopped = kept[: limits.entries], stopped or f"more than {limits.entries} entries"
    sizes = dict(found.sizes)
    if limits.sizes:
        for each in set(kept) & held:
            sizes[each] = store.read(each)[1].size
    return replace(
        found, files=tuple(kept), directories=tuple(sorted(directories)), stopped=stopped,
        sizes={each: size for each, size in sizes.items() if each in files},
    )  # fmt: skip


def _on_disk(store: HeldStore, on_disk: OnDisk, path: str, limits: Limits, held: set[str]) -> Listing:
    """What the disk has; nothing where the directory is only in the layer."""
    try:
        return on_disk(path, limits)
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE:
            raise
        directory = store.resolve(path.rstrip("/") or path)
        if not any(each.startswith(f"{directory}/") for each in held):
            raise
        return Listing((), directory=directory)


def _is_listed(path: str, prefix: str, limits: Limits) -> bool:
    names = path.split("/")
    is_beneath = path.startswith(prefix) and tuple(names[: len(limits.below)]) == limits.below
    depth = path.removeprefix(prefix).count("/") + 1
    return is_beneath and depth <= limits.depth and not is_hidden(path)


def _above(path: str, prefix: str) -> list[str]:
    names = path.split("/")
    return [each for end in range(1, len(names)) if len(each := "/".join(names[:end])) > len(prefix)]


class _Rules:
    """The ignore rules of every directory, each read once."""

    def __init__(self, store: HeldStore) -> None:
        self._store = store
        self._within = cache(self._read)

    def ignores(self, path: str, *, is_directory: bool = False) -> bool:
        """Whether a path or a directory above it is left out."""
        names = tuple(path.split("/"))
        ends = range(1, len(names) + 1)
        return any(
            self._within(names[: end - 1]).ignores(names[:end], is_directory=is_directory or end < len(names))
            for end in ends
        )

    def _read(self, names: tuple[str, ...]) -> IgnoreRules:
        above = self._within(names[:-1]) if names else IgnoreRules()
        data = None
        try:
            data = self._store.read("/".join((*names, IGNORE_FILE)))[1].data
        except EditError as error:
            if error.kind in (Kind.BUSY, Kind.JOURNAL_DAMAGED):
                raise
        return above.within(len(names), data)
