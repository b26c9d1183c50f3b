"""One workspace on disk: sandbox, locks, journal and state folder behind a few verbs: look, lock, commit, recover.

Knows nothing of edits: whoever changes files plans them on an overlay, locks what the overlay has read, asks whether
that is unchanged, and commits. The session owns that loop (`session/editor.py`).

1. A refused or previewed change leaves no trace, not even a state folder.
2. Nothing is written without the locks of every path involved, a journal that works, and digests
   compared under those locks.
3. A read-only store makes no mutating system call beneath the root.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import OpenForWriting
from steadyhand.lazy import replace
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source
from steadyhand.workspace.files.protection import Protect
from steadyhand.workspace.files.sandbox import DEFAULT_MAX_BYTES, FileImage, Sandbox, lock_key_of
from steadyhand.workspace.files.storage import Storage, refuse_os
from steadyhand.workspace.journal.record import Hold, Party, Verb
from steadyhand.workspace.journal.store import Journal, Progress, open_journal
from steadyhand.workspace.location import Location
from steadyhand.workspace.locks import LockTable, hold_files
from steadyhand.workspace.overlay import FileOp, FileReading, Header, LatestRecords, Overlay, read_text
from steadyhand.workspace.state import StateFolder, sweep, this_machine
from steadyhand.workspace.transaction import Committed, HeldLocks, Transaction

if TYPE_CHECKING:
    from steadyhand.workspace.files.listing import Limits, Listing
    from steadyhand.workspace.journal.index import Recalled
    from steadyhand.workspace.journal.recover import Recovery


_LOST = "the journal was removed or replaced while it was in use; what was recorded before is gone"
_MACHINE_FINISHES = 1.0  # seconds
_RECOVERIES = 50  # of processes that crash in the same files one after another


class _Call(threading.local):
    """What this thread has found out for the call that it makes, as it looked around."""

    is_under_way = False
    has_folder: bool | None = None


class _UnderWay:
    """The block of a call that has looked around."""

    __slots__ = ("_call", "_is_inner")

    def __init__(self, call: _Call) -> None:
        self._call = call

    def __enter__(self) -> None:
        self._is_inner, self._call.is_under_way = self._call.is_under_way, True

    def __exit__(self, *_: object) -> None:
        self._call.is_under_way = self._is_inner
        self._call.has_folder = None


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
        self.location = Location.of(root, journal)
        self._timeout = lock_timeout
        self._open_root = partial(
            Sandbox, root, storage=self.storage, allow=allow, protect=protect, extensions=extensions,
            one_filesystem=one_filesystem, state_dirs=self.location.state_dirs(root),
            max_bytes=DEFAULT_MAX_BYTES if max_bytes is None else max_bytes,
        )  # fmt: skip
        with _named("open", "the workspace"):
            self.sandbox = self._open_root()
        self.state = StateFolder(self.location.folder, self.storage)
        self._guard = threading.RLock()
        self._call = _Call()
        self._journal: Journal | None = None
        self._locks: LockTable | None = None
        self._former: list[Sandbox] = []  # roots that were replaced; other threads may be at work there
        self._tree_name: str | None = None
        self._is_unwritable = False  # whoever writes tries again, whoever reads does not
        self._losses: tuple[str, ...] = ()
        self._swept: set[str] = set()  # directories where what a power cut left was looked for
        self._unswept: set[str] = set()  # those where a listing has seen temporaries
        self.generation = 0
        self.warnings: tuple[str, ...] = ()
        if self.state.exists:
            self._open_existing()

    def close(self) -> None:
        with self._guard:
            if self._journal is not None:
                with contextlib.suppress(EditError, OSError):
                    self._settle_own()
                self._journal.close()
                self._journal = None
            self.state.close()
            for sandbox in (self.sandbox, *self._former):
                with contextlib.suppress(OSError):
                    sandbox.close()

    def _settle_own(self) -> None:
        """What the journal could not confirm when it was done; nobody else may do it while this machine is away."""
        if self._locks is not None and any(intent.pid == os.getpid() for intent in self.state.intents()):
            self._recovery().run()

    @property
    def journal(self) -> Journal:
        """The journal, for reading; where none was ever written, an empty one that leaves no trace."""
        if self._call.is_under_way and self._locks is not None and self._journal is not None:
            return self._journal
        with self._guard:
            self._look_around()
            is_closed = self._locks is None and not self.read_only and not self._is_unwritable
            if is_closed and self.state.exists and not self.location.moved_to():
                self._open_if_writable()  # somebody else made it meanwhile
            if self._journal is None:
                self._journal = self._open_to_read()
            return self._journal

    def _open_if_writable(self) -> None:
        """Open for writing; where the disk may only be read, remember that, and read."""
        try:
            self._open_for_writing()
        except EditError as error:
            if error.kind is not Kind.READ_ONLY:
                raise
            self._is_unwritable = True

    def one_call(self) -> contextlib.AbstractContextManager[None]:
        """Look around once for everything that is done in the block, and again under the locks."""
        self._look_around()
        return _UnderWay(self._call)

    def has_journal(self) -> bool:
        """Whether a journal was ever begun. A call looks for it once, and again under the locks."""
        if not self._call.is_under_way:
            return self.state.exists
        if self._call.has_folder is None:  # an open journal was found in its place when the call looked around
            is_open = self._locks is not None and self.location.url is None
            self._call.has_folder = is_open or self.state.exists
        return self._call.has_folder

    def _look_around(self, *, again: bool = False) -> None:
        """Let go of a root or a journal that was removed, moved or replaced since it was opened.

        What is there now is opened when it is next asked for. `generation` grows: row numbers mean something else then.
        """
        if self._call.is_under_way and not again:
            return
        self._call.has_folder = None
        with self._guard:
            if self.sandbox.is_replaced():
                opened = self._open_root()
                self._former.append(self.sandbox)
                self.sandbox = opened
                self._swept.clear()
            journal = self._journal
            if journal is None or journal.is_in_place:
                return
            # Another thread may still have it in its hands: it refuses to write, and closes when it is let go.
            self._journal = self._locks = None
            with contextlib.suppress(EditError):
                if journal.head() == 0:
                    return
            self.generation += 1
            self._losses += (_LOST,)
            self._report((_LOST,))

    def note_emptied(self) -> None:
        """Note that nothing is held any more, where something was; here nothing ever is."""

    def take_losses(self) -> tuple[str, ...]:
        """What was lost since the last call that could say so; each is given once."""
        with self._guard:
            losses, self._losses = self._losses, ()
            return losses

    def take_damage(self) -> tuple[str, ...]:
        """What this thread's questions have left out because it is damaged, since it was last asked; each once."""
        journal = self._journal
        damage = () if journal is None else journal.damage_met()
        if not damage:
            return ()
        from steadyhand.workspace.history.file_history import damage_named

        return tuple(map(damage_named, damage))

    def writable_journal(self) -> Journal:
        """The journal, for appending; made if missing. Refuses with `read-only`."""
        if not self._call.is_under_way or self._locks is None:
            self._open_for_writing()
        return self.opened_journal()

    def look(self, path: str) -> FileReading:
        """What is at a path, for whoever means to change it."""
        return self._look(path, known_name=False)

    def look_again(self, path: str) -> FileReading:
        """The same for a name that was here before, and so need not be one every system takes."""
        return self._look(path, known_name=True)

    def _look(self, path: str, *, known_name: bool, known: FileImage | None = None) -> FileReading:
        with _named("look at", path):
            place = self.sandbox.place(path, writing=True, known_name=known_name)
            try:
                image = None if place.found is None else self.sandbox.read(place, known, found=place.found)
            finally:
                place.close()
        key = lock_key_of(place.path)
        return FileReading(path, place.path, key, image, place.flagged, place.secret, place.via_symlink)

    def read(self, path: str) -> tuple[str, FileImage]:
        """A file for whoever only reads it: its resolved path and what is there."""
        self._look_around()
        with _named("read", path), self.sandbox.place(path, writing=False) as place:
            return place.path, self.sandbox.read(place, found=place.found)

    def is_secret(self, path: str) -> bool:
        """Whether what is at a path is not to be kept."""
        with _named("look at", path), self.sandbox.place(path, writing=False) as place:
            return place.secret

    def head(self) -> int:
        """The last row of the journal; 0 where there is none, or none that can be read now."""
        try:
            journal = self.known_journal()
            return 0 if journal is None else journal.head()
        except EditError:
            return 0

    def known_journal(self) -> Journal | None:
        """The journal, for reading; None where none was ever written."""
        if self._call.is_under_way and self._locks is not None:
            return self._journal
        return self.journal if self.has_journal() else None

    def resolve(self, path: str) -> str:
        """Where a path leads, whether or not a file is there."""
        with _named("resolve", path), self.sandbox.place(path, writing=False) as place:
            return place.path

    def files(self, path: str, limits: Limits) -> Listing:
        """What lies beneath a directory, bounded."""
        with _named("list", path):
            found = self.sandbox.list_beneath(path, limits)
        if found.temporaries:
            with self._guard:
                self._unswept |= set(found.temporaries) - self._swept
        return found

    def text_of(self, path: str, image: FileImage, encoding: str | None = None) -> Source:
        """A file that was read as text: in the encoding asked for, else in the one that the journal knows."""
        return read_text(image.data, encoding, partial(self.encoding_of, path, image.digest), path, image.digest)

    def encoding_of(self, path: str, digest: str, journal: Journal | None = None) -> Encoding | None:
        """In which encoding the journal, or the one given, knows this version of a file, which keeps it."""
        try:
            journal = self.known_journal() if journal is None else journal
            latest = None if journal is None else journal.latest(path)
            if journal is None or latest is None:
                return None
            change = latest.record.arriving(path)
            if change is None or change.encoding is None:  # moved, or removed, by a change that read no text
                from steadyhand.workspace.history.file_history import encoding_known

                return encoding_known(journal, path, digest)
        except EditError:
            return None
        is_same = change.after is not None and change.after.digest == digest
        known = change.encoding if is_same else None
        return known if known is None or known.chosen_by == "journal" else replace(known, chosen_by="journal")

    def recalling(
        self, paths: Iterable[str], party: Party | None
    ) -> contextlib.AbstractContextManager[Recalled | None]:
        """Ask the journal about these files at once, for as long as the block lasts; see `Journal.recalling`."""
        journal = self.known_journal()
        return contextlib.nullcontext() if journal is None else journal.recalling(paths, party=party)

    def may_have_leases(self) -> bool:
        """Whether somebody may have announced a lease; within `recalling` that costs no question of its own."""
        try:
            journal = self.known_journal()
            return journal is not None and journal.has_leases()
        except EditError:
            return True

    def version_of(self, path: str, digest: str) -> bytes | None:
        """An earlier version of a file by (a beginning of) its digest, if the journal can tell it."""
        from steadyhand.workspace.history.file_history import version_named

        return version_named(self.journal, path, digest)

    def overlay(self, verb: Verb = "edit") -> Overlay:
        """The tree as it is now, to plan a change on; what is planned reads it file by file."""
        return Overlay(self.look if verb == "edit" else self.look_again, self.encoding_of)

    @contextlib.contextmanager
    def locked(self, overlay: Overlay, *, files: bool = True) -> Iterator[HeldLocks]:
        """The locks of everything that an overlay has looked at; without those of the files themselves where nothing
        on the disk is to change.

        What a process left that died in its change is recovered first: it would pass for a change from outside.
        """
        self._look_around(again=True)
        self._open_for_writing()
        self._sweep(overlay)
        try:
            for _ in range(_RECOVERIES):
                with self._held(overlay, files=files) as held:
                    # Without a note nothing is left over here; where machines share a tree, one may not be seen yet.
                    if not (held.hold.number or self.state.intents()) or not self._touches(held):
                        yield held
                        return
                self._settle_crashed(held.keys)
        except OSError as error:
            raise refuse_os(error, "change", ", ".join(overlay.readings)) from None
        raise EditError(Kind.BUSY, "other processes keep crashing on these files", hint="try again in a moment")

    def _touches(self, held: HeldLocks) -> bool:
        return self._recovery().touches(held.keys, held.hold)

    def check(self, ops: Sequence[FileOp], hardlinks: str) -> None:
        """Refuse what may not be done to these files: through hard links, or to what git takes for a repository."""
        from steadyhand.workspace.overlay import check_links

        check_links(ops, hardlinks)
        self.sandbox.check_repositories([op.before_path for op in ops], [op.after_path for op in ops])

    def is_unchanged(self, overlay: Overlay, ops: Sequence[FileOp], held: HeldLocks) -> bool:
        """Whether every file the overlay read is still as it was read. Asked under the locks.

        For a file that the commit changes, what `stat` showed when it was locked, or when its place was found where so
        many files are not locked one by one, is enough: the commit compares the bytes that it takes away. Others are
        read again.
        """
        changed = {op.before_path for op in ops}
        for known in overlay.readings.values():
            image, place = known.image, held.files.place(known.path) if known.given == known.path else None
            locked = None if image is None or place is None else held.files.find(image)
            found = locked[1] if locked is not None else place.found if place is not None else None
            if image is not None and found is not None and known.path in changed:
                if not image.looks_like(found):
                    return False
            elif place is not None:  # where the path leads was found out when the file was locked
                with _named("look at", known.path):
                    now = None if self.sandbox.stat(place) is None else self.sandbox.read(place, image)
                if _facts(now) != _facts(image):
                    return False
            else:
                reading = self._look(known.given, known_name=True, known=image)
                if reading.path != known.path or _facts(reading.image) != _facts(image):
                    return False
        return held.files.cover(overlay.images())

    def latest(
        self,
        ops: Sequence[FileOp],
        paths: Iterable[str] = (),
        known: Recalled | None = None,
        party: Party | None = None,
        journal: Journal | None = None,
    ) -> LatestRecords:
        """The newest records of the files that a change is about to replace, and of `paths`, asked for at once, with
        what the party has seen of them.

        `known` is what was recalled for the plan; it is asked again only if the journal has grown since.
        """
        journal = journal or self.opened_journal()
        found = LatestRecords(journal)
        asked = set(paths)
        for op in ops:
            asked |= set() if op.before_path is None else {op.before_path}
        is_known = known is not None and asked <= known.paths and journal.has_recalled(known) and known.is_current()
        recalled = known if known is not None and is_known else journal.recalling(asked, party=party)
        with recalled:
            for path in asked:
                found.of(path)
            try:
                found.may_have_leases = journal.has_leases()
            except EditError:
                pass
        found.recalled = recalled
        return found

    def has_locked(self, overlay: Overlay, held: HeldLocks) -> bool:
        """Whether the locks are those of everything the overlay has looked at."""
        return set(overlay.lock_keys()) <= set(held.keys) and held.files.cover(overlay.images())

    def commit(
        self,
        id: str,
        header: Header,
        overlay: Overlay,
        ops: tuple[FileOp, ...],
        held: HeldLocks,
        *,
        hardlinks: str = "refuse",
        prune: Sequence[str] = (),
        progress: Progress | None = None,
        started: float | None = None,
        latest: LatestRecords | None = None,
    ) -> Committed:
        """Write the files and their record `id`. The caller has asked `is_unchanged` or planned under these locks.

        `latest` is what was asked for these operations under the same locks, if anything was.
        """
        from steadyhand.workspace.overlay import images_of, name_changes, outside_notes

        known = self.latest(ops) if latest is None else latest
        names = name_changes(ops, overlay.readings, hardlinks)
        transaction = Transaction(self.sandbox, self.storage, self.opened_journal(), self.state, id=id, held=held)
        outside, images = outside_notes(ops, known), images_of(ops, known)
        committed = transaction.commit(
            header, ops, names, images,
            prune=prune, progress=progress, started=time.monotonic() if started is None else started,
        )  # fmt: skip
        for note in outside:
            with contextlib.suppress(EditError):
                self.opened_journal().append_note("outside", note)
        return committed

    def made_room(self, verb: Verb, error: EditError) -> bool:
        """Whether a full disk has room now: for what takes a change back, space is kept that can be freed once."""
        is_full = error.kind is Kind.DISK_REFUSED and error.details.get("state") != "unknown"
        return is_full and verb != "edit" and self.opened_journal().release_reserve()

    def _sweep(self, overlay: Overlay) -> None:
        """Remove what a power cut left in the directories of a change, and in those listed before: once for each."""
        used = {path.rpartition("/")[0] for path in overlay.readings}
        with self._guard:
            directories = (used | self._unswept) - self._swept
            self._swept |= directories
            self._unswept.clear()
        for directory in directories:
            with contextlib.suppress(OSError, EditError):  # one that is yet to be made, or gone
                self._report(sweep(self.sandbox, self.state, self.opened_journal(), directory))

    def recover(self) -> tuple[str, ...]:
        """Settle what dead processes left; gives a sentence for each thing a person should know."""
        if not self.state.exists or self.read_only:
            return ()
        self._open_for_writing()
        with _named("recover", "the workspace"):
            reports = self._recovery().run()
        self._report(reports)
        return reports

    def _settle_crashed(self, keys: Sequence[str]) -> None:
        """Recover what dead processes left of these files. Refuses with `busy` what only another machine can."""
        with _named("recover", "the workspace"):
            reports = self._recovery().run(touching=keys)
        self._report(reports)
        if reports and self._recovery().touches(keys, Hold()):
            raise EditError(
                Kind.BUSY,
                "; ".join(reports),
                hint="that transaction holds these files until it is recovered where it was started",
            )

    def _open_existing(self) -> None:
        """Recover, if possible; whoever only reads is warned and not stopped, whoever writes is refused later."""
        try:
            self.state.check()
            if not self.read_only and not self.location.moved_to():
                self._open_if_writable()
            if not self.read_only and not self._is_unwritable:
                self.recover()
            elif pending := self.state.intents(sweep=False):
                names = ", ".join(intent.id for intent in pending)
                self._report((f"pending until the workspace is opened for writing: {names}",))
        except EditError as error:
            self._report((f"the journal cannot be used now: {error.message}",))

    def _open_for_writing(self) -> None:
        with self._guard:
            if self.read_only:
                raise EditError(Kind.READ_ONLY, "the workspace was opened for reading only", hint=OpenForWriting())
            self._look_around()
            self._call.has_folder = None  # it is made here
            if self._locks is not None:
                # The journal may be elsewhere, or only the rooms beside it were removed.
                if not self.state.has_notes_room() and not self.state.is_whole:
                    self.state.make()
                    if self.location.url:
                        self.location.make_root_id(self._tree_name)
                self._call.has_folder = True
                return
            self.location.check_here()
            lost = None if self.location.url else self.state.lost_journal()
            self.state.make()
            name = self._tree_name = self.location.make_root_id(self._tree_name) if self.location.url else None
            journal = open_journal(self.location.journal, timeout=self._timeout, name=name)
            if self.location.url:
                self.location.mark_moved(self.location.shown)
            for loss in self._losses or ((lost,) if lost is not None else ()):
                journal.append_note("lost", {"message": loss})
                self._report((loss,))
            # An empty one that took its place may still be in another thread's hands; it closes when let go.
            self._journal = journal
            self._locks = LockTable(self._lock_folder())
            if journal.damage:
                self._report((journal.damage,))

    def _open_to_read(self) -> Journal:
        """A journal that is only read; where none was ever made, an empty one that leaves no trace."""
        name = self.location.root_id() if self.location.url else None
        if self.location.url and name is None:
            return open_journal(self.location.folder, read_only=True)
        return open_journal(self.location.journal, read_only=True, timeout=self._timeout, name=name)

    def _lock_folder(self) -> Path:
        """Lock files speak for one machine; between machines that share a tree the journal's own locks do."""
        folder = self.state.location / "locks"
        return folder / hashlib.sha256(this_machine().encode()).hexdigest()[:12] if self.location.url else folder

    def opened_journal(self) -> Journal:
        """The journal as it was opened for writing: for whoever holds locks, which another one would not know."""
        journal = self._journal
        if journal is None:
            raise self._let_go()
        return journal

    def _let_go(self) -> EditError:
        """Another thread met that the journal was removed while this one was about to use it, and let go of it."""
        from steadyhand.workspace.journal.sqlite_file import moved

        return moved(self.location.folder)

    @contextlib.contextmanager
    def _held(self, overlay: Overlay, *, files: bool) -> Iterator[HeldLocks]:
        """The right to change what an overlay has looked at: against the processes of this machine that use this
        journal, then against other machines, then against whoever reaches the same files in another way.
        """
        locks, keys = self._locks, overlay.lock_keys()
        if locks is None:
            raise self._let_go()
        # A machine that is suspended has lost the journal's locks and can change nothing, but not those of the files.
        alone = self.location.url is None
        timeout = self._timeout if alone else min(self._timeout, _MACHINE_FINISHES)
        with locks.hold(keys, timeout=self._timeout):
            self.location.check_here()
            with (
                self.opened_journal().hold(keys, timeout=self._timeout) as hold,
                hold_files(self.sandbox, overlay.readings if files else {}, timeout=timeout, required=alone) as locked,
            ):
                yield HeldLocks(hold, keys, locked)

    def _recovery(self) -> Recovery:
        from steadyhand.workspace.journal.recover import Recovery

        locks = self._locks
        if locks is None:
            raise self._let_go()
        return Recovery(self.sandbox, self.storage, self.opened_journal(), self.state, locks)

    def _report(self, sentences: tuple[str, ...]) -> None:
        with self._guard:
            self.warnings = tuple(dict.fromkeys(self.warnings + sentences))


class _named:  # noqa: N801  # a context manager, as those of contextlib read
    """Whatever the system refuses inside leaves as a refusal of a named kind."""

    __slots__ = ("_doing", "_path")

    def __init__(self, doing: str, path: str) -> None:
        self._doing = doing
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            raise refuse_os(error, self._doing, self._path) from None


def _facts(image: FileImage | None) -> tuple[object, ...] | None:
    return (image.digest, image.mode, image.nlink > 1, image.uid, image.gid, image.xattrs) if image else None
