"""Several edits in one call: in order or on one snapshot, all or nothing or in part."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.text.lines import split_lines
from tests.checks import check_edit, check_laws, check_refused
from tests.real_files import real_texts
from tests.sampling import EXAMPLES
from tests.table import table

OVERLAPS: list[tuple[str, list[Edit]]] = [
    ("abc", [Replace("b", "X"), Replace("X", "Y")]),
    ("abc", [Replace("b", "X"), Replace("aX", "Y")]),
    ("abc", [Replace("b", "X"), Replace("Xc", "Y")]),
    ("abc", [Delete("b"), Replace("ac", "Y")]),
    ("ab", [Insert("a", "X"), Replace("aXb", "Y")]),
    ("ab", [Insert("a", "X"), Insert("X", "Y")]),
    ("foo", [Replace("foo", "foobar"), Replace("foo", "x")]),
    ("ab ab", [Replace("ab", "X", occurrence="all"), Replace("X X", "Y")]),
]


@table(("before", "edits"), OVERLAPS)
def test_an_edit_may_not_touch_what_an_earlier_one_wrote(before: str, edits: list[Edit]) -> None:
    error = check_refused(before, edits, "overlapping-edits")
    assert (error.details["index"], error.details["earlier"]) == (1, 0)


@table(
    ("before", "edits", "after"),
    [
        ("abc", [Replace("a", "X"), Replace("b", "Y"), Replace("c", "Z")], "XYZ"),
        ("abc", [Replace("c", "Z"), Replace("a", "longer"), Replace("b", "")], "longerZ"),
        ("ab", [Insert("a", "1"), Insert("a", "2")], "a21b"),
        ("ab", [Insert("a", "1"), Insert("b", "2", where="before")], "a12b"),
        ("ab", [Insert("b", "1", where="before"), Insert("b", "2", where="before")], "a12b"),
        ("abc", [Delete("b"), Insert("a", "1"), Insert("c", "2", where="before")], "a12c"),
        ("a b", [Replace("a", "b b"), Replace("b", "c", occurrence="last")], "b b c"),
    ],
)
def test_edits_are_made_one_after_the_other(before: str, edits: list[Edit], after: str) -> None:
    check_edit(before, edits, after)


def test_uniqueness_is_counted_on_the_text_at_that_moment() -> None:
    check_edit("x y x", [Delete("x ", occurrence="first"), Replace("x", "z")], "y z")
    check_refused("x y", [Replace("y", "x"), Replace("x", "z")], "ambiguous-match")


@table(
    ("before", "edits"),
    [
        ("abc", [Replace("ab", "X"), Replace("bc", "Y")]),
        ("abc", [Replace("b", "X"), Delete("b")]),
        ("abc", [Replace("abc", "X"), Insert("b", "Y")]),
        ("abc", [Insert("b", "Y"), Replace("bc", "X")]),
    ],
)
def test_a_snapshot_refuses_spans_that_overlap(before: str, edits: list[Edit]) -> None:
    check_refused(before, edits, "overlapping-edits", batch="snapshot")


@table(
    ("before", "edits", "after"),
    [
        ("ab", [Replace("a", "b"), Replace("b", "a")], "ba"),
        ("ab", [Insert("a", "1"), Insert("a", "2")], "a12b"),
        ("ab", [Insert("a", "1"), Insert("b", "2", where="before")], "a12b"),
        ("ab", [Replace("b", "B"), Insert("a", "1")], "a1B"),
        ("ab", [Replace("a", "A"), Insert("a", "1", where="after")], "A1b"),
    ],
)
def test_a_snapshot_resolves_everything_on_the_original(before: str, edits: list[Edit], after: str) -> None:
    check_edit(before, edits, after, batch="snapshot")


SHARED: list[tuple[str, list[Edit], str]] = [
    ("a\nb\nc\n", [Replace("a\nb", "A\nb"), Replace("b\nc", "b\nC")], "A\nb\nC\n"),
    ("a\nb\nc\n", [Replace("a\nb\n", "a\nx\nb\n"), Replace("b\nc\n", "b\ny\nc\n")], "a\nx\nb\ny\nc\n"),
    ("a\nb\nc\n", [Replace("a\nb\nc", "a\nb\nC"), Replace("a\nb", "A\nb")], "A\nb\nC\n"),
    ("f(a, b, c)", [Replace("f(a, b", "f(x, b"), Replace("b, c)", "b, z)")], "f(x, b, z)"),
    ("x = 1\ny = 2\n", [Replace("x = 1\ny", "x = 3\ny"), Replace("\ny = 2", "\ny = 4")], "x = 3\ny = 4\n"),
]


@table("batch", ["sequential", "snapshot"])
@table(("before", "edits", "after"), SHARED)
def test_edits_of_one_call_may_share_context(before: str, edits: list[Edit], after: str, batch: str) -> None:
    check_edit(before, edits, after, batch=batch)


@table("batch", ["sequential", "snapshot"])
@table(
    ("before", "edits"),
    [
        ("x = 1\n", [Replace("x = 1", "x = 1 + 1"), Replace("x = 1", "x = 2")]),
        ("f(a)\n", [Replace("f(a)", "g(f(a))"), Replace("f(a)", "f(b)")]),
        ("a b c\n", [Replace("a b c", "a x c"), Replace("b c", "c")]),
    ],
)
def test_edits_that_write_the_same_words_overlap(before: str, edits: list[Edit], batch: str) -> None:
    result = edit(before, edits, policy=Policy(batch=batch))  # type: ignore[arg-type]
    assert not result.ok
    assert result.text == before


@pytest.mark.parametrize("batch", ["sequential", "snapshot"])
@settings(max_examples=EXAMPLES // 2)
@given(st.randoms(use_true_random=False))
def test_edits_that_share_only_context_give_what_each_of_them_asks(batch: str, chance: Random) -> None:
    """Real lines, some of which change; each edit quotes lines around its own, up to the neighbours' that change."""
    rows = split_lines(chance.choice(real_texts(at_least=3_000)))
    changed = sorted(chance.sample(range(len(rows)), chance.randint(2, 6)))
    new = {at: chance.choice([[], [f"new_{at}()\n"], [rows[at], f"more_{at}()\n"]]) for at in changed}
    edits: list[Edit] = []
    for number, at in enumerate(changed):
        low = changed[number - 1] + 1 if number else 0
        high = changed[number + 1] if number + 1 < len(changed) else len(rows)
        start, end = chance.randint(max(low, at - 6), at), chance.randint(at + 1, min(high, at + 6))
        above, below = "".join(rows[start:at]), "".join(rows[at + 1 : end])
        edits.append(Replace(above + rows[at] + below, above + "".join(new[at]) + below))
    chance.shuffle(edits)
    before = "".join(rows)
    expected = "".join("".join(new.get(at, [row])) for at, row in enumerate(rows))
    result = edit(before, edits, policy=Policy(batch=batch, guards=frozenset()))  # type: ignore[arg-type]
    kinds = {outcome.error.kind for outcome in result.outcomes if outcome.error is not None}
    assert kinds <= {Kind.AMBIGUOUS_MATCH, Kind.NO_CHANGE}
    assert result.text == (before if kinds else expected)


