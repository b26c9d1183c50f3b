"""Several files, all or nothing: stage, prepare, apply, settle.

The caller holds the locks of every path and has verified that each file is what the ops say it is.

Invariants (tests/faults kills and fails the process at every single storage call):

 1. Until the journal says `prepared`, no file has changed; whatever fails undoes only our own temporaries.
 2. `prepared` is durable and says enough to finish the transaction and enough to take it back.
 3. Every temporary is named in the intent note before it is made, and lies beside the file it is for. Its own name says
    enough to find it without the note.
 4. A name changes in one step (or, for a file that must stay the same one, by writing in place after its new
    content is safe beside it); at each instant it is the old or the new file, or recovery can tell which.
    Nothing is overwritten or removed unseen: the new file is exchanged for whatever has the name in that instant, and
    that is looked at. If it is not the file that was verified, byte by byte, or somebody still has it open for
    writing, everything is put back. What cannot be put back, because somebody saved over our file too, is kept.
 5. Names appear before names vanish.
 6. A failure after `prepared` takes back what was done, in reverse; if that fails too, the record stays
    prepared and recovery decides.
 7. After the last rename the answer is never "failed": if durability cannot be confirmed, the receipt says so.
 8. An fsync is never repeated.
 9. The intent note goes last, when nothing it names is left and the journal knows the end: nobody builds on less.
10. The new file is locked before it takes its name, and stays so until the end: nobody builds on what may be put back.
11. Between `prepared` and the first rename the locks are asked for once more: whoever lost them changes nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Mapping, Sequence
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.workspace.files.sandbox import FileImage, Place, Sandbox
from steadyhand.workspace.files.storage import DIRECTORY, NOFOLLOW, NONBLOCK, Storage, closing, holds, refuse_os, shut
from steadyhand.workspace.files.writer import (
    Identity,
    Unconfirmed,
    Written,
    check_writable,
    exchange,
    has_only,
    identity,
    is_torn,
    missing_directories,
    open_elsewhere,
    put_back,
    remove_empty_directory,
    stage,
    stale,
    sync_directories,
    wait_for_writers,
    write_in_place,
    write_temporary,
)
from steadyhand.workspace.journal.record import Hold, Record, Staging, State, utc_now
from steadyhand.workspace.journal.store import Journal, Progress
from steadyhand.workspace.locks import FileLocks
from steadyhand.workspace.overlay import FileOp, Header, NameChange, OpKind, change_of
from steadyhand.workspace.state import BACK, IN_PLACE, OLD, Intent, StateFolder, temp_name, this_machine

_OURS_ALONE: Final = 0o600
BESIDE: Final = ("", OLD, BACK)
"""What follows a temporary's name: the new file or the old one in exchange, the old one, and one made again."""


@dataclass(frozen=True, slots=True)
class Committed:
    """How a transaction ended when it ended well; `seq` is its row in the journal."""

    record: Record
    seq: int
    durable: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldLocks:
    """What the caller holds for the transaction: the keys of its paths, as one machine and as all of them know them,
    and the files themselves.
    """

    hold: Hold
    keys: Sequence[str]
    files: FileLocks


@dataclass(slots=True)
class _Work:
    """A name that is changed: what becomes of it, where that happens and what lies beside it.

    `before` is the file that has the name, and `op` says what is to have it. `locked` is the handle that holds the old
    file's lock, and what that file was when it was locked. `new` is the file that was staged, `aside` where the old one
    is once the name has changed ("" if it is nowhere). `moves`: the old file gets another name; `is_moved`: it is what
    was staged.
    """

    path: str
    kind: OpKind
    before: FileImage | None
    op: FileOp
    place: Place
    temp: str
    dir_fd: int
    locked: tuple[int, os.stat_result] | None = None
    made_dirs: tuple[str, ...] = ()
    new: Identity | None = None
    aside: str = ""
    moves: bool = False
    is_moved: bool = False
    done: bool = False
    is_sure: bool = False

    @property
    def old(self) -> str:
        return self.temp + OLD

    @property
    def link_from(self) -> str | None:
        """The name of the file that moves here unchanged, so that even its inode stays."""
        op = self.op
        return op.before_path if op.is_rename and op.keeps_content and op.mode is None else None


