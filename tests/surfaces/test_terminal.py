"""Nothing that came from a file or a name reaches a terminal as anything but text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.surfaces.terminal import (
    Piece,
    cells,
    fit,
    pad,
    paint,
    visible,
    visible_line,
    visible_name,
    wants_color,
)
from tests.table import table

OBEYED = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\n\t"),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029",
    "\ud800",
    "\udcff",
    "\U000e0041",
]


@table("character", OBEYED, ids=lambda c: f"U+{ord(c):04X}")
def test_what_a_terminal_obeys_is_written_out(character: str) -> None:
    for shown in (visible(character), visible_line(character), visible_name(character), fit(character, 20)):
        assert character not in shown
        assert "\\" in shown


@given(st.text(st.characters()))
def test_no_text_whatever_keeps_an_unsafe_character(text: str) -> None:
    shown = "".join(paint([(Piece(text, "added"), Piece(text))], color=False))
    assert not set(shown) & set(OBEYED)
    shown.encode("utf-8")  # no lone surrogate is left


@given(st.text(st.characters()))
def test_colour_adds_only_our_own_sequences(text: str) -> None:
    plain = "".join(paint([(Piece(text, "removed-word"),)], color=False))
    colored = "".join(paint([(Piece(text, "removed-word"),)], color=True))
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == plain


@table("text", ["", "plain", "tab\tand\nnewline", "żółw 猫 👩‍👩‍👧 e\u0301", "C:\\path"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_an_undecodable_byte_is_shown_as_that_byte() -> None:
    assert visible(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf\\xe9"


@table(
    ("name", "shown"),
    [
        ("docs/a.md", "docs/a.md"),
        ("größe.md", "größe.md"),
        ("my notes.md", '"my notes.md"'),
        ('a"b', '"a\\"b"'),
        ("a\nb", '"a\\nb"'),
        ("a\x1b[2Jb", '"a\\x1b[2Jb"'),
        ("", '""'),
    ],
)
def test_a_name_is_quoted_when_it_could_be_misread(name: str, shown: str) -> None:
    assert visible_name(name) == shown


@given(st.text(), st.integers(1, 60))
def test_padded_text_fills_its_columns_exactly(text: str, width: int) -> None:
    assert cells(pad(text, width)) == width


def test_wide_characters_take_two_columns() -> None:
    assert cells("猫a") == 3
    assert fit("猫猫猫", 4) == "猫…"


@table(
    ("choice", "environ", "is_terminal", "expected"),
    [
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("never", {}, True, False),
        ("auto", {}, True, True),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("always", {"NO_COLOR": "1"}, False, True),
    ],
)
def test_colour_is_for_a_person_who_wants_it(choice, environ, is_terminal, expected) -> None:
    assert wants_color(choice, environ, is_terminal=is_terminal) is expected
