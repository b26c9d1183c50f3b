"""SEARCH/REPLACE: what is no block, what is refused, what is read in spite of its form, and what is written."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.search_replace import DIALECT, SearchReplaceReader, write
from steadyhand.dialects.piece import Note, Piece
from steadyhand.dialects.reply import Line, Splitter, split_reply
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Old, Replace
from steadyhand.plan.preview import edit
from steadyhand.plan.request import CreateFile, EditFile
from tests.table import table

PLAIN = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"


def parse(lines: Iterable[Line]) -> tuple[list[Piece], list[Note]]:
    reader = SearchReplaceReader()
    pieces = [piece for line in lines for piece in reader.feed(line)]
    return [*pieces, *reader.close()], reader.notes


def read(reply: str) -> list[tuple[str, str, str]]:
    """Path, old and new text of every edit; old text is `NEW` for a new file."""
    found: list[tuple[str, str, str]] = []
    for piece in parse(split_reply(reply))[0]:
        match piece.request:
            case CreateFile(path, content):
                found.append((path, "NEW", content))
            case EditFile(path, (Replace(target=Old(text=old), new=new),)):
                found.append((path, old, new))
            case other:
                raise AssertionError(other)
    return found


def notes(reply: str) -> list[tuple[int, str]]:
    return [(note.line, note.what) for note in parse(split_reply(reply))[1]]


def refused(reply: str) -> EditError:
    with pytest.raises(EditError) as caught:
        parse(split_reply(reply))
    assert caught.value.kind is Kind.MALFORMED_PATCH
    assert caught.value.details["format"] == "search-replace"
    assert caught.value.hint
    return caught.value


NO_BLOCKS = [
    "",
    "Just prose.\n",
    "src/app.py\n```python\nprint(1)\n```\n",
    "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> feature\n",
    "--- original\n+++ updated\n@@ -1 +1 @@\n-a\n+b\n",
    "--- search\n+++ replace\n@@ -1 +1 @@\n-a\n+b\n",
    "diff\n @@ -1,3 +1,3 @@\n <<<<<<< SEARCH\n-a\n+b\n >>>>>>> REPLACE\n",
    "Title\n=======\n\ntext\n",
    "```\nSEARCH\n```\n",
    "```\nSEARCH\n=======\ntext\n```\n",
    "```\nSEARCH\nREPLACE\n```\n",
    "SEARCH\na\nREPLACE\nb\n",
    "SEARCH\n```\na\n```\n",
    "Use SEARCH and REPLACE:\n```\nsearch\na\nreplace\nb\n```\n",
    "```\nx = 1\nSEARCH\na\nREPLACE\nb\n```\n",
    ">>> replace\n",
    "cat <<< search\n",
    "\\<<<<<<< SEARCH\na\n",
]


@table("reply", NO_BLOCKS)
def test_a_text_without_blocks_gives_nothing(reply: str) -> None:
    assert parse(split_reply(reply)) == ([], [])


@table(
    ("reply", "line"),
    [
        # nothing divides old from new: it may be a deletion, a quotation, or the new text alone
        ("```\n<<<<<<< SEARCH\n- a\n  b\n>>>>>>> REPLACE\n```\n", 5),
        ("```\n<<<<<<< SEARCH\n+a\n>>>>>>> REPLACE\n```\n", 4),
        ("```\n<<<<<<< SEARCH\n-a\n>>>>>>> REPLACE\n```\n", 4),
        ("```\n<<<<<<< SEARCH\n@@ -1 +1 @@\n-a\n+b\n>>>>>>> REPLACE\n```\n", 6),
        ("```\n<<<<<<< SEARCH\n-a\n+b\n>>>>>>> REPLACE\nmore\n", 5),
        ("```\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nx.py\n```\n" + PLAIN, 4),
        ("```\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nb\n=======\nc\n>>>>>>> REPLACE\n```\n", 4),
        ("```\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nb\n```\nc\n```\n```\n", 4),
        ("```\n<<<<<<< SEARCH\n    Title\n    =======\n    a\n>>>>>>> REPLACE\n```\n", 6),
        # it is not closed, and may have been cut off
        ("<<<<<<< SEARCH\na\n=======\nb\n", 1),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\n", 2),
        ("```\n<<<<<<< SEARCH\na\n", 2),
        ("```\n<<<<<<< SEARCH\na\n```\n", 2),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\n```\nc\n```\n```\n", 2),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\n```\nc\n", 2),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\n```py\nc\n```\n", 2),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\nx.py\n```\n" + PLAIN, 2),
        # another one is begun, and takes up something else
        ("```\n<<<<<<< SEARCH\na\n```\n```\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n```\n", 2),
        # another mark is inside, with lines before it that belong to the old ones
        ("<<<<<<< ORIGINAL\na\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> UPDATED\n", 1),
        ("<<<<<<< ORIGINAL\n\n<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> UPDATED\n", 1),
        ("<<<<<<< ORIGINAL\n<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> UPDATED\n", 1),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n", 1),
        ("<<<<<<< SEARCH\n\n<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> REPLACE\n", 1),
        ("```\n<<<<<<< ORIGINAL\na\n```\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> UPDATED\n```\n", 2),
        ("```\n<<<<<<< SEARCH\nb\n```\n```\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n```\n", 2),
        # two lines may be the divider
        ("<<<<<<< SEARCH\na\n=======\n<<<<<<< HEAD\n=======\nb\n<<<<<<< HEAD\n>>>>>>> REPLACE\n", 5),
        ("<<<<<<< SEARCH\na\n=======\n<<<<<<< HEAD\n=======\nb\n>>>>>>> REPLACE\n", 5),
        ("<<<<<<< SEARCH\n<<<<<<< A\n=======\n=======\n>>>>>>> A\n=======\nb\n>>>>>>> REPLACE\n", 4),
        (
            PLAIN.replace("a\n", "<<<<<<< A\n<<<<<<< B\n=======\n=======\n>>>>>>> B\n=======\n>>>>>>> A\n"),
            5,
        ),
        (PLAIN.replace("a\n", PLAIN.replace("b\n", "b\n=======\n")), 6),
        ("<<<<<<< SEARCH\na\n======\nb\n=====\nc\n>>>>>>> REPLACE\n", 5),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n=======\nd\n=======\ne\n>>>>>>> REPLACE\n", 5),
        # nothing divides the lines, and they are many, or there are other blocks
        ("<<<<<<< SEARCH\na\nb\nc\nd\ne\nf\n>>>>>>> REPLACE\n", 8),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n\n" + PLAIN, 3),
        (PLAIN + "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", 8),
        ("<<<<<<< SEARCH\n=======\nb\n>>>>>>> feature\n=======\n>>>>>>> REPLACE\n", 5),
        ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\n=======\n>>>>>>> REPLACE\n", 5),
        # a block in a block, or one not closed
        ("```\n" + PLAIN.replace("a\n", f"a\n```\n{PLAIN}") + "```\n", 5),
        # marks that belong to nothing
        (">>>>>>> REPLACE\n", 1),
        (f"{PLAIN}>>>>>>> REPLACE\n", 6),
        # no line at all
        ("<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", 1),
        ("<<<<<<< SEARCH\n\n=======\n\n>>>>>>> REPLACE\n", 1),
        # a fence for another one is the last line
        (f"a.py\n```py\n{PLAIN}```\n\n```py\n", 10),
        # bare words
        ("SEARCH\n```\na\n```\n```\nREPLACE\n```py\nb\n```\n", 7),
        ("```\nSEARCH\na\nREPLACE\nb\n", 4),
        ("```\nSEARCH\na\n=======\nb\n=======\nc\n```\n", 6),
        ("```\nSEARCH\na\nREPLACE\nb\n```\nc\n```\n```\n", 8),
        ("```\nSEARCH\na\nREPLACE\n```\n", 5),
        ("```\nSEARCH\na\n>>>>>>> REPLACE\n```\n", 5),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused_at_its_line(reply: str, line: int) -> None:
    error = refused(reply)
    assert error.details["line"] == line
    assert f"line {line}, column 1 of the reply" in error.message


def test_a_refusal_says_how_to_send_content_with_marks() -> None:
    assert "\\=======" in (refused("<<<<<<< SEARCH\na\n======\nb\n=====\nc\n>>>>>>> REPLACE\n").hint or "")


@table(
    "reply",
    [
        PLAIN,
        f"```\n{PLAIN}```\n",
        PLAIN.removesuffix("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.lower(),
        "<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n",
        "<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n",
        "<<<<<<<SEARCH\na\n=======\nb\n>>>>>>>REPLACE\n",
        "<<<<<<< SEARCH:  \na\n=======  \nb\n>>>>>>> REPLACE : \n",
        "<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n",
        "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
        "--- SEARCH\na\n===\nb\n+++ REPLACE\n",
        "------- SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n",
        "======= SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\n:start_line:7\n-------\na\n=======\nb\n>>>>>>> REPLACE\n",
        "  ```\n  <<<<<<< SEARCH\n  a\n  =======\n  b\n  >>>>>>> REPLACE\n  ```\n",
        "<<<<<<< SEARCH\na\n=======\nb\n  >>>>>>> REPLACE\n",
        "Here is `x` it:\n\n" + PLAIN + "\nDone.\n",
        "<diff>\n" + PLAIN + "</diff>\n",
        # with a note
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>\n",
        "```\n<<<<<<< SEARCH\na\n=======\nb\n```\n",
        "```\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nb\n```\n",
        "```\n<<<<<<< SEARCH\na\n```\n\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
        "<<<<<<< SEARCH\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "```\nSEARCH\na\n=======\nb\nREPLACE\n```\n",
        "```\nSEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
        "```\nSEARCH\na\n=======\nb\n```\n",
        "```\n SEARCH:\na\nREPLACE\nb\n```\n",
        "SEARCH\n```\na\n```\n\nREPLACE\n```\nb\n```\n",
        "**SEARCH**\n```\na\n```\n### REPLACE:\n```\nb\n```\nDone.\n",
        "```\nSEARCH\na\n```\n\n```\nREPLACE\nb\n```\n",
    ],
)
def test_one_edit_in_every_form(reply: str) -> None:
    assert read(reply) == [("", "a", "b")]


@table(
    ("reply", "line", "what"),
    [
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>\n", 5, "a closing marker without its word"),
        ("```\n<<<<<<< SEARCH\na\n=======\nb\n```\n", 6, "a block without >>>>>>> REPLACE at its end"),
        ("```\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nb\n```\n", 4, "a REPLACE marker where the line ======= belongs"),
        ("<<<<<<< SEARCH\n-a\n+b\n>>>>>>> REPLACE\n", 1, "a diff between SEARCH and REPLACE"),
        ("<<<<<<< SEARCH\n" + PLAIN, 1, "a block that breaks off and starts again"),
        ("```\nSEARCH\na\nREPLACE\nb\n```\n", 2, "the words SEARCH and REPLACE without their markers"),
        (PLAIN + PLAIN.replace("b", "a"), 6, "a block that changes nothing"),
        (PLAIN.replace("b", "a") + PLAIN, 1, "a block that changes nothing"),
    ],
)
def test_what_was_read_in_spite_of_its_form_is_noted(reply: str, line: int, what: str) -> None:
    assert notes(reply) == [(line, what)]


@table("reply", [PLAIN, f"Prose.\n\na.py\n```py\n{PLAIN}```\nMore.\n", PLAIN.replace("\n", "\r\n")])
def test_a_clean_reply_has_no_notes(reply: str) -> None:
    assert notes(reply) == []


@table(
    ("old", "new", "texts"),
    [
        ("a\nb\n", "c\n", ("a\nb", "c")),
        ("a\n", "", ("a\n", "")),
        ("a\n", "\n", ("a\n", "\n")),
        ("a\n\n", "b\n", ("a\n\n", "b\n")),
        ("a\n", "b\n\n", ("a\n", "b\n\n")),
        ("\na\n", "\nb\n", ("\na", "\nb")),
        ("  a  \n", "\tb \n", ("  a  ", "\tb ")),
        ("a\r\nb\r\n", "c\r\n", ("a\r\nb", "c")),
        ("```py\na\n```\n", "```py\nb\n```\n", ("```py\na\n```", "```py\nb\n```")),
        ("...\n", "…\n", ("...", "…")),
        ("Title\n=====\n", "Title\n========\n", ("Title\n=====", "Title\n========")),
        ("Title\n============\n", "b\n", ("Title\n============", "b")),
        ("    Title\n    =======\n", "b\n", ("    Title\n    =======", "b")),
        ("a\n-------\n", "b\n", ("a\n-------", "b")),
        ("-------\na\n", "b\n", ("-------\na", "b")),
        ("-a\n+b\n", "+c\n", ("-a\n+b", "+c")),
        ("@@ -1 +1 @@\n-a\n", "@@ -1 +1 @@\n-b\n", ("@@ -1 +1 @@\n-a", "@@ -1 +1 @@\n-b")),
        ("\\<<<<<<< SEARCH\n\\=======\n", "\\>>>>>>> REPLACE\n", ("<<<<<<< SEARCH\n=======", ">>>>>>> REPLACE")),
        ("\\\\=======\n", "\\:start_line:3\n", ("\\=======", ":start_line:3")),
        ("\\n\n", "\\a\n", ("\\n", "\\a")),
        ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n", "b\n", ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main", "b")),
        ("a\n", "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", ("a", "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main")),
        (
            "<<<<<<< A\n<<<<<<< B\n=======\n>>>>>>> B\n=======\n>>>>>>> A\n",
            "b\n",
            ("<<<<<<< A\n<<<<<<< B\n=======\n>>>>>>> B\n=======\n>>>>>>> A", "b"),
        ),
        ("<<<<<<< A\nTitle\n=====\n=======\n>>>>>>> A\n", "b\n", ("<<<<<<< A\nTitle\n=====\n=======\n>>>>>>> A", "b")),
        ("<<<<<<< HEAD\na\n", "b\n>>>>>>> main\n", ("<<<<<<< HEAD\na", "b\n>>>>>>> main")),
        ("<<<<<<< HEAD\n", "", ("<<<<<<< HEAD\n", "")),
        (">>>>>>> main\n", "", (">>>>>>> main\n", "")),
        ("  <<<<<<< SEARCH\n  >>>>>>> REPLACE\n", "b\n", ("  <<<<<<< SEARCH\n  >>>>>>> REPLACE", "b")),
        (PLAIN, "c\n", (PLAIN.removesuffix("\n"), "c")),
        (PLAIN, PLAIN.replace("b", "c"), (PLAIN.removesuffix("\n"), PLAIN.replace("b", "c").removesuffix("\n"))),
        ("x\n<<<<< SEARCH\n=====\n>>>>> REPLACE\n", "y\n", ("x\n<<<<< SEARCH\n=====\n>>>>> REPLACE", "y")),
    ],
)
def test_content_is_taken_as_it_is(old: str, new: str, texts: tuple[str, str]) -> None:
    assert read(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n") == [("", *texts)]


def test_a_line_number_is_a_hint_and_no_content() -> None:
    for head in (":start_line:7\n", ":start_line: 7\n:end_line:9\n", ":start_line:7\n:end_line:9\n-------\n"):
        ((piece,), _) = parse(split_reply(PLAIN.replace("a\n", f"{head}a\n")))
        assert piece.request == EditFile("", (Replace(Old("a", line=7, fit="lines-first"), "b"),))
    ((piece,), _) = parse(split_reply(PLAIN.replace("a\n", ":start_line:0\n-------\na\n")))
    assert piece.request == EditFile("", (Replace(Old("a", fit="lines-first"), "b"),))


def test_no_old_lines_make_a_new_file() -> None:
    assert read("a.py\n<<<<<<< SEARCH\n=======\nb\n\n>>>>>>> REPLACE\n") == [("a.py", "NEW", "b\n\n")]
    assert read("a.py\n<<<<<<< SEARCH\n\n=======\nb\n>>>>>>> REPLACE\n") == [("a.py", "NEW", "b\n")]


def test_a_small_diff_between_the_marks_is_a_diff() -> None:
    assert read("```\n<<<<<<< SEARCH\n a\n-b\n+c\n>>>>>>> REPLACE\n```\n") == [("", "a\nb\n", "a\nc\n")]
    assert read("<<<<<<< SEARCH\n a\n+c\n>>>>>>> REPLACE\n") == [("", "a\n", "a\nc\n")]


def test_blocks_that_change_nothing_are_kept_only_if_nothing_else_changes() -> None:
    same = PLAIN.replace("b", "a")
    assert read(same + same) == [("", "a", "a")]
    assert read(same + PLAIN + same) == [("", "a", "b")]


def test_lines_say_where_a_block_is() -> None:
    (pieces, _) = parse(split_reply(f"Prose.\n{PLAIN}\nMore.\n{PLAIN}"))
    assert [piece.lines for piece in pieces] == [(2, 6), (9, 13)]


@table(
    ("above", "path"),
    [
        ("", ""),
        ("Some prose.\n", ""),
        ("The `total` is wrong:\n", ""),
        ("- a.py\n- b.py\n\n", ""),
        ("Files: `a.py` and `b.py`\n", ""),
        ("### a.py\n\nText.\n\n### b.py\n\nText.\n\n", ""),
        ("```\na.py\n```\nText.\n", ""),
        ("*SEARCH/REPLACE blocks*\n\n", ""),
        ("a.py\n", "a.py"),
        ("a.py\n```python\n", "a.py"),
        ("a.py\n\n```python\n", "a.py"),
        ("```python\na.py\n", "a.py"),
        ("```\na.py\n```python\n", "a.py"),
        ("```\na.py\n```\n", "a.py"),
        ("```python a.py\n", "a.py"),
        ("```python:src/a.py\n", "src/a.py"),
        ("src/a.py\n```python\n# a.py\n", "src/a.py"),
        ("```python\n# src/a.py\n", "src/a.py"),
        ('<file path="src/a.py">\n', "src/a.py"),
        ("<replace_in_file>\n<path>src/a.py</path>\n<diff>\n", "src/a.py"),
        ("### 1. `src/a.py`\n\nThe total is wrong:\n\n```\n", "src/a.py"),
        ("In `src/a.py`, change the total:\n\n```\n", "src/a.py"),
        ("b.py\n```\n" + PLAIN + "```\n", "b.py"),
        ("b.py\n```\n" + PLAIN + "```\n\na.py\n```\n", "a.py"),
        ("b.py\n```\n" + PLAIN + "```\n\nAnd then:\n```\n", "b.py"),
        ("b.py\n```\n" + PLAIN + "```\n\nLike in `c.py`:\n```\n", ""),
        ("b.py\n```\n" + PLAIN + "a.py\n```\n", "a.py"),
        ("b.py\n```\n" + PLAIN + "...\n", "b.py"),
    ],
)
def test_the_name_is_above_or_carries_over(above: str, path: str) -> None:
    assert read(above + PLAIN)[-1] == (path, "a", "b")


def test_a_name_behind_the_mark_counts() -> None:
    assert read("b.py\n" + PLAIN.replace("SEARCH", "SEARCH a.py")) == [("a.py", "a", "b")]


def test_several_blocks_in_one_fence() -> None:
    assert read(f"a.py\n```\n{PLAIN}\n{PLAIN}b.py\n{PLAIN}```\n") == [
        ("a.py", "a", "b"),
        ("a.py", "a", "b"),
        ("b.py", "a", "b"),
    ]


def test_blocks_without_their_last_mark_end_at_their_fences() -> None:
    one = "a.py\n```py\n<<<<<<< SEARCH\na\n=======\nb\n```\n\n"
    assert read(one + f"b.py\n```py\n{PLAIN}```\n") == [("a.py", "a", "b"), ("b.py", "a", "b")]
    two = "a.py\n```py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\nb\n```\n\n"
    assert read(two + two + f"b.py\n```py\n{PLAIN}```\n") == [("a.py", "a", "b")] * 2 + [("b.py", "a", "b")]
    words = "a.py\n```py\nSEARCH\na\nREPLACE\nb\n```\n\n"
    assert read(words + words + f"b.py\n```py\n{PLAIN}```\n") == [("a.py", "a", "b")] * 2 + [("b.py", "a", "b")]


def test_a_block_is_given_when_its_last_line_is_there() -> None:
    reader = SearchReplaceReader()
    given_at = [line.number for line in split_reply(f"{PLAIN}\n{PLAIN}") if reader.feed(line)]
    assert given_at == [5, 11]


def test_a_line_that_is_whole_is_preferred_to_a_part_of_one() -> None:
    before = 'version = "1"\n[x]\nlog = { version = "1" }\n'
    (pieces, _) = parse(split_reply('<<<<<<< SEARCH\nversion = "1"\n=======\nversion = "2"\n>>>>>>> REPLACE\n'))
    assert apply(before, pieces) == before.replace("1", "2", 1)
    (pieces, _) = parse(split_reply("<<<<<<< SEARCH\nlog = {\n=======\nLOG = {\n>>>>>>> REPLACE\n"))
    assert apply(before, pieces) == before.replace("log", "LOG")


def apply(before: str, pieces: Iterable[Piece]) -> str:
    edits = [one for piece in pieces if isinstance(piece.request, EditFile) for one in piece.request.edits]
    made = edit(before, edits)
    made.raise_for_error()
    return made.text


# Replies made of everything that can be in one.
FRAGMENTS = [
    "<<<<<<< SEARCH\n",
    "------- SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    ">>>>>>>\n",
    "<<<<<<< HEAD\n",
    ">>>>>>> main\n",
    "+++++++ REPLACE\n",
    ":start_line:3\n",
    "-------\n",
    "SEARCH\n",
    "REPLACE\n",
    "```\n",
    "```python\n",
    "  ```\n",
    "a.py\n",
    "<file path='b.py'>\n",
    "a\n",
    "-a\n",
    "+b\n",
    " c\n",
    "\n",
    "\\=======\n",
    "prose\r\n",
    "=====",
    "`b.py`: ",
]
replies = st.lists(st.sampled_from([*FRAGMENTS, PLAIN]), max_size=14).map("".join)


@given(replies, st.lists(st.integers(0, 120), max_size=6))
def test_how_a_reply_is_cut_makes_no_difference(reply: str, cuts: list[int]) -> None:
    splitter = Splitter()
    edges = [0, *sorted(cuts), len(reply)]
    parts = [reply[start:end] for start, end in pairwise(edges)]
    lines = [*(line for part in parts for line in splitter.feed(part)), *splitter.close()]
    assert outcome(lines) == outcome(split_reply(reply))


def outcome(lines: Iterable[Line]) -> object:
    try:
        return parse(lines)
    except EditError as error:
        return error.message


@given(replies)
def test_any_reply_gives_blocks_in_order_or_a_refusal_at_a_line_of_it(reply: str) -> None:
    lines = split_reply(reply)
    try:
        pieces, _ = parse(lines)
    except EditError as error:
        at = error.details["line"]
        assert isinstance(at, int)
        assert 1 <= at <= len(lines)
        return
    last = 0
    for piece in pieces:
        assert last < piece.lines[0] <= piece.lines[1] <= len(lines)
        last = piece.lines[1]


LONG = f"""I will change two files.

