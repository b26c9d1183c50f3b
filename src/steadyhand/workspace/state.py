"""The state folder: journal, locks, and the note each running transaction leaves of what it is about to stage.

1. The folder is ours alone: mode 0700, a real directory, never reached through a symbolic link.
2. A transaction's note names every temporary file and directory it may make, before it makes the first.
   So whatever a crash leaves behind can be found without walking the tree. A power cut may take the note away, and
   temporaries are then known by their names; directories have no such names, so a note of one that is made or removed
   is on the disk before that.
3. A note appears whole: it is written under another name and renamed.
4. A note is removed only after everything it names is gone or in its final place.
5. What somebody else saved and could not have its name back is kept in `kept`, which only a person empties.
6. A folder made here is durable before anything is put into it: the directory that holds its name was synced.

Temporaries that a power cut left without a note are found by name and judged by content (`sweep`). The name says which
state folder on which machine it belongs to, in which start of the machine it was made, and what was staged in it.

7. Only workspaces with that state folder touch it, and only after the machine was started again: its maker is dead.
8. What belongs to a transaction with a note, or to one that the journal has not settled, is left to recovery.
9. It is removed only where no text is lost: it has what was staged, or what a side of its record had, or nothing yet,
   or another name. After an exchange it may be what another program saved; whatever nobody knows is kept.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.workspace.files.protection import TEMP_PREFIX
from steadyhand.workspace.files.sandbox import Sandbox
from steadyhand.workspace.files.storage import DIRECTORY, NOFOLLOW, NONBLOCK, Storage, closing, refuse_os, shut
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.location import FOLDER

NO_BOOT = "0" * 8
_MOST_NOTES = 10_000
_PART = ".part"
_ROOMS = ("pending", "locks")
_KEPT = "kept"
_TRIES = 5
_LONGEST_NAME = 200
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def this_machine(id_files: Sequence[str] = _MACHINE_IDS) -> str:
    """A name for the machine whose locks we can see; it outlives a new host name where the machine has an id.

    Machines that were made from one image, and containers, may all have the same id: STEADYHAND_MACHINE names them.
    """
    if named := os.environ.get("STEADYHAND_MACHINE", "").strip():
        return named[:_LONGEST_NAME]
    if found := _machine_id(tuple(id_files)):
        return found
    from socket import gethostname

    return gethostname()


@cache
def _machine_id(id_files: tuple[str, ...]) -> str | None:
    """Asked several times for each change, and the same for as long as the machine runs."""
    for path in id_files:
        with contextlib.suppress(OSError, UnicodeError):
            found = Path(path).read_text(encoding="ascii").strip()
            if found and found != "uninitialized":  # as an image says before its first start
                return found
    return None


@dataclass(frozen=True, slots=True)
class Intent:
    """What a transaction is about to do: enough to clean up after it, not to finish it."""

    id: str
    machine: str
    pid: int
    temps: tuple[tuple[str, str], ...] = ()
    lock_keys: tuple[str, ...] = ()
    made_dirs: tuple[str, ...] = ()
    prune: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        import json

        body = {
            "machine": self.machine,
            "pid": self.pid,
            "temps": self.temps,
            "lock_keys": self.lock_keys,
            "made_dirs": self.made_dirs,
            "prune": self.prune,
        }
        return json.dumps(body).encode()

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Intent:
        """Raises ValueError on anything `to_bytes` did not write."""
        import json

        try:
            body = json.loads(data)
            return cls(
                name,
                str(body["machine"]),
                int(body["pid"]),
                tuple((str(path), str(temp)) for path, temp in body["temps"]),
                tuple(map(str, body["lock_keys"])),
                tuple(map(str, body["made_dirs"])),
                tuple(map(str, body["prune"])),
            )
        except (KeyError, TypeError, OverflowError, RecursionError) as error:
            raise ValueError("not an intent") from error


class _Room:
    """A directory that is kept open until nobody uses it any more."""

    __slots__ = ("_identity", "_storage", "handle")

    def __init__(self, storage: Storage, handle: int) -> None:
        self._storage = storage
        self.handle = handle
        found = os.fstat(handle)
        self._identity = found.st_dev, found.st_ino

    def is_at(self, path: str) -> bool:
        """Whether it still has that name."""
        try:
            found = os.lstat(path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._identity

    def __del__(self) -> None:
        shut(self._storage, self.handle)


class StateFolder:
    """The folder of one journal on disk. Made on first use; everything in it goes through the storage."""

    def __init__(self, location: Path, storage: Storage) -> None:
        self.location = location
        self._storage = storage
        self._name = str(location)
        self._pending: _Room | None = None

    @property
    def exists(self) -> bool:
        return os.path.lexists(self._name)

    @property
    def is_whole(self) -> bool:
        """Whether the folder is there with its rooms."""
        return os.path.isdir(f"{self._name}/pending") and os.path.isdir(f"{self._name}/locks")

    def has_notes_room(self) -> bool:
        """Whether the room for notes is the one that this object has open."""
        return self._pending is not None and self._pending.is_at(f"{self._name}/pending")

    def mark(self, machine: str | None = None) -> tuple[str, str]:
        """What the names of temporaries say of their maker: this folder on this machine, and the machine's start."""
        whose = f"{machine or this_machine()}\0{os.stat(self._name).st_ino}"
        try:
            boot = self._storage.boot()
        except OSError:
            boot = ""
        return _token(whose), _token(boot) if boot else NO_BOOT

    def make(self) -> None:
        """Make the folder and its rooms. Refuses a link, a file or somebody else's folder."""
        try:
            for path in reversed(list(takewhile(lambda parent: not parent.exists(), self.location.parents))):
                self._make_parent(path)
            above = self._storage.open(str(self.location.parent), os.O_RDONLY | DIRECTORY)
            with closing(above, self._storage) as parent:
                folder = self._make_folder(parent)
            with closing(folder, self._storage):
                made = [self._make_one(room, folder) for room in _ROOMS]
                if any(made):
                    self._storage.fsync_dir(folder)
        except OSError as error:
            raise refuse_os(error, "make the state folder", FOLDER) from None

    def _make_parent(self, path: Path) -> None:
        with closing(self._storage.open(str(path.parent), os.O_RDONLY | DIRECTORY), self._storage) as handle:
            with contextlib.suppress(FileExistsError):
                self._storage.mkdir(path.name, dir_fd=handle)
                self._storage.fsync_dir(handle)

    def _make_folder(self, parent: int) -> int:
        """A handle for the folder; a new one is 0700 whatever the umask, and its name is durable."""
        is_new = self._make_one(self.location.name, parent)
        folder = self._storage.open(self.location.name, os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=parent)
        if is_new:
            try:
                self._storage.fchmod(folder, 0o700)
                self._storage.fsync_dir(parent)
            except OSError:
                shut(self._storage, folder)
                raise
        return folder

    def _make_one(self, name: str, dir_fd: int) -> bool:
        """Whether the directory was not there before; refuses what is no directory of ours."""
        made = True
        try:
            self._storage.mkdir(name, 0o700, dir_fd=dir_fd)
        except FileExistsError:
            made = False
        _check(self._storage.stat(name, dir_fd=dir_fd))
        return made

    def check(self) -> None:
        """Refuse a folder that cannot be trusted."""
        _check(os.lstat(self.location))

    def set_aside(self) -> list[str]:
        """Names of damaged journals that were put away here."""
        try:
            names = os.listdir(self.location)
        except OSError:
            return []
        return sorted(name for name in names if name.startswith("journal-damaged") and name.endswith(".sqlite"))

    def lost_journal(self) -> str | None:
        """What is wrong where locks were once taken and the journal is gone or empty; None: nothing."""
        database = self.location / "journal.sqlite"
        with contextlib.suppress(OSError):
            if database.stat().st_size > 0:
                return None
        with contextlib.suppress(OSError), os.scandir(self.location / "locks") as locks:
            if next(locks, None) is not None:
                return "the journal was removed or emptied; what was recorded before is gone"
        return None

    def note_intent(self, intent: Intent) -> None:
        """Leave a note before staging. It outlives this process; if it names directories, also a power cut."""
        try:
            for attempt in range(_TRIES):
                room = self._notes_room()  # where recovery looks
                if self._write_note(intent, f"{intent.id}.{attempt}{_PART}", room.handle):
                    if intent.made_dirs or intent.prune:
                        self._storage.fsync_dir(room.handle)
                    return
            raise OSError(errno.EBUSY, "")
        except OSError as error:
            raise refuse_os(error, "note the transaction", FOLDER) from None

    def _write_note(self, intent: Intent, part: str, handle: int) -> bool:
        """Write under another name, locked so that nobody takes it for an orphan, then rename. False: taken for one."""
        fd = self._storage.create(part, 0o600, dir_fd=handle)
        try:
            _try_lock(fd)
            self._storage.write(fd, intent.to_bytes())
            if intent.made_dirs or intent.prune:
                self._storage.fsync(fd)
            self._storage.rename(part, intent.id, before_dir_fd=handle, after_dir_fd=handle)
        except FileNotFoundError:
            return False
        except OSError:
            with contextlib.suppress(OSError):
                self._storage.unlink(part, dir_fd=handle)
            raise
        finally:
            shut(self._storage, fd)
        return True

    def withdraw(self, id: str) -> None:
        """Take the note away; everything it named is settled."""
        room = self._pending or self._notes_room()
        try:
            self._storage.unlink(id, dir_fd=room.handle)
        except FileNotFoundError:
            return

    def keep(self, name: str, *, dir_fd: int, label: str) -> str:
        """Move somebody's file into `kept`; gives the name it has there, relative to this folder."""
        label = label.encode("utf-8", "surrogateescape")[:_LONGEST_NAME].decode("utf-8", "replace")
        with closing(self._open(""), self._storage) as folder:
            if self._make_one(_KEPT, folder):
                self._storage.fsync_dir(folder)
            opened = self._storage.open(_KEPT, os.O_RDONLY | DIRECTORY | NOFOLLOW, dir_fd=folder)
        with closing(opened, self._storage) as room:
            for attempt in range(_MOST_NOTES):
                kept = f"{label}-{attempt}" if attempt else label
                with contextlib.suppress(FileExistsError):
                    self._move(name, dir_fd, kept, room)
                    self._storage.fsync_dir(room)
                    return f"{_KEPT}/{kept}"
            raise OSError(errno.EEXIST, "")

    def _move(self, name: str, dir_fd: int, kept: str, room: int) -> None:
        try:
            self._storage.rename_noreplace(name, kept, before_dir_fd=dir_fd, after_dir_fd=room)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            return
        with closing(self._storage.open(name, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd), self._storage) as fd:
            with closing(self._storage.create(kept, 0o600, dir_fd=room), self._storage) as copy:
                self._storage.write(copy, self._storage.read(fd, self._storage.fstat(fd).st_size))
                self._storage.fsync(copy)
        self._storage.unlink(name, dir_fd=dir_fd)

    def intents(self, *, sweep: bool = True) -> list[Intent]:
        """The notes of transactions that run or have died.

        `sweep` takes away notes whose writers died while they wrote them, and those that a power
        cut left in part; without it nothing is changed.
        """
        try:
            room = self._notes_room()
        except EditError:
            return []
        found: list[Intent] = []
        handle = room.handle
        for name in sorted(self._storage.names(handle, "")[:_MOST_NOTES]):
            if not name.endswith(_PART):
                intent = self._load(handle, name, sweep=sweep)
                found += [] if intent is None else [intent]
            elif sweep:
                self._drop_orphan(handle, name)
        return found

    def _load(self, handle: int, name: str, *, sweep: bool) -> Intent | None:
        import json

        try:
            fd = self._storage.open(name, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=handle)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
                return None  # gone meanwhile, or nothing we ever made
            raise
        with closing(fd, self._storage):
            try:
                if stat.S_ISREG(self._storage.fstat(fd).st_mode):
                    return Intent.of_bytes(name, self._storage.read(fd, 16 << 20))
            except (json.JSONDecodeError, UnicodeDecodeError):
                if sweep:
                    self._storage.unlink(name, dir_fd=handle)
            except ValueError:  # a note of another version is not ours to remove
                pass
        return None

    def _drop_orphan(self, handle: int, name: str) -> None:
        """A note that never became whole names nothing that exists; drop it if its writer is gone."""
        with contextlib.suppress(OSError):
            with closing(self._storage.open(name, os.O_RDWR | NOFOLLOW | NONBLOCK, dir_fd=handle), self._storage) as fd:
                if _try_lock(fd):
                    self._storage.unlink(name, dir_fd=handle)

    def _notes_room(self) -> _Room:
        """The room of the notes, which each transaction asks for three times: it is kept open, and opened again where
        another directory has the name.
        """
        room = self._pending
        if room is None or not room.is_at(f"{self._name}/pending"):
            self._pending = None  # what is elsewhere by now is not used again, even where there is no other
            room = self._pending = _Room(self._storage, self._open("pending"))
        return room

    def close(self) -> None:
        """Let go of what is kept open."""
        self._pending = None

    def _open(self, room: str) -> int:
        try:
            return self._storage.open(f"{self._name}/{room}", os.O_RDONLY | DIRECTORY | NOFOLLOW)
        except OSError as error:
            raise refuse_os(error, "open the state folder", FOLDER) from None


