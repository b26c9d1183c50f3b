"""Accounts of a workspace: the trail of everything, each file as an article, and the statistics of calls.

Reads only. A long journal is read once, in pages; what an article is, is in `audit_article.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session import checks
from steadyhand.session.audit_article import Passage, Tried, article_of, records_of, way_of
from steadyhand.session.checks import AnyPath
from steadyhand.session.conflicts import CONFLICT, REFUSAL
from steadyhand.session.history import History
from steadyhand.session.runs import Runs
from steadyhand.session.statistics import Attempt, Attempts, count, spelled
from steadyhand.workspace.history.read_ranges import ReadRanges
from steadyhand.workspace.journal.log import Problem, Row
from steadyhand.workspace.journal.maintenance import LogItem
from steadyhand.workspace.journal.record import EditNote, Entry, FileChange, Note, ToolCall, utc_text, word
from steadyhand.workspace.journal.store import Progress

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.statistics import Statistics
    from steadyhand.workspace.held.store import AnyStore


Facts = dict[str, object]


def facts_of(item: LogItem, history: History) -> Facts:
    """One item of the log, as a JSON object."""
    if isinstance(item.what, Entry):
        return _transaction(item, item.what, history)
    if item.what.type in (REFUSAL, CONFLICT):
        return _refusal(item, item.what)
    note = item.what
    return {**_head("note", item), "note": note.type, "body": dict(note.body), **_seal(item.row)}


def task_of(item: LogItem) -> str | None:
    """The task that a row is about."""
    return item.what.record.task if isinstance(item.what, Entry) else word(item.what.body, "task")


def paths_of(item: LogItem) -> tuple[str, ...]:
    """The files that a row is about, as it spells them."""
    if isinstance(item.what, Entry):
        return item.what.record.paths
    path = word(item.what.body, "path")
    return () if path is None else (path,)


def _transaction(item: LogItem, entry: Entry, history: History) -> Facts:
    record = entry.record
    many = len(record.files) > 1
    return {
        **_head("transaction", item),
        "id": record.id,
        "actor": record.actor,
        "task": record.task,
        "model": record.model,
        "tool": record.tool,
        **_call(record.call),
        "arguments": record.arguments,
        "durationMs": record.duration_ms,
        "verb": record.verb,
        "state": str(entry.state),
        "note": entry.note,
        "reason": record.reason,
        "undoes": list(record.undoes),
        "undoneBy": entry.undone_by,
        "files": [_file(entry, change, history, many=many) for change in record.files],
        **_seal(item.row),
        "settled": None if item.settled is None else {"seq": item.settled.seq, **_seal(item.settled)},
    }


def _file(entry: Entry, change: FileChange, history: History, *, many: bool) -> Facts:
    before, after = change.before, change.after
    return {
        "path": change.path,
        "pathBefore": before.path if before is not None and before.path != change.path else None,
        "status": change.status,
        "before": None if before is None else before.digest,
        "after": None if after is None else after.digest,
        "modeBefore": None if before is None else f"{before.mode:04o}",
        "modeAfter": None if after is None else f"{after.mode:04o}",
        "redacted": change.redacted,
        "patch": history.file_diff(entry, change, git=many),
        "edits": [_edit(edit) for edit in (*change.edits, *change.left)],
    }


def _edit(edit: EditNote) -> Facts:
    return {
        "outcome": edit.outcome,
        "kind": edit.kind,
        "tier": edit.tier,
        "similarity": edit.similarity,
        "lines": None if edit.lines is None else list(edit.lines),
        "reason": edit.reason,
        "differs": list(edit.differs),
        "forced": list(edit.forced),
    }


def _refusal(item: LogItem, note: Note) -> Facts:
    body = note.body
    call = body.get("call")
    given: Mapping[str, object] = call if isinstance(call, dict) else {}
    is_conflict = note.type == CONFLICT
    facts: Facts = {
        **_head("conflict" if is_conflict else "refusal", item),
        "id": word(body, "id"),
        **{name: word(body, name) for name in ("actor", "task", "model", "tool")},
        "toolset": word(given, "toolset"),
        "conversation": word(given, "conversation"),
        "call": word(given, "id"),
        "path": word(body, "path"),
        "kind": str(Kind.CONFLICT) if is_conflict else word(body, "kind"),
        "message": word(body, "message"),
        "reason": word(body, "reason"),
    }
    if is_conflict:
        facts |= {"lines": body.get("lines"), "with": _records(body.get("with"))}
    return {**facts, **_seal(item.row)}


def _records(others: object) -> list[object]:
    """The records whose text an edit replaced; a change outside Steadyhand has none."""
    return [other.get("record") for other in others if isinstance(other, dict)] if isinstance(others, list) else []


def _head(type: str, item: LogItem) -> Facts:
    time = item.what.record.time if isinstance(item.what, Entry) else item.what.time
    return {"type": type, "seq": item.row.seq, "time": time}


def _call(call: ToolCall | None) -> Facts:
    if call is None:
        return {"toolset": None, "conversation": None, "call": None}
    return {"toolset": call.toolset, "conversation": call.conversation, "call": call.id}


def _seal(row: Row) -> Facts:
    return {"checksum": row.checksum.hex(), "chain": row.chain.hex()}


EVIDENCE, TASK = "evidence", "task"
_HEAD = 65_536  # bytes of a file in which its front matter is looked for
_ABOUT = ("path", "actor", "task", "tool", "call", "model")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of the journal is meant; None asks for nothing. `places` are files and directories."""

    since: str | None = None
    after: int = 0
    task: str | None = None
    places: tuple[str, ...] | None = None

    def walk(
        self, store: AnyStore, progress: Progress | None, on_damage: Callable[[str], None] | None
    ) -> Iterator[LogItem]:
        """The journal from there on, of every task and every file."""

        def tell(problem: Problem) -> None:
            if on_damage is not None:
                on_damage(problem.message)

        return store.journal.read_log(after_seq=self.after, since=self.since, on_damage=tell, progress=progress)

    def fits(self, item: LogItem) -> bool:
        """Whether a row is about the task and the files."""
        if self.task is not None and task_of(item) != self.task:
            return False
        return self.places is None or any(self.holds(spelled(path)) for path in paths_of(item))

    def holds(self, path: str) -> bool:
        return self.places is None or any(path == place or path.startswith(f"{place}/") for place in self.places)

    def chooses(self, entry: Entry) -> bool:
        """Whether a record counts for an article."""
        record = entry.record
        is_late = (self.since is None or record.time >= self.since) and entry.seq > self.after
        return is_late and (self.task is None or record.task == self.task)


