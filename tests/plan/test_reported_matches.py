"""What an outcome tells of a find: its tier, how sure it is, how alike, and what was overlooked; no more, no less."""

from __future__ import annotations

from dataclasses import dataclass

from steadyhand.match.tier import step_names, tier_named
from steadyhand.plan.edit import Delete, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.lines import Lines
from tests.table import table

BODY = "def area(w):\n    # twice the width\n    size = w * 2\n    return size\n"
DOUBLE = BODY.replace("twice", "double")


@dataclass(frozen=True, slots=True)
class Answer:
    """A file, an edit of it, and what its outcome tells."""

    before: str
    old: str
    new: str
    tier: str
    differs: tuple[str, ...]


FINDS = [
    Answer("a = 1\n", "a = 1", "a = 2", "exact", ()),
    Answer("a = 1\r\nb\r\n", "a = 1\nb", "a = 2\nb", "newline", ("line endings",)),
    Answer("a = 1\n", "1| a = 1", "1| a = 2", "repair", ("line numbers",)),
    Answer("    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", "whitespace", ("indentation",)),
    Answer("a = 1\n\nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", "whitespace", ("blank lines",)),
    Answer("x\nb = 2", "b = 2\n", "b = 3\n", "whitespace", ("blanks",)),
    Answer(
        "  a = 1\n  b = 2\n", "1| a = 1\n2| b = 2", "1| a = 1\n2| b = 3", "whitespace", ("line numbers", "indentation")
    ),
    Answer("x = a - b\ny = 1\n", "x = a – b\ny = 1", "x = a – b\ny = 2", "typography", ("typography",)),
    Answer("f(a,\n  bc)\n", "f(a, bc)\n", "f(a, cd)\n", "token", ("layout",)),
    Answer(
        BODY,
        "def area(w):\n    ...\n    return size",
        "def area(w):\n    ...\n    return 1",
        "elision",
        ("elided lines",),
    ),
    Answer(BODY, DOUBLE, DOUBLE.replace("* 2", "* 3"), "fuzzy", ("wording",)),
]


@table("answer", FINDS, ids=[f"{answer.tier}: {', '.join(answer.differs)}" for answer in FINDS])
def test_what_differs_is_what_was_seen_and_nothing_a_tier_might_have_overlooked(answer: Answer) -> None:
    result = edit(answer.before, Replace(answer.old, answer.new), path="a.py")
    assert result.error is None
    (outcome,) = result.outcomes
    assert (outcome.tier, outcome.differs) == (answer.tier, answer.differs)
    assert outcome.similarity is not None
    assert 0.5 <= outcome.similarity <= 1
    assert outcome.confidence is not None
    assert outcome.tier != "fuzzy" or outcome.confidence <= outcome.similarity
    assert (outcome.confidence == 1.0) == (outcome.tier in ("exact", "newline"))


def test_every_step_has_an_example_here() -> None:
    assert {answer.tier for answer in FINDS} == set(step_names())


def test_a_stricter_find_is_never_less_sure_than_a_laxer_one() -> None:
    found = [edit(answer.before, Replace(answer.old, answer.new), path="a.py").outcomes[0] for answer in FINDS]
    sure = {outcome.tier: tier_named(outcome.tier).confidence for outcome in found if outcome.tier != "repair"}  # type: ignore[arg-type]
    ranked = [sure[name] for name in step_names() if name in sure]
    assert ranked == sorted(ranked, reverse=True)


@table("verb", [Insert("a", "b", where="after"), Delete("a"), Delete(Lines(1, 1))], ids=str)
def test_every_outcome_that_was_applied_says_how_sure_it_is(verb: Insert | Delete) -> None:
    (outcome,) = edit("a\n", verb).outcomes
    assert outcome.applied
    assert outcome.confidence == 1.0
    assert outcome.similarity == 1.0


def test_a_refusal_is_neither_sure_nor_alike() -> None:
    (outcome,) = edit("a\n", Replace("nowhere", "b")).outcomes
    assert (outcome.tier, outcome.confidence, outcome.similarity, outcome.differs) == (None, None, None, ())
