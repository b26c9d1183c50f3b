"""How alike a place is, and in what it differs, in words: only for telling, but true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.align import Likeness, Pairing, align, differences, similarity
from steadyhand.match.lexer import lexer_of
from tests.table import table

DIFFERENCES = [
    ("a = 1\n", "a = 1\n", ()),
    ("a = 1\n", "    a = 1\n", ("indentation",)),
    ("a = 1  \n", "a = 1\n", ("trailing blanks",)),
    ("a  = 1\n", "a = 1\n", ("blanks inside lines",)),
    ("a = 1\n\nb = 2\n", "a = 1\nb = 2\n", ("blank lines",)),
    ("a = 'x'\n", 'a = "x"\n', ("quote style",)),
    ("    a = 'x'\n", 'a = "x"\n', ("indentation", "quote style")),
    ("a = '“x”'\n", "a = '\"x\"'\n", ("typography",)),
    ("f(a,b)\n", "f(a, b)\n", ("layout",)),
    ("# twice the width\n", "# double the width\n", ("wording",)),
    ("a = 1\nb = 2\n", "a = 1\n", ("lines that are not in the file",)),
    ("a = 1\n", "a = 1\nfrobnicate()\n", ("lines that the old text leaves out",)),
]
ROWS = st.lists(st.sampled_from(["", "a = 1", "  a = 1", "b(c, 'd')", 'b(c,"d")', "# note"]), max_size=6)


@table(("old", "file", "words"), DIFFERENCES)
def test_what_differs_is_named_and_nothing_else_is(old: str, file: str, words: tuple[str, ...]) -> None:
    left, right = old.splitlines(), file.splitlines()
    found = align(left, right, lexer_of("a.py"))
    assert differences(left, right, found) == words
    assert (similarity(left, right, found) == 1.0) == (not words)


@given(ROWS, ROWS)
def test_only_the_same_rows_are_wholly_alike(old: list[str], rows: list[str]) -> None:
    found = align(old, rows, lexer_of("a.py"))
    measured = similarity(old, rows, found)
    assert 0 <= measured <= 1
    assert (measured == 1.0) == (old == rows) == (not differences(old, rows, found))


def test_rows_that_are_left_out_on_purpose_do_not_count() -> None:
    old, rows = ["a", "...", "d"], ["a", "b", "c", "d"]
    kept = Pairing(1, 2, 1, 3, Likeness.SAME, is_kept=True)
    found = (Pairing(0, 1, 0, 1, Likeness.SAME), kept, Pairing(2, 3, 3, 4, Likeness.SAME))
    assert similarity(old, rows, found) == 1.0
    assert differences(old, rows, found) == ("elided lines",)
