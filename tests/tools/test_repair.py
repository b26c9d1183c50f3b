"""Arguments are repaired where one reading is left, and refused by name where none or two are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import NamedTuple

import jsonschema
import pytest
from hypothesis import given

from steadyhand.errors import EditError, Kind
from steadyhand.schema import HASH, NEW, OLD, Anything, Either, Field, Flag, Many, Number, Object, Text, plain_schema
from steadyhand.tools import repair as repairs
from tests.table import table
from tests.tools.shapes import VALUES, objects_for

EDIT = Object(
    (
        Field("old_string", Text(), "The text as it is.", required=True),
        Field("new_string", Text(), required=True),
        Field("occurrence", Either((Number(least=-1), Text(("first", "all"))))),
    )
)
CALL = Object(
    (
        Field("filePath", Text(), "The file.", required=True),
        Field("edits", Many(EDIT, most=3), "What to change."),
        Field("max_lines", Number(least=1, most=100), "How many."),
        Field("dryRun", Flag()),
        Field("names", Many(Text())),
        Field("mode", Text(("lines", "search"), gone=(("section", "send mode lines"),)), "How."),
        Field("target", Object((Field("at", Text()),), is_open=True)),
        Field("value", Anything()),
        Field("expect", Text(), also=HASH),
    ),
    gone=(("afterHeading", "send edits"),),
)


class Read(NamedTuple):
    fields: Mapping[str, object]
    repaired: tuple[str, ...] = ()


def repair(shape: Object, arguments: object) -> Read:
    return Read(*repairs.repair(shape, arguments))


def read(**arguments: object) -> Read:
    return repair(CALL, {"filePath": "a.md", **arguments})


def refused(arguments: object, shape: Object = CALL) -> EditError:
    with pytest.raises(EditError) as caught:
        repair(shape, arguments)
    assert caught.value.kind in (Kind.BAD_REQUEST, Kind.TOO_LARGE)
    return caught.value


# What is right is left alone.


@table(
    "arguments",
    [
        {},
        {"edits": []},
        {"edits": [{"old_string": "true", "new_string": "3"}]},
        {"edits": [{"old_string": "[1]", "new_string": '{"a": 1}'}]},
        {"edits": [{"old_string": "a", "new_string": "", "occurrence": -1}]},
        {"edits": [{"old_string": "a", "new_string": "$& \\1 %s \0", "occurrence": "all"}]},
        {"max_lines": 1, "dryRun": False, "names": ["", "[", "{}"], "mode": "lines"},
        {"value": {"deep": [1, None, True, 1.5, {"x": "y"}]}},
        {"target": {"at": "lines:3", "more": [1], "heading": {"path": "x", "nth": None}}},
    ],
)
def test_what_fits_is_left_as_it_is(arguments: dict[str, object]) -> None:
    assert read(**arguments) == ({"filePath": "a.md", **arguments}, ())


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert read(max_lines=3.0).fields["max_lines"] == 3


# What is repaired, and reported.


@table("name", ["path", "file", "file_path", "FilePath", "filepath", "file-path"])
def test_the_usual_names_of_a_path_are_taken_for_it(name: str) -> None:
    found = repair(CALL, {name: "a.md"})
    assert found.fields == {"filePath": "a.md"}
    assert found.repaired == (f"{name}: taken for filePath",)


@table("old", [*OLD, "oldString", "oldStr", "oldContent"])
@table("new", [*NEW, "newString"])
def test_the_usual_names_of_old_and_new_text_are_taken_for_them(old: str, new: str) -> None:
    found = read(edits=[{old: "a", new: "b"}])
    assert found.fields["edits"] == [{"old_string": "a", "new_string": "b"}]
    assert len(found.repaired) == (old != "old_string") + (new != "new_string")


@table("name", ["maxLines", "max-lines", "MAX_LINES", "maxlines"])
def test_snake_and_camel_case_are_the_same(name: str) -> None:
    found = read(**{name: 3, "dry_run": True, "expected_hash": "x"})
    assert found.fields == {"filePath": "a.md", "max_lines": 3, "dryRun": True, "expect": "x"}
    assert set(found.repaired) >= {f"{name}: taken for max_lines", "dry_run: taken for dryRun"}


@table(
    ("arguments", "repaired", "answer"),
    [
        ({"edits": '[{"old_string": "a", "new_string": "b"}]'}, None, "edits: a JSON string taken for what it holds"),
        ({"edits": {"old_string": "a", "new_string": "b"}}, None, "edits: a single value taken for an array of one"),
        (
            {"edits": ['{"old_string": "a", "new_string": "b"}']},
            None,
            "edits[0]: a JSON string taken for what it holds",
        ),
        ({"edits": ' \n[{"old_string": "a", "new_string": "b"}]'}, None, "edits: a JSON string taken"),
        ({"max_lines": "3"}, {"max_lines": 3}, "max_lines: a string taken for a number"),
        ({"max_lines": " 12 "}, {"max_lines": 12}, "max_lines: a string taken for a number"),
        ({"dryRun": "True"}, {"dryRun": True}, "dryRun: a string taken for true"),
        ({"dryRun": "false"}, {"dryRun": False}, "dryRun: a string taken for false"),
        ({"names": "one"}, {"names": ["one"]}, "names: a single value taken for an array of one"),
        ({"names": '["one", "[two"]'}, {"names": ["one", "[two"]}, "names: a JSON string"),
        ({"names": "[one"}, {"names": ["[one"]}, "names: a single value taken for an array of one"),
        ({"target": '{"at": "key:a"}'}, {"target": {"at": "key:a"}}, "target: a JSON string taken for what it holds"),
    ],
)
def test_what_can_mean_one_thing_is_repaired_and_reported(
    arguments: dict[str, object], repaired: dict[str, object] | None, answer: str
) -> None:
    found = read(**arguments)
    expected = repaired or {"edits": [{"old_string": "a", "new_string": "b"}]}
    assert found.fields == {"filePath": "a.md", **expected}
    assert found.repaired[0].startswith(answer)


def test_a_call_that_is_one_json_string_is_read() -> None:
    found = repair(CALL, '{"filePath": "a.md", "dryRun": true}')
    assert found.fields == {"filePath": "a.md", "dryRun": True}
    assert found.repaired == ("arguments: a JSON string taken for what it holds",)


def test_a_json_string_with_bare_line_breaks_in_its_texts_is_read() -> None:
    assert read(edits='[{"old_string": "a\nb", "new_string": "c"}]').fields["edits"] == [
        {"old_string": "a\nb", "new_string": "c"}
    ]


def test_the_first_of_several_shapes_that_takes_a_value_as_it_is_wins_over_repair() -> None:
    number_or_word = Object((Field("n", Either((Number(), Text(("7", "all"))))),))
    assert repair(number_or_word, {"n": "7"}) == ({"n": "7"}, ())
    assert repair(number_or_word, {"n": "8"}) == ({"n": 8}, ("n: a string taken for a number",))


def test_null_is_the_same_as_absent() -> None:
    found = read(edits=None, max_lines=None, target={"at": None, "other": None})
    assert found == ({"filePath": "a.md", "target": {}}, ())
    assert refused({"filePath": None}).details["path"] == "filePath"


def test_a_name_sent_null_leaves_room_for_another_of_the_field() -> None:
    assert repair(CALL, {"filePath": None, "path": "a"}).fields == {"filePath": "a"}


def test_the_same_said_under_two_names_is_said_once() -> None:
    assert repair(CALL, {"filePath": "a", "path": "a"}).fields == {"filePath": "a"}


def test_a_field_that_bears_the_name_wins_over_one_that_is_also_known_so() -> None:
    both = Object((Field("path", Text()), Field("file", Text())))
    assert repair(both, {"path": "a", "file": "b"}) == ({"path": "a", "file": "b"}, ())


def test_many_repairs_are_shown_in_short() -> None:
    found = repair(Object((Field("names", Many(Number())),)), {"names": [str(n) for n in range(50)]})
    assert len(found.repaired) == 21
    assert found.repaired[-1] == "and 30 more"


# What is refused, by name.


@table(
    ("arguments", "path", "hint"),
    [
        ({"filePaht": "a"}, "filePaht", "did you mean 'filePath'?"),
        ({"filePath": "a", "dryrum": True}, "dryrum", "did you mean 'dryRun'?"),
        ({"filePath": "a", "zzz": 1}, "zzz", "known fields: filePath, edits"),
        ({"filePath": "a", "zzz": None}, "zzz", "known fields"),
        (
            {"filePath": "a", "edits": [{"old_string": "a", "new_string": "b", "old": "c"}]},
            "edits[0].old",
            "old_string",
        ),
        ({}, "filePath", "add 'filePath', a string: The file."),
        ({"filePath": "a", "edits": [{"new_string": "b"}]}, "edits[0].old_string", "add 'old_string', a string"),
        ({"filePath": "a", "edits": [{"old_string": "a"}]}, "edits[0].new_string", "add 'new_string', a string"),
        ({"filePath": "a", "path": "b"}, "filePath", "send 'filePath' once"),
        ({"filePath": "a", "file": "a", "path": "b"}, "filePath", "send 'filePath' once"),
        ({"filePath": ["a"]}, "filePath", "filePath: The file."),
        ({"filePath": 3}, "filePath", "filePath: The file."),
        ({"filePath": "a", "max_lines": 0}, "max_lines", "it begins with 1"),
        ({"filePath": "a", "max_lines": 101}, "max_lines", "it ends with 100"),
        ({"filePath": "a", "max_lines": 1.5}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": True}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": "1e3"}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": "three"}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": ""}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": 10**5000}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": -(10**30)}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": "9" * 5000}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": math.nan}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "max_lines": math.inf}, "max_lines", "max_lines: How many."),
        ({"filePath": "a", "dryRun": 1}, "dryRun", None),
        ({"filePath": "a", "dryRun": "yes"}, "dryRun", None),
        ({"filePath": "a", "edits": "one"}, "edits", "edits: What to change."),
        ({"filePath": "a", "edits": "[{"}, "edits", "edits: What to change."),
        ({"filePath": "a", "edits": ["one"]}, "edits[0]", "its fields: old_string"),
        ({"filePath": "a", "edits": 3}, "edits", "edits: What to change."),
        ({"filePath": "a", "mode": "line"}, "mode", "did you mean 'lines'?"),
        ({"filePath": "a", "mode": "section"}, "mode", "send mode lines"),
        ({"filePath": "a", "afterHeading": "x"}, "afterHeading", "send edits"),
        ({"filePath": "a", "after_heading": "x"}, "after_heading", "send edits"),
        ({"filePath": "a", "target": "lines:3"}, "target", "its fields: at"),
        ({"filePath": "a", "target": {"at": 3}}, "target.at", None),
        ({"filePath": "\ud800"}, "filePath", "valid Unicode"),
        ({"filePath": "a", "value": {"x": ["\udfff"]}}, "value", "valid Unicode"),
        ({"filePath": "a", "value": {"\ud800": 1}}, "value", "valid Unicode"),
        ({"filePath": "a", "target": {"heading": "\ud800"}}, "target.heading", "valid Unicode"),
    ],
)
def test_a_refusal_names_the_field_and_says_what_to_send(arguments: object, path: str, hint: str | None) -> None:
    error = refused(arguments)
    assert error.kind is Kind.BAD_REQUEST
    assert error.details["path"] == path
    assert error.message.startswith(f"{path}: ")
    assert hint is None or hint in (error.hint or "")


def test_the_refusal_of_a_choice_is_that_of_the_shape_that_was_meant() -> None:
    edit = {"old_string": "a", "new_string": "b"}
    assert "too small" in refused({"filePath": "a", "edits": [{**edit, "occurrence": -2}]}).message
    assert "is not among first, all" in refused({"filePath": "a", "edits": [{**edit, "occurrence": "any"}]}).message
    neither = refused({"filePath": "a", "edits": [{**edit, "occurrence": []}]})
    assert "a whole number or a string is expected, not an array" in neither.message


@table("arguments", [None, 3, True, "a.md", "[1]", ["filePath"], [("filePath", "a")], b"{}"])
def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    assert "an object is expected" in refused(arguments).message


@table("name", [3, None, ("filePath",), b"filePath"])
def test_names_of_fields_are_strings(name: object) -> None:
    assert "field names are strings" in refused({name: "a"}).message


def test_too_many_items_are_refused_with_the_limit() -> None:
    error = refused({"filePath": "a", "edits": [{"old_string": "a", "new_string": "b"}] * 4})
    assert (error.kind, error.details["limit"]) == (Kind.TOO_LARGE, 3)


def nested(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_is_bounded_also_inside_a_json_string() -> None:
    assert read(value=nested(60)).fields["value"] == nested(60)
    assert "nested" in refused({"filePath": "a", "value": nested(70)}).message
    assert "nested" in refused({"filePath": "a", "edits": json.dumps(nested(70))}).message
    assert refused({"filePath": "a", "edits": "[" * 100_000}).details["path"] == "edits"


def test_values_that_hold_themselves_come_to_an_end() -> None:
    loop: list[object] = []
    loop += [loop, loop]
    assert refused({"filePath": "a", "value": loop}).kind in (Kind.TOO_LARGE, Kind.BAD_REQUEST)
    doubling: object = "x"
    for _ in range(60):
        doubling = [doubling, doubling]
    assert refused({"filePath": "a", "value": doubling}).kind is Kind.TOO_LARGE


# Whatever is sent.


@given(objects_for(CALL).map(lambda given: {"filePath": "a", **given}) | objects_for(CALL) | VALUES)
def test_what_comes_out_of_repair_fits_the_schema_and_needs_no_second_one(arguments: object) -> None:
    try:
        found = repair(CALL, arguments)
    except EditError as error:
        assert error.kind in (Kind.BAD_REQUEST, Kind.TOO_LARGE)
        error.message.encode("utf-8", "surrogatepass")
        return
    jsonschema.validate(found.fields, plain_schema(CALL))
    assert repr(repair(CALL, found.fields)) == repr(Read(found.fields))


@given(objects_for(CALL).map(lambda given: {"filePath": "a", **given}) | VALUES)
def test_what_is_taken_as_it_is_would_not_have_been_repaired(arguments: object) -> None:
    if repairs._fits(CALL, arguments):
        walked = repairs._read_object(repairs._Reader(repairs=False), CALL, arguments, "")
        assert repr(walked) == repr({name: arguments[name] for name in walked})  # type: ignore[index]  # it is a dict
        assert walked.keys() == arguments.keys()  # type: ignore[attr-defined]
