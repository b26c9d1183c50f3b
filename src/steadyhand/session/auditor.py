"""Articles made from the journal: one file, or every file that something was asked of.

Reads only. For every file the journal is gone through once to count what was tried, then once by its own records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from steadyhand.errors import EditError
from steadyhand.lazy import dataclass
from steadyhand.session.articles import Tried, article_of
from steadyhand.session.attempts import Attempt, Attempts, spelled
from steadyhand.session.history import History
from steadyhand.session.net import Passage, way_of
from steadyhand.session.reports import CONFLICT, REFUSAL
from steadyhand.session.trail import paths_of, task_of
from steadyhand.workspace.journal.audit import Problem
from steadyhand.workspace.journal.record import Entry, Note, word
from steadyhand.workspace.journal.store import Progress
from steadyhand.workspace.journal.told import Told
from steadyhand.workspace.read_ranges import Sights
from steadyhand.workspace.store import Store

__all__ = ["EVIDENCE", "TASK", "Asked", "Auditor"]

EVIDENCE, TASK = "evidence", "task"
_HEAD = 65_536  # bytes of a file in which its front matter is looked for
_ABOUT = ("path", "actor", "task", "tool", "call", "model")

Facts = dict[str, object]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of the journal is meant; None asks for nothing. `places` are files and directories."""

    since: str | None = None
    after: int = 0
    task: str | None = None
    places: tuple[str, ...] | None = None

    def walk(self, store: Store, progress: Progress | None, on_damage: Callable[[str], None] | None) -> Iterator[Told]:
        """The journal from there on, of every task and every file."""

        def tell(problem: Problem) -> None:
            if on_damage is not None:
                on_damage(problem.message)

        return store.journal.told(after_seq=self.after, since=self.since, on_damage=tell, progress=progress)

    def fits(self, told: Told) -> bool:
        """Whether a row is about the task and the files."""
        if self.task is not None and task_of(told) != self.task:
            return False
        return self.places is None or any(self.holds(spelled(path)) for path in paths_of(told))

    def holds(self, path: str) -> bool:
        return self.places is None or any(path == place or path.startswith(f"{place}/") for place in self.places)

    def chooses(self, entry: Entry) -> bool:
        """Whether a record counts for an article."""
        record = entry.record
        is_late = (self.since is None or record.time >= self.since) and entry.seq > self.after
        return is_late and (self.task is None or record.task == self.task)


class Auditor:
    """Makes articles of the files of one workspace."""

    def __init__(self, store: Store, asked: Asked, sights: Sights) -> None:
        self._store = store
        self._asked = asked
        self._sights = sights
        self._history = History(store)

    def one(self, path: str) -> Facts:
        """One file. Refuses with `no-such-file` where there is none and never was anything."""
        resolved = self._store.resolve(path)
        way = way_of(self._store.journal, resolved, self._asked.chooses)
        names = frozenset((spelled(path), resolved, *(name for passage in way for name in passage.change.paths)))
        tried = self._tried(way, names)
        tried.is_read = any(map(self._is_read, names))
        if not way and not tried.calls and not tried.evidence:
            self._store.read(path)
        return self._article(resolved, way, tried)

    def every(self, progress: Progress | None, on_damage: Callable[[str], None] | None) -> Iterator[Facts]:
        """Every file that was changed or asked for; of some files or directories, also those that were only read."""
        gathered = _Gathered(self._asked)
        for told in self._asked.walk(self._store, progress, on_damage):
            gathered.add(told)
        for place in self._asked.places or ():
            if self._is_being_read(place):
                gathered.read.add(place)
        articles = gathered.by_name(self._resolve)
        for path, tried in articles.items():
            tried.is_read = path in gathered.read or self._is_being_read(path)
        for number, (path, tried) in enumerate(sorted(articles.items()), 1):
            yield self._article(path, way_of(self._store.journal, path, self._asked.chooses), tried)
            if progress is not None:
                progress(number, len(articles))

    def _is_read(self, path: str) -> bool:
        """Whether a party has read all of a file: one that is at work, or one whose task has ended."""
        task = self._asked.task
        ends = self._store.journal.notes(type=TASK) if self._store.state.exists else ()
        return self._is_being_read(path) or any(
            path in _read_by(note) for note in ends if task is None or word(note.body, "task") == task
        )

    def _is_being_read(self, path: str) -> bool:
        """Whether a party that is at work, here or in another process, has read all of a file."""
        task = self._asked.task
        readers = [
            *self._sights.readers(path),
            *(self._store.journal.readers(path) if self._store.state.exists else ()),
        ]
        return any(task is None or party.task == task for party in readers)

    def _tried(self, way: Sequence[Passage], names: frozenset[str]) -> Tried:
        journal = self._store.journal
        notes = chain.from_iterable(journal.notes(type=name) for name in (REFUSAL, CONFLICT, EVIDENCE))
        rows: list[tuple[int, Entry | Note]] = [(note.seq, note) for note in notes if self._is_about(note, names)]
        rows += [(p.entry.seq + 1, p.entry) for p in way if self._asked.chooses(p.entry)]
        tried, attempts = Tried(), Attempts()
        for position, what in sorted(rows, key=lambda row: row[0]):
            tried.evidence += _evidence(what)
            for attempt in attempts.add(what, position):
                tried.add(attempt, names)
        for attempt in attempts.rest():
            tried.add(attempt, names)
        return tried

    def _is_about(self, note: Note, names: frozenset[str]) -> bool:
        path = word(note.body, "path")
        task = self._asked.task
        return path is not None and spelled(path) in names and (task is None or word(note.body, "task") == task)

    def _article(self, path: str, way: Sequence[Passage], tried: Tried) -> Facts:
        return article_of(
            path, way, tried, self._history, is_secret=self._is_secret(path), read=lambda: self._head_of(path)
        )

    def _is_secret(self, path: str) -> bool:
        try:
            return self._store.is_secret(path)
        except EditError:
            return False  # there is no file of ours, and so none whose content could be shown

    def _head_of(self, path: str) -> str | None:
        try:
            return self._store.read(path)[1].data[:_HEAD].decode("utf-8", "replace")
        except EditError:
            return None

    def _resolve(self, path: str) -> str:
        try:
            return self._store.resolve(path)
        except EditError:
            return path


