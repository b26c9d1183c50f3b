"""Line endings: found whatever they are, written as the neighbours have them, never changed where nothing was asked."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.new_text import fit_endings, fit_insertion, fit_lines
from steadyhand.structure.lines import Lines
from steadyhand.text.lines import NewlineFacts
from tests.checks import check_edit, check_refused
from tests.table import table

UNTOUCHED: list[tuple[str, Edit, str]] = [
    ("a\nb\n", Replace("\r", "", occurrence="all"), "no-match"),
    ("a\nb\n", Delete("\r\n", occurrence="all"), "no-match"),
    ("a\nb\n", Delete("a\r"), "no-match"),
    ("a\r\nb\r\n", Replace("\n", "\r\n", occurrence="all"), "no-change"),
]


@table(("before", "edit", "kind"), UNTOUCHED)
def test_endings_that_are_not_there_are_not_taken_for_others(before: str, edit: Edit, kind: str) -> None:
    check_refused(before, edit, kind)


APPLIED: list[tuple[str, Edit, str]] = [
    ("a\r\nb\r\nc\r\n", Replace("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n"),
    ("a\r\nb\r\n", Replace("b", "b\nc"), "a\r\nb\r\nc\r\n"),
    ("a\r\nb\r\n", Replace("\nb", "\nc"), "a\r\nc\r\n"),
    ("a\r\nb\r\n", Replace("a\n", "x\n"), "x\r\nb\r\n"),
    ("a\nb\n", Replace("a\r\nb", "x"), "x\n"),
    ("a\nb\n", Replace("a", "x\r\ny"), "x\ny\nb\n"),
    ("a\rb\r", Replace("a\nb", "x\ny"), "x\ry\r"),
    ("a\r\nb\nc\n", Replace("b\nc", "x\ny"), "a\r\nx\ny\n"),
    ("a\nb\r\nc\r\n", Replace("b", "x\ny"), "a\nx\r\ny\r\nc\r\n"),
    ("a\r\nb", Replace("b", "b\nc"), "a\r\nb\r\nc"),
    ("one", Replace("one", "one\ntwo"), "one\ntwo"),
    ("a\r\nb\r\n", Insert("a\n", "x\n"), "a\r\nx\r\nb\r\n"),
    ("a\r\nb\r\n", Replace("\r", "", occurrence="all"), "a\nb\n"),
    ("a\r\n\r\n\r\nb", Replace("\n\n\n", "\n\n"), "a\r\n\r\nb"),
    ("a\r\nb\nc\r\nd\n", Replace("a\nb\nc\nd\n", "a\nb\nX\nd\n"), "a\r\nb\nX\r\nd\n"),
    ("a\r\nb\nc\n", Replace("a\nb\nc\n", "a\nnew\nb\nc\n"), "a\r\nnew\r\nb\nc\n"),
]


@table(("before", "edit", "after"), APPLIED)
def test_endings_follow_the_file(before: str, edit: Edit, after: str) -> None:
    check_edit(before, edit, after)


@table(
    ("before", "edit", "after"),
    [
        ("a\nb\nc\n", Replace("a\nb\nc", "a\r\nB\r\nc"), "a\nB\nc\n"),
        ("a\nb\nc\n", Replace("b", "x\r\ny\r\nz"), "a\nx\ny\nz\nc\n"),
        ("a\nb\n", Replace(Lines(1), "x\r\ny\r\n"), "x\ny\nb\n"),
        ("a\nb\n", Insert(Lines(1), "x\r\ny\r\n"), "a\nx\ny\nb\n"),
        ("a\nb\n", Insert("a\n", "x\r\ny\r\n"), "a\nx\ny\nb\n"),
    ],
)
def test_cr_lf_in_new_text_is_written_as_all_lines_of_the_file_end_and_reported(
    before: str, edit: Edit, after: str
) -> None:
    (outcome,) = check_edit(before, edit, after).outcomes
    assert "CR LF" in outcome.notes[0]


def test_cr_lf_in_new_text_is_written_as_sent_where_lines_end_in_several_ways() -> None:
    check_edit("a\r\nb\nc\n", Replace("b", "x\r\ny"), "a\r\nx\r\ny\nc\n")
    check_edit("a\r\nb\nc\n", Replace("b\n", "b\r\n"), "a\r\nb\r\nc\n")


def test_lines_that_an_edit_repeats_keep_their_endings_whatever_it_sends() -> None:
    check_edit("a\nb\r\nc\nd\n", Replace("a\nb\nc\n", "a\r\nb\r\nX\r\n"), "a\nb\r\nX\r\nd\n")
    check_edit("a\r\nb\nc\n", Replace("a\nb\n", "a\nB\n"), "a\r\nB\nc\n")


def test_an_edit_of_nothing_but_endings_that_all_lines_have_changes_nothing() -> None:
    check_refused("a\nb\n", Replace("a\n", "a\r\n"), "no-change")
    check_edit("a\nb\n", Replace("a\n", "a\r\n"), "a\r\nb\n", newlines="literal")


def test_a_find_with_other_endings_is_reported() -> None:
    (outcome,) = check_edit("a\r\nb", Replace("a\nb", "c"), "c").outcomes
    assert (outcome.tier, outcome.similarity, outcome.differs) == ("newline", 1.0, ("line endings",))


def test_a_policy_can_insist_on_the_very_characters() -> None:
    check_refused("a\r\nb", Replace("a\nb", "c"), "no-match", tier="exact")
    check_edit("a\r\nb", Replace("a", "x\ny"), "x\ny\r\nb", newlines="literal")


news = st.lists(st.sampled_from(["a", "b", "\n"]), max_size=8).map("".join)
regions = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=10).map("".join)


@example("\n\n", "\ra\n", "\n")
@given(news, regions, st.sampled_from(["\n", "\r\n", "\r"]))
def test_fitting_changes_nothing_but_endings(new: str, region: str, newline: str) -> None:
    fitted = fit_endings(new, region, newline)
    assert fitted.replace("\r\n", "\n").replace("\r", "\n") == new


@given(news, st.sampled_from(["\n", "\r\n"]))
def test_text_for_a_place_with_one_kind_of_ending_has_only_that_kind(new: str, newline: str) -> None:
    region = f"x{newline}y{newline}"
    for fitted in (fit_endings(new, region, newline), fit_lines(new, region, newline, literal=False)):
        assert NewlineFacts.of(fitted).uniform in (None, newline)
    inserted = fit_insertion(new, newline, before="\n", is_end=False, literal=False)
    assert not new or inserted.endswith(newline)


@given(regions)
def test_lines_replaced_by_themselves_keep_their_own_endings(region: str) -> None:
    plain = region.replace("\r\n", "\n").replace("\r", "\n")
    assert fit_endings(plain, region, "\n") == region or NewlineFacts.of(region).uniform not in (None, "\n")
