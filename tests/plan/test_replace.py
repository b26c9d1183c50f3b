"""Replace, insert and delete by quoted old text: the traps first, then what must go through."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from tests.checks import check_edit, check_refused
from tests.table import table

# A wrong edit costs more than many refusals.
REFUSED: list[tuple[str, Edit, str]] = [
    ("foo()\n  foo()\n", Replace("foo()", "bar()"), "ambiguous-match"),
    ("foobar", Replace(" foo ", "baz"), "no-match"),
    ('print("a  b")', Replace('print("a b")', "x"), "no-match"),
    ("foo foo foo", Replace("foo", "bar"), "ambiguous-match"),
    ("a b\n\nc", Replace("a\nb", "x"), "no-match"),
    ("    if x:\n     y\n", Replace("if x:\n y\nz", "     deep\nout"), "drift-conflict"),
    ("alpha\nbeta\ngamma\n", Replace("alphx\nother\nthings", "x"), "no-match"),
    ("abc", Replace("", "x"), "bad-request"),
    ("abc", Replace("b", "b"), "no-change"),
    ("abc", Insert("b", ""), "no-change"),
    ("a\nb\n", Replace("a\r\nb", "a\nb"), "no-change"),
    ("aXb", Replace("ab", "X"), "no-match"),
    ("aaa", Replace("aa", "b"), "ambiguous-match"),
    ("one two", Replace("one", "x\ud800"), "unencodable"),
]


@table(("before", "edit", "kind"), REFUSED)
def test_an_edit_that_cannot_be_made_surely_is_refused(before: str, edit: Edit, kind: str) -> None:
    check_refused(before, edit, kind)


APPLIED: list[tuple[str, Edit, str]] = [
    ("a b a", Replace("a", "$&$$", occurrence="all"), "$&$$ b $&$$"),
    ("x", Replace("x", r"\1 \g<0> \n %s"), r"\1 \g<0> \n %s"),
    ("x", Replace("x", "hello  "), "hello  "),
    ("a\r\nb\nc\n", Replace("b", "B"), "a\r\nB\nc\n"),
    ("a\nb", Replace("b", "b\nc\n"), "a\nb\nc\n"),
    ("tab", Replace("tab", "# \\t is a tab"), "# \\t is a tab"),
    ("“q”  \nb\n", Replace("b", "c"), "“q”  \nc\n"),
    ("a\x00b", Replace("b", "c\x00"), "a\x00c\x00"),
    ("a\u2028b\x0cc\x85", Replace("b", "B"), "a\u2028B\x0cc\x85"),
    ("", Replace("", "filled"), "filled"),
    ("", Insert("", "filled\n"), "filled\n"),
    ("one two", Insert("one", "!", where="after"), "one! two"),
    ("one two", Insert("two", "!", where="before"), "one !two"),
    ("one two", Insert("one", "!", where="start"), "!one two"),
    ("one two", Insert("two", "!", where="end"), "one two!"),
    ("one two", Delete("one "), "two"),
    ("x", Delete("x"), ""),
    ("x x x", Replace("x", "y", occurrence=2), "x y x"),
    ("x x x", Replace("x", "y", occurrence="last"), "x x y"),
    ("x x x", Replace("x", "y", occurrence=-1), "x x y"),
    ("x x x", Replace("x", "y", occurrence="first"), "y x x"),
    ("x x x", Replace("x", "y", expected=3), "y y y"),
    ("x x x", Replace("x", "y", occurrence="first", expected=3), "y x x"),
    ("aaa", Replace("aa", "b", occurrence="all"), "ba"),
    ("x x", Insert("x", "!", occurrence="all"), "x! x!"),
    ("x-x", Delete("x", occurrence="all"), "-"),
    ("ab", Insert("a", "a", occurrence="all"), "aab"),
    ("naïve 🙂", Replace("🙂", "☹"), "naïve ☹"),
]


@table(("before", "edit", "after"), APPLIED)
def test_an_edit_changes_what_it_says_and_nothing_else(before: str, edit: Edit, after: str) -> None:
    check_edit(before, edit, after)


@table(("occurrence", "kind"), [(4, "count-mismatch"), ("unique", "ambiguous-match"), (None, "ambiguous-match")])
def test_an_occurrence_that_does_not_exist_is_refused(occurrence: object, kind: str) -> None:
    check_refused("x x x", Replace("x", "y", occurrence=occurrence), kind)  # type: ignore[arg-type]


@table("edit", [Replace("x", "y", expected=2), Delete("x", occurrence="all", expected=4)])
def test_a_count_that_is_not_the_expected_one_is_refused(edit: Edit) -> None:
    error = check_refused("x x x", edit, Kind.COUNT_MISMATCH)
    assert error.details["total"] == 3


def test_the_occurrence_of_an_edit_beats_that_of_the_policy() -> None:
    check_edit("x x", Replace("x", "y", occurrence="last"), "x y", occurrence="first")
    check_edit("x x", Replace("x", "y"), "y x", occurrence="first")
    check_edit("x x", Replace("x", "y", expected=2), "y y", occurrence="first")
    check_refused("x x", Replace("x", "y", occurrence="unique"), "ambiguous-match", occurrence="all")


def test_the_outcome_says_where_and_names_the_places_left_alone() -> None:
    result = check_edit("a\nfoo\nb\nfoo\nfoo\n", Replace("foo", "x\ny", occurrence=1), "a\nx\ny\nb\nfoo\nfoo\n")
    (outcome,) = result.outcomes
    assert outcome.lines == (2, 3)
    assert outcome.others == (5, 6)
    assert (outcome.tier, outcome.similarity, outcome.differs) == ("exact", 1.0, ())


def test_text_that_went_away_is_reported_at_its_place() -> None:
    check_edit("a\nb\nc\n", Delete("b\n"), "a\nc\n", lines=[(2, 2)])
    check_edit("a\nb\n", Delete("b\n"), "a\n", lines=[(1, 1)])


def test_only_lines_that_change_are_in_the_splices() -> None:
    result = check_edit("a\nb\nc\nd\n", Replace("a\nb\nc\nd\n", "a\nb\nX\nd\n"), "a\nb\nX\nd\n")
    (splice,) = result.changes.splices
    assert (splice.old, splice.new) == ("c\n", "X\n")


def test_what_is_there_already_can_be_skipped_by_policy() -> None:
    edits = [Replace("old words\nof two lines\n", "new words\nof two lines\n"), Replace("x", "y")]
    result = check_edit("new words\nof two lines\nx", edits, "new words\nof two lines\ny", already="skip")
    assert result.outcomes[0].skipped == "already-applied"
    check_refused("new words\nof two lines\nx", edits, "already-applied")


def test_new_text_in_two_places_does_not_count_as_applied() -> None:
    check_refused("new words, new words", Replace("old words", "new words"), "no-match")
    check_refused("   ", Replace("x", " "), "no-match")
