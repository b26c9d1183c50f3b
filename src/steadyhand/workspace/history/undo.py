"""Taking a record back: its inverse, moved over everything that happened since, put on an overlay.

Nothing is written here and nothing is forced: where a later change is in the same text, the undo is
refused with the lines. The result is an ordinary transaction; committing it appends a record.

1. A file that nobody has changed since the record gets back exactly the bytes it had. One that others changed and
   changed back is not such a file, even if its bytes are the same.
2. Otherwise all changes since are followed once, gaps outside the journal included, and `tombstones.py` says what the
   text is without those that are taken back, or who is in the way. Several records of one file are taken back together,
   so that a task costs what it did, not that times itself.
3. A change that was undone since is not in the way. The same words, written again by others, are theirs.
4. A creation is undone only if the file is as created; a deletion only if the path is free. A `.bak` copy that is not
   as it was made stays as it is and hinders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.lazy import dataclass
from steadyhand.text.cancel import check_cancelled, check_each
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.diff import changes_between
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.workspace.files.sandbox import FileImage
from steadyhand.workspace.history.file_history import (
    Course,
    Version,
    backups_in,
    gap_between,
    is_tidying,
    recorded_text,
    unwind,
    version_after,
    versions_back,
    versions_forward,
)
from steadyhand.workspace.history.tombstones import Step, TakenBack, take_back
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, FileState
from steadyhand.workspace.journal.store import Journal
from steadyhand.workspace.overlay import FileDraft, Overlay

_SOME = 16  # changes looked at between two questions whether to go on


@dataclass(frozen=True, slots=True)
class _Chain:
    """Every change of one file from the oldest that is taken back on; a deletion that was undone is passed over."""

    versions: list[Version]
    places: dict[str, int]
    last_other: int  # the place of the newest that is not taken back, -1 where there is none


class Undo:
    """Lays the inverse of records on an overlay, newest record first, but the text of each file at once."""

    def __init__(self, journal: Journal, overlay: Overlay) -> None:
        self._journal = journal
        self._course = Course(journal)
        self._overlay = overlay
        self._chosen: set[str] = set()
        self._chains: dict[tuple[str, str], _Chain] = {}
        self._done: set[tuple[str, str]] = set()  # records whose text is taken back, by their path
        self.prune: list[str] = []

    def take_back(self, entries: Sequence[Entry]) -> None:
        """Undo several records as one; refuses with `cannot-undo` and leaves the overlay to be thrown away."""
        oldest_first = sorted(entries, key=lambda item: item.seq)
        self._chosen = {entry.record.id for entry in entries}
        for entry in oldest_first:
            self._follow(entry)
        for entry in reversed(oldest_first):
            check_cancelled()
            self._take_back_record(entry)
        self.prune.sort(key=lambda path: path.count("/"), reverse=True)  # a directory is empty after those inside it

    def _follow(self, entry: Entry) -> None:
        """Find what happened to the files of a record since, unless an older record has led there already."""
        for change in entry.record.files:
            if change.after is None or (entry.record.id, change.path) in self._chains:
                continue
            is_as_left = self._journal.is_as_after(change.after.path, entry.seq)
            versions = [Version(entry, change), *(() if is_as_left else self._since(entry, change))]
            others = [at for at, version in enumerate(versions) if version.entry.record.id not in self._chosen]
            chain = _Chain(
                versions, {version.entry.record.id: at for at, version in enumerate(versions)}, max(others, default=-1)
            )
            for version in versions:
                if version.entry.record.id in self._chosen:
                    self._chains[version.entry.record.id, version.change.path] = chain

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
        self._overlay.rename_all(
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
        chain = self._chains[entry.record.id, change.path]
        return is_there and chain.places[entry.record.id] == len(chain.versions) - 1

    def _restore_mode(self, entry: Entry, change: FileChange, draft: FileDraft) -> None:
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

    def _remove_created(self, entry: Entry, change: FileChange, draft: FileDraft) -> None:
        assert change.after is not None
        if digest_of(draft.data or b"") != change.after.digest or not self._is_all_own(entry, change, draft):
            chain = self._chains[entry.record.id, change.path]
            later = chain.versions[chain.places[entry.record.id] + 1 :]
            names = ", ".join(version.entry.record.id for version in later) or "something else"
            raise _refusal(
                entry, change, f"the file it created was changed since by {names}", "undo the later changes first"
            )
        assert draft.path is not None
        self._overlay.delete(draft.path)

    def _restore_content(self, entry: Entry, change: FileChange, draft: FileDraft) -> None:
        assert change.before is not None and change.after is not None
        if not change.content_changed or (entry.record.id, change.path) in self._done:
            return
        present = draft.data or b""
        if change.changes is None:
            if digest_of(present) != change.after.digest or not self._is_all_own(entry, change, draft):
                raise _refusal(
                    entry, change, "the whole file was replaced and has changed since", "undo the later changes first"
                )
            self._restore_image(entry, change, draft)
            self._done.add((entry.record.id, change.path))
            return
        group = self._group(entry, change)
        if len(group) == 1 and digest_of(present) == change.after.digest and not self._is_touched(group[0], draft):
            self._restore_exactly(entry, change, draft, present)
            self._done.add((entry.record.id, change.path))
            return
        oldest = group[0]
        steps = [*self._undone_steps(group), *self._steps(oldest, change, draft)]
        self._done.update((version.entry.record.id, version.change.path) for version in group)
        source = draft.source() if draft.changes else draft.decode_as(recorded_text(change, present).encoding)
        undone = _undone(entry, change, steps, source, [version.entry.record.id for version in group])
        reasons = {version.entry.record.id: version.entry.record.reason for version in group}
        if undone.changes:
            after = self._applied(entry, change, source, undone.changes)
            draft.take_text(after, undone.changes, tuple(_notes(undone, reasons)))
        assert oldest.change.before is not None
        if not self._is_touched(oldest, draft) and digest_of(draft.data or b"") != oldest.change.before.digest:
            self._unwind(group, draft, present)

    def _group(self, entry: Entry, change: FileChange) -> list[Version]:
        """Changes of a file that are taken back with this one, oldest first, as far as splices say what they did."""
        chain = self._chains[entry.record.id, change.path]
        group: list[Version] = []
        for version in reversed(chain.versions[: chain.places[entry.record.id] + 1]):
            if version.entry.record.id not in self._chosen or not version.change.content_changed:
                continue
            if (
                version.change.changes is None
                or version.change.before is None
                or version.change.encoding != change.encoding
            ):
                break
            group.append(version)
        return group[::-1]

    def _is_touched(self, since: Version, draft: FileDraft) -> bool:
        """Whether anything but what is taken back has had a hand in the content of a file."""
        chain = self._chains[since.entry.record.id, since.change.path]
        versions = chain.versions[chain.places[since.entry.record.id] :]
        if any(version.change.content_changed and version.entry.record.id not in self._chosen for version in versions):
            return True
        states = [(version.change.before, version.change.after) for version in versions]
        gaps = [one[1] and two[0] and one[1].digest != two[0].digest for one, two in pairwise(states)]
        last = versions[-1].change.after
        return any(gaps) or (draft.before is not None and last is not None and draft.before.digest != last.digest)

    def _is_all_own(self, entry: Entry, change: FileChange, draft: FileDraft) -> bool:
        """Whether a file that is as a record left it was not written again by others."""
        version = Version(entry, change)
        if not self._is_touched(version, draft):
            return True
        steps = self._steps(version, change, draft)[1:]
        try:
            text = _text_before(steps, recorded_text(change, draft.data or b"").text)
            whole = Step(entry.record.id, ChangeSet((Splice(0, "", text),)), _party(entry))
            undone = take_back("", [whole, *steps], [entry.record.id])
        except EditError:
            return False
        return isinstance(undone, TakenBack) and sum(len(splice.old) for splice in undone.changes.splices) == len(text)

    def _applied(self, entry: Entry, change: FileChange, source: Source, moved: ChangeSet) -> Source:
        try:
            after = source.apply(moved)
            after.to_bytes()
        except EditError as error:
            because = f"the text does not fit the current file ({error.kind})"
            raise _refusal(entry, change, because, "edit it by hand") from None
        return after

    def _restore_exactly(self, entry: Entry, change: FileChange, draft: FileDraft, present: bytes) -> None:
        assert change.before is not None and change.changes is not None
        before = unwind(change, present)
        if digest_of(before) != change.before.digest:
            self._restore_image(entry, change, draft)
        elif draft.changes is None:
            draft.take_bytes(before)
        else:
            inverse = change.changes.invert()
            note = EditNote(entry.record.reason, None, None, None, tuple(range(len(inverse.splices))), ())
            draft.decode_as(recorded_text(change, present).encoding)
            draft.take_text(recorded_text(change, before), inverse, (note,))

    def _unwind(self, group: Sequence[Version], draft: FileDraft, present: bytes) -> None:
        """Changes one by one: bytes that are no text may read otherwise once they are side by side."""
        for version in reversed(group):
            assert version.change.before is not None
            present = unwind(version.change, present)
            if digest_of(present) != version.change.before.digest:
                self._restore_image(version.entry, version.change, draft)
                present = draft.data or b""
        draft.take_bytes(present)

    def _restore_image(self, entry: Entry, change: FileChange, draft: FileDraft) -> None:
        assert change.before is not None
        image = self._journal.image(change.before.digest)
        if image is None:
            raise _refusal(entry, change, "the image of the version before is gone", "restore it from elsewhere")
        draft.take_bytes(image)

    def _way_back(self, entry: Entry, change: FileChange, draft: FileDraft) -> tuple[str, str]:
        assert change.before is not None and change.after is not None
        if draft.path != change.after.path:
            raise _refusal(entry, change, f"the file has since moved to {draft.path}", "undo that rename first")
        return change.after.path, change.before.path

    def _present(self, entry: Entry, change: FileChange) -> FileDraft:
        """The file as it is in the overlay, wherever later records have moved it."""
        assert change.after is not None
        chain = self._chains[entry.record.id, change.path]
        last = chain.versions[-1]
        if last.change.after is None:
            name = last.entry.record.id
            raise _refusal(entry, change, f"{last.change.path} was deleted by {name}", f"undo {name} first")
        path = last.change.after.path
        home = change.after.path
        if chain.last_other > chain.places[entry.record.id]:
            other = chain.versions[chain.last_other].change.after
            home = home if other is None else other.path
        draft = self._overlay.came_from(path) or self._brought_back(home)
        if draft is None or draft.path is None:
            raise _refusal(entry, change, f"{path} is no longer there", "restore the file first")
        return draft

    def _brought_back(self, path: str) -> FileDraft | None:
        """A file that is not on disk because it was deleted, where this undo has brought it back to by now."""
        draft = self._overlay.came_from(path)
        return draft if draft is not None and draft.before_path is None else None

    def _steps(self, oldest: Version, change: FileChange, draft: FileDraft) -> list[Step]:
        """A change and all later ones that led to the file as it is in the overlay, as `change` reads the text."""
        chain = self._chains[oldest.entry.record.id, oldest.change.path]
        versions = chain.versions[chain.places[oldest.entry.record.id] :]
        entry = oldest.entry
        steps: list[Step] = []
        for last, version in pairwise([None, *versions]):
            assert version is not None
            if last is not None:
                assert version.change.before is not None
                self._bridge(steps, last, version.change.before.digest)
            record = version.entry.record
            splices = ChangeSet() if version.change.before is None else self._splices_of(entry, change, version)
            steps.append(Step(record.id, splices, _party(version.entry), record.undoes))
        last = versions[-1]
        if draft.before is not None:
            self._bridge(steps, last, draft.before.digest, draft.before.data)
        done = draft.changes
        if draft.before is None:  # this undo has brought the file back, as the last record left it
            done = _rewritten(change, version_after(self._journal, last), draft)
        elif done is None:
            done = _rewritten(change, draft.before.data, draft)
        if done:
            undone = tuple(
                version.entry.record.id
                for version in versions
                if (version.entry.record.id, version.change.path) in self._done
            )
            steps.append(Step("this undo", done, undoes=undone))
        return steps

    def _undone_steps(self, group: Sequence[Version]) -> list[Step]:
        """What led to the first of these, from the oldest change that any of them undoes, as far as splices say it."""
        waiting = [name for version in group for name in version.entry.record.undoes]
        ancestors: dict[str, int] = {}
        while waiting:
            name = waiting.pop()
            if name not in ancestors:
                undone = self._journal.find(name)
                ancestors[name] = undone.seq
                waiting += undone.record.undoes
        oldest = group[0]
        if not ancestors or oldest.change.before is None:
            return []
        steps: list[Step] = []
        digest = oldest.change.before.digest
        for version in versions_back(self._journal, oldest.change.before.path, before_seq=oldest.entry.seq):
            change, record = version.change, version.entry.record
            is_known = change.changes is not None and change.encoding == oldest.change.encoding
            if version.entry.seq < min(ancestors.values()) or change.before is None or change.after is None:
                break
            if change.after.digest != digest or (change.content_changed and not is_known):
                break
            steps.append(Step(record.id, change.changes or ChangeSet(), _party(version.entry), record.undoes))
            digest = change.before.digest
        return steps[::-1]

    def _splices_of(self, entry: Entry, change: FileChange, version: Version) -> ChangeSet:
        """What a later record did, by its splices or else by comparing the two versions it kept."""
        if version.change.changes is not None:
            return self._as_read_then(entry, change, version)
        if not version.change.content_changed:
            return ChangeSet()
        before, after = (self._journal.image(digest) for digest in version.change.digests)
        if before is None or after is None:
            name = version.entry.record.id
            raise _refusal(entry, change, f"{name} replaced the whole file since", f"undo {name} first")
        return changes_between(recorded_text(change, before).text, recorded_text(change, after).text)

    def _as_read_then(self, entry: Entry, change: FileChange, version: Version) -> ChangeSet:
        """A later change in the characters of the encoding the record was made in, which alone its positions count."""
        assert version.change.changes is not None
        if change.encoding is None or version.change.encoding == change.encoding:
            return version.change.changes
        after = version_after(self._journal, version)
        return changes_between(
            self._text(entry, change, unwind(version.change, after)), self._text(entry, change, after)
        )

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

    def _since(self, entry: Entry, change: FileChange) -> Iterator[Version]:
        """Later changes of the file; a deletion that was itself undone is passed over."""
        assert change.after is not None
        path, seq = change.after.path, entry.seq
        while True:
            deletion: Version | None = None
            for version in versions_forward(self._course, path, after_seq=seq):
                if version.change.after is None and self._is_undone(version.entry):
                    deletion = version
                    break
                yield version
            if deletion is None or deletion.entry.undone_by is None:
                return
            assert deletion.change.before is not None
            path, seq = deletion.change.before.path, self._journal.find(deletion.entry.undone_by).seq

    def _is_undone(self, entry: Entry) -> bool:
        return entry.undone_by is not None or entry.record.id in self._chosen

    def _bridge(self, steps: list[Step], last: Version, digest: str, data: bytes | None = None) -> None:
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
        steps.append(Step("a change outside Steadyhand", gap_between(self._journal, last, found)))


def _rewritten(change: FileChange, before: bytes, draft: FileDraft) -> ChangeSet:
    return changes_between(recorded_text(change, before).text, recorded_text(change, draft.data or b"").text)


def _party(entry: Entry) -> tuple[str, str | None]:
    return entry.record.actor, entry.record.task


def _notes(undone: TakenBack, reasons: Mapping[str, str | None]) -> Iterator[EditNote]:
    """For each record the reason it had, and which splices take it back; what it had undone is put down to the last."""
    last = list(reasons)[-1]
    splices: dict[str, list[int]] = {}
    for at, names in enumerate(undone.names):
        for name in [name for name in names if name in reasons] or [last]:
            splices.setdefault(name, []).append(at)
    for name, found in splices.items():
        yield EditNote(reasons[name], None, None, None, tuple(found), ())


def _text_before(steps: Sequence[Step], present: str) -> str:
    for step in check_each(reversed(steps), _SOME):
        present = step.changes.invert().apply(present)
    return present


def _undone(
    entry: Entry, change: FileChange, steps: Sequence[Step], source: Source, chosen: Sequence[str]
) -> TakenBack:
    try:
        undone = take_back(_text_before(steps, source.text), steps, chosen)
    except EditError:
        raise _refusal(entry, change, "later records do not lead to the current file", "edit it by hand") from None
    if isinstance(undone, TakenBack):
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


def _mode(draft: FileDraft) -> int | None:
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


def latest_in_effect(journal: Journal, *, path: str | None = None) -> Entry:
    """The newest record that is neither an undo nor undone, nor only tidied up. Refuses with `cannot-undo`."""
    for entry in journal.entries(path=path, live="edits"):
        if entry.record.verb != "undo" and entry.undone_by is None and not is_tidying(entry.record):
            return entry
    raise EditError(Kind.CANNOT_UNDO, "there is nothing to undo", hint=RunCommand("log", "lists the records"))


def in_effect_of_task(journal: Journal, task: str) -> list[Entry]:
    """Every edit of a task that was not undone; a redo only puts an edit back. Refuses with `cannot-undo`."""
    entries = [e for e in journal.entries(task=task, live="edits") if e.record.verb == "edit" and e.undone_by is None]
    if not entries:
        raise EditError(
            Kind.CANNOT_UNDO,
            f"task {task[:80]!r} has nothing to undo",
            hint=RunCommand("log --task", "lists those of a task"),
        )
    return entries


def latest_undo(journal: Journal) -> Entry:
    """The newest undo that was not redone. Refuses with `cannot-undo`."""
    for entry in journal.entries(live="undos"):
        if entry.record.verb == "undo" and entry.undone_by is None:
            return entry
    raise EditError(Kind.CANNOT_UNDO, "there is nothing to redo", hint=RunCommand("log", "lists the records"))
