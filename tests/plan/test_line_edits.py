"""Edits by line: whole lines in, whole lines out, and the last line as the file has it."""

from __future__ import annotations

from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.structure.lines import Anchor, Lines, anchor_of
from tests.checks import check_edit, check_refused
from tests.table import table

REFUSED: list[tuple[str, Edit, str]] = [
    ("a\nb\n", Replace(Lines(3), "x"), "out-of-bounds"),
    ("a\nb\n", Delete(Lines(0, 1)), "out-of-bounds"),
    ("", Delete(Lines(1)), "out-of-bounds"),
    ("a\nb\n", Replace(Lines(2, 0), "x"), "bad-request"),
    ("a\nb\n", Replace(Lines(2), "b"), "no-change"),
    ("a\nb\n", Replace(Lines(2), "b\n"), "no-change"),
    ("a\nb\n", Replace(Lines(2, 1), ""), "no-change"),
    ("a\nb\n", Insert(Lines(1), ""), "no-change"),
    ("a\nb\n", Replace(Anchor("1#000"), "x"), "stale-source"),
    ("a\nb\n", Replace(Lines(1), "x", occurrence=2), "count-mismatch"),
    ("a\nb\n", Replace(Lines(1), "x", expected=2), "count-mismatch"),
]


@table(("before", "edit", "kind"), REFUSED)
def test_lines_that_are_not_there_or_would_not_change_are_refused(before: str, edit: Edit, kind: str) -> None:
    check_refused(before, edit, kind)


APPLIED: list[tuple[str, Edit, str]] = [
    ("a\nb\nc\n", Replace(Lines(2), "B"), "a\nB\nc\n"),
    ("a\nb\nc\n", Replace(Lines(2), "B\n"), "a\nB\nc\n"),
    ("a\nb\nc\n", Replace(Lines(2), "B\n\n"), "a\nB\n\nc\n"),
    ("a\nb\nc\n", Replace(Lines(2), "\n"), "a\n\nc\n"),
    ("a\nb\nc\n", Replace(Lines(1, 2), "X"), "X\nc\n"),
    ("a\nb\nc\n", Replace(Lines(2), ""), "a\nc\n"),
    ("a\nb\nc\n", Delete(Lines(1, 3)), ""),
    ("a\nb", Replace(Lines(2), "B"), "a\nB"),
    ("a\nb", Replace(Lines(2), "B\n"), "a\nB\n"),
    ("a\nb", Replace(Lines(1), "A"), "A\nb"),
    ("a\nb", Delete(Lines(2)), "a\n"),
    ("a\nb\n", Replace(Lines(2, 1), "x"), "a\nx\nb\n"),
    ("a\nb\n", Replace(Lines(3, 2), "x"), "a\nb\nx\n"),
    ("a\nb", Replace(Lines(3, 2), "x"), "a\nb\nx"),
    ("a\nb", Insert(Lines(2), "c", where="after"), "a\nb\nc"),
    ("a\nb", Insert(Lines(2), "c\n", where="after"), "a\nb\nc\n"),
    ("a\nb\n", Insert(Lines(2), "c", where="after"), "a\nb\nc\n"),
    ("a\nb\n", Insert(Lines(1), "c", where="after"), "a\nc\nb\n"),
    ("a\nb\n", Insert(Lines(1), "c", where="before"), "c\na\nb\n"),
    ("a\nb\n", Insert(Lines(1, 2), "c", where="start"), "c\na\nb\n"),
    ("a\nb\n", Insert(Lines(1, 2), "c", where="end"), "a\nb\nc\n"),
    ("", Insert(Lines(1, 0), "x"), "x"),
    ("", Replace(Lines(1, 0), "x\n"), "x\n"),
    ("a\r\nb\r\n", Replace(Lines(1), "x\ny"), "x\r\ny\r\nb\r\n"),
    ("a\r\nb\r\n", Insert(Lines(1), "x\ny"), "a\r\nx\r\ny\r\nb\r\n"),
    ("a\r\nb", Insert(Lines(2), "x"), "a\r\nb\r\nx"),
    ("a\r\nb\nc\r\n", Replace(Lines(2), "B"), "a\r\nB\nc\r\n"),
    ("a\rb\r", Replace(Lines(1), "x\ny"), "x\ry\rb\r"),
    ("a\nb\n", Replace(Lines(1), "x\r\ny\r\n"), "x\ny\nb\n"),
    ("a\nb\n", Replace(Anchor(anchor_of(2, "b")), "B"), "a\nB\n"),
    ("a\nb\nc\n", Delete(Anchor(anchor_of(1, "a"), anchor_of(2, "b"))), "c\n"),
]


@table(("before", "edit", "after"), APPLIED)
def test_lines_are_replaced_inserted_and_deleted_whole(before: str, edit: Edit, after: str) -> None:
    check_edit(before, edit, after)


def test_line_numbers_of_a_sequential_batch_count_in_the_text_as_it_is_then() -> None:
    edits = [Insert(Lines(1), "x\ny"), Replace(Lines(4), "B")]
    check_edit("a\nb\nc\n", edits, "a\nx\ny\nB\nc\n", lines=[(2, 3), (4, 4)])


def test_line_numbers_of_a_snapshot_count_in_the_original() -> None:
    edits = [Insert(Lines(1), "x\ny"), Replace(Lines(2), "B"), Delete(Lines(3))]
    check_edit("a\nb\nc\n", edits, "a\nx\ny\nB\n", batch="snapshot")


def test_a_line_range_over_what_an_earlier_edit_wrote_is_refused() -> None:
    check_refused("a\nb\n", [Replace(Lines(1), "x\ny"), Replace(Lines(2), "z")], "overlapping-edits")
    check_refused("a\nb\n", [Replace(Lines(1), "x\ny"), Insert(Lines(2, 1), "z")], "overlapping-edits")


def test_literal_newlines_are_left_alone_in_lines_too() -> None:
    check_edit("a\r\nb\r\n", Replace(Lines(1), "x\ny\n"), "x\ny\nb\r\n", newlines="literal")
    check_edit("a\r\nb\r\n", Replace(Lines(1), "x\ny"), "x\ny\r\nb\r\n", newlines="literal")
