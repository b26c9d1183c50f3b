"""A change before it is written, as values that `transaction.py` acts on: what becomes of each file, and of each name.

Every verb (edit, write, create, delete, rename, mode, undo) ends in an `Overlay`, so that several of them in one
transaction see the work of each other. It reads the disk through the reader it is given and never writes; what comes
of it is a `FileOp` for each file that would differ. A rename changes two names, one that vanishes and one that
appears; so every change of a name is small enough to be done, checked and taken back by itself.

1. As long as splices describe how a text came about, `changes` holds them; once whole bytes were put in, it is None.
2. What a file would hold is `data`, whichever way it got there.
3. A file with secrets leaves its digests in the journal and nothing else.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.hints import FreeName, ReplaceExisting
from steadyhand.lazy import dataclass, field, replace
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.source import Source, digest_of
from steadyhand.text.span import Span
from steadyhand.text.visible import sized
from steadyhand.workspace.files.protection import repository_parts
from steadyhand.workspace.files.sandbox import FileImage, lock_key_of
from steadyhand.workspace.files.storage import shown
from steadyhand.workspace.files.writer import SPECIAL_BITS, new_file_mode
from steadyhand.workspace.history.file_history import Version, gap_between, recorded_text
from steadyhand.workspace.journal.record import EditNote, FileChange, FileState, Ownership, ToolCall, Verb
from steadyhand.workspace.journal.store import Journal

if TYPE_CHECKING:
    from steadyhand.workspace.journal.index import Recalled


@dataclass(slots=True)
class Trace:
    """A tool's call as the journal knows it: which one, a digest of its arguments, the model that made it.

    `refusals` counts those that were reported, so that whoever made the call does not report them again; `receipts` are
    of the changes that it made. `file` is the one that its arguments name, as they spell it.
    """

    call: ToolCall
    arguments: str
    model: str | None = None
    refusals: int = 0
    receipts: list[Any] = field(default_factory=list)
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """Who changes the tree and why; `trace` is of the tool's call that asks for it, if one does.

    `dialect` is the format of the patch that it is, if it is one.
    """

    actor: str
    task: str | None
    tool: str
    reason: str | None = None
    verb: Verb = "edit"
    undoes: tuple[str, ...] = ()
    trace: Trace | None = None
    dialect: str | None = None


OpKind = Literal["replace", "in-place", "create", "remove", "mode"]


@sized("data")
@dataclass(frozen=True, slots=True)
class FileOp:
    """One file of a transaction: what it is, what it shall be, and what the journal will say of it.

    `like` is a file that went away and comes back: its owner, attributes and (unless `mode` says otherwise) mode are
    taken where they can be.
    """

    before_path: str | None
    after_path: str | None
    before: FileImage | None
    data: bytes | None
    digest: str | None
    mode: int | None
    changes: ChangeSet | None = None
    source: Source | None = None
    edits: tuple[EditNote, ...] = ()
    whole: bool = False
    secret: bool = False
    like: FileImage | None = None
    left: tuple[EditNote, ...] = ()

    @property
    def is_rename(self) -> bool:
        return self.before_path is not None and self.before_path != self.after_path

    @property
    def keeps_content(self) -> bool:
        return self.before is not None and self.digest == self.before.digest


NameChange = tuple[str, OpKind, FileImage | None, FileOp]
"""A name, what becomes of it, what is there, and the operation that it belongs to."""


def name_changes(ops: Sequence[FileOp], readings: Mapping[str, FileReading], hardlinks: str) -> list[NameChange]:
    """One change per name; names that appear come first, so that no instant shows less than both versions."""
    found: dict[str, NameChange] = {}
    for op in ops:
        if op.before_path is not None and op.before_path != op.after_path:
            found.setdefault(op.before_path, (op.before_path, "remove", op.before, op))
    for op in ops:
        if op.after_path is not None:
            present = readings[op.after_path].image
            vacated = op.after_path in found or op.after_path == op.before_path
            assert present is None or vacated, f"{op.after_path} would be overwritten without a trace"
            found[op.after_path] = (op.after_path, _arrival(op, present, hardlinks), present, op)
    if len(found) == 1:
        return list(found.values())
    return sorted(found.values(), key=lambda change: (change[1] == "remove", change[0]))


def _arrival(op: FileOp, present: FileImage | None, hardlinks: str) -> OpKind:
    if op.keeps_content and not op.is_rename:
        return "mode"
    if present is None:
        return "create"
    return "in-place" if not op.is_rename and _needs_in_place(present, hardlinks) else "replace"


def _needs_in_place(present: FileImage, hardlinks: str) -> bool:
    """Whether a new file would cost this one something: its other names, or an owner we may not give it again."""
    return (present.nlink > 1 and hardlinks == "in-place") or _is_anothers(present)


def _is_anothers(present: FileImage) -> bool:
    return os.geteuid() != 0 and (present.uid != os.geteuid() or present.gid not in (os.getegid(), *os.getgroups()))


_OPTIONS = (
    "the host may allow it with hardlinks=break (this name gets a new file, the others keep the old text)"
    " or hardlinks=in-place (all of its names get the new text); for steadyhand that is --hardlinks"
)
_ONE_AT_A_TIME = "make one change at a time, or ask the host for hardlinks=break (only this name changes)"


def check_links(ops: Sequence[FileOp], hardlinks: str) -> None:
    """Refuse what cannot be done to a file with several names without reaching or losing the others.

    They may be anywhere on the file system: package stores link what they install, also into a workspace.
    """
    linked = [op for op in ops if op.before is not None and op.before.nlink > 1 and op.after_path is not None]
    if not linked:
        return
    inodes = Counter((op.before.dev, op.before.ino) for op in linked if op.before is not None)
    for op in linked:
        assert op.before is not None
        hint = _ONE_AT_A_TIME
        rewritten = op.digest != op.before.digest
        if hardlinks == "refuse" and (rewritten or op.mode is not None):
            because = f"has {op.before.nlink} names (hard links), and some may be outside the workspace"
            hint = _OPTIONS
        elif hardlinks == "break" and rewritten and _is_anothers(op.before):
            because = "has several names (hard links), and another user owns it, so no new file can replace it"
            hint = "work on another file, or ask the host for hardlinks=in-place (all of its names change)"
        elif hardlinks == "in-place" and inodes[op.before.dev, op.before.ino] > 1:
            because = "is changed here by two of its names"
        elif hardlinks == "in-place" and rewritten and op.before_path != op.after_path:
            because = "has several names (hard links), and is edited and renamed at once"
        else:
            continue
        raise EditError(
            Kind.NOT_ALLOWED,
            f"{op.before_path} {because}",
            hint=hint,
            details={"path": op.before_path, "names": op.before.nlink},
        )


_MOST_LINES = 20


def change_of(op: FileOp, made_dirs: tuple[str, ...]) -> FileChange:
    """What the record keeps of a file."""
    before = after = None
    if op.before is not None and op.before_path is not None:
        image = op.before
        owned = Ownership(image.uid, image.gid, image.xattrs) if op.after_path is None else None
        before = FileState(op.before_path, image.digest, image.mode, owned)
    if op.after_path is not None and op.digest is not None:
        after = FileState(op.after_path, op.digest, _mode_after(op))
    if op.secret:
        return FileChange(before, after, None, None, (), made_dirs, redacted=True)
    if op.changes is None or op.source is None or not op.source.reads_back:
        return FileChange(before, after, None, None, op.edits, made_dirs, left=op.left)
    return FileChange(before, after, op.changes, op.source.encoding, op.edits, made_dirs, left=op.left)


def _mode_after(op: FileOp) -> int:
    """The mode the file will have; rights given to old content do not pass to new content."""
    kept = op.before.mode if op.before is not None else new_file_mode()
    mode = op.mode if op.mode is not None else kept
    unchanged = op.before is not None and op.digest == op.before.digest
    return mode if unchanged else mode & ~SPECIAL_BITS


class LatestRecords:
    """The newest record of each path, asked for once. A damaged row says nothing.

    What is asked under the locks of a file stays true as long as they are held.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.may_have_leases = True  # whether somebody may have announced a lease of any file
        self.recalled: Recalled | None = None  # the answers, if all were asked for at once
        self._found: dict[str, Version | None] = {}

    def of(self, path: str) -> Version | None:
        if path not in self._found:
            found = None
            try:
                entry = self.journal.latest(path)
                change = None if entry is None else entry.record.file(path)
                found = None if entry is None or change is None else Version(entry, change)
            except EditError:
                pass
            self._found[path] = found
        return self._found[path]

    def row_of(self, path: str) -> int | None:
        """The row of that record; None: there is no record that can be read."""
        version = self.of(path)
        return None if version is None else version.entry.seq