class _Gathered:
    """What was tried on each file, by the name that it had then, and where files were moved."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._tried: dict[str, Tried] = {}
        self._moved: dict[str, str] = {}
        self._attempts = Attempts()
        self.read: set[str] = set()  # by tasks that have ended

    def add(self, told: Told) -> None:
        what = told.what
        if isinstance(what, Entry):
            self._follow(what)
        if self._asked.task is not None and task_of(told) != self._asked.task:
            return
        for path in map(spelled, paths_of(told)) if isinstance(what, Entry) or what.type == EVIDENCE else ():
            if self._asked.holds(path):
                self._tried.setdefault(path, Tried()).evidence += _evidence(what)
        if isinstance(what, Note):
            self.read.update(_read_by(what))
        for attempt in self._attempts.add(what, told.row.seq if told.settled is None else told.settled.seq):
            self._share(attempt)

    def by_name(self, resolve: Callable[[str], str]) -> dict[str, Tried]:
        """All of it by the names that the files have now."""
        for attempt in self._attempts.rest():
            self._share(attempt)
        for path in self.read if self._asked.places is not None else ():
            if self._asked.holds(path):
                self._tried.setdefault(path, Tried())
        for before, after in self._moved.items():
            self._join(before, after)
        for path in list(self._tried):
            self._join(path, resolve(path))
        return self._tried

    def _join(self, before: str, after: str) -> None:
        if before != after and before in self._tried:
            self._tried.setdefault(after, Tried()).take(self._tried.pop(before))

    def _follow(self, entry: Entry) -> None:
        for change in entry.record.files:
            if change.before is not None and change.after is not None and change.is_rename:
                self._moved[change.before.path] = change.after.path
        for change in entry.record.files:
            if change.after is not None:
                self._moved.pop(change.after.path, None)

    def _share(self, attempt: Attempt) -> None:
        for path in attempt.paths:
            if self._asked.holds(path):
                self._tried.setdefault(path, Tried()).add(attempt, frozenset((path,)))


def _read_by(note: Note) -> list[str]:
    """The files that a task had read when it ended."""
    read = note.body.get("read") if note.type == TASK else None
    return [path for path in read if isinstance(path, str)] if isinstance(read, list) else []


def _evidence(what: Entry | Note) -> list[object]:
    """What a note says for evidence: its list, or itself."""
    if isinstance(what, Entry) or what.type != EVIDENCE:
        return []
    said = what.body.get("evidence")
    if isinstance(said, list):
        return list(said)
    return [said if said is not None else {name: value for name, value in what.body.items() if name not in _ABOUT}]
