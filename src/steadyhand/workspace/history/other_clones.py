"""What is done in other clones of this repository, reported where a file is changed here. Notices, never refusals.

Clones whose journals are in one database find each other by the name of their repository. Two clones have a version of
a file in common where its digest is in the records of both; what the other did after it is new here. A change is moved
from that version to the text here, over what was written here since; lines are given only where every change between is
known.

1. Nothing here is an error: whoever cannot be reached, or read, is left out.
2. A look costs a few queries on the connection that is there anyway, for a bounded number of clones and records.
3. Roots are compared by the paths of their files: a root that is a folder of its clone meets those of the same folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized
from steadyhand.workspace.journal.database import Connection
from steadyhand.workspace.journal.record import Entry, FileChange, Party
from steadyhand.workspace.journal.store import LASTING
from steadyhand.workspace.location import repo_id, repo_top

if TYPE_CHECKING:
    from steadyhand.workspace.held.store import AnyStore
    from steadyhand.workspace.journal.postgres.journal import PostgresJournal
    from steadyhand.workspace.overlay import FileOp


Way = tuple[ChangeSet, ...] | None
"""The changes from one version to another, oldest first; None where they are not all known."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A change of a file in another clone. `lines` are those of the text here; none: only the file is known.

    `is_met`: it concerns lines that the change made here concerns too.
    """

    path: str
    party: Party
    what: str
    time: str
    record: str
    reason: str | None = None
    lines: tuple[tuple[int, int], ...] = ()
    is_met: bool = False

    def __str__(self) -> str:
        met = ", where this change is," if self.is_met else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.path}: {self.party} {self._did()}{met} in another clone of this repository{reason}"

    def to_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "actor": self.party.actor,
            "task": self.party.task,
            "what": self.what,
            "time": self.time,
            "record": self.record,
            "reason": self.reason,
            "lines": [list(lines) for lines in self.lines],
            "meets": self.is_met,
        }

    def _did(self) -> str:
        if not self.lines:
            return f"{self.what} this file"
        shown = [f"{first}" if first == last else f"{first}–{last}" for first, last in self.lines[:3]]
        more = " and more" if len(self.lines) > 3 else ""
        word = "line" if len(self.lines) == 1 and self.lines[0][0] == self.lines[0][1] else "lines"
        return f"changed {word} {', '.join(shown)}{more}"


@sized("after")
@dataclass(frozen=True, slots=True)
class Subject:
    """A file here: its version and text before a change made here, that change, and what it led to.

    `before_seq`: only older records tell how the version before came about.
    """

    path: str
    digest: str | None
    text: Source | None = None
    changes: ChangeSet = field(default_factory=ChangeSet)
    after: str | None = None
    before_seq: int | None = None

    @property
    def own_regions(self) -> list[Region]:
        return [] if self.text is None else [region_of(self.text, splice) for splice in self.changes.splices]


def notices_of(since: Sequence[tuple[Entry, FileChange]], way: Way, subject: Subject) -> Iterator[Notice]:
    """One notice for each change that was not undone; `since` from the common version on, oldest first."""
    back: Way = ()
    names = {entry.record.id for entry, _ in since}
    for entry, change in since:
        is_taken_back = entry.undone_by is not None or (
            entry.record.verb != "edit" and names.issuperset(entry.record.undoes)
        )
        if not is_taken_back:
            yield notice_of(entry, change, subject, _splices(change, back, way, subject))
        is_known = change.changes is not None or not change.content_changed
        back = (change.changes or ChangeSet(), *back) if back is not None and is_known else None


def _splices(change: FileChange, back: Way, way: Way, subject: Subject) -> list[Splice]:
    """A change of another clone as it would be made in the text here; none where that is unknown."""
    text, encoding = subject.text, change.encoding
    if change.changes is None or back is None or way is None or text is None or encoding is None:
        return []
    if change.is_create or change.is_delete:
        return []
    if (encoding.name, encoding.mark) != (text.encoding.name, text.encoding.mark):
        return []
    ops = [*(changes.invert() for changes in back), *way]
    found = []
    for splice in change.changes.trim().splices:
        start, end = splice.start, splice.end
        for op in ops:
            start, end = op.map_position(start, assoc=-1), op.map_position(end, assoc=-1)
        found.append(Splice(start, Span(start, max(start, end)).of(text.text), splice.new))
    return found


def notice_of(entry: Entry, change: FileChange, subject: Subject, splices: Sequence[Splice] = ()) -> Notice:
    """What is reported of a change; `splices` are its own in the text here, where those are known."""
    record, text = entry.record, subject.text
    theirs = [] if text is None else [region_of(text, splice) for splice in splices]
    own = subject.own_regions
    is_met = any(mine.meets(region) or region.meets(mine) for mine in own for region in theirs)
    reasons = (edit.reason for edit in change.edits if edit.reason)
    return Notice(
        subject.path,
        Party(record.actor, record.task),
        {"edited": "changed", "mode": "changed the mode of"}.get(change.status, change.status),
        record.time,
        record.id,
        record.reason or next(reasons, None),
        () if text is None else tuple(dict.fromkeys(_lines_after(region, text, subject.changes) for region in theirs)),
        is_met,
    )


def _lines_after(region: Region, text: Source, changes: ChangeSet) -> tuple[int, int]:
    """The lines that some rows have once the change here is made."""
    delta = 0
    for splice in changes.splices:
        if splice.end > text.table.start(region.start):
            break
        delta += splice.new.count("\n") - splice.old.count("\n")
    first, last = region.lines
    return first + delta, last + delta


_CLONES = 20  # looked at for one change
_DEPTH = 50  # records of one file, here and there
_SECONDS = 1.0  # after which no further clone is looked at
_PAUSE = 60.0  # seconds for which one that could not be read is left alone
_FRESH = timedelta(days=7)  # for which a change is reported where no version is in common
_SHOWN = 5

Known = dict[str | None, Way]
"""Versions that were here, None for no file, each with the way from it to the present one."""


class Clones:
    """The other clones of one workspace's repository. Thread-safe; `repo` names it where git does not."""

    def __init__(self, store: AnyStore, repo: str | None) -> None:
        self._store = store
        self._named = repo
        self._guard = threading.Lock()
        self._is_entered = False
        self._passed_over: dict[str, float] = {}

    def of_file(self, path: str) -> list[Notice]:
        """What was done to a file in other clones since the version they and this one had in common."""
        store = self._store
        try:
            resolved, image = store.read(path)
        except EditError as error:
            if error.kind is not Kind.NO_SUCH_FILE:
                raise
            return self.notices([Subject(store.resolve(path), None)])
        text = store.text_of(resolved, image)
        source = None if text.is_binary else text
        return self.notices([Subject(resolved, image.digest, source, ChangeSet(), image.digest)])

    def warnings(self, ops: Sequence[FileOp], seq: int | None) -> tuple[str, ...]:
        """What to report of other clones for a change that was made, as row `seq` of the journal, or would be."""
        if not self.can_be_asked:
            return ()
        subjects = [subject for op in ops for subject in _subjects(op, seq)]
        return tuple(map(str, self.notices(subjects)))

    def notices(self, subjects: Sequence[Subject]) -> list[Notice]:
        """What others did to these files in their clones: what meets a change here first, then the newest."""
        try:
            found = [notice for found_there in self._look(subjects) for notice in found_there]
        except EditError:
            return []
        found.sort(key=lambda notice: notice.time, reverse=True)
        found.sort(key=lambda notice: not notice.is_met)
        return found[:_SHOWN]

    def _look(self, subjects: Sequence[Subject]) -> Iterator[list[Notice]]:
        repo, journal = self._repo, self._journal()
        if repo is None or journal is None or not subjects:
            return
        self._enter(journal, repo)
        end = time.monotonic() + _SECONDS
        reachable = (name for name in journal.siblings(repo) if self._passed_over.get(name, 0.0) < time.monotonic())
        for name in islice(reachable, _CLONES):
            if time.monotonic() > end:
                return
            try:
                yield [notice for subject in subjects for notice in _notices_of(journal, name, subject)]
            except EditError:
                self._passed_over[name] = time.monotonic() + _PAUSE

    @property
    def can_be_asked(self) -> bool:
        """Whether there may be others to ask at all."""
        return self._store.location.url is not None and self._store.state.exists

    @cached_property
    def _repo(self) -> str | None:
        if self._named is not None:
            return hashlib.sha256(f"named {self._named}".encode()).hexdigest()[:16]
        return repository_of(Path(self._store.sandbox.root))

    def _journal(self) -> PostgresJournal | None:
        if not self.can_be_asked:
            return None
        from steadyhand.workspace.journal.postgres.journal import PostgresJournal

        journal = self._store.journal
        return journal if isinstance(journal, PostgresJournal) else None

    def _enter(self, journal: PostgresJournal, repo: str) -> None:
        """Let the others find this clone; once is enough."""
        with self._guard:
            if not self._is_entered and not journal.read_only:
                self._is_entered = True
                with contextlib.suppress(EditError):  # who may not enter may still look
                    journal.register(repo, os.path.basename(self._store.sandbox.root))


