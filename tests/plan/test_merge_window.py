"""The rows an edit is built on: whole lines around a find, and no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plan.first_line import quote_in_full
from steadyhand.plan.merge_window import Made, make, window_at
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import marked
from tests.table import table


@table(
    ("found", "window"),
    [
        ("a\n  ⟦b⟧\nc\n", "a\n⟦  b\n⟧c\n"),
        ("a\n⟦  b⟧  \nc\n", "a\n⟦  b  \n⟧c\n"),
        ("a\r\n⟦b⟧\r\nc", "a\r\n⟦b\r\n⟧c"),
        ("a\r⟦b⟧\rc", "a\r⟦b\r⟧c"),
        ("a\n⟦b\n⟧c\n", "a\n⟦b\n⟧c\n"),
        ("a\n⟦b⟧", "a\n⟦b⟧"),
        ("a ⟦b⟧ c\n", "a ⟦b⟧ c\n"),
        ("  ⟦b⟧ c\n", "⟦  b⟧ c\n"),
    ],
)
def test_a_find_is_widened_to_whole_lines_where_only_blanks_are_in_the_way(found: str, window: str) -> None:
    text, (span,) = marked(found)
    assert window_at(Source.of_text(text), span, "b").span == marked(window)[1][0]


def test_a_window_that_starts_amid_a_line_says_so() -> None:
    assert window_at(Source.of_text("a b\n"), Span(2, 3), "b").is_partial
    assert not window_at(Source.of_text("  b\n"), Span(2, 3), "b").is_partial


@given(st.text("ab \r\n", min_size=1, max_size=12), st.data())
def test_the_rows_of_a_window_are_its_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    window = window_at(Source.of_text(text), span, "b")
    assert "".join(window.rows) == window.span.of(text)
    assert window.span.start <= span.start
    assert window.span.end >= span.end
    assert window.starts()[-1] == window.span.end


@table(
    ("rows", "at", "expected"),
    [
        (["}"], 1, False),
        (["b()"], 1, False),
        (["c( x )"], 1, True),
        (["a = 1"], 1, True),
        (["z()"], 0, True),
        (["d()"], 2, True),
        (["c(x)", "d()"], 1, True),
    ],
    ids=["mere signs", "not there", "below", "above", "above the window", "below the window", "two rows"],
)
def test_rows_that_are_beside_a_position_already_are_seen(rows: list[str], at: int, expected: bool) -> None:
    text = "z()\na = 1\n\nc(x)\nd()\n"
    window = window_at(Source.of_text(text, path="a.py"), Span(4, 16), "a = 1\nc(x)\n")
    assert window.rows == ("a = 1\n", "\n", "c(x)\n")
    assert window.has_beside(rows, 3 if at == 2 else at) is expected


def in_full(found: str, old: str, new: str) -> str | None:
    text, (span,) = marked(found)
    full = quote_in_full(Source.of_text(text, path="a.py"), span, old, new)
    return None if full is None else text[: full.span.start] + full.new + text[full.span.end :]


def test_further_lines_come_at_the_indentation_of_the_line_that_was_quoted_without() -> None:
    assert in_full("if x:\n    ⟦a()⟧\n    c()\n", "a()", "a()\nb()") == "if x:\n    a()\n    b()\n    c()\n"
    assert in_full("if x:\n    ⟦a()\n⟧c()\n", "a()\n", "") == "if x:\nc()\n"


def test_lines_that_are_where_they_belong_are_left_alone() -> None:
    assert in_full("if x:\n    ⟦a()⟧\n", "a()", "a()\n    b()") is None
    assert in_full("x = ⟦a()⟧\n", "a()", "a()\nb()") is None
    after = "if x:\n    a()\n\n\ndef g():\n    pass\n"
    assert in_full("if x:\n    ⟦a()⟧\n", "a()", "a()\n\n\ndef g():\n    pass") == after


def test_what_an_elision_leaves_out_is_kept_byte_for_byte() -> None:
    text = "def f():\n    a = 1\n\n    b  =  2\n    return a\n"
    old, new = "def f():\n    ...\n    return a\n", "def f():\n    ...\n    return b\n"
    made = make(window_at(Source.of_text(text, path="a.py"), Span(0, len(text)), old, "elision"), new)
    assert isinstance(made, Made)
    assert [(span.of(text), written) for span, written in made.writes] == [("    return a\n", "    return b\n")]
    assert "elided lines" in made.differs
