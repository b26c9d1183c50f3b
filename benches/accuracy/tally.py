"""Verdicts counted: by category, and in the sums that are compared. Counting only; how it looks is `report.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import pstdev
from zlib import crc32

from benches.accuracy.cases import Case
from benches.accuracy.contestants import Standing
from benches.accuracy.question import Kind
from benches.accuracy.score import OFFER_SCORES, SCORES, OfferScore, Score, Verdict

_FEWEST = 5  # cases of a category of which a share says anything
_BEHIND = 0.05  # by how much a category is below all the others to be reported
OFFERED = ("corrected", "candidate", "old")
_FROM_A_MODEL = re.compile(r"llm-")
_VERBATIM = re.compile(r"llm-[a-z0-9]+-exact(?!-ambiguous)(-|$)")


@dataclass(frozen=True, slots=True)
class Count:
    """How many cases got which score."""

    of: Counter[Score] = field(default_factory=Counter)
    how: Counter[str] = field(default_factory=Counter)

    @classmethod
    def over(cls, verdicts: Iterable[Verdict]) -> Count:
        chosen = list(verdicts)
        wrong = (verdict.how for verdict in chosen if verdict.how)
        return cls(Counter(verdict.score for verdict in chosen), Counter(wrong))

    @property
    def cases(self) -> int:
        return self.of.total()

    @property
    def correct_share(self) -> float:
        return self.of["correct"] / self.cases if self.cases else 1.0

    def to_json(self) -> dict[str, object]:
        return {"cases": self.cases, **{score: self.of[score] for score in SCORES}, "how_wrong": dict(self.how)}


@dataclass(frozen=True, slots=True)
class Sum:
    """A line of sums: a name, and which cases it counts."""

    name: str
    counts: Callable[[Case], bool]


def verbatim(case: Case) -> bool:
    """A model wrote it and quoted the file as it is."""
    return case.must_apply and _VERBATIM.match(case.category) is not None


def misquoted(case: Case) -> bool:
    """A model wrote it, the quote is wrong, and the right answer is still plain."""
    return case.must_apply and from_a_model(case) and not verbatim(case)


def from_a_model(case: Case) -> bool:
    return _FROM_A_MODEL.match(case.category) is not None


def _sum(name: str, kind: Kind, counts: Callable[[Case], bool]) -> Sum:
    """Of one kind of case: not every contestant takes every kind, so a sum over several would compare nothing."""
    return Sum(name, lambda case: case.kind == kind and counts(case))


SUMS = (
    _sum("made ops: must apply", "ops", lambda case: case.must_apply and not from_a_model(case)),
    _sum("made ops: must refuse", "ops", lambda case: not case.must_apply and not from_a_model(case)),
    _sum("made diffs: must apply", "diff", lambda case: case.must_apply and not from_a_model(case)),
    _sum("made diffs: must refuse", "diff", lambda case: not case.must_apply and not from_a_model(case)),
    _sum("model's ops: verbatim", "ops", verbatim),
    _sum("model's ops: misquoted", "ops", misquoted),
    _sum("model's ops: must refuse", "ops", lambda case: not case.must_apply and from_a_model(case)),
    _sum("model's diffs: must apply", "diff", lambda case: case.must_apply and from_a_model(case)),
    _sum("model's diffs: must refuse", "diff", lambda case: not case.must_apply and from_a_model(case)),
    _sum("model's snippets: verbatim", "snippet", verbatim),
    _sum("model's snippets: misquoted", "snippet", misquoted),
    _sum("model's snippets: must refuse", "snippet", lambda case: not case.must_apply),
    _sum("whole replies: must apply", "reply", lambda case: case.must_apply),
    _sum("whole replies: must refuse", "reply", lambda case: not case.must_apply),
)


def by_category(standing: Standing, kind: Kind | None = None) -> dict[str, Count]:
    """Categories in order: those that must apply first; None: of cases of every kind."""
    groups: dict[tuple[bool, str], list[Verdict]] = {}
    for verdict in standing.verdicts:
        if kind is not None and verdict.case.kind != kind:
            continue
        groups.setdefault((not verdict.case.must_apply, verdict.case.category), []).append(verdict)
    return {category: Count.over(groups[refuse, category]) for refuse, category in sorted(groups)}


def sums_of(standing: Standing) -> dict[str, Count]:
    """The sums that count anything."""
    counts = {line.name: Count.over(v for v in standing.verdicts if line.counts(v.case)) for line in SUMS}
    return {name: count for name, count in counts.items() if count.cases}


@dataclass(frozen=True, slots=True)
class Spread:
    """How even a sum is: its two halves, by a digest of the id, and each category against all the others.

    `lowest` is the category that fares worst, `rest_share` what the others have without it; `deviation` is the standard
    deviation of the categories' shares, `behind` how many are five points or more below the others.
    """

    cases: int
    share: float
    halves: tuple[float, float]
    lowest: str
    lowest_share: float
    rest_share: float
    deviation: float
    behind: int

    @classmethod
    def over(cls, verdicts: Sequence[Verdict]) -> Spread:
        halves: tuple[list[Verdict], list[Verdict]] = [], []
        categories: dict[str, list[Verdict]] = {}
        for verdict in verdicts:
            halves[crc32(verdict.case.id.encode()) & 1].append(verdict)
            categories.setdefault(verdict.case.category, []).append(verdict)
        first, second = (Count.over(half).correct_share for half in halves)
        known = {name: Count.over(group).correct_share for name, group in categories.items() if len(group) >= _FEWEST}
        rest = {name: Count.over(v for v in verdicts if v.case.category != name).correct_share for name in known}
        lowest = min(known, key=lambda name: known[name], default="")
        return cls(
            len(verdicts),
            Count.over(verdicts).correct_share,
            (first, second),
            lowest,
            known.get(lowest, 1.0),
            rest.get(lowest, 1.0),
            pstdev(known.values()) if known else 0.0,
            sum(rest[name] - share >= _BEHIND for name, share in known.items()),
        )


def spreads_of(standing: Standing) -> dict[str, Spread]:
    """Of the sums over what must be applied, those with enough cases."""
    chosen = {
        line.name: [verdict for verdict in standing.verdicts if line.counts(verdict.case)]
        for line in SUMS
        if not line.name.endswith("refuse")
    }
    return {name: Spread.over(verdicts) for name, verdicts in chosen.items() if len(verdicts) >= 2 * _FEWEST}


@dataclass(frozen=True, slots=True)
class OfferCount:
    """How many offers refusals made, by what was offered, and what came of sending them."""

    of: Counter[tuple[str, OfferScore]] = field(default_factory=Counter)

    @classmethod
    def over(cls, verdicts: Iterable[Verdict]) -> OfferCount:
        each = (zip(verdict.answer.offers, verdict.offers, strict=True) for verdict in verdicts)
        return cls(Counter((offer.what, score) for pairs in each for offer, score in pairs))

    def figures(self, what: str) -> dict[str, int]:
        counts = {score: self.of[what, score] for score in OFFER_SCORES}
        return {"made": sum(counts.values()), **counts}

    def to_json(self) -> dict[str, object]:
        return {what: self.figures(what) for what in OFFERED}


def slowest(standing: Standing) -> Verdict | None:
    """The case whose answer took longest."""
    return max(standing.verdicts, key=lambda verdict: verdict.answer.seconds, default=None)


def not_asked(standing: Standing) -> dict[str, int]:
    """Cases by the kind that the contestant does not take."""
    return dict(sorted(Counter(case.kind for case in standing.not_asked).items()))


def find_standing(standings: Sequence[Standing], name: str) -> Standing | None:
    return next((standing for standing in standings if standing.name == name), None)
