"""What a change does to each file, as values; `transaction.py` acts on it.

Who asks, each file before and after, what happens to each name, and what the journal keeps of it. A rename is two
name ops, one name that vanishes and one that appears; so every one is small enough to be done, checked and taken
back by itself. A file with secrets leaves its digests in the journal and nothing else.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.visible import sized
from steadyhand.workspace.files.sandbox import FileImage
from steadyhand.workspace.files.writer import SPECIAL_BITS, new_file_mode
from steadyhand.workspace.history.file_history import Version, gap_between, recorded_text
from steadyhand.workspace.journal.record import EditNote, FileChange, FileState, Ownership, ToolCall, Verb
from steadyhand.workspace.journal.store import Journal

if TYPE_CHECKING:
    from steadyhand.workspace.overlay import FileReading


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
    """One file of a transaction: what it is, what it shall be, and what the journal will say of it."""

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


@dataclass(frozen=True, slots=True)
class NameOp:
    """One name: what is there, and what is to be there.

    `like` is the file whose owner, attributes and (unless `mode` says otherwise) mode the new one takes;
    `link_from` names the file that moves here unchanged, so that even its inode stays. A restored file comes
    back even where its owner or attributes cannot be given to it again; then that is said.
    """

    path: str
    kind: OpKind
    before: FileImage | None
    data: bytes | None = None
    digest: str | None = None
    mode: int | None = None
    like: FileImage | None = None
    link_from: str | None = None
    is_restored: bool = False

    @property
    def why_in_place(self) -> str:
        """What a rename would lose, in words."""
        assert self.before is not None
        if self.before.nlink > 1:
            return f"it has {self.before.nlink} names, and all of them show the new text"
        return "another user owns it, and a new file would be this user's"


def name_ops_of(ops: Sequence[FileOp], readings: Mapping[str, FileReading], hardlinks: str) -> tuple[NameOp, ...]:
    """One op per name; names that appear come first, so that no instant shows less than both versions."""
    name_ops: dict[str, NameOp] = {}
    for op in ops:
        if op.before_path is not None and op.before_path != op.after_path:
            name_ops.setdefault(op.before_path, NameOp(op.before_path, "remove", op.before))
    for op in ops:
        if op.after_path is not None:
            present = readings[op.after_path].image
            vacated = op.after_path in name_ops or op.after_path == op.before_path
            assert present is None or vacated, f"{op.after_path} would be overwritten without a trace"
            name_ops[op.after_path] = _arrival(op, present, hardlinks)
    if len(name_ops) == 1:
        return tuple(name_ops.values())
    return tuple(sorted(name_ops.values(), key=lambda op: (op.kind == "remove", op.path)))


def _arrival(op: FileOp, present: FileImage | None, hardlinks: str) -> NameOp:
    assert op.after_path is not None
    moved = op.before_path is not None and op.before_path != op.after_path
    unchanged = op.before is not None and op.digest == op.before.digest
    if unchanged and not moved:
        return NameOp(op.after_path, "mode", present, None, op.digest, op.mode)
    kind: OpKind = "create" if present is None else "replace"
    if present is not None and not moved and _needs_in_place(present, hardlinks):
        kind = "in-place"
    link = op.before_path if moved and unchanged and op.mode is None else None
    like, restored = (op.before, False) if op.before is not None else (op.like, op.like is not None)
    return NameOp(op.after_path, kind, present, op.data, op.digest, op.mode, like, link, restored)


def _needs_in_place(present: FileImage, hardlinks: str) -> bool:
    """Whether a new file would cost this one something: its other names, or an owner we may not give it again."""
    return (present.nlink > 1 and hardlinks == "in-place") or _is_anothers(present)


def _is_anothers(present: FileImage) -> bool:
    return os.geteuid() != 0 and (present.uid != os.geteuid() or present.gid not in (os.getegid(), *os.getgroups()))


_OPTIONS = (
    "the host may allow it with hardlinks=break (this name gets a new file, the others keep the old text)"
    " or hardlinks=in-place (all of its names show the new text); for steadyhand that is --hardlinks"
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
            because = "has several names (hard links), and another user owns it, so that no new file can take its place"
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
        self._found: dict[str, Version | None] = {}

    def of(self, path: str) -> Version | None:
        if path not in self._found:
            found = None
            with suppress(EditError):
                entry = self.journal.latest(path)
                change = None if entry is None else entry.record.file(path)
                found = None if entry is None or change is None else Version(entry, change)
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
