"""List items by their words and blocks by their name."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.markdown.block import Block
from tests.checks import marked
from tests.structure.markdown import located, node_at, not_found, refused, written
from tests.table import table

TASKS = "# Day\n\n- [ ] milk\n- [x] bread ^b1\n  - rye\n  - wheat\n\n# Week\n\n1. one\n2. two\n\n* milk\n"


@table("ref", ["^b", "^B1", "^", "mil", "Day", "", "^nope", "bread ^b1"])
def test_what_nothing_says_is_not_found(ref: str) -> None:
    assert not_found(TASKS, Block(ref)).kind == Kind.NO_SUCH_TARGET


@table(
    "text", ["x^2\n", "text ^a b\n", "text ^a_b\n", "```\ncode ^a\n```\n", "^a\n", "text\n\n    code ^a\n", "# H ^a\n"]
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert not_found(text, "block:^a").kind == Kind.NO_SUCH_TARGET


def test_a_miss_names_the_nearest() -> None:
    assert not_found(TASKS, Block("whaet")).details["nearest"] == ["block:wheat"]
    assert not_found(TASKS, Block("^b2")).details["available"] == ["block:^b1"]


def test_words_that_two_items_say_are_ambiguous_and_a_heading_or_a_number_tells_them_apart() -> None:
    assert not_found(TASKS, "block:milk").kind == Kind.AMBIGUOUS_MATCH
    assert located(TASKS, Block("milk", under="Week")) == "* milk\n"
    assert located(TASKS, "block[1]:milk") == "- [ ] milk\n"


def test_a_name_that_two_blocks_have_is_ambiguous() -> None:
    assert not_found("a ^x\n\nb ^x\n", "block:^x").kind == Kind.AMBIGUOUS_MATCH


@table("value", [3, {}, {"ref": "a", "under": 3}, {"ref": "a", "nth": 0}])
def test_a_request_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EditError) as caught:
        Block.from_json(value, "target")
    assert caught.value.kind == Kind.BAD_REQUEST


@table("ref", ["rye", "- rye", "RYE", "**rye**", "* rye"])
def test_markers_case_and_emphasis_are_tolerated(ref: str) -> None:
    assert located(TASKS, Block(ref)) == "  - rye\n"


PLACES = [
    ("block:^a", "⟦para ^a\n⟧"),
    ("block:^a", "⟦two\nlines ^a\n⟧\nx\n"),
    ("block:^a", "⟦- item ^a\n  - child\n⟧- other\n"),
    ("block:^a", "- x\n⟦  - item ^a\n⟧- other\n"),
    ("block:^a", "- x\n\n⟦  second ^a\n⟧- other\n"),
    ("block:^a", "⟦> quote\n> two\n⟧\n^a\n"),
    ("block:^a", "> ⟦⟧x\n>\n⟦> quote ^a\n⟧".replace("⟦⟧", "")),
    ("block:^a", "⟦| t |\n|---|\n| 1 |\n⟧\n^a\n"),
    ("block:^a", "⟦```\nx\n```\n⟧\n^a\n\ny\n"),
    ("block:^a", "x\n\n⟦- one\n- two\n⟧\n^a\n"),
    ("block:^a", "⟦words\n^a\n⟧"),
    ("block:^a", "⟦para ^a⟧"),
    ("block:one", "⟦1. one\n   more\n\n   para\n⟧\n2. two\n".replace("   more\n", "")),
]


@table(("address", "notation"), PLACES)
def test_a_name_is_that_of_the_block_it_ends_or_follows(address: str, notation: str) -> None:
    text, [span] = marked(notation)
    assert node_at(text, address)[1].span == span


EDITED = [
    ("block:^b1", ("replace", "white bread"), "bread ^b1", "white bread ^b1"),
    ("block:^b1", ("replace", "- [ ] cake"), "- [x] bread ^b1\n  - rye\n  - wheat\n", "- [ ] cake ^b1\n"),
    ("block:^b1", ("replace", "cake ^b1"), "bread ^b1", "cake ^b1"),
    ("block:^b1", ("replace", "[ ] bread"), "[x] bread", "[ ] bread"),
    ("block:rye", ("replace", "oat\nflakes"), "rye\n", "oat\n    flakes\n"),
    ("block:rye", ("insert", "oat", "before"), "  - rye\n", "  - oat\n  - rye\n"),
    ("block:rye", ("insert", "oat", "after"), "  - rye\n", "  - rye\n  - oat\n"),
    ("block:^b1", ("insert", "eggs", "after"), "wheat\n", "wheat\n- [ ] eggs\n"),
    ("block:^b1", ("insert", "- [x] eggs\n- ham", "after"), "wheat\n", "wheat\n- [x] eggs\n- [ ] ham\n"),
    ("block:^b1", ("insert", "- oat", "end"), "wheat\n", "wheat\n  - oat\n"),
    ("block:^b1", ("insert", "- oat", "start"), "^b1\n", "^b1\n  - oat\n"),
    ("block:one", ("insert", "half", "after"), "1. one\n", "1. one\n2. half\n"),
    ("block:two", ("insert", "three\nlines", "after"), "2. two\n", "2. two\n3. three\n   lines\n"),
    ("block:one", ("insert", "zero", "before"), "1. one\n", "1. zero\n1. one\n"),
    ("block:one", ("insert", "words", "end"), "1. one\n", "1. one\n\n   words\n"),
    ("block:rye", ("delete",), "  - rye\n", ""),
    ("block:^b1", ("delete",), "- [x] bread ^b1\n  - rye\n  - wheat\n", ""),
]


@table(("address", "call", "old", "new"), EDITED)
def test_an_item_is_written_as_its_neighbours_are(address: str, call: tuple[str, ...], old: str, new: str) -> None:
    assert written(TASKS, address, *call) == TASKS.replace(old, new, 1)


@table(
    ("before", "address", "call", "after"),
    [
        ("1. a\n1. b\n", "block:a", ("insert", "x", "after"), "1. a\n1. x\n1. b\n"),
        ("9) a\n", "block:a", ("insert", "x\ny", "after"), "9) a\n10) x\n    y\n"),
        ("- a\n\n- b\n", "block:a", ("insert", "x", "after"), "- a\n\n- x\n\n- b\n"),
        ("- a\n\n- b\n", "block:a", ("insert", "x", "before"), "- x\n\n- a\n\n- b\n"),
        ("-   a", "block:a", ("insert", "x\ny", "after"), "-   a\n-   x\n    y"),
        ("> - a\n> - b\n", "block:a", ("insert", "x", "after"), "> - a\n> - x\n> - b\n"),
        ("* a\n\ntext\n", "block:a", ("insert", "x", "after"), "* a\n* x\n\ntext\n"),
        ("* a\n\ntext\n", "block:a", ("delete",), "text\n"),
        ("- a\n\n- b\n\n- c\n", "block:b", ("delete",), "- a\n\n- c\n"),
        ("-\n- b\n", "block:b", ("insert", "x", "before"), "-\n- x\n- b\n"),
        ("- a ^x\n", "block:^x", ("replace", "b  \nc"), "- b  \n  c ^x\n"),
    ],
)
def test_numbers_gaps_and_indents_follow_the_list(before: str, address: str, call: tuple[str, ...], after: str) -> None:
    assert written(before, address, *call) == after


@table(
    ("before", "call", "after"),
    [
        ("old ^a\n\nx\n", ("replace", "new"), "new ^a\n\nx\n"),
        ("old ^a\n", ("replace", "new ^a"), "new ^a\n"),
        ("old ^a", ("replace", "one\n\ntwo"), "one\n\ntwo ^a"),
        ("> q\n\n^a\n", ("replace", "> r\n> s"), "> r\n> s\n\n^a\n"),
        ("x\n\n> q\n\n^a\n\ny\n", ("delete",), "x\n\ny\n"),
        ("x\n\nold ^a\n\ny\n", ("delete",), "x\n\ny\n"),
        ("old ^a\n", ("insert", "new", "after"), "old ^a\n\nnew\n"),
        ("> q\n\n^a\n", ("insert", "new", "after"), "> q\n\n^a\n\nnew\n"),
        ("old ^a\n", ("insert", "new", "before"), "new\n\nold ^a\n"),
    ],
)
def test_a_name_survives_new_words_and_goes_with_its_block(before: str, call: tuple[str, ...], after: str) -> None:
    assert written(before, "block:^a", *call) == after


def test_a_name_never_ends_up_on_a_fence() -> None:
    assert refused("old ^a\n", "block:^a", "replace", "```\nx\n```").kind == Kind.BAD_REQUEST


@table("address", ["block:^b1", "block:rye"])
def test_an_item_without_words_is_refused(address: str) -> None:
    assert refused(TASKS, address, "replace", "\n").hint == "delete it"


@table(
    ("address", "call", "old", "new"),
    [
        ("block[1]:milk", {}, "[ ] milk", "[x] milk"),
        ("block:^b1", {"checked": False}, "[x] bread", "[ ] bread"),
        ("block:^b1", {"checked": True}, "", ""),
    ],
)
def test_a_box_is_checked_by_one_character(address: str, call: dict[str, object], old: str, new: str) -> None:
    assert written(TASKS, address, "check-item", call) == TASKS.replace(old, new, 1)


def test_an_item_without_a_box_is_not_checked() -> None:
    assert "[ ] rye" in refused(TASKS, "block:rye", "check-item").hint


def test_an_item_moves_with_what_is_nested_in_it() -> None:
    after = written(TASKS, "block:^b1", "move", {"to": "block:two", "where": "after"})
    assert after == (
        "# Day\n\n- [ ] milk\n\n# Week\n\n1. one\n2. two\n3. [x] bread ^b1\n   - rye\n   - wheat\n\n* milk\n"
    )
