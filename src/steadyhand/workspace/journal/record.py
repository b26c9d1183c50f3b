"""What the journal keeps, as pure values: who changed which files when, why, and how to take it back; and who works.

Nothing here opens a file or a database; `codec.py` gives these values their JSON form. Paths are relative
to the workspace root, with `/`. Digests are the SHA-256 of a file's bytes in hex.

What parties have seen and announced is no history: what is seen next replaces it, a lease ends. It only says what
"since this task last read the file" means, in every process that shares the journal.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final, Literal

from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.encoding import Encoding
from steadyhand.text.visible import sized

ID_LENGTH = 12
_ID = lazy_pattern(f"[0-9a-f]{{{ID_LENGTH}}}")

Status = Literal["created", "deleted", "renamed", "edited", "mode"]
Verb = Literal["edit", "undo", "redo"]
EditEnd = Literal["applied", "refused", "skipped"]


HELD: Final = "held "
"""What the types of notes about held work begin with."""


def new_record_id() -> str:
    """Twelve lower-case hex digits nobody can guess and hardly anybody has had before."""
    return os.urandom(ID_LENGTH // 2).hex()


def is_record_id(text: str) -> bool:
    """Whether a text could be the id of a record."""
    return _ID.fullmatch(text) is not None


def utc_now() -> str:
    """The time as the journal writes it: UTC, ISO 8601, milliseconds. For people; no order rests on it."""
    seconds, part = divmod(time.time_ns(), 1_000_000_000)
    return f"{_second(seconds)}.{part // 1_000_000:03d}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    """The same as far as seconds, which several calls have in common."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()[: -len("+00:00")]


def utc_text(moment: datetime) -> str:
    """A time as the journal writes it; texts sort as the times do."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class State(StrEnum):
    """How far a record got. `partial`: recovery could not settle every file and left some alone."""

    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"
    PARTIAL = "partial"


@sized("xattrs")
@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose a file was, and its extended attributes: kept for a file that goes, so that it can come back whole."""

    uid: int
    gid: int
    xattrs: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class FileState:
    """One side of a change: where the file was, what its bytes were, its permission bits."""

    path: str
    digest: str
    mode: int
    ownership: Ownership | None = None


@dataclass(frozen=True, slots=True)
class EditNote:
    """One edit of a call: why, how its place was found, and which splices of the change set it wrote.

    `forced` names the records of others that it was written over although its task had not seen them. Of an edit that
    was not applied, `kind` says why.
    """

    reason: str | None = None
    tier: str | None = None
    similarity: float | None = None
    lines: tuple[int, int] | None = None
    splices: tuple[int, ...] = ()
    differs: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    outcome: EditEnd = "applied"
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one record did to one file.

    `changes` is None where the content stayed (equal digests), where only the two whole images tell
    (different digests), or where the content is secret (`redacted`). `made_dirs` are the parent
    directories this change created, outermost first. `left` are the edits of a call applied in part that changed
    nothing.
    """

    before: FileState | None
    after: FileState | None
    changes: ChangeSet | None = None
    encoding: Encoding | None = None
    edits: tuple[EditNote, ...] = ()
    made_dirs: tuple[str, ...] = ()
    redacted: bool = False
    left: tuple[EditNote, ...] = ()

    def __post_init__(self) -> None:
        if self.before is None and self.after is None:
            raise ValueError("a change has a side before or a side after")

    @property
    def path(self) -> str:
        """Where the file is now; where it was, if it is gone."""
        state = self.after or self.before
        assert state is not None
        return state.path

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the change touched, the one before first."""
        return tuple(dict.fromkeys(state.path for state in (self.before, self.after) if state))

    @property
    def digests(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(state.digest for state in (self.before, self.after) if state))

    @property
    def is_create(self) -> bool:
        return self.before is None

    @property
    def is_delete(self) -> bool:
        return self.after is None

    @property
    def is_rename(self) -> bool:
        return self.before is not None and self.after is not None and self.before.path != self.after.path

    @property
    def content_changed(self) -> bool:
        """Whether the bytes are others than before; always so for a created or deleted file."""
        return self.before is None or self.after is None or self.before.digest != self.after.digest

    @property
    def status(self) -> Status:
        if self.is_create:
            return "created"
        if self.is_delete:
            return "deleted"
        if self.is_rename:
            return "renamed"
        return "edited" if self.content_changed else "mode"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The call of a tool that a record is part of: its id, which other records of it share, and whose it was.

    `tokens`, in and out, and `model_ms` are what the model's reply took that held the call, where whoever drove the
    conversation knew; of several calls in one reply the first has them.
    """

    id: str
    toolset: str
    conversation: str
    tokens: tuple[int, int] | None = None
    model_ms: int | None = None


@dataclass(slots=True)
class _Sides:
    """The changes of a record by the path before and by the path after, made when one is first asked for."""

    leaving: dict[str, FileChange] = field(default_factory=dict)
    arriving: dict[str, FileChange] = field(default_factory=dict)
    is_made: bool = False


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Record:
    """One transaction, invertible: all files, with the reason for the whole and for each edit.

    `undoes` names the records this one takes back; a redo takes back an undo. `arguments` is the digest
    of the arguments of the call, never the arguments themselves. `call` is None where no tool of ours was called.
    `dialect` is the format of the patch that it was made by, if it was one.
    """

    id: str
    time: str
    actor: str
    task: str | None
    tool: str
    reason: str | None
    verb: Verb
    undoes: tuple[str, ...]
    files: tuple[FileChange, ...]
    arguments: str | None = None
    model: str | None = None
    duration_ms: int | None = None
    call: ToolCall | None = None
    dialect: str | None = None
    _sides: _Sides = field(default_factory=_Sides, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for given in (self.id, *self.undoes):
            if not _ID.fullmatch(given):
                raise ValueError(f"a record id is {ID_LENGTH} lower-case hex digits, not {given!r}")

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path on either side of a change, each once."""
        sides = [side for file in self.files for side in (file.before, file.after)]
        return tuple(dict.fromkeys([side.path for side in sides if side is not None]))

    @property
    def digests(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(digest for file in self.files for digest in file.digests))

    def file(self, path: str) -> FileChange | None:
        """The change that has `path` on one of its sides; the side after wins."""
        sides = self._sides
        if not sides.is_made:
            self._sort_by_path()
        return sides.arriving.get(path) or sides.leaving.get(path)

    def arriving(self, path: str) -> FileChange | None:
        """The change that left a file at `path`."""
        if not self._sides.is_made:
            self._sort_by_path()
        return self._sides.arriving.get(path)

    def leaving(self, path: str) -> FileChange | None:
        """The change that found a file at `path`."""
        if not self._sides.is_made:
            self._sort_by_path()
        return self._sides.leaving.get(path)

    def _sort_by_path(self) -> None:
        sides = self._sides
        for change in self.files:
            if change.before is not None:
                sides.leaving.setdefault(change.before.path, change)
            if change.after is not None:
                sides.arriving.setdefault(change.after.path, change)
        sides.is_made = True