def repository_of(root: Path) -> str | None:
    """The name that this root and the same folder of every other clone share; None: no clone."""
    repo, top = repo_id(root), repo_top(root)
    if repo is None or top is None or top == root:
        return repo
    inside = root.relative_to(top).as_posix().encode("utf-8", "surrogateescape")
    return f"{repo}-{hashlib.sha256(inside).hexdigest()[:8]}"


def _notices_of(journal: PostgresJournal, name: str, subject: Subject) -> list[Notice]:
    """What one clone did to one file since the version that both have."""
    newest = journal.ask_sibling(name, lambda connection: _changes(connection, subject.path, {}, 1))
    if not newest or _digest_after(newest[0][1], subject.path) in (subject.digest, subject.after):
        return []
    known = _known(journal, subject)
    since = journal.ask_sibling(name, lambda connection: _changes(connection, subject.path, known, _DEPTH))
    if not since:
        return []
    common = _digest_before(since[-1][1], subject.path)
    if common not in known:  # the two have gone different ways, perhaps long ago
        return [notice_of(*since[0], subject)] if _is_fresh(since[0][0]) else []
    return list(notices_of(list(reversed(since)), known[common], subject))


def _changes(connection: Connection, path: str, known: Known, limit: int) -> list[tuple[Entry, FileChange]]:
    """What was done to the file at a path, newest first, back to a version that is known here."""
    from steadyhand.workspace.journal.index import Filter, entry_at

    found: list[tuple[Entry, FileChange]] = []
    for seq in Filter(path=path, states=LASTING).page(connection, None, limit):
        entry = entry_at(connection, seq, path)
        change = entry.record.file(path) if isinstance(entry, Entry) else None
        if not isinstance(entry, Entry) or change is None:
            break
        if _digest_after(change, path) in known:
            break
        found.append((entry, change))
        if _digest_before(change, path) in known:
            break
    return found


