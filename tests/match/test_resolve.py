"""Which places are meant: one, none, many, and never a laxer tier to break a tie."""

from __future__ import annotations

from steadyhand.match.resolve import SHOWN, Found, Miscount, Nothing, Resolution, Several, TooMany, finder_of, resolve
from steadyhand.match.tier import step_names
from steadyhand.text.source import Source
from tests.table import table


def ask(text: str, needle: str, **how: object) -> Resolution:
    return resolve(finder_of(Source.of_text(text)), needle, **how)  # type: ignore[arg-type]


def spans(found: Resolution) -> list[tuple[int, int]]:
    assert isinstance(found, Found)
    return [tuple(match.span) for match in found.matches]  # type: ignore[misc]


def test_several_exact_places_are_not_settled_by_a_laxer_tier() -> None:
    found = ask("a\nb\na\nb\na\r\nb", "a\nb")
    assert isinstance(found, Several)
    assert (found.tier.name, found.total) == ("exact", 2)


def test_overlapping_places_are_several() -> None:
    found = ask("aaa", "aa")
    assert isinstance(found, Several)
    assert found.total == 2


def test_nothing_names_the_tiers_that_were_tried() -> None:
    assert ask("abc", "x\ny") == Nothing(step_names())
    assert ask("abc", "x\ny", laxest="newline") == Nothing(("exact", "newline"))
    assert ask("abc", "x\ny", laxest="exact") == Nothing(("exact",))


def test_a_laxer_tier_is_not_asked_beyond_the_limit() -> None:
    assert spans(ask("a\r\nb", "a\nb")) == [(0, 4)]
    assert isinstance(ask("a\r\nb", "a\nb", laxest="exact"), Nothing)


@table(
    ("occurrence", "expected"),
    [("first", [(0, 2)]), ("last", [(3, 5)]), (-1, [(3, 5)]), ("all", [(0, 2), (3, 5)]), (1, [(0, 2)]), (2, [(3, 5)])],
)
def test_the_occurrence_asked_for_is_taken_left_to_right_without_overlap(
    occurrence: object, expected: list[tuple[int, int]]
) -> None:
    assert spans(ask("aa aab", "aa", occurrence=occurrence)) == expected


def test_all_in_a_row_do_not_overlap() -> None:
    assert spans(ask("aaaaa", "aa", occurrence="all")) == [(0, 2), (2, 4)]


def test_an_occurrence_beyond_the_last_is_a_miscount() -> None:
    found = ask("x x", "x", occurrence=3)
    assert isinstance(found, Miscount)
    assert (found.total, found.wanted) == (2, 3)


@table("occurrence", ["all", "first", "last", 1])
def test_an_expected_count_must_be_the_count(occurrence: object) -> None:
    found = ask("x x x", "x", occurrence=occurrence, expected=2)
    assert isinstance(found, Miscount)
    assert (found.total, found.wanted) == (3, 2)
    assert isinstance(ask("x x x", "x", occurrence=occurrence, expected=3), Found)


def test_the_places_left_alone_are_named() -> None:
    found = ask("x x x", "x", occurrence=2)
    assert isinstance(found, Found)
    assert [span.start for span in found.others] == [0, 4]
    assert found.total == 3


def test_a_million_places_are_listed_in_part_and_counted_to_a_limit() -> None:
    found = ask("a" * 1_000_000, "a")
    assert isinstance(found, Several)
    assert len(found.candidates) == SHOWN
    assert not found.is_all
    assert found.total >= 1_000


def test_a_needle_that_overlaps_itself_everywhere_costs_a_bounded_count() -> None:
    found = ask("a" * 400_000, "a" * 200_000)
    assert isinstance(found, Several)
    assert not found.is_all


def test_more_places_than_one_edit_may_change_are_too_many() -> None:
    assert isinstance(ask("a" * 200_001, "a", occurrence="all"), TooMany)