def images_of(ops: Sequence[FileOp], latest: LatestRecords) -> dict[str, bytes]:
    """Whole files the journal must keep, because splices alone could not bring them back."""
    images: dict[str, bytes] = {}
    for op in ops:
        if op.secret:
            continue
        moved_only = op.before is not None and op.digest == op.before.digest
        spliced = op.changes is not None and op.source is not None and op.source.reads_back
        rewritten = not moved_only and (op.whole or not spliced)
        if op.before is not None and (rewritten or not _is_known(op, latest)):
            images[op.before.digest] = op.before.data
        if op.data is not None and op.digest is not None and not moved_only and not spliced:
            images[op.digest] = op.data
    return images


def outside_notes(ops: Sequence[FileOp], latest: LatestRecords) -> list[dict[str, object]]:
    """What something else did to the files since the journal last knew them, as the notes that tell it."""
    notes = []
    for op in ops:
        if op.before is not None and op.before_path is not None:
            note = outside_note(op.before_path, op.before, latest, is_secret=op.secret)
            notes += [] if note is None else [note]
    return notes


def outside_note(path: str, present: FileImage, latest: LatestRecords, *, is_secret: bool) -> dict[str, object] | None:
    """The same for one file as it is now; None where it is as the journal left it, or was never in the journal."""
    version = latest.of(path)
    if version is None or version.change.after is None or version.change.after.digest == present.digest:
        return None
    hidden = is_secret or version.change.redacted
    lines = [] if hidden else _lines_changed(latest.journal, version, present)
    return {"path": path, "before": version.change.after.digest, "after": present.digest, "lines": lines}


