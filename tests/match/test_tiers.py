"""Every tier by its own examples, and the order they are asked in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.tier import Example, Needle, Tier, steps, steps_up_to, tiers
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import marked
from tests.table import table

IGNORED = [(tier, example) for tier in tiers() for example in tier.ignores]
MATCHED = [(tier, example) for tier in tiers() for example in tier.matches]


def named(value: object) -> str | None:
    return value.name if isinstance(value, Tier) else None


def places(tier: Tier, example: Example, text: str) -> list[Span]:
    source, needle = Source.of_text(text, path=example.path), Needle(example.needle, example.new)
    return list(tier.find(source, needle, apart=False))


@table(("tier", "example"), IGNORED, ids=named)
def test_a_tier_finds_nothing_in_what_it_must_ignore(tier: Tier, example: Example) -> None:
    assert places(tier, example, example.text) == []


@table(("tier", "example"), MATCHED, ids=named)
def test_a_tier_finds_every_marked_place_and_no_other(tier: Tier, example: Example) -> None:
    text, spans = marked(example.text)
    assert places(tier, example, text) == spans


def test_the_tiers_are_loaded_in_this_order() -> None:
    assert [(tier.rank, tier.name, tier.confidence, tier.is_single) for tier in tiers()] == [
        (10, "exact", 1.0, False),
        (20, "newline", 1.0, False),
        (40, "whitespace", 0.98, False),
        (60, "typography", 0.97, False),
        (70, "token", 0.94, False),
        (80, "elision", 0.92, True),
        (90, "fuzzy", 0.9, True),
    ]


def test_a_repaired_old_text_is_looked_for_between_the_tiers() -> None:
    assert [(step.rank, step.name, step.is_repaired) for step in steps()] == [
        (10, "exact", False),
        (20, "newline", False),
        (30, "repair", True),
        (40, "whitespace", False),
        (50, "whitespace", True),
        (60, "typography", False),
        (70, "token", False),
        (80, "elision", False),
        (90, "fuzzy", False),
    ]


def test_every_tier_has_the_step_of_its_rank() -> None:
    plain = [step for step in steps() if not step.is_repaired]
    assert [(step.name, step.rank, step.tiers) for step in plain] == [(t.name, t.rank, (t,)) for t in tiers()]


def test_a_policy_can_stop_at_a_step() -> None:
    assert [step.name for step in steps_up_to("exact")] == ["exact"]
    assert [step.rank for step in steps_up_to("whitespace")] == [10, 20, 30, 40, 50]
    assert steps_up_to(None) == steps()


def test_every_tier_says_what_it_does_and_shows_it() -> None:
    for tier in tiers():
        assert tier.summary.endswith(".")
        assert tier.matches
        assert tier.ignores


def test_overlapping_places_count_unless_they_are_to_be_apart() -> None:
    exact = tiers()[0]
    source = Source.of_text("aaaa")
    assert len(list(exact.find(source, Needle("aa"), apart=False))) == 3
    assert len(list(exact.find(source, Needle("aa"), apart=True))) == 2


pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=12).map("".join)


@given(pieces, pieces)
def test_a_newline_find_is_whole_lines_endings_and_equal_but_for_them(text: str, needle: str) -> None:
    newline = tiers()[1]
    for span in newline.find(Source.of_text(text), Needle(needle), apart=False):
        assert to_lf(span.of(text)) == to_lf(needle)
        for cut in span:
            assert text[max(cut - 1, 0) : cut + 1] != "\r\n"


@given(pieces, pieces, st.sampled_from(["\n", "\r\n"]))
def test_the_literal_of_a_tier_is_exactly_where_the_tier_finds_the_needle(text: str, needle: str, ending: str) -> None:
    uniform = to_lf(text).replace("\n", ending)
    source = Source.of_text(uniform)
    for tier in tiers():
        literal = tier.literal(source.newlines.uniform, needle)
        exact = list(tiers()[0].find(source, Needle(needle), apart=False))
        if literal is None or (tier.name == "newline" and exact):
            continue
        places = [at for at in range(len(uniform)) if literal and uniform.startswith(literal, at)]
        assert [span.start for span in tier.find(source, Needle(needle), apart=False)] == places
