"""The words of an edit in the layout of the file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.lexer import lexer_of, tokens
from steadyhand.plan.rebuild import relayout
from tests.table import table

PYTHON = lexer_of("a.py")
WRAPPED = "call(\n    first,\n    second=2,\n)\n"
WORDS = st.lists(st.sampled_from(["a", "b", "(", ")", ",", "=", "'x y'"]), min_size=1, max_size=6)
GAPS = st.lists(st.sampled_from([" ", "  ", "\n    "]), min_size=6, max_size=6)


def texts(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(PYTHON, text)]


@table(
    ("old", "new", "expected"),
    [
        ("call(first, second=2,)", "call(first, second=2,)", WRAPPED),
        ("call(first, second=2,)", "call(first, second=3,)", "call(\n    first,\n    second=3,\n)\n"),
        ("call(first, second=2,)", "send(first, second=2,)", "send(\n    first,\n    second=2,\n)\n"),
        ("call(first, second=2,)", "call(second=2,)", "call(\n    second=2,\n)\n"),
        ("call(first, second=2,)", "await call(first, second=2,)", "await call(\n    first,\n    second=2,\n)\n"),
    ],
    ids=["nothing", "a value", "the first word", "a word goes", "a word comes first"],
)
def test_only_the_words_that_change_are_written(old: str, new: str, expected: str) -> None:
    assert relayout(old, WRAPPED, new, PYTHON) == expected


@given(WORDS, WORDS, GAPS)
def test_what_is_written_says_what_the_new_text_says(old: list[str], new: list[str], gaps: list[str]) -> None:
    ours = "".join(word + gap for word, gap in zip(old, gaps, strict=False))
    assert texts(relayout(" ".join(old), ours, " ".join(new), PYTHON)) == texts(" ".join(new))


@given(WORDS, GAPS)
def test_an_edit_that_changes_no_word_leaves_the_file_alone(words: list[str], gaps: list[str]) -> None:
    ours = "".join(word + gap for word, gap in zip(words, gaps, strict=False))
    assert relayout(" ".join(words), ours, "  ".join(words), PYTHON) == ours
