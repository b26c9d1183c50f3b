"""Many edits of a long text in one call: right, and without rebuilding the text each time (see `make bench`).

The law for every draft: what it says a tier finds is what the tier finds in the text put together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.match.tier import Needle
from steadyhand.match.tiers.quoted import TIERS
from steadyhand.plan import draft as draft_module
from steadyhand.plan import many_edits
from steadyhand.plan.draft import Draft, RunningDraft, Taken
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.lines import Lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.table import table


@pytest.fixture(scope="module")
def _indexed() -> Iterator[None]:
    """Every text and every needle is worth an index."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_MANY_NEEDLES", "_LONG_TEXT", "_READ_COST", "_FEW_UNKNOWN"):
            patch.setattr(draft_module, name, 0)
        patch.setattr(many_edits, "_FEW", 1)
        patch.setattr(many_edits, "_LOOK", 1)
        yield


words = st.lists(st.sampled_from(["ab", "b", "aba", " ", "_x", "\n", "\r\n", "\r"]), max_size=12).map("".join)
olds = st.lists(st.sampled_from(["ab", "b", "aba", " ", "_x", "\n", "\r\n"]), min_size=1, max_size=6).map("".join)
writes = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), words), max_size=6)


@pytest.mark.usefixtures("_indexed")
@given(st.lists(words, max_size=6).map("".join), st.lists(olds, max_size=8), st.lists(olds, max_size=8), writes)
def test_what_a_draft_finds_is_what_is_in_the_text_put_together(
    text: str, needles: list[str], alternatives: list[str], wishes: list[tuple[int, int, str]]
) -> None:
    for draft in (
        Draft(Source.of_text(text), needles, alternatives),
        RunningDraft(Source.of_text(text), needles, alternatives),
    ):
        assert_finds(draft, needles)
        for number, (start, size, new) in enumerate(wishes):
            placed = draft.place(Span(min(start, draft.length), min(start + size, draft.length)), new)
            if not isinstance(placed, Taken):
                draft.write([placed], number)
            assert_finds(draft, needles if number < 3 else needles + alternatives)


def assert_finds(draft: Draft, needles: list[str]) -> None:
    """The looser tier is asked only where the stricter finds nothing, as everywhere."""
    text = Source.of_text(draft.source.text)
    for needle in map(Needle, needles):
        for apart in (False, True):
            for tier in TIERS.values():
                expected = list(tier.find(text, needle, apart=apart))
                assert list(draft.find(tier, needle, apart=apart)) == expected, (tier.name, needle.text)
                if expected:
                    break


@given(st.lists(words, max_size=6).map("".join), writes, st.booleans())
def test_the_lines_of_a_running_text_are_those_of_the_text_put_together(
    text: str, wishes: list[tuple[int, int, str]], often: bool
) -> None:
    draft = RunningDraft(Source.of_text(text), [], [])
    for number, (start, size, new) in enumerate(wishes):
        placed = draft.place(Span(min(start, draft.length), min(start + size, draft.length)), new)
        if isinstance(placed, Taken):
            continue
        draft.write([placed], number)
        running, whole = draft.source.table, Source.of_text(draft.source.text).table
        if often:
            for offset in range(3_000):
                running.row_at(offset % (draft.length + 1))
        assert running.count == whole.count
        for first in range(whole.count + 2):
            assert (running.start(first), running.text(first)) == (whole.start(first), whole.text(first))
            assert draft.source.table.texts(first, first + 2) == whole.texts(first, first + 2)
        assert running.bodies == whole.bodies


def some_lines(count: int) -> list[str]:
    chance = random.Random(7)
    return [f"    value_{chance.randrange(10**9)} = compute({number})\n" for number in range(count)]


def test_a_thousand_edits_of_a_long_text_each_find_their_line() -> None:
    lines = some_lines(50_000)
    chosen = random.Random(1).sample(range(len(lines)), 1_000)
    edits: list[Edit] = [Replace(lines[row], f"line {row}\n") for row in chosen]
    result = edit("".join(lines), edits)
    assert result.ok
    for row in chosen:
        lines[row] = f"line {row}\n"
    assert result.text == "".join(lines)


@table("ending", ["\n", "\r\n"])
@table("batch", ["sequential", "snapshot"])
def test_hundreds_of_edits_of_few_characters_each_find_their_place(ending: str, batch: str) -> None:
    marks = [f"{number:03x}" for number in range(0x800, 0xB00)]
    lines = [f"some words, then <{mark}>, and the end" for mark in marks]
    text = ending.join(["words " * 20] * 500 + lines)
    edits: list[Edit] = [Replace(f"{mark}>", f"{mark}: done>") for mark in marks]
    random.Random(3).shuffle(edits)
    result = edit(text, edits, policy=Policy(batch=batch))  # type: ignore[arg-type]
    assert result.ok
    assert result.text == text.replace(">,", ": done>,")


def test_hundreds_of_absent_and_ambiguous_texts_leave_the_other_edits_alone() -> None:
    lines = some_lines(5_000)
    text = "".join(lines)
    edits: list[Edit] = []
    for row in range(0, 150, 3):
        edits += [Replace(lines[row], "x\n"), Replace(f" = compute({row}0)?", "y"), Replace(lines[row][:12], "z")]
    result = edit(text, edits, policy=Policy(partial=True, tier="newline"))
    kinds = [None if outcome.error is None else outcome.error.kind for outcome in result.outcomes]
    assert kinds[::3] == [None] * 50
    assert set(kinds[1::3]) == {Kind.NO_MATCH}
    expected = "".join("x\n" if row % 3 == 0 and row < 150 else line for row, line in enumerate(lines))
    for row in (number * 3 for number, kind in enumerate(kinds[2::3]) if kind is None):
        assert expected.count(lines[row][:12]) == 1
        expected = expected.replace(lines[row][:12], "z")
    assert result.text == expected


def test_hundreds_of_line_ranges_each_find_their_line() -> None:
    lines = some_lines(50_000)
    rows = random.Random(2).sample(range(len(lines)), 300)
    edits: list[Edit] = [Replace(Lines(row + 1), f"line {row}") for row in rows]
    result = edit("".join(lines), edits)
    for row in rows:
        lines[row] = f"line {row}\n"
    assert result.text == "".join(lines)


def test_an_absent_text_in_a_long_file_is_refused() -> None:
    text = "".join(some_lines(20_000))
    needle = "".join(f"    nothing like this {number}\n" for number in range(40))
    result = edit(text, Replace(needle, "x"))
    assert result.error is not None
    assert (result.error.kind, result.text) == (Kind.NO_MATCH, text)