def _lines_changed(journal: Journal, version: Version, present: FileImage) -> list[list[int]]:
    """The lines that are not as the journal left them; none where that version is gone."""
    try:
        gap = gap_between(journal, version, present.data)
        source = recorded_text(version.change, present.data)
    except (EditError, UnicodeError):
        return []
    return [list(source.lines_of(span)) for span in gap.after_spans()][:_MOST_LINES]


def _is_known(op: FileOp, latest: LatestRecords) -> bool:
    """Whether the version before is the one the newest record of this path left; else the whole of it is kept."""
    assert op.before is not None and op.before_path is not None
    version = latest.of(op.before_path)
    return (
        version is not None
        and version.change.after is not None
        and version.change.after.digest == op.before.digest
        and not version.change.redacted
    )


def read_text(
    data: bytes,
    encoding: str | None,
    recall: Callable[[], Encoding | None],
    path: str | None,
    digest: str | None = None,
) -> Source:
    """A file's bytes as text: in the encoding asked for, else the one the journal used, else what the bytes show.

    `digest` is that of the bytes, where it is known.
    """
    known = recall() if encoding is None else None
    if known is not None:
        try:
            return Source.in_encoding(data, known, path, digest or digest_of(data))
        except UnicodeError:
            pass  # the record speaks of other bytes after all
    return Source.of_bytes(data, encoding=encoding, path=path).settle()


def _nothing() -> None:
    return None


