"""JSON with positions: what is refused, what is overlooked, and that valid JSON is read as everybody reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.structured.loose import MAX_DEPTH, read_loose, read_strict
from steadyhand.dialects.structured.node import Node, Reading, Unreadable, plain
from steadyhand.dialects.structured.quotes import Names
from tests.sampling import examples
from tests.table import table

NAMES = Names(known=lambda name: name in ("old", "new", "path"), sure=lambda name: name in ("old", "new"))


def loosely(text: str) -> Reading:
    return read_loose(text, 0, NAMES)


def value_of(text: str) -> object:
    return plain(loosely(text).node)


@table(
    ("text", "offset"),
    [
        ("", 0),
        ("x", 0),
        ("{", 1),
        ('{"old": "a"', 11),
        ('{"old": "a', 8),
        ('{"old": "a",', 12),
        ('{"old"', 6),
        ('{"old" "a"}', 7),
        ("[1, 2", 5),
        ("[1 2]", 3),
        ("[1,, 2]", 3),
        ("{1: 2}", 1),
        ('{"a": +1}', 6),
        ('{"a": undefined}', 6),
        ('{"a": 1, "a": 2}', 9),
        ('{"a": """x"""}', 6),
        ('{"old": "a" + "b"}', 10),
        ('{"old": "a\\n"\n "b"}', 12),
        ('{"old": "x "y" z", "other": 1}', 16),
        ('{"old": "x "y" z", "path": "a"}', 16),
        ('{"old": "a, "new": "b"}', 16),
        ('{"path": "x "y" z", "old": "a"}', 9),
        ('{"old": "x = "y"}', 15),
        ("[" * (MAX_DEPTH + 1), MAX_DEPTH),
        ('{"a":' * 500, 5 * MAX_DEPTH),
        ("[" + "9" * 500 + "]", 1),
    ],
)
def test_what_is_cut_off_or_could_be_read_in_two_ways_is_refused_at_its_place(text: str, offset: int) -> None:
    with pytest.raises(Unreadable) as caught:
        loosely(text)
    assert caught.value.offset == offset


@table(
    "text",
    [
        "[1,]",
        '{"a": 1,}',
        "{'a': 1}",
        "{a: 1}",
        '["a\nb"]',
        '["\\d"]',
        "[True]",
        "[/* */1]",
        '["a"\n"b"]',
        "[01]",
        "[.5]",
        "[1.]",
        "[-]",
        '{"a": 1, "a": 2}',
    ],
)
def test_the_strict_reading_takes_no_liberties(text: str) -> None:
    with pytest.raises(Unreadable):
        read_strict(text)


@table(
    ("text", "value", "flaw"),
    [
        ("[1,]", [1], "a comma after the last item of a list"),
        ('{"a": 1,\n}', {"a": 1}, "a comma after the last item of a list"),
        ("{'a': 'it\\'s \"so\"'}", {"a": 'it\'s "so"'}, "a string in single quotes"),
        ("{old: 1, new: 2}", {"old": 1, "new": 2}, "a key without quotes"),
        ('["a\n\tb"]', ["a\n\tb"], "a line break or a tab inside a string"),
        ('["\\d \\s \\#"]', ["\\d \\s \\#"], "a backslash that is not doubled"),
        ('["it\\\'s"]', ["it\\'s"], "an escape that is not valid in JSON"),
        ("[\"a\nf('\\n')\"]", ["a\nf('\n')"], "an escape that may be two characters"),
        ('["\\srv\\new"]', ["\\srv\new"], "an escape that may be two characters"),
        ('["\\s\\n"]', ["\\s\n"], "a backslash that is not doubled"),
        ("[True, False, None]", [True, False, None], "True for true"),
        ("[1, // one\n 2]", [1, 2], "a comment"),
        ("[/* none */]", [], "a comment"),
        ('["a"\n"b"]', ["a", "b"], "a comma that is missing"),
        ('[{"a": 1}\n{"a": 2}]', [{"a": 1}, {"a": 2}], "a comma that is missing"),
        ('{"old": "a"\n"new": "b"}', {"old": "a", "new": "b"}, "a comma that is missing"),
        ('[{"a": 1}}, {"b": 2}]', [{"a": 1}, {"b": 2}], "a closing brace too many"),
        ('{"a": [1], {"b": 2}]}', {"a": [1, {"b": 2}]}, "an array that was closed too early"),
    ],
)
def test_what_models_get_wrong_is_read_and_reported(text: str, value: object, flaw: str) -> None:
    reading = loosely(text)
    assert plain(reading.node) == value
    assert flaw in [one.what for one in reading.flaws]


@table(
    "text",
    ['["a\\n  b\nc\\n"]', "[\"f('\\d')\\nb\"]", '["\\d\\n    b"]', "[\"a\nf('\\\\n')\"]", '["a\n\\"b\\""]'],
)
def test_escapes_in_front_of_an_indentation_and_in_other_words_are_escapes(text: str) -> None:
    assert "an escape that may be two characters" not in [one.what for one in loosely(text).flaws]


PIECES = ["a", "x1", "\\n", "\\t", "\\r", "\\/", "\\d", "\\s", "\\w+", "(", ")", "'", '"', ".", ":", "/", " ", ", "]


@examples(100)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.lists(st.sampled_from(PIECES), max_size=8))
def test_code_in_whose_line_breaks_nothing_is_escaped_is_read_as_written_or_is_in_doubt(
    first: list[str], second: list[str]
) -> None:
    code = "".join([*first, ";\n", *second, ";"])
    written = code.replace('"', '\\"')
    reading = loosely(f'["{written}"]')
    flaws = [one.what for one in reading.flaws]
    is_in_doubt = "an escape that may be two characters" in flaws or "an escape that is not valid in JSON" in flaws
    assert is_in_doubt or plain(reading.node) == [code] or "\\n  " in code or "\\t  " in code or "\\r  " in code


@table(
    "inside",
    [
        'say "hi" there',
        'say "hi"',
        '"hi"',
        '"name": "x",',
        'f("a", "b")',
        'f("a", b)',
        'x["a"]["b"]',
        '{"a": {"b": "c"}}',
        'x = {"a": "b"}; y = {"a": "c"}',
        '[{"a": "b"}, {"a": "c"}]',
        '", ".join(y) + z',
        'a ""  # b',
        '<a href="x">y</a>',
        '"a.b": "c",\n"d e": "f"',
        '// "a", b\nc',
        'it\'s "so"',
    ],
)
@table("form", ['{{"old": "{}", "new": "b"}}', '{{"new": "b", "old": "{}"}}', '[{{"old": "{}"\n}}\n]'])
def test_quotes_without_a_backslash_are_content_where_nothing_else_makes_sense(inside: str, form: str) -> None:
    value = value_of(form.format(inside))
    (item,) = value if isinstance(value, list) else [value]
    assert item["old"] == inside


def test_every_value_knows_its_place() -> None:
    text = '{"a": [1, "x"], "b": {"c": null}}'
    node = read_strict(text)
    assert isinstance(node.value, dict)
    assert (node.start, node.end, node.key) == (0, len(text), -1)
    places = {name: (child.key, text[child.start : child.end]) for name, child in node.value.items()}
    assert places == {"a": (1, '[1, "x"]'), "b": (16, '{"c": null}')}
    inner = node.value["b"].value
    assert isinstance(inner, dict)
    assert inner["c"] == Node(None, 27, 31, 22)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=6), inside, max_size=4),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """Equal in value and in type, all the way down."""
    return json.dumps(one) == json.dumps(other)


@given(JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_valid_json_is_read_as_the_standard_library_reads_it(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert same(plain(read_strict(text)), json.loads(text))


@given(st.text(alphabet='{}[]",:\\ntu0123456789abcdef-.eE truefalsn\n'))
@examples(30)
def test_the_strict_reading_accepts_what_the_standard_library_accepts_but_keys_that_occur_twice(text: str) -> None:
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        expected = None
    try:
        node = read_strict(text)
    except Unreadable as error:
        assert expected is None or "twice" in error.what
    else:
        if not text[node.end :].strip(" \t\r\n"):
            assert same(plain(node), json.loads(text))


@given(st.text(alphabet="{}[]\"',:\\n/*\n a1.", max_size=80))
@examples(50)
def test_no_text_makes_the_loose_reading_fail_in_another_way(text: str) -> None:
    try:
        reading = loosely(text)
    except Unreadable as error:
        assert 0 <= error.offset <= len(text)
    else:
        assert 0 <= reading.node.start < reading.node.end <= len(text)
