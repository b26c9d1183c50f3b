"""Whole lines and boundaries: which a splice concerns, and which of them meet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.text.region import Region, region_of
from steadyhand.text.source import Source
from steadyhand.text.splice import Splice
from tests.table import table

TEXT = "a\nb\nc\n"
OPEN = "a\nb"  # without a final newline
DOS = "a\r\nb\r\n"

APART = [
    ((1, 2), (2, 3), "the line below"),
    ((2, 3), (1, 2), "the line above"),
    ((1, 1), (1, 2), "an insertion above a changed line"),
    ((2, 2), (1, 2), "an insertion below a changed line"),
    ((1, 2), (1, 1), "a change of the line below a place where lines went away"),
    ((0, 1), (1, 1), "a change of the line above a place where lines went away"),
    ((1, 1), (2, 2), "two boundaries"),
]
MET = [
    ((1, 2), (1, 2), "the same line"),
    ((0, 3), (1, 2), "a line among others"),
    ((1, 2), (0, 3), "one of several lines"),
    ((1, 1), (1, 1), "two insertions at one boundary"),
    ((1, 1), (0, 2), "an insertion inside changed lines"),
    ((0, 2), (1, 1), "lines between which others went away"),
]


@table(("mine", "theirs", "why"), APART, ids=[why for *_, why in APART])
def test_neighbours_do_not_meet(mine: tuple[int, int], theirs: tuple[int, int], why: str) -> None:
    assert not Region(*mine).meets(Region(*theirs)), why


@table(("mine", "theirs", "why"), MET, ids=[why for *_, why in MET])
def test_the_same_lines_meet(mine: tuple[int, int], theirs: tuple[int, int], why: str) -> None:
    assert Region(*mine).meets(Region(*theirs)), why


@table("boundary", [1, 2, 3])
def test_an_insertion_meets_lines_that_were_inserted_at_its_boundary(boundary: int) -> None:
    inserted = Region(1, 3, is_removal=True)  # taking them back is what their change is measured by
    assert Region(boundary, boundary).meets(inserted)
    assert not Region(3, 4).meets(inserted), "the line below them is a neighbour"
    assert not Region(0, 1).meets(inserted), "and so is the line above"


CASES = [
    (TEXT, 2, "b", "B", (1, 2, False), "a part of a line"),
    (TEXT, 2, "b\n", "B\n", (1, 2, False), "a whole line"),
    (TEXT, 2, "", "x\n", (1, 1, False), "a line put in"),
    (TEXT, 2, "", "x", (1, 2, False), "the beginning of a line"),
    (TEXT, 3, "", "x", (1, 2, False), "the end of a line"),
    (TEXT, 3, "", "\nx", (2, 2, False), "a line put in with the ending of the one before"),
    (TEXT, 0, "", "x\n", (0, 0, False), "a line at the top"),
    (TEXT, 6, "", "x\n", (3, 3, False), "a line at the end"),
    (TEXT, 6, "", "x", (3, 3, False), "a line at the end without its newline"),
    (TEXT, 2, "b\n", "", (1, 2, True), "a line taken away"),
    (TEXT, 1, "\nb", "", (1, 2, True), "a line taken away with the ending of the one before"),
    (TEXT, 2, "b\nc\n", "", (1, 3, True), "lines taken away"),
    (TEXT, 1, "\nb\nc", "\nB", (1, 3, False), "lines replaced with the ending of the one before"),
    (TEXT, 2, "b\nc", "", (1, 3, False), "lines that leave an empty one behind"),
    (TEXT, 1, "\n", "", (0, 2, False), "two lines joined"),
    (TEXT, 0, "a\nb\n", "x", (0, 3, False), "lines whose ending goes, so that the next is a part of them"),
    (TEXT, 0, "a\nb\n", "a\nB\n", (1, 2, False), "a line quoted and left alone"),
    (TEXT, 0, "a\nb\n", "a\nx\nb\n", (1, 1, False), "a line put between two that are quoted"),
    (OPEN, 3, "", "\nx", (2, 2, False), "a line behind the last, which has no newline"),
    (OPEN, 3, "", "x", (1, 2, False), "the end of the last line"),
    (OPEN, 1, "\nb", "", (1, 2, True), "the last line"),
    ("", 0, "", "x\n", (0, 0, False), "an empty file"),
    (DOS, 3, "b\r\n", "", (1, 2, True), "CR LF: a line taken away"),
    (DOS, 1, "\r\nb", "", (1, 2, True), "CR LF: with the ending of the one before"),
    (DOS, 4, "", "\r\nx", (2, 2, False), "CR LF: a line put in"),
]


@table(("text", "start", "old", "new", "expected", "why"), CASES, ids=[case[-1] for case in CASES])
def test_a_splice_concerns_whole_lines(
    text: str, start: int, old: str, new: str, expected: tuple[int, int, bool], why: str
) -> None:
    assert text.startswith(old, start)
    assert region_of(Source.of_text(text), Splice(start, old, new)) == Region(*expected), why


LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "cc\n", "d\r\n", "e\r"]), max_size=6).map("".join)


@given(LINES, st.integers(0, 20), st.integers(0, 20), LINES)
def test_lines_outside_the_region_are_as_before(text: str, start: int, length: int, new: str) -> None:
    start = min(start, len(text))
    old = text[start : start + length]
    source = Source.of_text(text)
    region = region_of(source, Splice(start, old, new))
    after = text[:start] + new + text[start + len(old) :]
    head, tail = text[: source.table.start(region.start)], text[source.table.start(region.end) :]
    assert 0 <= region.start <= region.end <= source.table.count + 1
    # an ending may move between a line that is taken away and its neighbour, so bodies are compared
    assert after.rstrip("\r\n").startswith(head.rstrip("\r\n")) or after.startswith(head.rstrip("\r\n"))
    assert after.endswith(tail.lstrip("\r\n"))
