"""How calls went, counted: first tries, retries, tiers, refusals, and whether files are edited or rewritten.

A call is applied if it changed a file. Its first try of a file is the first call of its conversation that was about
that file; where no conversation is known, the first of its party (actor and task). A retry is a call about a file on
which the call before, of the same conversation, was refused. A call about several files counts for each of them.

`Attempts` puts the rows of the journal together to calls: a call has an id that its rows share; without one, a record
or a refusal is a call by itself, and conflicts that were kept right after it belong to it. Only so many calls are kept
open; one whose rows are further apart counts as two. Memory does not grow with the number of records, only with that
of the pairs of a conversation and a file. A field of an unexpected type counts as absent: another version of Steadyhand
may have written it.

The same calls are counted again in cells: by model, way (toolset or tool, and the dialect of a patch) and type of file,
or by whatever of these is asked for. A call about files of two types counts in two cells. What a person rejected later
is counted where the record was made, as far back as the last records are remembered; before that by model and type.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, field
from steadyhand.schema import bad_request, fields_as_json
from steadyhand.session.conflicts import CONFLICT, REFUSAL
from steadyhand.workspace.journal.maintenance import LogItem
from steadyhand.workspace.journal.record import Entry, FileChange, Note, Record, word

_OPEN = 2_000
_REVIEW = "review"  # a reviewer's notes, and the toolset of a reviewer's own records
_NEAR = 4  # rows: a record is two, and what was found to have changed outside may follow it
FEW = 100  # cases below which a share is shown with its interval
_Z = 1.959963984540054  # 95 % of a normal distribution are that near


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a call left a file as it was."""

    kind: str
    message: str
    tool: str
    time: str

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


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
    toolset: str | None = None
    dialect: str | None = None
    records: list[str] = field(default_factory=list)
    tokens: int | None = None
    model_ms: int | None = None
    tool_ms: int | None = None

    @property
    def way(self) -> str:
        """The toolset, or the tool of no toolset, and the dialect of the patch that it was."""
        made = self.toolset or self.tool or _UNKNOWN
        return made if self.dialect is None else f"{made}/{self.dialect}"

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
        attempt.records.append(record.id)
        attempt.dialect = attempt.dialect or record.dialect
        if record.duration_ms is not None:
            attempt.tool_ms = (attempt.tool_ms or 0) + record.duration_ms
        if call is not None:
            attempt.toolset = call.toolset
            attempt.tokens = attempt.tokens if call.tokens is None else sum(call.tokens)
            attempt.model_ms = attempt.model_ms if call.model_ms is None else call.model_ms
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
        attempt.toolset = attempt.toolset or word(about, "toolset")
        attempt.dialect = attempt.dialect or word(body, "dialect")
        attempt.tokens = _tokens(about.get("tokens")) if attempt.tokens is None else attempt.tokens
        attempt.model_ms = _amount(about.get("model_ms")) if attempt.model_ms is None else attempt.model_ms
        self._last = position, name

    def _behind(self, note: Note, made: Attempt, position: int) -> str | None:
        """The call without an id that a conflict was kept for, if its row is the one right before."""
        at, name = self._last
        last = self._open.get(name)
        if note.type != CONFLICT or last is None or position - at > _NEAR or not name.startswith("row "):
            return None
        return name if (last.actor, last.task, last.tool) == (made.actor, made.task, made.tool) else None


