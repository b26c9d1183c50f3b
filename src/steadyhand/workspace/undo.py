"""Taking a record back: its inverse, moved over everything that happened since, laid on an overlay.

Nothing is written here and nothing is forced: where a later change stands on the same text, the undo is
refused with the lines. The result is an ordinary transaction; committing it appends a record.

1. A file that still is as the record left it gets back exactly the bytes it had.
2. Otherwise the inverse splices are moved over each later change, in order, gaps outside the journal included. A later
   change of the same token is in the way, even of other characters: undo would make a value nobody wrote.
3. A change that was undone since is not in the way: on a clash `tombstones.py` follows whose text is still there. The
   same words, written again by others, are theirs.
4. A creation is undone only if the file is as created; a deletion only if the path is free. A `.bak` copy that is not
   as it was made stays as it is and hinders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.diff import changes_between
from steadyhand.text.encoding import Encoding
from steadyhand.text.pace import go_on, paced
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.words import is_one_word, token_around
from steadyhand.workspace.backups import backups_in, is_tidying
from steadyhand.workspace.draft import Draft
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.lineage import Course, Stop, gap_between, recorded_text, stops_forward, unwind, version_after
from steadyhand.workspace.overlay import Overlay
from steadyhand.workspace.place import FileImage
from steadyhand.workspace.tombstones import Later, take_back

_SOME = 16  # changes looked at between two questions whether to go on


class Undo:
    """Lays the inverse of records on an overlay, newest record first."""

    def __init__(self, journal: Journal, overlay: Overlay) -> None:
        self._journal = journal
        self._course = Course(journal)
        self._overlay = overlay
        self._taken: set[str] = set()
        self._seen: dict[tuple[str, str, Encoding | None], Later] = {}
        self.prune: list[str] = []

    def take_back(self, entries: Sequence[Entry]) -> None:
        """Undo several records as one; refuses with `cannot-undo` and leaves the overlay to be thrown away."""
        for entry in sorted(entries, key=lambda item: item.seq, reverse=True):
            go_on()
            self._take_back_record(entry)
            self._taken.add(entry.record.id)
        self.prune.sort(key=lambda path: path.count("/"), reverse=True)  # a directory is empty after those inside it

    def _take_back_record(self, entry: Entry) -> None:
        """Contents first, then names: those that go, those that move together, those that come back."""
        lost = {made.path for change, made in backups_in(entry.record) if not self._is_as_made(entry, change, made)}
        changes = [change for change in entry.record.files if change.path not in lost]
        for change in changes:
            if change.redacted and change.content_changed:
                because = "its content was not kept, because the file holds secrets"
                raise _refusal(entry, change, because, "restore the file from elsewhere")
        surviving = [(change, self._present(entry, change)) for change in changes if change.after is not None]
        for change, draft in surviving:
            if change.before is None:
                self._remove_created(entry, change, draft)
            else:
                self._restore_content(entry, change, draft)
                self._restore_mode(entry, change, draft)
        self._overlay.rename_together(
            [self._way_back(entry, change, draft) for change, draft in surviving if change.is_rename]
        )
        for change in changes:
            if change.after is None:
                self._restore_deleted(entry, change)
            self.prune.extend(reversed(change.made_dirs))

    def _is_as_made(self, entry: Entry, change: FileChange, made: FileState) -> bool:
        """Whether a copy that a record made beside a file is still there; one that is not hinders nothing."""
        draft = self._overlay.came_from(made.path)
        is_there = draft is not None and draft.path == made.path and digest_of(draft.data or b"") == made.digest
        return is_there and not any(self._since(entry, change))

    def _restore_mode(self, entry: Entry, change: FileChange, draft: Draft) -> None:
        assert change.before is not None and change.after is not None
        if change.before.mode != change.after.mode:
            if _mode(draft) != change.after.mode:
                raise _refusal(entry, change, "the file's mode was changed since", "set the mode by hand")
            draft.mode = change.before.mode

    def _restore_deleted(self, entry: Entry, change: FileChange) -> None:
        assert change.before is not None
        data = self._journal.image(change.before.digest)
        if data is None:
            raise _refusal(entry, change, "the image of the deleted file is gone", "restore it from elsewhere")
        draft = self._overlay.create(change.before.path, mode=change.before.mode)
        draft.take_bytes(data)
        owned = change.before.ownership
        if owned is not None:
            facts = (change.before.mode, owned.uid, owned.gid, 1, len(data), 0, 0, owned.xattrs)
            draft.like = FileImage(data, change.before.digest, *facts)

    def _remove_created(self, entry: Entry, change: FileChange, draft: Draft) -> None:
        assert change.after is not None
        if digest_of(draft.data or b"") != change.after.digest:
            names = ", ".join(stop.entry.record.id for stop in self._since(entry, change)) or "something else"
            raise _refusal(
                entry, change, f"the file it created was changed since by {names}", "undo the later changes first"
            )
        assert draft.path is not None
        self._overlay.delete(draft.path)

    def _restore_content(self, entry: Entry, change: FileChange, draft: Draft) -> None:
        assert change.before is not None and change.after is not None
        if change.before.digest == change.after.digest:
            return
        present = draft.data or b""
        if digest_of(present) == change.after.digest:
            self._restore_exactly(entry, change, draft, present)
            return
        if change.changes is None:
            raise _refusal(
                entry, change, "the whole file was replaced and has changed since", "undo the later changes first"
            )
        later = self._later(entry, change, draft)
        source = draft.source() if draft.changes else draft.decode_as(recorded_text(change, present).encoding)
        moved = _move_over(entry, change, later, source)
        if moved:
            note = EditNote(entry.record.reason, None, None, None, tuple(range(len(moved.splices))), ())
            draft.take_text(self._applied(entry, change, source, moved), moved, (note,))

    def _applied(self, entry: Entry, change: FileChange, source: Source, moved: ChangeSet) -> Source:
        try:
            after = source.apply(moved)
            after.to_bytes()
        except EditError as error:
            because = f"the text does not fit the file as it is now ({error.kind})"
            raise _refusal(entry, change, because, "edit it by hand") from None
        return after

    def _restore_exactly(self, entry: Entry, change: FileChange, draft: Draft, present: bytes) -> None:
        assert change.before is not None
        before = unwind(change, present) if change.changes is not None else None
        if before is not None and digest_of(before) == change.before.digest:
            if draft.changes is None:
                draft.take_bytes(before)
            else:
                assert change.changes is not None
                inverse = change.changes.invert()
                note = EditNote(entry.record.reason, None, None, None, tuple(range(len(inverse.splices))), ())
                draft.decode_as(recorded_text(change, present).encoding)
                draft.take_text(recorded_text(change, before), inverse, (note,))
            return
        image = self._journal.image(change.before.digest)
        if image is None:
            raise _refusal(entry, change, "the image of the version before is gone", "restore it from elsewhere")
        draft.take_bytes(image)

    def _way_back(self, entry: Entry, change: FileChange, draft: Draft) -> tuple[str, str]:
        assert change.before is not None and change.after is not None
        if draft.path != change.after.path:
            raise _refusal(entry, change, f"the file has since moved to {draft.path}", "undo that rename first")
        return change.after.path, change.before.path

    def _present(self, entry: Entry, change: FileChange) -> Draft:
        """The file as it is in the overlay, wherever later records have moved it."""
        assert change.after is not None
        path = home = change.after.path
        for stop in self._since(entry, change):
            if stop.change.after is None:
                name = stop.entry.record.id
                raise _refusal(entry, change, f"{stop.change.path} was deleted by {name}", f"undo {name} first")
            path = stop.change.after.path
            home = home if stop.entry.record.id in self._taken else path
        draft = self._overlay.came_from(path) or self._brought_back(home)
        if draft is None or draft.path is None:
            raise _refusal(entry, change, f"{path} is no longer there", "restore the file first")
        return draft

    def _brought_back(self, path: str) -> Draft | None:
        """A file that is not on disk because it was deleted, where this undo has brought it back to by now."""
        draft = self._overlay.came_from(path)
        return draft if draft is not None and draft.before_path is None else None

    def _later(self, entry: Entry, change: FileChange, draft: Draft) -> list[Later]:
        """Every change between the record and the file as it is in the overlay, in order."""
        later: list[Later] = []
        last = Stop(entry, change)
        for stop in self._since(entry, change):
            assert stop.change.before is not None
            self._bridge(later, last, stop.change.before.digest)
            later.append(self._as_later(entry, change, stop))
            last = stop
        if draft.before is not None:
            self._bridge(later, last, draft.before.digest, draft.before.data)
        done = draft.changes
        if draft.before is None:  # this undo has brought the file back, as the last record left it
            done = _rewritten(change, version_after(self._journal, last), draft)
        elif done is None:
            done = _rewritten(change, draft.before.data, draft)
        return [*later, Later("this undo", done, undoes=tuple(self._taken))]

    def _as_later(self, entry: Entry, change: FileChange, stop: Stop) -> Later:
        key = stop.entry.record.id, stop.change.path, change.encoding
        if key not in self._seen:
            record, splices = stop.entry.record, self._splices_of(entry, change, stop)
            self._seen[key] = Later(record.id, splices, (record.actor, record.task), record.undoes)
        return self._seen[key]

    def _splices_of(self, entry: Entry, change: FileChange, stop: Stop) -> ChangeSet:
        """What a later record did, told by its splices or else by comparing the two versions it kept."""
        if stop.change.changes is not None:
            return self._as_read_then(entry, change, stop)
        if not stop.change.content_changed:
            return ChangeSet()
        before, after = (self._journal.image(digest) for digest in stop.change.digests)
        if before is None or after is None:
            name = stop.entry.record.id
            raise _refusal(entry, change, f"{name} replaced the whole file since", f"undo {name} first")
        return changes_between(recorded_text(change, before).text, recorded_text(change, after).text)

    def _as_read_then(self, entry: Entry, change: FileChange, stop: Stop) -> ChangeSet:
        """A later change in the characters of the encoding the record was made in, which alone its positions count."""
        assert stop.change.changes is not None
        if change.encoding is None or stop.change.encoding == change.encoding:
            return stop.change.changes
        after = version_after(self._journal, stop)
        return changes_between(self._text(entry, change, unwind(stop.change, after)), self._text(entry, change, after))

    def _text(self, entry: Entry, change: FileChange, data: bytes) -> str:
        assert change.encoding is not None
        assert change.changes is not None
        try:
            if all(splice.old.isascii() for splice in change.changes.splices):
                return change.encoding.decode(data)
        except UnicodeError:
            pass
        because = f"the file is no longer {change.encoding.name} text, as it was then"
        raise _refusal(entry, change, because, "edit it by hand")

    def _since(self, entry: Entry, change: FileChange) -> Iterator[Stop]:
        """Later changes of the file; a deletion that was itself undone is passed over."""
        assert change.after is not None
        path, seq = change.after.path, entry.seq
        while True:
            deletion: Stop | None = None
            for stop in stops_forward(self._course, path, after_seq=seq):
                if stop.change.after is None and self._is_undone(stop.entry):
                    deletion = stop
                    break
                yield stop
            if deletion is None or deletion.entry.undone_by is None:
                return
            assert deletion.change.before is not None
            path, seq = deletion.change.before.path, self._journal.find(deletion.entry.undone_by).seq

    def _is_undone(self, entry: Entry) -> bool:
        return entry.undone_by is not None or entry.record.id in self._taken

    def _bridge(self, later: list[Later], last: Stop, digest: str, data: bytes | None = None) -> None:
        """Add what happened outside the journal between `last` and the version `digest`."""
        assert last.change.after is not None
        if last.change.after.digest == digest:
            return
        found = data if data is not None else self._journal.image(digest)
        if found is None:
            raise _refusal(
                last.entry,
                last.change,
                "the file was changed outside Steadyhand and that version was not kept",
                "edit it by hand",
            )
        later.append(Later("a change outside Steadyhand", gap_between(self._journal, last, found)))


def _rewritten(change: FileChange, before: bytes, draft: Draft) -> ChangeSet:
    return changes_between(recorded_text(change, before).text, recorded_text(change, draft.data or b"").text)


def _move_over(entry: Entry, change: FileChange, later: Sequence[Later], source: Source) -> ChangeSet:
    assert change.changes is not None
    moved = change.changes.invert()
    for each in paced(later):
        found = _over(moved, each.changes)
        if isinstance(found, Clash):
            break
        moved = found
    else:
        if not _of_one_token(moved, later, source.text):
            return moved
    mine = Later(entry.record.id, change.changes, (entry.record.actor, entry.record.task))
    try:
        undone = take_back(mine, later, source.text)
    except EditError:
        raise _refusal(entry, change, "later records do not lead to the file as it is", "edit it by hand") from None
    if isinstance(undone, ChangeSet):
        return undone
    lines = sorted({line for each in undone for line in _lines_of(each.span, source)})
    by = undone[0].by
    raise _refusal(
        entry,
        change,
        f"{by} changed the same text since, now line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}",
        "undo the later change first, or edit those lines by hand",
        lines=lines,
        blocked_by=by,
    )


def _lines_of(span: Span, source: Source) -> range:
    first, last = source.lines_of(span)
    return range(first, last + 1)


def _of_one_token(moved: ChangeSet, later: Sequence[Later], text: str) -> str | None:
    """Who has changed another part of a token of the present text that the undo would change a part of."""
    reaches = [token_around(text, splice.trim().span) for splice in moved.splices]
    reaches = [reach for reach, splice in zip(reaches, moved.splices, strict=True) if reach != splice.trim().span]
    for each in paced(reversed(later), _SOME):
        before = _before(reaches, each.changes) if reaches else []
        if before is None:
            return each.name
        reaches = before
    return None


def _before(spans: Sequence[Span], changes: ChangeSet) -> list[Span] | None:
    """Spans of the text after changes, from top to bottom, in the text before; None where one has a part in them."""
    found: list[Span] = []
    written = list(zip(changes.after_spans(), changes.splices, strict=True))
    at = delta = 0
    for span in spans:
        while at < len(written) and written[at][0].end <= span.start:
            delta += written[at][1].delta
            at += 1
        if at < len(written) and written[at][0].start < span.end:
            return None
        found.append(span.shift(-delta))
    return found


def _over(mine: ChangeSet, later: ChangeSet) -> ChangeSet | Clash:
    """A change moved over a later one. What was written onto the end of a word clashes with that word too."""
    ends = {splice.span.end: splice for splice in later.splices}
    starts = {splice.start: splice for splice in later.splices}
    joined: list[tuple[Splice, Splice]] = []
    for splice in mine.splices:
        own = splice.old or splice.new
        before, behind = ends.get(splice.start), starts.get(splice.span.end)
        if before is not None and is_one_word(before.new[-1:], own[:1]):
            joined.append((splice, before))
        if behind is not None and is_one_word(own[-1:], behind.new[:1]):
            joined.append((splice, behind))
    return Clash(tuple(joined)) if joined else mine.rebase(later)


def _mode(draft: Draft) -> int | None:
    if draft.mode is not None:
        return draft.mode
    return draft.before.mode if draft.before is not None else None


def _refusal(entry: Entry, change: FileChange, because: str, hint: str, **details: object) -> EditError:
    return EditError(
        Kind.CANNOT_UNDO,
        f"{entry.record.id} cannot be undone in {change.path}: {because}",
        hint=hint,
        details={"record": entry.record.id, "path": change.path, **details},
    )


def latest_standing(journal: Journal, *, path: str | None = None) -> Entry:
    """The newest record that is neither an undo nor undone, nor only tidied up. Refuses with `cannot-undo`."""
    for entry in journal.entries(path=path):
        if entry.record.verb != "undo" and entry.undone_by is None and not is_tidying(entry.record):
            return entry
    raise EditError(Kind.CANNOT_UNDO, "there is nothing to undo", hint="see `steadyhand log`")


def standing_of_task(journal: Journal, task: str) -> list[Entry]:
    """Every edit of a task that still stands; a redo only makes an edit stand again. Refuses with `cannot-undo`."""
    entries = [e for e in journal.entries(task=task) if e.record.verb == "edit" and e.undone_by is None]
    if not entries:
        raise EditError(Kind.CANNOT_UNDO, f"task {task[:80]!r} has nothing to undo", hint="see `steadyhand log --task`")
    return entries


def latest_undo(journal: Journal) -> Entry:
    """The newest undo that was not redone. Refuses with `cannot-undo`."""
    for entry in journal.entries():
        if entry.record.verb == "undo" and entry.undone_by is None:
            return entry
    raise EditError(Kind.CANNOT_UNDO, "there is nothing to redo", hint="see `steadyhand log`")
