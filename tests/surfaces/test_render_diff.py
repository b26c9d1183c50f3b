"""A diff for people says what the diff for programs says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.surfaces.cli.render import diff_lines
from steadyhand.surfaces.terminal import visible
from steadyhand.text.unified import render_unified
from tests.table import table

LINES = st.lists(
    st.sampled_from(["a b c", "a x c", "-- x", "++ y", "", "@@ -1 +1 @@", "\\ No newline", "é"]), max_size=8
)


def texts(draw_lines: list[str], ending: str, final: bool) -> str:
    return ending.join(draw_lines) + (ending if final and draw_lines else "")


def plain(diff: str, **options: int) -> list[str]:
    return ["".join(piece.text for piece in line) for line in diff_lines(diff, **options)]


@given(LINES, LINES, st.booleans(), st.booleans())
def test_without_colour_every_row_of_the_diff_is_there(before, after, final_before, final_after) -> None:
    diff = render_unified(texts(before, "\n", final_before), texts(after, "\n", final_after), "a.md", "a.md")
    assert plain(diff) == diff.split("\n")[:-1]


def styles(diff: str, style: str) -> list[str]:
    return [piece.text for line in diff_lines(diff) for piece in line if piece.style == style]


def test_words_that_changed_are_stressed_on_both_sides() -> None:
    diff = render_unified("total = price * 2\n", "total = price * count\n", "a.py", "a.py")
    assert styles(diff, "removed-word") == ["2"]
    assert styles(diff, "added-word") == ["count"]


def test_nothing_is_stressed_when_everything_changed() -> None:
    diff = render_unified("alpha\n", "omega!\n", "a.py", "a.py")
    assert styles(diff, "removed-word") == []
    assert styles(diff, "added-word") == []


def test_a_removed_row_that_looks_like_a_header_is_a_row() -> None:
    diff = render_unified("-- old\nx\n", "x\n", "a.sql", "a.sql")
    assert "--- old" in [
        text for line in diff_lines(diff) for text in ["".join(p.text for p in line)] if line[0].style == "removed"
    ]


def test_returns_are_left_out_where_every_row_has_one() -> None:
    diff = render_unified("a\r\nb\r\n", "a\r\nc\r\n", "a", "a")
    assert not any("\r" in row for row in plain(diff))


@table(("before", "after"), [("a\r\nb\r\n", "a\nb\r\n"), ("a\r\nb\r\n", "a\nb\n")])
def test_a_change_of_line_endings_is_seen(before: str, after: str) -> None:
    rows = [visible(row) for row in plain(render_unified(before, after, "a", "a"))]
    assert "-a\\r" in rows
    assert "+a" in rows


def test_a_very_long_row_is_cut_around_its_change_for_a_terminal() -> None:
    before, after = "x" * 50_000 + " old " + "y" * 50_000, "x" * 50_000 + " new " + "y" * 50_000
    rows = plain(render_unified(before + "\n", after + "\n", "a", "a"), width=80)
    assert all(len(row) < 500 for row in rows)
    assert any("old" in row for row in rows)
    assert any("new" in row for row in rows)


def test_a_cap_says_how_much_it_hides() -> None:
    diff = render_unified("", "".join(f"{n}\n" for n in range(100)), None, "a")
    rows = plain(diff, limit=10)
    assert len(rows) == 11
    assert "more lines" in rows[-1]
