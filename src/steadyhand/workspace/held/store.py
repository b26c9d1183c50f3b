"""A store whose changes are held: reads see the layer of a group over the disk, and a commit goes to the layer.

It has the store of the disk beneath it, and what is the same for both is asked there: the sandbox, the journal, the
locks, what is refused. Where a file is looked at and where a change ends is here.

1. A commit is one note that is durable when it returns: there is no instant at which it is made in part.
2. Whoever changes a layer or commits from it holds the lock of its group.
3. The disk is never written.

A listing has the disk's files without those that are gone in the layer, and with those that are only there; ignore
files are those of the layer. `HeldJournal` answers only questions about records otherwise than the journal itself: of a
file that the layer has, the past is that of its base, then what was done to it in the layer; what others have done to
the disk since is there as far as it was brought in.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source
from steadyhand.workspace.files.listing import IGNORE_FILE, IgnoreRules, Limits, Listing
from steadyhand.workspace.files.protection import is_hidden
from steadyhand.workspace.files.sandbox import FileImage, Sandbox
from steadyhand.workspace.files.storage import shown
from steadyhand.workspace.held.layer import HeldFile, Layer, Seen
from steadyhand.workspace.held.notes import Facts, Move, emptied_body, held_body, moved_body, type_of
from steadyhand.workspace.journal.index import Live, Recalled
from steadyhand.workspace.journal.record import Entry, FileState, Party, Record, State, Verb, utc_now
from steadyhand.workspace.journal.store import LASTING, Journal, OnDamage
from steadyhand.workspace.overlay import (
    FileOp,
    FileReading,
    Header,
    LatestRecords,
    Overlay,
    change_of,
    read_text,
)
from steadyhand.workspace.store import Store
from steadyhand.workspace.transaction import Committed, HeldLocks

if TYPE_CHECKING:
    from steadyhand.workspace.journal.store import Progress

_LOOKS = 3  # at a file and its layer, while somebody is at work on both
_BOTH = 1 << 62


def lock_of(group: str) -> str:
    """The lock of a group's layer; no path has a NUL."""
    return f"held\0{group}"


