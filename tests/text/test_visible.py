"""A long line is clipped around what matters, and a difference that cannot be seen is made visible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.visible import show_difference
from tests.table import table

PLAIN = ["plain text", "naïve café", "日本語", "a  b", "“quoted” – both", "😀", ""]


@table("line", PLAIN)
def test_a_line_both_sides_agree_on_is_shown_as_it_is(line: str) -> None:
    assert show_difference(line, line) == (line, line)


SHOWN = [
    ("\tx", "    x", "→x", "····x"),
    ("a  b c", "a b c", "a··b·c", "a·b·c"),
    ("x", "x  ", "x", "x··"),
    ("x\n", "x\r\n", "x␊", "x␍␊"),
    ("a b", "a\u00a0b", "a·b", "a⟨U+00A0⟩b"),
    ("ab", "a\u200bb", "ab", "a⟨U+200B⟩b"),
    ("ab", "\ufeffab", "ab", "⟨U+FEFF⟩ab"),
    ('"a"', "“a”", '"a"', "⟨U+201C⟩a⟨U+201D⟩"),
    ("it's", "it’s", "it's", "it⟨U+2019⟩s"),
    ("a - b", "a — b", "a - b", "a ⟨U+2014⟩ b"),
    ("pay", "pаy", "pay", "p⟨U+0430⟩y"),
    ("é", "e\u0301", "é", "e⟨U+0301⟩"),
    ("x=1", "ｘ=1", "x=1", "⟨U+FF58⟩=1"),
    ("naive", "naïve", "naive", "naïve"),
    ("a", "\x1b[31ma\x07\x7f\x9b", "a", "\\x1b[31ma\\x07\\x7f\\x9b"),
    ("a", "a\u202e", "a", "a⟨U+202E⟩"),
    ("é", "\udce9", "é", "⟨0xE9⟩"),
    ("a", "a\u2028", "a", "a⟨U+2028⟩"),
]


@table(("expected", "actual", "left", "right"), SHOWN)
def test_what_cannot_be_distinguished_is_named(expected: str, actual: str, left: str, right: str) -> None:
    assert show_difference(expected, actual) == (left, right)


def test_a_long_line_is_cut_around_the_first_difference() -> None:
    left, right = show_difference("a" * 5_000 + "X" + "b" * 5_000, "a" * 5_000 + "Y" + "b" * 5_000)
    assert left.startswith("…a")
    assert left.endswith("b…")
    assert "X" in left
    assert "Y" in right
    assert len(left) < 200


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_a_terminal_would_obey_is_left(expected: str, actual: str) -> None:
    for shown in show_difference(expected, actual):
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in shown)