def _amount(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tokens(value: object) -> int | None:
    """Tokens in and out, together."""
    counts = [_amount(each) for each in value] if isinstance(value, list) and len(value) == 2 else [None]
    return None if None in counts else sum(each for each in counts if each is not None)


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
_REMEMBERED = 20_000  # records
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


BY = ("model", "way", "type", "toolset", "dialect", "tool", "task", "actor", "day")
USUAL_BY = ("model", "way", "type")
SAVES: Mapping[str, str] = {
    str(Kind.BREAKS_SYNTAX): "syntax",
    str(Kind.PLACEHOLDER_LEFT): "placeholder",
    str(Kind.SUSPICIOUS_SHRINK): "shrink",
}


@dataclass(slots=True)
class TallyRow(Tally):
    """One row of the table. `in_the_end` are the files that were changed by a first try or a later one.

    `tokens` and `milliseconds` are of the calls that recorded them, which are so many and made so many changes: what an
    applied edit took is only said of those. `saved` are refusals by a guard, `rejected` changes that a person took out.
    """

    in_the_end: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    undone: int = 0
    rejected: int = 0
    tokens: int = 0
    with_tokens: int = 0
    milliseconds: int = 0
    with_time: int = 0

    @property
    def first_share(self) -> Proportion:
        return Proportion(self.first_applied, self.first)

    @property
    def end_share(self) -> Proportion:
        return Proportion(min(self.in_the_end, self.first), self.first)

    @property
    def saved(self) -> dict[str, int]:
        return {name: self.refusals[kind] for kind, name in SAVES.items() if self.refusals[kind]}

    @property
    def tokens_per_edit(self) -> float | None:
        return self.tokens / self.with_tokens if self.with_tokens else None

    @property
    def seconds_per_edit(self) -> float | None:
        return self.milliseconds / 1_000 / self.with_time if self.with_time else None

    def to_json(self) -> dict[str, object]:
        per_edit = {"tokens": self.tokens_per_edit, "seconds": self.seconds_per_edit}
        return {
            **Tally.to_json(self),
            "firstShare": self.first_share.to_json(),
            "inTheEnd": self.end_share.to_json(),
            "refusals": dict(self.refusals.most_common()),
            "tiers": dict(self.tiers.most_common()),
            "saves": self.saved,
            "undone": self.undone,
            "rejected": self.rejected,
            "perEdit": {name: None if value is None else round(value, 3) for name, value in per_edit.items()},
        }


def check_by(names: Iterable[str]) -> tuple[str, ...]:
    """What the table is by. Refuses with `bad-request` what calls are not counted by."""
    chosen = tuple(dict.fromkeys(names)) or USUAL_BY
    for name in chosen:
        if name not in BY:
            raise bad_request("by", f"calls are not counted by {name[:40]!r}", f"one or more of {', '.join(BY)}")
    return chosen


@dataclass(slots=True)
class Statistics:
    """The answer. `recovered` are the series of refusals on a file that ended in a change, `given_up` the others.

    `undone` counts records that were undone, `damaged` rows of the journal that could not be read.
    """

    total: Tally = field(default_factory=Tally)
    tiers: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Tally] = field(default_factory=dict)
    models: dict[str, Tally] = field(default_factory=dict)
    types: dict[str, Tally] = field(default_factory=dict)
    by: tuple[str, ...] = USUAL_BY
    cells: dict[tuple[str, ...], TallyRow] = field(default_factory=dict)
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
            "by": list(self.by),
            "table": [{"key": dict(zip(self.by, key, strict=True)), **cell.to_json()} for key, cell in rows_of(self)],
            "firstTime": self.first_time,
            "lastTime": self.last_time,
            "damaged": self.damaged,
        }


def count(
    items: Iterable[LogItem],
    *,
    task: str | None = None,
    tool: str | None = None,
    by: Iterable[str] = (),
    until: str | None = None,
    before: int | None = None,
) -> Statistics:
    """Count the calls of a walk through the journal, or those of one task or one tool.

    `by` is what the table has a row for each of; `until` is a time, and `before` a row, from which on nothing counts.
    """
    counter = _Counter(task, tool, check_by(by))
    attempts = Attempts()
    for each in items:
        what = each.what
        time = what.record.time if isinstance(what, Entry) else what.time
        if (until is not None and time >= until) or (before is not None and each.row.seq >= before):
            continue
        position = each.row.seq if each.settled is None else each.settled.seq
        for attempt in attempts.add(what, position):
            counter.add(attempt)
        if isinstance(what, Note) and what.type == _REVIEW:
            counter.reject(what)
    for attempt in attempts.rest():
        counter.add(attempt)
    return counter.result()


def rows_of(found: Statistics) -> list[tuple[tuple[str, ...], TallyRow]]:
    """The rows of the table, the busiest first."""
    return sorted(found.cells.items(), key=lambda item: (-item[1].calls, item[0]))


