"""Both sides of each recorded change, for whoever goes through records in the order in which they were made.

Reads the journal only. The versions that were reached last are remembered, up to some bytes, so that the next record
of a file is one step from the one before; any other version is rebuilt. What is handed out has the recorded digest.
"""

from __future__ import annotations

from collections import OrderedDict

from steadyhand.errors import EditError, Kind
from steadyhand.text.source import digest_of
from steadyhand.workspace.file_history import recorded_text, replay, stops_back, unwind
from steadyhand.workspace.journal.record import Entry, FileChange, FileState
from steadyhand.workspace.journal.store import Journal

__all__ = ["Replays"]

_ROOM = 32 << 20


class Replays:
    """Versions of files, rebuilt one after another."""

    def __init__(self, journal: Journal, *, room: int = _ROOM) -> None:
        self._journal = journal
        self._room = room
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def texts(self, entry: Entry, change: FileChange) -> tuple[str, str]:
        """The text before and after; empty where there is no file. Refuses with `cannot-undo` where it is gone."""
        before, after = self._sides(entry, change)
        return recorded_text(change, before).text, recorded_text(change, after).text

    def _sides(self, entry: Entry, change: FileChange) -> tuple[bytes, bytes]:
        if change.before is None:
            assert change.after is not None
            return b"", self._needed(change, change.after.digest)
        if change.after is None:
            return self._needed(change, change.before.digest), b""
        before = self._find(change.before.digest) or self._rebuilt(entry, change.before)
        if before is None:
            after = self._needed(change, change.after.digest)
            before = unwind(change, after)
        elif not change.content_changed:
            after = before
        elif change.changes is None:
            after = self._needed(change, change.after.digest)
        else:
            after = replay(change, before)
            if digest_of(after) != change.after.digest:
                raise _gone(change)
        self._keep(change.after.digest, after)
        return before, after

    def _rebuilt(self, entry: Entry, wanted: FileState) -> bytes | None:
        """The version that a record found, from the nearest one before that is known and the records since."""
        pending: list[FileChange] = []
        digest = wanted.digest
        for stop in stops_back(self._journal, wanted.path, before_seq=entry.seq):
            change = stop.change
            if change.after is None or change.after.digest != digest or change.before is None:
                return None
            pending.append(change)
            digest = change.before.digest
            found = self._find(digest)
            if found is not None:
                return self._replayed(found, pending, wanted.digest)
        return None

    def _replayed(self, data: bytes, pending: list[FileChange], wanted: str) -> bytes | None:
        try:
            for change in reversed(pending):
                data = replay(change, data)
        except EditError:
            return None
        return data if digest_of(data) == wanted else None

    def _needed(self, change: FileChange, digest: str) -> bytes:
        found = self._find(digest)
        if found is None:
            raise _gone(change)
        self._keep(digest, found)
        return found

    def _find(self, digest: str) -> bytes | None:
        kept = self._kept.get(digest)
        return kept if kept is not None else self._journal.image(digest)

    def _keep(self, digest: str, data: bytes) -> None:
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return
        self._kept[digest] = data
        self._size += len(data)
        while self._size > self._room and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])


def _gone(change: FileChange) -> EditError:
    return EditError(
        Kind.CANNOT_UNDO,
        "its image is gone",
        hint="it was dropped by retention or never kept",
        details={"path": change.path},
    )
