"""How calls went, counted: first tries, retries, tiers, refusals, and whether files are edited or rewritten.

A call is applied if it changed a file. Its first try of a file is the first call of its conversation that was about
that file; where no conversation is known, the first of its party (actor and task). A retry is a call about a file on
which the call before, of the same conversation, was refused. A call about several files counts for each of them.

`Attempts` puts the rows of the journal together to calls: a call has an id that its rows share; without one, a record
or a refusal is a call by itself, and conflicts that were kept right after it belong to it. Only so many calls are kept
open; one whose rows are further apart counts as two. Memory does not grow with the number of records, only with that
of the pairs of a conversation and a file. A field of an unexpected type counts as absent: another version of Steadyhand
may have written it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, field
from steadyhand.session.conflicts import CONFLICT, REFUSAL
from steadyhand.workspace.journal.log_reader import LogItem
from steadyhand.workspace.journal.record import Entry, FileChange, Note, Record, word

_OPEN = 2_000
_NEAR = 4  # rows: a record is two, and what was found to have changed outside may follow it


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a call left a file as it was."""

    kind: str
    message: str
    tool: str
    time: str

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "message": self.message, "tool": self.tool, "time": self.time}


@dataclass(frozen=True, slots=True)
class Change:
    """How a call changed one file: `edited` in places, `rewritten` as a whole, or the status of the change."""

    path: str
    how: str
    tiers: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Attempt:
    """One call. `conversation` names the series of calls it is part of; where none is known, its party does."""

    actor: str | None
    task: str | None
    tool: str
    time: str
    model: str | None = None
    conversation: str | None = None
    changes: list[Change] = field(default_factory=list)
    refused: dict[str | None, Refused] = field(default_factory=dict)
    undone: int = 0
    is_edit: bool = True  # an undo or a redo is not another try of an edit

    @property
    def series(self) -> tuple[str | None, ...]:
        return (self.conversation,) if self.conversation is not None else (self.actor, self.task)

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.path for change in self.changes)

    @property
    def paths(self) -> frozenset[str]:
        """Every file it was about, changed or not."""
        return self.changed | {path for path in self.refused if path is not None}

    @property
    def is_applied(self) -> bool:
        return bool(self.changes)

    @property
    def kinds(self) -> Counter[str]:
        """What was refused: of files, and of single edits in files that were changed all the same."""
        changed = self.changed
        whole = Counter(refused.kind for path, refused in self.refused.items() if path not in changed)
        return whole + Counter(kind for change in self.changes for kind in change.left)


class Attempts:
    """Puts rows together to calls, which come out in the order of their first rows."""

    def __init__(self, room: int = _OPEN) -> None:
        self._room = room
        self._open: OrderedDict[str, Attempt] = OrderedDict()
        self._last: tuple[int, str] = 0, ""

    def add(self, what: Entry | Note, position: int) -> Iterator[Attempt]:
        """Take the next record or note, of row `position`; the calls that nothing can be added to any more."""
        if isinstance(what, Entry):
            self._add_record(what, position)
        elif what.type in (REFUSAL, CONFLICT):
            self._add_refusal(what, position)
        while len(self._open) > self._room:
            yield self._open.popitem(last=False)[1]

    def rest(self) -> Iterator[Attempt]:
        """The calls that are left when there are no more rows."""
        while self._open:
            yield self._open.popitem(last=False)[1]

    def _add_record(self, entry: Entry, position: int) -> None:
        record = entry.record
        call = record.call
        name = call.id if call is not None else f"row {entry.seq}"
        made = Attempt(record.actor, record.task, record.tool, record.time, record.model)
        made.conversation = None if call is None else call.conversation
        made.is_edit = record.verb == "edit"
        attempt = self._open.setdefault(name, made)
        attempt.changes += [_change(record, change) for change in record.files]
        attempt.undone += entry.undone_by is not None
        self._last = position, name

    def _add_refusal(self, note: Note, position: int) -> None:
        body = note.body
        call = body.get("call")
        about: Mapping[str, object] = call if isinstance(call, dict) else {}
        made = Attempt(
            word(body, "actor"), word(body, "task"), word(body, "tool") or "", note.time, word(body, "model")
        )
        made.conversation = word(about, "conversation")
        name = word(about, "id") or self._behind(note, made, position) or f"row {note.seq}"
        attempt = self._open.setdefault(name, made)
        kind = str(Kind.CONFLICT) if note.type == CONFLICT else word(body, "kind") or "unknown"
        message = word(body, "message") or ("touches what others changed" if note.type == CONFLICT else "")
        path = word(body, "path")
        refused = Refused(kind, message, attempt.tool, note.time)
        attempt.refused[None if path is None else spelled(path)] = refused
        self._last = position, name

    def _behind(self, note: Note, made: Attempt, position: int) -> str | None:
        """The call without an id that a conflict was kept for, if its row is the one right before."""
        at, name = self._last
        last = self._open.get(name)
        if note.type != CONFLICT or last is None or position - at > _NEAR or not name.startswith("row "):
            return None
        return name if (last.actor, last.task, last.tool) == (made.actor, made.task, made.tool) else None


