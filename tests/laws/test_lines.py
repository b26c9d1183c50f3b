"""One splitter for everybody, held against one that looks at a character at a time."""

from __future__ import annotations

from typing import SupportsIndex

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.lines import LineTable, NewlineFacts, body, count_lines, line_ending, line_start, split_lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.table import table

TEXT = st.text(alphabet="a\r\n é\x0b\x0c\x1c\x85\u2028\u2029😀", max_size=30)


def walked(text: str) -> list[str]:
    lines: list[str] = []
    line = ""
    for at, char in enumerate(text):
        line += char
        if char == "\n" or (char == "\r" and text[at + 1 : at + 2] != "\n"):
            lines.append(line)
            line = ""
    return [*lines, line] if line else lines


def row_at(text: str, offset: int) -> int:
    position = 0
    lines = walked(text)
    for row, line in enumerate(lines):
        position += len(line)
        if offset < position:
            return row
    return max(len(lines) - 1, 0)


@table("char", list("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), ids=ascii)
def test_nothing_else_ends_a_line(char: str) -> None:
    assert split_lines(f"a{char}b") == [f"a{char}b"]
    assert Source.of_text(f"a{char}b").line_count == 1


@given(TEXT)
def test_lines_are_the_walked_ones(text: str) -> None:
    lines = walked(text)
    source = Source.of_text(text)
    assert split_lines(text) == lines
    assert source.lines == [line.rstrip("\r\n") if line_ending(line) else line for line in lines]
    assert source.line_count == LineTable(text).count == len(lines)
    assert [body(line) + line_ending(line) for line in lines] == lines


@given(TEXT, st.integers(1, 8))
def test_the_table_knows_every_line_and_offset(text: str, block: int) -> None:
    table, lines = LineTable(text, block), walked(text)
    assert [table.span(row).of(text) for row in range(table.count)] == lines
    assert [table.row_at(offset) for offset in range(len(text) + 1)] == [
        row_at(text, offset) for offset in range(len(text) + 1)
    ]
    for first in range(len(lines)):
        for last in range(first, len(lines)):
            assert table.span_of(first, last).of(text) == "".join(lines[first : last + 1])


@given(TEXT, st.integers(0, 30), st.integers(0, 5))
def test_a_line_starts_behind_the_last_ending_before_an_offset(text: str, offset: int, low: int) -> None:
    endings = [at + 1 for at in range(low, min(offset, len(text))) if text[at] in "\r\n"]
    assert line_start(text, offset, low) == max([low, *endings])


class Searched(str):
    """A text that counts the characters it is searched for."""

    __slots__ = ()
    looked_at = 0

    def rfind(self, part: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None) -> int:
        first, last = int(start or 0), len(self) if end is None else int(end)
        Searched.looked_at += max(last - first, 0)
        return super().rfind(part, first, last)


@table("ending", ["\n", "\r", "\r\n"])
def test_where_a_line_starts_costs_the_same_wherever_it_is(ending: str) -> None:
    text = Searched(f"# a line{ending}" * 20_000)
    Searched.looked_at = 0
    for row in range(0, 20_000, 100):
        start = row * (8 + len(ending))
        assert line_start(text, start + 5) == start
    assert Searched.looked_at <= 200 * 1_000


@given(TEXT)
def test_line_of_is_the_same_with_and_without_a_table(text: str) -> None:
    for offset in range(len(text) + 1):
        plain, tabled = Source.of_text(text), Source.of_text(text)
        assert tabled.table.count >= 0
        assert plain.line_of(offset) == tabled.line_of(offset) == row_at(text, offset) + 1


@given(TEXT, st.integers(1, 8), st.lists(st.integers(0, 31)))
def test_the_table_gives_the_same_whatever_is_asked_before(text: str, block: int, asked: list[int]) -> None:
    table, lines = LineTable(text, block), walked(text)
    bodies = [body(line) for line in lines]
    for row in asked:
        first = min(row, len(lines))
        assert table.start(row) == len("".join(lines[:row]))
        assert table.row_at(min(row, len(text))) == row_at(text, min(row, len(text)))
        assert table.texts(first, len(lines)) == bodies[first:]
        assert [table.text(at) for at in range(first, len(lines))] == bodies[first:]


@given(TEXT, st.lists(st.integers(0, 30)))
def test_lines_are_counted_alike_from_any_place_that_is_known(text: str, asked: list[int]) -> None:
    source = Source.of_text(text)
    for offset in (min(each, len(text)) for each in asked):
        assert source.line_of(offset) == row_at(text, offset) + 1
    assert source.line_count == len(walked(text))


@given(TEXT, st.integers(0, 30), st.integers(0, 30))
def test_endings_between_two_places_are_those_of_the_one_less_those_of_the_other(text: str, one: int, two: int) -> None:
    start, end = sorted((min(one, len(text)), min(two, len(text))))
    ends = [sum(map(len, walked(text)[: row + 1])) for row, line in enumerate(walked(text)) if line_ending(line)]
    assert count_lines(text, end) == sum(each <= end for each in ends)
    assert count_lines(text, end, start) == sum(start < each <= end for each in ends)


@given(TEXT, st.integers(0, 30), st.integers(0, 30))
def test_the_lines_of_a_span_are_those_its_characters_lie_in(text: str, one: int, two: int) -> None:
    span = Span(min(one, two, len(text)), min(max(one, two), len(text)))
    rows = [row_at(text, at) for at in range(span.start, span.end)] or [row_at(text, span.start)]
    tabled = Source.of_text(text)
    assert tabled.table.rows_of(span) == (rows[0], rows[-1])
    assert Source.of_text(text).lines_of(span) == tabled.lines_of(span) == (rows[0] + 1, rows[-1] + 1)


@given(TEXT)
def test_endings_are_counted(text: str) -> None:
    endings = [line_ending(line) for line in walked(text)]
    facts = NewlineFacts.of(text)
    assert (facts.lf, facts.crlf, facts.cr) == tuple(map(endings.count, ("\n", "\r\n", "\r")))
    assert count_lines(text) == sum(map(bool, endings))
    used = {ending for ending in endings if ending}
    assert facts.uniform == (used.pop() if len(used) == 1 else None)


@given(TEXT)
def test_newline_at_is_the_ending_of_the_line_or_the_one_before(text: str) -> None:
    endings = [line_ending(line) for line in walked(text)]
    for offset in range(len(text) + 1):
        row = row_at(text, offset)
        before = endings[row - 1] if row else ""
        expected = (endings[row] if endings else "") or before or "\n"
        assert Source.of_text(text).newline_at(offset) == expected
