"""One file through time: the committed changes to it, followed through renames, its versions, and who wrote each line.

Reads the journal only.

1. Walking back ends where the file was created, or where the record is about another file. A deletion and the undo that
   took it back are together one step that changes nothing.
2. A version is rebuilt from the nearest earlier image by applying the splices recorded since, and is handed out only if
   its digest is the recorded one. `Replays` remembers the versions that were reached last, up to some bytes, for
   whoever reads records in order.
3. Where the `after` of one record is not the `before` of the next, something else changed the file in between: that gap
   is a change set of its own, found by comparing the two versions.
4. A line that an edit merely quoted and wrote back unchanged is not credited to it.
5. A file is a `.bak` copy only by its record: it holds what another file of the record was before, under the name of
   that one with the ending.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.text.cancel import check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.log import Problem
from steadyhand.workspace.journal.record import Entry, FileChange, FileState, Record
from steadyhand.workspace.journal.store import Journal

if TYPE_CHECKING:
    from steadyhand.workspace.history.outside import Outside


_SOME = 16  # records between two questions whether to go on: reading one takes a while


@dataclass(frozen=True, slots=True)
class Version:
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
            entries = [*check_each(earlier, _SOME), *entries]
            self._known[path] = seq, entries
        yield from entries[bisect_right(entries, seq, key=lambda entry: entry.seq) :]


def versions_back(journal: Journal, path: str, *, before_seq: int | None = None) -> Iterator[Version]:
    """The changes that led to the file at `path`, newest first."""
    while True:
        for entry in check_each(journal.entries(path=path, before_seq=before_seq), _SOME):
            change = entry.record.arriving(path)
            if change is None:
                return
            deletion = deletion_undone(journal, entry, change)
            if deletion is not None and deletion.change.before is not None:
                yield Version(entry, replace(change, before=deletion.change.before))
                path, before_seq = deletion.change.before.path, deletion.entry.seq
                break
            yield Version(entry, change)
            if change.before is None:
                return
            if change.before.path != path:
                path, before_seq = change.before.path, entry.seq
                break
        else:  # it had no other name before
            return


def versions_forward(course: Course, path: str, *, after_seq: int) -> Iterator[Version]:
    """What happened after `after_seq` to the file that was at `path` then, oldest first."""
    while True:
        for entry in check_each(course.after(path, after_seq)):
            change = entry.record.leaving(path)
            if change is None:
                return
            yield Version(entry, change)
            if change.after is None:
                return
            if change.after.path != path:
                path, after_seq = change.after.path, entry.seq
                break
        else:
            return


def history_of(journal: Journal, path: str, before_seq: int | None = None) -> Iterator[Entry]:
    """Every record that touched `path`, newest first, and its earlier names before a rename brought it here."""
    while True:
        for entry in check_each(journal.entries(path=path, before_seq=before_seq), _SOME):
            yield entry
            change = entry.record.arriving(path)
            if change is not None and change.before is not None and change.before.path != path:
                path, before_seq = change.before.path, entry.seq
                break
        else:
            return


def version_after(journal: Journal, version: Version) -> bytes:
    """The file's bytes as that change left them. Refuses with `cannot-undo` where they cannot be had."""
    assert version.change.after is not None
    wanted = version.change.after.digest
    pending: list[FileChange] = []
    found = journal.image(wanted)
    if found is None:
        for earlier in _chain_back(journal, version):
            pending.append(earlier.change)
            if earlier.change.before is None:
                break
            found = journal.image(earlier.change.before.digest)
            if found is not None:
                break
    if found is None:
        raise _lost(version)
    for change in reversed(pending):
        found = replay(change, found)
    if digest_of(found) != wanted:
        raise _lost(version)
    return found


def encoding_known(journal: Journal, path: str, digest: str) -> Encoding | None:
    """The encoding recorded for the version `digest` of the file at `path`."""
    for version in versions_back(journal, path):
        if version.change.after is None or version.change.after.digest != digest:
            return None
        if version.change.encoding is not None:
            return replace(version.change.encoding, chosen_by="journal")
        if version.change.content_changed:
            return None  # whole bytes, read by nobody
    return None


def version_named(journal: Journal, path: str, digest: str) -> bytes | None:
    """The version of the file at `path` whose digest starts so; None when no record knows it."""
    for version in versions_back(journal, path):
        try:
            if version.change.after is not None and version.change.after.digest.startswith(digest):
                return version_after(journal, version)
            if version.change.before is not None and version.change.before.digest.startswith(digest):
                kept = journal.image(version.change.before.digest)
                return kept if kept is not None else unwind(version.change, version_after(journal, version))
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


def gap_between(journal: Journal, version: Version, later: bytes) -> ChangeSet:
    """What happened outside the journal between `version` and the bytes `later`."""
    earlier = recorded_text(version.change, version_after(journal, version))
    return changes_between(earlier.text, recorded_text(version.change, later).text)


def recorded_text(change: FileChange, data: bytes) -> Source:
    """Bytes as text, in the encoding the record used."""
    encoding = change.encoding or Encoding(errors="surrogateescape")
    try:
        return Source.in_encoding(data, encoding)
    except UnicodeError:
        return Source.of_bytes(data)