def spelled(path: str) -> str:
    """A path as records spell it, as far as that is known without looking.

    >>> spelled("./docs//a.md")
    'docs/a.md'
    """
    if path.startswith("/"):
        return path
    return "/".join(part for part in path.split("/") if part not in ("", ".")) or path


def _change(record: Record, change: FileChange) -> Change:
    tiers = tuple(edit.tier for edit in change.edits if edit.tier is not None)
    left = tuple(edit.kind for edit in change.left if edit.outcome == "refused" and edit.kind is not None)
    return Change(change.path, _how(record, change), tiers, left)


def _how(record: Record, change: FileChange) -> str:
    """A whole-file write leaves a note without tier and lines; of a secret file nothing is known."""
    if change.status != "edited" or change.redacted:
        return change.status
    if record.verb != "edit":
        return record.verb
    return "rewritten" if any(edit.tier is None and edit.lines is None for edit in change.edits) else "edited"


_MOST_NAMES = 500
_OTHERS = "(others)"
_UNKNOWN = "(unknown)"
_NO_TYPE = "(none)"
_LONGEST_TYPE = 12
_WAYS = ("edited", "rewritten", "created")


@dataclass(slots=True)
class Tally:
    """What is counted of all calls, and again of those with one tool, one model or one type of file."""

    calls: int = 0
    applied: int = 0
    first: int = 0
    first_applied: int = 0
    retries: int = 0
    ways: Counter[str] = field(default_factory=Counter)

    @property
    def refused(self) -> int:
        return self.calls - self.applied

    @property
    def first_rate(self) -> float | None:
        """The share of first tries that were applied."""
        return self.first_applied / self.first if self.first else None

    @property
    def edit_share(self) -> float | None:
        """The share of changes to files that were there which are edits, and no writing of the whole file."""
        edited, rewritten = self.ways["edited"], self.ways["rewritten"]
        return edited / (edited + rewritten) if edited + rewritten else None

    def to_json(self) -> dict[str, object]:
        return {
            "calls": self.calls,
            "applied": self.applied,
            "refused": self.refused,
            "firstTry": {"calls": self.first, "applied": self.first_applied, "rate": _rounded(self.first_rate)},
            "retries": self.retries,
            "adoption": {**{way: self.ways[way] for way in _WAYS}, "share": _rounded(self.edit_share)},
        }


@dataclass(slots=True)
class Statistics:
    """The answer. `recovered` are the series of refusals on a file that ended in a change, `given_up` the others.

    `undone` counts records that were taken back, `damaged` rows of the journal that could not be read.
    """

    total: Tally = field(default_factory=Tally)
    tiers: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Tally] = field(default_factory=dict)
    models: dict[str, Tally] = field(default_factory=dict)
    types: dict[str, Tally] = field(default_factory=dict)
    recovered: int = 0
    given_up: int = 0
    undone: int = 0
    damaged: int = 0
    first_time: str | None = None
    last_time: str | None = None

    def to_json(self) -> dict[str, object]:
        return {
            **self.total.to_json(),
            "recovered": self.recovered,
            "givenUp": self.given_up,
            "undone": self.undone,
            "tiers": dict(self.tiers.most_common()),
            "refusals": dict(self.refusals.most_common()),
            "tools": _by_name(self.tools),
            "models": _by_name(self.models),
            "fileTypes": _by_name(self.types),
            "firstTime": self.first_time,
            "lastTime": self.last_time,
            "damaged": self.damaged,
        }


