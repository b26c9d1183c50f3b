"""V4A written: what is written reads back and gives the very text, and what the format cannot say is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.v4a import DIALECT, V4aReader
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import split_reply
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit
from steadyhand.plan.preview import edit
from steadyhand.plan.request import CreateFile, DeleteFile, EditFile, RenameFile
from tests.table import table


def read(reply: str) -> tuple[list[Piece], list[Note]]:
    reader = V4aReader()
    pieces = [piece for line in split_reply(reply) for piece in reader.feed(line)]
    return [*pieces, *reader.close()], reader.notes


def edits_of(pieces: Sequence[Piece]) -> list[Edit]:
    return [edit for piece in pieces if isinstance(piece.request, EditFile) for edit in piece.request.edits]


@table(
    "change",
    [
        Change(None, "a", None, ""),
        Change(None, "a", None, "x"),
        Change(None, "a", None, "x\n", mode_after=0o755),
        Change("a", "a", "x\n", "x\n", 0o644, 0o755),
        Change("a", "a", "x\n", "x"),
        Change("a", "a", "x", "x\n"),
        Change("a", " b", "x\n", "x\n"),
        Change("a\nb", None, "x\n", None),
        Change("", "", "x\n", "y\n"),
    ],
)
def test_what_the_format_cannot_say_is_refused(change: Change) -> None:
    assert DIALECT.write is not None
    with pytest.raises(EditError) as caught:
        DIALECT.write([change])
    assert caught.value.kind is Kind.BAD_REQUEST


LINES = st.sampled_from(
    ["a", "b", "", "  a", "\ta", "}", "def f():", "é\u2028x", "*** End Patch", "@@", "+x", " ", "```"]
)


def joined(rows: Sequence[str], newline: str, *, is_ended: bool) -> str:
    return newline.join(rows) + (newline if rows and is_ended else "")


def check_round_trip(before: str, after: str) -> None:
    assert DIALECT.write is not None
    text = DIALECT.write([Change("x.txt", "x.txt", before, after)])
    pieces, notes = read(text) if text else ([], [])
    made = edit(before, edits_of(pieces), path="x.txt") if pieces else None
    assert (made.text if made is not None else before) == after
    assert notes == []


@given(st.lists(LINES, max_size=12), st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_any_lines_with_one_ending_come_back(old: list[str], new: list[str], newline: str) -> None:
    check_round_trip(joined(old, newline, is_ended=True), joined(new, newline, is_ended=True))


@given(st.lists(LINES, min_size=6, max_size=20), LINES, st.data(), st.booleans())
def test_a_change_among_repeated_lines_comes_back(old: list[str], line: str, data: st.DataObject, ended: bool) -> None:
    at = data.draw(st.integers(0, len(old) - 2))
    new = [*old[:at], line, *old[at + data.draw(st.integers(0, 1)) :]]
    check_round_trip(joined([*old, "end"], "\n", is_ended=ended), joined([*new, "end"], "\n", is_ended=ended))


@given(st.text(st.sampled_from("ab \t\r\n"), max_size=14), st.text(st.sampled_from("ab \t\r\n"), max_size=14))
def test_any_two_texts_come_back_or_are_refused(before: str, after: str) -> None:
    try:
        check_round_trip(before, after)
    except EditError as error:
        assert error.kind is Kind.BAD_REQUEST
        assert "\r" in before + after or not before.endswith("\n") or not after.endswith("\n")


def test_new_deleted_moved_and_edited_files_are_written_as_one_patch() -> None:
    changes = [
        Change(None, "new.txt", None, "one\n\ntwo\r\n"),
        Change("gone.txt", None, "x\n", None),
        Change("a.txt", "b.txt", "a\n", "a\n"),
        Change("c.txt", "d.txt", "c\n", "C\n"),
        Change("same.txt", "same.txt", "s", "s"),
    ]
    assert DIALECT.write is not None
    pieces, notes = read(DIALECT.write(changes))
    assert [piece.request for piece in pieces] == [
        CreateFile("new.txt", "one\n\ntwo\r\n"),
        DeleteFile("gone.txt"),
        RenameFile("a.txt", "b.txt"),
        RenameFile("c.txt", "d.txt"),
        EditFile("d.txt", tuple(edits_of(pieces))),
    ]
    assert notes == []