def _digest_after(change: FileChange, path: str) -> str | None:
    return change.after.digest if change.after is not None and change.after.path == path else None


def _digest_before(change: FileChange, path: str) -> str | None:
    return change.before.digest if change.before is not None and change.before.path == path else None


def _known(journal: PostgresJournal, subject: Subject) -> Known:
    """The versions that were here, with the way from each to the one before the change."""
    from steadyhand.workspace.history.file_history import versions_back

    known: Known = {subject.digest: ()}
    known.setdefault(subject.after, None)
    way: Way = ()
    wanted = subject.digest
    if wanted is None:
        return known
    for version in islice(versions_back(journal, subject.path, before_seq=subject.before_seq), _DEPTH):
        assert version.change.after is not None
        if version.change.after.digest != wanted:
            way = None
            known.setdefault(version.change.after.digest, None)
        changes = version.change.changes if version.change.content_changed else ChangeSet()
        way = None if way is None or changes is None else (changes, *way)
        wanted = version.change.before.digest if version.change.before is not None else None
        known.setdefault(wanted, way)
    return known


def _is_fresh(entry: Entry) -> bool:
    try:
        return datetime.now(UTC) - datetime.fromisoformat(entry.record.time) < _FRESH
    except (ValueError, TypeError):
        return False


def _subjects(op: FileOp, seq: int | None) -> Iterator[Subject]:
    """A file of a change, by the name it had; one that was moved, also by the name it got."""
    if op.before is not None and op.before_path is not None:
        changes = op.changes or ChangeSet()
        text = None if op.source is None else op.source.apply(changes.invert())
        kept = op.digest if op.after_path == op.before_path else None
        yield Subject(op.before_path, op.before.digest, text, changes, kept, seq)
    if op.after_path is not None and op.after_path != op.before_path:
        yield Subject(op.after_path, None, None, ChangeSet(), op.digest, seq)
