"""Old text that is nowhere: what must not be claimed, what must not be offered, and what is told.

Only the exact tier is allowed in most of these, so that every misquotation counts as absent.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import steadyhand
from steadyhand.errors import Kind
from steadyhand.plan.edit import Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from tests.checks import check_edit, check_refused

BODY = "def area(w, h):\n    return w * h  # of a rectangle\n"
LONG = "the_result = compute_everything(first, second)"

NOT_DONE = [
    ("import os\n", Replace("import json", "import os"), "one short line"),
    ("def f():\n    return\n", Replace("pass", "return"), "a single word"),
    ("a X b", Replace("ab", "X"), "part of a line"),
    (f"x = 1; {LONG}\n", Replace("y = 2", LONG), "long, but not from the start of its line"),
    (f"{LONG} + 1\n", Replace("y = 2", LONG), "long, but not to the end of its line"),
    (f"{BODY}\n{BODY}", Replace("zebra", BODY), "whole lines, but twice"),
    (f"{BODY}\ndef volume(w, h, d):\n", Replace("def volume(w, h, dd):\n", BODY), "the old text is close elsewhere"),
]


@pytest.mark.parametrize(("text", "change", "why"), NOT_DONE, ids=[why for *_, why in NOT_DONE])
def test_weak_evidence_is_not_taken_for_an_edit_made_before(text: str, change: Replace, why: str) -> None:
    error = check_refused(text, change, "no-match")
    assert "new_lines" in error.details or why.endswith("twice")
    check_refused(text, change, "no-match", already="skip")


def test_a_weak_sign_is_told() -> None:
    error = check_refused("x = 1\nimport os\n", Replace("import json", "import os"), "no-match")
    assert error.details["new_lines"] == [2, 2]
    assert "the new text is in line 2" in error.message
    assert "old" not in error.details  # sending the new text as the old one would change nothing


def test_new_text_inside_a_word_is_there_by_chance() -> None:
    error = check_refused("some text here\n", Replace("nowhere", "x"), "no-match")
    assert "new_lines" not in error.details


DONE = [
    (f"import os\n\n{BODY}", Replace("def area(w, h):\n    pass\n", BODY)),
    (f"import os\n\n{BODY}", Replace("quite another thing\n", BODY)),
    (f"class A:\n    {LONG}\n", Replace("the_result = compute_everything()", LONG)),
    (f"class A:\r\n    {LONG}\r\n    pass\r\n", Replace("zebra\n", f"{LONG}\n    pass\n")),
]


@pytest.mark.parametrize(("text", "change"), DONE)
def test_whole_lines_that_stand_once_and_no_close_old_text_are_an_edit_made_before(text: str, change: Replace) -> None:
    error = check_refused(text, change, "already-applied")
    assert error.hint is not None
    assert "if not" in error.hint
    check_edit(text, change, text, already="skip")


def test_a_long_batch_that_was_made_before_is_skipped_as_a_whole() -> None:
    rows = [f"value_{number} = compute_something_long({number}, 'tail {number}')\n" for number in range(40)]
    edits = [Replace(f"zebra {number} crossing\n", row) for number, row in enumerate(rows)]
    result = check_edit("".join(rows), edits, "".join(rows), already="skip")
    assert {outcome.skipped for outcome in result.outcomes} == {"already-applied"}


OFFERED = [
    (
        "return Batch(self.policy, self._store, self._seen_by_task())\n",
        "Batch(self.policy, self_store, self._seen_by_task())",
        "Batch(self.policy, self._store, self._seen_by_task())",
    ),
    ("say “hello” now\n", 'say "hello"', "say “hello”"),
    ("say “hello” now\n", '"hello" now', "“hello” now"),
    ("a\tb\n", "a    b", "a\tb"),
    ("foo  \nbar \n", "foo\nbar", "foo  \nbar"),
    ("foo  \nbar \n", "foo\nbar\n", "foo  \nbar \n"),
    ("if x:\n\treturn\n", "if x:\n    return\n", "if x:\n\treturn\n"),
    ("x = {  'a':1,\n       'b': 2 }\n", "x = { 'a':1,\n  'b': 2 }", "x = {  'a':1,\n       'b': 2 }"),
]


@pytest.mark.parametrize(("text", "old", "offered"), OFFERED)
def test_the_text_to_quote_is_whole(text: str, old: str, offered: str) -> None:
    error = check_refused(text, Replace(old, "z"), "no-match", tier="exact")
    assert error.details["old"] == offered
    check_edit(text, Replace(offered, "z"), text.replace(offered, "z"))


NOT_OFFERED = [
    ("a = 1\nb = one(1)\nc = 2\nb = one(1)\n", "b = one(2)", "line 4"),
    ("left_value = 10\nmiddle\nleft_value = 12\n", "left_value = 1x", "line 3"),
    ("call(alpha, beta); call(alpha, beta)\n", "call(alpha, betta)", "line 1, column 20"),
]


@pytest.mark.parametrize(("text", "old", "also"), NOT_OFFERED)
def test_of_two_places_that_are_as_near_none_is_offered_and_both_are_named(text: str, old: str, also: str) -> None:
    error = check_refused(text, Replace(old, "z"), "no-match", tier="exact")
    assert not {"old", "corrected"} & set(error.details)
    assert f"as near: {also}" in error.message


@pytest.mark.parametrize("old", ["dry_run: boolc", "(dry_run: bool"])
def test_an_edge_in_doubt_is_not_offered(old: str) -> None:
    error = check_refused("def make(path, dry_run: bool, deep: str)\n", Replace(old, "z"), "no-match", tier="exact")
    assert not {"old", "corrected"} & set(error.details)


def test_offers_for_single_wrong_characters_are_what_was_meant() -> None:
    """Spans of our own source with one character wrong: an offer is unique, and the span or its whole words."""
    chance = random.Random(11)
    files = [path.read_text() for path in sorted(Path(steadyhand.__file__).parent.rglob("*.py"))]
    asked = offered = wrong = 0
    while asked < 600:
        text = chance.choice(files)
        span, old = _with_a_typo(text, chance)
        if text.count(span) != 1 or old in text:
            continue
        asked += 1
        error = edit(text, Replace(old, "zz"), policy=Policy(tier="exact")).error
        assert error is not None
        assert error.kind is Kind.NO_MATCH
        offer = error.details.get("old")
        if isinstance(offer, str):
            offered += 1
            assert text.count(offer) == 1
            wrong += not _is_whole_words_of(offer, span)
    assert offered > 0.9 * asked
    assert wrong <= 0.01 * offered  # another place may by chance be nearer than the one the typo was made in


def test_where_nothing_is_similar_that_is_said_and_no_place_shown() -> None:
    error = check_refused(BODY, Replace("for a in range(3):\n    print(a, b)\n", "x"), "no-match", path="a.py")
    assert error.message == "the old text is not in a.py, and nothing there is similar"
    assert not {"old", "corrected", "nearest"} & set(error.details)
    assert error.hint is not None
    assert "read a.py again" in error.hint


def _with_a_typo(text: str, chance: random.Random) -> tuple[str, str]:
    line = chance.choice([line.strip() for line in text.splitlines() if len(line.strip()) >= 12] or ["nothing to see"])
    start = chance.randrange(len(line) - 11)
    span = line[start : chance.randrange(start + 12, len(line) + 1)].strip()
    at, char = chance.randrange(len(span)), chance.choice('abcxyz_().,0 "')
    rest = chance.choice([span[at + 1 :], span[at:]])
    return span, span[:at] + chance.choice([char + rest, span[at + 1 :]])


def _is_whole_words_of(offer: str, span: str) -> bool:
    before, found, after = offer.partition(span)
    return bool(found) and all(char.isalnum() or char == "_" for char in before + after)


SIBLINGS = (
    "class IncrementalEncoder(codecs.IncrementalEncoder):\n"
    "    def encode(self, input: str, final: bool = False) -> bytes: ...\n\n"
    "class StreamReader(Codec, codecs.StreamReader): ...\n"
)
NEAR_TWINS = "".join(
    f"        // unboxed at once by\n        // {name} wrapper\n\n" for name in ("tp_hash", "tp_call_it")
)


@pytest.mark.parametrize("on_drift", ["refuse", "merge", "new"])
@pytest.mark.parametrize(
    ("text", "old", "change", "path"),
    [
        (
            SIBLINGS,
            SIBLINGS.replace("Encoder", "Decoder").replace("encode(", "decode(").replace("Reader", "Writer"),
            ("input:", "data:"),
            "a.pyi",
        ),
        (
            NEAR_TWINS,
            "        // unboxed at once by\n        // tp_hash_value wrapper\n",
            ("at once", "soon"),
            "a.c",
        ),
    ],
    ids=["a sibling", "near twins"],
)
def test_a_sibling_and_one_of_two_near_twins_are_no_drifted_place_and_not_offered(
    text: str, old: str, change: tuple[str, str], path: str, on_drift: str
) -> None:
    result = edit(text, Replace(old, old.replace(*change)), path=path, policy=Policy(on_drift=on_drift))  # type: ignore[arg-type]
    assert result.text == text
    assert result.error is not None
    assert "corrected" not in result.error.details
