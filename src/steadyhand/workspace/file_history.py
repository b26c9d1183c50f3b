"""One file through time: the committed changes to it, followed through renames, and its versions rebuilt.

Reads the journal only.

1. Walking back ends where the file was created, or where the record no longer speaks of this file. A deletion and
   the undo that took it back are together one step that changes nothing.
2. A version is rebuilt from the nearest earlier image by applying the splices recorded since, and is
   handed out only if its digest is the recorded one.
3. Where one record's `after` is not the next one's `before`, something else changed the file in between:
   that gap is a change set of its own, found by comparing the two versions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.pace import paced
from steadyhand.text.source import Source, digest_of
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.record import Entry, FileChange
from steadyhand.workspace.journal.store import Journal

_SOME = 16  # records between two questions whether to go on: reading one takes a while


@dataclass(frozen=True, slots=True)
class Stop:
    """One committed change on a file's way."""

    entry: Entry
    change: FileChange


class Course:
    """The records of files in the order they were made, each read once however often it is asked what came after."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: dict[str, tuple[int, list[Entry]]] = {}

    def after(self, path: str, seq: int) -> Iterator[Entry]:
        """The records of a path behind one, oldest first."""
        since, entries = self._known.get(path, (None, []))
        if since is None or seq < since:
            until = None if since is None else since + 1
            earlier = self._journal.entries(path=path, after_seq=seq, before_seq=until, newest_first=False)
            entries = [*paced(earlier, _SOME), *entries]
            self._known[path] = seq, entries
        yield from entries[bisect_right(entries, seq, key=lambda entry: entry.seq) :]


def stops_back(journal: Journal, path: str, *, before_seq: int | None = None) -> Iterator[Stop]:
    """The changes that led to the file at `path`, newest first."""
    while True:
        moved = False
        for entry in paced(journal.entries(path=path, before_seq=before_seq), _SOME):
            change = entry.record.arriving(path)
            if change is None:
                return
            deletion = _deletion_undone(journal, entry, change)
            if deletion is not None and deletion.change.before is not None:
                yield Stop(entry, replace(change, before=deletion.change.before))
                path, before_seq, moved = deletion.change.before.path, deletion.entry.seq, True
                break
            yield Stop(entry, change)
            if change.before is None:
                return
            if change.before.path != path:
                path, before_seq, moved = change.before.path, entry.seq, True
                break
        if not moved:
            return


def stops_forward(course: Course, path: str, *, after_seq: int) -> Iterator[Stop]:
    """What happened after `after_seq` to the file that stood at `path` then, oldest first."""
    while True:
        moved = False
        for entry in paced(course.after(path, after_seq)):
            change = entry.record.leaving(path)
            if change is None:
                return
            yield Stop(entry, change)
            if change.after is None:
                return
            if change.after.path != path:
                path, after_seq, moved = change.after.path, entry.seq, True
                break
        if not moved:
            return


def history_of(journal: Journal, path: str) -> Iterator[Entry]:
    """Every record that touched `path`, newest first, and its earlier names before a rename brought it here."""
    before_seq: int | None = None
    while True:
        moved_from: str | None = None
        for entry in paced(journal.entries(path=path, before_seq=before_seq), _SOME):
            yield entry
            change = entry.record.arriving(path)
            if change is not None and change.before is not None and change.before.path != path:
                moved_from, before_seq = change.before.path, entry.seq
                break
        if moved_from is None:
            return
        path = moved_from


def version_after(journal: Journal, stop: Stop) -> bytes:
    """The file's bytes as that change left them. Refuses with `cannot-undo` where they cannot be had."""
    assert stop.change.after is not None
    wanted = stop.change.after.digest
    pending: list[FileChange] = []
    found = journal.image(wanted)
    if found is None:
        for earlier in _chain_back(journal, stop):
            pending.append(earlier.change)
            if earlier.change.before is None:
                break
            found = journal.image(earlier.change.before.digest)
            if found is not None:
                break
    if found is None:
        raise _lost(stop)
    for change in reversed(pending):
        found = replay(change, found)
    if digest_of(found) != wanted:
        raise _lost(stop)
    return found


