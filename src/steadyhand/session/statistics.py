"""How calls went, counted: first tries, retries, tiers, refusals, and whether files are edited or written anew.

Memory does not grow with the number of records, only with that of the pairs of a conversation and a file in it, by
about a hundred bytes each.

A call is applied if it changed a file. Its first try of a file is the first call of its conversation that was about
that file; where no conversation is known, the first of its party (actor and task). A retry is a call about a file on
which the call before, of the same conversation, was refused. A call about several files counts for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from steadyhand.lazy import dataclass, field
from steadyhand.session.attempts import Attempt, Attempts
from steadyhand.workspace.journal.told import Told

__all__ = ["Statistics", "Tally", "by_calls", "count"]

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


def count(told: Iterable[Told], *, task: str | None = None, tool: str | None = None) -> Statistics:
    """Count the calls of a walk through the journal, or those of one task or one tool."""
    counter = _Counter(task, tool)
    for attempt in _attempts(told):
        counter.add(attempt)
    return counter.result()


def by_calls(tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    """The busiest first."""
    return sorted(tallies.items(), key=lambda item: (-item[1].calls, item[0]))


def _attempts(told: Iterable[Told]) -> Iterator[Attempt]:
    attempts = Attempts()
    for each in told:
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
        for path in sorted(attempt.paths):
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