class HeldStore:
    """The store as one group sees it that holds its changes. Thread-safe."""

    def __init__(self, store: AnyStore, group: str) -> None:
        self.beneath: Store = store.beneath if isinstance(store, HeldStore) else store
        self.group = group
        self.location, self.state, self.read_only = self.beneath.location, self.beneath.state, self.beneath.read_only
        self._view: HeldJournal | None = None

    # What is the same as beneath

    @property
    def sandbox(self) -> Sandbox:
        return self.beneath.sandbox

    @property
    def generation(self) -> int:
        return self.beneath.generation

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.beneath.warnings

    def close(self) -> None:
        self.beneath.close()

    def one_call(self) -> contextlib.AbstractContextManager[None]:
        return self.beneath.one_call()

    def has_journal(self) -> bool:
        return self.beneath.has_journal()

    def writable_journal(self) -> Journal:
        return self.beneath.writable_journal()

    def head(self) -> int:
        return self.beneath.head()

    def may_have_leases(self) -> bool:
        return self.beneath.may_have_leases()

    def resolve(self, path: str) -> str:
        return self.beneath.resolve(path)

    def is_secret(self, path: str) -> bool:
        return self.beneath.is_secret(path)

    def made_room(self, verb: Verb, error: EditError) -> bool:
        return self.beneath.made_room(verb, error)

    def recover(self) -> tuple[str, ...]:
        return self.beneath.recover()

    def take_losses(self) -> tuple[str, ...]:
        return self.beneath.take_losses()

    def take_damage(self) -> tuple[str, ...]:
        return self.beneath.take_damage()

    # The layer, and the past that it makes

    @property
    def layer(self) -> Layer:
        """What is held, as the journal has it now."""
        layer = self._held_journal().layer
        layer.refresh()
        return layer

    @property
    def journal(self) -> Journal:
        return self._held_journal()

    def known_journal(self) -> Journal | None:
        return self.journal if self.has_journal() else None

    def _held_journal(self) -> HeldJournal:
        real = self.beneath.journal
        view = self._view
        if view is None or view.beneath is not real:
            view = self._view = HeldJournal(real, Layer(real, self.group))
            view.layer.refresh()
        return view

    def recalling(
        self, paths: Iterable[str], party: Party | None
    ) -> contextlib.AbstractContextManager[Recalled | None]:
        journal = self.known_journal()
        return contextlib.nullcontext() if journal is None else journal.recalling(paths, party=party)

    def latest(
        self,
        ops: Sequence[FileOp],
        paths: Iterable[str] = (),
        known: Recalled | None = None,
        party: Party | None = None,
    ) -> LatestRecords:
        return self.beneath.latest(ops, paths, known, party, self.journal)

    def text_of(self, path: str, image: FileImage, encoding: str | None = None) -> Source:
        return read_text(image.data, encoding, partial(self.encoding_of, path, image.digest), path, image.digest)

    def encoding_of(self, path: str, digest: str) -> Encoding | None:
        try:
            journal = self.known_journal()
        except EditError:
            return None
        return None if journal is None else self.beneath.encoding_of(path, digest, journal)

    def version_of(self, path: str, digest: str) -> bytes | None:
        from steadyhand.workspace.history.file_history import version_named

        return version_named(self.journal, path, digest)

    # What the task sees

    def overlay(self, verb: Verb = "edit") -> Overlay:
        return Overlay(self.look if verb == "edit" else self.look_again, self.encoding_of)

    def look(self, path: str) -> FileReading:
        return self._look(path, self.beneath.look)

    def look_again(self, path: str) -> FileReading:
        return self._look(path, self.beneath.look_again)

    def _look(self, path: str, look: Callable[[str], FileReading]) -> FileReading:
        for _ in range(_LOOKS):
            state = self.layer.state
            reading = look(path)
            seen = self._seen(reading.path, reading.image)
            if seen is reading.image or state == self.layer.state:
                break
        return replace(reading, image=seen)

    def read(self, path: str) -> tuple[str, FileImage]:
        if not self.layer.files:
            return self.beneath.read(path)
        for _ in range(_LOOKS):
            layer, state = self.layer, self.layer.state
            try:
                resolved, disk = self.beneath.read(path)
            except EditError as error:
                if error.kind is not Kind.NO_SUCH_FILE:
                    raise
                resolved, disk = self.resolve(path), None
                if layer.at(resolved) is None:
                    raise
            seen = self._seen(resolved, disk)
            if seen is disk or state == self.layer.state:
                break
        if seen is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {shown(resolved)}",
                hint=Say("list the directory and use a name that exists"),
                details={"path": resolved, "similar": [], "available": []},
            )
        return resolved, seen

    def _seen(self, path: str, disk: FileImage | None) -> FileImage | None:
        """The file at a path as the task sees it, where the disk has that there."""
        layer = self._held_journal().layer
        if not layer.files:
            return disk
        self._check_parents(layer, path)
        file = layer.at(path)
        if file is None:
            return disk if layer.gone_from(path) is None else None
        there = disk if file.base is None or file.base.path == path else self._on_disk(file.base.path)
        seen = layer.see(file, there)
        return None if seen.data is None else _image(seen, there if there is not None else disk)

    def _check_parents(self, layer: Layer, path: str) -> None:
        """Refuse a path through a file of the layer, and one that is a directory there."""
        held, _ = layer.paths
        parts = path.split("/")
        above = next((up for up in map("/".join, (parts[:n] for n in range(1, len(parts)))) if up in held), None)
        if above is not None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"{shown(above)} is a file, not a directory",
                hint="use another name",
                details={"path": path},
            )
        if any(other.startswith(f"{path}/") for other in held):
            raise EditError(
                Kind.NOT_TEXT, f"{shown(path)} is a directory", hint="name a regular file", details={"path": path}
            )

    def _on_disk(self, path: str) -> FileImage | None:
        """What the disk has at a path."""
        try:
            return self.beneath.read(path)[1]
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            return None

    def clash_of(self, file: HeldFile) -> tuple[Seen, FileImage | None]:
        """A file of the layer as its task sees it, and what the disk has of it."""
        disk = self._on_disk(file.path if file.base is None else file.base.path)
        return self.layer.see(file, disk), disk

    def files(self, path: str, limits: Limits) -> Listing:
        layer = self.layer
        if not layer.files:
            return self.beneath.files(path, limits)
        held, gone = layer.paths
        has_rules = limits.skip_ignored and any(each.rsplit("/", 1)[-1] == IGNORE_FILE for each in held | gone)
        found = self._disk_files(path, replace(limits, skip_ignored=False) if has_rules else limits, held)
        rules = _Rules(self) if limits.skip_ignored else None
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
            sizes |= {each: self.read(each)[1].size for each in set(kept) & held}
        return replace(
            found, files=tuple(kept), directories=tuple(sorted(directories)), stopped=stopped,
            sizes={each: size for each, size in sizes.items() if each in files},
        )  # fmt: skip

    def _disk_files(self, path: str, limits: Limits, held: set[str]) -> Listing:
        """What the disk has; nothing where the directory is only in the layer."""
        try:
            return self.beneath.files(path, limits)
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            directory = self.resolve(path.rstrip("/") or path)
            if not any(each.startswith(f"{directory}/") for each in held):
                raise
            return Listing((), directory=directory)

    # What is changed

    def check(self, ops: Sequence[FileOp], hardlinks: str) -> None:
        secret = next((op for op in ops if op.secret), None)
        if secret is not None:
            path = secret.after_path or secret.before_path or ""
            raise EditError(
                Kind.PROTECTED_PATH,
                f"{shown(path)} holds secrets, and what is held for review would be kept in the journal",
                hint="leave this file alone, or ask the host to edit it without hold",
                details={"path": path},
            )
        self.beneath.check(ops, hardlinks)

    def is_unchanged(self, overlay: Overlay, ops: Sequence[FileOp], held: HeldLocks) -> bool:  # noqa: ARG002  # nothing is written
        for known in overlay.readings.values():
            reading = self.look_again(known.given)
            if reading.path != known.path or _facts(reading.image) != _facts(known.image):
                return False
        return True

    def has_locked(self, overlay: Overlay, held: HeldLocks) -> bool:
        return set(overlay.lock_keys()) <= set(held.keys)

    def locked(self, overlay: Overlay) -> contextlib.AbstractContextManager[HeldLocks]:
        """The locks of everything that an overlay has looked at, and of the layer."""
        overlay.also_locked = (*overlay.also_locked, lock_of(self.group))
        return self.beneath.locked(overlay, files=False)

    def commit(
        self,
        id: str,
        header: Header,
        overlay: Overlay,  # noqa: ARG002
        ops: tuple[FileOp, ...],
        held: HeldLocks,
        *,
        hardlinks: str = "refuse",  # noqa: ARG002  # nothing is written
        prune: Sequence[str] = (),  # noqa: ARG002
        progress: Progress | None = None,
        started: float | None = None,
        latest: LatestRecords | None = None,  # noqa: ARG002
    ) -> Committed:
        """Note the change; it is held then, and durable."""
        if progress is not None:
            progress(len(ops), len(ops))
        layer, journal, trace = self.layer, self.beneath.opened_journal(), header.trace
        number, images = layer.number + 1, dict[str, bytes]()
        facts = [self._facts(layer, op, header.undoes, f"{number}.{index}", images) for index, op in enumerate(ops)]
        spent = round((time.monotonic() - (time.monotonic() if started is None else started)) * 1000)
        record = Record(
            id, utc_now(), header.actor, header.task, header.tool, header.reason, header.verb,
            header.undoes, tuple(change_of(op, ()) for op in ops), None if trace is None else trace.arguments,
            None if trace is None else trace.model, spent, None if trace is None else trace.call,
        )  # fmt: skip
        if not journal.still_holds(held.hold, held.keys):
            raise _lost()
        seq = self._append(held_body(self.group, number, record, facts, list(images)), images)
        for op in ops:
            if op.data is not None and op.digest is not None:
                layer.keep(op.digest, op.data)
        layer.refresh()
        return Committed(record, seq, True, ())

    def _facts(self, layer: Layer, op: FileOp, undoes: Sequence[str], name: str, images: dict[str, bytes]) -> Facts:
        """What the layer is to know of one file, with the versions that nothing else would bring back."""
        file = None if op.before_path is None else layer.at(op.before_path)
        if op.before is None and op.after_path is not None:
            file = layer.returning_to(op.after_path, undoes)
        is_spliced = op.changes is not None and op.source is not None and op.source.reads_back and op.before is not None
        is_moved = op.before is not None and op.digest == op.before.digest
        is_due = file is not None and layer.wants_snapshot(file)
        if op.data is not None and op.digest is not None and not is_moved and (not is_spliced or is_due):
            images[op.digest] = op.data
        if file is None:
            base = None
            if op.before is not None and op.before_path is not None:
                base = FileState(op.before_path, op.before.digest, op.before.mode)
                images[op.before.digest] = op.before.data
            return Facts(name, True, base, self.beneath.head())
        disk = None if file.base is None else self._on_disk(file.base.path)
        carried = layer.see(file, disk).carried
        if carried is None:
            return Facts(file.name)
        if disk is not None and carried.base.changes is None:
            images[disk.digest] = disk.data
        return Facts(file.name, carried=carried)

    def note_move(
        self,
        id: str,
        moves: Sequence[Move],
        disk: Mapping[str, str | None],
        step: Record | None,
        images: Mapping[str, bytes],
    ) -> None:
        """Note what a record is about to do to the disk; the caller holds the group's lock."""
        layer = self.layer
        body = moved_body(self.group, layer.number + 1, id, moves, list(disk.items()), step, list(images))
        self._append(body, images)
        layer.refresh()

    def note_emptied(self) -> None:
        """Note that nothing is held any more, if that is so: what was held before is history then."""
        if not self.layer.files or self.layer.waiting:
            return
        with self.locked(self.overlay()):
            layer = self.layer
            if layer.pending is None and not layer.waiting:
                self._append(emptied_body(self.group, layer.number + 1), {})
                layer.refresh()

    def _append(self, body: Mapping[str, object], images: Mapping[str, bytes]) -> int:
        return self.beneath.opened_journal().append_note(type_of(self.group), body, images=images, durable=True)


