"""What must hold: the least share of correct answers and the most wrong ones, from the table in `floors.json`.

An entry names categories by pattern and is checked for *each* of them or for their *sum*. Its `wrong` is a number, or
the name of a contestant of the same run that may not be undercut in care. Categories without cases are not checked.
Of whole replies, which have categories of their own, `same` is the least share that gets the same answer as the case
with its reply taken apart, and `newly_wrong` the most that are wrong although that case is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from benches.accuracy.contestants import Standing
from benches.accuracy.replies import Agreement, pairs_of
from benches.accuracy.score import Verdict
from benches.accuracy.tally import OFFERED, Count, OfferCount

TABLE = Path(__file__).with_name("floors.json")


@dataclass(frozen=True, slots=True)
class Floor:
    """One entry. `other_than` takes categories out again; None: no such limit."""

    name: str
    categories: tuple[str, ...]
    over: Literal["each", "sum"]
    correct: float | None = None
    wrong: int | str | None = None
    other_than: tuple[str, ...] = ()
    same: float | None = None
    newly_wrong: int | None = None

    def takes(self, verdict: Verdict) -> bool:
        category = verdict.case.category
        named = any(fnmatchcase(category, pattern) for pattern in self.categories)
        return named and not any(fnmatchcase(category, pattern) for pattern in self.other_than)


@dataclass(frozen=True, slots=True)
class Broken:
    """A floor that does not hold, and the figures that say so."""

    floor: str
    what: str


def read_floors(path: Path = TABLE) -> tuple[Floor, ...]:
    return tuple(map(_floor, json.loads(path.read_text(encoding="utf-8"))))


def _floor(entry: dict[str, Any]) -> Floor:
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    return Floor(**{**entry, **lists})


def check_floors(floors: Sequence[Floor], ours: Standing, others: Sequence[Standing]) -> list[Broken]:
    """Every floor that does not hold."""
    return [broken for floor in floors for broken in _check(floor, ours, others)]


def check_ways(ways: Sequence[Standing]) -> Iterator[Broken]:
    """Nothing is wrong in any way to ask, and no offer is."""
    for way in ways:
        count, offers = Count.over(way.verdicts), OfferCount.over(way.verdicts)
        bad = count.of["wrong"] + count.of["crash"]
        if bad:
            yield Broken(f"nothing wrong, {way.name}", f"{bad} wrong or crashed, none allowed")
        for what in OFFERED:
            figures = offers.figures(what)
            if failed := figures["made"] - figures["right"]:
                yield Broken(f"offers, {way.name}", f"{failed} of {figures['made']} {what} not right, none allowed")


def _check(floor: Floor, ours: Standing, others: Sequence[Standing]) -> Iterator[Broken]:
    groups: dict[str, list[Verdict]] = {}
    for verdict in filter(floor.takes, ours.verdicts):
        groups.setdefault(verdict.case.category if floor.over == "each" else "in all", []).append(verdict)
    pairs = {pair.reply.case.id: pair for pair in pairs_of(ours)}
    most = _most_wrong(floor, others)
    for name, group in sorted(groups.items()):
        found = [pairs[verdict.case.id] for verdict in group if verdict.case.id in pairs]
        for what in (*_scores(floor, Count.over(group), most), *_agreement(floor, Agreement.over(found))):
            yield Broken(floor.name, f"{name}: {what}")


def _scores(floor: Floor, count: Count, most: int | None) -> Iterator[str]:
    if floor.correct is not None and count.correct_share < floor.correct:
        share = f"{count.of['correct']} of {count.cases} correct ({count.correct_share:.1%})"
        yield f"{share}, {floor.correct:.0%} wanted"
    bad = count.of["wrong"] + count.of["crash"]
    if most is not None and bad > most:
        yield f"{bad} wrong or crashed, at most {most} allowed"


def _agreement(floor: Floor, found: Agreement) -> Iterator[str]:
    if floor.same is not None and found.same_share < floor.same:
        yield f"{found.same} of {found.cases} the same ({found.same_share:.1%}), {floor.same:.0%} wanted"
    if floor.newly_wrong is not None and found.newly_wrong > floor.newly_wrong:
        yield f"{found.newly_wrong} wrong only as a whole reply, at most {floor.newly_wrong} allowed"


def _most_wrong(floor: Floor, others: Sequence[Standing]) -> int | None:
    if not isinstance(floor.wrong, str):
        return floor.wrong
    named = [standing for standing in others if standing.name == floor.wrong]
    if not named:
        return 0
    return Count.over(verdict for verdict in named[0].verdicts if floor.takes(verdict)).of["wrong"]
