"""The signs of a patch say which rows go, in every dialect that has signs; nothing else tells equal rows apart."""

from __future__ import annotations

from itertools import product

import steadyhand as sh
from tests.table import table

FILES = {
    "line ending": ("same\r\nsame\n", "same"),
    "blanks behind": ("same \nsame\n", "same"),
    "indentation": ("  same\nsame\n", "same"),
    "quotes": ("x = 'a'\nx = \"a\"\n", "x = 'a'"),
}


def unified(rows: list[str]) -> str:
    return "--- a/f.py\n+++ b/f.py\n@@\n" + "".join(f"{row}\n" for row in rows)


def v4a(rows: list[str]) -> str:
    return f"*** Begin Patch\n*** Update File: f.py\n@@\n{''.join(f'{row}{chr(10)}' for row in rows)}*** End Patch\n"


def small_diff(rows: list[str]) -> str:
    return "f.py\n<<<<<<< SEARCH\n" + "".join(f"{row}\n" for row in rows) + ">>>>>>> REPLACE\n"


@table("write", [unified, v4a, small_diff])
@table("name", FILES)
@table("goes", [0, 1])
def test_the_row_with_the_minus_goes_and_its_twin_keeps_its_bytes(write: object, name: str, goes: int) -> None:
    text, row = FILES[name]
    before = f"first = 1\n{text}last = 2\n"
    rows = [" first = 1", *(("-" if at == goes else " ") + row for at in (0, 1)), " last = 2"]
    if write is small_diff:
        rows.insert(2 + goes, "+new")
    result = sh.patch(before, write(rows), path="f.py")  # type: ignore[operator]
    assert result.error is None
    kept = text.splitlines(keepends=True)[1 - goes]
    left = [row for row in result.text.splitlines(keepends=True) if "new" not in row]
    assert left == ["first = 1\n", kept, "last = 2\n"]


@table("write", [unified, v4a])
def test_a_row_is_added_beside_the_twin_that_the_patch_names(write: object) -> None:
    before = "a\r\nsame\r\nsame\nb\n"
    for at, expected in ((2, "a\r\nsame\r\nsame\r\nsame\nb\n"), (3, "a\r\nsame\r\nsame\nsame\nb\n")):
        rows = [" a", " same", " same", " b"]
        rows.insert(at, "+same")
        result = sh.patch(before, write(rows), path="f.py")  # type: ignore[operator]
        assert (result.text, result.error) == (expected, None)


def test_a_patch_that_brings_cr_lf_beside_lines_without_it_means_it() -> None:
    result = sh.patch("a\nb\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n", path="f")
    assert result.text == "a\nb\r\n"


def test_a_removed_row_in_another_quote_style_is_the_same_row_and_this_is_reported() -> None:
    before = 'if name == "Windows":\n    run()\n'
    result = sh.patch(before, unified(["-if name == 'Windows':", "+if name == 'Linux':", "     run()"]), path="f.py")
    assert result.text == "if name == 'Linux':\n    run()\n"
    (outcome,) = result.outcomes
    assert outcome.differs == ("quote style",)
    assert (outcome.confidence or 1) < 1
    other = sh.patch(before.replace("py", "rs"), unified(["-if name == 'Windows':", "+x"]), path="f.rs")
    assert other.error is not None


@table("write", [unified, v4a])
@table("ending", ["\n", "\r\n"])
@table("final", [True, False])
def test_rows_added_removed_and_replaced_anywhere_leave_whole_lines(write: object, ending: str, final: bool) -> None:
    lines = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta"]
    for at, above, below in product(range(4), range(4), range(4)):
        if above > at or below > 3 - at:
            continue
        context = (
            [f" {line}" for line in lines[at - above : at]],
            [f" {line}" for line in lines[at + 1 : at + 1 + below]],
        )
        for middle, made in (
            ([f" {lines[at]}", "+new"], [lines[at], "new"]),
            ([f"-{lines[at]}", "+new"], ["new"]),
            ([f"-{lines[at]}"], []),
        ):
            if not made and not final and at == 3:
                continue  # whose ending goes with the last line, a patch does not say
            before, after = (
                ending.join(rows) + ending * final for rows in (lines, [*lines[:at], *made, *lines[at + 1 :]])
            )
            result = sh.patch(before, write([*context[0], *middle, *context[1]]), path="f.py")  # type: ignore[operator]
            assert (result.text, result.error) == (after, None)