AnyStore = Store | HeldStore
"""The disk, or what a group has over it."""


def groups_of(store: AnyStore) -> list[str]:
    """Whose work is held, as far as the newest note of each says."""
    if not store.state.exists:
        return []
    from steadyhand.workspace.held.notes import is_emptied
    from steadyhand.workspace.journal.record import HELD

    notes = store.journal.newest_notes(HELD)
    return [str(note.body.get("group")) for note in notes if not is_emptied(note) and note.body.get("group")]


def _image(seen: Seen, like: FileImage | None) -> FileImage:
    assert seen.data is not None and seen.digest is not None
    if like is not None:
        return replace(like, data=seen.data, digest=seen.digest, mode=seen.mode, size=len(seen.data), times=(0, 0))
    return FileImage(seen.data, seen.digest, seen.mode, os.geteuid(), os.getegid(), 1, len(seen.data), 0, 0)


def _facts(image: FileImage | None) -> tuple[object, ...] | None:
    return None if image is None else (image.digest, image.mode, image.nlink > 1)


def _lost() -> EditError:
    return EditError(Kind.BUSY, "the locks were lost before anything was changed", hint="send the same call again")


class HeldJournal(Journal):
    """The journal beneath a layer, for reading; what is written goes to the journal itself."""

    def __init__(self, journal: Journal, layer: Layer) -> None:
        super().__init__(journal._handle, journal._presence, location=journal.location)
        self.beneath = journal
        self.layer = layer

    def entries(
        self,
        *,
        path: str | None = None,
        task: str | None = None,
        actor: str | None = None,
        before_seq: int | None = None,
        after_seq: int | None = None,
        limit: int | None = None,
        newest_first: bool = True,
        states: tuple[State, ...] = LASTING,
        live: Live | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Entry]:
        since = None if path is None else self.layer.since(path)
        if not self.layer.files or (path is not None and since is None):
            yield from super().entries(
                path=path, task=task, actor=actor, before_seq=before_seq, after_seq=after_seq, limit=limit,
                newest_first=newest_first, states=states, live=live, on_damage=on_damage,
            )  # fmt: skip
            return
        own = self.layer.touching(path) if path is not None else iter(self.layer.entries[::-1])
        held = (
            entry
            for entry in own
            if (before_seq is None or entry.seq < before_seq)
            and (after_seq is None or entry.seq > after_seq)
            and task in (None, entry.record.task)
            and actor in (None, entry.record.actor)
            and entry.state in states
            and (live is None or self._is_live(entry, live))
        )
        bound = before_seq if since is None else min(since + 1, before_seq or _BOTH)
        beneath = (
            self._as_here(entry)
            for entry in super().entries(
                path=path, task=task, actor=actor, before_seq=bound, after_seq=after_seq,
                newest_first=newest_first, states=states, live=live, on_damage=on_damage,
            )
            if path is not None or self._is_past(entry)
        )  # fmt: skip
        wanted = (entry for entry in beneath if live is None or entry.undone_by is None)
        mine = held if newest_first else reversed(list(held))
        found: Iterable[Entry]
        if path is None:
            found = merge(mine, wanted, key=lambda entry: entry.seq, reverse=newest_first)
        else:
            found = chain(mine, wanted) if newest_first else chain(wanted, mine)
        for number, entry in enumerate(found):
            if limit is not None and number >= limit:
                return
            yield entry

    def _as_here(self, entry: Entry) -> Entry:
        """A record of the disk, which may be undone in the layer."""
        by = self.layer.undone_by(entry.record.id)
        return entry if by is None else replace(entry, undone_by=by)

    def _is_past(self, entry: Entry) -> bool:
        """Whether a record of the disk is part of the past of every file of it."""
        bounds = [since for path in entry.record.paths if (since := self.layer.since(path)) is not None]
        return all(entry.seq <= since for since in bounds)

    def _is_live(self, entry: Entry, live: Live) -> bool:
        """What the index says of records: not undone, and an edit or a redo; or anything that undoes."""
        if entry.undone_by is not None:
            return False
        undoes = entry.record.undoes
        if live == "undos":
            return bool(undoes)
        return not undoes or any(self._verb(undone) == "undo" for undone in undoes)

    def _verb(self, id: str) -> str:
        return self.find(id).record.verb

    def latest(self, path: str) -> Entry | None:
        if self.layer.since(path) is None:
            return super().latest(path)
        return next(self.entries(path=path, limit=1), None)

    def find(self, id_or_prefix: str) -> Entry:
        known = self.layer.entry(id_or_prefix.lower())
        if known is not None:
            return known
        starting = [entry for entry in self.layer.entries if entry.record.id.startswith(id_or_prefix.lower())]
        if len(starting) == 1 and len(id_or_prefix) >= 4:
            return starting[0]
        try:
            return self._as_here(super().find(id_or_prefix))
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE and self.layer.was_decided(id_or_prefix.lower()):
                raise EditError(
                    Kind.CANNOT_UNDO,
                    f"{id_or_prefix[:40]} was held for review and has been decided",
                    hint=RunCommand("review --all", "shows what was decided"),
                ) from None
            raise

    def undone_by(self, record_id: str) -> str | None:
        if self.layer.entry(record_id) is not None:
            return self.layer.undone_by(record_id)
        return self.layer.undone_by(record_id) or super().undone_by(record_id)

    def is_as_after(self, path: str, seq: int) -> bool:
        if self.layer.since(path) is None:
            return super().is_as_after(path, seq)
        return next(self.entries(path=path, after_seq=seq, limit=1), None) is None


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