def _chain_back(journal: Journal, version: Version) -> Iterator[Version]:
    """`version` and those before it, as long as each leads to the next."""
    assert version.change.after is not None
    digest = version.change.after.digest
    for earlier in versions_back(journal, version.change.after.path, before_seq=version.entry.seq + 1):
        if earlier.change.after is None or earlier.change.after.digest != digest:
            return
        yield earlier
        if earlier.change.before is None:
            return
        digest = earlier.change.before.digest


def deletion_undone(journal: Journal, entry: Entry, change: FileChange) -> Version | None:
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
                return Version(undone, other)
    return None


def damage_named(problem: Problem) -> str:
    """What a damaged record means for an answer that had to leave it out."""
    return f"{problem.message}; what the journal says about that change and earlier ones is uncertain"


def _lost(version: Version) -> EditError:
    return EditError(
        Kind.CANNOT_UNDO,
        f"the version of {version.change.path} after {version.entry.record.id} can no longer be rebuilt",
        hint="its image was dropped by retention or never kept; restore the file from elsewhere",
        details={"record": version.entry.record.id, "path": version.change.path},
    )


BACKUP: Final = ".bak"
TIDYING: Final = "task"  # the tool in whose name copies are removed at the end of a task


def backups_in(record: Record) -> Iterator[tuple[FileChange, FileState]]:
    """The changes of a record that made a copy, each with what it made."""
    for change in record.files:
        if change.after is not None and is_backup(record, change.after.path):
            yield change, change.after


def is_backup(record: Record, path: str) -> bool:
    """Whether a record made a copy at a path."""
    made = record.arriving(path)
    copied = record.leaving(path.removesuffix(BACKUP)) if path.endswith(BACKUP) else None
    if made is None or made.before is not None or made.after is None or copied is None or copied.before is None:
        return False
    return copied.before.digest == made.after.digest


def is_tidying(record: Record) -> bool:
    """Whether a record did nothing but remove copies: nobody means it who takes back what was done last."""
    return record.tool == TIDYING and all(each.is_delete and each.path.endswith(BACKUP) for each in record.files)


_ROOM = 32 << 20


class LastUsed:
    """Contents by their digest, up to some bytes; the longest unused goes first, but never the last one."""

    def __init__(self, room: int) -> None:
        self._room, self._size = room, 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def get(self, digest: str) -> bytes | None:
        return self._kept.get(digest)

    def keep(self, digest: str, data: bytes) -> None:
        if digest not in self._kept:
            self._kept[digest] = data
            self._size += len(data)
        self._kept.move_to_end(digest)
        while self._size > self._room and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])


class Replays:
    """Versions of files, rebuilt one after another."""

    def __init__(self, journal: Journal, *, room: int = _ROOM) -> None:
        self._journal = journal
        self._kept = LastUsed(room)

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
        before = self._find(change.before.digest)
        if before is None:
            before = self._rebuilt(entry, change.before)
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
        self._kept.keep(change.after.digest, after)
        return before, after

    def _rebuilt(self, entry: Entry, wanted: FileState) -> bytes | None:
        """The version that a record found, from the nearest one before that is known and the records since."""
        pending: list[FileChange] = []
        digest = wanted.digest
        for version in versions_back(self._journal, wanted.path, before_seq=entry.seq):
            change = version.change
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
        self._kept.keep(digest, found)
        return found

    def _find(self, digest: str) -> bytes | None:
        kept = self._kept.get(digest)
        return kept if kept is not None else self._journal.image(digest)


def _gone(change: FileChange) -> EditError:
    return EditError(
        Kind.CANNOT_UNDO,
        "its image is gone",
        hint="it was dropped by retention or never kept",
        details={"path": change.path},
    )


Since = Literal["record", "outside", "before-journal"]


@sized("text")
@dataclass(frozen=True, slots=True)
class Why:
    """Where one line comes from. `origin` is None where no record wrote it.

    `outside` is the change outside the journal that wrote it, where it was noted.
    `doubt` says what is damaged in the journal, where that may hide who wrote the line.
    """

    line: int
    text: str
    origin: Entry | None
    reason: str | None
    edit_index: int | None
    since: Since
    doubt: str | None = None
    outside: Outside | None = None


@dataclass(slots=True)
class _Trace:
    line: int
    span: Span
    why: Why | None = None


def explain(journal: Journal, path: str, source: Source, lines: list[int]) -> list[Why]:
    """The origin of the given 1-based lines of the file as it is now."""
    traces = [_Trace(line, source.table.span(line - 1)) for line in sorted(set(lines))]
    texts = {trace.line: source.table.text(trace.line - 1) for trace in traces}
    journal.damage_met()
    _walk(journal, path, source, traces, texts)
    for trace in traces:
        if trace.why is None:
            trace.why = Why(trace.line, texts[trace.line], None, None, None, "before-journal")
    damaged = journal.damage_met()
    return [_doubted(trace.why, damaged) for trace in traces if trace.why is not None]