class Auditor:
    """Makes articles of the files of one workspace."""

    def __init__(self, store: AnyStore, asked: Asked, read_ranges: ReadRanges) -> None:
        self._store = store
        self._asked = asked
        self._read_ranges = read_ranges
        self._history = History(store)

    def one(self, path: str) -> Facts:
        """One file. Refuses with `no-such-file` where there is none and never was anything."""
        resolved = self._store.resolve(path)
        way = way_of(records_of(self._store.journal, resolved), self._asked.chooses)
        names = frozenset((spelled(path), resolved, *(name for passage in way for name in passage.change.paths)))
        tried = self._tried(way, names)
        tried.is_read = any(map(self._is_read, names))
        if not way and not tried.calls and not tried.evidence:
            self._store.read(path)
        return self._article(resolved, way, tried)

    def every(self, progress: Progress | None, on_damage: Callable[[str], None] | None) -> Iterator[Facts]:
        """Every file that was changed or asked for; of some files or directories, also those that were only read."""
        gathered = _Gathered(self._asked)
        for item in self._asked.walk(self._store, progress, on_damage):
            gathered.add(item)
        for place in self._asked.places or ():
            if self._is_being_read(place):
                gathered.read.add(place)
        articles = gathered.by_name(self._resolve)
        for path, tried in articles.items():
            tried.is_read = path in gathered.read or self._is_being_read(path)
        for number, (path, tried) in enumerate(sorted(articles.items()), 1):
            yield self._article(path, way_of(records_of(self._store.journal, path), self._asked.chooses), tried)
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
            *self._read_ranges.readers(path),
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

    def add(self, item: LogItem) -> None:
        what = item.what
        if isinstance(what, Entry):
            self._follow(what)
        if self._asked.task is not None and task_of(item) != self._asked.task:
            return
        for path in map(spelled, paths_of(item)) if isinstance(what, Entry) or what.type == EVIDENCE else ():
            if self._asked.holds(path):
                self._tried.setdefault(path, Tried()).evidence += _evidence(what)
        if isinstance(what, Note):
            self.read.update(_read_by(what))
        for attempt in self._attempts.add(what, item.row.seq if item.settled is None else item.settled.seq):
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


