"""Whole replies beside the same cases with the reply taken apart already: whether both get the same answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benches.accuracy.contestants import Standing
from benches.accuracy.score import Verdict

_BAD = ("wrong", "crash")


@dataclass(frozen=True, slots=True)
class Pair:
    """One case, asked both ways."""

    parsed: Verdict
    reply: Verdict

    @property
    def is_same(self) -> bool:
        """Whether both were applied with the same text, or both refused; for what reason does not matter."""
        one, other = self.parsed.answer, self.reply.answer
        return (one.applied, one.crashed, one.text) == (other.applied, other.crashed, other.text)

    @property
    def is_newly_wrong(self) -> bool:
        return self.reply.score in _BAD and self.parsed.score not in _BAD

    @property
    def is_gained(self) -> bool:
        return self.reply.score == "correct" != self.parsed.score

    @property
    def is_lost(self) -> bool:
        return self.parsed.score == "correct" != self.reply.score


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs counted: the same answer, and right or wrong one way only."""

    cases: int = 0
    same: int = 0
    gained: int = 0
    lost: int = 0
    newly_wrong: int = 0

    @classmethod
    def over(cls, pairs: Iterable[Pair]) -> Agreement:
        chosen = list(pairs)
        return cls(
            cases=len(chosen),
            same=sum(pair.is_same for pair in chosen),
            gained=sum(pair.is_gained for pair in chosen),
            lost=sum(pair.is_lost for pair in chosen),
            newly_wrong=sum(pair.is_newly_wrong for pair in chosen),
        )

    @property
    def same_share(self) -> float:
        return self.same / self.cases if self.cases else 1.0


def pairs_of(standing: Standing) -> list[Pair]:
    """Every reply whose case was asked the other way too, in the order of the cases."""
    by_id = {verdict.case.id: verdict for verdict in standing.verdicts}
    found = ((by_id.get(verdict.case.parsed), verdict) for verdict in standing.verdicts if verdict.case.parsed)
    return [Pair(parsed, reply) for parsed, reply in found if parsed is not None]


def by_parsed_category(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Pairs by the category of the case as it was parsed, in order: those that must apply first."""
    groups: dict[tuple[bool, str], list[Pair]] = {}
    for pair in pairs:
        case = pair.parsed.case
        groups.setdefault((not case.must_apply, case.category), []).append(pair)
    return {key[1]: groups[key] for key in sorted(groups)}
