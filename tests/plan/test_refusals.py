"""What a refused edit is answered: kind, lines, the nearest place, and a concrete next call."""

from __future__ import annotations

import re
from random import Random

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.match.resolve import Several
from steadyhand.match.tier import Tier
from steadyhand.plan import refusals
from steadyhand.plan.edit import Insert, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.lines import Lines
from steadyhand.text.lines import split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import check_edit, check_refused
from tests.real_files import real_texts
from tests.sampling import EXAMPLES
from tests.table import table

CODE = "def area(w, h):\n    return w * h\n\n\ndef volume(w, h, d):\n    return w * h * d\n"


def test_no_match_shows_the_nearest_place_and_the_first_difference() -> None:
    edit = Replace("    return w*h\n", "x")
    error = check_refused(CODE, edit, "no-match", path="src/shapes.py", tier="newline")
    assert "src/shapes.py" in error.message
    assert "line 2" in error.message
    assert error.details["tried"] == ["exact", "newline"]
    assert error.details["nearest"][0]["lines"] == [2, 2]  # type: ignore[index]


def test_no_match_hands_out_the_text_to_quote_when_it_is_near() -> None:
    old = check_refused(CODE, Replace("    return w*h\n", "    x\n"), "no-match", tier="exact").details["old"]
    assert isinstance(old, str)
    check_edit(CODE, Replace(old, "    x\n"), CODE.replace(old, "    x\n", 1))


@table("new", ["x\n", "    y = 1\n    retrun w * h\n"], ids=["without indentation", "misquoted as the old text"])
def test_no_match_hands_out_no_text_to_quote_that_would_not_fit_the_new_text(new: str) -> None:
    details = check_refused(CODE, Replace("    retrun w * h\n", new), "no-match", tier="exact").details
    assert "old" not in details
    assert "corrected" not in details


def test_no_match_with_nothing_alike_says_to_read_again() -> None:
    error = check_refused("alpha\nbeta\n", Replace("zzz qqq 123", "x"), "no-match", path="a.txt")
    assert error.hint is not None
    assert "a.txt" in error.hint


def test_a_difference_that_cannot_be_seen_is_made_visible() -> None:
    error = check_refused("if x:\n\treturn 1\n", Replace("if x:\n    return 1\n", "y"), "no-match", tier="exact")
    assert "→" in error.message


def test_ambiguity_lists_every_place_and_a_line_that_tells_them_apart() -> None:
    text = "class A:\n    x = 1\n\nclass B:\n    x = 1\n"
    error = check_refused(text, Replace("    x = 1\n", "    x = 2\n"), "ambiguous-match")
    assert [place["lines"] for place in error.details["candidates"]] == [[2, 2], [5, 5]]  # type: ignore[attr-defined]
    assert "line 2" in error.message
    assert "line 5" in error.message
    assert error.hint is not None
    assert "class A:" in error.hint
    check_edit(text, Replace("class A:\n    x = 1\n", "class A:\n    x = 2\n"), text.replace("1", "2", 1))


def test_ambiguity_in_very_many_places_stays_short() -> None:
    error = check_refused("x\n" * 5_000, Replace("x", "y"), "ambiguous-match")
    assert error.details["total"] == 5_000
    assert len(error.details["candidates"]) == 20  # type: ignore[arg-type]
    assert "4992 more" in error.message


def test_long_lines_are_shortened() -> None:
    error = check_refused(("y" * 5_000 + "\n") * 2, Replace("y" * 5_000, "z"), "ambiguous-match")
    assert len(error.message) < 1_000


def test_a_reason_can_be_required() -> None:
    check_refused("a", Replace("a", "b"), "reason-required", require_reason=True)
    check_refused("a", Replace("a", "b", reason="  "), "reason-required", require_reason=True)
    check_edit("a", Replace("a", "b", reason="because"), "b", require_reason=True)


def test_a_file_that_is_no_text_is_refused() -> None:
    result = edit(b"\x00\x01\xff\xfe\x00\x80", Replace("a", "b"))
    assert result.error is not None
    assert result.error.kind == "not-text"
    assert result.text == b"\x00\x01\xff\xfe\x00\x80"


def test_text_that_the_encoding_cannot_say_is_refused() -> None:
    raw = "naïve".encode("cp1252")
    result = edit(raw, Replace("na", "☃"), encoding="cp1252")
    assert result.error is not None
    assert result.error.kind == "unencodable"
    assert result.text == raw


def test_bytes_that_are_no_text_survive_an_edit_beside_them() -> None:
    result = edit(b"caf\xe9 \xc3\xa9 \xc3\xa9 \xc3\xa9 old\n", Replace("old", "new"))
    assert result.text == b"caf\xe9 \xc3\xa9 \xc3\xa9 \xc3\xa9 new\n"


def test_more_edits_than_the_limit_are_too_large() -> None:
    check_refused("a", [Replace("a", "b")] * 10_001, "too-large")


