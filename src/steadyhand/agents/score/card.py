"""The result of a score: a row for each way with its interval, and advice in words.

Ways are compared by the share of tasks whose first try was good. One way is better than another only if their intervals
do not overlap; if they do, the advice says so. The choice is the way with the largest share all the same; of equal
ways, it is the one that was good more often in the end, then the one that took fewer tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from steadyhand.agents.score.grade import GOOD, OUTCOMES
from steadyhand.agents.score.run import Score
from steadyhand.agents.score.trial import Trial
from steadyhand.agents.score.ways import Way, named_ways
from steadyhand.lazy import dataclass, field
from steadyhand.session.statistics import Proportion

_FEWEST = 5  # trials of a way on which advice is built
_SHOWN = {
    "search-replace": "SEARCH/REPLACE",
    "unified": "unified diffs",
    "v4a": "V4A patches",
    "whole": "whole files",
    "json": "JSON edits with old and new text",
    "ranges": "JSON edits by line numbers",
    "lazy": "snippets with `... existing code ...`",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One way, on all tasks that were asked in it, or on those of one type of file."""

    way: Way
    first: Proportion
    end: Proportion
    outcomes: Mapping[str, int]
    kinds: Mapping[str, int]
    retries: int
    tokens: int
    seconds: float

    @property
    def tokens_per_good(self) -> float | None:
        return self.tokens / self.end.hits if self.end.hits else None

    @property
    def seconds_per_good(self) -> float | None:
        return self.seconds / self.end.hits if self.end.hits else None

    @property
    def label(self) -> str:
        return shown_way(self.way)

    @property
    def is_one(self) -> bool:
        """Whether the label is said in the singular."""
        return self.way.kind == "toolset" or self.way.name == "search-replace"

    def to_json(self) -> dict[str, object]:
        per_good = {"tokens": self.tokens_per_good, "seconds": self.seconds_per_good}
        return {
            "way": self.way.name,
            "kind": self.way.kind,
            "firstTry": self.first.to_json(),
            "end": self.end.to_json(),
            "outcomes": dict(self.outcomes),
            "refusals": dict(self.kinds),
            "retries": self.retries,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 3),
            "perGood": {name: None if value is None else round(value, 3) for name, value in per_good.items()},
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """What to use: a toolset and a dialect, as far as they were tried, and why in words."""

    toolset: str | None
    dialect: str | None
    sentences: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {"toolset": self.toolset, "dialect": self.dialect, "text": " ".join(self.sentences)}


@dataclass(frozen=True, slots=True)
class Card:
    """A score, counted. `rows` are the best first; `by_type` the same for each type of file."""

    score: Score
    rows: tuple[Row, ...]
    by_type: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    @property
    def advice(self) -> Advice:
        toolset, dialect = self._best("toolset"), self._best("dialect")
        said = [*self._compared(toolset, "toolset"), *self._compared(dialect, "dialect")]
        if toolset is not None and dialect is not None:
            said.append(_between(toolset, dialect))
        if not said:
            said = [f"There are too few results for advice: at least {_FEWEST} per format or toolset are needed."]
        read_as = None if dialect is None else dialect.way.format
        return Advice(None if toolset is None else toolset.way.name, read_as, tuple(said))

    def to_json(self) -> dict[str, object]:
        score = self.score
        return {
            "model": score.model,
            "source": score.source,
            "version": score.version,
            "seed": score.seed,
            "tasks": len(score.tasks),
            "planned": score.planned,
            "done": len(score.done),
            "end": score.end,
            "error": score.error,
            "tokens": score.spent.to_json(),
            "ways": [row.to_json() for row in self.rows],
            "fileTypes": [
                {"name": name, "ways": [row.to_json() for row in rows]} for name, rows in self.by_type.items()
            ],
            "advice": self.advice.to_json(),
        }

    def _of_kind(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row.way.kind == kind and row.first.of >= _FEWEST]

    def _best(self, kind: str) -> Row | None:
        return next((row for row in self._of_kind(kind) if row.first.hits), None)

    def _compared(self, best: Row | None, kind: str) -> list[str]:
        """What is said of the best of a kind: against the next, where there is one that it is better than."""
        rows = self._of_kind(kind)
        if best is None:
            what = "toolsets" if kind == "toolset" else "formats"
            return [f"None of the {what} that were tried had a good first try."] if rows else []
        others = [row for row in rows if row is not best]
        if not others:
            verb = "was" if best.is_one else "were"
            return [f"Only {best.label} {verb} tried: {_percent(best.first)} first-try ({_interval(best.first)})."]
        equal = [row for row in others if row.first.overlaps(best.first)]
        worse = [row for row in others if row not in equal]
        if not equal:
            return [f"Use {best.label} for this model: {_against(best, others[0])}."]
        verdict = f"{_listed([best, *equal])} are not shown to differ on these tasks: {_against(best, equal[0])}"
        said = [f"{verdict}; the intervals overlap."]
        if worse:
            is_one = len(worse) == 1 and worse[0].is_one
            said.append(f"{_listed(worse)} {'is' if is_one else 'are'} worse than {best.label}.")
        return [*said, f"The choice is {best.label}."]


