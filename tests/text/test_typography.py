"""Plain typography: only for comparing, one character for one where offsets must hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.typography import INVISIBLE, PLAIN, plain
from tests.table import table

UNTOUCHED = ["plain 'text' - \"it\"...", "naïve café", "日本語", "a_b--c", "😀", "\t x "]
ODD = st.text(st.sampled_from([*map(chr, PLAIN), *INVISIBLE, *"…aé e\u0301'\"-. \n"]))


@table("text", UNTOUCHED)
def test_text_that_is_plain_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_the_table_gives_one_plain_character_for_each() -> None:
    assert all(chr(value).isascii() for value in PLAIN.values())
    assert all(plain(chr(code)) == chr(value) for code, value in PLAIN.items())


@given(ODD)
def test_what_is_plain_once_is_plain_for_good(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert len(text.translate(PLAIN)) == len(text)
    assert not set(plain(text)) & {*map(chr, PLAIN), *INVISIBLE, "…"}
