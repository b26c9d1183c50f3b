"""Bare lines rule out nothing: whatever the rows themselves show is found through them, too."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match import rows as match_rows
from steadyhand.match.lexer import fold, lexer_of, squeeze, token_key
from steadyhand.match.rows import find_row, find_windows
from steadyhand.match.tier import Needle
from steadyhand.text.bare_lines import bare, bare_lines, bare_rows
from steadyhand.text.lines import split_bodies
from steadyhand.text.source import Source

ROWS = st.lists(
    st.sampled_from(
        ["", "  ", "\t", "\f", "a", " a", "a b", "a  b", "ab", "x = 1", "x=1", 'f("a")', "f( 'a' )", "a -- b", "a - b",
         "-", "--", "- -", "}", "  }", "return x", "    return  x"]
    ),
    max_size=12,
)  # fmt: skip
TEXTS = st.builds(lambda rows, end: "\n".join(rows) + end, ROWS, st.sampled_from(["", "\n", "\n\n"]))
KEYS = [partial(key, lexer_of(path)) for key in (squeeze, fold, token_key) for path in ("a.py", "a.md", None)]


@given(TEXTS, ROWS)
def test_rows_are_found_where_their_bare_text_is(text: str, rows: list[str]) -> None:
    lines = bare_lines(Source.of_text(text))
    assert lines is not None
    bodies = [bare(row) for row in split_bodies(text)]
    visible = [row for row in bodies if row]
    wanted = [each for row in rows if (each := bare(row))]
    starts = range(len(visible) - len(wanted) + 1)
    assert bare_rows(rows) == list(map(bare, rows))
    assert lines.may_have(bare_rows(rows)) == (
        not wanted or any(visible[at : at + len(wanted)] == wanted for at in starts)
    )
    assert lines.may_have_words("\n".join(rows)) == (bare("\n".join(rows)) in bare(text))
    if text:
        assert lines.rows == bodies
        for row in rows:
            assert list(lines.rows_like(row)) == [at for at, each in enumerate(bodies) if each == bare(row)]


@given(TEXTS, ROWS, st.sampled_from(KEYS), st.booleans())
def test_the_search_by_rows_finds_the_same_with_bare_lines_and_without(
    text: str, rows: list[str], key: match_rows.Key, apart: bool
) -> None:
    needle = Needle("\n".join(rows))
    answers = []
    for has_lines in (True, False):
        source = Source.of_text(text)
        with patch.object(match_rows, "bare_lines", bare_lines if has_lines else lambda _: None):
            windows = list(find_windows(source, needle, key, apart=apart))
            answers.append((windows, [find_row(source, row, key) for row in rows if row.strip()]))
    assert answers[0] == answers[1]


def test_a_text_that_is_not_ascii_or_has_cr_has_none() -> None:
    assert [bare_lines(Source.of_text(text)) for text in ("é\n", "a\r\n")] == [None, None]
    assert bare("“a” — b") == "'a'-b"
