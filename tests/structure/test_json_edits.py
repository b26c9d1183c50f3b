"""Keys of JSON files: each operation on each layout, and what is refused."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.config.key import Key
from steadyhand.structure.node import Refusal, Where
from tests.structure.keyed import acted, after, applied, node_at, refused
from tests.table import table

LINED = '{\n  "a": 1,\n  "b": {\n    "c": "x"\n  },\n  "d": [\n    1,\n    2\n  ]\n}\n'
INLINE = '{"a": 1, "b": {"c": "x"}, "d": [1, 2]}'
MINIFIED = '{"a":1,"b":{"c":"x"},"d":[1,2]}'


@table(
    ("key", "action", "given", "kind"),
    [
        ("a", "add-key", {"name": "x", "value": 1}, Kind.BAD_REQUEST),
        ("d", "add-key", {"name": "x", "value": 1}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "a", "value": 1}, Kind.EXISTS_ALREADY),
        ("", "add-key", {"name": "x", "value": 1, "before": "nope"}, Kind.NO_SUCH_TARGET),
        ("", "add-key", {"name": "x", "value": 1, "before": "a", "after": "b"}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "x", "value": 1, "before": True}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "x", "value": float("nan")}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "x", "value": {1: 2}}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "x", "value": {1, 2}}, Kind.BAD_REQUEST),
        ("b", "append-item", {"value": 1}, Kind.BAD_REQUEST),
        ("a", "append-item", {"value": 1}, Kind.BAD_REQUEST),
        ("d", "append-item", {"value": 1, "before": 9}, Kind.NO_SUCH_TARGET),
        ("a", "rename-key", {"name": "b"}, Kind.EXISTS_ALREADY),
        ("d[0]", "rename-key", {"name": "b"}, Kind.BAD_REQUEST),
        ("", "rename-key", {"name": "b"}, Kind.BAD_REQUEST),
        ("", "delete-key", {}, Kind.BAD_REQUEST),
        ("", "move-key", {"to": "b"}, Kind.BAD_REQUEST),
        ("b", "move-key", {"to": "b"}, Kind.BAD_REQUEST),
        ("b", "move-key", {"to": "a"}, Kind.BAD_REQUEST),
        ("b", "move-key", {"to": "nope"}, Kind.NO_SUCH_TARGET),
        ("b", "move-key", {"to": "", "name": "d"}, Kind.EXISTS_ALREADY),
        ("b", "move-key", {"to": "d", "name": "d"}, Kind.BAD_REQUEST),
        ("d[0]", "move-key", {"to": "b"}, Kind.BAD_REQUEST),
        ("b.c", "move-key", {"to": "a..b"}, Kind.BAD_REQUEST),
    ],
)
def test_what_cannot_be_done_is_refused(key: str, action: str, given: dict[str, object], kind: Kind) -> None:
    for text in (LINED, INLINE, MINIFIED):
        assert refused(text, key, action, **given).kind == kind


@table(
    ("text", "key", "new"),
    [
        (LINED, "a", '"1"'),
        (LINED, "a", "true"),
        (LINED, "a", "[1]"),
        (LINED, "a", "one"),
        (LINED, "a", "1, 2"),
        (LINED, "a", "1 // x"),
        (LINED, "a", ""),
        (LINED, "b.c", "y"),
        (LINED, "b.c", "5"),
        (LINED, "b.c", "null"),
        (LINED, "b", "[]"),
        (LINED, "b", '{"c": 1'),
        (LINED, "d", '{"c": 1}'),
        (LINED, "a", '1, "z": 2'),
        (LINED, "b", '{"c": 1} /* why */'),
        (LINED, "b", '{"c": 1,}'),
    ],
)
def test_written_text_keeps_the_type_and_stays_in_its_place(text: str, key: str, new: str) -> None:
    source, node = node_at(text, key)
    refusal = node.replace(source, new)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == Kind.BAD_REQUEST
    assert refusal.hint


def test_a_refused_text_says_how_it_would_be_written() -> None:
    source, node = node_at(LINED, "b.c")
    refusal = node.replace(source, 'say "y"')
    assert isinstance(refusal, Refusal)
    assert refusal.details["written"] == '"say \\"y\\""'
    assert applied(source, node.replace(source, str(refusal.details["written"]))) == LINED.replace(
        '"x"', '"say \\"y\\""'
    )


@table(
    ("key", "text", "where"),
    [
        ("a", '"b": 1', "after"),
        ("a", '"z": 1, "z": 2', "after"),
        ("a", '{"z": 1}', "after"),
        ("a", "5", "after"),
        ("a", "", "after"),
        ("a", '"z": 1', "start"),
        ("", '"z": 1', "before"),
        ("d[0]", '"z": 1', "before"),
        ("a", '// new\n"z": 1', "after"),
        ("a", '"z": [1,]', "after"),
    ],
)
def test_entries_that_do_not_fit_are_refused(key: str, text: str, where: Where) -> None:
    source, node = node_at(LINED, key)
    refusal = node.insert(source, text, where)
    assert isinstance(refusal, Refusal)
    assert refusal.kind in (Kind.BAD_REQUEST, Kind.EXISTS_ALREADY)


@table(
    ("before", "key", "value", "expected"),
    [
        (LINED, "a", 2, LINED.replace("1,", "2,", 1)),
        (LINED, "a", "1", LINED.replace("1,", '"1",', 1)),
        (LINED, "a", None, LINED.replace("1,", "null,", 1)),
        (LINED, "a", {}, LINED.replace("1,", "{},", 1)),
        (LINED, "a", {"x": [1, {}]}, '{\n  "a": {\n    "x": [\n      1,\n      {}\n    ]\n  },' + LINED[11:]),
        (LINED, "b.c", "é\n", LINED.replace('"x"', '"é\\n"')),
        (LINED, "d", [3], LINED.replace("    1,\n    2\n", "    3\n")),
        (INLINE, "d", [3, {"e": 4}], INLINE.replace("[1, 2]", '[3, {"e": 4}]')),
        (INLINE, "a", {"x": 1}, INLINE.replace("1,", '{"x": 1},', 1)),
        (MINIFIED, "a", {"x": 1, "y": []}, MINIFIED.replace("1,", '{"x":1,"y":[]},', 1)),
        ('{"a": "\\u00e9"}', "a", "ü", '{"a": "\\u00fc"}'),
        ('{"a": "\\u00e9", "b": "é"}', "a", "ü", '{"a": "ü", "b": "é"}'),
        ("1\n", "", {"a": 1}, '{\n  "a": 1\n}\n'),
        ('{\n\t"a": 1\n}', "a", [1], '{\n\t"a": [\n\t\t1\n\t]\n}'),
        ('{"a": 1 /* why */, }', "a", 2, '{"a": 2 /* why */, }'),
        ('{"a": 1.0}', "a", 1, '{"a": 1}'),
        ('{"a": 1.50}', "a", 1.5, '{"a": 1.50}'),
        ('{"a": true}', "a", 1, '{"a": 1}'),
        ('{"a": "x"}', "a", "x", '{"a": "x"}'),
        ('{"a": "\\u0078"}', "a", "x", '{"a": "\\u0078"}'),
    ],
)
def test_set_key(before: str, key: str, value: object, expected: str) -> None:
    assert after(before, key, "set-key", value=value) == expected


@table(
    ("before", "key", "given", "expected"),
    [
        (LINED, "", {}, LINED.replace("  ]\n}", '  ],\n  "n": 7\n}')),
        (LINED, "", {"before": "a"}, LINED.replace("{\n", '{\n  "n": 7,\n', 1)),
        (LINED, "", {"after": "a"}, LINED.replace("1,\n", '1,\n  "n": 7,\n', 1)),
        (LINED, "b", {}, LINED.replace('"x"\n', '"x",\n    "n": 7\n')),
        (INLINE, "", {}, INLINE[:-1] + ', "n": 7}'),
        (INLINE, "b", {"before": "c"}, INLINE.replace('"c"', '"n": 7, "c"')),
        (MINIFIED, "", {"after": "a"}, MINIFIED.replace('"b"', '"n":7,"b"')),
        (MINIFIED, "b", {}, MINIFIED.replace('"x"', '"x","n":7')),
        ("{}", "", {}, '{\n  "n": 7\n}'),
        ("{ }\n", "", {}, '{\n  "n": 7\n}\n'),
        ("{\n}\n", "", {}, '{\n  "n": 7\n}\n'),
        ("{\n  // none\n}", "", {}, '{\n  // none\n  "n": 7\n}'),
        ('{"a":{}}', "a", {}, '{"a":{"n":7}}'),
        ('{ "a": { "b": 1 }, "c": {} }', "c", {}, '{ "a": { "b": 1 }, "c": { "n": 7 } }'),
        ('{\n    "a": {}\n}', "a", {}, '{\n    "a": {\n        "n": 7\n    }\n}'),
        ('{\n  "a": 1,\n}', "", {}, '{\n  "a": 1,\n  "n": 7,\n}'),
        ('{"a": 1,}', "", {}, '{"a": 1, "n": 7,}'),
        ('{\n  "a": 1 // one\n}', "", {}, '{\n  "a": 1, // one\n  "n": 7\n}'),
        ('{\n  "a": 1, // one\n}', "", {}, '{\n  "a": 1, // one\n  "n": 7,\n}'),
        ('{ // top\n  "a": 1\n}', "", {"before": "a"}, '{ // top\n  "n": 7,\n  "a": 1\n}'),
        (
            '{\n  "a": 1,\n  // about b\n  "b": 2\n}',
            "",
            {"before": "b"},
            '{\n  "a": 1,\n  "n": 7,\n  // about b\n  "b": 2\n}',
        ),
        ('{\n  "a": 1\n  // "old": 2\n}', "", {}, '{\n  "a": 1,\n  "n": 7\n  // "old": 2\n}'),
        ('{"a" : 1}', "", {}, '{"a" : 1, "n" : 7}'),
        ('{\r\n  "a": 1\r\n}', "", {}, '{\r\n  "a": 1,\n  "n": 7\r\n}'),
        ('{\n  "a": 1,\n\n  "b": 2\n}', "", {"after": "a"}, '{\n  "a": 1,\n  "n": 7,\n\n  "b": 2\n}'),
    ],
)
def test_add_key(before: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(before, key, "add-key", name="n", value=7, **given) == expected


def test_new_lines_end_as_their_neighbours_do() -> None:
    text = '{\r\n  "a": 1\r\n}\r\n'
    result = edit(text, Act(Key(""), "add-key", name="n", value={"x": [1]}), path="a.json")
    assert result.ok, result.error
    assert result.text == '{\r\n  "a": 1,\r\n  "n": {\r\n    "x": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n'


@table(
    ("before", "key", "given", "expected"),
    [
        (LINED, "d", {}, LINED.replace("    2\n", "    2,\n    7\n")),
        (LINED, "d", {"before": 0}, LINED.replace("    1,\n", "    7,\n    1,\n")),
        (LINED, "d", {"after": 0}, LINED.replace("    1,\n", "    1,\n    7,\n")),
        (LINED, "d", {"after": -1}, LINED.replace("    2\n", "    2,\n    7\n")),
        (INLINE, "d", {}, INLINE.replace("2]", "2, 7]")),
        (INLINE, "d", {"before": 1}, INLINE.replace("2]", "7, 2]")),
        (MINIFIED, "d", {}, MINIFIED.replace("2]", "2,7]")),
        ("[]", "", {}, "[\n  7\n]"),
        ('{"a": []}', "a", {}, '{"a": [7]}'),
        ('{\n  "a": [1],\n  "b": []\n}', "b", {}, '{\n  "a": [1],\n  "b": [7]\n}'),
        ('{\n  "a": [\n    1\n  ],\n  "b": []\n}', "b", {}, '{\n  "a": [\n    1\n  ],\n  "b": [\n    7\n  ]\n}'),
        ("[\n  1, 2,\n  3, 4\n]", "", {}, "[\n  1, 2,\n  3, 4, 7\n]"),
        ("[1, 2, ]", "", {}, "[1, 2, 7, ]"),
        ("[\n  1, // one\n  2 // two\n]", "", {}, "[\n  1, // one\n  2, // two\n  7\n]"),
        ("[1 // one\n]", "", {}, "[1, 7 // one\n]"),
    ],
)
def test_append_item(before: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(before, key, "append-item", value=7, **given) == expected


@table(
    ("before", "key", "expected"),
    [
        (LINED, "a", LINED.replace('  "a": 1,\n', "")),
        (LINED, "d", '{\n  "a": 1,\n  "b": {\n    "c": "x"\n  }\n}\n'),
        (LINED, "b.c", LINED.replace('{\n    "c": "x"\n  }', "{}")),
        (LINED, "d[0]", LINED.replace("    1,\n", "")),
        (LINED, "d[1]", LINED.replace("1,\n    2", "1")),
        (INLINE, "a", INLINE.replace('"a": 1, ', "")),
        (INLINE, "d", INLINE.replace(', "d": [1, 2]', "")),
        (INLINE, "b.c", INLINE.replace('"c": "x"', "")),
        (MINIFIED, "a", MINIFIED.replace('"a":1,', "")),
        (MINIFIED, "d[1]", MINIFIED.replace(",2]", "]")),
        ('{"a": 1, "b": 2,}', "b", '{"a": 1,}'),
        ('{"a": 1,}', "a", "{}"),
        ('{\n  "a": 1,\n  "b": 2,\n}', "b", '{\n  "a": 1,\n}'),
        ('{\n  // about a\n  "a": 1, // tail\n  "b": 2\n}', "a", '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  // about b\n  "b": 2 // tail\n}', "b", '{\n  "a": 1\n}'),
        ('{\n  "a": 1, // keep\n  "b": 2\n}', "b", '{\n  "a": 1 // keep\n}'),
        ('{\n  // apart\n\n  "a": 1,\n  "b": 2\n}', "a", '{\n  // apart\n\n  "b": 2\n}'),
        ('{\n  // only\n  "a": 1\n}', "a", "{}"),
        ('{\n  // apart\n\n  "a": 1\n}', "a", "{\n  // apart\n}"),
        ('{\n  "a": 1,\n\n  "b": 2,\n\n  "c": 3\n}', "b", '{\n  "a": 1,\n\n  "c": 3\n}'),
        ('{\n  "a": 1,\n\n  "b": 2\n}', "b", '{\n  "a": 1\n}'),
        ('{\n  "a": 1,\n\n  "b": 2\n}', "a", '{\n  "b": 2\n}'),
        ('{\n  /* two\n     lines */\n  "a": 1,\n  "b": 2\n}', "a", '{\n  "b": 2\n}'),
        ('{\n  // group\n  "a": 1,\n  "b": 2,\n\n  "c": 3\n}', "a", '{\n  // group\n  "b": 2,\n\n  "c": 3\n}'),
        ("[\n  1, 2,\n  3, 4\n]", "[0]", "[\n  2,\n  3, 4\n]"),
        ("[\n  1, 2,\n  3, 4\n]", "[1]", "[\n  1,\n  3, 4\n]"),
        ("[\n  1, 2,\n  3, 4\n]", "[3]", "[\n  1, 2,\n  3\n]"),
        ("[1, /* two */ 2, 3]", "[0]", "[/* two */ 2, 3]"),
        ('{\r\n  "a": 1,\r\n  "b": 2\r\n}', "b", '{\r\n  "a": 1\r\n}'),
        ('{"a": 1, "a": 2}', "a[2]", '{"a": 1}'),
    ],
)
def test_delete_key(before: str, key: str, expected: str) -> None:
    target = Key("a", nth=2) if key == "a[2]" else Key(key)
    assert after(before, target, "delete-key") == expected


@table(
    ("before", "key", "name", "expected"),
    [
        (LINED, "a", "z", LINED.replace('"a"', '"z"')),
        (MINIFIED, "b.c", 'q"é', MINIFIED.replace('"c"', '"q\\"é"')),
        (LINED, "a", "a", LINED),
    ],
)
def test_rename_key(before: str, key: str, name: str, expected: str) -> None:
    assert after(before, key, "rename-key", name=name) == expected


@table(
    ("before", "key", "given", "expected"),
    [
        (LINED, "a", {"to": "b"}, '{\n  "b": {\n    "c": "x",\n    "a": 1\n  },' + LINED[38:]),
        (LINED, "b.c", {"to": ""}, LINED.replace('{\n    "c": "x"\n  }', "{}").replace("]\n}", '],\n  "c": "x"\n}')),
        (
            LINED,
            "d",
            {"to": "", "before": "a"},
            '{\n  "d": [\n    1,\n    2\n  ],\n  "a": 1,\n  "b": {\n    "c": "x"\n  }\n}\n',
        ),
        (
            LINED,
            "a",
            {"to": "", "after": "b", "name": "z"},
            LINED.replace('  "a": 1,\n', "").replace("},\n", '},\n  "z": 1,\n'),
        ),
        (LINED, "d[0]", {"to": "d"}, LINED.replace("1,\n    2", "2,\n    1")),
        (LINED, "d[1]", {"to": "b", "name": "n"}, LINED.replace('"x"', '"x",\n    "n": 2').replace("1,\n    2", "1")),
        (
            LINED,
            "b",
            {"to": "d", "before": 0},
            '{\n  "a": 1,\n  "d": [\n    {\n      "c": "x"\n    },\n    1,\n    2\n  ]\n}\n',
        ),
        (INLINE, "a", {"to": "b"}, '{"b": {"c": "x", "a": 1}, "d": [1, 2]}'),
        (MINIFIED, "d", {"to": "", "before": "b"}, '{"a":1,"d":[1,2],"b":{"c":"x"}}'),
        (
            '{\n  // why\n  "a": 1, // so\n  "b": {\n    "c": 2\n  }\n}',
            "a",
            {"to": "b"},
            '{\n  "b": {\n    "c": 2,\n    // why\n    "a": 1 // so\n  }\n}',
        ),
        ("[[1], [2]]", "[0][0]", {"to": "[1]"}, "[[], [2, 1]]"),
    ],
)
def test_move_key(before: str, key: str, given: dict[str, object], expected: str) -> None:
    assert after(before, key, "move-key", **given) == expected


def test_comments_are_not_lost_where_they_cannot_stand() -> None:
    text = '{\n  // why\n  "a": 1,\n  "b": [1]\n}'
    assert refused(text, "a", "move-key", to="b").kind == Kind.BAD_REQUEST


@table(
    ("before", "key", "written", "where", "expected"),
    [
        (LINED, "a", '"n": 7', "after", LINED.replace("1,\n", '1,\n  "n": 7,\n', 1)),
        (LINED, "a", '"n": 7,\n', "before", LINED.replace("{\n", '{\n  "n": 7,\n', 1)),
        (LINED, "d", '"n": {\n  "m": 7\n}', "after", LINED.replace("]\n}", '],\n  "n": {\n    "m": 7\n  }\n}')),
        (LINED, "d", "7, 8", "end", LINED.replace("2\n", "2,\n    7,\n    8\n")),
        (INLINE, "b", '"n": 7', "start", INLINE.replace('"c"', '"n": 7, "c"')),
        (
            '{\n  "a": 1, // x\n}',
            "a",
            '// new\n"n": 7 // seven',
            "after",
            '{\n  "a": 1, // x\n  // new\n  "n": 7, // seven\n}',
        ),
    ],
)
def test_entries_are_inserted_as_they_are_written(
    before: str, key: str, written: str, where: Where, expected: str
) -> None:
    source, node = node_at(before, key)
    assert applied(source, node.insert(source, written, where)) == expected


@table(
    ("before", "key", "part", "new", "expected"),
    [
        (LINED, "a", "value", "5", LINED.replace("1,", "5,", 1)),
        (LINED, "a", "value", "1.5e3", LINED.replace("1,", "1.5e3,", 1)),
        (LINED, "b", "value", '{\n  "q": 1\n}', LINED.replace('{\n    "c": "x"\n  }', '{\n    "q": 1\n  }')),
        (LINED, "a", "name", "z", LINED.replace('"a"', '"z"')),
        (LINED, "a", "name", '"z"', LINED.replace('"a"', '"z"')),
        (LINED, "a", "entry", '"z": 9', LINED.replace('"a": 1', '"z": 9')),
        (LINED, "d[0]", "entry", "9", LINED.replace("1,\n    2", "9,\n    2")),
        ('{"a": null}', "a", "value", "[1]", '{"a": [1]}'),
    ],
)
def test_replace(before: str, key: str, part: str, new: str, expected: str) -> None:
    result = edit(before, Replace(Key(key, part=part), new), path="a.json")
    assert result.ok, result.error
    assert result.text == expected


@table(
    ("before", "key", "action", "given", "expected"),
    [
        ("{a: 'x', b: 1}", "a", "set-key", {"value": "it's"}, "{a: 'it\\'s', b: 1}"),
        ("{a: 1}", "", "add-key", {"name": "b", "value": "x"}, '{a: 1, b: "x"}'),
        ("{a: 1}", "", "add-key", {"name": "b c", "value": 1}, '{a: 1, "b c": 1}'),
        ("{'a': 1}", "", "add-key", {"name": "b", "value": 1}, "{'a': 1, 'b': 1}"),
        ("{a: 1}", "a", "rename-key", {"name": "b-c"}, '{"b-c": 1}'),
    ],
)
def test_json5_keeps_its_quotes(before: str, key: str, action: str, given: dict[str, object], expected: str) -> None:
    assert after(before, key, action, path="a.json5", **given) == expected


def test_json_lines_stay_one_line_each() -> None:
    text = '{"a": 1}\n{}\n'
    assert after(text, Key("", document=2), "add-key", path="a.jsonl", name="b", value={"c": [1]}) == (
        '{"a": 1}\n{"b": {"c": [1]}}\n'
    )
    source, node = node_at(text, Key("", document=1), "a.jsonl")
    assert isinstance(node.replace(source, '{\n"a": 2}'), Refusal)


def test_a_deep_value_is_refused_or_written() -> None:
    value: object = 1
    for _ in range(100):
        value = [value]
    assert isinstance(acted("{}", "", "add-key", name="a", value=value), str)
    for _ in range(100_000):
        value = [value]
    assert refused("{}", "", "add-key", name="a", value=value).kind == Kind.BAD_REQUEST


def test_what_the_encoding_cannot_say_is_escaped() -> None:
    data = '{\n  "name": "café"\n}\n'.encode("latin-1")
    result = edit(data, Act(Key("name"), "set-key", value="5 €"), path="a.json")
    assert result.ok, result.error
    assert result.text == b'{\n  "name": "5 \\u20ac"\n}\n'


def test_half_a_pair_is_written_by_its_number() -> None:
    assert after('{"a": "é"}', "a", "set-key", value="x\ud800") == '{"a": "x\\ud800"}'
    assert refused('{"a": "é"}', "a", "set-key", value="\ud83d\ude00").kind == Kind.UNPARSABLE


def test_an_empty_line_of_json_lines_follows_the_first_that_is_not() -> None:
    text = '{"a":1,"b":2}\n{}\n'
    assert after(text, Key("", document=2), "add-key", path="a.jsonl", name="c", value=[1, 2]) == (
        '{"a":1,"b":2}\n{"c":[1,2]}\n'
    )


def test_several_edits_of_one_call_come_side_by_side() -> None:
    edits = [
        Act(Key("a"), "set-key", value=5),
        Act(Key("b.c"), "set-key", value="y"),
        Act(Key("d"), "append-item", value=3),
        Act(Key("d"), "append-item", value=4),
        Act(Key(""), "add-key", name="e", value=True),
        Act(Key("b"), "rename-key", name="bb"),
    ]
    result = edit(LINED, edits, path="a.json")
    assert result.ok, [outcome.error for outcome in result.outcomes]
    assert result.text == (
        '{\n  "a": 5,\n  "bb": {\n    "c": "y"\n  },\n  "d": [\n    1,\n    2,\n    3,\n    4\n  ],\n  "e": true\n}\n'
    )


def test_a_text_that_a_comment_would_swallow_is_refused() -> None:
    source, node = node_at('{\n  "a": [1], "b": 2\n}\n', "a", "a.jsonc")
    assert isinstance(node.replace(source, "[1] // all"), Refusal)
    assert isinstance(node.replace(source, "[1] /*"), Refusal)


@table("text", ['{"a": {"b": 1}}', '{"a": {"b": 1}, "c": [1]}'])
def test_a_bracket_too_many_is_refused_even_where_the_rest_would_still_parse(text: str) -> None:
    source, node = node_at(text, "a.b")
    for written in ('1}, "x": {"y": 2', "1}", '1, "z": 2'):
        assert isinstance(node.replace(source, written), Refusal)


def test_a_mark_at_the_head_does_not_let_comments_into_plain_json() -> None:
    made = edit("\ufeff[1]", Insert(Key(""), "2, // two", where="end"), path="a.json")
    assert made.error is not None
    assert made.error.kind == Kind.BAD_REQUEST
