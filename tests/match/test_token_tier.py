"""The token tier on real code: another layout is found in its place, another token never; the work is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.lexer import Lexer, Token, lexer_of, read_tokens
from steadyhand.match.tier import Needle
from steadyhand.match.tiers import token as module
from steadyhand.match.tiers.token import TIER
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.table import table

PYTHON = """\
import os


def area(width, height, *, unit="square  metres"):
    # don't round here
    total = scale(width, by=2) * scale(height, by=-2)
    if total > limits["largest", unit] and not is_free(unit):
        raise ValueError(f"too large: {total}", unit)
    return {"total": total, "unit": unit, "parts": [width, height]}


def name_of(shape, default=None):
    return getattr(shape, "name", default) or shape.__class__.__name__
"""
C = """\
#include <stdio.h>
#define AREA(w, h) ((w) * (h))

static int area_of(const struct shape *shape, int scale)
{
    int total = 0; /* grows */
    for (int i = 0; i < shape->count; i++) {
        total += AREA(shape->sides[i].width, shape->sides[i].height) << scale;
    }
    if (total == 0 && !shape->is_flat)
        fprintf(stderr, "no  area: %s\\n", shape->name);
    return total; // in square units
}

int main(void) { return area_of(&unit_square, 'x'); }
"""
PROSE = """\
# Shapes

A shape has an area, which is never negative. Shapes without
an area are called flat, and most of what follows does not
hold for them.

- flat shapes
- round shapes

| shape | area |
|-------|------|
| unit  | 1    |