@sized("_bytes")
@dataclass
class FileDraft:
    """A file on its way through the transaction."""

    before_path: str | None
    before: FileImage | None
    path: str | None
    mode: int | None
    secret: bool = False
    flagged: str | None = None
    via_symlink: bool = False
    encoding: str | None = None
    changes: ChangeSet | None = field(default_factory=ChangeSet)
    edits: tuple[EditNote, ...] = ()
    left: tuple[EditNote, ...] = ()
    whole: bool = False
    recall: Callable[[], Encoding | None] = _nothing
    like: FileImage | None = None
    _source: Source | None = None
    _bytes: bytes | None = None
    _is_touched: bool = False

    def source(self, encoding: str | None = None) -> Source:
        """The text as it would be now."""
        if self._source is None or (encoding is not None and encoding != self.encoding):
            if self._source is not None and self._is_touched:
                raise EditError(
                    Kind.BAD_REQUEST, f"{self.path} was already edited in this transaction with another encoding"
                )
            recall = self.recall if not self._is_touched else _nothing
            data, before = self.data or b"", self.before
            digest = before.digest if before is not None and data is before.data else None
            self._source = read_text(data, encoding, recall, self.path, digest)
            self.encoding = encoding
        return self._source

    def source_on_disk(self) -> Source:
        """The text as it is before the transaction, in the encoding in which the draft is read."""
        assert self.before is not None
        present = self._source if self._source is not None else self.source()
        if not self._is_touched:
            return present
        return Source.in_encoding(self.before.data, present.encoding, self.before_path, self.before.digest)

    def decode_as(self, encoding: Encoding) -> Source:
        """The text as it would be now, read in an encoding a record used."""
        self._source = Source.in_encoding(self.data or b"", encoding, self.path)
        return self._source

    @property
    def data(self) -> bytes | None:
        """The bytes as they would be now; None when the file would not exist."""
        if self.path is None:
            return None
        if self._bytes is not None:
            return self._bytes
        if self._is_touched and self._source is not None:
            return self._source.to_bytes()
        return self.before.data if self.before is not None else b""

    def take_text(
        self, source: Source, changes: ChangeSet, edits: tuple[EditNote, ...], *, whole: bool = False
    ) -> None:
        """The text becomes `source` by `changes`; what earlier edits of the transaction wrote keeps its credit."""
        earlier = self.changes
        if earlier:
            composed = earlier.compose(changes)
            credited = _credit(self.edits, earlier, changes, composed)
            kept = tuple(self._carried(note, changes, source) for note in credited)
            mine = _credit(edits, changes, ChangeSet(), composed)
            self.changes, self.edits = composed, kept + mine
        elif earlier is not None:
            self.changes, self.edits = changes, self.edits + edits
        self._source, self._bytes, self._is_touched = source, None, True
        self.whole = self.whole or whole

    def _carried(self, note: EditNote, changes: ChangeSet, after: Source) -> EditNote:
        """The note with its lines as they are numbered after a change."""
        if note.lines is None or self._source is None:
            return note
        return replace(note, lines=self._source.lines_after(note.lines, changes, after))

    def take_bytes(self, data: bytes, edits: tuple[EditNote, ...] = ()) -> None:
        """The content becomes `data`; no splices tell how."""
        self._bytes, self._source, self._is_touched, self.changes = data, None, True, None
        self.edits += edits
        self.whole = True


def _credit(
    edits: tuple[EditNote, ...], changes: ChangeSet, later: ChangeSet, composed: ChangeSet
) -> tuple[EditNote, ...]:
    """The same notes with their splices numbered as in `composed`."""
    spans = [later.map_span(span) for span in changes.after_spans()]
    places = composed.after_spans()
    ends = [place.end for place in places]
    credited: list[EditNote] = []
    for note in edits:
        hits = tuple(sorted({hit for index in note.splices for hit in _touching(places, ends, spans[index])}))
        credited.append(replace(note, splices=hits))
    return tuple(credited)