def test_one_bad_edit_holds_back_all_others_and_is_named() -> None:
    edits = [Replace("a", "A"), Replace("absent", "x"), Replace("c", "C")]
    error = check_refused("a b c", edits, "no-match")
    assert error.details["index"] == 1
    result = edit("a b c", edits)
    assert [outcome.skipped for outcome in result.outcomes] == ["held-back", None, "held-back"]


def test_every_bad_edit_of_a_call_is_reported() -> None:
    result = edit("a b b", [Replace("x", "y"), Replace("b", "c"), Replace("a", "a")])
    kinds = [str(outcome.error.kind) for outcome in result.outcomes if outcome.error]
    assert kinds == ["no-match", "ambiguous-match", "no-change"]


def test_in_part_the_good_edits_are_made_and_the_result_says_which() -> None:
    edits = [Replace("a", "A"), Replace("absent", "x"), Replace("c", "C")]
    result = edit("a b c", edits, policy=Policy(partial=True))
    assert not result.ok
    assert result.text == "A b C"
    assert [outcome.applied for outcome in result.outcomes] == [True, False, True]
    check_laws("a b c", edits, result)
    assert result.error is not None
    assert result.error.details["index"] == 1


def test_the_splices_of_each_edit_are_its_own() -> None:
    result = check_edit("x y x", [Replace("y", "Y"), Replace("x", "X", occurrence="all")], "X Y X")
    assert [outcome.splices for outcome in result.outcomes] == [(1,), (0, 2)]


def test_no_edit_at_all_changes_nothing_and_is_no_refusal() -> None:
    result = edit("a", [])
    assert (result.ok, result.text, result.outcomes) == (True, "a", ())
