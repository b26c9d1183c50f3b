"""Several places for one old text: what is quoted to tell them apart is true to its word, and no more than needed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plan.edit import Delete, Insert, Replace, edit_from_json
from steadyhand.plan.preview import edit
from steadyhand.plan.refusals import find_contexts
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import check_edit, check_refused, marked
from tests.table import table

SAYS_NOTHING = [
    ("x\n" * 60, 30, "nothing within reach differs"),
    ("a b " * 2_000, 4_000, "nothing within reach differs, on one line"),
]


@table(("text", "at", "why"), SAYS_NOTHING, ids=[why for *_, why in SAYS_NOTHING])
def test_nothing_is_offered_for_a_place_that_cannot_be_distinguished(text: str, at: int, why: str) -> None:
    assert find_contexts(Source.of_text(text), [Span(at, at + 1)]) == [None]


def test_what_is_too_long_to_be_sent_again_is_not_offered() -> None:
    text = ("y" * 5_000 + "\n") * 2 + "z\n"
    assert find_contexts(Source.of_text(text), [Span(0, 5_000)]) == [None]


# The place is between the marks; beside it the shortest text that means it alone.
SHORTEST = [
    ("class A:\n⟦    x = 1\n⟧class B:\n    x = 1\n", "class A:\n    x = 1\n", "the line before"),
    ("⟦x = 1⟧\ny = 2\nx = 1\n", "x = 1\ny = 2", "the line after, without its ending"),
    ("⟦x = 1\n⟧y = 2\nx = 1\n", "x = 1\ny = 2\n", "the line after, with its ending"),
    ("b\na\n⟦x\n⟧c\na\nx\nc\n", "b\na\nx\n", "two lines before"),
    ("a\n⟦x\n⟧b\na\nx\nc\nd\nx\nb\n", "a\nx\nb\n", "a line on both sides"),
    ("f(⟦a⟧, b) + g(a, c)\n", "f(a", "words of the line"),
    ("f(a, b) + g(⟦a⟧, c)\n", "g(a", "words of the line, for the other place"),
    ("x = foo(1)\n⟦foo⟧_bar = foo(2)\n", "foo_bar", "no half words"),
    ("    ⟦x = 1⟧\n        x = 1\ny\n    x = 1\nz\n", "x = 1\n        x = 1", "indentation of the line after"),
    ("a\r\n⟦x\r\n⟧b\r\nx\r\n", "a\r\nx\r\n", "the endings of the file"),
    ("aa⟦a\n⟧a\na\n", "aaa\n", "the rest of its own line"),
]


@table(("notation", "shortest", "why"), SHORTEST, ids=[why for *_, why in SHORTEST])
def test_as_little_as_possible_is_quoted(notation: str, shortest: str, why: str) -> None:
    text, (span,) = marked(notation)
    (context,) = find_contexts(Source.of_text(text), [span])
    assert context is not None
    assert context.span.of(text) == shortest
    assert text.count(shortest) == 1
    assert context.span.start <= span.start <= span.end <= context.span.end


def test_every_place_of_an_ambiguous_edit_has_an_old_text_of_its_own() -> None:
    text = "def f():\n    return 1\n\ndef g():\n    return 1\n\ndef h():\n    return 1\n"
    error = check_refused(text, Replace("    return 1\n", "    return 2\n"), "ambiguous-match")
    places: list[dict[str, object]] = error.details["candidates"]  # type: ignore[assignment]
    assert [place["occurrence"] for place in places] == [1, 2, 3]
    for number, place in enumerate(places):
        old = str(place["unique_old"])
        assert place["corrected"] == {"target": old, "new": old.replace("return 1", "return 2")}
        parts = text.split("return 1")
        after = "return 1".join(parts[: number + 1]) + "return 2" + "return 1".join(parts[number + 1 :])
        check_edit(text, Replace(old, old.replace("return 1", "return 2")), after)
        check_edit(text, Replace("    return 1\n", "    return 2\n", occurrence=number + 1), after)


def test_a_place_that_overlaps_the_one_before_has_no_number() -> None:
    error = check_refused("aaa", Replace("aa", "b"), "ambiguous-match")
    places: list[dict[str, object]] = error.details["candidates"]  # type: ignore[assignment]
    assert [place.get("occurrence") for place in places] == [1, None]


LINES = st.lists(st.sampled_from(["a", "b", "  a", "a b", "", "f(a)"]), min_size=1, max_size=14)


@given(LINES, st.sampled_from(["a", "b", "a\n", "a\na", "  a\n", "\n", "f(a"]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_said_to_be_unique_is(lines: list[str], old: str, newline: str) -> None:
    """Whatever tier the places come from: the text is in the file once, around its place, and an edit finds it."""
    text = newline.join(lines) + newline
    error = edit(text, Replace(old, "z")).error
    if error is None or error.kind != "ambiguous-match":
        return
    for place in error.details["candidates"]:  # type: ignore[attr-defined]
        answer = place.get("unique_old")
        if answer is None:
            continue
        found = text.find(answer)
        assert found >= 0
        assert text.find(answer, found + 1) < 0
        first, last = Source.of_text(text).lines_of(Span(found, found + len(answer)))
        assert first <= place["lines"][0] <= place["lines"][1] <= last
        assert edit(text, Replace(answer, "@")).text == text.replace(answer, "@")


OLDS = ["a", "b", "a\n", "a\na", "  a\n", "f(a"]
NEWS = ["z", "", "z\n", "b\n  b", "  z\n"]


@given(LINES, st.sampled_from(OLDS), st.sampled_from(NEWS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_is_offered_for_a_place_does_what_its_number_does(
    lines: list[str], old: str, new: str, newline: str, is_ended: bool
) -> None:
    text = newline.join(lines) + (newline if is_ended else "")
    for change in (Replace(old, new), Delete(old), Insert(old, new or "z", where="after")):
        error = edit(text, change).error
        if error is None or error.kind != "ambiguous-match":
            continue
        for place in error.details["candidates"]:  # type: ignore[attr-defined]
            assert ("unique_old" in place) == ("corrected" in place)
            if "corrected" in place and "occurrence" in place:
                numbered = replace(change, occurrence=place["occurrence"])
                assert edit(text, [edit_from_json(place["corrected"])]).text == edit(text, numbered).text != text


@given(LINES, st.integers(0, 13), st.integers(1, 3))
def test_no_fewer_lines_would_do(lines: list[str], first: int, count: int) -> None:
    """Against the dullest reference: every way to add fewer whole lines leaves several places."""
    text = "".join(f"{line}\n" for line in lines)
    first = min(first, len(lines) - 1)
    last = min(first + count, len(lines))
    starts = [sum(len(line) + 1 for line in lines[:row]) for row in range(len(lines) + 1)]
    span = Span(starts[first], starts[last])
    (context,) = find_contexts(Source.of_text(text), [span])
    needed = [
        extra
        for extra in range(len(lines))
        for before in range(min(extra, first) + 1)
        if last + extra - before <= len(lines)
        and _occurrences(text, text[starts[first - before] : starts[last + extra - before]]) == 1
    ]
    if context is not None:
        assert _occurrences(text, context.span.of(text)) == 1
        assert not any(context.words)
        assert sum(context.lines) == min(needed)
    else:
        assert not needed or min(needed) > 12


def _occurrences(text: str, old: str) -> int:
    return sum(text.startswith(old, at) for at in range(len(text)))


HUGE = [
    ("one line repeated", "the same line again and again\n" * 350_000, "again and"),
    ("one line of 20 MB", "abc def " * 2_500_000, "def"),
    ("two places far apart", "x = 1\n" + "filler\n" * 1_000_000 + "y\nx = 1\n", "x = 1\n"),
]


@table(("name", "text", "old"), HUGE, ids=[name for name, *_ in HUGE])
def test_huge_texts_are_distinguished_or_not_and_soon(name: str, text: str, old: str) -> None:
    first = text.find(old)
    second = text.find(old, first + 1)
    spans = [Span(at, at + len(old)) for at in (first, second)]
    for context in find_contexts(Source.of_text(text), spans):
        assert context is None or text.count(context.span.of(text)) == 1


def test_the_hint_quotes_what_is_needed() -> None:
    text = "a\nb\nx\nc\nd\nb\nx\nc\ne\n"
    error = check_refused(text, Replace("x\n", "y\n"), "ambiguous-match")
    assert error.hint is not None
    assert "2 lines above" in error.hint
    error = check_refused("f(a, b) + g(a, c)\n", Replace("a", "z"), "ambiguous-match")
    assert error.hint is not None
    assert "'f(a'" in error.hint
