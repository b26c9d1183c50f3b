"""The same edit sent as often as its old text is there changes every place; a whole line is no part of a line."""

from __future__ import annotations

from typing import Literal

import steadyhand as sh
from steadyhand import Policy, Replace
from tests.table import table

BATCHES: tuple[Literal["sequential", "snapshot"], ...] = ("sequential", "snapshot")


@table("batch", BATCHES)
@table(
    ("before", "old", "new", "times", "after"),
    [
        ("x = a\ny = a\n", "a\n", "b\n", 2, "x = b\ny = b\n"),
        ("a b a b a\n", "a", "aa", 3, "aa b aa b aa\n"),
        ("f( 1 )\nx\nf( 1 )\n", "f(  1 )", "f(2)", 2, "f(2)\nx\nf(2)\n"),
    ],
)
def test_k_equal_edits_and_exactly_k_places_mean_all_of_them(
    batch: Literal["sequential", "snapshot"], before: str, old: str, new: str, times: int, after: str
) -> None:
    edits = [Replace(old, new, reason=f"number {number}") for number in range(times)]
    result = sh.edit(before, edits, policy=Policy(batch=batch))
    assert result.ok, result.error
    assert result.text == after
    assert not any(outcome.others or outcome.more_others for outcome in result.outcomes)  # no place is left as it was


@table("batch", BATCHES)
@table("times", [1, 2, 4])
def test_more_or_fewer_edits_than_places_are_ambiguous(batch: Literal["sequential", "snapshot"], times: int) -> None:
    before = "x = a\ny = a\nz = a\n"
    result = sh.edit(before, [Replace("a\n", "b\n")] * times, policy=Policy(batch=batch))
    assert not result.ok
    assert result.text == before


def test_a_whole_line_that_is_also_part_of_another_is_the_line() -> None:
    before = '[package]\nversion = "1.8.2"\n\n[dependencies]\npeg = { path = "peg", version = "1.8.2" }\n'
    result = sh.edit(before, [Replace('version = "1.8.2"', 'version = "1.8.3"')], path="Cargo.toml")
    assert result.ok, result.error
    assert result.text == before.replace('version = "1.8.2"', 'version = "1.8.3"', 1)
    assert result.outcomes[0].others == (5,)


@table(
    ("before", "old"),
    [
        ("foo(a, bar)\n  foo(a, bar)\n", "foo(a, bar)"),  # the other is a line as well
        ("identifier\nx = identifier\n", "identifier"),  # a name is quoted as a part, too
        ("a = 1\nb, a = 1\n", "a = 1"),  # it says too little
        ("x = load(name) + 1\ny, x = load(name)\n", "x = load(name)"),  # none is a line
    ],
)
def test_other_texts_that_are_there_twice_stay_ambiguous(before: str, old: str) -> None:
    result = sh.edit(before, [Replace(old, "new")])
    assert result.error is not None
    assert result.error.kind is sh.Kind.AMBIGUOUS_MATCH


def test_equal_edits_under_other_headers_are_each_for_their_own_part() -> None:
    part = "class {}:\n    def f(self):\n        value = compute_value()\n"
    before = part.format("A") + "    def g(self):\n        value = compute_value()\n" + part.format("B")
    hunk = "-        value = compute_value()\n+        value = other_value()\n"
    patch = f"*** Begin Patch\n*** Update File: a.py\n@@ class A:\n{hunk}@@ class B:\n{hunk}*** End Patch\n"
    result = sh.patch(before, patch, path="a.py")
    assert result.error is not None
    assert result.error.kind is sh.Kind.AMBIGUOUS_MATCH


@table("batch", BATCHES)
def test_an_edit_with_a_number_is_not_one_of_the_equal_ones(batch: Literal["sequential", "snapshot"]) -> None:
    edits = [Replace("a\n", "b\n"), Replace("a\n", "b\n", occurrence=1)]
    result = sh.edit("x = a\ny = a\n", edits, policy=Policy(batch=batch))
    assert result.error is not None
    assert result.error.kind is sh.Kind.AMBIGUOUS_MATCH


TWICE = "def f():\n    check()\n    return 1\n\n\ndef g():\n    check()\n    return 1\n"
HUNK = "@@\n     check()\n-    return 1\n+    return {}\n"


def v4a(*hunks: str) -> str:
    return "".join(["*** Begin Patch\n*** Update File: a.py\n", *hunks, "*** End Patch\n"])


@table("batch", BATCHES)
def test_hunks_that_quote_the_same_go_to_the_places_in_order(batch: Literal["sequential", "snapshot"]) -> None:
    result = sh.patch(TWICE, v4a(HUNK.format(2), HUNK.format(3)), path="a.py", policy=Policy(batch=batch))
    assert result.ok, result.error
    assert result.text == TWICE.replace("return 1", "return 2", 1).replace("return 1", "return 3")


@table(
    ("before", "reply"),
    [
        (TWICE, v4a(HUNK.format(2))),  # fewer hunks than places
        (TWICE, v4a(HUNK.format(2), HUNK.format(3), HUNK.format(4))),  # more
        (TWICE + "last = 1\n", v4a("@@\n-last = 1\n+last = 2\n", HUNK.format(2), HUNK.format(3))),  # not in order
        (TWICE + "mid = 1\n", v4a(HUNK.format(2), "@@\n-mid = 1\n+mid = 2\n", HUNK.format(3))),
    ],
)
def test_hunks_that_quote_the_same_stay_ambiguous_where_order_does_not_decide(before: str, reply: str) -> None:
    result = sh.patch(before, reply, path="a.py")
    assert result.error is not None
    assert result.text == before


def test_blocks_that_quote_the_same_and_write_different_text_are_ambiguous() -> None:
    """SEARCH/REPLACE blocks and edits of a call have no order that says where they belong."""
    blocks = "".join(
        f"<<<<<<< SEARCH\n    check()\n    return 1\n=======\n    check()\n    return {new}\n>>>>>>> REPLACE\n"
        for new in (2, 3)
    )
    assert sh.patch(TWICE, f"a.py\n{blocks}", path="a.py").text == TWICE
    assert not sh.edit(TWICE, [Replace("return 1", "return 2"), Replace("return 1", "return 3")], path="a.py").ok
