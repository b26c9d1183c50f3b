"""What an edit costs grows with the text once, not once per edit: loose bounds, far from any machine's noise."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.targets.lines import Lines


def some_lines(count: int) -> list[str]:
    chance = random.Random(7)
    return [f"    value_{chance.randrange(10**9)} = compute({number})\n" for number in range(count)]


def cost(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def test_a_thousand_edits_of_a_long_text_cost_far_less_than_a_thousand_calls() -> None:
    lines = some_lines(50_000)
    text = "".join(lines)
    chosen = random.Random(1).sample(range(len(lines)), 1_000)
    edits: list[Edit] = [Replace(lines[row], f"line {row}\n") for row in chosen]
    result = edit(text, edits)
    assert result.ok
    for row in chosen:
        lines[row] = f"line {row}\n"
    assert result.text == "".join(lines)
    assert cost(lambda: edit(text, edits)) < 200 * cost(lambda: edit(text, edits[:1]))


def test_hundreds_of_line_ranges_do_not_rebuild_the_text_each_time() -> None:
    lines = some_lines(50_000)
    text = "".join(lines)
    rows = random.Random(2).sample(range(len(lines)), 300)
    edits: list[Edit] = [Replace(Lines(row + 1), f"line {row}") for row in rows]
    assert cost(lambda: edit(text, edits)) < 40 * cost(lambda: edit(text, edits[:1]))


def test_one_edit_of_a_long_text_costs_little_more_than_finding_and_slicing() -> None:
    lines = some_lines(30_000)
    text, old = "".join(lines), lines[15_000].strip()

    def plain() -> str:
        at = text.find(old)
        return text[:at] + "x" + text[at + len(old) :]

    assert cost(lambda: edit(text, Replace(old, "x"))) < 10 * cost(plain) + 0.005


def test_an_absent_text_in_a_long_file_is_refused_soon() -> None:
    text = "".join(some_lines(20_000))
    needle = "".join(f"    nothing like this {number}\n" for number in range(40))
    assert cost(lambda: edit(text, Replace(needle, "x"))) < 3
