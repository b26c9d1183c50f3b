"""Where rows of an old text are in the file, and where rows between them go: for sure, or not at all."""

from __future__ import annotations

from steadyhand.match.align import align
from steadyhand.match.lexer import lexer_of
from steadyhand.plan.merge_window import Drift, InsertPoints
from tests.table import table


def insert_points(old: str, file: str) -> InsertPoints:
    """Rows are the words of two strings; a dot stands for a blank row."""
    left, right = ([word.replace(".", "") for word in text.split()] for text in (old, file))
    return InsertPoints(align(left, right, lexer_of("a.py")))


@table(
    ("why", "old", "file", "row"),
    [
        ("an unknown row is there", "a b", "a unknown b", 1),
        ("the row before is not in the file", "alpha beta c", "alpha c", 2),
        ("the row behind is not in the file", "a beta c", "a c", 1),
        ("the first row is not sure", "alpha_beta b", "alpha_beto b", 0),
        ("an unknown row before a blank one", "a . b", "a unknown . b", 2),
        ("an unknown row behind a blank one", "a . b", "a . unknown b", 2),
    ],
)
def test_no_row_is_added_where(why: str, old: str, file: str, row: int) -> None:
    assert isinstance(insert_points(old, file).between(row), Drift), why


@table(
    ("old", "file", "row", "expected"),
    [
        ("a b", "a b", 1, 1),
        ("a b", "a b", 0, 0),
        ("a b", "a b", 2, 2),
        ("a . b", "a . b", 1, 1),
        ("a . b", "a . b", 2, 2),
        ("a . b", "a . . b", 2, 3),
        ("a b gamma_x", "a b gamma_y", 2, 2),
    ],
)
def test_a_row_is_added_between_its_neighbours(old: str, file: str, row: int, expected: int) -> None:
    assert insert_points(old, file).between(row) == expected


def test_blank_rows_are_counted_between_the_rows_around_them() -> None:
    assert insert_points("a . b", "a . . b").blanks_before(2) == (1, 3)
    assert isinstance(insert_points("a . b", "a . unknown b").blanks_before(2), Drift)
    assert isinstance(insert_points("a . b", "a").blanks_before(2), Drift)


def test_a_row_with_a_stranger_beside_it_is_reported() -> None:
    stranger = insert_points("a b", "a unknown b").added_beside(0)
    assert stranger is not None
    assert (stranger.start, stranger.end) == (1, 2)
    assert insert_points("a b", "a b").added_beside(0) is None


def test_what_is_held_includes_what_the_file_has_in_between() -> None:
    held = insert_points("a b c", "a unknown b c").held(0, 2)
    assert [(pairing.old_start, pairing.start, pairing.is_added) for pairing in held] == [
        (0, 0, False),
        (1, 1, True),
        (1, 2, False),
    ]


def test_removing_a_row_between_unknown_blank_rows_is_noticed() -> None:
    assert insert_points("a b c", "a . b . c").leaves_strange_blanks(2, 3)
    assert not insert_points("a . b . c", "a . b . c").leaves_strange_blanks(2, 3)