def encoding_known(journal: Journal, path: str, digest: str) -> Encoding | None:
    """The encoding recorded for the version `digest` of the file at `path`."""
    for stop in stops_back(journal, path):
        if stop.change.after is None or stop.change.after.digest != digest:
            return None
        if stop.change.encoding is not None:
            return replace(stop.change.encoding, chosen_by="journal")
        if stop.change.content_changed:
            return None  # whole bytes, read by nobody
    return None


def version_named(journal: Journal, path: str, digest: str) -> bytes | None:
    """The version of the file at `path` whose digest starts so; None when no record knows it."""
    for stop in stops_back(journal, path):
        try:
            if stop.change.after is not None and stop.change.after.digest.startswith(digest):
                return version_after(journal, stop)
            if stop.change.before is not None and stop.change.before.digest.startswith(digest):
                kept = journal.image(stop.change.before.digest)
                return kept if kept is not None else unwind(stop.change, version_after(journal, stop))
        except EditError:
            return None
    return None


def replay(change: FileChange, before: bytes) -> bytes:
    """The bytes after one recorded change, from the bytes before it."""
    assert change.after is not None
    if change.before is not None and change.after.digest == change.before.digest:
        return before
    if change.changes is None:
        raise EditError(Kind.CANNOT_UNDO, "the record keeps no splices for this step")
    return recorded_text(change, before).apply(change.changes).to_bytes()


def unwind(change: FileChange, after: bytes) -> bytes:
    """The bytes before one recorded change, from the bytes after it."""
    assert change.before is not None
    if change.after is not None and change.after.digest == change.before.digest:
        return after
    if change.changes is None:
        raise EditError(Kind.CANNOT_UNDO, "the record keeps no splices for this step")
    return recorded_text(change, after).apply(change.changes.invert()).to_bytes()


def gap_between(journal: Journal, stop: Stop, later: bytes) -> ChangeSet:
    """What happened outside the journal between `stop` and the version `later`."""
    earlier = recorded_text(stop.change, version_after(journal, stop))
    return changes_between(earlier.text, recorded_text(stop.change, later).text)


def recorded_text(change: FileChange, data: bytes) -> Source:
    """Bytes as text, in the encoding the record used."""
    encoding = change.encoding or Encoding(errors="surrogateescape")
    try:
        return Source.in_encoding(data, encoding)
    except UnicodeError:
        return Source.of_bytes(data)


def _chain_back(journal: Journal, stop: Stop) -> Iterator[Stop]:
    """`stop` and what came before it, as long as each version leads to the next."""
    assert stop.change.after is not None
    digest = stop.change.after.digest
    for earlier in stops_back(journal, stop.change.after.path, before_seq=stop.entry.seq + 1):
        if earlier.change.after is None or earlier.change.after.digest != digest:
            return
        yield earlier
        if earlier.change.before is None:
            return
        digest = earlier.change.before.digest


def _deletion_undone(journal: Journal, entry: Entry, change: FileChange) -> Stop | None:
    """The deletion that this record took back: the file that came back has the past it had before."""
    if change.before is not None or change.after is None or entry.record.verb == "edit":
        return None
    for name in entry.record.undoes:
        try:
            undone = journal.find(name)
        except EditError:
            return None
        same = undone.record.leaving(change.after.path)
        for other in undone.record.files if same is None else (same,):
            if other.after is None and other.before is not None and other.before.digest == change.after.digest:
                return Stop(undone, other)
    return None


def doubt_of(problem: Problem) -> str:
    """What a damaged record means for an answer that had to leave it out."""
    return f"{problem.message}; what the journal says of that change and of earlier ones is uncertain"


def _lost(stop: Stop) -> EditError:
    return EditError(
        Kind.CANNOT_UNDO,
        f"the version of {stop.change.path} after {stop.entry.record.id} can no longer be rebuilt",
        hint="its image was dropped by retention or never kept; restore the file from elsewhere",
        details={"record": stop.entry.record.id, "path": stop.change.path},
    )