def count(items: Iterable[LogItem], *, task: str | None = None, tool: str | None = None) -> Statistics:
    """Count the calls of a walk through the journal, or those of one task or one tool."""
    counter = _Counter(task, tool)
    for attempt in _attempts(items):
        counter.add(attempt)
    return counter.result()


def by_calls(tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    """The busiest first."""
    return sorted(tallies.items(), key=lambda item: (-item[1].calls, item[0]))


def _attempts(items: Iterable[LogItem]) -> Iterator[Attempt]:
    attempts = Attempts()
    for each in items:
        position = each.row.seq if each.settled is None else each.settled.seq
        yield from attempts.add(each.what, position)
    yield from attempts.rest()


class _Counter:
    """Counts one call after another. `_ends` says of each pair of series and file how the last call ended."""

    def __init__(self, task: str | None, tool: str | None) -> None:
        self._task = task
        self._tool = tool
        self._found = Statistics()
        self._ends: dict[int, Literal["done", "failed", "failed elsewhere"]] = {}

    def result(self) -> Statistics:
        self._found.given_up = sum(end == "failed" for end in self._ends.values())
        return self._found

    def add(self, attempt: Attempt) -> None:
        if self._task is not None and attempt.task != self._task:
            return
        is_counted = self._tool is None or attempt.tool == self._tool
        if is_counted:
            self._count(attempt)
        for path in sorted(attempt.paths) if attempt.is_edit else ():
            self._try(attempt, path, is_counted=is_counted)

    def _count(self, attempt: Attempt) -> None:
        found = self._found
        for tally in self._tallies(attempt):
            tally.calls += 1
            tally.applied += attempt.is_applied
        changed = {type_of(path) for path in attempt.changed}
        for suffix in {type_of(path) for path in attempt.paths}:
            tally = _named(found.types, suffix)
            tally.calls += 1
            tally.applied += suffix in changed
        for change in attempt.changes:
            for tally in self._tallies(attempt, change.path):
                tally.ways[change.how] += 1
            found.tiers.update(change.tiers)
        found.refusals.update(attempt.kinds)
        found.undone += attempt.undone
        found.first_time = min(found.first_time or attempt.time, attempt.time)
        found.last_time = max(found.last_time or attempt.time, attempt.time)

    def _try(self, attempt: Attempt, path: str, *, is_counted: bool) -> None:
        pair = hash((attempt.series, path))
        before, is_applied = self._ends.get(pair), path in attempt.changed
        self._ends[pair] = "done" if is_applied else "failed" if is_counted else "failed elsewhere"
        if not is_counted:
            return
        is_retry = before is not None and before != "done"
        for tally in self._tallies(attempt, path):
            tally.first += before is None
            tally.first_applied += before is None and is_applied
            tally.retries += is_retry
        self._found.recovered += is_retry and is_applied

    def _tallies(self, attempt: Attempt, path: str | None = None) -> Iterator[Tally]:
        found = self._found
        yield found.total
        yield _named(found.tools, attempt.tool or _UNKNOWN)
        yield _named(found.models, attempt.model or _UNKNOWN)
        if path is not None:
            yield _named(found.types, type_of(path))


def type_of(path: str) -> str:
    """The type of a file: its suffix in lower case.

    >>> type_of("docs/A.MD"), type_of("Makefile"), type_of(".env")
    ('.md', '(none)', '(none)')
    """
    name = path.rsplit("/", maxsplit=1)[-1]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if dot and stem and 0 < len(suffix) <= _LONGEST_TYPE else _NO_TYPE


def _named(tallies: dict[str, Tally], name: str) -> Tally:
    if name not in tallies and len(tallies) >= _MOST_NAMES:
        name = _OTHERS
    return tallies.setdefault(name, Tally())


def _by_name(tallies: dict[str, Tally]) -> list[dict[str, object]]:
    return [{"name": name, **tally.to_json()} for name, tally in by_calls(tallies)]


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)