src/a.py
```python
{PLAIN}```

### `src/b.py`

The title:

```
<<<<<<< SEARCH
:start_line:3
-------
Title
=====
=======
Title
\\=======
>>>>>>> REPLACE
{PLAIN}```
"""


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["", *FRAGMENTS, "\x00", "<", "=", "`"])), max_size=5))
def test_a_mutated_reply_is_read_or_refused(mutations: list[tuple[int, str]]) -> None:
    reply = LONG
    for at, text in mutations:
        reply = reply[:at] + text + reply[at + (0 if text else 7) :]
    outcome(split_reply(reply))


lines_of_files = st.sampled_from(
    [
        "a",
        "b",
        "    c()",
        "\td",
        "",
        "",
        "   ",
        "a b",
        "ä → ö",
        "=======",
        "<<<<<<< SEARCH",
        ">>>>>>> REPLACE",
        "\\=======",
        ":start_line:1",
        "-------",
        "```",
        "````py",
        "SEARCH",
        "REPLACE",
        "- a",
        "+ b",
        "a.py",
    ]
)
endings = st.sampled_from(["\n", "\n", "\n", "\r\n"])
files = st.lists(st.tuples(lines_of_files, endings), max_size=12).map(
    lambda rows: "".join(text + ending for text, ending in rows)
)
texts = st.one_of(files, files.map(lambda text: text.removesuffix("\n").removesuffix("\r")))


@given(texts, texts)
def test_what_is_written_reads_and_applies_to_the_file_after(before: str, after: str) -> None:
    check_round_trip(before, after)


@given(files, st.integers(0, 12), st.sampled_from(["x\n", "", "a\n", "x\r\n"]))
def test_a_small_change_comes_through(before: str, row: int, text: str) -> None:
    lines = before.splitlines(keepends=True)
    lines[row : row + 1] = [text]
    check_round_trip(before, "".join(lines))


def check_round_trip(before: str, after: str) -> None:
    try:
        reply = write([Change("a.py", "a.py", before, after)])
    except EditError as error:
        assert error.kind is Kind.BAD_REQUEST
        return
    pieces, noted = parse(split_reply(reply))
    assert noted == []
    assert (apply(before, pieces) if pieces else before) == after


@given(files)
def test_a_new_file_comes_through_or_is_refused(after: str) -> None:
    try:
        reply = write([Change(None, "src/a.py", None, after)])
    except EditError as error:
        assert error.kind is Kind.BAD_REQUEST
        assert not after.strip()
        return
    assert read(reply) == [("src/a.py", "NEW", after)]


@table(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\nc", "a\nb\nC"),
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\nx\na\nx\na\n", "a\nx\na\ny\na\n"),
        ("a\na\na\na\n", "a\na\na\n"),
        ("a\n", ""),
        ("a\n\n\nb\n", "a\n\n\n\nb\n"),
        ("a\n=======\nb\n", "a\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n"),
        ("a\n```\nb\n```\n", "a\n````\nb\n````\n"),
        ("\n".join(map(str, range(40))) + "\n", "\n".join(str(n) + "x" * (n % 10 == 5) for n in range(40)) + "\n"),
    ],
)
def test_ordinary_changes_can_be_written(before: str, after: str) -> None:
    assert write([Change("a.py", "a.py", before, after)])
    check_round_trip(before, after)


def test_the_context_grows_until_the_place_is_the_only_one() -> None:
    before = "def f():\n    return 1\n\n\ndef g():\n    return 1\n\n\n"
    reply = write([Change("a.py", "a.py", before, before.replace("g():\n    return 1", "g():\n    return 2"))])
    assert reply.count("<<<<<<< SEARCH") == 1
    assert "def f" not in reply


@table(
    "change",
    [
        Change("a.py", None, "a\n", None),
        Change("a.py", "b.py", "a\n", "b\n"),
        Change("a.py", "a.py", "a\n", "b\n", 0o644, 0o755),
        Change(None, "a.py", None, "a"),
        Change(None, "a.py", None, ""),
        Change("a.py", "a.py", "a\n", "a"),
        Change("a.py", "a.py", "a", "a\n"),
        Change("a.py", "a.py", "", "a\n"),
        Change("nothing like a path", "nothing like a path", "a\n", "b\n"),
    ],
)
def test_what_it_cannot_say_is_refused(change: Change) -> None:
    with pytest.raises(EditError) as caught:
        write([change])
    assert caught.value.kind is Kind.BAD_REQUEST


def test_names_with_blanks_are_written_so_that_they_are_read() -> None:
    reply = write([Change("my file.py", "my file.py", "a\n", "b\n")])
    assert read(reply)[0][0] == "my file.py"


def test_several_files_and_no_change() -> None:
    reply = write(
        [
            Change("a.py", "a.py", "a\n", "b\n"),
            Change("b.py", "b.py", "a\n", "a\n"),
            Change(None, "c.py", None, "c\n"),
        ]
    )
    assert read(reply) == [("a.py", "a", "b"), ("c.py", "NEW", "c\n")]


def test_the_example_is_clean() -> None:
    assert read(DIALECT.example) == [("src/app.py", "total = 0", "total = 1")]
    assert notes(DIALECT.example) == []


def numbered(search: str, replace: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


@table(
    ("search", "replace"),
    [
        (":start_line:3\n-------\nold\n", ":start_line:3\n-------\nnew\n"),
        (":start_line:3\nold\n", ":start_line:3\nnew\n"),
        ("old\n", ":start_line:3\n:end_line:3\n-------\nnew\n"),
    ],
)
def test_a_line_number_before_the_new_lines_is_left_out_and_noted(search: str, replace: str) -> None:
    reply = numbered(search, replace)
    assert read(reply) == [("a.py", "old", "new")]
    assert [what for _, what in notes(reply)] == ["a line number before the new lines"]


def test_a_line_number_that_only_the_new_lines_have_may_be_content_and_is_refused() -> None:
    assert refused(numbered("old\n", ":start_line:3\nnew\n")).details["line"] == 5
    assert read(numbered("old\n", "\\:start_line:3\nnew\n")) == [("a.py", "old", ":start_line:3\nnew")]


def patched(before: str, old: str, path: str = "a.md") -> sh.Result[str]:
    return sh.patch(before, f"{path}\n<<<<<<< SEARCH\n{old}>>>>>>> REPLACE\n", path=path)


UNDER = "Install\n=======\n\nold words\n\nlast\n"


@table(
    ("before", "block", "after"),
    [
        (UNDER, "Install\n=======\n\nold words\n=======\nwords\n", "words\n\nlast\n"),
        (
            UNDER,
            "Install\n=======\n\nold words\n=======\nInstall\n=======\n\nnew words\n",
            UNDER.replace("old words", "new words"),
        ),
        (UNDER, "last\n=======\nChanges\n=======\nlast\n", UNDER.replace("last", "Changes\n=======\nlast")),
        (UNDER, "old words\n=======\n=======\nnew words\n", UNDER.replace("old words", "new words")),
        (UNDER, "old words\n=======\nnew words\n=======\n", UNDER.replace("old words", "new words")),
        (UNDER, "Install\n=======\n=======\nInstall\n", UNDER.replace("=======\n", "")),
    ],
)
def test_a_second_divider_is_what_the_file_shows_it_to_be(before: str, block: str, after: str) -> None:
    result = patched(before, block)
    assert (result.text, result.error) == (after, None)
    assert "a second line that may separate" in result.remarks[0]


def test_a_second_divider_never_comes_into_the_file_by_mistake() -> None:
    result = patched(UNDER, "old words\n=======\nnew words\n=======\nother words\n")
    assert result.error is not None
    assert result.text == UNDER


@table("old", ["b\n", "a\nb\nc\n", "a\n", "x\n"])
@table("fence", ["", "```\n"])
@table("prose", ["", "Remove this line:\n\n", "Change the value of b to 2:\n\n"])
def test_old_lines_without_a_divider_are_never_deleted(old: str, fence: str, prose: str) -> None:
    """They may be the new lines, or lines whose new ones were forgotten; the refusal says how to delete them."""
    reply = f"{prose}a.txt\n{fence}<<<<<<< SEARCH\n{old}>>>>>>> REPLACE\n{fence}"
    result = sh.patch("a\nb\nc\n", reply, path="a.txt")
    assert result.text == "a\nb\nc\n"
    assert result.error is not None
    assert result.error.kind is sh.Kind.MALFORMED_PATCH
    assert "none to delete the old ones" in (result.error.hint or "")


CALLS = "def f():\n    call(1)\n    done()\n\n\ndef g():\n    call(1)\n"


@table(
    "block",
    [
        "-def f():\n-    call(1)\n=======\n+def f():\n+    call(2)\n",
        "def f():\n-    call(1)\n=======\ndef f():\n+    call(2)\n",
        " def f():\n-    call(1)\n+    call(2)\n=======\ndef f():\n    call(2)\n",
        "def f():\n-    call(1)\n+    call(2)\n    done()\n=======\ndef f():\n    call(2)\n    done()\n",
    ],
)
def test_signs_in_a_block_are_taken_off_where_only_the_lines_without_them_are_in_the_file(block: str) -> None:
    result = patched(CALLS, block, "a.py")
    assert (result.text, result.error) == (CALLS.replace("call(1)", "call(2)", 1), None)
    assert "diff signs" in result.outcomes[0].differs


def test_signs_that_are_in_the_file_are_content() -> None:
    items = "list\n-first thing\n-other thing\n"
    assert patched(items, "-first thing\n=======\n-second thing\n").text == items.replace("first", "second")
    assert patched(items, "list\n-first thing\n=======\nlist\n+first thing\n").text == items.replace("-first", "+first")


def test_a_block_that_changes_nothing_in_the_fence_of_another_is_no_whole_file() -> None:
    rows = "".join(f"row {number}\n" for number in range(8))
    idle = f"<<<<<<< SEARCH\n{rows}=======\n{rows}>>>>>>> REPLACE\n"
    reply = f"a.md\n```\n<<<<<<< SEARCH\nlast\n=======\nend\n>>>>>>> REPLACE\n\n{idle}```\n"
    assert sh.patch(f"{rows}last\n", reply, path="a.md").text == f"{rows}end\n"
