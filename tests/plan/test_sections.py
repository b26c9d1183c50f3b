"""What an edit does to its rows: repeated ones, changes between them, other numbers of blank rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.align import align
from steadyhand.match.lexer import fold, lexer_of
from steadyhand.plan.merge_window import BlankRun, Repeated, Section, sections_of
from steadyhand.text.diff import Change
from tests.table import table

PYTHON = lexer_of("a.py")
ROWS = st.lists(st.sampled_from(["a = 1", "  a  = 1", "b()", "", "  ", "c('d')", 'c("d")', "}"]), max_size=7)


def sections(old: list[str], new: list[str], file: list[str] | None = None) -> list[Section]:
    return sections_of(old, new, align(old, file if file is not None else old, PYTHON), PYTHON)


def test_blank_rows_never_hold_two_texts_together() -> None:
    assert sections(["a", "", "b"], ["c", "", "", "d"]) == [
        Change(0, 1, 0, 1),
        BlankRun(2, 1, 1, 3),
        Change(2, 3, 3, 4),
    ]
    assert sections(["a", "", "b"], ["c"]) == [Change(0, 3, 0, 1)]


def test_a_statement_that_the_file_wraps_otherwise_is_changed_as_one() -> None:
    old, new = ["f(a,", "  b)"], ["f(a,", "  c)"]
    assert sections(old, new) == [Repeated(0, 0), Change(1, 2, 1, 2)]
    assert sections(old, new, ["f(a, b)"]) == [Change(0, 2, 0, 2)]


@table(
    ("old", "new", "expected"),
    [
        (["a"], ["a"], [Repeated(0, 0)]),
        (["a"], ["  a  "], [Repeated(0, 0)]),
        (["x('a')"], ['x("a")'], [Repeated(0, 0)]),
        (["a"], ["b"], [Change(0, 1, 0, 1)]),
        (["a", "c"], ["a", "b", "c"], [Repeated(0, 0), Change(1, 1, 1, 2), Repeated(1, 2)]),
        (["a", "b", "c"], ["a", "c"], [Repeated(0, 0), Change(1, 2, 1, 1), Repeated(2, 1)]),
        (["a", "", "b"], ["a", "b"], [Repeated(0, 0), BlankRun(2, 1, 1, 1), Repeated(2, 1)]),
        (["a", "", "b"], ["a", "", "c"], [Repeated(0, 0), Repeated(1, 1), Change(2, 3, 2, 3)]),
        ([], ["a"], [Change(0, 0, 0, 1)]),
        (["  }", "}", "c"], ["}", "c"], [Change(0, 1, 0, 0), Repeated(1, 0), Repeated(2, 1)]),
        (["  }", "}", "c"], ["  x", "}", "c"], [Change(0, 1, 0, 1), Repeated(1, 1), Repeated(2, 2)]),
        (["  a", "  }", "}"], ["a", "}"], [Repeated(0, 0), Repeated(1, 1), Change(2, 3, 2, 2)]),
    ],
)
def test_an_edit_is_read_from_top_to_bottom(old: list[str], new: list[str], expected: list[Section]) -> None:
    assert sections(old, new) == expected


@given(ROWS, ROWS)
def test_the_sections_cover_both_texts_once_and_in_order(old: list[str], new: list[str]) -> None:
    at = to = 0
    for section in sections(old, new):
        match section:
            case Repeated(one, two):
                assert (one, two) == (at, to)
                assert fold(PYTHON, old[one]) == fold(PYTHON, new[two])
                at, to = one + 1, two + 1
            case BlankRun(row, before, start, end):
                assert (row - before, start) == (at, to)
                assert not any(text.strip() for text in (*old[at:row], *new[start:end]))
                at, to = row, end
            case Change(before_start, before_end, after_start, after_end):
                assert (before_start, after_start) == (at, to)
                at, to = before_end, after_end
    assert (at, to) == (len(old), len(new))
