"""Temporaries that outlived a power cut, when the note that named them did not: found by name, judged by content.

A temporary's name says whose it is (the state folder, on one machine), in which start of the machine it was made, and
what was staged in it.

1. Only workspaces with that state folder touch it, and only after the machine was started again: its maker is dead.
2. What belongs to a transaction with a note, or to one that the journal has not settled, is left to recovery.
3. It is removed only where no text is lost: it has what was staged, or what a side of its record had, or nothing yet,
   or another name. After an exchange it may be what another program saved; whatever nobody knows is kept.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.sandbox import Sandbox
from steadyhand.workspace.state import NO_BOOT, StateFolder
from steadyhand.workspace.storage import NOFOLLOW, NONBLOCK, Storage, shut
from steadyhand.workspace.writer import TEMP_PREFIX

__all__ = ["BACK", "IN_PLACE", "OLD", "sweep", "temp_name"]

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
    dir_fd = sandbox.directory(directory)
    try:
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
    finally:
        shut(storage, dir_fd)


def _settle(storage: Storage, state: StateFolder, journal: Journal, name: re.Match[str], dir_fd: int) -> list[str]:
    found = storage.stat(name[0], dir_fd=dir_fd)
    if stat.S_ISREG(found.st_mode):
        fd = storage.open(name[0], os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=dir_fd)
        try:
            if not _try_lock(storage, fd):
                return []
            if found.st_nlink > 1 or _is_known(storage, journal, name, fd):
                storage.unlink(name[0], dir_fd=dir_fd)
                return []
        finally:
            shut(storage, fd)
    kept = state.keep(name[0], dir_fd=dir_fd, label=name["id"])
    why = "a temporary file from before a power cut holds what the journal does not know"
    return [f"transaction {name['id']}: {why}; it was kept as {kept} beside the journal"]


def _try_lock(storage: Storage, fd: int) -> bool:
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