def _doubted(why: Why, damaged: Sequence[Problem]) -> Why:
    """The same with the latest damage that came after what wrote the line."""
    seq = 0 if why.origin is None else why.origin.seq
    later = [problem for problem in damaged if (problem.seq or 0) > seq]
    return replace(why, doubt=damage_named(later[-1])) if later else why


def _walk(journal: Journal, path: str, source: Source, traces: list[_Trace], texts: dict[int, str]) -> None:
    digest = source.digest
    for version in versions_back(journal, path):
        open_traces = [trace for trace in traces if trace.why is None]
        if not open_traces:
            return
        assert version.change.after is not None
        if version.change.after.digest != digest:
            later = source.to_bytes() if digest == source.digest else journal.image(digest)
            if later is None or not _cross_gap(journal, version, later, open_traces, texts):
                _blame_all(open_traces, texts)
                return
        open_traces = [trace for trace in open_traces if trace.why is None]
        _credit(version, open_traces, texts)
        if version.change.before is None:
            return
        digest = version.change.before.digest


def _credit(version: Version, traces: list[_Trace], texts: dict[int, str]) -> None:
    change = version.change
    if change.before is not None and change.after is not None and change.before.digest == change.after.digest:
        return
    changes = change.changes if change.before is not None else None
    if changes is None:
        for trace in traces:
            trace.why = _from(
                version, trace.line, texts[trace.line], change.edits[0].reason if change.edits else None, None
            )
        return
    refined, owner = _refine(changes, traces)
    for trace, index in _step_back(refined, traces):
        original = owner[index]
        note = next((i for i, edit in enumerate(change.edits) if original in edit.splices), None)
        reason = change.edits[note].reason if note is not None else None
        trace.why = _from(version, trace.line, texts[trace.line], reason, note)


def _from(version: Version, line: int, text: str, reason: str | None, index: int | None) -> Why:
    return Why(line, text, version.entry, reason or version.entry.record.reason, index, "record")


def _refine(changes: ChangeSet, traces: list[_Trace]) -> tuple[ChangeSet, list[int]]:
    """The change set cut down to the lines that really differ, and which splice each piece came from.

    Only splices that wrote near a traced line are compared line by line; the others just move what follows.
    """
    pieces: list[Splice] = []
    owner: list[int] = []
    starts = [trace.span.start for trace in traces]
    for index, (splice, written) in enumerate(zip(changes.splices, changes.after_spans(), strict=True)):
        near = bisect_left(starts, written.end)
        is_near = near > 0 and traces[near - 1].span.end > written.start
        parts = _parts(splice) if is_near else (splice,)
        pieces.extend(parts)
        owner.extend([index] * len(parts))
    return ChangeSet(tuple(pieces)), owner


def _parts(splice: Splice) -> tuple[Splice, ...]:
    if "\n" not in splice.old and "\r" not in splice.old:
        return (splice,)
    return tuple(part.shift(splice.start) for part in changes_between(splice.old, splice.new).splices)


def _step_back(changes: ChangeSet, traces: list[_Trace]) -> list[tuple[_Trace, int]]:
    """Move each trace to the version before; those a splice wrote come back with the splice's index."""
    hit: list[tuple[_Trace, int]] = []
    afters = changes.after_spans()
    index = delta = 0
    for trace in traces:
        while index < len(afters) and _lies_before(changes.splices[index], afters[index], trace.span):
            delta += changes.splices[index].delta
            index += 1
        if index < len(afters) and afters[index].start < trace.span.end:
            hit.append((trace, index))
        else:
            trace.span = trace.span.shift(-delta)
    return hit


def _lies_before(splice: Splice, written: Span, line: Span) -> bool:
    """Whether the splice is above the line and left it alone; what it took from the line's start is in the line."""
    took_from_line = written.is_empty and written.start == line.start and not splice.old.endswith(("\n", "\r"))
    return written.end <= line.start and not took_from_line


def _cross_gap(journal: Journal, version: Version, later: bytes, traces: list[_Trace], texts: dict[int, str]) -> bool:
    """Step over changes made outside the journal; False when that version cannot be rebuilt.

    Where notes lead all the way from the record to the later version, each line is credited to one of them.
    """
    from steadyhand.workspace.history.outside import changes_known

    chain, is_whole = changes_known(journal, version, digest_of(later))
    if is_whole:
        for change in chain:
            assert change.changes is not None
            _blame(change.changes, [trace for trace in traces if trace.why is None], texts, change)
        return True
    try:
        gap = gap_between(journal, version, later)
    except EditError:
        return False
    _blame(gap, traces, texts, chain[0] if len(chain) == 1 else None)
    return True


def _blame(changes: ChangeSet, traces: list[_Trace], texts: dict[int, str], by: Outside | None) -> None:
    for trace, _ in _step_back(changes, traces):
        trace.why = Why(trace.line, texts[trace.line], None, None, None, "outside", outside=by)


def _blame_all(traces: list[_Trace], texts: dict[int, str]) -> None:
    for trace in traces:
        trace.why = Why(trace.line, texts[trace.line], None, None, None, "outside")
