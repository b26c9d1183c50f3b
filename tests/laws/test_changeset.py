"""The laws of the waist, each against the dullest thing that could be right: slicing and joining."""

from __future__ import annotations

import json
import re
from typing import SupportsIndex

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from steadyhand.errors import EditError, Kind
from steadyhand.text.changeset import ChangeSet, Clash
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from tests.table import table

TEXT = st.text(alphabet="ab\r\n é😀\ud800\udce9", max_size=24)


@st.composite
def changes_for(draw: st.DrawFn, text: str) -> ChangeSet:
    splices: list[Splice] = []
    position = 0
    while draw(st.integers(0, 3)):
        start = draw(st.integers(position, len(text)))
        end = draw(st.integers(start, min(len(text), start + 5)))
        splices.append(Splice(start, text[start:end], draw(st.text(alphabet="ab\nX", max_size=3))))
        position = end
    return ChangeSet(tuple(splices))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, ChangeSet]:
    text = draw(TEXT)
    return text, draw(changes_for(text))


@st.composite
def edited_twice(draw: st.DrawFn) -> tuple[str, ChangeSet, ChangeSet]:
    text, changes = draw(edited())
    return text, changes, draw(changes_for(text))


@st.composite
def edited_in_turn(draw: st.DrawFn) -> tuple[str, ChangeSet, ChangeSet, ChangeSet]:
    text, first = draw(edited())
    second = draw(changes_for(first.apply(text)))
    third = draw(changes_for(second.apply(first.apply(text))))
    return text, first, second, third


def sliced(text: str, changes: ChangeSet) -> str:
    for splice in reversed(changes.splices):
        text = text[: splice.start] + splice.new + text[splice.end :]
    return text


def touched(changes: ChangeSet) -> set[int]:
    return {at for splice in changes.splices for at in range(splice.start, splice.end)}


NO_CHANGE_SETS = [
    ((Splice(3, "ab", ""), Splice(4, "b", "")), "overlap"),
    ((Splice(3, "ab", ""), Splice(1, "a", "")), "out of order"),
    ((Splice(3, "ab", ""), Splice(4, "", "x")), "an insertion inside a replacement"),
]


@table(("splices", "why"), NO_CHANGE_SETS, ids=[why for _, why in NO_CHANGE_SETS])
def test_splices_that_are_not_sorted_and_disjoint_are_no_change_set(splices: tuple[Splice, ...], why: str) -> None:
    with pytest.raises(ValueError, match="overlap"):
        ChangeSet(splices)


NOT_JSON = [
    {},
    {"base": None},
    {"base": 3, "splices": []},
    {"base": None, "splices": {}},
    {"base": None, "splices": [[0, "a"]]},
    {"base": None, "splices": [["0", "a", "b"]]},
    {"base": None, "splices": [[True, "a", "b"]]},
    {"base": None, "splices": [[-1, "a", "b"]]},
    {"base": None, "splices": [[0, "ab", ""], [1, "b", ""]]},
    {"base": None, "splices": ["abc"]},
]


@table("data", NOT_JSON, ids=str)
def test_other_json_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"change set|splice"):
        ChangeSet.from_json(data)


@given(edited(), TEXT)
def test_a_text_without_the_old_text_is_refused(case: tuple[str, ChangeSet], other: str) -> None:
    _, changes = case
    fits = all(other[s.start : s.end] == s.old and s.end <= len(other) for s in changes.splices)
    if fits:
        assert changes.apply(other) == sliced(other, changes)
    else:
        with pytest.raises(EditError) as refusal:
            changes.apply(other)
        assert refusal.value.kind is Kind.STALE_SOURCE