class Transaction:
    """One commit. Made for one use by one thread."""

    def __init__(
        self, sandbox: Sandbox, storage: Storage, journal: Journal, state: StateFolder, *, id: str, held: HeldLocks
    ) -> None:
        self._sandbox = sandbox
        self._storage = storage
        self._journal = journal
        self._state = state
        self._id = id
        self._held = held
        self._work: list[_Work] = []
        self._by_path: dict[str, _Work] = {}
        self._temps: list[tuple[str, str]] = []
        self._machine = this_machine()
        self._fds: list[int] = []
        self._warnings: list[str] = []
        self._kept: list[dict[str, str]] = []

    def commit(
        self,
        header: Header,
        ops: Sequence[FileOp],
        names: Sequence[NameChange],
        images: Mapping[str, bytes],
        *,
        started: float,
        prune: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Committed:
        """Carry out the ops, which change these names on the disk; the call that asks for it began at `started`.

        Refuses with `disk-refused` and its kin, every file as it was.
        """
        try:
            self._open_places(names)
            self._state.note_intent(self._intent(prune))
            try:
                made = self._make_parents()
                self._stage_all(progress)
                for work in self._work:
                    self._check_unmoved(work)
                record = self._record(header, ops, made, started)
                seq = self._journal.prepare(record, self._staging(), images, urgent=record.verb != "edit")
            except BaseException as error:
                if not _may_be_prepared(error):
                    self._discard()
                raise
            self._check_held()
            self._apply_all()
            self._drop_replaced()
            durable = self._make_durable()
            is_settled = self._settle()
            self._clean(prune, is_settled=is_settled)
            return Committed(record, seq, durable and is_settled, tuple(self._warnings))
        finally:
            self._close()

    def _record(
        self, header: Header, ops: Sequence[FileOp], made: Mapping[str, tuple[str, ...]], started: float
    ) -> Record:
        """What the journal keeps of it; `made` are the directories that were made for each path."""
        files, trace = tuple([change_of(op, made.get(op.after_path or "", ())) for op in ops]), header.trace
        spent = round((time.monotonic() - started) * 1000)
        return Record(
            self._id, utc_now(), header.actor, header.task, header.tool, header.reason, header.verb, header.undoes,
            files, None if trace is None else trace.arguments, None if trace is None else trace.model, spent,
            None if trace is None else trace.call, header.dialect,
        )  # fmt: skip

    def _check_held(self) -> None:
        """Whoever was paused so long that others may have taken its locks changes nothing."""
        if self._journal.still_holds(self._held.hold, self._held.keys):
            return
        with contextlib.suppress(EditError):
            self._journal.settle(self._id, State.ABORTED, "the locks were lost")
            self._discard()
        raise EditError(
            Kind.BUSY,
            "the locks were lost before anything was changed",
            hint="send the same call again",
            details={"record": self._id},
        )

    def _open_places(self, names: Sequence[NameChange]) -> None:
        mark = self._state.mark(self._machine)
        for index, (path, kind, before, op) in enumerate(names):
            place = self._held.files.place(path)
            if place is None:
                place = self._sandbox.place(path, writing=True, known_name=True)
                self._fds.append(place.dir_fd)
            temp = temp_name(self._id, index, mark, None if kind == "remove" else op.digest)
            temp += IN_PLACE if kind == "in-place" else ""
            locked = None if before is None else self._held.files.find(before)
            work = self._by_path[path] = _Work(path, kind, before, op, place, temp, place.dir_fd, locked)
            self._work.append(work)
            folder, slash, _ = path.rpartition("/")
            self._temps.append((path, folder + slash + temp))
            if place.path != path:
                raise EditError(
                    Kind.STALE_SOURCE,
                    f"{path} now points to {place.path}",
                    hint="somebody replaced a directory in the meantime; try again",
                )

    def _intent(self, prune: Sequence[str]) -> Intent:
        missing: list[str] = []
        for work in self._work:
            missing += missing_directories(work.place) if work.place.missing else ()
        return Intent(
            self._id, self._machine, os.getpid(), tuple(self._temps), tuple(self._held.keys),
            tuple(dict.fromkeys(missing)), tuple(prune),
        )  # fmt: skip

    def _staging(self) -> Staging:
        fence = self._held.hold.number
        return Staging(self._machine, os.getpid(), tuple(self._temps), tuple(self._held.keys), fence)

    def _make_parents(self) -> dict[str, tuple[str, ...]]:
        """Directories the new names need; made once, even when several names need them."""
        made: dict[str, tuple[str, ...]] = {}
        for work in self._work:
            if work.kind != "create" or not work.place.missing:
                continue
            for path, name in zip(missing_directories(work.place), work.place.missing, strict=True):
                self._make_directory(work, name, path)
            made[work.path] = work.made_dirs
        return made

    def _make_directory(self, work: _Work, name: str, path: str) -> None:
        made = True
        try:
            try:
                self._storage.mkdir(name, dir_fd=work.dir_fd)
                work.made_dirs += (path,)
            except FileExistsError:
                made = False
            child = self._storage.open(name, os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=work.dir_fd)
            self._fds.append(child)
            if made:
                self._storage.fsync_dir(work.dir_fd)
        except OSError as error:
            raise refuse_os(error, "make a directory", path) from None
        work.dir_fd = child

    def _stage_all(self, progress: Progress | None) -> None:
        """Write all temporaries, and wait until they are on the medium."""
        written = Unconfirmed(self._storage, len(self._work))
        try:
            for done, work in enumerate(self._work, 1):
                if progress is not None:
                    progress(done, len(self._work))
                if work.kind in ("remove", "mode"):
                    continue
                # Behind a name that another file had, one who saves there would write to the very file that moves.
                link_from = None if work.kind == "replace" else work.link_from
                if link_from is None or not self._stage_link(work, link_from):
                    written.add(self._write_temporary(work))
                if work.kind != "in-place":
                    self._mark_new(work)
            written.confirm()
        finally:
            written.close()
        for work in self._work:
            if work.kind == "in-place":
                self._fsync_staged(work)

    def _write_temporary(self, work: _Work) -> Written:
        op = work.op
        assert op.data is not None
        if work.kind in ("replace", "in-place"):
            check_writable(self._storage, work.place)
        like, mode = op.before or op.like, op.mode
        losses: tuple[str, ...] = ()
        if work.kind == "in-place":
            like, mode = None, _OURS_ALONE  # it never takes the name: only its content counts
        elif op.before is None and like:
            losses = ("owner", "group", "acl", *(name for name, _ in like.xattrs))
        written, notes = write_temporary(
            self._storage, work.dir_fd, op.data,
            temp_name=work.temp, like=like, mode=mode, path=work.path, may_lose=losses,
        )  # fmt: skip
        for note in notes:
            self._warnings.append(f"{work.path}: {note}")
        return written

    def _mark_new(self, work: _Work) -> None:
        """Know the staged file again, and lock it before it takes its name."""
        try:
            if self._held.files.is_waived:
                work.new = identity(self._storage, work.dir_fd, work.temp)
            else:
                _, found = self._held.files.add_file(work.temp, dir_fd=work.dir_fd)
                work.new = found.st_dev, found.st_ino
        except OSError as error:
            raise refuse_os(error, "stage", work.path) from None

    def _fsync_staged(self, work: _Work) -> None:
        """Writing in place may tear the file, so its new content must be findable after a power cut."""
        try:
            self._storage.fsync_dir(work.dir_fd)
        except OSError as error:
            raise refuse_os(error, "stage", work.path) from None

    def _stage_link(self, work: _Work, path: str) -> bool:
        """A file that only moves keeps its inode; where links are not to be had it is copied."""
        origin = self._by_path[path]
        try:
            self._storage.link(origin.place.name, work.temp, before_dir_fd=origin.dir_fd, after_dir_fd=work.dir_fd)
        except OSError as error:
            if error.errno in (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP):
                return False
            raise refuse_os(error, "stage the rename", work.path) from None
        origin.moves = work.is_moved = True
        return True

    def _check_unmoved(self, work: _Work) -> None:
        """Refuse where something else is at work on a file: before the journal has the change, and right before the
        name changes. The exchange decides, but a name that shows the new text for an instant may mislead who reads it.
        """
        before = work.before
        if before is None or work.locked is None:
            return
        fd, at_first = work.locked
        try:
            if work.kind != "mode" and not work.moves and wait_for_writers(self._storage, fd):
                raise open_elsewhere(work.path)
            found = self._storage.stat(work.place.name, dir_fd=work.dir_fd)
        except FileNotFoundError:
            raise stale(work.path) from None
        except OSError as error:
            raise refuse_os(error, "look at", work.path) from None
        if not before.is_of(found) or (found.st_size, found.st_mtime_ns) != (before.size, at_first.st_mtime_ns):
            raise stale(work.path)

    def _apply_all(self) -> None:
        path = self._work[0].path
        try:
            for work in self._work:
                path = work.path
                self._apply(work)
            for work in self._work:
                if work.aside and not work.is_sure:  # nobody could say whether somebody was still writing to it
                    self._check_old(work)
        except (OSError, EditError) as error:
            self._take_back()
            refusal = refuse_os(error, "replace", path) if isinstance(error, OSError) else error
            raise (refusal.with_details(kept=self._kept) if self._kept else refusal) from None
        # An interrupt between a rename and its mark leaves the record prepared: recovery looks at the files themselves.

    def _apply(self, work: _Work) -> None:
        op, name, storage = work.op, work.place.name, self._storage
        match work.kind:
            case "create":
                storage.rename_noreplace(work.temp, name, before_dir_fd=work.dir_fd, after_dir_fd=work.dir_fd)
            case "replace":
                self._check_unmoved(work)
                try:
                    work.aside = exchange(
                        storage, work.dir_fd, work.temp, name, spare=work.temp + OLD, expected=work.before,
                        mtime_ns=None if work.locked is None else work.locked[1].st_mtime_ns, path=work.path,
                    )  # fmt: skip
                except FileNotFoundError:  # gone in the very instant of its change: somebody else's doing
                    raise stale(work.path) from None
                work.done = True
                self._check_old(work)
            case "in-place":
                self._write_in_place(work)
            case "remove":
                self._check_unmoved(work)
                try:
                    storage.rename_noreplace(name, work.old, before_dir_fd=work.dir_fd, after_dir_fd=work.dir_fd)
                except FileNotFoundError:
                    raise stale(work.path) from None
                work.aside, work.done = work.old, True
                self._check_old(work)
            case "mode":
                assert op.mode is not None
                self._set_mode(work, op.mode)
        work.done = True

    def _check_old(self, work: _Work) -> None:
        """Refuse what came out of an exchange if it is not what was verified, or if somebody has it open for writing.

        Bytes are compared because times are coarse. Nobody can open the file by its name any more, so once nobody has
        it open for writing its bytes are final.
        """
        if not work.aside:
            return
        before, storage = work.before, self._storage
        assert before is not None
        if not before.is_of(storage.stat(work.aside, dir_fd=work.dir_fd)):
            raise stale(work.path)
        fd = work.locked[0] if work.locked else self._open(work.aside, work.dir_fd)
        try:
            has_writer = None if work.moves else wait_for_writers(self._storage, fd)
            if not holds(storage, fd, before.data):
                raise stale(work.path)
        finally:
            if not work.locked:
                shut(storage, fd)
        if has_writer:
            raise open_elsewhere(work.path)
        work.is_sure = has_writer is False

    def _open(self, name: str, dir_fd: int) -> int:
        return self._storage.open(name, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd)

    def _write_in_place(self, work: _Work) -> None:
        op = work.op
        assert op.data is not None and work.before is not None
        if self._read_present(work) != work.before.data:
            raise stale(work.path)
        work.done = True  # even half of it must be taken back
        write_in_place(self._storage, work.place, op.data, work.before)
        if op.mode is not None:
            self._set_mode(work, op.mode)
        self._warnings.append(f"{work.path} was written in place, because {_why_in_place(work.before)}")

    def _read_present(self, work: _Work) -> bytes | None:
        """The bytes at the name, if it still means the file that was verified."""
        before = work.before
        assert before is not None
        with closing(self._open(work.place.name, work.dir_fd), self._storage) as fd:
            found = self._storage.fstat(fd)
            if (found.st_dev, found.st_ino) != (before.dev, before.ino):
                return None
            return self._storage.read_at(fd, max(found.st_size, before.size) + 1, 0)

    def _set_mode(self, work: _Work, mode: int) -> None:
        assert work.before is not None
        with closing(self._open(work.place.name, work.dir_fd), self._storage) as fd:
            found = self._storage.fstat(fd)
            if (found.st_dev, found.st_ino) != (work.before.dev, work.before.ino):
                raise stale(work.path)
            self._storage.fchmod(fd, mode)
            work.done = True  # from here on it must be taken back, synced or not
            self._storage.fsync(fd)

    def _take_back(self) -> None:
        """Undo what was done, newest first. If the disk refuses even that, recovery has all it needs."""
        for work in reversed(self._work):
            if work.done:
                try:
                    self._take_back_one(work)
                except (OSError, EditError) as error:
                    raise EditError(
                        Kind.DISK_REFUSED,
                        f"{work.path} could neither be replaced nor put back",
                        hint="the transaction is finished or reverted when the workspace is opened again",
                        details={"path": work.path, "record": self._id, "state": "unknown"},
                    ) from error
        if self._make_durable():  # else a power cut may still show the new files: recovery decides then
            with contextlib.suppress(EditError):  # the files are as before; recovery will say so if the journal cannot
                self._journal.settle(self._id, State.ABORTED)
                self._discard()

    def _take_back_one(self, work: _Work) -> None:
        op, name, storage = work.op, work.place.name, self._storage
        match work.kind:
            case "create":
                self._take_back_new(work)
            case "replace":
                assert work.before is not None and op.data is not None and work.new is not None
                if not work.aside:
                    work.aside = work.temp + BACK
                    stage(
                        storage, work.dir_fd, work.before.data,
                        temp_name=work.aside, like=work.before, path=work.path, keep_special=True,
                    )  # fmt: skip
                spare = work.old if work.aside != work.old else work.temp
                if left := put_back(storage, work.dir_fd, work.aside, name, work.new, op.data, spare=spare):
                    self._keep_unless_known(work, left)
            case "remove":
                try:
                    storage.rename_noreplace(work.old, name, before_dir_fd=work.dir_fd, after_dir_fd=work.dir_fd)
                except FileExistsError:  # somebody made another file of that name, which stays
                    self._keep(work, work.old)
            case "in-place":
                assert work.before is not None and op.data is not None
                present = self._read_present(work)
                if present is None or not is_torn(present, work.before.data, op.data):
                    raise stale(work.path)  # somebody wrote to it after us
                write_in_place(storage, work.place, work.before.data, work.before, keep_special=True)
                if op.mode is not None:
                    self._set_mode(work, work.before.mode)
            case "mode":
                assert work.before is not None
                with contextlib.suppress(EditError, FileNotFoundError):  # another file by now, with a mode of its own
                    self._set_mode(work, work.before.mode)
        work.done = False

    def _take_back_new(self, work: _Work) -> None:
        """Take a file that was made away again, unless somebody has put another one there, or written to it."""
        assert work.op.data is not None
        try:
            self._storage.rename_noreplace(
                work.place.name, work.old, before_dir_fd=work.dir_fd, after_dir_fd=work.dir_fd
            )
        except FileNotFoundError:
            return
        is_new = identity(self._storage, work.dir_fd, work.old) == work.new
        # What is written to a file that only moved is in it under its old name too, which it has again.
        if is_new and (work.is_moved or has_only(self._storage, work.dir_fd, work.old, work.op.data)):
            return
        try:
            self._storage.rename_noreplace(
                work.old, work.place.name, before_dir_fd=work.dir_fd, after_dir_fd=work.dir_fd
            )
        except FileExistsError:
            self._keep(work, work.old)

    def _keep_unless_known(self, work: _Work, name: str) -> None:
        """Keep a file that somebody else saved; the one that was verified is in the journal."""
        before = work.before
        assert before is not None
        is_known = before.is_of(self._storage.stat(name, dir_fd=work.dir_fd))
        if is_known and has_only(self._storage, work.dir_fd, name, before.data):
            return
        self._keep(work, name)

    def _keep(self, work: _Work, name: str) -> None:
        kept = self._state.keep(name, dir_fd=work.dir_fd, label=f"{self._id}-{work.place.name}")
        self._kept.append({"path": work.path, "kept": kept})

    def _drop_replaced(self) -> None:
        """Remove the old files whose names are new, so that one sync of the directory covers both.

        No way back is needed any more: every name has changed. What is removed stays until the journal knows the end.
        """
        for work in self._work:
            if work.kind == "replace" and work.aside:
                try:
                    self._storage.unlink(work.aside, dir_fd=work.dir_fd)
                    work.aside = ""
                except OSError:
                    continue

    def _make_durable(self) -> bool:
        errors: list[BaseException] = []
        fds = list(dict.fromkeys([work.dir_fd for work in self._work if work.kind != "mode"]))
        if len(fds) > 1:
            directories: dict[Identity, int] = {}
            for fd in fds:
                try:
                    found = self._storage.fstat(fd)
                    directories.setdefault((found.st_dev, found.st_ino), fd)  # one sync covers all names of a directory
                except OSError as error:
                    errors.append(error)
            fds = list(directories.values())
        errors += sync_directories(self._storage, fds)
        for cause in errors:
            if not isinstance(cause, OSError):
                raise cause
            self._warnings.append(
                f"applied, but the disk did not confirm it is durable: {os.strerror(cause.errno or 0)}"
            )
        return not errors

    def _settle(self) -> bool:
        try:
            self._journal.settle(self._id, State.COMMITTED)
        except EditError as error:
            self._warnings.append(f"applied, but the journal could not confirm it: {error.message}")
            return False
        return True

    def _clean(self, prune: Sequence[str], *, is_settled: bool) -> None:
        """Remove what is no longer needed; what cannot be removed now is left to recovery, with its note."""
        try:
            for work in self._work:
                left = work.temp if work.kind == "in-place" else work.aside
                if left:
                    self._remove(work, left)
            for path in prune:
                remove_empty_directory(self._sandbox, self._storage, path)
            if is_settled:
                self._state.withdraw(self._id)
        except (OSError, EditError) as error:
            self._warnings.append(f"temporary files remain until the workspace is opened again: {error}")

    def _discard(self) -> None:
        """Take away our temporaries and directories after a failure; keeps quiet, the failure is the news."""
        with contextlib.suppress(OSError, EditError):
            for work in self._work:
                for ending in BESIDE:
                    self._remove(work, work.temp + ending)
            for path in reversed([path for work in self._work for path in work.made_dirs]):
                remove_empty_directory(self._sandbox, self._storage, path)
            self._state.withdraw(self._id)

    def _remove(self, work: _Work, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._storage.stat(name, dir_fd=work.dir_fd)  # a read-only disk refuses even what is not there
            self._storage.unlink(name, dir_fd=work.dir_fd)

    def _close(self) -> None:
        for fd in self._fds:
            shut(self._storage, fd)


def _why_in_place(before: FileImage) -> str:
    """What a rename would lose, in words."""
    if before.nlink > 1:
        return f"it has {before.nlink} names, and all of them now have the new text"
    return "another user owns it, and a new file would be this user's"


def _may_be_prepared(error: BaseException) -> bool:
    """Whether nobody can tell what became of the record: its note stays, and recovery looks."""
    return isinstance(error, EditError) and error.details.get("state") == "unknown"
