"""Tables: rows and cells with pipes, padding and prefixes of their own."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.markdown.table import Table
from steadyhand.structure.target import parse_address, render_address
from tests.checks import marked
from tests.structure.markdown import located, node_at, not_found, refused, written
from tests.table import table

PEOPLE = "# T\n\n| Name  | Age |\n|-------|----:|\n| Ann   |  31 |\n| Bob   |   4 |\n\nend\n"
BARE = "a | b\n--|--\n1 | 2\n"
TIGHT = "|x|y|\n|-|-|\n|1|2|\n"


@table("text", ["| a | b |\n", "| a |\n|---|---|\n", "```\n|a|\n|-|\n```\n", "a\n\n    |a|\n    |-|\n", "|a|\n|x|\n"])
def test_what_is_no_table_is_not_found(text: str) -> None:
    refusal = not_found(text, "table:0")
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["count"] == 0


@table(
    ("target", "near"),
    [
        (Table(1), "table:0"),
        (Table(0, row=3), "table:0[2]"),
        (Table(0, row="Anna"), "table:0[1]"),
        (Table(0, row=1, column="Nmae"), "table:0[0,1]"),
        (Table(0, row=1, column=3), "table:0[0,1]"),
    ],
)
def test_a_miss_names_the_nearest_or_what_there_is(target: Table, near: str) -> None:
    refusal = not_found(PEOPLE, target)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert near in (refusal.details["nearest"] or refusal.details["available"])  # type: ignore[operator]


def test_a_cell_that_a_short_row_does_not_have_is_not_found() -> None:
    assert "replace the row" in not_found("|a|b|\n|-|-|\n|1|\n", "table:0[1,2]").hint


def test_two_columns_or_rows_of_one_name_are_ambiguous() -> None:
    text = "|a|a|\n|-|-|\n|x|1|\n|x|2|\n"
    assert not_found(text, "table:0[1,a]").kind == Kind.AMBIGUOUS_MATCH
    assert not_found(text, "table:0[x]").kind == Kind.AMBIGUOUS_MATCH
    assert located(text, Table(0, row="x", nth=2)) == "|x|2|\n"


@table("value", [-1, {"index": 0, "row": -1}, {"index": 0, "column": 1}, {"index": 0, "row": True}, {"rows": 1}, "x"])
def test_a_request_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EditError) as caught:
        Table.from_json(value, "target")
    assert caught.value.kind == Kind.BAD_REQUEST


@table("address", ["table:0", "table:1[2]", "table:0[2,Name]", "table:0[Ann,3]", "table[2]:0"])
def test_an_address_is_rendered_as_it_was_given(address: str) -> None:
    assert render_address(parse_address(address)) == address


CELLS = [
    ("table:0[1,1]", "|a|b|\n|-|-|\n|⟦1⟧|2|\n"),
    ("table:0[1,b]", "| a | b |\n|---|---|\n| 1 | ⟦two words⟧ |\n"),
    ("table:0[0,2]", "| a |  ⟦b⟧ |\n|---|---|\n"),
    ("table:0[1,1]", "|a|b|\n|-|-|\n|⟦x\\|y⟧|2|\n"),
    ("table:0[1,2]", "|a|b|\n|-|-|\n|`x|⟦y`⟧|\n"),
    ("table:0[1,1]", "a|b\n-|-\n⟦1⟧|2\n"),
    ("table:0[1,2]", "> |a|b|\n> |-|-|\n> |1|⟦2⟧|\n"),
    ("table:0[1,2]", "- |a|b|\n  |-|-|\n  |1|⟦2⟧|\n"),
    ("table:0[0,1]", "- |⟦a⟧|b|\n  |-|-|\n"),
    ("table:0[1,2]", "|a|b|\n|-|-|\n|1| ⟦⟧  |\n"),
    ("table:0[1]", "|a|b|\n|-|-|\n⟦|1|2|\n⟧|3|4|\n"),
    ("table:0[3]", "|a|b|\n|-|-|\n|1|2|\n⟦|3|4|⟧".replace("[3]", "")),
    ("table:0", "x\n\n⟦|a|b|\n|-|-|\n|1|2|\n⟧\ny\n"),
    ("table:0[2]", "|a|\r\n|-|\r\n|1|\r\n⟦|2|\r\n⟧"),
]


@table(("address", "notation"), CELLS)
def test_a_row_is_cut_at_every_pipe_without_a_backslash(address: str, notation: str) -> None:
    text, [span] = marked(notation)
    found = "table:0[2]" if address == "table:0[3]" else address
    assert node_at(text, found)[1].span == span


def test_a_table_is_found_by_its_heading() -> None:
    assert located(f"{TIGHT}\n{PEOPLE}", Table(heading="T", row="Ann", column="Age")) == "31"


@table(("text", "hint"), [("a\nb", "<br>"), ("a\r\nb", "<br>")])
def test_a_cell_is_one_line(text: str, hint: str) -> None:
    assert hint in refused(PEOPLE, "table:0[1,1]", "replace", text).hint


def test_a_header_is_not_deleted_and_nothing_goes_above_it() -> None:
    assert refused(PEOPLE, "table:0[0]", "delete").kind == Kind.BAD_REQUEST
    assert refused(PEOPLE, "table:0[0]", "insert", "| x | y |", "before").kind == Kind.BAD_REQUEST


@table("row", ["words", "- x", "| a |", "| a | b | c |"])
def test_a_header_keeps_its_columns(row: str) -> None:
    assert refused(PEOPLE, "table:0[0]", "replace", row).kind == Kind.BAD_REQUEST


@table("rows", ["| a | b |\n\n| c | d |", "# x", "- x", "> x"])
def test_what_would_end_the_table_is_no_row(rows: str) -> None:
    assert refused(PEOPLE, "table:0[1]", "insert", rows, "after").kind == Kind.BAD_REQUEST


SET = [
    (PEOPLE, "table:0[1,Name]", "Eve", PEOPLE.replace("Ann  ", "Eve  ")),
    (PEOPLE, "table:0[1,Name]", "Alice", PEOPLE.replace("Ann  ", "Alice")),
    (PEOPLE, "table:0[1,Name]", "Al", PEOPLE.replace("Ann  ", "Al   ")),
    (PEOPLE, "table:0[1,Name]", "Alexander", PEOPLE.replace("| Ann   |", "| Alexander |")),
    (PEOPLE, "table:0[2,Age]", "40", PEOPLE.replace("  4 |", " 40 |")),
    (PEOPLE, "table:0[1,Name]", "a|b", PEOPLE.replace("Ann  ", "a\\|b ")),
    (PEOPLE, "table:0[1,Name]", "a\\|b", PEOPLE.replace("Ann  ", "a\\|b ")),
    (PEOPLE, "table:0[1,Name]", "", PEOPLE.replace("Ann", "   ")),
    (PEOPLE, "table:0[0,Age]", "Yrs", PEOPLE.replace("Age", "Yrs")),
    (TIGHT, "table:0[1,x]", "long", TIGHT.replace("1", "long")),
    (TIGHT, "table:0[1,x]", "", TIGHT.replace("1", " ")),
    (TIGHT, "table:0[1,x]", "a\\", TIGHT.replace("1", "a\\ ")),
    (BARE, "table:0[1,a]", "9", BARE.replace("1", "9")),
    (BARE, "table:0[1,a]", "", BARE.replace("1 |", "|  |")),
    ("| 名前 | x |\n|------|---|\n| 東京 | 1 |\n", "table:0[1,1]", "京", "| 名前 | x |\n|------|---|\n| 京   | 1 |\n"),
    ("|a|b|\n|-|-|\n|`x|y`|\n", "table:0[1,b]", "z", "|a|b|\n|-|-|\n|`x|z|\n"),
]


@table(("before", "address", "new", "after"), SET)
def test_a_cell_keeps_its_width_where_it_can_and_its_neighbours_always(
    before: str, address: str, new: str, after: str
) -> None:
    assert written(before, address, "replace", new) == after
    assert written(before, address, "set-cell", {"value": new}) == after


def test_a_cell_is_set_by_row_and_column() -> None:
    call = {"row": "Ann", "column": "Age", "value": "32"}
    assert written(PEOPLE, "table:0", "set-cell", call) == PEOPLE.replace("31", "32")
    assert written(PEOPLE, "table:0[2]", "set-cell", {"column": 2, "value": "5"}) == PEOPLE.replace("  4", "  5")


@table(
    ("address", "call"),
    [
        ("table:0", {"value": "x"}),
        ("table:0", {"value": "x", "row": 1}),
        ("table:0[1]", {"value": "x"}),
        ("table:0[1]", {"value": "x", "row": 1, "column": 1}),
        ("table:0[1,1]", {"value": "x", "column": 1}),
        ("table:0", {"value": "x", "row": [1], "column": 1}),
    ],
)
def test_a_cell_that_is_not_named_once_is_refused(address: str, call: dict[str, object]) -> None:
    assert refused(PEOPLE, address, "set-cell", call).kind == Kind.BAD_REQUEST


ROWS = [
    (PEOPLE, "table:0", {"cells": ["Eve", 7]}, PEOPLE.replace("   4 |\n", "   4 |\n| Eve   |   7 |\n")),
    (PEOPLE, "table:0", {"cells": {"age": 7}}, PEOPLE.replace("   4 |\n", "   4 |\n|       |   7 |\n")),
    (PEOPLE, "table:0", {"cells": ["Eve"], "at": 1}, PEOPLE.replace("| Ann", "| Eve   |     |\n| Ann")),
    (PEOPLE, "table:0[1]", {"cells": ["a|b", 7]}, PEOPLE.replace("| Bob", "| a\\|b  |   7 |\n| Bob")),
    (BARE, "table:0", {"cells": ["3", "4"]}, BARE + "3 | 4\n"),
    (BARE, "table:0", {"cells": ["", "4"]}, BARE + "|  | 4 |\n"),
    (TIGHT, "table:0", {"cells": ["3", "4"]}, TIGHT + "|3|4|\n"),
    ("|a|\n|-|", "table:0", {"cells": ["1"]}, "|a|\n|-|\n|1|"),
    ("> |a|\n> |-|\n\nx\n", "table:0", {"cells": ["1"]}, "> |a|\n> |-|\n> |1|\n\nx\n"),
]


@table(("before", "address", "call", "after"), ROWS)
def test_a_new_row_is_written_as_the_others(before: str, address: str, call: dict[str, object], after: str) -> None:
    assert written(before, address, "add-row", call) == after


@table(
    "call",
    [{"cells": ["a", "b", "c"]}, {"cells": "a"}, {"cells": ["a\nb"]}, {"cells": ["a"], "at": 4}, {"cells": {"z": 1}}],
)
def test_a_row_that_does_not_fit_is_refused(call: dict[str, object]) -> None:
    assert refused(PEOPLE, "table:0", "add-row", call).kind in (Kind.BAD_REQUEST, Kind.NO_SUCH_TARGET)


@table(
    ("address", "call", "after"),
    [
        ("table:0[1]", ("insert", "| x | 1 |", "before"), PEOPLE.replace("| Ann", "| x | 1 |\n| Ann")),
        ("table:0[0]", ("insert", "| x | 1 |\n", "after"), PEOPLE.replace("| Ann", "| x | 1 |\n| Ann")),
        (
            "table:0[2]",
            ("insert", "| x | 1 |\n| y | 2 |", "after"),
            PEOPLE.replace("4 |\n", "4 |\n| x | 1 |\n| y | 2 |\n"),
        ),
        ("table:0", ("insert", "| x | 1 |", "end"), PEOPLE.replace("4 |\n", "4 |\n| x | 1 |\n")),
        ("table:0", ("insert", "words", "after"), PEOPLE.replace("4 |\n", "4 |\n\nwords\n")),
        ("table:0", ("insert", "words", "before"), PEOPLE.replace("| Name", "words\n\n| Name")),
        ("table:0[1]", ("delete",), PEOPLE.replace("| Ann   |  31 |\n", "")),
        ("table:0[1]", ("replace", "| Eve | 1 |"), PEOPLE.replace("| Ann   |  31 |", "| Eve | 1 |")),
        ("table:0", ("delete",), "# T\n\nend\n"),
        ("table:0", ("replace", "words"), "# T\n\nwords\n\nend\n"),
    ],
)
def test_rows_and_tables_are_put_in_replaced_and_taken_away(address: str, call: tuple[str, ...], after: str) -> None:
    assert written(PEOPLE, address, *call) == after


def test_the_last_row_goes_with_the_line_break_before_it() -> None:
    assert written("|a|\n|-|\n|1|\n|2|", "table:0[2]", "delete") == "|a|\n|-|\n|1|"