@given(edited())
def test_apply_is_slice_and_join(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    assert changes.apply(text) == sliced(text, changes)
    assert len(changes.apply(text)) == len(text) + changes.delta


@given(edited(), st.randoms())
def test_the_order_of_disjoint_splices_does_not_matter(case: tuple[str, ChangeSet], chance: object) -> None:
    text, changes = case
    apart = ChangeSet.of({splice.start: splice for splice in changes.splices}.values())
    shuffled = list(apart.splices)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ChangeSet.of(shuffled) == apart
    assert ChangeSet.of(shuffled).apply(text) == sliced(text, apart)


@given(edited())
def test_invert_restores(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    assert changes.invert().apply(changes.apply(text)) == text
    assert changes.invert().invert() == changes


@given(edited())
def test_after_spans_hold_the_new_text(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    after = changes.apply(text)
    assert [span.of(after) for span in changes.after_spans()] == [splice.new for splice in changes.splices]


@given(edited_in_turn())
def test_compose_is_one_after_the_other(case: tuple[str, ChangeSet, ChangeSet, ChangeSet]) -> None:
    text, first, second, _ = case
    assert first.compose(second).apply(text) == second.apply(first.apply(text))


@given(edited_in_turn())
def test_compose_is_associative_in_effect(case: tuple[str, ChangeSet, ChangeSet, ChangeSet]) -> None:
    text, first, second, third = case
    left = first.compose(second).compose(third)
    right = first.compose(second.compose(third))
    assert left.apply(text) == right.apply(text) == third.apply(second.apply(first.apply(text)))


@given(edited())
@example(("aaaa", ChangeSet((Splice(0, "aaa", ""), Splice(3, "a", "")))))
def test_composed_with_its_inverse_it_changes_nothing(case: tuple[str, ChangeSet]) -> None:
    _, changes = case
    assert changes.compose(changes.invert()).splices == ()


@given(edited())
def test_untouched_characters_keep_their_positions(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    after, gone = changes.apply(text), touched(changes)
    for at in range(len(text)):
        if at not in gone:
            assert after[changes.map_position(at, assoc=1)] == text[at]
            assert after[changes.map_position(at + 1, assoc=-1) - 1] == text[at]


@given(edited())
def test_positions_keep_their_order_and_stay_inside(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    for assoc in (-1, 1):
        mapped = [changes.map_position(at, assoc=assoc) for at in range(len(text) + 1)]
        assert mapped == sorted(mapped)
        assert 0 <= mapped[0] <= mapped[-1] <= len(changes.apply(text))
    assert all(changes.map_position(at, assoc=-1) <= changes.map_position(at, assoc=1) for at in range(len(text) + 1))


@given(edited(), st.integers(0, 24), st.integers(0, 24))
def test_a_span_maps_to_its_text_with_all_that_was_written_over_it(
    case: tuple[str, ChangeSet], one: int, two: int
) -> None:
    text, changes = case
    span = Span(min(one, two, len(text)), min(max(one, two), len(text)))
    mapped, after = changes.map_span(span), changes.apply(text)
    assert 0 <= mapped.start <= mapped.end <= len(after)
    pairs = zip(changes.splices, changes.after_spans(), strict=True)
    met = [place for splice, place in pairs if splice.span.overlaps(span)]
    assert all(mapped.start <= place.start and place.end <= mapped.end for place in met)
    assert met or span.of(text) in mapped.of(after)


@given(edited_twice())
def test_rebased_changes_meet(case: tuple[str, ChangeSet, ChangeSet]) -> None:
    text, ours, theirs = case
    mine, yours = ours.rebase(theirs), theirs.rebase(ours)
    if isinstance(mine, ChangeSet) and isinstance(yours, ChangeSet):
        assert mine.apply(theirs.apply(text)) == yours.apply(ours.apply(text))


@given(edited_twice())
def test_changes_clash_where_they_overlap_or_insert_at_one_place(case: tuple[str, ChangeSet, ChangeSet]) -> None:
    _, ours, theirs = case
    pairs = {
        (mine, yours)
        for mine in ours.splices
        for yours in theirs.splices
        if mine.span.overlaps(yours.span) or (mine.span.is_empty and mine.span == yours.span)
    }
    moved = ours.rebase(theirs)
    assert (set(moved.pairs) if isinstance(moved, Clash) else set()) == pairs


class Counted(str):
    """A text that counts the characters copied out of it and out of its parts."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, key: SupportsIndex | slice) -> Counted:
        part = Counted(super().__getitem__(key))
        Counted.copied += len(part)
        return part


def test_composing_many_edits_with_a_long_insertion_or_deletion_copies_it_once() -> None:
    size, count = 100_000, 500
    many = ChangeSet(tuple(Splice(index * (size // count), "a", "b") for index in range(count)))
    long = ChangeSet((Splice(0, "", Counted("a" * size)),))
    Counted.copied = 0
    assert long.compose(many).apply("") == many.apply("a" * size)
    assert Counted.copied <= size
    gone = ChangeSet((Splice(0, Counted(many.apply("a" * size)), ""),))
    Counted.copied = 0
    assert many.compose(gone).apply("a" * size) == ""
    assert Counted.copied <= size


@given(edited(), st.one_of(st.none(), st.just("ab" * 32)))
def test_json_round_trips(case: tuple[str, ChangeSet], base: str | None) -> None:
    changes = ChangeSet(case[1].splices, base)
    # No codec yields a high and a low surrogate side by side; JSON would read them as one character.
    assume(not any(re.search("[\ud800-\udbff][\udc00-\udfff]", splice.old) for splice in changes.splices))
    assert ChangeSet.from_json(json.loads(json.dumps(changes.to_json()))) == changes


@given(edited())
def test_trim_keeps_the_effect_with_the_smallest_splices(case: tuple[str, ChangeSet]) -> None:
    text, changes = case
    trimmed = changes.trim()
    assert trimmed.apply(text) == changes.apply(text)
    for splice in trimmed.splices:
        assert splice.old != splice.new
        assert not (splice.old and splice.new and splice.old[0] == splice.new[0])
        assert not (splice.old and splice.new and splice.old[-1] == splice.new[-1])


@given(st.lists(st.tuples(st.integers(0, 200_000), st.sampled_from(["", "b", "é", "😀" * 3])), max_size=12))
def test_a_long_text_is_put_together_like_a_short_one(places: list[tuple[int, str]]) -> None:
    text = "a" * 70_000 + "é" * 70_000 + "😀a" * 30_000
    starts = sorted(dict(places).items())
    changes = ChangeSet.of([Splice(at, text[at : at + 1], new) for at, new in starts if at < len(text)])
    expected = text
    for splice in reversed(changes.splices):
        expected = expected[: splice.start] + splice.new + expected[splice.end :]
    assert changes.apply(text) == expected
