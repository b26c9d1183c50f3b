"""One workspace on disk: sandbox, locks, journal and state folder behind three verbs: look, commit, recover.

Knows nothing of edits: whoever commits hands in a function that lays its changes on an overlay, and that
function is called again, under the locks, when the tree has moved meanwhile.

1. A refused or previewed change leaves no trace, not even a state folder.
2. Nothing is written without the locks of every path involved, a journal that works, and digests
   compared under those locks.
3. A read-only store makes no mutating system call beneath the root.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.text.encoding import Encoding
from steadyhand.workspace.goal import check_links, goals_of
from steadyhand.workspace.journal.record import (
    Record,
    Verb,
    new_record_id,
    utc_now,
)
from steadyhand.workspace.journal.recover import Recovery
from steadyhand.workspace.journal.store import Journal, Progress, open_journal
from steadyhand.workspace.keeping import change_of, images_of
from steadyhand.workspace.lineage import encoding_known, version_named
from steadyhand.workspace.listing import Listing
from steadyhand.workspace.locks import LockTable
from steadyhand.workspace.overlay import FileStep, Overlay, Reading
from steadyhand.workspace.protection import Protect
from steadyhand.workspace.refusal import refuse_os
from steadyhand.workspace.sandbox import DEFAULT_MAX_BYTES, FileImage, Sandbox
from steadyhand.workspace.state import FOLDER, StateFolder
from steadyhand.workspace.storage import Storage
from steadyhand.workspace.transaction import Committed, Transaction

_TRIES = 20


@dataclass(frozen=True, slots=True)
class Header:
    """Who changes the tree and why."""

    actor: str
    task: str | None
    tool: str
    reason: str | None = None
    verb: Verb = "edit"
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did, or a preview would do."""

    steps: tuple[FileStep, ...]
    committed: Committed | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a change is to be carried out."""

    hardlinks: str
    prune: Callable[[], list[str]]
    progress: Progress | None
    started: float


Lay = Callable[[Overlay], None]
"""Lays changes on an overlay; may be called again on a fresh one, and then must start afresh too."""


class Store:
    """The only way to the disk. Thread-safe."""

    def __init__(
        self,
        root: Path,
        *,
        journal: str | Path | None = None,
        allow: tuple[str, ...] = (),
        protect: Protect = "standard",
        extensions: tuple[str, ...] | None = None,
        read_only: bool = False,
        lock_timeout: float = 10.0,
        max_bytes: int | None = None,
        one_filesystem: bool = False,
        storage: Storage | None = None,
    ) -> None:
        self.storage = storage or Storage()
        self.read_only = read_only
        self._location = _location(root, journal)
        self._timeout = lock_timeout
        with _named("open", "the workspace"):
            self.sandbox = Sandbox(
                root, storage=self.storage, allow=allow, protect=protect, extensions=extensions,
                one_filesystem=one_filesystem, state_dirs=_state_dirs(root, self._location),
                max_bytes=DEFAULT_MAX_BYTES if max_bytes is None else max_bytes,
            )  # fmt: skip
        self.state = StateFolder(Path(self._location), self.storage)
        self._guard = threading.RLock()
        self._journal: Journal | None = None
        self._locks: LockTable | None = None
        self.warnings: tuple[str, ...] = ()
        if self.state.exists:
            self._open_existing()

    def close(self) -> None:
        with self._guard:
            if self._journal is not None:
                self._journal.close()
                self._journal = None
            with contextlib.suppress(OSError):
                self.sandbox.close()

    @property
    def journal(self) -> Journal:
        """The journal, for reading; where none was ever written, an empty one that leaves no trace."""
        with self._guard:
            if self._locks is None and self.state.exists and not self.read_only:
                self._open_for_writing()  # somebody else made it meanwhile
            if self._journal is None:
                self._journal = open_journal(self._location, read_only=True)
            return self._journal

    def writable_journal(self) -> Journal:
        """The journal, for appending; made if missing. Refuses with `read-only`."""
        self._open_for_writing()
        return self._writable()

    def look(self, path: str) -> Reading:
        """What stands at a path, for whoever means to change it."""
        return self._look(path, known_name=False)

    def look_again(self, path: str) -> Reading:
        """The same for a name that was here before, and so need not be one every system takes."""
        return self._look(path, known_name=True)

    def _look(self, path: str, *, known_name: bool) -> Reading:
        with _named("look at", path), self.sandbox.place(path, writing=True, known_name=known_name) as place:
            image = None if self.sandbox.stat(place) is None else self.sandbox.read(place)
            return Reading(path, place.path, place.lock_key, image, place.flagged, place.secret, place.via_symlink)

    def read(self, path: str) -> tuple[str, FileImage]:
        """A file for whoever only reads it: its resolved path and what stands there."""
        with _named("read", path), self.sandbox.place(path, writing=False) as place:
            return place.path, self.sandbox.read(place)

    def resolve(self, path: str) -> str:
        """Where a path leads, whether or not a file stands there."""
        with _named("resolve", path), self.sandbox.place(path, writing=False) as place:
            return place.path

    def files(self, path: str, *, depth: int, limit: int, seconds: float) -> Listing:
        """What lies beneath a directory, bounded."""
        with _named("list", path):
            return self.sandbox.list_files(path, depth=depth, max_entries=limit, max_seconds=seconds)

    def encoding_of(self, path: str, digest: str) -> Encoding | None:
        """In which encoding the journal knows this version of a file; a file does not change its encoding by itself."""
        if not self.state.exists:
            return None
        try:
            return encoding_known(self.journal, path, digest)
        except EditError:
            return None

    def version_of(self, path: str, digest: str) -> bytes | None:
        """An earlier version of a file by (a beginning of) its digest, if the journal can tell it."""
        return version_named(self.journal, path, digest)

    def change(
        self,
        header: Header,
        lay: Lay,
        *,
        hardlinks: str = "in-place",
        preview: bool = False,
        prune: Callable[[], list[str]] = list,
        progress: Progress | None = None,
    ) -> Change:
        """Lay, lock, verify, commit. Refusals leave the tree as it was; an empty change commits nothing."""
        manner = _Manner(hardlinks, prune, progress, time.monotonic())
        overlay = self._laid(header, lay)
        steps = overlay.steps()
        check_links(steps, hardlinks)
        if preview or not steps:
            return Change(steps, None, overlay.remarks(steps))
        self._open_for_writing()
        for _ in range(_TRIES):
            keys = _keys(overlay)
            with _named("change", ", ".join(overlay.readings)), self._held(keys):
                crashed = self._recovery().touches(keys)
                if not crashed:
                    if not self._still(overlay):
                        overlay = self._laid(header, lay)
                        steps = overlay.steps()
                        check_links(steps, hardlinks)
                    if set(_keys(overlay)) <= set(keys):
                        if not steps:
                            return Change((), None, ())
                        committed = self._write(header, overlay, steps, keys, manner)
                        return Change(steps, committed, overlay.remarks(steps) + committed.warnings)
            if crashed:
                with _named("recover", "the workspace"):
                    reports = self._recovery().run(touching=keys)
                self._report(reports)
                if reports and self._recovery().touches(keys):
                    raise EditError(
                        Kind.BUSY,
                        "; ".join(reports),
                        hint="that transaction holds these files until it is recovered where it was started",
                    )
        raise EditError(Kind.BUSY, "the files keep changing under the edit", hint="try again in a moment")

    def recover(self) -> tuple[str, ...]:
        """Settle what dead processes left; gives a sentence for each thing a person should know."""
        if not self.state.exists or self.read_only:
            return ()
        self._open_for_writing()
        with _named("recover", "the workspace"):
            reports = self._recovery().run()
        self._report(reports)
        return reports

    def _laid(self, header: Header, lay: Lay) -> Overlay:
        overlay = Overlay(self.look if header.verb == "edit" else self.look_again, self.encoding_of)
        lay(overlay)
        return overlay

    def _still(self, overlay: Overlay) -> bool:
        """Whether every file the overlay read is still as it was read."""
        for known in overlay.readings.values():
            now = self.look_again(known.given)
            if now.path != known.path or _facts(now) != _facts(known):
                return False
        return True

    def _write(
        self, header: Header, overlay: Overlay, steps: tuple[FileStep, ...], keys: list[str], manner: _Manner
    ) -> Committed:
        """Commit; an undo that meets a full disk frees the space kept for it and tries once more."""
        try:
            return self._commit(header, overlay, steps, keys, manner)
        except EditError as error:
            unsure = error.kind is not Kind.DISK_REFUSED or error.details.get("state") == "unknown"
            if header.verb == "edit" or unsure or not self._writable().release_reserve():
                raise
        return self._commit(header, overlay, steps, keys, manner)

    def _commit(
        self, header: Header, overlay: Overlay, steps: tuple[FileStep, ...], keys: list[str], manner: _Manner
    ) -> Committed:
        name = new_record_id()
        goals = goals_of(steps, overlay.readings, manner.hardlinks)

        def record_of(made: Mapping[str, tuple[str, ...]]) -> Record:
            files = tuple(change_of(step, made.get(step.after_path or "", ())) for step in steps)
            spent = round((time.monotonic() - manner.started) * 1000)
            return Record(
                name, utc_now(), header.actor, header.task, header.tool, header.reason, header.verb, header.undoes,
                files, duration_ms=spent,
            )  # fmt: skip

        transaction = Transaction(self.sandbox, self.storage, self._writable(), self.state, id=name, keys=keys)
        return transaction.commit(
            goals, record_of, images_of(steps, self._writable()), prune=manner.prune(), progress=manner.progress
        )

    def _open_existing(self) -> None:
        """Recover, if possible; whoever only reads is told and not stopped, whoever writes is refused later."""
        try:
            self.state.check()
            if not self.read_only:
                self.recover()
            elif pending := self.state.intents(sweep=False):
                names = ", ".join(intent.id for intent in pending)
                self._report((f"pending until the workspace is opened for writing: {names}",))
        except EditError as error:
            self._report((f"the journal cannot be used now: {error.message}",))

    def _open_for_writing(self) -> None:
        with self._guard:
            if self.read_only:
                raise EditError(
                    Kind.READ_ONLY, "the workspace was opened for reading only", hint="open it without read_only"
                )
            if self._locks is not None:
                return
            lost = self.state.lost_journal()
            self.state.make()
            journal = open_journal(self._location, timeout=self._timeout)
            if lost is not None:
                journal.append_note("lost", {"message": lost})
                self._report((lost,))
            # An empty one that stood in for it may still be in another thread's hands; it closes when let go.
            self._journal = journal
            self._locks = LockTable(self.state.location / "locks")
            if journal.damage:
                self._report((journal.damage,))

    def _writable(self) -> Journal:
        assert self._journal is not None
        return self._journal

    def _held(self, keys: list[str]) -> contextlib.AbstractContextManager[object]:
        assert self._locks is not None
        return self._locks.hold(keys, timeout=self._timeout)

    def _recovery(self) -> Recovery:
        assert self._locks is not None
        return Recovery(self.sandbox, self.storage, self._writable(), self.state, self._locks)

    def _report(self, sentences: tuple[str, ...]) -> None:
        with self._guard:
            self.warnings = tuple(dict.fromkeys(self.warnings + sentences))


@contextlib.contextmanager
def _named(doing: str, path: str) -> Iterator[None]:
    """Whatever the system refuses inside leaves as a refusal of a named kind."""
    try:
        yield
    except OSError as error:
        raise refuse_os(error, doing, path) from None


def _facts(reading: Reading) -> tuple[object, ...] | None:
    image = reading.image
    if image is None:
        return None
    return image.digest, image.mode, image.nlink > 1, image.uid, image.gid, image.xattrs


def _location(root: Path, journal: str | Path | None) -> str:
    """The state folder as an absolute path, whatever the working directory becomes; another store's URL as it is."""
    given = str(journal) if journal is not None else str(Path(root) / FOLDER)
    if given.startswith("sqlite://"):
        given = given.removeprefix("sqlite://")
    elif "://" in given:
        raise EditError(
            Kind.NOT_INSTALLED,
            f"no journal store for {given.split('://', 1)[0][:20]}:// is installed",
            hint="give a folder for the journal, or leave it out to keep it under the workspace root",
        )
    if not given.strip():
        raise EditError(Kind.BAD_REQUEST, "the journal's place is empty", hint="name a folder, or leave it out")
    folder = os.path.abspath(given)
    if Path(root).resolve().is_relative_to(Path(folder).resolve()):
        raise EditError(
            Kind.BAD_REQUEST,
            "the journal's folder holds the workspace itself",
            hint="name a folder of its own, or leave it out to keep the journal under the root",
        )
    return folder


def _state_dirs(root: Path, location: str) -> tuple[str, ...]:
    """A journal folder beneath the root under another name is as closed as the usual one."""
    with contextlib.suppress(ValueError):
        return (Path(location).resolve().relative_to(Path(root).resolve()).as_posix(),)
    return ()


def _keys(overlay: Overlay) -> list[str]:
    """Every path the overlay looked at, and every inode with several names among them."""
    keys = {reading.lock_key for reading in overlay.readings.values()}
    images = [reading.image for reading in overlay.readings.values() if reading.image is not None]
    keys.update(f"inode {image.dev} {image.ino}" for image in images if image.nlink > 1)
    return sorted(keys)
