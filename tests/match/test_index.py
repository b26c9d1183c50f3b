"""The index finds what searching each needle by itself finds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match import index as index_module
from steadyhand.match.index import NeedleIndex


def places(text: str, needle: str) -> tuple[int, ...]:
    return tuple(at for at in range(len(text)) if text.startswith(needle, at))


@given(st.text(alphabet="ab\n", max_size=200), st.lists(st.text(alphabet="ab\n", min_size=14, max_size=40), max_size=6))
def test_every_needle_it_holds_is_found_everywhere_it_stands(text: str, needles: list[str]) -> None:
    woven = text.join(needles) + text
    index = NeedleIndex(woven, needles)
    for needle in needles:
        assert index.holds(needle) == (len(needle) >= 16)
        if index.holds(needle):
            assert index.places(needle) == places(woven, needle)


def test_a_needle_at_the_very_end_and_one_cut_short_there() -> None:
    text = "x" * 100 + "the last line of all"
    index = NeedleIndex(text, ["the last line of all", "the last line of all, and more"])
    assert index.places("the last line of all") == (100,)
    assert index.places("the last line of all, and more") == ()


def test_lines_of_a_long_text_are_found_where_they_stand() -> None:
    chance = random.Random(5)
    lines = [f"    value_{chance.randrange(10**6)} = {number}\n" for number in range(5_000)]
    text = "".join(lines)
    wanted = chance.sample(lines, 50)
    index = NeedleIndex(text, wanted)
    for line in wanted:
        assert index.places(line) == places_by_find(text, line)


def places_by_find(text: str, needle: str) -> tuple[int, ...]:
    found, at = [], text.find(needle)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + 1)
    return tuple(found)


def test_a_needle_whose_pieces_stand_everywhere_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_BUSY", 100)
    index = NeedleIndex("-" * 10_000 + "a line that stands out", ["-" * 40, "a line that stands out"])
    assert not index.holds("-" * 40)
    assert index.places("a line that stands out") == (10_000,)


def test_other_texts_can_be_scanned_for_the_same_needles() -> None:
    index = NeedleIndex("", ["sixteen characters"])
    assert index.scan("two: sixteen characters") == {"sixteen characters": [5]}
