"""The index finds what searching each needle by itself finds."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.plan import many_edits
from steadyhand.plan.many_edits import NeedleIndex
from steadyhand.text.span import Span
from tests.table import table


def places(text: str, needle: str) -> list[int]:
    found, at = [], text.find(needle)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + 1)
    return found


def check_index(text: str, needles: list[str]) -> NeedleIndex:
    index = NeedleIndex(text, needles)
    for needle in needles:
        assert not index.holds(needle) or list(index.places(needle)) == places(text, needle), needle
    return index


@pytest.fixture(scope="module")
def _small() -> Iterator[None]:
    """Single needles are taken in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_edits, "_FEW", 1)
        patch.setattr(many_edits, "_LOOK", 1)
        yield


@table("needle", ["", "a", "x" * 20_001])
def test_needles_too_short_or_too_long_are_not_held(needle: str) -> None:
    assert not NeedleIndex("a text", [needle] * 3 + [f"needle {number}" for number in range(20)]).holds(needle)


def test_a_few_needles_of_a_kind_are_not_worth_a_pass() -> None:
    needles = [f"needle {number}" for number in range(7)]
    assert not any(map(NeedleIndex("needle 3", needles).holds, needles))


def test_needles_that_occur_all_over_the_text_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_edits, "_LOOK", 1)
    monkeypatch.setattr(many_edits, "_MOST", 1_000)
    needles = ["-" * 5, "-" * 10, "-" * 60, *(f"{number:05} stands out" for number in range(20))]
    needles += [f"{number} a line that is long enough to be a long one" for number in range(20)]
    index = check_index("-" * 10_000 + needles[7] + needles[-1], needles)
    assert [needle for needle in needles if not index.holds(needle)] == ["-" * 5, "-" * 10, "-" * 60]


def test_needles_whose_pieces_are_compared_too_often_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_edits, "_BUSY", 100)
    needles = [" " * 60 + f"line {number:03}" for number in range(20)]
    index = check_index(" " * 20_000 + needles[3], [*needles, "x" * 70])
    assert not any(map(index.holds, needles))
    assert index.holds("x" * 70)


alphabets = st.sampled_from(["ab", "ab\n", "a\r\n", "aé", "a\u0161\u4e61\U0001f600", "\x00a", "a\ud800"])


@st.composite
def woven(draw: st.DrawFn, least: int, most: int) -> tuple[str, list[str]]:
    """A text, and needles that are in it, or almost."""
    alphabet = draw(alphabets)
    needles = draw(st.lists(st.text(alphabet=alphabet, min_size=least, max_size=most), min_size=1, max_size=6))
    between = st.sampled_from(needles) | st.text(alphabet=alphabet, max_size=12)
    text = "".join(draw(st.lists(between, max_size=10)))
    return text, needles + [needle[: len(needle) // 2] for needle in needles] + [needle + "a" for needle in needles]


@pytest.mark.usefixtures("_small")
@given(woven(1, 12))
@example(("", ["ab"]))
@example(("aaaa", ["aa", "aaa", "aaaa", "aaaaa"]))
@example(("\u0161a", ["aa"]))
def test_short_needles_are_found_everywhere(made: tuple[str, list[str]]) -> None:
    text, needles = made
    index = check_index(text, needles)
    assert all(map(index.holds, (needle for needle in needles if len(needle) > 1)))


@pytest.mark.usefixtures("_small")
@given(woven(30, 200))
def test_long_needles_are_found_everywhere(made: tuple[str, list[str]]) -> None:
    check_index(*made)


@pytest.mark.usefixtures("_small")
@given(woven(1, 50), st.data())
def test_needles_at_a_span_of_another_text_are_those_that_share_a_character_with_it(
    made: tuple[str, list[str]], data: st.DataObject
) -> None:
    text, needles = made
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    index = NeedleIndex("", needles)
    found = set(index.touching(lambda first, last: text[first:last], Span(start, end)))
    assert found == {
        needle
        for needle in needles
        if index.holds(needle) and any(at < end and at + len(needle) > start for at in places(text, needle))
    }


@pytest.mark.usefixtures("_small")
@table("size", [3, 5, 7, 12, 30, 60, 200])
def test_parts_of_a_long_text_are_found_where_they_are(size: int) -> None:
    chance = random.Random(size)
    text = "".join(f"    value_{chance.randrange(10**6)} = {number} × {number % 7}\n" for number in range(5_000))
    starts = [chance.randrange(len(text) - size) for _ in range(60)]
    parts = [text[start : start + size] for start in starts]
    index = check_index(text, parts + [part[::-1] for part in parts])
    assert sum(map(index.holds, parts)) > 30
