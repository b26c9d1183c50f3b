"""Promise: a card says what its trials say, and its advice follows from the shares of their first tries alone."""

from __future__ import annotations

import math
import random

from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.agents.model import Tokens
from steadyhand.agents.score.card import Row, card_of
from steadyhand.agents.score.grade import OUTCOMES
from steadyhand.agents.score.run import Score
from steadyhand.agents.score.trial import Trial

WAYS = ("search-replace", "unified", "whole", "core", "claude")
TOOLSETS = ("core", "claude")
GOOD, BAD = ("right", "equivalent"), tuple(name for name in OUTCOMES if name not in ("right", "equivalent"))
Skill = dict[str, tuple[int, int]]
SKILLS: st.SearchStrategy[Skill] = st.fixed_dictionaries(
    {way: st.tuples(st.integers(0, 30), st.sampled_from([0, 1, 5, 9, 10])) for way in WAYS}
)


def trials_of(skill: Skill, chance: random.Random) -> list[Trial]:
    """So many trials of each way, of which so many in ten have a good first try; all else as it happens."""
    return [
        Trial(
            "t", chance.choice([".py", ".md", ".toml"]), way, chance.choice(GOOD if number % 10 < good else BAD),
            chance.choice(OUTCOMES), chance.choice([None, "no-match", "ambiguous"]), chance.randint(1, 2),
            Tokens(chance.randrange(500), chance.randrange(90)), float(chance.randrange(40)),
        )
        for way, (count, good) in skill.items()
        for number in range(count)
    ]  # fmt: skip


def score_of(trials: list[Trial]) -> Score:
    return Score("m", "reference", "1", "0", WAYS, ("t",), trials)


def is_counted(row: Row, trials: list[Trial]) -> None:
    """Whether a row says what a person would count who reads its trials one after another."""
    first = sum(trial.first in ("right", "equivalent") for trial in trials)
    end = sum(trial.end in ("right", "equivalent") for trial in trials)
    tokens = sum(trial.tokens.input + trial.tokens.output for trial in trials)
    data = row.to_json()
    assert (row.first.hits, row.first.of, row.end.hits, row.end.of) == (first, len(trials), end, len(trials))
    assert data["outcomes"] == {name: sum(trial.first == name for trial in trials) for name in OUTCOMES}
    kinds = [trial.kind for trial in trials if trial.kind]
    assert data["refusals"] == {kind: kinds.count(kind) for kind in kinds}
    assert data["retries"] == sum(trial.tries == 2 for trial in trials)
    assert data["tokens"] == tokens
    seconds = sum(trial.seconds for trial in trials)
    per_good = {"tokens": round(tokens / end, 3), "seconds": round(seconds / end, 3)} if end else None
    assert data["perGood"] == (per_good or {"tokens": None, "seconds": None})
    for edge in row.first.interval:  # Wilson's: where the share is 1.96 deviations of the edge away
        far = 1.959964 * math.sqrt(max(edge * (1 - edge), 0) / len(trials))
        assert math.isclose(abs(edge - first / len(trials)), far, abs_tol=1e-6)


@given(SKILLS, st.randoms(use_true_random=False))
@example(dict.fromkeys(WAYS, (20, 5)), random.Random(0))
def test_rows_are_what_a_person_would_count(skill: Skill, chance: random.Random) -> None:
    trials = trials_of(skill, chance)
    card = card_of(score_of(trials))
    assert {row.way.name for row in card.rows} == {trial.way for trial in trials}
    assert set(card.by_type) == {trial.type for trial in trials}
    for row in card.rows:
        is_counted(row, [trial for trial in trials if trial.way == row.way.name])
    for name, rows in card.by_type.items():
        of_type = [trial for trial in trials if trial.type == name]
        assert {row.way.name for row in rows} == {trial.way for trial in of_type}
        for row in rows:
            is_counted(row, [trial for trial in of_type if trial.way == row.way.name])


@given(SKILLS, st.randoms(use_true_random=False))
@example({"search-replace": (20, 10), "unified": (20, 1), "core": (20, 9), "claude": (20, 0)}, random.Random(0))
@example({"search-replace": (20, 1), "whole": (20, 0), "core": (20, 1), "claude": (20, 10)}, random.Random(0))
@example({"search-replace": (20, 10), "whole": (20, 9), "unified": (20, 0), "core": (20, 1)}, random.Random(0))
@example({"search-replace": (4, 10), "whole": (20, 5), "core": (4, 10), "claude": (0, 0)}, random.Random(0))
def test_the_advice_is_the_best_first_try_and_says_worse_only_of_what_is_shown_to_be(
    skill: Skill, chance: random.Random
) -> None:
    card = card_of(score_of(trials_of(skill, chance)))
    rates = [(row.first.rate or 0.0, row.end.rate or 0.0) for row in card.rows]
    assert rates == sorted(rates, reverse=True)
    advice = card.advice
    text = " ".join(advice.sentences)
    for kind, chosen in (("toolset", advice.toolset), ("dialect", advice.dialect)):
        rows = [row for row in card.rows if (row.way.name in TOOLSETS) is (kind == "toolset") and row.first.of >= 5]
        good = [row for row in rows if row.first.hits]
        if not good:
            assert chosen is None
            continue
        best = good[0]
        assert chosen == best.way.name
        assert all((row.first.rate or 0) <= (best.first.rate or 0) for row in rows)
        others = [row for row in rows if row is not best]
        apart = [row for row in others if row.first.interval[1] < best.first.interval[0]]
        assert (f"Use {best.label} for this model" in text) is (bool(others) and len(apart) == len(others))
        if apart and len(apart) < len(others):
            last = apart[-1].label
            assert f"{last[:1].upper()}{last[1:]} " in text or f"{last} are worse than {best.label}" in text
            assert f"worse than {best.label}" in text
        elif not apart:
            assert f"worse than {best.label}" not in text
    if advice.toolset and advice.dialect:
        one, other = (
            next(row for row in card.rows if row.way.name == name) for name in (advice.toolset, advice.dialect)
        )
        if one.first.interval[0] > other.first.interval[1]:
            assert "edits best by calling tools" in text
        elif other.first.interval[0] > one.first.interval[1]:
            assert "edits best by replying with text" in text
        else:
            assert "Tools and text are not shown to differ" in text
