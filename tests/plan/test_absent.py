"""Old text that is nowhere: what must not be claimed, what must not be offered, and what is reported.

Only the exact tier is allowed in most of these, so that every misquotation counts as absent.
"""

from __future__ import annotations

import random
import re

import pytest

from steadyhand.errors import Kind
from steadyhand.plan.edit import Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from tests.checks import check_edit, check_refused
from tests.real_files import real_texts
from tests.sampling import WHOLE
from tests.table import table

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


@table(("text", "change", "why"), NOT_DONE, ids=[why for *_, why in NOT_DONE])
def test_weak_evidence_is_not_taken_for_an_edit_made_before(text: str, change: Replace, why: str) -> None:
    error = check_refused(text, change, "no-match")
    assert "new_lines" in error.details or why.endswith("twice")
    check_refused(text, change, "no-match", already="skip")


def test_a_weak_sign_is_reported() -> None:
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


@table(("text", "change"), DONE)
def test_whole_lines_that_occur_once_and_no_close_old_text_are_an_edit_made_before(text: str, change: Replace) -> None:
    error = check_refused(text, change, "already-applied")
    assert error.hint is not None
    assert "else copy" in error.hint
    check_edit(text, change, text, already="skip")


def test_a_long_batch_that_was_made_before_is_skipped_as_a_whole() -> None:
    rows = [f"value_{number} = compute_something_long({number}, 'tail {number}')\n" for number in range(40)]
    edits = [Replace(f"zebra {number} crossing\n", row) for number, row in enumerate(rows)]
    result = check_edit("".join(rows), edits, "".join(rows), already="skip")
    assert {outcome.skipped for outcome in result.outcomes} == {"already-applied"}


OFFERED = [
    (
        "return Batch(self.policy, self.store, self.seen_by_task())\n",
        "Batch(self.polcy, self.store, self.seen_by_task())",
        "Batch(self.policy, self.store, self.seen_by_task())",
    ),
    ("say “hello” now\n", 'say "hello"', "say “hello”"),
    ("say “hello” now\n", '"hello" now', "“hello” now"),
    ("a\tb\n", "a    b", "a\tb"),
    ("foo  \nbar \n", "foo\nbar", "foo  \nbar"),
    ("foo  \nbar \n", "foo\nbar\n", "foo  \nbar \n"),
    ("if x:\n\treturn\n", "if x:\n    return\n", "if x:\n\treturn\n"),
    ("x = {  'a':1,\n       'b': 2 }\n", "x = { 'a':1,\n  'b': 2 }", "x = {  'a':1,\n       'b': 2 }"),
]


@table(("text", "old", "offered"), OFFERED)
def test_the_text_to_quote_is_whole(text: str, old: str, offered: str) -> None:
    error = check_refused(text, Replace(old, "z"), "no-match", tier="exact")
    assert error.details["old"] == offered
    check_edit(text, Replace(offered, "z"), text.replace(offered, "z"))


NOT_OFFERED = [
    ("a = 1\nb = one(1)\nc = 2\nb = one(1)\n", "b = one(2)", "line 4"),
    ("left_value = 10\nmiddle\nleft_value = 12\n", "left_value = 1x", "line 3"),
    ("call(alpha, beta); call(alpha, beta)\n", "call(alpha, betta)", "line 1, column 20"),
]


@table(("text", "old", "also"), NOT_OFFERED)
def test_of_two_places_that_are_as_near_none_is_offered_and_both_are_named(text: str, old: str, also: str) -> None:
    error = check_refused(text, Replace(old, "z"), "no-match", tier="exact")
    assert not {"old", "corrected"} & set(error.details)
    assert f"equally similar: {also}" in error.message


@table("old", ["dry_run: boolc", "(dry_run: bool"])
def test_an_edge_in_doubt_is_not_offered(old: str) -> None:
    error = check_refused("def make(path, dry_run: bool, deep: str)\n", Replace(old, "z"), "no-match", tier="exact")
    assert not {"old", "corrected"} & set(error.details)


SOMEBODYS = [
    ("timeout = 30\n", "timeout = 10"),
    ("total = prices * count\n", "total = price * count"),
    ("Batch(self.policy, self._store)\n", "Batch(self.policy, self_store)"),
    ("r.pfadd('hll', elements)\n", "r.pfadd('hll', *elements)"),
    ("def test_not_embedded(client: Client):\n", "def test_not_embeded(client: Client):"),
    ("ret += lane(vmaxnmq(one, two), 0)\n", "ret += lane(vminnmq(one, two), 0)"),
    ("the port that is old\nthe part that is new\n", "the port that is new"),
]


@table(("text", "old"), SOMEBODYS)
def test_what_may_be_somebodys_work_is_not_offered_to_be_overwritten(text: str, old: str) -> None:
    """Only a slip of the pen is no other text: one letter in a plain word that the file has nowhere, or blanks."""
    error = check_refused(text, Replace(old, "z"), "no-match", tier="exact", path="a.py")
    assert not {"old", "corrected"} & set(error.details)


@pytest.mark.sampled
def test_offers_for_slips_of_the_pen_are_what_was_meant() -> None:
    """Words of real modules with one letter wrong: an offer is unique, and the span itself."""
    chance = random.Random(11)
    asked = offered = wrong = 0
    while asked < (600 if WHOLE else 60):
        text = chance.choice(real_texts())
        span, old = _with_a_slip(text, chance)
        if text.count(span) != 1 or set(re.findall(r"\w+", old)) <= set(re.findall(r"\w+", text)):
            continue
        asked += 1
        error = edit(text, Replace(old, "zz"), policy=Policy(tier="exact")).error
        assert error is not None
        assert error.kind is Kind.NO_MATCH
        offer = error.details.get("old")
        if isinstance(offer, str):
            offered += 1
            assert text.count(offer) == 1
            wrong += offer != span
    assert offered > 0.8 * asked
    assert wrong <= 0.01 * offered  # another place may by chance be nearer than the one the slip was made in


def test_where_nothing_is_similar_that_is_said_and_no_place_shown() -> None:
    error = check_refused(BODY, Replace("for a in range(3):\n    print(a, b)\n", "x"), "no-match", path="a.py")
    assert error.message == "old text is not in a.py\nnothing there is similar"
    assert not {"old", "corrected", "nearest"} & set(error.details)
    assert error.hint is not None
    assert "read a.py again" in error.hint


def _with_a_slip(text: str, chance: random.Random) -> tuple[str, str]:
    """Some words of a line, and the same with one letter of a plain word lost, doubled or another."""
    line = chance.choice([line.strip() for line in text.splitlines() if len(line.strip()) >= 12] or ["nothing to see"])
    ends = [found.end() for found in re.finditer(r"\S+", line)]
    span = line[: chance.choice([end for end in ends if end >= 12])]
    words = list(re.finditer(r"(?<![\w.])[a-z]{6,}(?!\w)", span))
    if not words:
        return span, span
    word = chance.choice(words)
    at = chance.randrange(word.start() + 1, word.end() - 1)
    return span, span[:at] + chance.choice(["", 2 * span[at], chance.choice("aeiou")]) + span[at + 1 :]


SIBLINGS = (
    "class IncrementalEncoder(codecs.IncrementalEncoder):\n"
    "    def encode(self, input: str, final: bool = False) -> bytes: ...\n\n"
    "class StreamReader(Codec, codecs.StreamReader): ...\n"
)
NEAR_TWINS = "".join(
    f"        // unboxed at once by\n        // {name} wrapper\n\n" for name in ("tp_hash", "tp_call_it")
)


@table("on_drift", ["refuse", "merge", "new"])
@table(
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