def test_line_refusals_name_the_file() -> None:
    error = check_refused("a\n", Replace(Lines(7), "x"), "out-of-bounds", path="a.txt")
    assert "a.txt" in error.message
    assert error.details["path"] == "a.txt"


def test_only_the_first_few_absent_texts_are_searched_for() -> None:
    result = edit(CODE, [Replace(f"    return w*h + {n}\n", "x") for n in range(6)], policy=Policy(tier="exact"))
    near = ["nearest" in outcome.error.details for outcome in result.outcomes if outcome.error]
    assert near == [True, True, True, False, False, False]


def test_the_empty_old_text_is_shown_how_to_add_text() -> None:
    error = check_refused("a", Insert("", "x"), "bad-request")
    assert error.hint is not None
    assert "insert" in error.hint


def test_a_partial_call_tells_what_it_did_when_raised() -> None:
    result = edit("a b", [Replace("a", "A"), Replace("x", "y")], policy=Policy(partial=True))
    with pytest.raises(EditError) as caught:
        result.raise_for_error()
    assert caught.value.details["applied"] == [0]


def test_places_in_one_long_line_are_shown_by_column_and_neighbourhood() -> None:
    text = f"{'a' * 16}foo(1){'b' * 300}foo(1){'c' * 300}\n"
    error = check_refused(text, Replace("foo(1)", "x"), "ambiguous-match")
    _, first, second = error.message.splitlines()
    assert first.startswith("  line 1, column 17: ")
    assert second.startswith("  line 1, column 323: …b")
    assert all("foo(1)" in line and len(line) < 120 for line in (first, second))
    places: list[dict[str, object]] = error.details["candidates"]  # type: ignore[assignment]
    assert [place["column"] for place in places] == [17, 323]
    assert all("foo(1)" in str(place["text"]) for place in places)
    assert error.hint is not None
    assert "add more of it" in error.hint


def test_two_places_in_a_short_line_have_columns_and_others_do_not() -> None:
    message = check_refused("x + x\ny = x\n", Replace("x", "z"), "ambiguous-match").message
    assert message.splitlines()[1:] == ["  line 1, column 1: x + x", "  line 1, column 5: x + x", "  line 2: y = x"]


def test_a_count_that_came_to_no_end_is_no_number_of_further_places() -> None:
    error = check_refused("ab " * 20_000, Replace("ab", "x"), "ambiguous-match")
    assert error.details["total_is_exact"] is False
    assert error.message.splitlines()[-1] == "  … and more"


BEYOND = [
    ("x x", 3, "no occurrence 3", '1, 2 or "last"'),
    ("x", 2, "no occurrence 2", "1, the only one"),
    ("x " * 30, 112, "no occurrence 112", '1 to 30 or "last"'),
    ("x " * 30, 52, "no occurrence 52", '1 to 30 or "last"'),
]


@table(("text", "occurrence", "answer", "hint"), BEYOND)
def test_an_occurrence_that_is_not_there_is_no_matter_of_expecting(
    text: str, occurrence: int, answer: str, hint: str
) -> None:
    error = check_refused(text, Replace("x", "y", occurrence=occurrence), "count-mismatch")
    assert answer in error.message
    assert error.hint is not None
    assert error.hint.endswith(hint)
    assert "expect" not in error.message + error.hint


def test_a_count_that_was_expected_is_reported_as_such() -> None:
    error = check_refused("x x", Replace("x", "y", expected=3), "count-mismatch")
    assert ", not 3:" in error.message
    assert error.hint is not None
    assert "expect 2" in error.hint


def test_drift_shows_what_was_quoted_and_what_is_there() -> None:
    source = Source.of_text("a = 1\nb = two\nc = 3\n")
    error = refusals.drift("a.py", source, (2, 2), "b = 2", "b = two\n")
    assert error.kind is Kind.DRIFT_CONFLICT
    assert error.message.splitlines()[1:] == ["  line 2: b = two", "  you sent: b = 2"]
    assert error.hint == "copy line 2 exactly"
    assert error.details == {"lines": [2, 2], "expected": "b = 2", "actual": "b = two\n"}


def test_drift_shows_the_first_line_that_differs() -> None:
    source = Source.of_text("a = 1\nb = 2\nc = three\n")
    error = refusals.drift("a.py", source, (1, 3), "a = 1\nb = 2\nc = 3", "a = 1\nb = 2\nc = three\n")
    assert error.message.splitlines()[0].startswith("old text differs from lines 1–3 of a.py")
    assert error.message.splitlines()[1:] == ["  line 3: c = three", "  you sent: c = 3"]


def test_drift_of_a_line_that_is_gone_shows_what_is_in_its_place() -> None:
    error = refusals.drift("a.py", Source.of_text("a = 1\nc = 3\n"), (2, 2), "b = 2", "")
    assert error.message.splitlines()[1:] == ["  line 2: c = 3", "  you sent: b = 2"]
    assert error.hint is not None
    assert "is gone" in error.hint
    assert refusals.drift("a.py", Source.of_text(""), (1, 1), "b = 2", "").message


