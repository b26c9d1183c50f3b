"""Rows that say the same as a needle's: every place or none, whole lines, and nothing that is indented by chance."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.lexer import fold, lexer_of, squeeze, token_key
from steadyhand.match.rows import find_row, find_windows, rows_with, seed_of
from steadyhand.match.tier import Needle
from steadyhand.text.lines import is_whole_lines, line_start
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import marked
from tests.table import table

ROWS = st.lists(st.sampled_from(["one", "  one", "two ", "", "\t", "three"]), max_size=8)


def squeezed(row: str) -> str:
    return " ".join(row.split())


def found(text: str, needle: str, *, apart: bool = False) -> list[Span]:
    return list(find_windows(Source.of_text(text), Needle(needle), squeezed, apart=apart))


@table(
    ("why", "text", "needle"),
    [
        ("other words", "one\ntwo\n", "one\nthree"),
        ("another order", "one\ntwo\n", "two\none"),
        ("a row in between", "one\nmore\ntwo\n", "one\ntwo"),
        ("part of a row", "one two\n", "one"),
        ("nothing but blanks", "one\n\n\ntwo\n", "\n \n"),
        ("a lone CR at its edge", "one\r\ntwo\r\n", "one\r"),
        ("brackets that are elsewhere", "a {\n  b {\n  }\n}\n", "    }\n  }"),
        ("one row moved sideways, and too little said", "a:\n  b\n    c\n", "a:\n    b\n  c"),
    ],
)
def test_nothing_is_found_for(why: str, text: str, needle: str) -> None:
    assert found(text, needle) == [], why


def test_two_finds_are_found_where_there_are_too_many_to_look_at() -> None:
    """More would take too long, and one would look as if it were the only one."""
    text = "same\n" * 60_000
    assert len(found(text, " same ")) >= 2
    assert found(text, " same ", apart=True) == []


@table(
    ("needle", "text"),
    [
        ("one\ntwo", "⟦  one\n  two⟧\n"),
        ("one\ntwo\n", "⟦  one\n\n  two\n⟧x\n"),
        ("one\n\n\ntwo", "⟦one\ntwo  ⟧\n"),
        ("\none\n", "x\n⟦\none\n⟧\n"),
        ("one", "⟦one ⟧\n⟦\tone⟧\n"),
        ("    }\n}", "a {\n\tb {\n⟦\t}\n}⟧\n"),
    ],
)
def test_whole_lines_are_found_whatever_their_blanks(needle: str, text: str) -> None:
    plain, spans = marked(text)
    assert found(plain, needle) == spans


@given(ROWS, ROWS)
def test_what_is_found_is_what_comparing_all_rows_finds(rows: list[str], wanted: list[str]) -> None:
    text, needle = ("".join(f"{row}\n" for row in texts) for texts in (rows, wanted))
    keys = [squeezed(row) for row in wanted if row.strip()]
    visible = [(number, squeezed(row)) for number, row in enumerate(rows) if row.strip()]
    starts = [
        visible[at][0]
        for at in range(len(visible) - len(keys) + 1)
        if keys and [key for _, key in visible[at : at + len(keys)]] == keys
    ]
    spans = found(text, needle)
    assert len(spans) == len(starts) or (len(starts) == 1 and not spans)
    for span in spans:
        assert is_whole_lines(text, span)
        assert [squeezed(row) for row in span.of(text).splitlines() if row.strip()] == keys


def test_a_row_is_found_by_its_key_anywhere() -> None:
    source = Source.of_text("a = 1\nb = 2\n  a  = 1\n")
    assert find_row(source, "a = 1", squeezed) == [0, 2]
    assert find_row(source, "zz = 1", squeezed) == []
    assert rows_with(Source.of_text("word\n" * 60_000), ["word"]) is None


def test_the_seed_is_the_rarest_word_and_the_row_it_is_of() -> None:
    assert seed_of(Source.of_text("alpha alpha beta"), ["alpha", "beta"]) == ("beta", 1, 1)
    assert seed_of(Source.of_text("alpha"), ["}", "->"]) is None


@given(st.text("a \r\n", max_size=12), st.data())
def test_a_line_starts_behind_the_last_ending_before_it(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    start = line_start(text, offset)
    assert not {"\r", "\n"} & set(text[start:offset])
    assert start == 0 or text[start - 1] in "\r\n"


_SAID = st.text(st.sampled_from("ab \t'\"-–—…“’\u00a0\u200b\u0301\f,("), max_size=10)


@given(rows=st.lists(_SAID, min_size=1, max_size=6), row=_SAID, path=st.sampled_from(["a.py", "a.md", "a.css", None]))
def test_lines_are_found_by_what_they_say_as_each_of_them_would_be(rows: list[str], row: str, path: str | None) -> None:
    """Lines with a word are indexed without blanks and typography: no row may be lost by that, whatever its key is."""
    lexer = lexer_of(path)
    source = Source.of_text("".join(f"word {each}\n" for each in rows), path=path)
    for key in (partial(squeeze, lexer), partial(fold, lexer), partial(token_key, lexer)):
        same = [at for at, each in enumerate(rows) if key(f"word {each}") == key(f"word {row}")]
        spans = find_windows(source, Needle(f"word {row}"), key, apart=False)
        lines = [source.table.row_at(span.start) for span in spans]
        assert lines == same or len(same) == 1  # one place alone may not be believable
