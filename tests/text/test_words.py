"""Inside a changed line, the words that differ are marked."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.span import Span
from steadyhand.text.words import word_changes
from tests.table import table

LINE = st.text(alphabet="ab 1_.(é\t", max_size=20)


def marked(line: str, spans: list[Span]) -> str:
    for span in reversed(spans):
        line = f"{line[: span.start]}⟦{span.of(line)}⟧{line[span.end :]}"
    return line


SHOWN = [
    ("same", "same", "same", "same"),
    ("", "new", "", "⟦new⟧"),
    ("gone", "", "⟦gone⟧", ""),
    ("total = price * 2", "total = price * count", "total = price * ⟦2⟧", "total = price * ⟦count⟧"),
    ("f(a, b)", "f(a, b, c)", "f(a, b)", "f(a, b⟦, c⟧)"),
    ("    return x", "  return x", "⟦    ⟧return x", "⟦  ⟧return x"),
    (
        "the old red house stands",
        "the new blue house stands",
        "the ⟦old red⟧ house stands",
        "the ⟦new blue⟧ house stands",
    ),
    ("alpha beta gamma", "one two three", "⟦alpha beta gamma⟧", "⟦one two three⟧"),
    ("x" * 30 + ";", "y" * 30 + ";", "⟦" + "x" * 30 + ";⟧", "⟦" + "y" * 30 + ";⟧"),
]


@table(("before", "after", "left", "right"), SHOWN)
def test_the_words_that_differ(before: str, after: str, left: str, right: str) -> None:
    spans = word_changes(before, after)
    assert (marked(before, spans[0]), marked(after, spans[1])) == (left, right)


def without(line: str, spans: list[Span]) -> str:
    return "".join(char for at, char in enumerate(line) if not any(span.start <= at < span.end for span in spans))


@given(LINE, LINE)
def test_what_is_not_marked_is_the_same_on_both_sides_but_for_blanks(before: str, after: str) -> None:
    left, right = word_changes(before, after)
    assert "".join(without(before, left).split()) == "".join(without(after, right).split())
    for spans, line in ((left, before), (right, after)):
        assert all(0 <= span.start < span.end <= len(line) for span in spans)
        assert all(one.end < two.start for one, two in pairwise(spans))
    assert bool(left or right) == (before != after)


def test_very_long_lines_are_cheap() -> None:
    before = "word " * 400_000
    after = before[:1_000_000] + "other" + before[1_000_000:]
    left, right = word_changes(before, after)
    assert left == []
    assert [span.length for span in right] == [5]
