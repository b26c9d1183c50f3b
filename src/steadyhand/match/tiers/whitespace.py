"""The needle's lines with other blanks: at their ends, in front of them, between their words, between the lines.

Compared line by line. Blanks inside string literals count; a word is never joined or divided; the first and the last
line are whole lines. Where the lines have another indentation, the place is found all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from steadyhand.match.lexer import lexer_of, squeeze
from steadyhand.match.rows import find_windows
from steadyhand.match.tier import Example, Needle, Tier
from steadyhand.text.source import Source
from steadyhand.text.span import Span


def find(source: Source, needle: Needle, *, apart: bool) -> Iterator[Span]:
    """Every place whose lines differ from the needle's in nothing but blanks."""
    return find_windows(source, needle, partial(squeeze, lexer_of(source.path)), apart=apart)


TIER = Tier(
    name="whitespace",
    rank=40,
    confidence=0.98,
    summary="The old text's lines are in the file with other blanks or blank lines.",
    find=find,
    differs=("blanks",),
    matches=(
        Example("    foo", "⟦  foo⟧\nx\n"),
        Example("a = 1\nb = 2", "x\n⟦a = 1  \nb = 2⟧\n"),
        Example("a = 1 \nb = 2\t\n", "x\n⟦a = 1\nb = 2\n⟧y\n"),
        Example("if x:\n    y()", "def f():\n⟦    if x:\n        y()⟧\n", "a.py"),
        Example("  if x {\n    y()", "⟦\tif x {\n\t\ty()⟧\n", "a.go"),
        Example("a1\nb1", "⟦a1\n\nb1⟧\n"),
        Example("a1\n\n\nb1", "⟦a1\nb1⟧\n"),
        Example("one  two", "⟦one two⟧\n"),
        Example("x = 'a  b'  # c", "⟦x  =  'a  b' # c⟧\n", "a.py"),
        Example("a1\nb1\n", "x\n⟦a1\nb1⟧"),
        Example("  end", "if a\n⟦end⟧\nif b\n⟦end⟧\n"),
        Example("a1\nb1", "⟦a1  \r\nb1⟧\r\n"),
    ),
    ignores=(
        Example(" foo ", "foobar\n"),
        Example('print("a b")', 'print("a  b")\n', "a.py"),
        Example("a\nb", "a b\n\nc\n"),
        Example("a b", "a\nb\n"),
        Example("foo(a)", "foo( a )\n", "a.py"),
        Example("a1 \nb1", "a1\nx\nb1\n"),
        Example("foo  bar", "x foo bar\n"),
        Example("foo  bar", "foo bar baz\n"),
        Example("a1\nb1  ", "b1\na1\n"),
        Example("it’s  so", "it's so\n"),
        Example("  \n\n", "a\n\nb\n"),
        Example("Foo  bar", "foo bar\n"),
    ),
)