def by_calls(tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    """The busiest first."""
    return sorted(tallies.items(), key=lambda item: (-item[1].calls, item[0]))


_End = Literal["done", "failed", "failed elsewhere", "failed later"]


class _Counter:
    """Counts one call after another. `_ends` says of each pair of series and file how the last call ended.

    `_made` are the last records with the cells they count in, for what is decided about them later.
    """

    def __init__(self, task: str | None, tool: str | None, by: tuple[str, ...]) -> None:
        self._task = task
        self._tool = tool
        self._found = Statistics(by=by)
        self._ends: dict[int, _End] = {}
        self._made: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._rejected: Counter[str] = Counter()  # by record, until its call is complete

    def result(self) -> Statistics:
        self._found.given_up = sum(end in ("failed", "failed later") for end in self._ends.values())
        return self._found

    def reject(self, note: Note) -> None:
        """Count a decision of a reviewer to take changes out, where they were made."""
        items = note.body.get("changes") if note.body.get("state") == "rejected" else None
        for item in items if isinstance(items, list) else ():
            records = item.get("records") if isinstance(item, dict) else None
            name = str(records[0]) if isinstance(records, list) and records else ""
            if name in self._made:
                self._found.cells[self._made[name]].rejected += 1
            elif len(self._rejected) < _REMEMBERED:
                self._rejected[name] += 1

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
        paths: list[str | None] = [*sorted(attempt.paths)] or [None]
        tallies = {id(tally): tally for path in paths for tally in self._tallies(attempt, path)}
        applied = {id(tally) for path in attempt.changed for tally in self._tallies(attempt, path)}
        for tally in tallies.values():
            tally.calls += 1
            tally.applied += id(tally) in applied
        for change in attempt.changes:
            found.tiers.update(change.tiers)
            for tally in self._tallies(attempt, change.path):
                tally.ways[change.how] += 1
                if isinstance(tally, TallyRow):
                    tally.tiers.update(change.tiers)
        found.refusals.update(attempt.kinds)
        found.undone += attempt.undone
        found.first_time = min(found.first_time or attempt.time, attempt.time)
        found.last_time = max(found.last_time or attempt.time, attempt.time)
        key = self._key(attempt, paths[0])
        if key is not None:  # what belongs to the call and to no file of it
            self._count_call(attempt, self._cell(key))
            for name in attempt.records:
                self._remember(name, key)

    def _count_call(self, attempt: Attempt, cell: TallyRow) -> None:
        cell.refusals.update(attempt.kinds)
        cell.undone += attempt.undone
        if attempt.tokens is not None:
            cell.tokens += attempt.tokens
            cell.with_tokens += attempt.is_applied
        if attempt.tool_ms is not None or attempt.model_ms is not None:
            cell.milliseconds += (attempt.tool_ms or 0) + (attempt.model_ms or 0)
            cell.with_time += attempt.is_applied

    def _remember(self, record: str, key: tuple[str, ...]) -> None:
        self._made[record] = key
        self._found.cells[key].rejected += self._rejected.pop(record, 0)
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)

    def _key(self, attempt: Attempt, path: str | None) -> tuple[str, ...] | None:
        """The row of the table that a call counts in; `(others)` throughout where there are too many rows.

        None for what is no try of an edit, and for what a reviewer did.
        """
        if attempt.toolset == _REVIEW or not attempt.is_edit:
            return None
        given: Mapping[str, str | None] = {
            "model": attempt.model,
            "way": attempt.way,
            "type": _NO_TYPE if path is None else type_of(path),
            "toolset": attempt.toolset,
            "dialect": attempt.dialect,
            "tool": attempt.tool or None,
            "task": attempt.task,
            "actor": attempt.actor,
            "day": attempt.time[:10],
        }
        key = tuple(given[name] or _UNKNOWN for name in self._found.by)
        is_known = key in self._found.cells or len(self._found.cells) < _MOST_NAMES
        return key if is_known else (_OTHERS,) * len(key)

    def _cell(self, key: tuple[str, ...]) -> TallyRow:
        return self._found.cells.setdefault(key, TallyRow())

    def _try(self, attempt: Attempt, path: str, *, is_counted: bool) -> None:
        pair = hash((attempt.series, path))
        before, is_applied = self._ends.get(pair), path in attempt.changed
        has_been = before in ("done", "failed later")
        failed: _End = "failed later" if has_been else "failed" if is_counted else "failed elsewhere"
        self._ends[pair] = "done" if is_applied else failed
        if not is_counted:
            return
        is_retry = before is not None and before != "done"
        for tally in self._tallies(attempt, path):
            if isinstance(tally, TallyRow):
                tally.in_the_end += is_applied and not has_been
            tally.first += before is None
            tally.first_applied += before is None and is_applied
            tally.retries += is_retry
        self._found.recovered += is_retry and is_applied

    def _tallies(self, attempt: Attempt, path: str | None) -> Iterator[Tally]:
        """Everything that a call counts in for one of its files, or for none."""
        found, key = self._found, self._key(attempt, path)
        yield found.total
        yield _named(found.tools, attempt.tool or _UNKNOWN)
        yield _named(found.models, attempt.model or _UNKNOWN)
        if path is not None:
            yield _named(found.types, type_of(path))
        if key is not None:
            yield self._cell(key)


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


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many of so many.

    >>> Proportion(9, 10).rate, [round(end, 3) for end in Proportion(9, 10).interval]
    (0.9, [0.596, 0.982])
    >>> Proportion(0, 0).rate, Proportion(0, 0).interval
    (None, (0.0, 1.0))
    """

    hits: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.of:
            raise ValueError(f"{self.hits} of {self.of} is not a share")

    @property
    def rate(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share is with 95 % confidence; from 0 to 1 where nothing was counted."""
        if not self.of:
            return 0.0, 1.0
        rate, squared = self.hits / self.of, _Z * _Z
        middle = (rate + squared / (2 * self.of)) / (1 + squared / self.of)
        spread = _Z / (1 + squared / self.of) * math.sqrt(rate * (1 - rate) / self.of + squared / (4 * self.of**2))
        low = 0.0 if not self.hits else max(middle - spread, 0.0)
        high = 1.0 if self.hits == self.of else min(middle + spread, 1.0)
        return low, high

    @property
    def is_few(self) -> bool:
        """Whether the interval says more than the share alone."""
        return 0 < self.of < FEW

    def overlaps(self, other: Proportion) -> bool:
        """Whether the intervals have a share in common: then the two may be equal."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return low <= other_high and other_low <= high

    def to_json(self) -> dict[str, object]:
        low, high = self.interval
        rate = self.rate
        return {
            "count": self.hits,
            "of": self.of,
            "rate": None if rate is None else round(rate, 4),
            "low": round(low, 4),
            "high": round(high, 4),
        }
