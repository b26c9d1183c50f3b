"""What is done in other clones of this repository, told where a file is changed here. Notices, never refusals.

Clones whose journals lie in one database find each other by the name of their repository. Two clones have a version
of a file in common where its digest stands in both their records; what the other did after it is news here.

1. Nothing here is an error: whoever cannot be reached, or read, is not told of.
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

from steadyhand.errors import EditError
from steadyhand.text.changeset import ChangeSet
from steadyhand.workspace.journal.connection import Connection
from steadyhand.workspace.journal.record import Entry, FileChange
from steadyhand.workspace.journal.store import LASTING
from steadyhand.workspace.location import repo_id, repo_top
from steadyhand.workspace.other_clones import Way

if TYPE_CHECKING:
    from steadyhand.workspace.journal.postgres_journal import PostgresJournal
    from steadyhand.workspace.other_clones import Notice, Subject
    from steadyhand.workspace.store import Store

_CLONES = 20  # looked at for one change
_DEPTH = 50  # records of one file, here and there
_SECONDS = 1.0  # after which no further clone is looked at
_PAUSE = 60.0  # seconds for which one that could not be read is left alone
_FRESH = timedelta(days=7)  # for which a change is told where no version is in common
_TOLD = 5

Known = dict[str | None, Way]
"""Versions that were here, None for no file, each with the way from it to the present one."""


class Clones:
    """The other clones of one workspace's repository. Thread-safe; `repo` names it where git does not."""

    def __init__(self, store: Store, repo: str | None) -> None:
        self._store = store
        self._named = repo
        self._guard = threading.Lock()
        self._is_entered = False
        self._passed_over: dict[str, float] = {}

    def notices(self, subjects: Sequence[Subject]) -> list[Notice]:
        """What others did to these files in their clones: what meets a change here first, then the newest."""
        try:
            found = [notice for news in self._look(subjects) for notice in news]
        except EditError:
            return []
        found.sort(key=lambda notice: notice.time, reverse=True)
        found.sort(key=lambda notice: not notice.is_met)
        return found[:_TOLD]

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
                yield [notice for subject in subjects for notice in _news_of(journal, name, subject)]
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
        from steadyhand.workspace.journal.postgres_journal import PostgresJournal

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


def _news_of(journal: PostgresJournal, name: str, subject: Subject) -> list[Notice]:
    """What one clone did to one file since the version that both have."""
    from steadyhand.workspace.other_clones import notice_of, told

    newest = journal.ask_sibling(name, lambda connection: _changes(connection, subject.path, {}, 1))
    if not newest or _digest_after(*newest[0], subject.path) in (subject.digest, subject.after):
        return []
    known = _known(journal, subject)
    since = journal.ask_sibling(name, lambda connection: _changes(connection, subject.path, known, _DEPTH))
    if not since:
        return []
    entry, change = since[-1]
    common = _digest_before(entry, change, subject.path)
    if common not in known:  # the two have gone different ways, perhaps long ago
        return [notice_of(*since[0], subject)] if _is_fresh(since[0][0]) else []
    return list(told(list(reversed(since)), known[common], subject))


def _changes(connection: Connection, path: str, known: Known, limit: int) -> list[tuple[Entry, FileChange]]:
    """What was done to the file at a path, newest first, back to a version that is known here."""
    from steadyhand.workspace.journal.query import Filter, entry_at

    found: list[tuple[Entry, FileChange]] = []
    for seq in Filter(path=path, states=LASTING).page(connection, None, limit):
        entry = entry_at(connection, seq, path)
        change = entry.record.file(path) if isinstance(entry, Entry) else None
        if not isinstance(entry, Entry) or change is None:
            break
        if _digest_after(entry, change, path) in known:
            break
        found.append((entry, change))
        if _digest_before(entry, change, path) in known:
            break
    return found


def _digest_after(_entry: Entry, change: FileChange, path: str) -> str | None:
    return change.after.digest if change.after is not None and change.after.path == path else None


def _digest_before(_entry: Entry, change: FileChange, path: str) -> str | None:
    return change.before.digest if change.before is not None and change.before.path == path else None


def _known(journal: PostgresJournal, subject: Subject) -> Known:
    """The versions that were here, with the way from each to the one before the change."""
    from steadyhand.workspace.file_history import stops_back

    known: Known = {subject.digest: ()}
    known.setdefault(subject.after, None)
    way: Way = ()
    wanted = subject.digest
    if wanted is None:
        return known
    for stop in islice(stops_back(journal, subject.path, before_seq=subject.before_seq), _DEPTH):
        assert stop.change.after is not None
        if stop.change.after.digest != wanted:
            way = None
            known.setdefault(stop.change.after.digest, None)
        changes = stop.change.changes if stop.change.content_changed else ChangeSet()
        way = None if way is None or changes is None else (changes, *way)
        wanted = stop.change.before.digest if stop.change.before is not None else None
        known.setdefault(wanted, way)
    return known


def _is_fresh(entry: Entry) -> bool:
    try:
        return datetime.now(UTC) - datetime.fromisoformat(entry.record.time) < _FRESH
    except (ValueError, TypeError):
        return False