def _touching(places: tuple[Span, ...], ends: list[int], span: Span) -> list[int]:
    """The places that a span has a part in; where it has none, those at its edges."""
    found = []
    for index in range(bisect_left(ends, span.start), len(places)):
        if places[index].start > span.end:
            break
        found.append(index)
    # One that only touches belongs to another edit, and would hand on what touches it the next time.
    inside = [at for at in found if places[at] == span or (places[at].start < span.end and span.start < places[at].end)]
    return inside or found


@dataclass(frozen=True, slots=True)
class FileReading:
    """What is at a path: where the path leads, and the file there, if any."""

    given: str
    path: str
    lock_key: str
    image: FileImage | None
    flagged: str | None = None
    secret: bool = False
    via_symlink: bool = False


Reader = Callable[[str], FileReading]
Recall = Callable[[str, str], Encoding | None]
"""The encoding in which the journal knows a version of a file: path and digest in, None where it does not."""


class Overlay:
    """The tree as the transaction would leave it."""

    def __init__(self, reader: Reader, recall: Recall | None = None) -> None:
        self._reader = reader
        self._recall = recall
        self._drafts: list[FileDraft] = []
        self._from: dict[str, FileDraft] = {}  # by the path on disk
        self._at: dict[str, FileDraft | None] = {}
        self._given: dict[str, FileReading] = {}
        self.readings: dict[str, FileReading] = {}
        self.also_locked: tuple[str, ...] = ()  # what is no file

    def look(self, given: str) -> tuple[FileReading, FileDraft | None]:
        """Where a path leads and what would be there now; None: nothing would."""
        reading = self._given.get(given) or self._reader(given)
        self._given[given] = reading
        known = self.readings.setdefault(reading.path, reading)
        if reading.path not in self._at:
            self._at[reading.path] = self._open(known)
        return reading, self._at[reading.path]

    def read(self, paths: Iterable[str]) -> None:
        """Read these files as text now; what is refused is refused again where it is asked for."""
        for path in paths:
            try:
                draft = self.look(path)[1]
                if draft is not None:
                    draft.source()
            except EditError:
                continue

    def lock_keys(self) -> list[str]:
        """Every path that was looked at, and every inode with several names among them.

        Whoever writes a part of what git could take for a repository holds its `HEAD`: two calls at once must not
        each make one half of it.
        """
        keys = set(self.also_locked)
        for path, reading in self.readings.items():
            keys.add(reading.lock_key)
            for part in repository_parts(path):
                keys.add(lock_key_of(f"{part.directory}/HEAD" if part.directory else "HEAD"))
            if reading.image is not None and reading.image.nlink > 1:
                keys.add(f"inode {reading.image.dev} {reading.image.ino}")
        return sorted(keys)

    def images(self) -> list[FileImage]:
        """Every file that was found."""
        return [reading.image for reading in self.readings.values() if reading.image is not None]

    def need(self, given: str) -> FileDraft:
        """The file at a path. Refuses with `no-such-file`."""
        reading, draft = self.look(given)
        if draft is None:
            raise EditError(
                Kind.NO_SUCH_FILE,
                f"there is no file {shown(given)}",
                hint="check the path, or create it",
                details={"path": reading.path},
            )
        return draft

    def create(self, given: str, *, mode: int | None = None) -> FileDraft:
        """A new, empty file. Refuses with `exists-already`."""
        reading, draft = self.look(given)
        if draft is not None:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{reading.path} already exists",
                hint=ReplaceExisting(),
                details={"path": reading.path},
            )
        draft = FileDraft(None, None, reading.path, mode, reading.secret, reading.flagged)
        self._drafts.append(draft)
        self._at[reading.path] = draft
        return draft

    def delete(self, given: str) -> FileDraft:
        draft = self._own(given, "delete")
        assert draft.path is not None
        self._at[draft.path] = None
        draft.path = None
        return draft

    def rename(self, given: str, to: str) -> None:
        self.rename_all([(given, to)])

    def rename_all(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Several renames at once, so that files may take each other's names. Refuses with `exists-already`."""
        drafts = [self._own(given, "rename") for given, _ in pairs]
        targets = [self._free_target(to, drafts) for _, to in pairs]
        if len({target.path for target in targets}) < len(targets):
            raise EditError(Kind.BAD_REQUEST, "two files cannot take one name", hint="give each its own")
        for draft in drafts:
            assert draft.path is not None
            self._at[draft.path] = None
        for draft, target in zip(drafts, targets, strict=True):
            draft.path = target.path
            draft.secret = draft.secret or target.secret
            draft.flagged = draft.flagged or target.flagged
            self._at[target.path] = draft

    def _free_target(self, to: str, leaving: Sequence[FileDraft]) -> FileReading:
        target, occupied = self.look(to)
        if occupied is not None and occupied not in leaving:
            raise EditError(
                Kind.EXISTS_ALREADY,
                f"{target.path} already exists",
                hint=FreeName(),
                details={"path": target.path},
            )
        return target

    def came_from(self, path: str) -> FileDraft | None:
        """The file that is at `path` on disk, wherever the overlay has moved it; else what it put there."""
        _, draft = self.look(path)
        moved = self._from.get(path)
        return moved if moved is not None and moved.path is not None else draft

    def ops(self) -> tuple[FileOp, ...]:
        """The net effect: one operation for each file that would really change."""
        return tuple([op for draft in self._drafts if (op := _op(draft)) is not None])

    def remarks(self, ops: Sequence[FileOp]) -> tuple[str, ...]:
        """What the host should know of the changed files: instructions and workflows, secrets, guesses."""
        changed = {(op.before_path, op.after_path) for op in ops}
        remarks: list[str] = []
        for draft in self._drafts:
            if (draft.before_path, draft.path) in changed:
                remarks += _remarks(draft)
        return tuple(remarks)

    def _open(self, reading: FileReading) -> FileDraft | None:
        if reading.image is None:
            return None
        draft = FileDraft(
            reading.path, reading.image, reading.path, None, reading.secret, reading.flagged, reading.via_symlink
        )
        if self._recall is not None:
            draft.recall = partial(self._recall, reading.path, reading.image.digest)
        self._drafts.append(draft)
        self._from[reading.path] = draft
        return draft

    def _own(self, given: str, verb: str) -> FileDraft:
        """A file whose name, not only whose content, is to change."""
        draft = self.need(given)
        if self.look(given)[0].via_symlink:
            raise EditError(
                Kind.NOT_ALLOWED,
                f"{given!r} is a symbolic link to {draft.path}",
                hint=f"{verb} {draft.path} itself; Steadyhand does not change links",
                details={"path": draft.path},
            )
        return draft


def _op(draft: FileDraft) -> FileOp | None:
    if draft.before is None and draft.path is None:
        return None
    data = draft.data
    digest = digest_of(data) if data is not None else None
    mode_changes = draft.mode is not None and draft.before is not None and draft.mode != draft.before.mode
    if (
        draft.before is not None
        and digest == draft.before.digest
        and draft.path == draft.before_path
        and not mode_changes
    ):
        return None
    source = draft._source
    exact = draft.changes if draft.before is not None and digest != draft.before.digest and data is not None else None
    return FileOp(
        draft.before_path, draft.path, draft.before, data, digest, draft.mode,
        exact if source is not None else None, source, draft.edits, draft.whole, draft.secret, draft.like,
        draft.left,
    )  # fmt: skip


def _remarks(draft: FileDraft) -> list[str]:
    remarks: list[str] = []
    if draft.flagged:
        remarks.append(draft.flagged)
    if draft.secret:
        remarks.append("holds secrets, so its content is not kept and this change cannot be undone")
        if draft.path != draft.before_path and draft.before_path is not None and draft.path is not None:
            remarks.append("what a protected name kept secret is now readable under this one")
    source = draft._source
    if source is not None and source.encoding.chosen_by in ("detector", "western"):
        remarks.append(f"read as {source.encoding.name}, which is a guess; name the encoding if it is another")
    return [f"{draft.path or draft.before_path}: {remark}" for remark in remarks] if remarks else []