def _check(found: os.stat_result) -> None:
    if not stat.S_ISDIR(found.st_mode):
        raise EditError(
            Kind.JOURNAL_DAMAGED,
            f"{FOLDER} is not a plain directory",
            hint="move it away, or name another journal folder",
        )
    if os.geteuid() not in (found.st_uid, 0):
        raise EditError(Kind.JOURNAL_DAMAGED, f"{FOLDER} belongs to another user", hint="name another journal folder")


def _try_lock(fd: int) -> bool:
    """Lock a file for as long as it is open; False when somebody else has it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@lru_cache(maxsize=16)  # each change asks for the same two
def _token(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[: len(NO_BOOT)]


OLD: Final = "-old"
BACK: Final = "-back"
IN_PLACE: Final = "-in-place"

_STAGED: Final = 16
_NOTHING: Final = "none"
_NAME: Final = lazy_pattern(
    rf"{re.escape(TEMP_PREFIX)}(?P<id>[0-9a-f]{{12}})-(?P<owner>[0-9a-f]{{8}})-(?P<boot>[0-9a-f]{{8}})"
    rf"-(?P<staged>[0-9a-f]{{{_STAGED}}}|{_NOTHING})-\d+(?:{IN_PLACE})?(?:{OLD}|{BACK})?"
)
_BLOCK: Final = 1 << 20


def temp_name(tx_id: str, index: int, mark: tuple[str, str], digest: str | None) -> str:
    """The name of a transaction's n-th temporary file, in which something with this digest is staged.

    >>> temp_name("1a2b3c4d5e6f", 0, ("cafe0001", "b00700ff"), None)
    '.steadyhand-tmp-1a2b3c4d5e6f-cafe0001-b00700ff-none-0'
    """
    owner, boot = mark
    return f"{TEMP_PREFIX}{tx_id}-{owner}-{boot}-{digest[:_STAGED] if digest else _NOTHING}-{index}"


def sweep(sandbox: Sandbox, state: StateFolder, journal: Journal, directory: str) -> tuple[str, ...]:
    """Settle what a power cut left in a directory of the tree; gives a sentence for each thing that was kept."""
    storage = sandbox.storage
    with closing(sandbox.directory(directory), storage) as dir_fd:
        owner, boot = state.mark()
        names = [found for name in storage.names(dir_fd, TEMP_PREFIX) if (found := _NAME.fullmatch(name))]
        stale = [name for name in names if name["owner"] == owner and NO_BOOT != name["boot"] != boot != NO_BOOT]
        if not stale:
            return ()
        under_way = {intent.id for intent in state.intents()} | {record.id for record, _ in journal.unsettled()}
        reports = []
        for name in stale:
            if name["id"] not in under_way:
                with suppress(FileNotFoundError):  # another process sweeps too
                    reports += _settle(storage, state, journal, name, dir_fd)
        return tuple(reports)


def _settle(storage: Storage, state: StateFolder, journal: Journal, name: re.Match[str], dir_fd: int) -> list[str]:
    found = storage.stat(name[0], dir_fd=dir_fd)
    if stat.S_ISREG(found.st_mode):
        with closing(storage.open(name[0], os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd), storage) as fd:
            if not _is_unused(storage, fd):
                return []
            if found.st_nlink > 1 or _is_known(storage, journal, name, fd):
                storage.unlink(name[0], dir_fd=dir_fd)
                return []
    kept = state.keep(name[0], dir_fd=dir_fd, label=name["id"])
    why = "a temporary file from before a power cut has content unknown to the journal"
    return [f"transaction {name['id']}: {why}; it was kept as {kept} next to the journal"]


def _is_unused(storage: Storage, fd: int) -> bool:
    try:
        return storage.lock(fd)
    except OSError:  # a file system without locks; the maker is dead all the same
        return True


def _is_known(storage: Storage, journal: Journal, name: re.Match[str], fd: int) -> bool:
    """Whether a file has only what its transaction staged or found. One that was not prepared has only staged."""
    digest, is_blank = _digest(storage, fd)
    try:
        record = journal.find(name["id"]).record
    except EditError as error:
        if error.kind is not Kind.NO_SUCH_FILE:
            raise
        return is_blank or digest.startswith(name["staged"])
    sides = (side for change in record.files for side in (change.before, change.after))
    return digest in {side.digest for side in sides if side is not None}


def _digest(storage: Storage, fd: int) -> tuple[str, bool]:
    """The digest of a file, and whether nothing but zeros was written to it."""
    hashed, offset, is_blank = hashlib.sha256(), 0, True
    while part := storage.read_at(fd, _BLOCK, offset):
        hashed.update(part)
        offset += len(part)
        is_blank = is_blank and not part.strip(b"\0")
    return hashed.hexdigest(), is_blank
