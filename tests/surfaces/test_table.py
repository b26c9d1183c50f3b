"""Tables for people: no line is wider than the terminal, names are cut before numbers, nothing acts on a terminal."""

from __future__ import annotations

from steadyhand.surfaces.cli.render import table_lines
from steadyhand.surfaces.terminal import cells, paint
from tests.table import table

ROWS = [
    ["a model with a long name indeed", "core", "1,234", "", "87 %"],
    ["字字字字字字", "\x1b[31mx", "5", "", "100 %"],
    ["short", "claude-code", "", "", ""],
]
HEAD = ["model", "way", "calls", "empty", "first try"]


@table("width", [40, 44, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = list(paint(table_lines(HEAD, ROWS, names=2, width=width), color=False))
    assert max(map(cells, lines)) <= width
    assert len(lines) == 4
    assert "empty" not in lines[0]
    assert "1,234" in lines[1]
    assert not any("\x1b" in line for line in lines)
    assert width < 70 or "a model with a long name indeed" in lines[1]
