"""What is planned in an excerpt of a large file is what would be planned in all of it."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace
from steadyhand.plan.planner import Plan, excerpt_of, plan
from steadyhand.plan.policy import Policy
from steadyhand.text.large import LargeSource
from steadyhand.text.source import LARGE, Source
from tests.table import table

WORDS = ("alpha", "größe", "東京", "🙂", "return", "x = 1", "# note", "")
AROUND = 60  # bytes, where the product takes 64 KB


def lines_of(draw: random.Random, count: int) -> list[str]:
    indents = ("", "", "    ", "\t")
    return [
        f"{draw.choice(indents)}{' '.join(draw.choices(WORDS, k=draw.randrange(4)))}"
        + (f" {draw.randrange(1_000)}" if draw.random() < 0.7 else "")
        + "\n"
        for _ in range(count)
    ]


def edit_of(draw: random.Random, lines: list[str]) -> Edit:
    """An edit of some lines or of a part of one, with what else may be known of its place."""
    first = draw.randrange(len(lines))
    old = "".join(lines[first : first + draw.randrange(1, 4)])
    fit = draw.choice(("free", "free", "lines", "lines-first"))
    if fit == "free" and draw.random() < 0.5:
        start = draw.randrange(len(old))
        old = old[start : draw.randrange(start, len(old)) + 1]
    elif draw.random() < 0.5:
        old = old.removesuffix("\n") or old
    line = None if fit == "free" or draw.random() < 0.5 else first + 1 + draw.choice((0, 0, 0, 1, -2, 40))
    target = Old(old, line=line, fit=fit)  # type: ignore[arg-type]  # one of its values
    new = "".join(lines_of(draw, draw.randrange(3))) or draw.choice(WORDS)
    new = draw.choice((new, old + new, new + old, old.replace("1", "2"), old[::-1]))
    match draw.randrange(6):
        case 0:
            return Insert(target, new, where=draw.choice(("before", "after", "start", "end")))
        case 1:
            return Delete(target)
    return Replace(target, new)


def answer(made: Plan) -> tuple[object, ...]:
    said = (made.ok, made.outcomes, made.changes, made.splice_edits, made.warnings, made.proofs, made.refusal)
    return (*said, made.after.text, made.after.to_bytes())


def check(seed: str) -> bool:
    """Whether an edit drawn by chance could be planned in an excerpt; then it is as it must be."""
    draw = random.Random(seed)
    lines = lines_of(draw, draw.choice((40, 150, 400)))
    text = "".join(lines)
    text = text[:-1] if draw.random() < 0.2 else text
    text = text.replace("\n", "\r\n", draw.randrange(3)) if draw.random() < 0.1 else text
    edits = [edit_of(draw, lines) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    batch, newlines = draw.choice(("sequential", "snapshot")), draw.choice(("file", "file", "literal"))
    policy = Policy(batch=batch, newlines=newlines, partial=draw.random() < 0.2)  # type: ignore[arg-type]
    source = LargeSource.of(text.encode())
    assert source is not None
    excerpt = excerpt_of(source, edits, policy, AROUND)
    if excerpt is None:
        return False
    widened = excerpt.widened(plan(excerpt.source, excerpt.edits, excerpt.policy, reason="why", offers=False))
    if widened is None:
        return False
    assert "text" not in vars(source)
    assert answer(widened) == answer(plan(Source.of_bytes(text.encode()), edits, policy, reason="why"))
    return True


@given(seed=st.integers(0, 10**12))
def test_an_edit_is_planned_in_an_excerpt_as_in_the_whole(seed: int) -> None:
    for number in range(10):
        check(f"{seed} {number}")


def test_many_edits_can_be_planned_so() -> None:
    assert sum(check(f"{number}") for number in range(250)) > 25


BIG = "".join(f"value_{number} = {number}  # 🙂\n" for number in range(LARGE // 24))
AT = "value_200000 = 200000  # 🙂\n"


@table("path", ["big.txt", "big.py", "big.json", None])
def test_a_large_file_is_edited_without_being_held_as_text(path: str | None) -> None:
    result = sh.edit(BIG.encode(), [sh.Replace(AT, "value_200000 = 0\n")], path=path)
    expected = sh.edit(BIG, [sh.Replace(AT, "value_200000 = 0\n")], path=path)
    assert result.ok
    assert result.text == expected.text.encode()
    assert (result.outcomes, result.changes, result.warnings) == (
        expected.outcomes,
        expected.changes,
        expected.warnings,
    )
    assert result.before.is_large
    assert "text" not in vars(result.before) | vars(result.after)
    assert result.diff() == expected.diff()


REFUSED = {
    "nowhere": sh.Replace("there is no such line at all\nnor this one\n", "x\n"),
    "several": sh.Replace("  # 🙂\n", "\n"),
    "the same": sh.Replace(AT, AT),
    "a placeholder": sh.Replace(AT, "# ... existing code ...\n"),
    "a lone surrogate": sh.Replace(AT, "\ud800\n"),
    "an address": sh.Replace(sh.Lines(9_999_999, 9_999_999), "x\n"),
}


@table("name", REFUSED)
def test_a_refusal_is_that_of_the_whole_file(name: str) -> None:
    data, edits = BIG.encode(), [REFUSED[name]]
    error, expected = sh.edit(data, edits).error, sh.edit(BIG, edits).error
    assert error is not None
    assert expected is not None
    assert error.to_json() == expected.to_json()


def test_a_tolerant_edit_is_made_in_the_whole_text() -> None:
    edits = [sh.Replace("value_200000  =  200000 # 🙂\n", "value_200000 = 0\n")]
    result, expected = sh.edit(BIG.encode(), edits), sh.edit(BIG, edits)
    assert (result.text, result.outcomes) == (expected.text.encode(), expected.outcomes)
    assert result.ok
