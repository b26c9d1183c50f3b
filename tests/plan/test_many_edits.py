"""Many edits of a long text in one call: right, and without rebuilding the text each time (see `make bench`)."""

from __future__ import annotations

import random

import pytest

from steadyhand.errors import Kind
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.targets.lines import Lines

pytestmark = pytest.mark.timeout(120)  # against a hang


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
