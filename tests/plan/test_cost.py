"""What an edit costs, in calls of Python functions: it follows the change and not the size of the file."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType

import steadyhand as sh
from steadyhand.text.diff import diff_rows
from steadyhand.text.indent import unit_in, unit_of
from steadyhand.text.lines import split_bodies
from tests.table import table

LINES = (10_000, 200_000)


def calls_of(run: Callable[[], object]) -> int:
    """How many Python functions run; generators count at each step."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    for _ in range(16):  # methods are compiled once a class has some instances (`lazy.py`)
        sh.edit("a\nb\n", [sh.Replace("a\n", "c\n")], path="a.txt")
        sh.edit(b"a\nb\n", [sh.Replace("a\n", "c\n")], path="a.txt")
    run()  # fills what is kept for all calls
    gc.disable()  # what others do when garbage is collected is not this call's
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def text_of(lines: int, ending: str = "\n") -> str:
    return "".join(f"name_{number} = {number}{ending}" for number in range(lines))


def edit_of(lines: int, ending: str = "\n") -> sh.Replace:
    at = lines * 9 // 10
    old = "".join(f"name_{number} = {number}{ending}" for number in range(at, at + 4))
    return sh.Replace(old, old.replace(f"= {at + 1}", "= 0"))


@table("ending", ["\n", "\r\n", "\r"], ids=["LF", "CR LF", "CR"])
@table("kind", ["str", "bytes"])
def test_an_exact_edit_calls_as_many_functions_in_a_long_file_as_in_a_short_one(ending: str, kind: str) -> None:
    counts = []
    for lines in LINES:
        text, edit = text_of(lines, ending), edit_of(lines, ending)
        data = text.encode()
        result = sh.edit(text, [edit], path="a.txt")
        assert result.outcomes[0].lines == (lines * 9 // 10 + 2, lines * 9 // 10 + 2)
        run = (
            (lambda t=text, e=edit: sh.edit(t, [e], path="a.txt"))
            if kind == "str"
            else (lambda d=data, e=edit: sh.edit(d, [e], path="a.txt"))
        )
        counts.append(calls_of(run))
    assert counts[0] == counts[1]
    assert counts[0] < 260


def test_a_part_of_a_line_is_exchanged_with_few_calls() -> None:
    text = text_of(20_000)
    assert calls_of(lambda: sh.edit(text, [sh.Replace("name_17000 = 17000", "other = 1")], path="a.txt")) < 200


@table("step", ["whitespace", "fuzzy"])
def test_a_tolerant_edit_looks_at_the_lines_around_its_place(step: str) -> None:
    counts = []
    for lines in LINES:
        edit = edit_of(lines)
        target = edit.target
        assert isinstance(target, sh.Old)
        old, new = target.text, edit.new
        if step == "whitespace":
            old, new = (text.replace(" = ", "  =  ") for text in (old, new))
        else:
            first = old.split("\n")[0]
            old, new = (text.replace(first, first + "0  # wrong") for text in (old, new))
        text = text_of(lines)
        assert sh.edit(text, [sh.Replace(old, new)], path="a.txt").outcomes[0].tier == step
        counts.append(calls_of(lambda t=text, o=old, n=new: sh.edit(t, [sh.Replace(o, n)], path="a.txt")))
    blocks = 200_000 * 20 // 4_096  # the lines of each block of the text are counted by one call
    assert counts[1] < counts[0] + 4 * blocks


def test_the_unit_of_a_text_is_that_of_its_rows() -> None:
    texts = ["", "a", "a\n  b\n\n    c\nd", "\ta\n\t\tb\n  c\n", " \x0c x\n    y\n", "a\r  b\r\n    c\n", "  \n    \n"]
    texts += ["".join(f"{' ' * (number * 7 % 12)}x\n" for number in range(40)), "\u00a0 a\n  b\n c\n      d\n"]
    for text in texts:
        assert unit_in(text) == unit_of(split_bodies(text))


def test_what_two_lists_share_nothing_of_is_one_change() -> None:
    rows = [f"row {number}" for number in range(50)]
    (change,) = diff_rows(["a", *rows, "z"], ["a", "other", "z"])
    assert (change.before_start, change.before_end, change.after_start, change.after_end) == (1, 51, 1, 2)