@dataclass(frozen=True, slots=True)
class Staging:
    """What recovery needs to finish or take back a prepared record: who staged it, which temporaries, which locks.

    `temps` are pairs of (path, temporary path), both relative to the root. `fence` is the number of the hold under
    which it was staged, 0 where one machine's lock files are enough.
    """

    machine: str
    pid: int
    temps: tuple[tuple[str, str], ...] = ()
    lock_keys: tuple[str, ...] = ()
    fence: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as the journal knows it now. `seq` orders entries; `undone_by` is the live undo, if any."""

    seq: int
    record: Record
    state: State
    note: str | None = None
    undone_by: str | None = None


@sized("body")
@dataclass(frozen=True, slots=True)
class Note:
    """A line in the journal that is no change: what recovery found, what was set aside, what was dropped."""

    seq: int
    time: str
    type: str
    body: dict[str, object]


def word(body: Mapping[str, object], name: str) -> str | None:
    """A field that is text."""
    value = body.get(name)
    return value if isinstance(value, str) else None


def pair(value: object) -> tuple[int, int] | None:
    """Two whole numbers, such as a first and a last line; None for anything else."""
    match value:
        case [int(first), int(last)]:
            return first, last
    return None


@dataclass(frozen=True, slots=True)
class Party:
    """One side of a possible conflict: an actor at work on a task, or on none."""

    actor: str
    task: str | None = None

    def __str__(self) -> str:
        return self.actor if self.task is None else f"{self.actor} ({self.task})"


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """A version of a file that was shown to a party: all of it, or the characters of `spans` (half-open).

    `seq` is a row of the journal that was there before the file was read: the party may not know what is newer.
    """

    digest: str
    seq: int
    spans: tuple[tuple[int, int], ...] | None = None

    @property
    def is_whole(self) -> bool:
        return self.spans is None

    def __post_init__(self) -> None:
        if self.spans is not None and any(not 0 <= start <= end for start, end in self.spans):
            raise ValueError("a span starts at 0 or later and does not end before it starts")


@dataclass(frozen=True, slots=True)
class Lease:
    """What a party says it is about to work on: a file, or the characters `span` of its version `digest`.

    Others are warned. `seconds` is how long it was asked for; None: until its holder ends it or ends. `seq` is a row of
    the journal that was there before that version was read: what is newer may have moved the span.
    """

    id: str
    party: Party
    path: str
    time: str
    reason: str | None = None
    digest: str | None = None
    span: tuple[int, int] | None = None
    seconds: float | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Happening:
    """Something the journal gained: a record that was settled, or a note. `seq` is the row that says so."""

    seq: int
    time: str
    what: Entry | Note


@dataclass(frozen=True, slots=True)
class Hold:
    """The right to change some files, as the machines that share a journal know it.

    `number` is larger than that of every earlier hold of one of these files; 0 where one machine's lock files do.
    """

    number: int = 0