Moment = str | datetime
OnDamage = Callable[[str], None]

_LARGEST = 64 << 10  # bytes of evidence in one note


class Audits:
    """Accounts of one workspace. `since` is a time, `after` a row of the journal; both leave out what was before."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store
        self._ranges = session.ranges

    def record_evidence(self, path: AnyPath, evidence: object) -> None:
        """See `Workspace.record_evidence`."""
        import json

        items = list(evidence) if isinstance(evidence, list | tuple) else [evidence]
        if not items or not all(
            isinstance(item, Mapping) or (isinstance(item, str) and item.strip()) for item in items
        ):
            raise EditError(
                Kind.BAD_REQUEST,
                "evidence: a text, an object, or a list of these is expected",
                hint='such as "src/login.ts:3 mentions it" or {"file": "src/login.ts", "lines": [3, 4]}',
                details={"field": "evidence"},
            )
        try:
            size = len(json.dumps(items))
        except (TypeError, ValueError, RecursionError):
            raise EditError(
                Kind.BAD_REQUEST, "evidence: it is not JSON", hint="send texts, numbers, lists and objects of these"
            ) from None
        if size > _LARGEST:
            raise EditError(
                Kind.TOO_LARGE, f"evidence: {size} bytes are too many", hint=f"at most {_LARGEST}; name files and lines"
            )
        resolved = self._store.read(checks.path_of(path))[0]
        context = self._session.context
        body = {"path": resolved, "actor": context.actor, "task": context.task, "evidence": items}
        self._store.writable_journal().append_note(EVIDENCE, body)

    def audit(self, path: AnyPath, *, task: str | None = None) -> Facts:
        """See `Workspace.audit`."""
        asked = Asked(task=checks.remark(task, "task"))
        audit = Auditor(self._store, asked, self._ranges).one(checks.path_of(path))
        return audit | Runs(self._session).judgement(str(audit["path"]), asked.task)

    def trail(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Facts]:
        """Every record with its patches, every refusal and every other note, oldest first, as JSON objects.

        `path` is a file or a directory. What cannot be read any more is left out and handed to `on_damage`.
        """
        asked = self._asked(since, after, task, path)
        history = History(self._store)
        walked = asked.walk(self._store, progress, on_damage)
        return (facts_of(item, history) for item in walked if asked.fits(item))

    def articles(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Facts]:
        """What `audit` says of every file that was changed or asked for, sorted by name.

        With a `path`, a file or a directory, also of those in it that a task has only read.
        """
        return Auditor(self._store, self._asked(since, after, task, path), self._ranges).every(progress, on_damage)

    def statistics(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        until: Moment | None = None,
        before: int | None = None,
        task: str | None = None,
        tool: str | None = None,
        by: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Statistics:
        """How calls went: first tries, retries, tiers, refusals, by tool, model and type of file.

        `until` is a time, `before` a row of the journal, from which on nothing counts. `by` is what the table has a row
        for each of, such as `("model", "toolset")`.
        """
        damaged: list[str] = []
        items = self._asked(since, after, None, None).walk(self._store, progress, damaged.append)
        end = time_of(until)
        only = {"task": checks.remark(task, "task"), "tool": checks.remark(tool, "tool")}
        found = count(items, by=by, until=end, before=before, **only)
        found.damaged = len(damaged)
        return found

    def _asked(self, since: Moment | None, after: int, task: str | None, path: AnyPath | None) -> Asked:
        places = None if path is None else self._places(checks.path_of(path))
        checks.amount(checks.line_number(after), "after")
        return Asked(time_of(since), after, checks.remark(task, "task"), places)

    def _places(self, path: str) -> tuple[str, ...] | None:
        """A path as it was given, as refusals tell it, and where it leads, as records do; None for the root."""
        plain = spelled(path.rstrip("/") or path)
        if plain in (".", ""):
            return None
        return tuple(dict.fromkeys((plain, self._store.resolve(plain))))


def time_of(since: object) -> str | None:
    """A time as the journal writes it; without a zone it is UTC, as the log shows it."""
    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since) if isinstance(since, str) else since
        if not isinstance(moment, datetime):
            raise TypeError
        return utc_text((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC))
    except (TypeError, ValueError, OverflowError):
        raise EditError(
            Kind.BAD_REQUEST,
            "since: a time is expected",
            hint="such as 2026-11-01 or 2026-11-01T08:30:00+00:00",
            details={"field": "since"},
        ) from None