def card_of(score: Score) -> Card:
    """Count a score."""
    ways = named_ways(score.ways)
    types = sorted({trial.type for trial in score.trials})
    by_type = {name: _rows(ways, [trial for trial in score.trials if trial.type == name]) for name in types}
    return Card(score, _rows(ways, score.trials), by_type)


def shown_way(way: Way) -> str:
    """A way as people call it."""
    return f"the toolset {way.name}" if way.kind == "toolset" else _SHOWN.get(way.name, way.name)


def _rows(ways: Iterable[Way], trials: Sequence[Trial]) -> tuple[Row, ...]:
    rows = [_row(way, [trial for trial in trials if trial.way == way.name]) for way in ways]
    return tuple(sorted((row for row in rows if row.first.of), key=_rank))


def _rank(row: Row) -> tuple[float, float, float, str]:
    """The best first: by first tries, then by how they were left, then by what they cost."""
    return -(row.first.rate or 0.0), -(row.end.rate or 0.0), row.tokens / row.first.of, row.way.name


def _row(way: Way, trials: Sequence[Trial]) -> Row:
    outcomes = Counter(trial.first for trial in trials)
    return Row(
        way,
        Proportion(sum(trial.is_good for trial in trials), len(trials)),
        Proportion(sum(trial.end in GOOD for trial in trials), len(trials)),
        {name: outcomes[name] for name in OUTCOMES},
        dict(Counter(trial.kind for trial in trials if trial.kind is not None).most_common()),
        sum(trial.tries - 1 for trial in trials),
        sum(trial.tokens.total for trial in trials),
        sum(trial.seconds for trial in trials),
    )


def _between(toolset: Row, dialect: Row) -> str:
    """Whether this model should call tools at all."""
    if toolset.first.overlaps(dialect.first):
        return f"Tools and text are not shown to differ: {_against(toolset, dialect)}."
    better, worse = (toolset, dialect) if (toolset.first.rate or 0) > (dialect.first.rate or 0) else (dialect, toolset)
    how = "calling tools" if better is toolset else "replying with text"
    return f"This model edits best by {how}: {_against(better, worse)}."


def _against(one: Row, other: Row) -> str:
    return (
        f"{_percent(one.first)} first-try ({_interval(one.first)}) against {_percent(other.first)} "
        f"with {other.label} ({_interval(other.first)})"
    )


def _percent(share: Proportion) -> str:
    return f"{(share.rate or 0.0) * 100:.0f} %"


def _interval(share: Proportion) -> str:
    low, high = share.interval
    return f"{low * 100:.0f}–{high * 100:.0f} %, {share.hits} of {share.of}"


def _listed(rows: Sequence[Row]) -> str:
    names = [row.label for row in rows]
    said = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return said[:1].upper() + said[1:]
