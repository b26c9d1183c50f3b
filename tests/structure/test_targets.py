"""Targets by line: what they refuse, what they locate, and their JSON form."""

from __future__ import annotations

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import edit_from_json
from steadyhand.structure.action import _ACTIONS, action_names, actions
from steadyhand.structure.lines import Anchor, Lines, anchor_of, anchors_of
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import Target, target_keys, targets
from steadyhand.text.match import Match
from steadyhand.text.source import Source
from tests.table import table

TEXT = "one\ntwo\r\nthree\n"


def located(target: Target, text: str = TEXT) -> str:
    place = target.locate(Source.of_text(text))
    assert isinstance(place, Match), place
    return place.span.of(text)


def refused(target: Target, text: str = TEXT) -> Refusal:
    place = target.locate(Source.of_text(text))
    assert isinstance(place, Refusal)
    return place


@table(
    ("target", "kind"),
    [
        (Lines(4), Kind.OUT_OF_BOUNDS),
        (Lines(2, 4), Kind.OUT_OF_BOUNDS),
        (Lines(0, 1), Kind.OUT_OF_BOUNDS),
        (Lines(-1, 2), Kind.OUT_OF_BOUNDS),
        (Lines(5, 4), Kind.OUT_OF_BOUNDS),
        (Lines(3, 1), Kind.BAD_REQUEST),
        (Lines(10**30, 10**30), Kind.OUT_OF_BOUNDS),
    ],
)
def test_lines_outside_the_file_or_backwards_are_refused(target: Lines, kind: Kind) -> None:
    assert refused(target).kind == kind


def test_the_refusal_says_how_many_lines_there_are() -> None:
    refusal = refused(Lines(9))
    assert refusal.details["line_count"] == 3
    assert "3 lines" in refusal.message


@table(
    ("target", "expected"),
    [
        (Lines(1), "one\n"),
        (Lines(2), "two\r\n"),
        (Lines(1, 2), "one\ntwo\r\n"),
        (Lines(1, 3), TEXT),
        (Lines(2, 1), ""),
        (Lines(4, 3), ""),
    ],
)
def test_lines_are_located_with_their_endings(target: Lines, expected: str) -> None:
    assert located(target) == expected


def test_an_empty_file_has_one_empty_place() -> None:
    assert located(Lines(1, 0), "") == ""
    assert refused(Lines(1), "").kind == Kind.OUT_OF_BOUNDS


@table(
    ("target", "now"),
    [
        (Lines(2, 2, "TWO"), []),
        (Lines(1, 2, "one"), [1]),
        (Lines(1, 1, "one\ntwo"), [1]),
        (Lines(1, 1, "three"), [3]),
        (Lines(9, 9, "two"), [2]),
        (Lines(2, 1, "two"), [2]),
        (Lines(2, 2, ""), []),
        (Lines(2, 2, "two \n"), []),
        (Lines(2, 2, "wo"), []),
    ],
)
def test_lines_that_do_not_say_what_they_should_are_stale_and_tell_where_that_is(target: Lines, now: list[int]) -> None:
    refusal = refused(target)
    assert refusal.kind == Kind.STALE_SOURCE
    assert refusal.details["now_at"] == now


def test_text_that_repeats_is_reported_at_every_line() -> None:
    assert refused(Lines(3, 4, "a\na"), "a\na\na\nb\na\na\n").details["now_at"] == [1, 2, 5]


@table(
    ("target", "expected"),
    [
        (Lines(2, 2, "two"), "two\r\n"),
        (Lines(2, 2, "two\r\n"), "two\r\n"),
        (Lines(1, 2, "one\ntwo"), "one\ntwo\r\n"),
        (Lines(1, 3, TEXT), TEXT),
        (Lines(2, 1, ""), ""),
    ],
)
def test_lines_that_say_what_they_should_are_located_whatever_their_endings(target: Lines, expected: str) -> None:
    assert located(target) == expected


def test_a_blank_line_may_be_given_with_or_without_its_newline() -> None:
    assert located(Lines(2, 2, ""), "a\n\nb\n") == located(Lines(2, 2, "\n"), "a\n\nb\n") == "\n"
    assert located(Lines(1, 2, "a\n"), "a\n\nb\n") == located(Lines(1, 2, "a\n\n"), "a\n\nb\n") == "a\n\n"


