"""A diff between two texts leads from one to the other, is as small as the lines allow, and its work is bounded."""

from __future__ import annotations

import random
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.diff import Change, changes_between, diff_rows, shared_ends
from steadyhand.text.lines import split_lines
from tests.table import table

ROWS = st.lists(st.sampled_from("abcdef"), max_size=14)
FEW = st.lists(st.sampled_from("ab"), max_size=12)
TEXT = st.text(alphabet="ab\r\né", max_size=30)


def rebuilt(before: list[str], after: list[str], changes: list[Change]) -> list[str]:
    rows: list[str] = []
    position = 0
    for change in changes:
        rows += before[position : change.before_start] + after[change.after_start : change.after_end]
        position = change.before_end
    return rows + before[position:]


def check_rows(before: list[str], after: list[str]) -> None:
    changes = diff_rows(before, after)
    assert rebuilt(before, after, changes) == after
    position = other = 0
    for number, change in enumerate(changes):
        assert change.before_start < change.before_end or change.after_start < change.after_end
        kept = change.before_start - position
        assert kept == change.after_start - other
        assert kept > 0 or number == 0
        assert before[position : change.before_start] == after[other : change.after_start]
        position, other = change.before_end, change.after_end
    assert before[position:] == after[other:]


@given(ROWS)
def test_equal_rows_have_no_changes(rows: list[str]) -> None:
    assert diff_rows(rows, list(rows)) == []


@given(st.one_of(st.tuples(ROWS, ROWS), st.tuples(FEW, FEW)))
def test_changes_rebuild_after_and_what_lies_between_is_equal(case: tuple[list[str], list[str]]) -> None:
    check_rows(*case)


@given(TEXT, TEXT)
def test_a_change_set_of_whole_lines_turns_one_text_into_the_other(before: str, after: str) -> None:
    changes = changes_between(before, after, "d" * 64)
    assert changes.base == "d" * 64
    assert changes.apply(before) == after
    assert changes == changes_between(before, after, "d" * 64)
    starts = {0}
    for line in split_lines(before):
        starts.add(max(starts) + len(line))
    assert all(splice.start in starts and splice.end in starts for splice in changes.splices)


@table("ending", ["\n", "\r\n", "\r"])
def test_a_long_text_is_compared_as_one_however_its_lines_are_taken_up(ending: str) -> None:
    rows = [f"row {number % 9_000} of a text that is long{ending}" for number in range(60_000)]
    others = [line.upper() if at % 7_001 == 3 else line for at, line in enumerate(rows) if at % 9_001]
    changes = changes_between("".join(rows), "".join(others))
    starts = [0, *accumulate(map(len, rows))]
    expected = [
        (starts[change.before_start], "".join(others[change.after_start : change.after_end]))
        for change in diff_rows(rows, others)
    ]
    assert [(splice.start, splice.new) for splice in changes.splices] == expected
    assert changes.apply("".join(rows)) == "".join(others)


@given(TEXT, TEXT)
def test_shared_ends_are_shared_whole_lines_without_overlap(before: str, after: str) -> None:
    head, tail = shared_ends(before, after)
    assert before[:head] == after[:head]
    assert before[len(before) - tail :] == after[len(after) - tail :]
    assert head + tail <= min(len(before), len(after))
    assert head == 0 or before[head - 1] == "\n"
    assert tail == 0 or before[len(before) - tail - 1] == after[len(after) - tail - 1] == "\n"


def test_shared_ends_are_found_beyond_one_block() -> None:
    text = "0123456789abcde\n" * 10_000
    assert shared_ends(text + "x\n" + text, text + "y\n" + text) == (len(text), len(text))


MOVED = [
    (["a", "b"], ["a", "b", "b"], [Change(2, 2, 2, 3)], "an insertion comes last"),
    (["a", "b", "b", "c"], ["a", "b", "c"], [Change(2, 3, 2, 2)], "a deletion comes last"),
    (["q", "d", "d"], ["q", "x", "d"], [Change(1, 2, 1, 2)], "a deletion joins the insertion it belongs to"),
    (["a"], ["b"], [Change(0, 1, 0, 1)], "a replacement is one change"),
    ([], ["a"], [Change(0, 0, 0, 1)], "from nothing"),
    (["a"], [], [Change(0, 1, 0, 0)], "to nothing"),
]


@table(("before", "after", "changes", "why"), MOVED, ids=[why for *_, why in MOVED])
def test_where_a_change_is(before: list[str], after: list[str], changes: list[Change], why: str) -> None:
    assert diff_rows(before, after) == changes


def edited(rows: list[str], times: int, chance: random.Random) -> list[str]:
    rows = list(rows)
    for number in range(times):
        at = chance.randrange(len(rows))
        match chance.randrange(3):
            case 0:
                rows[at] = f"new {number}"
            case 1:
                del rows[at]
            case _:
                rows.insert(at, "}")
    return rows


def large_cases() -> list[tuple[str, list[str], list[str]]]:
    chance = random.Random(7)
    code = [f"line {number}" if number % 3 else "}" for number in range(20_000)]
    logs = [f"entry {chance.randrange(60)}" for _ in range(20_000)]
    return [
        ("few edits", code, edited(code, 10, chance)),
        ("many edits", code, edited(code, 6_000, chance)),
        ("repetitive", logs, edited(logs, 600, chance)),
        ("repetitive and all new", logs, [f"entry {chance.randrange(60)}" for _ in range(20_000)]),
        ("rewritten", code, [f"other {number}" for number in range(20_000)]),
        ("reversed", code, code[::-1]),
        ("one line 200,000 times", ["x"] * 200_000, ["y", *["x"] * 199_990, "z"]),
        ("beyond the budget", logs * 10, [*edited(logs * 10, 9, chance), "end"]),
    ]


@table(("name", "before", "after"), large_cases(), ids=[name for name, *_ in large_cases()])
def test_large_files_are_compared_rightly(name: str, before: list[str], after: list[str]) -> None:
    changes = diff_rows(before, after)
    assert rebuilt(before, after, changes) == after


def test_a_few_edits_in_a_repetitive_file_stay_a_few_changes() -> None:
    chance = random.Random(3)
    rows = [f"entry {chance.randrange(60)}" for _ in range(20_000)]
    assert len(diff_rows(rows, edited(rows, 600, chance))) <= 600