The area of a round shape is found by the usual formula, which
the reader knows.
"""
TEXTS = {"a.py": PYTHON, "a.c": C, "a.md": PROSE}


def found(text: str, needle: str, path: str | None, *, apart: bool = False) -> list[Span]:
    return list(TIER.find(Source.of_text(text, path=path), Needle(needle), apart=apart))


class Rows(NamedTuple):
    """Some whole rows of a text, from one that is not blank to another."""

    path: str
    span: Span

    @property
    def text(self) -> str:
        return TEXTS[self.path]

    @property
    def tokens(self) -> list[Token]:
        return list(read_tokens(lexer_of(self.path), self.text, *self.span))


def rows_at(path: str, first: int, count: int) -> Rows:
    text = TEXTS[path]
    spans = [Span(*found.span()) for found in re.finditer(r"(?m)^.*\S.*$", text)]
    first %= len(spans)
    return Rows(path, Span(spans[first].start, spans[min(first + count, len(spans)) - 1].end))


some_rows = st.builds(rows_at, st.sampled_from(sorted(TEXTS)), st.integers(0, 30), st.integers(1, 6)).filter(
    lambda rows: len(rows.tokens) >= 3 and re.search(r"\w\w", rows.span.of(rows.text))
)
choices = st.lists(st.sampled_from(["keep", "wrap", "widen", "part"]), min_size=1, max_size=12)


def laid_out(rows: Rows, choices: list[str]) -> str:
    """The rows with other blanks and line endings between their tokens, where these mean nothing."""
    tokens = rows.tokens
    parts = [rows.text[tokens[0].start : tokens[0].end]]
    for at, (before, after) in enumerate(pairwise(tokens)):
        gap, choice = rows.text[before.end : after.start], choices[at % len(choices)]
        is_free = rows.path == "a.c" and {before.kind, after.kind} <= {"plain", "literal"} and after.bare != "*"
        if choice == "wrap" and is_free and len(tokens) >= 6 and not after.is_glued:
            gap = "\n  "
        elif choice == "widen" and gap and not after.breaks:
            gap = "   "
        elif choice == "part" and not gap and not after.is_glued:
            gap = " "
        parts.append(gap + rows.text[after.start : after.end])
    return "".join(parts)


@given(some_rows, st.data())
def test_a_token_too_many_or_another_in_its_place_is_never_found(rows: Rows, data: st.DataObject) -> None:
    victim = data.draw(st.sampled_from(rows.tokens))
    before, after = rows.text[rows.span.start : victim.start], rows.text[victim.end : rows.span.end]
    for other in (" unheard ", f"{victim.bare} unheard ", f" unheard {victim.bare}"):
        assert found(rows.text, before + other + after, rows.path) == []


@given(some_rows, st.data(), choices)
def test_what_is_found_differs_in_nothing_but_blanks(rows: Rows, data: st.DataObject, choices: list[str]) -> None:
    """Also of a needle that lost a token, or has one twice, or two the other way round."""
    tokens = rows.tokens
    at = data.draw(st.integers(0, len(tokens) - 1))
    texts = [rows.text[token.start : token.end] for token in tokens]
    changed = data.draw(
        st.sampled_from(
            [texts[:at] + texts[at + 1 :], [*texts[:at], texts[at], *texts[at:]], texts[at:], texts[: at + 1]]
        )
    )
    for needle in (" ".join(changed), "\n".join(changed), "".join(changed)):
        for span in found(rows.text, needle, rows.path):
            assert "".join(span.of(rows.text).split()) == "".join(needle.split())


@given(some_rows, choices)
def test_rows_in_another_layout_are_found_once_and_where_they_are(rows: Rows, choices: list[str]) -> None:
    assert found(rows.text, laid_out(rows, choices), rows.path) == [rows.span]


@given(some_rows, choices)
def test_rows_that_occur_twice_are_found_twice(rows: Rows, choices: list[str]) -> None:
    text = f"{rows.text}\n{rows.span.of(rows.text)}\n"
    needle = laid_out(rows, choices)
    assert len(found(text, needle, rows.path)) == 2
    assert len(found(text, needle, rows.path, apart=True)) == 2


def test_places_that_overlap_count_unless_they_are_to_be_apart() -> None:
    text = "ab + ab + ab + ab"
    assert found(text, "ab+ab", "a.c") == [Span(0, 7), Span(5, 12), Span(10, 17)]
    assert found(text, "ab+ab", "a.c", apart=True) == [Span(0, 7), Span(10, 17)]


@table(
    ("needle", "expected"),
    [
        ("one( 1 );", "  one(1);  "),
        ("one( 1 );\n", "  one(1);  \r\n"),
        ("\none( 1 );", "\r\n  one(1);  "),
        ("one( 1 );\n\n", "  one(1);  \r\n"),
        ("one( 1 )", "  one(1)"),
        ("two( 2 );\nthree( 3 );\n", "two(2); three(3);"),
    ],
)
def test_a_find_reaches_to_the_edges_of_lines_where_the_needle_does(needle: str, expected: str) -> None:
    text = "zero();\r\n\r\n  one(1);  \r\ntwo(2); three(3);"
    (span,) = found(text, needle, "a.c")
    assert span.of(text) == expected


@table("path", [None, "a.py", "a.c"], every=4)
@table(
    ("needle", "text"),
    [
        ("word( a )", "word(b)\n" * 10_000),
        ("word( a )", "word (a) " * 10_000),
        ("word( a , b )", "word(a, b)" + " " * 100_000 + "word(a, b)" * 3_000),
        ("(" * 1_000 + "word", "(" * 100_000 + " word"),
        ("word( 'a' )", "word('" * 4_000),
        ("one( two )\n" * 2_000, "one(two)\n" * 2_500),
    ],
    ids=["frequent", "one row", "far apart", "nested", "unclosed", "repeated"],
)
def test_little_is_read_however_large_the_text(
    needle: str, text: str, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    plain = module.read_tokens

    def counted(lexer: Lexer, text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
        read.append((len(text) if end is None else end) - start)
        return plain(lexer, text, start, end)

    monkeypatch.setattr(module, "read_tokens", counted)
    found(text, needle, path)
    assert sum(read) <= 400_000 + 5 * len(needle) + 2 * max(read, default=0)


def test_where_not_every_place_can_be_looked_at_none_is_found() -> None:
    text = "word( a );\n" + "word(b);\n" * 5_000
    assert found(text, "word(a);", "a.c") == []
    assert len(found(text[: len(text) // 2], "word(a);", "a.c")) == 1