@table("anchor", ["", "12", "12#", "12#ab", "#abc", "0#abc", "x#abc", "12#xyz", "-1#abc", " 1#abc"])
def test_what_is_no_anchor_is_a_bad_request(anchor: str) -> None:
    with pytest.raises(EditError) as caught:
        Anchor(anchor)
    assert caught.value.kind == Kind.BAD_REQUEST


def test_an_anchor_whose_line_moved_is_stale_and_says_where_it_is_now() -> None:
    anchor = Anchor(anchor_of(2, "two"))
    refusal = refused(anchor, "zero\n" + TEXT)
    assert refusal.kind == Kind.STALE_SOURCE
    assert refusal.details["now_at"] == [3]
    assert located(Anchor(f"3{anchor.start[1:]}"), "zero\n" + TEXT) == "two\r\n"


def test_an_anchor_whose_line_changed_is_stale() -> None:
    refusal = refused(Anchor(anchor_of(2, "two, as it was")))
    assert refusal.kind == Kind.STALE_SOURCE
    assert refusal.details["now_at"] == []


def test_an_anchor_beyond_the_last_line_is_stale() -> None:
    assert refused(Anchor(anchor_of(9, "three"))).details["now_at"] == [3]


def test_anchors_that_agree_locate_their_lines_whatever_the_case_of_the_digits() -> None:
    first, second, third = anchors_of(Source.of_text(TEXT), 1, 99)
    assert located(Anchor(second.upper())) == "two\r\n"
    assert located(Anchor(first, third)) == TEXT
    assert refused(Anchor(third, first)).kind == Kind.BAD_REQUEST


def test_an_anchor_knows_the_line_and_not_its_ending() -> None:
    assert anchor_of(1, "two") == anchor_of(1, "two\r\n") == anchor_of(1, "two\n")


@table("target", [Lines(3, 5), Lines(5, 4), Lines(3, 5, "x"), Anchor("12#a3f"), Anchor("12#a3f", "15#09c")])
def test_targets_come_back_from_their_json_form(target: Target) -> None:
    assert type(target).from_json(target.to_json(), "target") == target


def test_lines_and_anchors_are_also_read_from_objects() -> None:
    assert Lines.from_json({"start": 3, "end": 5}, "x") == Lines(3, 5)
    assert Anchor.from_json({"start": "1#abc", "end": "2#abc"}, "x") == Anchor("1#abc", "2#abc")


@table(
    ("kind", "value", "path"),
    [
        (Lines, [1], "x"),
        (Lines, [1, True], "x[1]"),
        (Lines, ["1", 2], "x[0]"),
        (Lines, {"start": 1}, "x.end"),
        (Lines, {"start": 1, "stop": 2}, "x.stop"),
        (Lines, 3, "x"),
        (Lines, {"start": 1, "end": 2, "text": 3}, "x.text"),
        (Anchor, [], "x"),
        (Anchor, [1], "x[0]"),
        (Anchor, None, "x"),
        (Anchor, {"end": "1#abc"}, "x.start"),
        (Anchor, "nowhere", "x"),
    ],
)
def test_other_values_are_refused_by_path(kind: type[Target], value: object, path: str) -> None:
    with pytest.raises(EditError) as caught:
        kind.from_json(value, "x")
    assert caught.value.kind == Kind.BAD_REQUEST
    assert caught.value.details["path"] == path


def test_the_kinds_of_target_are_these() -> None:
    assert {key: kind.__name__ for key, kind in targets().items()} == {
        "anchor": "Anchor",
        "block": "Block",
        "cell": "Cell",
        "code_block": "CodeBlock",
        "front_matter": "FrontMatter",
        "heading": "Heading",
        "key": "Key",
        "lines": "Lines",
        "selector": "Selector",
        "symbol": "Symbol",
        "table": "Table",
    }


def test_targets_are_named_by_their_keys() -> None:
    assert {key: kind.key for key, kind in targets().items()} == {key: key for key in target_keys()}


def test_the_names_of_actions_are_those_of_the_tables() -> None:
    declared = [action.name for table in _ACTIONS.load() for action in table]
    assert sorted(declared) == list(action_names()) == list(actions())


@table("name", action_names())
def test_the_example_of_an_action_is_what_it_does(name: str) -> None:
    example = actions()[name].example
    call = {"target": {"at": example.address}, "act": name, "args": dict(example.arguments)}
    done = sh.edit(example.before, [edit_from_json(call)], path=example.path)
    assert done.text == example.after