TWO_BLANKS = "a = 1\n\n\nb = 2\nc = 3\n"
INDENTED = "def f(a):\n    first = load(a)\n    second = save(a)\n    return first\n"


@table(
    ("text", "old", "new", "says"),
    [
        (
            TWO_BLANKS,
            "a = 1\n\n\n\nb = 2\nc = 3\n",
            "a = 1\n\n\nx = 9\nb = 2\nc = 3\n",
            "has other blank lines than a.py around line",
        ),
        (
            INDENTED,
            "    first = load(a)\n    second = saev(a)\n    return first\n",
            "new = 1\n    first = load(a)\n    second = saev(a)\n    return first\n",
            "new lines at line 2 of a.py whose indentation is ambiguous",
        ),
    ],
    ids=["blank lines", "indentation"],
)
def test_a_drift_says_what_is_in_doubt_where_both_sides_look_the_same(text: str, old: str, new: str, says: str) -> None:
    error = edit(text, Replace(old, new), path="a.py").error
    assert error is not None
    assert (error.kind, "nothing" in error.message) == ("drift-conflict", False), error.message
    assert says in error.message


@pytest.mark.hypothesis
def test_no_drift_shows_nothing_on_both_sides() -> None:
    """Real lines, with blank ones more or fewer, and new text with a bare first line."""
    chance, refused = Random(15), 0
    for _ in range(EXAMPLES * 2):
        rows = split_lines(chance.choice(real_texts(at_least=4_000)))
        start = chance.randrange(len(rows) - 8)
        old = rows[start : start + chance.randrange(2, 7)]
        old.insert(chance.randrange(len(old)), "\n")
        new = list(old)
        new[chance.randrange(len(new))] = chance.choice(["x = 1\n", "    y = 2\n"])
        new[0] = new[0].lstrip(" ")
        error = edit("".join(rows), Replace("".join(old), "".join(new)), path="a.py").error
        if error is not None and error.kind == "drift-conflict":
            refused += 1
            assert not re.search(r"has: nothing\n.*: nothing", error.message), error.message
    assert refused > EXAMPLES / 10


def test_drift_offers_the_call_that_keeps_both_changes() -> None:
    call = {"target": "b = two", "new": "bb = two"}
    error = refusals.drift("a.py", Source.of_text("b = two\n"), (1, 1), "b = 2", "b = two", call)
    assert error.details["corrected"] == call
    assert error.hint is not None
    assert error.hint.startswith("to keep both changes, send `corrected`")


def several(tier: Tier, *spans: Span) -> Several:
    return Several(tier, spans, len(spans), is_all=True)


def test_places_that_merely_resemble_the_old_text_have_no_number() -> None:
    tier = Tier("guess", 1, 0.8, "for this test", lambda *_, **__: iter(()), ("words",), (), (), is_single=True)
    source = Source.of_text("left_value = 10\nmiddle\nleft_value = 12\n")
    found = several(tier, Span(0, 15), Span(23, 38))
    sent = Replace("left_value = 11", "right_value = 11")
    error = refusals.ambiguous("a.py", source, found, edit=sent, policy=Policy())
    assert "2 places are about equally similar" in error.message
    assert error.message.splitlines()[1] == "  line 1: left_value = 10"
    places: list[dict[str, object]] = error.details["candidates"]  # type: ignore[assignment]
    assert [place["corrected"] for place in places] == [
        {"target": f"left_value = {number}", "new": f"right_value = {number}"} for number in (10, 12)
    ]
    assert not any("occurrence" in place for place in places)
    assert error.hint is not None
    assert "occurrence" not in error.hint


def test_places_found_with_differences_are_said_to_be() -> None:
    tier = Tier("loose", 1, 0.9, "for this test", lambda *_, **__: iter(()), ("blanks",), (), ())
    source = Source.of_text("a  = 1\nb\na =  1\n")
    error = refusals.ambiguous("a.py", source, several(tier, Span(0, 7), Span(9, 16)))
    assert error.message.startswith("old text matches 2 places in a.py, ignoring blanks:")
    places: list[dict[str, object]] = error.details["candidates"]  # type: ignore[assignment]
    assert [place["occurrence"] for place in places] == [1, 2]


@table(("expected", "actual"), [("", ""), ("\n", "\n\n"), ("", "\n")])
def test_a_drift_of_blank_lines_does_not_show_nothing_against_nothing(expected: str, actual: str) -> None:
    error = refusals.drift("a.py", Source.of_text("a = 1\n\n\nb = 2\n"), (2, 2), expected, actual)
    assert "nothing" not in error.message
    assert "blank lines" in error.message
    assert "line 2" in error.message
